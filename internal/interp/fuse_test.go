package interp

import (
	"testing"

	"github.com/gyrvm/gyr/internal/rt"
)

// TestPairsOfOneHeader: the same two words loaded several times, as a function
// reads that swaps elements of a captured slice.
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
`), rt.Config{}, Config{})
	if st := m.Run(); st != rt.Exit {
		t.Fatalf("status %d: %v", st, m.vm.Finish(st))
	}
	for i, want := range []uint64{21, 7, 7, 7} {
		if got := m.testWord(t, 0x10020+8*uint64(i)); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
}
