package opt

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/rules"
	proofs "github.com/gyrvm/gyr/internal/opt/rules/prove"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestRulesAreGenerated: the matcher equals the output of go generate.
func TestRulesAreGenerated(t *testing.T) {
	list, err := rules.All()
	if err != nil {
		t.Fatal(err)
	}
	want, err := rules.Go(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("rules_generated.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("rules_generated.go is not what the rules say: go generate ./internal/opt")
	}
}

// TestEvalConst: folding agrees with the meaning of operations, for all operands of 8 bits and for
// boundaries of wider ones. It declines undefined results, NaNs, and addresses outside memory.
func TestEvalConst(t *testing.T) {
	folded := 0
	for _, name := range slices.Sorted(maps.Keys(proofs.Operations)) {
		op, ok := rules.OpOf(name)
		if !ok || !op.Pure() || name == "copy" {
			continue
		}
		r := onePattern(t, op)
		n := len(r.Pattern.Args)
		if n > 2 {
			continue
		}
		for _, w := range proofs.Real(r) {
			result, args := shapes(r, w)
			v := &ir.Value{Op: op, Type: typeOf(result)}
			lists := make([][]uint64, 2)
			lists[1] = []uint64{0}
			for i, s := range args {
				v.Args = append(v.Args, &ir.Value{Op: ir.OpConst, Type: typeOf(s)})
				lists[i] = operandsOf(s)
			}
			if op == ir.OpPtrIdx {
				v.Aux, v.Aux2 = 24, -8
			}
			o := proofs.Operations[name]
			for _, x := range lists[0] {
				for _, y := range lists[1] {
					in := []uint64{x, y, uint64(v.Aux), uint64(v.Aux2)}
					for i, a := range v.Args {
						a.Aux = args[i].Const(in[i])
					}
					got, ok := evalConst(v)
					if o.Defined != nil && !o.Defined(result, args[0], in) {
						if ok {
							t.Fatalf("%s %#x has a result, %#x", name, in[:n], got)
						}
						continue
					}
					want := result.Mask(o.Eval(result, args[0], in))
					if !ok {
						float := op == ir.OpBitcast || result.Class == ir.F64 || args[0].Class == ir.F64
						if !float && result.Class != ir.Ptr {
							t.Fatalf("%s %#x has no result", name, in[:n])
						}
						continue
					}
					folded++
					if uint64(ir.TruncConst(v.Type, got)) != uint64(result.Const(want)) {
						t.Fatalf("%s %v %#x: %#x, want %#x", name, v.Type, in[:n], got, want)
					}
				}
			}
		}
	}
	t.Logf("%d results", folded)
}

// TestCommutes: the operands of a commutative operation may be swapped (the rule constant-right).
func TestCommutes(t *testing.T) {
	for op := ir.Op(1); op < ir.NumOps; op++ {
		if !op.Commutes() {
			continue
		}
		o, ok := proofs.Operations[op.String()]
		if !ok {
			t.Fatalf("%s is not in the table", op)
		}
		r := onePattern(t, op)
		for _, w := range proofs.Real(r) {
			result, args := shapes(r, w)
			if args[0] != args[1] {
				continue
			}
			list := operandsOf(args[0])
			for _, x := range list {
				for _, y := range list {
					a, b := o.Eval(result, args[0], []uint64{x, y}), o.Eval(result, args[0], []uint64{y, x})
					if result.Mask(a) != result.Mask(b) {
						t.Fatalf("%s %#x %#x: %#x and %#x", op, x, y, a, b)
					}
				}
			}
		}
	}
}

// TestInverse: the functions of floats that rules call agree with those that the proofs assume.
func TestInverse(t *testing.T) {
	list, err := rules.Parse("test", "a: (fdiv:f64 x C) if invertible(C) => (fmul x [inverse(C)])\nb: (fdiv:f32 x C) if invertible(C) => (fmul x [inverse(C)])")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		for _, w := range proofs.Real(r) {
			s, _ := shapes(r, w)
			for _, x := range append(operandsOf(s), proofs.Boundaries(s)...) {
				typ := typeOf(s)
				ok, inv := proofs.Invertible(s, x)
				if got := invertible(typ, s.Const(x)); got != ok || ok && uint64(inverse(typ, s.Const(x))) != inv {
					t.Errorf("%v %#x: %v, %v", typ, x, got, ok)
				}
			}
		}
	}
}

// onePattern is a rule whose pattern is one operation.
func onePattern(t *testing.T, op ir.Op) *rules.Rule {
	t.Helper()
	text := "r: (" + op.String()
	if op == ir.OpPtrIdx {
		text += "{S O}"
	}
	for i := range op.Info().Args {
		text += fmt.Sprintf(" %c", 'a'+i)
	}
	list, err := rules.Parse("test", text+") => nothing")
	if err != nil {
		t.Fatal(err)
	}
	return list[0]
}

