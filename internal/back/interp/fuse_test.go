package interp

import (
	"testing"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// TestPairsOfOneHeader: the same two words are loaded several times, as in a function that swaps
// elements of a captured slice.
func TestPairsOfOneHeader(t *testing.T) {
	m := machine(t, parse(t, `
data 64
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const ptr 0x10020
  v3 = const i64 7
  store v1 v2 [0]
  store v1 v3 [8]
  call @sum v1 : (ptr) -> ()
  ret
}
func @sum (ptr) -> () {
b0:
  v1 = arg ptr [0]
  v2 = load ptr v1 [0]
  v3 = load i64 v1 [8]
  v4 = load ptr v1 [0]
  v5 = load i64 v1 [8]
  v6 = load ptr v1 [0]
  v7 = load i64 v1 [8]
  v8 = add i64 v3 v5
  v9 = add i64 v8 v7
  store v2 v9 [0]
  v10 = load ptr v1 [0]
  v11 = load i64 v1 [8]
  store v4 v11 [8]
  store v6 v3 [16]
  store v10 v5 [24]
  ret
}
entry @main
`), rt.Config{}, Options{})
	if st := m.Run(); st != rt.Exit {
		t.Fatalf("status %d: %v", st, m.VM.Finish(st))
	}
	for i, want := range []uint64{21, 7, 7, 7} {
		if got := m.testWord(t, 0x10020+8*uint64(i)); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
}

// TestNarrowedLoad: a truncated load and the extensions of the truncation share one register, even
// if the selector considered a product in between.
func TestNarrowedLoad(t *testing.T) {
	m := machine(t, parse(t, `
data 64
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 0xfffffffe
  store v1 v2 [0]
  call @product v1 : (ptr) -> ()
  ret
}
func @product (ptr) -> () {
b0:
  v1 = arg ptr [0]
  v2 = load i64 v1 [0]
  v3 = trunc i32 v2
  v4 = load i64 v1 [8]
  v5 = const i64 5
  v6 = add i64 v4 v5
  v7 = sext i64 v3
  v8 = mul i64 v6 v7
  v9 = trunc i32 v8
  v10 = ltu i8 v9 v3
  if v10 b1 b2
b1: <- b0
  store v1 v5 [24]
  jump b2
b2: <- b0 b1
  store v1 v8 [16]
  ret
}
entry @main
`), rt.Config{}, Options{})
	if st := m.Run(); st != rt.Exit {
		t.Fatalf("status %d: %v", st, m.VM.Finish(st))
	}
	for i, want := range map[uint64]uint64{2: 1<<64 - 10, 3: 5} {
		if got := m.testWord(t, 0x10000+8*i); got != want {
			t.Errorf("word %d is %#x, want %#x", i, got, want)
		}
	}
}
