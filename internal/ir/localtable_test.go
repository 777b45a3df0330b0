package ir

import (
	"fmt"
	"slices"
	"testing"
)

// TestLocalTable: locals with pointers come first, each is found by its offset, and the live
// pointers at a safepoint are runs; equal runs are kept once.
func TestLocalTable(t *testing.T) {
	mod, err := ParseModule(localsHead + `func @f () -> () flags hasdefer {
  recover b2
  local 0 "bytes" size 20 align 4
  local 1 "pair" size 24 align 8 ptrs 0x5
  local 2 "one" size 8 align 8 ptrs 0x1
b0:
  v1 = localaddr ptr [1]
  v2 = localaddr ptr [2]
  gasloop [1]
  clear v1 [24]
  clear v2 [8]
  gasloop [2]
  call @user v2 : (ptr) -> ()
  gasloop [3]
  ret
b2:
  v5 = localaddr ptr [1]
  v6 = load ptr v5 [16]
  call @user v6 : (ptr) -> ()
  ret
}
entry @f
`)
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Func(2)
	f.FixRoots()
	offs, size := f.LocalOffsets()
	if got, want := fmt.Sprint(offs, size), "[40 0 32] 64"; got != want {
		t.Errorf("offsets %s, want %s", got, want)
	}
	tab := NewLocalTabler(f, offs)
	if n := tab.Zeroed(); n != 24 { // up to what the recovery block loads
		t.Errorf("%d bytes are zeroed, want 24", n)
	}
	var at []LocalRun
	add := func(v *Value, kept ...int32) {
		from, n := tab.At(v, kept)
		at = append(at, LocalRun{from, n})
	}
	add(nil)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.HasEffect(Safepoint) {
				add(v)
			}
			if v.Op == OpGasLoop && v.Aux == 3 {
				add(v, 2) // a keep names the local
				add(v, 0) // one without pointers
			}
		}
	}
	table := tab.Table()
	if got, want := fmt.Sprint(table.Ptrs, table.Spans), "[{0 0 0} {16 0 0} {32 0 0}] [{0 24 {0 2}} {32 40 {2 3}}]"; got != want {
		t.Errorf("pointers and spans %s, want %s", got, want)
	}
	got := ""
	for _, r := range at {
		got += fmt.Sprint(table.Runs[r.From : r.From+r.To])
	}
	if want := "[{0 2}][{0 2}][{0 3}][{0 2}][{0 2}][{0 3}][{0 2}][{0 2}]"; got != want {
		t.Errorf("live %s, want %s", got, want)
	}
	if len(table.Runs) != 2 {
		t.Errorf("%d runs are kept", len(table.Runs))
	}

	tab = NewLocalTabler(mod.Func(1), nil)
	if r, n := tab.At(nil, nil); r != 0 || n != 0 || tab.Zeroed() != 0 || tab.Table().Ptrs != nil {
		t.Error("a function without locals has a table")
	}
}

// TestLocalTableOfMany: a table holds the mask of a local that has many pointers, not the pointers. Neighbouring locals of one type
// share a mask.
func TestLocalTableOfMany(t *testing.T) {
	mod, err := ParseModule(localsHead + `func @f () -> () {
  local 0 "x" size 1048576 align 8
  local 1 "x" size 1048576 align 8
  local 2 "x" size 524288 align 8
  local 3 "x" size 16 align 8
  local 4 "x" size 524288 align 8
b0:
  v1 = localaddr ptr [1]
  v3 = localaddr ptr [3]
  gasloop [1]
  call @user v3 : (ptr) -> ()
  call @user v1 : (ptr) -> ()
  ret
}
entry @f
`)
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Func(2)
	for i := range f.Locals {
		l := &f.Locals[i]
		l.Ptrs = slices.Repeat([]uint64{0x5555555555555555}, int(l.Size+511)/512)
	}
	f.Locals[3].Ptrs[0] = 3
	f.FixRoots()
	offs, _ := f.LocalOffsets()
	tab := NewLocalTabler(f, offs)
	run, n := tab.At(f.Blocks[0].Values[2], nil)
	table := tab.Table()
	want := "[{0 0 2048} {1048584 0 2048} {2097168 2048 1024} {2621464 0 0} {2621472 0 0} {2621488 2048 1024}]"
	if got := fmt.Sprint(table.Ptrs); got != want {
		t.Errorf("pointers %s, want %s", got, want)
	}
	if len(table.Masks) != 3<<10 || len(table.Spans) != 5 {
		t.Errorf("%d words of masks, %d spans", len(table.Masks), len(table.Spans))
	}
	if got, want := fmt.Sprint(table.Runs[run:run+n]), "[{1 2} {3 5}]"; got != want {
		t.Errorf("live %s, want %s", got, want)
	}
}
