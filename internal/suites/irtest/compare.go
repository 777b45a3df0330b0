package irtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// trapAddr is where trap functions of random modules store their arguments.
const trapAddr = ResultAddr + 1024

// trapEnd is the end of that area and of preempt's notes. Both lie after the modules' own results,
// or among them.
const trapEnd = trapAddr + 1024

// Numbers of host functions.
const (
	hostExit = iota
	hostTraceGas
	hostCallers
	hostKernels // those of Kernels
)

var hosts = append([]ir.Primitive{
	hostExit:     {Name: "exit", Sig: ir.Sig{Params: []ir.Type{ir.I32}}},
	hostTraceGas: {Name: "tracegas", Sig: ir.Sig{Results: []ir.Type{ir.I64}}},
	hostCallers: {Name: "callers", Sig: ir.Sig{Params: []ir.Type{ir.I64, ir.I64, ir.Ptr, ir.I64},
		Results: []ir.Type{ir.I64}}},
}, kernelPrimitives()...)

// AddTraps gives a module functions for its traps, which store the trap's number and operands and
// exit.
func AddTraps(mod *ir.Module) {
	mod.Primitives = hosts
	if mod.Runtime == nil {
		mod.Runtime = map[string]*ir.Func{}
	}
	addPreempt(mod)
	for k := range ir.Traps {
		info := &ir.Traps[k]
		f := NewFunc(mod, info.Func, ir.Sig{})
		mod.Runtime[info.Func] = f.F
		p := f.Const(ir.Ptr, trapAddr)
		f.Add(ir.OpStore, ir.Void, 0, p, f.Const(ir.I64, int64(k)+1))
		for i := 0; i < info.Args; i++ {
			f.F.Sig.Params = append(f.F.Sig.Params, ir.I64)
			f.Add(ir.OpStore, ir.Void, int64(8+8*i), p, f.Add(ir.OpArg, ir.I64, int64(i)))
		}
		zero := f.Const(ir.I64, 0)
		f.Host(hostCallers, zero, zero, f.Const(ir.Ptr, trapAddr+24), f.Const(ir.I64, 1))
		f.Host(hostExit, f.Const(ir.I32, 7))
		f.B.Kind = ir.BlockUnreachable
	}
}

// preemptAddr is where preempt counts its calls, and after the count notes the gas of the first
// calls.
const (
	preemptAddr = trapAddr + 64
	maxPreempts = 100
)

// addPreempt gives a module the function that is called at the end of a quantum.
func addPreempt(mod *ir.Module) {
	f := NewFunc(mod, "preempt", ir.Sig{})
	mod.Runtime["preempt"] = f.F
	g := f.Host(hostTraceGas)
	p := f.Const(ir.Ptr, preemptAddr)
	n := f.Add(ir.OpLoad, ir.I64, 0, p)
	last := f.Const(ir.I64, maxPreempts)
	at := f.Add(ir.OpSelect, ir.I64, 0, f.Add(ir.OpLtS, ir.I8, 0, n, last), n, last)
	q := f.Add(ir.OpPtrIdx, ir.Ptr, 8, p, at)
	q.Aux2 = 8
	f.Add(ir.OpStore, ir.Void, 0, q, g)
	f.Add(ir.OpStore, ir.Void, 0, p, f.Add(ir.OpAdd, ir.I64, 0, n, f.Const(ir.I64, 1)))
	f.Return()
}

// A Machine is the part of a tier that Compare needs.
type Machine interface {
	Run() rt.Status
	GasUsed() int64
	Callers(stk uint32, skip int, buf []uint64) int
}

// A Start makes a tier's machine for an instance of a module, with a quantum and, if slice is not
// 0, a poll every slice units. i is the number of the module in its test, by which a tier varies
// its options. A base gets a program of its own.
type Start func(vm *rt.VM, i int, quantum, slice int64) (Machine, error)

// TestRandom compares random modules with the evaluator: results, memory, gas,
// traps, with and without a gas limit.
func (start Start) TestRandom(t *testing.T) {
	daily.Drawn(t, "seed")
	for i := range *seeds {
		seed, size := *seed0+uint64(i), []int{3, 10, 40, 120}[i%4]
		random := func() *ir.Module { return Random(seed, size, i%2 == 0) }
		gas := int64(0)
		ok := t.Run("", func(t *testing.T) { gas = start.Compare(t, random(), i, 0) })
		if ok && i%3 == 0 && gas > 1 {
			ok = t.Run("", func(t *testing.T) { start.Compare(t, random(), i, 1+int64(seed*2654435761>>1)%gas) })
		}
		if !ok {
			t.Fatalf("module %d: seed %d size %d traps %v", i, seed, size, i%2 == 0)
		}
	}
}

var (
	seeds = flag.Int("seeds", 400, "random modules to compare")
	seed0 = daily.Seed("seed", "first seed")
)

// TestOperations compares the cases of all operations with the evaluator, with the options of
// module number i: only the cases with addresses, or all.
func (start Start) TestOperations(t *testing.T, i int, addrs bool) {
	for _, c := range Operations() {
		if addrs && !c.Addrs {
			continue
		}
		t.Run(c.Name, func(t *testing.T) { start.Compare(t, c.Mod, i, c.Limit) })
	}
}

