package prove

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/rules"
	"github.com/gyrvm/gyr/internal/opt/rules/smt"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// pattern returns a rule whose pattern is one operation with operands a, b, …
func pattern(t testing.TB, name string) *rules.Rule {
	t.Helper()
	op, _ := rules.OpOf(name)
	text := "r: (" + name
	if op == ir.OpPtrIdx {
		text += "{S O}"
	}
	for i := range strings.TrimSuffix(op.Info().Args, "*") {
		text += fmt.Sprintf(" %c", 'a'+i)
	}
	list, err := rules.Parse(name, text+") => nothing")
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// typeOf returns the type with a shape.
func typeOf(s Shape) ir.Type {
	for t := ir.I8; t <= ir.Ptr; t++ {
		if ShapeOf(t) == s {
			return t
		}
	}
	return ir.Void
}

// tuples returns operands: all if there are few, otherwise boundaries and random ones.
func tuples(shapes []Shape, n int) (list [][]uint64) {
	bits := uint(0)
	for _, s := range shapes {
		bits += s.Bits
	}
	rng := rand.New(rand.NewPCG(uint64(bits), 7))
	if bits <= 16 {
		for x := range uint64(1) << bits {
			var tuple []uint64
			for _, s := range shapes {
				tuple = append(tuple, s.Mask(x))
				x >>= s.Bits
			}
			list = append(list, tuple)
		}
		return list
	}
	for range n {
		var tuple []uint64
		for _, s := range shapes {
			x := rng.Uint64() >> rng.IntN(64)
			if b := Boundaries(s); rng.IntN(3) > 0 {
				x = b[rng.IntN(len(b))]
			}
			tuple = append(tuple, s.Mask(x))
		}
		list = append(list, tuple)
	}
	return list
}

// each calls f for every operation of the table, at every existing width, with operands.
func each(t *testing.T, n int, f func(name string, r *rules.Rule, w Widths, c *claim, x [][]uint64)) {
	for _, name := range sorted(Operations) {
		if name == rules.Inverted {
			continue
		}
		r := pattern(t, name)
		for _, w := range Real(r) {
			c := newClaim(r, w)
			var shapes []Shape
			for _, a := range r.Pattern.Args {
				shapes = append(shapes, w.of(a))
			}
			for range r.Pattern.Aux {
				shapes = append(shapes, w[nil])
			}
			var defined [][]uint64
			for _, x := range tuples(shapes, n) {
				d := Operations[name].Defined
				if d == nil || d(c.resultShape(r.Pattern), c.firstShape(r.Pattern), x) {
					defined = append(defined, x)
				}
			}
			f(name, r, w, c, defined)
		}
	}
}

// TestOperationsAreTheEvaluators: the table agrees with the evaluator of the IR, for all operands
// of 8 bits and for boundaries and random values of wider ones.
func TestOperationsAreTheEvaluators(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	combinations := 0
	each(t, n, func(name string, r *rules.Rule, w Widths, c *claim, list [][]uint64) {
		combinations++
		op, _ := rules.OpOf(name)
		mod := irtest.NewModule(nil, 8)
		var sig ir.Sig
		for _, a := range r.Pattern.Args {
			sig.Params = append(sig.Params, typeOf(w.of(a)))
		}
		result := ir.Void
		if op.Info().Result != 'v' {
			result = typeOf(w.of(r.Pattern))
			sig.Results = []ir.Type{result}
		}
		b := irtest.NewFunc(mod, "f", sig)
		v := b.Add(op, result, 0, b.Args()...)
		b.Return(map[bool][]*ir.Value{true: {v}}[result != ir.Void]...)
		o := Operations[name]
		e := irtest.NewEval(mod)
		for i, x := range list {
			if testing.Short() && len(list) > 10*n && i%17 != 0 {
				continue
			}
			e.Steps = 0
			if op == ir.OpPtrIdx {
				v.Aux, v.Aux2 = int64(x[2]), int64(x[3])
			}
			shape := c.resultShape(r.Pattern)
			want := shape.Mask(o.Eval(shape, c.firstShape(r.Pattern), x))
			got, err := e.Call(b.F, x[:len(sig.Params)])
			if trap := (*irtest.Trap)(nil); errors.As(err, &trap) {
				got = []uint64{1}
			} else if result == ir.Void {
				got = []uint64{0}
			}
			if len(got) != 1 || got[0] != want && !(isFloat(shape) && isNaN(shape, got[0]) && isNaN(shape, want)) {
				t.Fatalf("%s %s %#x: %#x, the evaluator says %#x", name, w.Describe(r), x, want, got)
			}
		}
	})
	t.Logf("%d operations, %d combinations of widths", len(Operations)-1, combinations)
}

// TestTermsAreTheOperations: the terms of the logic agree with the functions, for two dozen
// operands each.
func TestTermsAreTheOperations(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	s, err := smt.Start(20 * time.Second)
	if err != nil {
		t.Skip(err)
	}
	defer s.Close()
	terms := 0
	each(t, 24, func(name string, r *rules.Rule, w Widths, c *claim, list [][]uint64) {
		o := Operations[name]
		if o.Term == nil {
			return
		}
		terms++
		rng := rand.New(rand.NewPCG(3, 3))
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		goal := "(and true"
		shape, first := c.resultShape(r.Pattern), c.firstShape(r.Pattern)
		for _, x := range list[:min(len(list), 24)] {
			var args []string
			for i, a := range r.Pattern.Args {
				args = append(args, number(x[i], w.of(a).Bits))
			}
			for i := range r.Pattern.Aux {
				args = append(args, number(x[len(r.Pattern.Args)+i], 64))
			}
			goal += fmt.Sprintf(" (= %s %s)", o.Term(shape, first, args), number(shape.Mask(o.Eval(shape, first, x)), shape.Bits))
			if o.DefinedTerm != nil {
				goal += " " + o.DefinedTerm(shape, first, args)
			}
		}
		a, err := s.Prove(smt.Query{Goal: goal + ")"})
		if err != nil || !a.Proved {
			t.Errorf("%s %s: %v %v", name, w.Describe(r), a, err)
		}
	})
	t.Logf("%d combinations of operations and widths", terms)
}
