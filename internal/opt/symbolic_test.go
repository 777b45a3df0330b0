package opt

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	logic "github.com/gyrvm/gyr/internal/opt/rules/prove"
	"github.com/gyrvm/gyr/internal/opt/rules/smt"
)

// A symbolic machine translates a function without loops into the logic of bit vectors and arrays,
// for all arguments and all contents of memory at once. Memory is an array of bytes with addresses
// of 32 bits, so pointers may alias in any way. The behaviour of a function is its end (which
// return or trap, with which operands), its results, the gas that it used, and memory.
type symbolic struct {
	q    *smt.Query
	name string // of this function's terms
	n    int

	vals map[*ir.Value]string
	at   map[*ir.Block]*symbolicBlock
	ends []symbolicEnd
}

// A symbolicBlock is the state at the end of a block: whether control reached it, memory, gas.
type symbolicBlock struct {
	cond, mem, gas string
	ways           []string // the condition of each edge
}

// A symbolicEnd is one way to leave the function.
type symbolicEnd struct {
	cond, mem, gas string
	kind           string   // a number of 64 bits
	vals           []string // of 64 bits
}

const (
	memorySort = "(Array (_ BitVec 32) (_ BitVec 8))"
	maxResults = 6
)

func bv(x int64, bits uint) string {
	return fmt.Sprintf("(_ bv%d %d)", uint64(x)&(^uint64(0)>>(64-bits)), bits)
}

// define gives a term a name.
func (s *symbolic) define(sort, term string) string {
	s.n++
	name := fmt.Sprintf("%s%d", s.name, s.n)
	s.q.Declare = append(s.q.Declare, smt.Variable{Name: name, Sort: sort})
	s.q.Assume = append(s.q.Assume, fmt.Sprintf("(= %s %s)", name, term))
	return name
}

// sameBehaviour claims that two functions with the same parameters behave the same. It returns an
// error for a function with a loop, or with an operation without a term in the logic.
func sameBehaviour(f, g *ir.Func) (smt.Query, error) {
	q := &smt.Query{Declare: []smt.Variable{{Name: "memory", Sort: memorySort}}}
	for i, t := range f.Sig.Params {
		q.Declare = append(q.Declare, smt.Variable{Name: fmt.Sprint("arg", i), Sort: smt.BitVec(logic.ShapeOf(t).Bits)})
	}
	a, err := symbolically(q, "a", f)
	if err != nil {
		return *q, err
	}
	b, err := symbolically(q, "b", g)
	if err != nil {
		return *q, err
	}
	goal := []string{"(= " + a.mem + " " + b.mem + ")", "(= " + a.gas + " " + b.gas + ")", "(= " + a.kind + " " + b.kind + ")"}
	for i := range maxResults {
		goal = append(goal, "(= "+a.vals[i]+" "+b.vals[i]+")")
	}
	q.Goal = "(and " + strings.Join(goal, " ") + ")"
	return *q, nil
}

// symbolically runs f and returns all its ends as one.
func symbolically(q *smt.Query, name string, f *ir.Func) (end symbolicEnd, err error) {
	s := &symbolic{q: q, name: name, vals: map[*ir.Value]string{}, at: map[*ir.Block]*symbolicBlock{}}
	d := ir.NewDom(f)
	for _, b := range d.Order {
		if err := s.block(b); err != nil {
			return end, err
		}
	}
	end = symbolicEnd{mem: "memory", gas: bv(0, 64), kind: bv(-1, 64)}
	for range maxResults {
		end.vals = append(end.vals, bv(0, 64))
	}
	choose := func(cond, x, y string) string { return fmt.Sprintf("(ite %s %s %s)", cond, x, y) }
	for _, e := range s.ends {
		end.mem = s.define(memorySort, choose(e.cond, e.mem, end.mem))
		end.gas = s.define(smt.BitVec(64), choose(e.cond, e.gas, end.gas))
		end.kind = s.define(smt.BitVec(64), choose(e.cond, e.kind, end.kind))
		for i := range maxResults {
			x := bv(0, 64)
			if i < len(e.vals) {
				x = e.vals[i]
			}
			end.vals[i] = s.define(smt.BitVec(64), choose(e.cond, x, end.vals[i]))
		}
	}
	return end, nil
}

// wide returns a value as a number of 64 bits.
func (s *symbolic) wide(v *ir.Value) string {
	if n := logic.ShapeOf(v.Type).Bits; n < 64 {
		return fmt.Sprintf("((_ zero_extend %d) %s)", 64-n, s.vals[v])
	}
	return s.vals[v]
}

