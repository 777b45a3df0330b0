package irtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/rt"
)

// trapAddr is where trap functions of random modules leave what they got.
const trapAddr = ResultAddr + 1024

// AddTraps gives a module functions for its traps, which store the trap's number
// and operands and exit.
func AddTraps(mod *ir.Module) {
	mod.Hosts = []ir.HostFunc{{Name: "exit", Sig: ir.Sig{Params: []ir.Type{ir.I32}}}, {Name: "tracegas", Sig: ir.Sig{Results: []ir.Type{ir.I64}}},
		{Name: "callers", Sig: ir.Sig{Params: []ir.Type{ir.I64, ir.I64, ir.Ptr, ir.I64}, Results: []ir.Type{ir.I64}}}}
	if mod.Runtime == nil {
		mod.Runtime = map[string]*ir.Func{}
	}
	addPreempt(mod)
	for k := range ir.Traps {
		info := &ir.Traps[k]
		f := &ir.Func{Name: info.Func, Index: int32(len(mod.Funcs)), Module: mod}
		mod.Funcs = append(mod.Funcs, f)
		mod.Runtime[info.Func] = f
		b := f.NewBlock()
		add := func(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
			v := f.NewValue(op, t, args...)
			v.Aux = aux
			return b.Append(v)
		}
		p := add(ir.OpConst, ir.Ptr, trapAddr)
		add(ir.OpStore, ir.Void, 0, p, add(ir.OpConst, ir.I64, int64(k)+1))
		for i := 0; i < info.Args; i++ {
			f.Sig.Params = append(f.Sig.Params, ir.I64)
			add(ir.OpStore, ir.Void, int64(8+8*i), p, add(ir.OpArg, ir.I64, int64(i)))
		}
		zero := add(ir.OpConst, ir.I64, 0)
		call := add(ir.OpHost, ir.I64, 2, zero, zero, add(ir.OpConst, ir.Ptr, trapAddr+24), add(ir.OpConst, ir.I64, 1))
		call.Sig = &mod.Hosts[2].Sig
		h := add(ir.OpHost, ir.Void, 0, add(ir.OpConst, ir.I32, 7))
		h.Sig = &mod.Hosts[0].Sig
		b.Kind = ir.BlockUnreachable
	}
}

// preemptAddr is where preempt counts its calls, and then notes the gas of the first of them.
const (
	preemptAddr = trapAddr + 64
	maxPreempts = 100
)

// addPreempt gives a module the function that is called when the quantum ends.
func addPreempt(mod *ir.Module) {
	f := &ir.Func{Name: "preempt", Index: int32(len(mod.Funcs)), Module: mod}
	mod.Funcs = append(mod.Funcs, f)
	mod.Runtime["preempt"] = f
	b := f.NewBlock()
	add := func(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
		v := f.NewValue(op, t, args...)
		v.Aux = aux
		return b.Append(v)
	}
	g := add(ir.OpHost, ir.I64, 1)
	g.Sig = &mod.Hosts[1].Sig
	p := add(ir.OpConst, ir.Ptr, preemptAddr)
	n := add(ir.OpLoad, ir.I64, 0, p)
	last := add(ir.OpConst, ir.I64, maxPreempts)
	at := add(ir.OpSelect, ir.I64, 0, add(ir.OpLtS, ir.I8, 0, n, last), n, last)
	q := add(ir.OpPtrIdx, ir.Ptr, 8, p, at)
	q.Aux2 = 8
	add(ir.OpStore, ir.Void, 0, q, g)
	add(ir.OpStore, ir.Void, 0, p, add(ir.OpAdd, ir.I64, 0, n, add(ir.OpConst, ir.I64, 1)))
	b.Kind = ir.BlockReturn
}

// A Machine is what Compare needs of a tier.
type Machine interface {
	Run() rt.Status
	GasUsed() int64
	Callers(stk uint32, skip int, buf []uint64) int
}

// Compare runs a module by a tier and by the evaluator: results, memory, gas, traps
// and preemptions must be the same. start makes the tier's machine with a quantum
// and, if slice is not 0, a poll after so many units.
func Compare(t testing.TB, mod *ir.Module, limit int64, start func(vm *rt.VM, quantum, slice int64) (Machine, error)) {
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
	e.Quantum = 1 + (limit+int64(len(mod.Funcs[1].Blocks))*37)%1000
	_, err := e.Call(mod.Entry, nil)
	if errors.Is(err, ErrSteps) {
		return
	}
	AddTraps(mod)
	if err := ir.VerifyModule(mod); err != nil {
		t.Fatal(err)
	}
	vm, verr := rt.New(mod, rt.Config{Gas: limit})
	if verr != nil {
		t.Fatal(verr)
	}
	defer vm.Close()
	slice := int64(0)
	if len(mod.Sites)%2 == 0 {
		slice = 1
	}
	m, merr := start(vm, e.Quantum, slice)
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
			if got, want := word(vm, trapAddr+24), ir.SitePC(mod.Pos[trap.Pos].Site); got != want {
				t.Fatalf("the trap is at %#x, want %#x", got, want)
			}
		}
	case errors.Is(err, ErrGas):
		want = rt.OutOfGas
		if e.Mod.Sites != nil {
			var pc [1]uint64
			m.Callers(0, 0, pc[:])
			if want := ir.SitePC(mod.Pos[e.Failed].Site); pc[0] != want {
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
	n := uint64(WindowSize + 1024)
	got, _ := vm.Space.Bytes(ir.DataBase, n)
	if !bytes.Equal(got, e.Mem[:n]) {
		for i := 0; i < int(n); i += 8 {
			if !bytes.Equal(got[i:i+8], e.Mem[i:i+8]) {
				t.Errorf("memory at %#x: %x, want %x", ir.DataBase+i, got[i:i+8], e.Mem[i:i+8])
			}
		}
		t.FailNow()
	}
}
