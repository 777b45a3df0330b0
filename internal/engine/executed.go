package engine

import (
	"errors"
	"slices"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Executed returns how many instructions the run has executed so far: machine instructions, or
// operations of the interpreter. It is 0 without Debug "blocks", and while the instance is in use
// or closed.
//
// The number is the same on every run of the program. For machine code it includes the program, the
// standard library and the routines that functions share. It excludes the way to the host and back
// when the host wants to look (at gas, at a stack that is too small, at a function that is not
// compiled yet).
func (in *Instance) Executed() (n uint64) {
	in.look(func(uint32) { n = in.ExecutedWithin() })
	return n
}

// ExecutedWithin is Executed for callers that have taken the instance, and for functions that its
// own run calls: a Writer may ask at each line of the guest.
func (in *Instance) ExecutedWithin() uint64 { return in.m.Instructions() }

// A FuncCounts says how often the code of a function was executed.
type FuncCounts struct {
	Func  *ir.Func // nil: the routines for bulk memory that functions share
	Name  string
	Layer int // of the base, counted from the program down: each has routines of its own
	// Blocks are in the order of the code. They match the machine code of the function without
	// counters (listing.Compile), which has the same instructions: so they say how often each was
	// executed.
	Blocks []BlockCount
}

// A BlockCount is a run of instructions that are executed together.
type BlockCount struct {
	First, Instrs int // the number of the first instruction in the function's code, from 0, and the number of instructions
	Count         uint64
	Hidden        bool // the instructions are not counted
}

// Executed is the sum over the blocks.
func (f *FuncCounts) Executed() (n uint64) {
	for _, b := range f.Blocks {
		n += b.Count * uint64(b.Instrs)
	}
	return n
}

// Counts returns the parts of Executed's sum. The interpreter counts all operations together
// because that is faster, so its part also needs Debug "opstats".
func (in *Instance) Counts() (list []FuncCounts) {
	in.look(func(uint32) { list = in.CountsWithin() })
	return list
}

// CountsWithin relates to Counts as ExecutedWithin to Executed.
func (in *Instance) CountsWithin() []FuncCounts {
	if m, ok := in.m.(*interp.Machine); ok {
		return placeCounts(m.Places())
	}
	return funcCounts(in.m)
}

// SampledWithin returns how many of the interpreter's own samples each instruction has, if
// CPUProfile is among Config.Profiles. It is for functions that the run calls.
func (in *Instance) SampledWithin() []FuncCounts {
	if m, ok := in.m.(*interp.Machine); ok {
		return placeCounts(m.Sampled())
	}
	return nil
}

// placeCounts turns each instruction into a block.
func placeCounts(list []interp.Place) (out []FuncCounts) {
	for _, p := range list {
		f := FuncCounts{Func: p.Code.Fn, Name: p.Code.Fn.Name, Blocks: make([]BlockCount, len(p.Counts))}
		for i, n := range p.Counts {
			f.Blocks[i] = BlockCount{First: i, Instrs: 1, Count: n}
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b FuncCounts) int { return int(a.Func.Index) - int(b.Func.Index) })
	return out
}

// RegisterCode returns the interpreter's code of a function.
func (p *Program) RegisterCode(f *ir.Func) (*bytecode.FuncCode, error) {
	code, err := p.program()
	if err != nil {
		return nil, err
	}
	return code.Compile(f.Index)
}

// countedMachine makes a machine whose code counts. The program has this code to itself, down to
// the first layer of its base, because code of other programs and of the cache does not count.
func (p *Program) countedMachine(vm *rt.VM, c exec.Options, debug *Debug) (machine, error) {
	if kinds := debug.tells(); len(kinds) > 0 {
		return nil, configError("Debug", errors.New("blocks and "+kinds[0]+" do not go together: code that counts is told to nobody"))
	}
	if err := p.counted.make(func() (*nativeProgram, error) { return newCountedProgram(p) }); err != nil {
		return nil, err
	}
	return p.counted.code.machine(vm, c, nil)
}
