package plan

import (
	"errors"
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/opt/rules/smt"
)

var everyDivision = flag.Bool("divisions", false, "all divisions of 16 bits, the theorems' conditions for all divisors of 32, 10^8 divisions of 64")

// mask has the ones of a width; extend returns the low bits of x as a signed number.
func mask(w uint) uint64             { return ^uint64(0) >> (64 - w) }
func extend(w uint, x uint64) uint64 { return uint64(int64(x<<(64-w)) >> (64 - w)) }

// run follows a recipe in registers of N bits.
func (r *recipe) run(N uint, x uint64) uint64 {
	var regs [maxSteps + 1]uint64
	regs[0] = x & mask(N)
	for i, t := range r.steps {
		x, y := regs[t.x], regs[t.y]
		var z uint64
		switch t.op {
		case stepShl:
			z = x << t.k
		case stepShr:
			z = x >> t.k
		case stepSar:
			z = uint64(int64(extend(N, x)) >> t.k)
		case stepMul:
			z = x * t.k
		case stepHighU:
			hi, lo := bits.Mul64(x, t.k)
			z = hi<<(64-N) | lo>>N
		case stepHighS:
			a, b := extend(N, x), extend(N, t.k)
			hi, lo := bits.Mul64(a, b)
			if int64(a) < 0 {
				hi -= b
			}
			if int64(b) < 0 {
				hi -= a
			}
			z = hi<<(64-N) | lo>>N
		case stepAdd:
			z = x + y
		case stepSub:
			z = x - y
		case stepNeg:
			z = -x
		}
		regs[i+1] = z & mask(N)
	}
	return regs[len(r.steps)]
}

// result returns the result of the operation on x, in v.w bits.
func (v division) result(x uint64) uint64 {
	var z uint64
	if v.signed {
		a, c := int64(extend(v.w, x)), v.c
		z = uint64(a / c) // c is not -1
		if v.rem {
			z = uint64(a % c)
		}
	} else {
		a, c := x&mask(v.w), uint64(v.c)&mask(v.w)
		z = a / c
		if v.rem {
			z = a % c
		}
	}
	return z & mask(v.w)
}

// divide returns the result of the steps.
func (v division) divide(r *recipe, N uint, x uint64) uint64 {
	if v.signed {
		x = extend(v.w, x)
	} else {
		x &= mask(v.w)
	}
	return r.run(N, x) & mask(v.w)
}

// divisions calls f with each operation by each divisor of w bits that has a recipe.
func divisions(w uint, divisors func(yield func(uint64) bool), f func(v division)) {
	for c := range divisors {
		for k := range 4 {
			f(division{k&1 != 0, k&2 != 0, int64(extend(w, c)), w})
		}
	}
}

// all are the numbers of w bits.
func all(w uint) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for c := uint64(0); c <= mask(w) && yield(c); c++ {
		}
	}
}

