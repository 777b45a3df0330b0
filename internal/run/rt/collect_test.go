package rt

import (
	"context"
	"fmt"

	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

// newCell allocates {next, value}.
func newCell(t testing.TB, vm *VM, next uint32, value uint64) uint32 {
	t.Helper()
	p, st := vm.Alloc(cell, 16)
	if st != OK {
		t.Fatalf("alloc: status %d, %v", st, vm.Err)
	}
	put64(t, vm, uint64(p), uint64(next))
	put64(t, vm, uint64(p)+8, value)
	return p
}

func isObject(t testing.TB, vm *VM, p uint32) bool {
	t.Helper()
	return must(t, vm, "objectof", uint64(p))[0] == uint64(p)
}

// queued drains the queue of specials and returns it as text.
func queued(t testing.TB, vm *VM) string {
	t.Helper()
	var list []string
	for {
		a := must(t, vm, "nextspecial")
		if a[0] == 0 {
			return strings.Join(list, " ")
		}
		s := fmt.Sprintf("%s%d", [...]string{1: "f", 2: "c", 3: "w"}[a[0]], a[1])
		if a[2] != 0 {
			s += "!"
		}
		list = append(list, s)
	}
}

func wantQueue(t testing.TB, vm *VM, want string) {
	t.Helper()
	if got := queued(t, vm); got != want {
		t.Errorf("queue %q, want %q", got, want)
	}
}

func TestRootsKeepObjects(t *testing.T) {
	vm, e := newVM(t, Config{})
	a := newCell(t, vm, 0, 1)
	b := newCell(t, vm, a, 2)
	c := newCell(t, vm, 0, 3)
	d := newCell(t, vm, 0, 4)
	put64(t, vm, rootAt, uint64(b))
	e.roots = []uint32{c + 8} // an interior pointer
	must(t, vm, "gc")
	for p, want := range map[uint32]bool{a: true, b: true, c: true, d: false} {
		if isObject(t, vm, p) != want {
			t.Errorf("object %#x: alive %v", p, !want)
		}
	}
	if o := must(t, vm, "objectof", uint64(c)+15); o[0] != uint64(c) || o[1] != 16 {
		t.Errorf("objectof: %#x", o[:2])
	}
	if o := must(t, vm, "objectof", 0xffffffff); o[0] != 0 || o[1] != 0 {
		t.Errorf("objectof nothing: %#x", o[:2])
	}
}

func TestFinalizers(t *testing.T) {
	vm, e := newVM(t, Config{})
	vm.Mod.Vars = map[string]uint32{SpecialsFlag: flagsAt, OthersFlag: flagsAt + 4}
	// b -> a, both with finalizers: b's runs first, then a's. a's weak pointer is cleared when a's
	// finalizer is queued; the cleanup runs when the object is gone.
	a := newCell(t, vm, 0, 1)
	b := newCell(t, vm, a, 2)
	for _, s := range [][3]uint64{
		{uint64(a), specialCleanup, 1}, {uint64(a), specialFinalizer, 2}, {uint64(a), specialWeak, 3},
		{uint64(b), specialFinalizer, 4}, {uint64(b), specialWeak, 5},
	} {
		if must(t, vm, "addspecial", s[0], s[1], s[2])[0] != 1 {
			t.Fatal("addspecial")
		}
	}
	e.roots = []uint32{b}
	must(t, vm, "gc")
	wantQueue(t, vm, "")
	if get64(t, vm, flagsAt) != 0 {
		t.Error("flags without a reason")
	}
	e.roots = nil
	must(t, vm, "gc")
	if get64(t, vm, flagsAt) != 1<<32+1 {
		t.Error("no flags")
	}
	// The object of a queued finalizer stays until the guest has fetched it.
	must(t, vm, "gc")
	if !isObject(t, vm, b) || !isObject(t, vm, a) {
		t.Fatal("a finalizer's object is gone")
	}
	wantQueue(t, vm, "w5 f4!")
	must(t, vm, "gc")
	if isObject(t, vm, b) {
		t.Error("b lives for ever")
	}
	wantQueue(t, vm, "w3 f2!")
	if !isObject(t, vm, a) {
		t.Error("a is gone before its finalizer")
	}
	must(t, vm, "gc")
	wantQueue(t, vm, "c1")
	if isObject(t, vm, a) {
		t.Error("a lives for ever")
	}
	must(t, vm, "gc")
	wantQueue(t, vm, "")
}

func TestSpecialsInOrder(t *testing.T) {
	vm, _ := newVM(t, Config{})
	var cells []uint32
	for i := range uint64(4) {
		cells = append(cells, newCell(t, vm, 0, i))
	}
	for _, i := range []int{2, 0, 3, 1} {
		must(t, vm, "addspecial", uint64(cells[i]), specialCleanup, uint64(10+i))
		must(t, vm, "addspecial", uint64(cells[i]), specialWeak, uint64(20+i))
	}
	must(t, vm, "removespecial", uint64(cells[3]), specialCleanup, 13)
	must(t, vm, "removespecial", uint64(cells[3]), specialCleanup, 13)
	must(t, vm, "removespecial", 5, 1<<40, 13)
	must(t, vm, "gc")
	wantQueue(t, vm, "w20 c10 w21 c11 w22 c12 w23")
	if a := must(t, vm, "addspecial", rootAt, specialWeak, 1); a[0] != 0 {
		t.Error("a special of what is no object")
	}
}

func TestCyclesWithFinalizersStay(t *testing.T) {
	vm, _ := newVM(t, Config{})
	a := newCell(t, vm, 0, 1)
	b := newCell(t, vm, a, 2)
	put64(t, vm, uint64(a), uint64(b))
	must(t, vm, "addspecial", uint64(a), specialFinalizer, 1)
	for range 3 {
		must(t, vm, "gc")
	}
	wantQueue(t, vm, "") // as in Go: the finalizer's object is reachable from itself
	if !isObject(t, vm, a) {
		t.Error("gone")
	}
}

func TestAllocCollects(t *testing.T) {
	vm, _ := newVM(t, Config{})
	for i := range uint64(20000) {
		if a := must(t, vm, "malloc", 4096, 0, 0); a[0] == 0 || a[0]%8 != 0 {
			t.Fatalf("round %d: %#x", i, a[0])
		}
	}
	if s := vm.Stats(); s.Collections < 10 {
		t.Errorf("%d collections", s.Collections)
	}
	if _, st := call(vm, "malloc", 1<<40, 0, 0); st != OutOfMemory {
		t.Errorf("status %d", st)
	}
}

func TestMemoryLimit(t *testing.T) {
	vm, _ := newVM(t, Config{Config: api.Config{Memory: 2 << 20}})
	last := uint32(0)
	var st Status
	n := 0
	for ; n < 1<<20; n++ {
		var p uint32
		if p, st = vm.Alloc(cell, 1024); st != OK {
			break
		}
		put64(t, vm, uint64(p), uint64(last))
		last = p
		put64(t, vm, rootAt, uint64(p))
	}
	if st != OutOfMemory || n < 1500 || n > 2048 {
		t.Errorf("status %d after %d objects of 1 KiB", st, n)
	}
	if st := vm.Charge(1 << 30); st != OutOfMemory {
		t.Errorf("charge: status %d", st)
	}
}

func TestStressAndPoisonChangeNoAddress(t *testing.T) {
	trace := func(debug Debug) (s string) {
		vm, e := newVM(t, Config{Debug: debug})
		for i := range uint64(300) {
			p := newCell(t, vm, 0, i)
			if i%10 == 0 {
				e.roots = append(e.roots, p)
			}
			for j, r := range e.roots {
				if get64(t, vm, uint64(r)+8) != uint64(j)*10 {
					t.Fatalf("%v: an object was lost", debug)
				}
			}
		}
		return fmt.Sprint(vm.Stats().Collections)
	}
	if got := trace(Debug{}); got != "0" {
		t.Errorf("%s collections", got)
	}
	if got := trace(Debug{GCStress: 1, Poison: true}); got != "300" {
		t.Errorf("%s collections", got)
	}
	if got := trace(Debug{GCStress: 10}); got != "30" {
		t.Errorf("%s collections", got)
	}
	if got := trace(Debug{GCStress: StressSlowPaths}); got == "0" {
		t.Errorf("%s collections", got)
	}
}

func TestACollectionEndsWithTheContext(t *testing.T) {
	vm, e := newVM(t, Config{})
	var list uint32
	for i := range uint64(50000) {
		list = newCell(t, vm, list, i)
		e.roots = []uint32{list}
	}
	ctx, cancel := context.WithCancel(context.Background())
	vm.SetContext(ctx)
	e.onMark = cancel
	if _, st := call(vm, "gc"); st != Interrupted {
		t.Errorf("status %d", st)
	}
}

func TestCollectingAllocatesNothing(t *testing.T) {
	vm, e := newVM(t, Config{})
	var list uint32
	for i := range uint64(1000) {
		list = newCell(t, vm, list, i)
	}
	e.roots = []uint32{list}
	gc, malloc := Host["gc"], Host["malloc"]
	var a ir.Args
	n := testing.AllocsPerRun(20, func() {
		for range 100 {
			a = ir.Args{64}
			if malloc(vm, &a) != OK {
				t.Error("malloc")
			}
		}
		if gc(vm, &a) != OK {
			t.Error("gc")
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
