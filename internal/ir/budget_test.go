package ir

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// longRanges returns a function of n values that live through n conditions.
func longRanges(n int) string {
	var b strings.Builder
	b.WriteString("func @f (i64, f64, ptr) -> (i64) {\nb0:\n  v0 = arg i64 [0]\n  v1 = arg f64 [1]\n  v2 = arg ptr [2]\n  v3 = const i64 8\n")
	next := 4
	var kept []string
	for i := range n {
		switch i % 3 {
		case 0:
			fmt.Fprintf(&b, "  v%d = mul i64 v0 v0\n", next)
		case 1:
			fmt.Fprintf(&b, "  v%d = fadd f64 v1 v1\n", next)
		default:
			fmt.Fprintf(&b, "  v%d = ptradd ptr v2 v3\n", next)
		}
		kept = append(kept, fmt.Sprint("v", next))
		next++
	}
	b.WriteString("  jump b1\n")
	for i := range n {
		pred := "b0"
		if i > 0 {
			pred = fmt.Sprintf("b%d b%d", 2*i-1, 2*i)
		}
		fmt.Fprintf(&b, "b%d: <- %s\n  v%d = eq i8 v0 v3\n  if v%d b%d b%d\n", 2*i+1, pred, next, next, 2*i+2, 2*i+3)
		fmt.Fprintf(&b, "b%d: <- b%d\n  gas [1]\n  jump b%d\n", 2*i+2, 2*i+1, 2*i+3)
		next++
	}
	fmt.Fprintf(&b, "b%d: <- b%d b%d\n", 2*n+1, 2*n-1, 2*n)
	for i, v := range kept {
		switch i % 3 {
		case 1:
			fmt.Fprintf(&b, "  store v2 %s [8]\n", v)
		default:
			fmt.Fprintf(&b, "  store v2 %s [16]\n", v)
		}
	}
	b.WriteString("  ret v0\n}\n")
	return b.String()
}

// liveSum is the number of the pairs of a block and a value that is live there.
func liveSum(f *Func) int {
	l, n := NewLive(f, func(v *Value) bool { return v.Op != OpConst }), 0
	for _, b := range f.Blocks {
		n += len(l.Out(b))
	}
	return n
}

// Values with long live ranges move into memory until the rest keeps the budget.
func TestLiveRangesKeepTheBudget(t *testing.T) {
	for n, large := range map[int]bool{100: false, 900: true} {
		m := mustParse(t, longRanges(n))
		f := m.Func(m.NumFuncs() - 1)
		before := liveSum(f)
		f.FixRoots()
		if err := Verify(f); err != nil {
			t.Fatal(err)
		}
		after := liveSum(f)
		if f.Large() != large || large != (f.Moved > 0) || large != (f.OverBudget() != "") {
			t.Errorf("%d values: large is %v, %d moved, %q", n, f.Large(), f.Moved, f.OverBudget())
		}
		if large && (before <= maxRanges || after > maxRanges || int64(len(f.Locals)) != f.Moved) || !large && after != before {
			t.Errorf("%d values: %d pairs, then %d; %d locals", n, before, after, len(f.Locals))
		}
		text := f.String()
		f.FixRoots()
		if f.String() != text {
			t.Error("it is done twice")
		}
	}
}

// The order of the blocks decides nothing.
func TestBudgetOfShuffledBlocks(t *testing.T) {
	moved := map[int64]bool{}
	for _, reverse := range []bool{false, true} {
		m := mustParse(t, longRanges(900))
		f := m.Func(m.NumFuncs() - 1)
		if reverse {
			slices.Reverse(f.Blocks[1:])
		}
		f.FixRoots()
		moved[f.Moved] = true
		if n := liveSum(f); n > maxRanges {
			t.Errorf("%d pairs are left", n)
		}
	}
	if len(moved) != 1 {
		t.Errorf("values moved: %v", moved)
	}
}

// Operations have a budget. A phi takes one for each operand.
func TestBudgetOfOperations(t *testing.T) {
	for _, n := range []int{maxSize - 1, maxSize} {
		m := mustParse(t, "func @f (i64) -> (i64) {\nb0:\n  v0 = arg i64 [0]\n"+repeatText(n, func(i int) string { return fmt.Sprintf("  v%d = add i64 v%d v0\n", i+1, i) })+fmt.Sprintf("  ret v%d\n}\n", n))
		f := m.Func(m.NumFuncs() - 1)
		f.FixRoots()
		if f.Size != int64(n)+1 || f.Large() != (n == maxSize) || f.Moved != 0 {
			t.Errorf("%d operations: size %d, large %v, %d moved", n+1, f.Size, f.Large(), f.Moved)
		}
	}
}

func repeatText(n int, line func(int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}
