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

// Executed returns how many instructions the run has executed up to now: machine instructions, or operations of the
// interpreter. It is 0 without Debug "blocks", and while the instance is in use or closed.
//
// The number is the same on every run of the program. Of machine code it has what is executed in the program, in the
// standard library and in the routines that functions share; not what leads to the host and back when the host wants to
// look (at gas, at a stack that is too small, at a function that is not compiled yet).
func (in *Instance) Executed() (n uint64) {
	in.look(func(uint32) { n = in.ExecutedWithin() })
	return n
}

// ExecutedWithin is Executed for callers that have taken the instance, and for functions that its own run calls: a
// Writer may ask at each line of the guest's.
func (in *Instance) ExecutedWithin() uint64 { return in.m.Instructions() }

// A FuncCounts says how often the code of a function was executed.
type FuncCounts struct {
	Func  *ir.Func // nil: the routines for bulk memory that functions share
	Name  string
	Layer int // of the base, counted from the program down: each has routines of its own
	// Blocks are in the order of the code. With the machine code of the function before it (listing.Compile), which has
	// no counters and the same instructions, they say how often each was executed.
	Blocks []BlockCount
}

// A BlockCount is a run of instructions that are executed together.
type BlockCount struct {
	First, Instrs int // number of the first instruction in the function's code, from 0 on, and how many there are
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

// Counts returns what Executed adds up. Of the interpreter, which counts all operations together because that is faster, there
// is something with Debug "opstats" too.
func (in *Instance) Counts() (list []FuncCounts) {
	in.look(func(uint32) { list = in.CountsWithin() })
	return list
}

// CountsWithin is Counts as ExecutedWithin is Executed.
func (in *Instance) CountsWithin() []FuncCounts {
	if m, ok := in.m.(*interp.Machine); ok {
		return placeCounts(m.Places())
	}
	return funcCounts(in.m)
}

// SampledWithin returns how many of the interpreter's own samples fell to each instruction, with CPUProfile among
// Config.Profiles, for functions that the run calls.
func (in *Instance) SampledWithin() []FuncCounts {
	if m, ok := in.m.(*interp.Machine); ok {
		return placeCounts(m.Sampled())
	}
	return nil
}

// placeCounts takes each instruction for a block.
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

// countedMachine makes a machine whose code counts. The code is the program's own down to the first layer of its base:
// what other programs run, and what the cache has, does not count.
func (p *Program) countedMachine(vm *rt.VM, c exec.Options, debug *Debug) (machine, error) {
	if kinds := debug.tells(); len(kinds) > 0 {
		return nil, configError("Debug", errors.New("blocks and "+kinds[0]+" do not go together: code that counts is told to nobody"))
	}
	if err := p.counted.make(func() (*nativeProgram, error) { return newCountedProgram(p) }); err != nil {
		return nil, err
	}
	return p.counted.code.machine(vm, c, nil)
}