// TestText compares a module in text form, whose memory is 5000 bytes.
func (start Start) TestText(t *testing.T, text string, i int) {
	t.Helper()
	mod, err := ir.ParseModule("data 5000\n" + text + "\nentry @main\n")
	if err != nil {
		t.Fatal(err)
	}
	start.Compare(t, mod, i, 0)
}

// Compare runs a module in a tier and in the evaluator: results, memory, gas, traps and preemptions
// must be the same. It returns the gas. It does not compare a module whose evaluation does not end.
func (start Start) Compare(t testing.TB, mod *ir.Module, i int, limit int64) (gas int64) {
	t.Helper()
	word := func(vm *rt.VM, addr uint64) uint64 {
		b, ok := vm.Space.Bytes(addr, 8)
		if !ok {
			t.Fatalf("no memory at %#x", addr)
		}
		return binary.LittleEndian.Uint64(b)
	}
	e := NewEval(mod)
	e.Limit = limit
	e.Quantum = 1 + (limit+int64(len(mod.Func(1).Blocks))*37)%1000
	_, err := e.Call(mod.Entry, nil)
	if errors.Is(err, ErrSteps) {
		return 0
	}
	for _, f := range mod.Funcs()[1:] {
		f.ExpandCounts() // as phase B does for back ends
	}
	if mod.Base == nil {
		AddTraps(mod)
	} else if err := ir.VerifyModule(mod.Base); err != nil {
		t.Fatal(err)
	}
	if err := ir.VerifyModule(mod); err != nil {
		t.Fatal(err)
	}
	vm, verr := rt.New(mod, rt.Config{Config: api.Config{Gas: limit}})
	if verr != nil {
		t.Fatal(verr)
	}
	defer vm.Close()
	slice := int64(0)
	if len(mod.Sites)%2 == 0 {
		slice = 1
	}
	m, merr := start(vm, i, e.Quantum, slice)
	if merr != nil {
		t.Fatal(merr)
	}
	st := m.Run()
	want := rt.Exit
	var trap *Trap
	switch {
	case err == nil:
	case errors.As(err, &trap):
		n := word(vm, trapAddr)
		if n != uint64(trap.Kind)+1 {
			t.Fatalf("trap %d, want %v", int64(n)-1, err)
		}
		for i, x := range trap.Args {
			if got := word(vm, trapAddr+8+8*uint64(i)); got != x {
				t.Fatalf("operand %d of the trap is %#x, want %v", i, got, trap)
			}
		}
		if e.Mod.Sites != nil {
			if got, want := word(vm, trapAddr+24), ir.SitePC(siteAt(mod, trap.Pos)); got != want {
				t.Fatalf("the trap is at %#x, want %#x", got, want)
			}
		}
	case errors.Is(err, ErrGas):
		want = rt.OutOfGas
		if e.Mod.Sites != nil && e.Failed != 0 {
			var pc [1]uint64
			m.Callers(0, 0, pc[:])
			if want := ir.SitePC(siteAt(mod, e.Failed)); pc[0] != want {
				t.Fatalf("out of gas at %#x, want %#x", pc[0], want)
			}
		}
	default:
		t.Fatal(err)
	}
	if st != want {
		t.Fatalf("status %d (%v), want %d (%v)", st, vm.Finish(st), want, err)
	}
	if m.GasUsed() != e.Gas {
		t.Fatalf("gas %d, want %d", m.GasUsed(), e.Gas)
	}
	if got, want := word(vm, preemptAddr), uint64(len(e.Preempts)); got != want {
		t.Fatalf("preempted %d times, want %d", got, want)
	}
	for i, want := range e.Preempts[:min(len(e.Preempts), maxPreempts)] {
		if got := word(vm, preemptAddr+8+8*uint64(i)); got != uint64(want) {
			t.Fatalf("preempted at %d, want %d", got, want)
		}
	}
	counts, cerr := vm.Space.Counters(mod.Counters)
	if cerr != nil || !slices.Equal(counts, e.Counts) {
		t.Fatalf("counts %d (%v), want %d", counts, cerr, e.Counts)
	}
	size := uint64(len(mod.Data)) + uint64(mod.BSS)
	got, _ := vm.Space.Bytes(ir.DataBase, size)
	got = slices.Clone(got)
	// The evaluator does not have what the traps' functions wrote.
	at := func(addr uint64) uint64 { return min(addr-ir.DataBase, size) }
	copy(got[at(trapAddr):at(trapEnd)], e.Mem[at(trapAddr):])
	if !bytes.Equal(got, e.Mem[:size]) {
		bad := 0
		for i := uint64(0); i < size && bad < 20; i += 8 {
			if j := min(i+8, size); !bytes.Equal(got[i:j], e.Mem[i:j]) {
				t.Errorf("memory at %#x: %x, want %x", ir.DataBase+i, got[i:j], e.Mem[i:j])
				bad++
			}
		}
		t.FailNow()
	}
	return e.Gas
}

// siteAt returns the site of a position.
func siteAt(mod *ir.Module, p ir.Pos) int32 {
	e, _ := mod.Position(p)
	return e.Site
}