// shapes returns the shapes of a pattern and of its operands.
func shapes(r *rules.Rule, w proofs.Widths) (result proofs.Shape, args []proofs.Shape) {
	for _, a := range r.Pattern.Args {
		args = append(args, w[a.Type.Find()])
	}
	return w[r.Pattern.Type.Find()], args
}

// typeOf returns the type with a shape.
func typeOf(s proofs.Shape) ir.Type {
	for t := ir.I8; t <= ir.Ptr; t++ {
		if proofs.ShapeOf(t) == s {
			return t
		}
	}
	return ir.Void
}

// operandsOf returns all values of 8 bits, and boundaries of wider types.
func operandsOf(s proofs.Shape) []uint64 {
	if s.Bits == 8 {
		list := make([]uint64, 256)
		for i := range list {
			list[i] = uint64(i)
		}
		return list
	}
	list := slices.Clone(proofs.Boundaries(s))
	for len(list) > 300 { // floats have thousands
		kept := list[:0]
		for i, x := range list {
			if i%2 == 0 || i > len(list)-40 {
				kept = append(kept, x)
			}
		}
		list = kept
	}
	return list
}

// TestPhiRule: a phi of one value, of equal constants, or of one value and itself becomes that
// value (the rule phi-same), for any predecessors. Other phis stay.
func TestPhiRule(t *testing.T) {
	for _, c := range []struct {
		operands string
		want     string // what the function returns
	}{
		{"v1 v1", "v1"}, {"v1 v9", "v1"}, {"v2 v3", "const"}, {"v1 v2", "v9"}, {"v2 v4", "v9"}, {"v2 v9", "const"},
	} {
		text := fmt.Sprintf(`func @f (i64, i8) -> (i64) {
b0:
  v1 = arg i64 [0]
  v5 = arg i8 [1]
  v2 = const i64 7
  v3 = const i64 7
  v4 = const i64 8
  jump b1
b1: <- b0 b1
  v9 = phi i64 %s
  if v5 b1 b2
b2: <- b1
  ret v9
}
`, c.operands)
		m, err := ir.ParseModule(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Func(1)
		if err := newState(f, &Options{Verify: true}).runPass(pass{name: "simplify", run: simplify}, ""); err != nil {
			t.Fatal(err)
		}
		got := f.Blocks[2].Rets[0]
		if s := got.String(); s != c.want && !(c.want == "const" && got.IsConst(7)) {
			t.Errorf("phi of %s: %s\n%s", c.operands, s, f)
		}
	}
}

// TestBranchRule: a branch on an inverted condition keeps its targets (the rule branch-inverted).
func TestBranchRule(t *testing.T) {
	for _, opposite := range []string{"xor i8 v2 v4", "eq i8 v2 v3", "ne i8 v2 v4"} {
		text := fmt.Sprintf(`func @f (i64, i64) -> (i64) {
b0:
  v0 = arg i64 [0]
  v1 = arg i64 [1]
  v2 = ltu i8 v0 v1
  v3 = const i8 0
  v4 = const i8 1
  v5 = %s
  if v5 b1 b2 likely
b1: <- b0
  ret v0
b2: <- b0
  ret v1
}
`, opposite)
		m, err := ir.ParseModule(text)
		if err != nil {
			t.Fatal(err)
		}
		before := m.Func(1).Copy()
		before.Module = m
		applied := 0
		cfg := &Options{Verify: true}
		p := &simplifier{state: newState(m.Func(1), cfg)}
		for p.control(m.Func(1).Entry) {
			applied++
		}
		if applied != 1 || m.Func(1).Entry.Likely != -1 {
			t.Errorf("%s: %v\n%s", opposite, applied, m.Func(1))
		}
		for _, args := range [][]uint64{{1, 2}, {2, 1}, {3, 3}} {
			want, err := irtest.NewEval(m).Call(before, args)
			got, err2 := irtest.NewEval(m).Call(m.Func(1), args)
			if err != nil || err2 != nil || got[0] != want[0] {
				t.Errorf("%s of %v: %v, want %v", opposite, args, got, want)
			}
		}
	}
}

// TestLedger: changing a value without a rule is an error.
func TestLedger(t *testing.T) {
	m, err := ir.ParseModule("func @f (i64) -> (i64) {\nb0:\n  v0 = arg i64 [0]\n  v1 = add i64 v0 v0\n  ret v1\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(s *state) {
		l := newLedger(s)
		s.f.Entry.Values[1].Op = ir.OpSub
		l.close()
	}
	err = newState(m.Func(1), &Options{Verify: true}).runPass(pass{name: "simplify", run: spoil}, "")
	if err == nil || !strings.Contains(err.Error(), "was changed by no rule") {
		t.Error(err)
	}
}
