package opt

import (
	"bytes"
	"errors"
	"go/ast"
	"math/rand/v2"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt/rules"
	proofs "github.com/gyrvm/gyr/internal/opt/rules/prove"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// An instance is the pattern of a rule as IR: a function that computes it from its arguments. For
// some of the values in a fact, package opt can derive the fact.
type instance struct {
	r       *rules.Rule
	w       proofs.Widths
	rng     *rand.Rand
	b       *irtest.Builder
	facts   map[string]bool // of values, "name fact"
	values  map[string]*ir.Value
	consts  map[string]int64
	touches bool
	root    *ir.Value
}

const instanceData = 512

func newInstance(r *rules.Rule, w proofs.Widths, rng *rand.Rand) *instance {
	data := make([]byte, instanceData)
	for i := range data {
		data[i] = byte(rng.IntN(3)) // so that bytes are often equal
	}
	in := &instance{r: r, w: w, rng: rng, facts: map[string]bool{}, values: map[string]*ir.Value{}, consts: map[string]int64{},
		touches: r.Touches(ir.ReadMem | ir.WriteMem)}
	for _, e := range r.Conds {
		ast.Inspect(e, func(n ast.Node) bool {
			if e, ok := n.(*ast.CallExpr); ok {
				if name, fact := rules.IsFact(e); fact {
					in.facts[e.Args[0].(*ast.Ident).Name+" "+name] = true
				}
			}
			return true
		})
	}
	in.b = irtest.NewFunc(irtest.NewModule(data, 0), "f", ir.Sig{})
	in.b.F.AddLocal(ir.Local{Size: 8, Align: 8})
	in.root = in.build(r.Pattern)
	if in.root.Type == ir.Void {
		in.b.Return()
	} else {
		in.b.F.Sig.Results = []ir.Type{in.root.Type}
		in.b.Return(in.root)
	}
	return in
}

func (in *instance) typeOf(n *rules.Node) ir.Type {
	if n.Info != nil && n.Info.Result == 'v' {
		return ir.Void
	}
	return typeOf(in.w[n.Type.Find()])
}

func (in *instance) arg(t ir.Type) *ir.Value {
	sig := &in.b.F.Sig
	sig.Params = append(sig.Params, t)
	return in.b.Add(ir.OpArg, t, int64(len(sig.Params)-1))
}

// condition is a value that is known to be 0 or 1.
func (in *instance) condition() *ir.Value {
	return in.b.Add([]ir.Op{ir.OpLtU, ir.OpEq}[in.rng.IntN(2)], ir.I8, 0, in.arg(ir.I64), in.arg(ir.I64))
}

// number is a constant that rules often ask for.
func (in *instance) number(t ir.Type) int64 {
	small := []int64{0, 1, 2, 3, 4, 7, 8, -1, 16, 24, -2, 255, -8}
	switch {
	case t == ir.Ptr && in.touches:
		return ir.DataBase + in.rng.Int64N(64)
	case in.touches:
		return small[in.rng.IntN(8)]
	case t.IsFloat():
		b := proofs.Boundaries(proofs.ShapeOf(t))
		return proofs.ShapeOf(t).Const(b[in.rng.IntN(len(b))])
	case in.rng.IntN(3) == 0:
		return ir.TruncConst(t, 1<<in.rng.IntN(64))
	case in.rng.IntN(3) == 0:
		return ir.TruncConst(t, int64(in.rng.Uint64()>>in.rng.IntN(64)))
	}
	return ir.TruncConst(t, small[in.rng.IntN(len(small))])
}

func (in *instance) named(name string, t ir.Type) int64 {
	if _, ok := in.consts[name]; !ok {
		in.consts[name] = in.number(t)
	}
	return in.consts[name]
}

// build makes the values of a term.
func (in *instance) build(n *rules.Node) (v *ir.Value) {
	t := in.typeOf(n)
	switch n.Kind {
	case rules.Var:
		if v = in.values[n.Name]; v == nil {
			v = in.variable(n.Name, t)
		}
		in.values[n.Name] = v
	case rules.Const:
		v = in.b.Const(t, in.named(n.Name, t))
	case rules.Lit:
		v = in.b.Const(t, n.Lit)
	case rules.Op:
		v = in.operation(n, t)
	}
	if n.As != "" {
		in.values[n.As] = v
	}
	return v
}

func (in *instance) operation(n *rules.Node, t ir.Type) *ir.Value {
	var args []*ir.Value
	for i, a := range n.Args {
		if a.Kind == rules.Var && in.values[a.Name] == nil && n.Info.Args[i] == 'b' {
			in.values[a.Name] = in.condition()
		}
		args = append(args, in.build(a))
	}
	op, ok := rules.OpOf(n.Op)
	if !ok { // the inverted condition
		if in.rng.IntN(2) == 0 {
			return in.b.Add(ir.OpXor, ir.I8, 0, args[0], in.b.Const(ir.I8, 1))
		}
		return in.b.Add(ir.OpEq, ir.I8, 0, args[0], in.b.Const(ir.I8, 0))
	}
	v := in.b.Add(op, t, 0, args...)
	if op == ir.OpMove || op == ir.OpClear {
		v.Aux = 8
	}
	for i, a := range n.Aux {
		x := int64(0)
		if a.Name != "" {
			x = in.aux(op, i, a.Name)
		} else if a.Expr.(*ast.BasicLit).Value == "1" {
			x = 1
		}
		*[]*int64{&v.Aux, &v.Aux2}[i] = x
	}
	return v
}

// aux is a constant that is valid for the operation.
func (in *instance) aux(op ir.Op, i int, name string) int64 {
	if _, ok := in.consts[name]; !ok {
		in.consts[name] = in.rng.Int64N(40)
		if op == ir.OpMoveN {
			in.consts[name] = []int64{0, in.rng.Int64N(2)}[i]
		}
	}
	return in.consts[name]
}

// variable is a value for which opt knows some of the facts in the rule.
func (in *instance) variable(name string, t ir.Type) *ir.Value {
	has := func(fact string) bool { return in.facts[name+" "+fact] }
	switch {
	case has("bool") && t == ir.I8:
		return in.condition()
	case has("nonnil"):
		return in.b.Add(ir.OpLocalAddr, ir.Ptr, 0)
	case (has("bits") || has("umax") || has("smin") || has("smax")) && t.IsInt():
		if in.rng.IntN(6) == 0 {
			return in.b.Const(t, in.number(t))
		}
		return in.b.Add(ir.OpAnd, t, 0, in.arg(t), in.b.Const(t, []int64{1, 6, 15, 64, 127, -1}[in.rng.IntN(6)]))
	}
	return in.arg(t)
}

// operands are arguments for one evaluation.
func (in *instance) operands() (args []uint64) {
	for _, t := range in.b.F.Sig.Params {
		s := proofs.ShapeOf(t)
		b := proofs.Boundaries(s)
		switch {
		case t == ir.Ptr:
			args = append(args, ir.DataBase+in.rng.Uint64N(instanceData/2))
		case in.touches && t == ir.I64:
			args = append(args, in.rng.Uint64N(20))
		case in.rng.IntN(2) == 0:
			args = append(args, b[in.rng.IntN(len(b))])
		default:
			args = append(args, s.Mask(in.rng.Uint64()>>in.rng.IntN(64)))
		}
	}
	return args
}

// An end is the outcome of an evaluation.
type end struct {
	results []uint64
	mem     []byte
	gas     int64
	trap    bool
}

func (in *instance) eval(f *ir.Func, args []uint64) (x end) {
	e := irtest.NewEval(in.b.F.Module)
	results, err := e.Call(f, args)
	if trap := (*irtest.Trap)(nil); errors.As(err, &trap) {
		return end{trap: true}
	} else if err != nil {
		panic(err)
	}
	return end{results, e.Mem[:instanceData], e.Gas, false}
}

func (x *end) equal(y *end, t ir.Type) bool {
	if x.trap != y.trap || x.gas != y.gas || !bytes.Equal(x.mem, y.mem) || len(x.results) != len(y.results) {
		return false
	}
	for i, a := range x.results {
		if b := y.results[i]; a != b && !(t.IsFloat() && isNaN(t, int64(a)) && isNaN(t, int64(b))) {
			return false
		}
	}
	return true
}

// apply runs the simplifier once over the function and returns the rule that it applied to the
// root.
func (in *instance) apply() rule {
	f := in.b.F
	p := &simplifier{state: newState(f, &Options{}), early: in.rng.IntN(2) == 0}
	p.b = in.b.B
	if in.r.IsView() {
		x := invertedBool(in.root)
		if x == nil {
			return noRule
		}
		one := in.b.Const(ir.I8, 1)
		in.b.B.Rets[0] = in.b.Add(ir.OpXor, ir.I8, 0, x, one)
		return ruleNumber(in.r.Name)
	}
	r := p.value(in.root)
	for i, v := range in.b.B.Values {
		if v == in.root {
			in.b.B.Values = append(append(append([]*ir.Value(nil), in.b.B.Values[:i]...), p.out...), in.b.B.Values[i:]...)
			break
		}
	}
	p.sweep()
	return r
}

func ruleNumber(name string) rule {
	for i, s := range ruleNames {
		if s == name {
			return rule(i)
		}
	}
	return noRule
}

// TestRulesDoWhatTheySay: the matcher applies every rule to its pattern. The result has the same
// effect on results, memory, traps and gas, in the evaluator of the IR. For rules about memory this
// is the proof.
func TestRulesDoWhatTheySay(t *testing.T) {
	list, err := rules.All()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	memory, tries := 0, 20
	if testing.Short() {
		tries = 5
	}
	for _, r := range list {
		if r.Pattern == nil {
			continue
		}
		if !proofs.Algebra(r) {
			memory++
		}
		applied := 0
		widths := proofs.Real(r)
		for try := 0; try < 2000 && applied < tries; try++ {
			in := newInstance(r, widths[try%len(widths)], rng)
			before := in.b.F.Copy()
			before.Module = in.b.F.Module
			got := in.apply()
			if got == noRule {
				continue
			}
			if got == ruleNumber(r.Name) {
				applied++
			}
			if err := ir.Verify(in.b.F); err != nil {
				t.Fatalf("%s: %v\n%s", r.Name, err, in.b.F)
			}
			for range tries {
				args := in.operands()
				if divides(before, args) {
					continue
				}
				x, y := in.eval(before, args), in.eval(in.b.F, args)
				typ := ir.Void
				if len(before.Sig.Results) > 0 {
					typ = before.Sig.Results[0]
				}
				if !x.equal(&y, typ) {
					t.Fatalf("%s, by %s, with %#x: %v, want %v\n%s\nwas\n%s", r.Name, got, args, y.results, x.results, in.b.F, before)
				}
			}
		}
		if applied == 0 {
			t.Errorf("%s:%d: %s is never applied: another rule takes all that it matches", r.File, r.Line, r)
		}
	}
	t.Logf("%d rules, of which %d are about memory or gas", len(list), memory)
}

// divides reports whether a divisor in the function may be zero.
func divides(f *ir.Func, args []uint64) bool {
	for _, v := range f.Entry.Values {
		if v.Op.Divides() {
			d := v.Args[1]
			if d.Op == ir.OpConst && d.Aux == 0 || d.Op == ir.OpArg && args[d.Aux] == 0 {
				return true
			}
		}
	}
	return false
}