// TestRecipes: every shape is right for all divisors and dividends of small widths: numbers of 8
// bits in registers of 64; in registers of 8, which stand for 64 bits in registers of 64; and
// between. Numbers of 16 bits are sampled, or all are tried.
func TestRecipes(t *testing.T) {
	for _, c := range []struct{ N, w uint }{{64, 8}, {8, 8}, {12, 8}, {10, 10}, {16, 10}} {
		shapes, n := map[string]int{}, 0
		divisions(c.w, all(c.w), func(v division) {
			r, ok := recipeOf(c.N, v)
			if !ok {
				return
			}
			shapes[r.shape]++
			for x := range all(c.w) {
				if got, want := v.divide(r, c.N, x), v.result(x); got != want {
					t.Fatalf("%d bits in %d: %+v of %#x is %#x, not %#x: %v", c.w, c.N, v, x, got, want, r)
				}
				n++
			}
		})
		t.Logf("%2d bits in registers of %2d: %d divisions, recipes by shape %v", c.w, c.N, n, shapes)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, N := range []uint{16, 64} {
		n := 0
		divisors := all(16)
		if !*everyDivision {
			divisors = func(yield func(uint64) bool) {
				for range 400 {
					yield(rng.Uint64() & mask(16))
				}
			}
		}
		divisions(16, divisors, func(v division) {
			r, ok := recipeOf(N, v)
			if !ok {
				return
			}
			check := func(x uint64) {
				if got, want := v.divide(r, N, x), v.result(x); got != want {
					t.Fatalf("16 bits in %d: %+v of %#x is %#x, not %#x: %v", N, v, x, got, want, r)
				}
				n++
			}
			if *everyDivision {
				for x := range all(16) {
					check(x)
				}
				return
			}
			for range 2000 {
				check(near(rng, v.magnitude()) & mask(16))
			}
		})
		t.Logf("16 bits in registers of %d: %d divisions", N, n)
	}
}

// near returns a dividend near a multiple of d, or near an end, or any.
func near(rng *rand.Rand, d uint64) uint64 {
	x := rng.Uint64() >> rng.IntN(64)
	switch rng.IntN(4) {
	case 0:
		return x
	case 1:
		x = 1 << rng.IntN(64)
	default:
		x -= x % d
	}
	return x + uint64(rng.IntN(5)) - 2
}

// divisor returns an interesting divisor.
func divisor(rng *rand.Rand) uint64 {
	d := rng.Uint64() >> rng.IntN(64)
	switch rng.IntN(4) {
	case 0:
		d = 1 << rng.IntN(64)
		fallthrough
	case 1:
		d += uint64(rng.IntN(7)) - 3
	}
	return d
}

// TestLongDivisions: boundary and random operands of 32 and 64 bits, where no proof runs the steps
// themselves.
func TestLongDivisions(t *testing.T) {
	n := 20000
	if *everyDivision {
		n = 1_000_000
	}
	rng := rand.New(rand.NewPCG(2, 2))
	count := 0
	for range n {
		w := []uint{32, 64}[rng.IntN(2)]
		v := division{rng.IntN(2) == 0, rng.IntN(2) == 0, int64(extend(w, divisor(rng))), w}
		r, ok := recipeOf(64, v)
		if !ok {
			continue
		}
		for range 100 {
			x := near(rng, v.magnitude())
			if rng.IntN(2) == 0 {
				x = -x
			}
			if got, want := v.divide(r, 64, x), v.result(x); got != want {
				t.Fatalf("%+v of %#x is %#x, not %#x: %v", v, x, got, want, r)
			}
			count++
		}
	}
	t.Logf("%d divisions", count)
}

// multiplier extracts the multiplier from a recipe, without a bit N that a shape adds by hand, and
// its scale: the power of two by which the product is divided.
func (r *recipe) multiplier(N uint) (m uint64, shift uint) {
	found := false
	for _, t := range r.steps {
		switch t.op {
		case stepHighU, stepHighS:
			m, shift, found = t.k, N, true
		case stepShr, stepSar:
			if found && !(r.shape == shapeSigned && t.x == 0) {
				shift += uint(t.k)
			}
		}
	}
	return m, shift
}

// holds checks the condition of the theorem that makes a shape right for all dividends.
func (v division) holds(N uint, r *recipe) error {
	d := v.magnitude()
	m, shift := r.multiplier(N)
	high := uint64(0)            // of m
	small, least := N, uint64(0) // the product is right for dividends below 2^small in magnitude
	switch r.shape {
	case shapeShift, shapeShiftSigned:
		return nil // no product: see TestShifts
	case shapeShort:
		small = v.w
	case shapeEven:
		k := uint(bits.TrailingZeros64(d))
		d >>= k
		small = N - k
	case shapeLong:
		if high = 1; N < 64 {
			m, high = m|1<<N, 0
		}
	case shapeSigned:
		small, least = N-1, 1
	}
	// Unsigned, theorem 4.2: 2^shift <= m*d <= 2^shift + 2^(shift-small). Signed, theorem 5.1,
	// with 0 < m*d - 2^shift, which rounds the quotients of negative dividends up: hence the 1
	// that is added to them. The difference is less than 2^64, so 128 bits suffice.
	hi, lo := bits.Mul64(m, d)
	hi += high * d
	switch {
	case shift < 64:
		var borrow uint64
		lo, borrow = bits.Sub64(lo, 1<<shift, 0)
		hi -= borrow
	case shift < 128:
		hi -= 1 << (shift - 64)
	}
	if hi != 0 || lo < least || shift-small < 64 && lo > 1<<(shift-small) {
		return fmt.Errorf("%+v: excess %#x, %#x of %#x / 2^%d: %v", v, hi, lo, m, shift, r)
	}
	return nil
}

// TestReciprocals: the theorems' condition holds for all divisors of 8 to 16 bits, and for boundary
// and random ones of 32 and 64; with a flag for all of 32 bits.
func TestReciprocals(t *testing.T) {
	check := func(N, w uint, c uint64) {
		for _, signed := range []bool{false, true} {
			v := division{signed, false, int64(extend(w, c)), w}
			if r, ok := recipeOf(N, v); ok {
				if err := v.holds(N, r); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for _, c := range []struct{ N, w uint }{{64, 8}, {64, 16}, {16, 16}, {32, 16}} {
		for d := range all(c.w) {
			check(c.N, c.w, d)
		}
	}
	n := 200000
	if *everyDivision {
		n = 20_000_000
		for d := range all(32) {
			check(64, 32, d)
			check(32, 32, d)
		}
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range n {
		check(64, 32, divisor(rng))
		check(64, 64, divisor(rng))
	}
}

// TestShifts: z3 shows for all 64-bit dividends (a few shifts, or all) that the shapes without a product are right,
// and that the highest bit of a long multiplier is added as if the sum had 65 bits.
func TestShifts(t *testing.T) {
	s, err := smt.Start(60 * time.Second)
	if errors.Is(err, smt.ErrNotInstalled) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x := []smt.Variable{{Name: "x", Sort: smt.BitVec(64)}}
	proved := 0
	prove := func(name string, q smt.Query) {
		t.Helper()
		a, err := s.Prove(q)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case a.Proved:
			proved++
		case a.Refuted:
			t.Errorf("%s: %v", name, a)
		default:
			t.Logf("%s: no answer: %s", name, a.Model)
		}
	}
	shifts := []uint{1, 2, 31, 32, 62, 63}
	if *everyDivision {
		shifts = shifts[:0]
		for k := range uint(63) {
			shifts = append(shifts, k+1)
		}
	}
	for _, k := range shifts {
		for _, signed := range []bool{false, true} {
			r, _ := recipeOf(64, division{signed: signed, c: int64(uint64(1) << k), w: 64})
			// The quotient q of x by 2^k, toward zero: x = q*2^k + r, r below 2^k and of x's sign.
			q := r.term()
			rest := fmt.Sprintf("(bvsub x (bvshl %s (_ bv%d 64)))", q, k)
			one := fmt.Sprintf("(_ bv%d 64)", uint64(1)<<k)
			goal := fmt.Sprintf("(and (bvult %s %s) (= (bvlshr x (_ bv%d 64)) %s))", rest, one, k, q)
			if signed {
				goal = fmt.Sprintf("(and (=> (bvsge x (_ bv0 64)) (bvult %s %s)) (=> (bvslt x (_ bv0 64)) (bvult (bvneg %s) %s)))", rest, one, rest, one)
				// and q is no larger than x: the product does not wrap
				goal = fmt.Sprintf("(and %s (= (bvashr (bvshl %s (_ bv%d 64)) (_ bv%d 64)) %s))", goal, q, k, k, q)
				if k == 63 { // the divisor is -2^63: the quotient is 0, or 1 of that number alone
					goal = fmt.Sprintf("(= %s (ite (= x (_ bv%d 64)) (_ bv1 64) (_ bv0 64)))", q, uint64(1)<<63)
				}
			}
			prove(fmt.Sprint(r), smt.Query{Declare: x, Goal: goal})
		}
	}
	wide := func(term string) string { return "((_ zero_extend 1) " + term + ")" }
	for _, k := range shifts {
		n := k + 1
		// For q <= x, which the upper half of x*k is.
		sum := fmt.Sprintf("((_ extract 63 0) (bvlshr (bvadd %s %s) (_ bv%d 65)))", wide("x"), wide("q"), n)
		steps := fmt.Sprintf("(bvlshr (bvadd (bvlshr (bvsub x q) (_ bv1 64)) q) (_ bv%d 64))", n-1)
		prove(fmt.Sprint("long, n = ", n), smt.Query{
			Declare: append(x, smt.Variable{Name: "q", Sort: smt.BitVec(64)}),
			Assume:  []string{"(bvule q x)"},
			Goal:    fmt.Sprintf("(= %s %s)", sum, steps),
		})
	}
	t.Logf("%d claims proved for all 64-bit dividends", proved)
}

// term is a recipe without products in SMT-LIB.
func (r *recipe) term() string {
	names := map[stepOp]string{stepShl: "bvshl", stepShr: "bvlshr", stepSar: "bvashr", stepAdd: "bvadd", stepSub: "bvsub"}
	terms := []string{"x"}
	for _, t := range r.steps {
		if t.op == stepNeg {
			terms = append(terms, fmt.Sprintf("(bvneg %s)", terms[t.x]))
			continue
		}
		y := terms[t.y]
		if t.op <= stepSar {
			y = fmt.Sprintf("(_ bv%d 64)", t.k)
		}
		terms = append(terms, fmt.Sprintf("(%s %s %s)", names[t.op], terms[t.x], y))
	}
	return terms[len(terms)-1]
}

func (r *recipe) String() string {
	names := [...]string{"shl", "shr", "sar", "mul", "highu", "highs", "add", "sub", "neg"}
	s := r.shape + ":"
	for i, t := range r.steps {
		s += fmt.Sprintf(" %d=%s %d %d %#x;", i+1, names[t.op], t.x, t.y, t.k)
	}
	return s
}
