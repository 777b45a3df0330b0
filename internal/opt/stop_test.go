package opt

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// stoppable is a function of n conditions after loads, stores and checks, which passes can improve.
func stoppable(t *testing.T, n int) *ir.Func {
	var b strings.Builder
	b.WriteString("func @f (ptr, i64) -> (i64) {\nb0:\n  v0 = arg ptr [0]\n  v1 = arg i64 [1]\n  v2 = const i64 5\n  jump b1\n")
	v := 3
	for i := range n {
		pred := "b0"
		if i > 0 {
			pred = fmt.Sprintf("b%d b%d", 2*i-1, 2*i)
		}
		fmt.Fprintf(&b, "b%d: <- %s\n  nilcheck v0\n  v%d = load i64 v0 [8]\n  v%d = add i64 v%d v2\n  v%d = add i64 v%d v2\n  store v0 v%d [8]\n  v%d = lts i8 v%d v1\n  if v%d b%d b%d\n",
			2*i+1, pred, v, v+1, v, v+2, v+1, v+2, v+3, v+2, v+3, 2*i+2, 2*i+3)
		fmt.Fprintf(&b, "b%d: <- b%d\n  gas [1]\n  v%d = load i64 v0 [8]\n  store v0 v%d [16]\n  jump b%d\n", 2*i+2, 2*i+1, v+4, v+4, 2*i+3)
		v += 5
	}
	fmt.Fprintf(&b, "b%d: <- b%d b%d\n  v%d = load i64 v0 [8]\n  ret v%d\n}\n", 2*n+1, 2*n-1, 2*n, v, v)
	m, err := ir.ParseModule(b.String())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func(m.NumFuncs() - 1)
	f.FixRoots()
	f.FixFrame()
	if err := ir.Verify(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPhaseBWithoutMetering: no charge is left but those of loops, which poll.
func TestPhaseBWithoutMetering(t *testing.T) {
	count := func(f *ir.Func) (charges, loops int) {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				switch v.Op {
				case ir.OpGas, ir.OpGasN:
					if !v.IsLate() { // as those of copies of a loop, for its polls
						charges++
					}
				case ir.OpGasLoop:
					loops++
				}
			}
		}
		return charges, loops
	}
	for _, without := range []bool{false, true} {
		m, err := ir.ParseModule("func @f (i64, ptr) -> () {\nb0:\n  v0 = arg i64 [0]\n  v1 = arg ptr [1]\n  gas [9]\n  jump b1\nb1: <- b0 b1\n  gasloop [7]\n  gasn v0\n  v2 = load i64 v1\n  v3 = lts i8 v2 v0\n  if v3 b1 b2\nb2: <- b1\n  ret\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		f := m.Func(m.NumFuncs() - 1)
		f.FixRoots()
		f.FixFrame()
		if err := PhaseB(f, &Options{NoPass: map[string]bool{Metering: without}}); err != nil {
			t.Fatal(err)
		}
		if charges, loops := count(f); (charges == 0) != without || loops != 1 {
			t.Errorf("without metering: %v: %d charges, %d loops\n%v", without, charges, loops, f)
		}
	}
}

// Phase B ends when told to, and leaves the function unchanged. The next attempt has the same
// result as an undisturbed one.
func TestPhaseBStops(t *testing.T) {
	for _, n := range []int{300, 2500} { // within and above the budget
		want := stoppable(t, n)
		if want.Large() != (n > 1000) {
			t.Fatalf("%d operations", want.Size)
		}
		if err := PhaseB(want, nil); err != nil {
			t.Fatal(err)
		}
		f := stoppable(t, n)
		before, locals := f.String(), len(f.Locals)
		asked := 0
		for stop := 0; ; stop += 1 + stop/4 {
			asked = 0
			cfg := &Options{Stop: func() bool {
				if asked > stop {
					t.Fatal("it was stopped")
				}
				asked++
				return asked > stop
			}}
			err := PhaseB(f, cfg)
			if err == nil {
				break
			}
			if !errors.Is(err, cancel.ErrStopped) {
				t.Fatal(err)
			}
			if asked != stop+1 {
				t.Fatalf("asked %d times, told to stop at %d", asked, stop+1)
			}
			if f.String() != before || len(f.Locals) != locals {
				t.Fatalf("stopped at question %d: another function", stop+1)
			}
			if err := ir.Verify(f); err != nil {
				t.Fatal(err)
			}
			for _, b := range f.Blocks {
				if b.Func != f {
					t.Fatal("a block of another function")
				}
			}
		}
		if f.String() != want.String() {
			t.Errorf("another function than without questions")
		}
		// At least simplify and gvn each visit every operation.
		if least := 2 * want.NumOps() / cancel.Every; asked < least {
			t.Errorf("asked %d times during %d operations, want %d", asked, want.NumOps(), least)
		}
	}
	// A small function is neither copied nor stopped.
	f := stoppable(t, 10)
	if err := PhaseB(f, &Options{Stop: func() bool { return true }}); err != nil {
		t.Error(err)
	}
}

// In a large function no value gets uses in further blocks: gvn does not merge across blocks.
func TestLargeFunctionsKeepTheirRanges(t *testing.T) {
	f := stoppable(t, 2500)
	pairs := func() (n int) {
		l := ir.NewLive(f, func(v *ir.Value) bool { return v.Op != ir.OpConst })
		for _, b := range f.Blocks {
			n += len(l.Out(b))
		}
		return n
	}
	before := pairs()
	if err := PhaseB(f, nil); err != nil {
		t.Fatal(err)
	}
	if after := pairs(); after > before {
		t.Errorf("%d pairs of a block and a value that is live there, %d before", after, before)
	}
}