func (s *symbolic) block(b *ir.Block) error {
	x := &symbolicBlock{cond: "true", mem: "memory", gas: bv(0, 64)}
	if len(b.Preds) > 0 {
		// The edges of each predecessor to this block: several edges of a switch are one.
		var ways, mems, gases []string
		for i, p := range b.Preds {
			from := s.at[p]
			if from == nil {
				return fmt.Errorf("a loop at %s", b)
			}
			nth := 0
			for _, q := range b.Preds[:i] {
				if q == p {
					nth++
				}
			}
			way := ""
			for k, t := range p.Succs {
				if t == b {
					if nth == 0 {
						way = from.ways[k]
						break
					}
					nth--
				}
			}
			ways, mems, gases = append(ways, way), append(mems, from.mem), append(gases, from.gas)
		}
		x.cond = s.define("Bool", "(or false "+strings.Join(ways, " ")+")")
		pick := func(list []string) string {
			term := list[0]
			for i := 1; i < len(list); i++ {
				term = fmt.Sprintf("(ite %s %s %s)", ways[i], list[i], term)
			}
			return term
		}
		x.mem, x.gas = s.define(memorySort, pick(mems)), s.define(smt.BitVec(64), pick(gases))
		for _, v := range b.Phis() {
			var list []string
			for _, a := range v.Args {
				list = append(list, s.vals[a])
			}
			s.vals[v] = s.define(smt.BitVec(logic.ShapeOf(v.Type).Bits), pick(list))
		}
	}
	for _, v := range b.Values {
		if err := s.value(x, v); err != nil {
			return err
		}
	}
	switch b.Kind {
	case ir.BlockJump:
		x.ways = []string{x.cond}
	case ir.BlockIf:
		c := fmt.Sprintf("(= %s %s)", s.vals[b.Ctrl], bv(1, 8))
		x.ways = []string{"(and " + x.cond + " " + c + ")", "(and " + x.cond + " (not " + c + "))"}
	case ir.BlockSwitch:
		none := "true"
		for _, k := range b.Cases {
			c := fmt.Sprintf("(= %s %s)", s.vals[b.Ctrl], bv(k, b.Ctrl.Type.Bits()))
			x.ways = append(x.ways, "(and "+x.cond+" "+c+")")
			none += " (not " + c + ")"
		}
		x.ways = append(x.ways, "(and "+x.cond+" "+none+")")
	case ir.BlockReturn:
		s.end(x, x.cond, 0, b.Rets)
	}
	s.at[b] = x
	return nil
}

func (s *symbolic) end(x *symbolicBlock, cond string, kind int64, vals []*ir.Value) {
	e := symbolicEnd{cond: cond, mem: x.mem, gas: x.gas, kind: bv(kind, 64)}
	for _, v := range vals {
		e.vals = append(e.vals, s.wide(v))
	}
	s.ends = append(s.ends, e)
}

// trap ends the function where cond holds.
func (s *symbolic) trap(x *symbolicBlock, cond string, kind int64, vals []*ir.Value) {
	s.end(x, "(and "+x.cond+" "+cond+")", kind, vals)
	x.cond = s.define("Bool", "(and "+x.cond+" (not "+cond+"))")
}

func address(p string, off int64) string { return fmt.Sprintf("(bvadd %s %s)", p, bv(off, 32)) }

// errNoTerm says that package prove has no term for an operation.
var errNoTerm = errors.New("no term")

func (s *symbolic) value(x *symbolicBlock, v *ir.Value) error {
	shape := logic.ShapeOf(v.Type)
	arg := func(i int) string { return s.vals[v.Args[i]] }
	switch v.Op {
	case ir.OpPhi, ir.OpKeep:
		return nil
	case ir.OpConst:
		s.vals[v] = bv(v.Aux, shape.Bits)
		return nil
	case ir.OpArg:
		s.vals[v] = fmt.Sprint("arg", v.Aux)
		return nil
	case ir.OpGas, ir.OpGasLoop:
		x.gas = s.define(smt.BitVec(64), fmt.Sprintf("(bvadd %s %s)", x.gas, bv(v.Aux, 64)))
		return nil
	case ir.OpLoad:
		if v.Type.IsFloat() {
			break
		}
		term := ""
		for k := range int64(shape.Bits / 8) { // the highest byte first
			term = fmt.Sprintf(" (select %s %s)", x.mem, address(arg(0), v.Aux+k)) + term
		}
		if shape.Bits > 8 {
			term = "(concat" + term + ")"
		}
		s.vals[v] = s.define(smt.BitVec(shape.Bits), term)
		return nil
	case ir.OpStore:
		if v.Args[1].Type.IsFloat() {
			break
		}
		term, y := x.mem, s.wide(v.Args[1])
		for k := range v.Args[1].Type.Size() {
			term = fmt.Sprintf("(store %s %s ((_ extract %d %d) %s))", term, address(arg(0), v.Aux+k), 8*k+7, 8*k, y)
		}
		x.mem = s.define(memorySort, term)
		return nil
	case ir.OpNilCheck:
		s.trap(x, fmt.Sprintf("(= %s %s)", arg(0), bv(0, 32)), 1, nil)
		return nil
	case ir.OpBounds:
		s.trap(x, fmt.Sprintf("(bvuge %s %s)", arg(0), arg(1)), 2+v.Aux, v.Args)
		return nil
	case ir.OpCheck:
		s.trap(x, fmt.Sprintf("(= %s %s)", arg(0), bv(0, 8)), 2+v.Aux, v.Args[1:])
		return nil
	}
	o, ok := logic.Operations[v.Op.String()]
	if !ok || o.Term == nil {
		return fmt.Errorf("%w for %s", errNoTerm, v.LongString())
	}
	var args []string
	first := logic.Shape{}
	for i, a := range v.Args {
		args = append(args, s.vals[a])
		if i == 0 {
			first = logic.ShapeOf(a.Type)
		}
	}
	if v.Op == ir.OpPtrIdx {
		args = append(args, bv(v.Aux, 64), bv(v.Aux2, 64))
	}
	s.vals[v] = s.define(smt.BitVec(shape.Bits), o.Term(shape, first, args))
	return nil
}
