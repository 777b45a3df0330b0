package enum

import (
	"fmt"
	"math/rand/v2"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// A Program is a piece of code that takes its operands from a row and stores results.
type Program interface {
	Number() uint64 // in its space
	String() string
	// Build appends the program to a function.
	Build(*Site)
	// Traps reports whether a check may fail: then the program has a function of its own.
	Traps() bool
	// Bytes is the size of the results in bytes.
	Bytes() int64
	// Result is the type of the result if the program only computes it, else Void.
	Result() ir.Type
	// Smaller returns parts of the program, the smallest first.
	Smaller() []Program
}

// A Space is a numbered set of programs.
type Space interface {
	Name() string
	Size() uint64
	// Program returns the program with a number, or nil if it equals a program with another number.
	Program(n uint64) Program
	// Random draws a number.
	Random(r *rand.Rand) uint64
}

// A Batch is a list of programs that are compiled together, and their operands. The same list and
// seed make the same modules.
type Batch struct {
	Programs []Program
	Seed     uint64
	Rows     int
	// Packing is how the programs are put into functions; 0: each way for some of them.
	Packing Packing

	rows   []row
	memory []byte
	spans  []span
	bytes  int64 // of results
}

// A Packing is a way to put programs into functions.
type Packing int

const (
	Mixed    Packing = iota
	Late             // tens of programs in a function; each loads its operands
	InFrame          // the same, with scratch memory in the frame
	Early            // several in a function, which loads all operands first
	Single           // one in a function, which loads its operands
	AsParams         // one in a function whose parameters are the operands, and which returns its result
	numPackings
)

func (p Packing) String() string {
	return []string{"mixed", "many in a function", "many in a function, scratch memory in its frame",
		"operands loaded first", "a function of its own", "a function with parameters and result"}[p]
}

// A span is the function of some programs, and the place of their results: the results of each row
// follow those of the previous row.
type span struct {
	fn     *ir.Func
	first  int // program
	n      int
	at     int64
	stride int64
}

// pattern is the initial contents of the memory for results.
func pattern(i int64) byte { return byte(i*37 + i>>8*11 + 0x5b) }

// begin draws the operands and lays out memory.
func (b *Batch) begin() {
	r := rand.New(rand.NewPCG(b.Seed, 14))
	b.memory = make([]byte, rowsAddr-ir.DataBase)
	for i := range b.memory[objectAddr-ir.DataBase:] {
		b.memory[objectAddr-ir.DataBase+i] = pattern(int64(i) + 5)
	}
	for i := range tableLen {
		b.memory[tableAddr-ir.DataBase+8*i] = byte(100 + i)
	}
	b.rows = make([]row, b.Rows)
	for i := range b.rows {
		b.rows[i] = drawRow(r)
		b.memory = b.rows[i].append(b.memory)
	}
}

func (b *Batch) resultsAddr() int64 { return rowsAddr + int64(b.Rows)*rowBytes }

// Module makes a module of the programs. Its entry runs each program for every row.
func (b *Batch) Module() *ir.Module {
	if b.memory == nil {
		b.begin()
	}
	mod := irtest.NewModule(nil, 0)
	addTraps(mod)
	m := maker{Batch: b, mod: mod, main: irtest.NewFunc(mod, "main", ir.Sig{})}
	mod.Entry = m.main.F
	m.guard()
	m.loop()
	b.spans, b.bytes = b.spans[:0], 0
	m.programs()
	m.main.Return()
	mod.Data = b.memory[:len(b.memory):len(b.memory)]
	for i := range b.bytes {
		mod.Data = append(mod.Data, pattern(i))
	}
	return mod
}

// maker makes one module.
type maker struct {
	*Batch
	mod              *ir.Module
	main             *irtest.Builder
	guarded, eachRow *ir.Func
}

var programSig = ir.Sig{Params: []ir.Type{ir.Ptr, ir.Ptr}}

// addTraps gives a module functions for its traps; they continue after the program that trapped.
func addTraps(mod *ir.Module) {
	for k := range ir.Traps {
		info := &ir.Traps[k]
		f := irtest.NewFunc(mod, info.Func, ir.Sig{})
		for range info.Args {
			f.F.Sig.Params = append(f.F.Sig.Params, ir.I64)
		}
		f.Args()
		f.Add(ir.OpUnwind, ir.Void, 0, f.Add(ir.OpLoad, ir.I64, 0, f.Const(ir.Ptr, frameAddr)))
		f.B.Kind = ir.BlockUnreachable
		mod.Runtime[info.Func] = f.F
	}
}

// guard makes the function that calls a program's function and returns whether or not it traps.
func (m *maker) guard() {
	b := irtest.NewFunc(m.mod, "guard", ir.Sig{Params: []ir.Type{ir.I64, ir.Ptr, ir.Ptr}})
	b.F.Flags |= ir.HasDefer
	args := b.Args()
	b.Add(ir.OpStore, ir.Void, 0, b.Const(ir.Ptr, frameAddr), b.Add(ir.OpFrameID, ir.I64, 0))
	b.Add(ir.OpStore, ir.Void, 0, b.Const(ir.Ptr, placeAddr), args[2])
	call := b.Add(ir.OpCallIndex, ir.Void, 0, args...)
	sig := programSig
	call.Sig = &sig
	b.Return()
	b.B = b.F.NewBlock()
	b.F.Recover = b.B
	out := b.Add(ir.OpLoad, ir.Ptr, 0, b.Const(ir.Ptr, placeAddr))
	b.Add(ir.OpStore, ir.Void, 0, out, b.Const(ir.I64, trapped))
	b.Return()
	m.guarded = b.F
}

// loopGas is the charge at the head of the loop over rows.
const loopGas = 3

// loop makes the function that calls a program's function for all rows.
func (m *maker) loop() {
	b := irtest.NewFunc(m.mod, "loop", ir.Sig{Params: []ir.Type{ir.I64, ir.Ptr, ir.I64}})
	args := b.Args()
	n, one := b.Const(ir.I64, int64(m.Rows)), b.Const(ir.I64, 1)
	rows, zero := b.Const(ir.Ptr, rowsAddr), b.Const(ir.I64, 0)
	head := &irtest.Builder{F: b.F, B: b.F.NewBlock()}
	b.Jump(head.B)
	i := head.Add(ir.OpPhi, ir.I64, 0, zero)
	head.Add(ir.OpGasLoop, ir.Void, loopGas)
	body, end := head.If(head.Add(ir.OpLtS, ir.I8, 0, i, n))
	end.Return()
	at := body.Add(ir.OpPtrIdx, ir.Ptr, rowBytes, rows, i)
	to := body.Add(ir.OpPtrAdd, ir.Ptr, 0, args[1], body.Add(ir.OpMul, ir.I64, 0, i, args[2]))
	body.Call(m.guarded, args[0], at, to)
	i.Args = append(i.Args, body.Add(ir.OpAdd, ir.I64, 0, i, one))
	body.Jump(head.B)
	m.eachRow = b.F
}

// programs makes the functions.
func (m *maker) programs() {
	var group []int
	packing := Late
	flush := func() {
		if len(group) > 0 {
			m.function(packing, group)
			group = group[:0]
			packing = Late + (packing-Late+1)%(Early-Late+1)
		}
	}
	for i, p := range m.Batch.Programs {
		way := m.Packing
		switch {
		case way == Mixed && i%128 == 127, p.Traps():
			way = Single
		case way == Mixed && i%128 == 63:
			way = AsParams
		}
		if way == AsParams && p.Result() == ir.Void {
			way = Single
		}
		if way != Mixed {
			m.function(way, []int{i})
			continue
		}
		if len(group) > 0 && group[len(group)-1] != i-1 {
			flush() // programs of one function are consecutive
		}
		group = append(group, i)
		if packing == Early && len(group) == 8 || len(group) == 63 {
			flush()
		}
	}
	flush()
}

// function makes the function of consecutive programs, and a call of it in main.
func (m *maker) function(way Packing, group []int) {
	b := irtest.NewFunc(m.mod, fmt.Sprintf("p%d", group[0]), programSig)
	args := b.Args()
	s := &Site{Builder: *b, row: args[0], out: args[1], local: way == InFrame || way == Early}
	switch way {
	case Early:
		for i := range variables {
			s.Variable(&variables[i])
		}
	case AsParams:
		m.params(s, m.Batch.Programs[group[0]])
	}
	sp := span{fn: b.F, first: group[0], n: len(group), at: m.bytes}
	for _, i := range group {
		p := m.Batch.Programs[i]
		if way != Early && way != AsParams {
			s.vars = [len(variables)]*ir.Value{}
		}
		if way != AsParams {
			s.at = sp.stride
			p.Build(s)
		}
		sp.stride += (p.Bytes() + 7) &^ 7
	}
	s.Return()
	m.bytes += sp.stride * int64(m.Rows)
	m.spans = append(m.spans, sp)
	c := m.main
	c.Call(m.eachRow, c.Const(ir.I64, int64(b.F.Index)), c.Const(ir.Ptr, m.resultsAddr()+sp.at),
		c.Const(ir.I64, sp.stride))
}

// params makes a function with a program's variables as parameters, and a call of it.
func (m *maker) params(s *Site, p Program) {
	// The values that the program loads from its row become parameters.
	var returned *ir.Value
	b := irtest.NewFunc(m.mod, "params", ir.Sig{Results: []ir.Type{p.Result()}})
	probe := &Site{Builder: *b, returned: &returned}
	used := usedBy(p)
	var args []*ir.Value
	for i := range variables {
		if v := &variables[i]; used[i] {
			probe.vars[i] = b.Add(ir.OpArg, v.typ, int64(len(args)))
			b.F.Sig.Params = append(b.F.Sig.Params, v.typ)
			args = append(args, s.Variable(v))
		}
	}
	p.Build(probe)
	probe.Return(returned)
	s.Result(0, s.Call(b.F, args...))
}

// usedBy returns which variables a program uses.
func usedBy(p Program) (used [len(variables)]bool) {
	mod := irtest.NewModule(nil, 0)
	b := irtest.NewFunc(mod, "probe", programSig)
	args := b.Args()
	s := &Site{Builder: *b, row: args[0], out: args[1]}
	p.Build(s)
	for i := range s.vars {
		used[i] = s.vars[i] != nil
	}
	return used
}
