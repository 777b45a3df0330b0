package facts

import (
	"flag"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
)

var full = flag.Bool("facts.full", false, "all pairs of combined descriptions at four bits, not only at three")

// A concrete is an operation on numbers, written independently of the descriptions. It returns
// false if the result is undefined.
type concrete func(w Width, x, y uint64) (r uint64, ok bool)

func total(f func(w Width, x, y uint64) uint64) concrete {
	return func(w Width, x, y uint64) (uint64, bool) { return w.zext(f(w, x, y)), true }
}

// divided is an operation that is undefined for a zero divisor.
func divided(f func(w Width, x, y uint64) uint64) concrete {
	return func(w Width, x, y uint64) (uint64, bool) {
		if y == 0 {
			return 0, false
		}
		return w.zext(f(w, x, y)), true
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// operations are those of the table with one or two operands of one width. Here the count of a
// shift has that width too, which is enough to exceed it.
var operations = map[ir.Op]concrete{
	ir.OpCopy: total(func(w Width, x, _ uint64) uint64 { return x }),
	ir.OpAdd:  total(func(w Width, x, y uint64) uint64 { return x + y }),
	ir.OpSub:  total(func(w Width, x, y uint64) uint64 { return x - y }),
	ir.OpNeg:  total(func(w Width, x, _ uint64) uint64 { return -x }),
	ir.OpMul:  total(func(w Width, x, y uint64) uint64 { return x * y }),
	ir.OpDivU: divided(func(w Width, x, y uint64) uint64 { return x / y }),
	ir.OpRemU: divided(func(w Width, x, y uint64) uint64 { return x % y }),
	ir.OpDivS: divided(func(w Width, x, y uint64) uint64 { return uint64(w.sext(x) / w.sext(y)) }),
	ir.OpRemS: divided(func(w Width, x, y uint64) uint64 { return uint64(w.sext(x) % w.sext(y)) }),
	ir.OpMulHiU: total(func(w Width, x, y uint64) uint64 {
		h, l := bits.Mul64(x, y)
		return h<<(64-w) | l>>w
	}),
	ir.OpMulHiS: total(func(w Width, x, y uint64) uint64 {
		p := new(big.Int).Mul(big.NewInt(w.sext(x)), big.NewInt(w.sext(y)))
		return uint64(p.Rsh(p, uint(w)).Int64())
	}),
	ir.OpAnd:    total(func(w Width, x, y uint64) uint64 { return x & y }),
	ir.OpOr:     total(func(w Width, x, y uint64) uint64 { return x | y }),
	ir.OpXor:    total(func(w Width, x, y uint64) uint64 { return x ^ y }),
	ir.OpAndNot: total(func(w Width, x, y uint64) uint64 { return x &^ y }),
	ir.OpNot:    total(func(w Width, x, _ uint64) uint64 { return ^x }),
	ir.OpShl:    total(func(w Width, x, y uint64) uint64 { return x << y }),
	ir.OpShrU:   total(func(w Width, x, y uint64) uint64 { return x >> y }),
	ir.OpShrS:   total(func(w Width, x, y uint64) uint64 { return uint64(w.sext(x) >> y) }),
	ir.OpRotl: total(func(w Width, x, y uint64) uint64 {
		for range y % uint64(w) {
			x = w.zext(x<<1) | x>>(w-1)
		}
		return x
	}),
	ir.OpClz: total(func(w Width, x, _ uint64) (n uint64) {
		for m := w.sign(); m != 0 && x&m == 0; m >>= 1 {
			n++
		}
		return n
	}),
	ir.OpCtz: total(func(w Width, x, _ uint64) (n uint64) {
		for n < uint64(w) && x>>n&1 == 0 {
			n++
		}
		return n
	}),
	ir.OpPopcnt: total(func(w Width, x, _ uint64) (n uint64) {
		for ; x != 0; x >>= 1 {
			n += x & 1
		}
		return n
	}),
	ir.OpEq:  total(func(w Width, x, y uint64) uint64 { return bit(x == y) }),
	ir.OpNe:  total(func(w Width, x, y uint64) uint64 { return bit(x != y) }),
	ir.OpLtS: total(func(w Width, x, y uint64) uint64 { return bit(w.sext(x) < w.sext(y)) }),
	ir.OpLeS: total(func(w Width, x, y uint64) uint64 { return bit(w.sext(x) <= w.sext(y)) }),
	ir.OpLtU: total(func(w Width, x, y uint64) uint64 { return bit(x < y) }),
	ir.OpLeU: total(func(w Width, x, y uint64) uint64 { return bit(x <= y) }),
}

// elsewhere are operations of the table that other tests cover.
var elsewhere = map[ir.Op]string{
	ir.OpSExt: "TestWidths", ir.OpZExt: "TestWidths", ir.OpTrunc: "TestWidths", ir.OpBswap: "TestBswap",
}

// results are possible results of operations whose operands have no description, the least and the
// largest among them.
var results = map[ir.Op][]int64{
	ir.OpFEq: {0, 1}, ir.OpFNe: {0, 1}, ir.OpFLt: {0, 1}, ir.OpFLe: {0, 1}, ir.OpMemEq: {0, 1}, ir.OpMemCmp: {-1, 0, 1},
	ir.OpMemHash: {0, 1, 1<<32 - 1}, ir.OpPtrToInt: {0, 1, 1<<32 - 1},
}

// TestResults checks descriptions that do not depend on the operands.
func TestResults(t *testing.T) {
	for op, list := range results {
		to := Width(64)
		if len(list) == 2 {
			to = 8
		}
		v := Apply(op, to, 64, Top(64), Top(64))
		if v == Top(to) {
			t.Errorf("nothing is said of %v", op)
		}
		for _, x := range list {
			if !v.Contains(to, to.zext(uint64(x))) {
				t.Errorf("%v cannot be %d: %+v", op, x, v)
			}
		}
	}
	for _, n := range []int64{0, 1, 7} {
		v := IndexIn(64, Const(64, n))
		for x := int64(-1); x < max(n, 1); x++ {
			if x < n && !v.Contains(64, uint64(x)) {
				t.Errorf("an index into %d things cannot be %d: %+v", n, x, v)
			}
		}
	}
}

// TestTable: every operation of the table is tested.
func TestTable(t *testing.T) {
	for op := range ir.NumOps {
		if Has(op) && operations[op] == nil && results[op] == nil && elsewhere[op] == "" {
			t.Errorf("nothing shows that what is said of %v is right", op)
		}
	}
}

// A set is a set of numbers of up to six bits.
type set uint64

func members(w Width, v Value) (s set) {
	for x := range uint64(1) << w {
		if v.Contains(w, x) {
			s |= 1 << x
		}
	}
	return s
}

// best is the tightest description of a nonempty set.
func best(w Width, s set) Value {
	v := Value{w.most(), w.least(), w.mask(), 0, w.mask(), w.mask()}
	for x := range uint64(1) << w {
		if s>>x&1 != 0 {
			v.Lo, v.Hi = min(v.Lo, w.sext(x)), max(v.Hi, w.sext(x))
			v.ULo, v.UHi = min(v.ULo, x), max(v.UHi, x)
			v.Zeros &^= x
			v.Ones &= x
		}
	}
	return v
}

// views are all signed ranges, unsigned ranges and known bits of a width, one at a time, with what
// the other views learn from it.
func views(w Width) (list []Value) {
	seen := map[Value]bool{}
	signed, unsigned, known := kinds(w)
	for _, v := range slices.Concat(signed, unsigned, known) {
		if v = v.Reduce(w); !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

// kinds are all signed ranges, unsigned ranges, and known bits, not reduced.
func kinds(w Width) (signed, unsigned, known []Value) {
	for lo := w.least(); lo <= w.most(); lo++ {
		for hi := lo; hi <= w.most(); hi++ {
			v := Top(w)
			v.Lo, v.Hi = lo, hi
			signed = append(signed, v)
		}
	}
	for lo := range uint64(1) << w {
		for hi := lo; hi <= w.mask(); hi++ {
			v := Top(w)
			v.ULo, v.UHi = lo, hi
			unsigned = append(unsigned, v)
		}
	}
	for zeros := range uint64(1) << w {
		for ones := range uint64(1) << w {
			if zeros&ones == 0 {
				v := Top(w)
				v.Zeros, v.Ones = zeros, ones
				known = append(known, v)
			}
		}
	}
	return signed, unsigned, known
}

// combined are all descriptions that a combination of the three views reduces to.
func combined(w Width) (list []Value) {
	seen := map[Value]bool{}
	triples(w, func(v Value) {
		if r := v.Reduce(w); members(w, v) != 0 && !seen[r] {
			seen[r] = true
			list = append(list, r)
		}
	})
	return list
}

// triples calls f with every combination of a signed range, an unsigned range and known bits.
func triples(w Width, f func(v Value)) {
	signed, unsigned, known := kinds(w)
	for _, s := range signed {
		for _, u := range unsigned {
			for _, k := range known {
				f(Value{s.Lo, s.Hi, u.ULo, u.UHi, k.Zeros, k.Ones})
			}
		}
	}
}

// TestReduce: every combination of views keeps its members, and no view becomes wider.
func TestReduce(t *testing.T) {
	const w = 4
	n, exact := 0, 0
	triples(w, func(v Value) {
		r := v.Reduce(w)
		before, after := members(w, v), members(w, r)
		if before != after {
			t.Fatalf("%+v has %b, reduced to %+v %b", v, before, r, after)
		}
		if before == 0 {
			return
		}
		if r.Lo < v.Lo || r.Hi > v.Hi || r.ULo < v.ULo || r.UHi > v.UHi || v.Zeros&^r.Zeros != 0 || v.Ones&^r.Ones != 0 {
			t.Fatalf("%+v became wider: %+v", v, r)
		}
		n++
		if r == best(w, before) {
			exact++
		}
	})
	t.Logf("%d combinations of views at 4 bits; %.1f %% of them reduced to the best", n, 100*float64(exact)/float64(n))
}

// TestOperations: for all pairs of descriptions, the description of the result contains the results
// of all members. The test prints how often it is the best possible one.
func TestOperations(t *testing.T) {
	for _, c := range []struct {
		name string
		w    Width
		list func(Width) []Value
		skip bool
	}{
		{"views of 4 bits", 4, views, false},
		{"combinations of 3 bits", 3, combined, false},
		{"combinations of 4 bits", 4, combined, !*full},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.skip {
				t.Skip("with -facts.full")
			}
			list := c.list(c.w)
			t.Logf("%d descriptions", len(list))
			for op := range ir.NumOps {
				if f := operations[op]; f != nil {
					enumerate(t, op, f, c.w, c.w, list)
				}
			}
		})
	}
}

// enumerate tests an operation on all pairs of descriptions of width from.
func enumerate(t *testing.T, op ir.Op, f concrete, to, from Width, list []Value) {
	t.Helper()
	// Results as sets, one operand at a time: for each x, the results for each occurring set of y.
	all := make([]set, len(list))
	for i, v := range list {
		all[i] = members(from, v)
	}
	right := list
	if ir.Ops[op].Args == "t" || ir.Ops[op].Args == "i" {
		right = []Value{Const(from, 0)}
	}
	image := map[set]*[64]set{} // of a set of y, for each x
	for _, b := range right {
		ys := members(from, b)
		if image[ys] != nil {
			continue
		}
		im := new([64]set)
		for x := range uint64(1) << from {
			for y := range uint64(1) << from {
				if ys>>y&1 == 0 {
					continue
				}
				if r, ok := f(from, x, y); ok {
					im[x] |= 1 << (r & to.mask())
				}
			}
		}
		image[ys] = im
	}
	known := map[set]Value{} // best descriptions of sets seen so far
	holds := map[Value]set{}
	n, exact := 0, 0
	for _, b := range right {
		im := image[members(from, b)]
		for i, a := range list {
			var results set
			for s := all[i]; s != 0; s &= s - 1 {
				results |= im[bits.TrailingZeros64(uint64(s))]
			}
			if results == 0 {
				continue
			}
			got := Apply(op, to, from, a, b)
			m, ok := holds[got]
			if !ok {
				m = members(to, got)
				holds[got] = m
			}
			if results&^m != 0 {
				t.Fatalf("%v of %+v and %+v: %+v lacks results: %s, has %s", op, a, b, got, show(results), show(m))
			}
			want, ok := known[results]
			if !ok {
				want = best(to, results)
				known[results] = want
			}
			n++
			if got == want {
				exact++
			}
		}
	}
	t.Logf("%-8v %9d pairs, best in %5.1f %%", op, n, 100*float64(exact)/float64(n))
}

func show(s set) string {
	list := ""
	for ; s != 0; s &= s - 1 {
		list += fmt.Sprint(" ", bits.TrailingZeros64(uint64(s)))
	}
	return list
}

// TestWidths: changes of width, for all views of four and six bits.
func TestWidths(t *testing.T) {
	enumerate(t, ir.OpZExt, total6(func(x uint64) uint64 { return x }), 6, 4, views(4))
	enumerate(t, ir.OpSExt, total6(func(x uint64) uint64 { return uint64(Width(4).sext(x)) }), 6, 4, views(4))
	enumerate(t, ir.OpTrunc, total6(func(x uint64) uint64 { return x }), 4, 6, views(6))
	enumerate(t, ir.OpZExt, total6(func(x uint64) uint64 { return x }), 4, 3, combined(3))
	enumerate(t, ir.OpSExt, total6(func(x uint64) uint64 { return uint64(Width(3).sext(x)) }), 4, 3, combined(3))
	enumerate(t, ir.OpTrunc, total6(func(x uint64) uint64 { return x }), 3, 4, combined(4))
}

// total6 is an operation that may widen its operand to six bits.
func total6(f func(x uint64) uint64) concrete {
	return func(_ Width, x, _ uint64) (uint64, bool) { return f(x), true }
}

// TestChoices: the smaller and the larger of two numbers, and either of them.
func TestChoices(t *testing.T) {
	const w = 4
	choices := []struct {
		name string
		of   func(a, b Value) Value
		f    func(x, y uint64) []uint64
	}{
		{"join", Join, func(x, y uint64) []uint64 { return []uint64{x, y} }},
		{"mins", func(a, b Value) Value { return MinS(w, a, b) }, func(x, y uint64) []uint64 {
			return []uint64{Width(w).zext(uint64(min(Width(w).sext(x), Width(w).sext(y))))}
		}},
		{"maxs", func(a, b Value) Value { return MaxS(w, a, b) }, func(x, y uint64) []uint64 {
			return []uint64{Width(w).zext(uint64(max(Width(w).sext(x), Width(w).sext(y))))}
		}},
	}
	list := views(w)
	for _, c := range choices {
		for _, a := range list {
			for _, b := range list {
				got := members(w, c.of(a, b))
				for x := range uint64(1) << w {
					for y := range uint64(1) << w {
						if !a.Contains(w, x) || !b.Contains(w, y) {
							continue
						}
						for _, r := range c.f(x, y) {
							if got>>r&1 == 0 {
								t.Fatalf("%s of %+v and %+v lacks %d", c.name, a, b, r)
							}
						}
					}
				}
			}
		}
	}
	for _, a := range list {
		for x := range uint64(1) << w {
			got, want := members(w, Without(w, a, int64(x))), members(w, a)&^(1<<x)
			if want&^got != 0 {
				t.Fatalf("%+v without %d is %s", a, x, show(got))
			}
		}
		for _, b := range list {
			m := Meet(w, a, b)
			if got, want := members(w, m), members(w, a)&members(w, b); got != want {
				t.Fatalf("%+v and %+v meet in %s, not %s", a, b, show(got), show(want))
			}
		}
	}
}
