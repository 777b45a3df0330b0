package opt

import (
	"github.com/gyrvm/gyr/internal/ir"
)

// simplify folds constants and applies the algebra of each operation, the rules of rules/*.rules. A
// rule examines one operation and its operands. In reverse postorder operands come before their
// users, so one round reaches most of them. A few more rounds follow what phis and new operations
// uncover.
func simplify(s *state) { (&simplifier{state: s}).run() }

// simplifyEarly is simplify before the escape analysis.
func simplifyEarly(s *state) { (&simplifier{state: s, early: true}).run() }

func (p *simplifier) run() {
	if p.cfg.Verify {
		p.ledger = newLedger(p.state)
		defer p.ledger.close()
	}
	for round := 0; round < 4; round++ {
		p.again = false
		for _, b := range p.Dom().Order {
			p.block(b)
		}
		if !p.again {
			break
		}
		p.changed = true
	}
	p.sweep()
}

// maxRules is the most rules applied to one value in one round.
const maxRules = 8

type simplifier struct {
	*state
	inserter
	pos    ir.Pos
	again  bool
	early  bool
	ledger *ledger // set if the pass is verified
}

func (p *simplifier) block(b *ir.Block) {
	// The list is rebuilt only if a rule makes new operations.
	p.b = b
	p.out = p.out[:0]
	for i, v := range b.Values {
		p.step(1)
		if v.Op != ir.OpCopy {
			settle(v.Args)
		}
		n := len(p.out)
		p.pos = v.Pos
		for range maxRules {
			r := p.value(v)
			if r == noRule {
				break
			}
			p.again = true
			if p.ledger != nil {
				p.ledger.applied(r, v)
			}
		}
		if n == 0 && len(p.out) > 0 {
			// First new operation: it goes after the values before it.
			made := append([]*ir.Value(nil), p.out...)
			p.out = append(append(p.out[:0], b.Values[:i]...), made...)
		}
		if len(p.out) > 0 {
			p.out = append(p.out, v)
		}
	}
	if b.Ctrl != nil {
		n := len(p.out)
		p.pos = b.Pos
		b.Ctrl = origin(b.Ctrl)
		for p.control(b) {
			p.again = true
			if p.ledger != nil {
				p.ledger.told(ruleBranchInverted)
			}
		}
		if n == 0 && len(p.out) > 0 {
			made := append([]*ir.Value(nil), p.out...)
			p.out = append(append(p.out[:0], b.Values...), made...)
		}
	}
	for i, r := range b.Rets {
		b.Rets[i] = origin(r)
	}
	if len(p.out) > 0 {
		p.finish()
	}
	phisFirst(b)
}

// phisFirst restores the order of values after phis became constants.
func phisFirst(b *ir.Block) {
	n := 0
	for i, v := range b.Values {
		if v.Op != ir.OpPhi {
			continue
		}
		if i > n {
			copy(b.Values[n+1:i+1], b.Values[n:i])
			b.Values[n] = v
		}
		n++
	}
}

// control is the rule branch-inverted.
func (p *simplifier) control(b *ir.Block) bool {
	if b.Kind != ir.BlockIf {
		return false
	}
	x := invertedBool(b.Ctrl)
	if x == nil {
		return false
	}
	b.Ctrl = x
	b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
	b.Likely = -b.Likely
	return true
}

// isBool reports whether v is known to be 0 or 1.
func isBool(v *ir.Value) bool { return boolDepth(v, 3) }

func boolDepth(v *ir.Value, depth int) bool {
	if v.Op.IsCondition() {
		return true
	}
	switch v.Op {
	case ir.OpConst:
		return v.Type == ir.I8 && (v.Aux == 0 || v.Aux == 1)
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return depth > 0 && boolDepth(v.Args[0], depth-1) && boolDepth(v.Args[1], depth-1)
	case ir.OpSelect:
		return depth > 0 && boolDepth(v.Args[1], depth-1) && boolDepth(v.Args[2], depth-1)
	case ir.OpPhi:
		if depth == 0 {
			return false
		}
		for _, a := range v.Args {
			if a != v && !boolDepth(a, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// value applies the first rule that matches.
func (p *simplifier) value(v *ir.Value) rule {
	if len(v.Args) == 2 && v.Op.Commutes() && v.Args[0].Op == ir.OpConst && v.Args[1].Op != ir.OpConst {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
		if p.ledger != nil {
			p.ledger.applied(ruleConstantRight, v)
		}
	}
	if v.Op.Pure() {
		if n := len(v.Args); n > 0 && n <= 2 && v.Args[0].Op == ir.OpConst && v.Args[n-1].Op == ir.OpConst {
			if c, ok := evalConst(v); ok {
				constOf(v, c)
				return ruleFold
			}
		}
	}
	return p.rewrite(v)
}

// phiSame is the rule phi-same.
func (p *simplifier) phiSame(v *ir.Value) bool {
	var same *ir.Value
	for i, a := range v.Args {
		a = origin(a)
		v.Args[i] = a
		if a == v || a == same {
			continue
		}
		if same != nil {
			if same.Op == ir.OpConst && a.Op == ir.OpConst && same.Aux == a.Aux {
				continue
			}
			return false
		}
		same = a
	}
	if same == nil {
		return false
	}
	if same.Op == ir.OpConst {
		// Equal constants may be in different blocks.
		constOf(v, same.Aux)
	} else {
		copyOf(v, same)
	}
	return true
}

// nonNil reports whether the operation of an address alone shows that it is not nil.
func nonNil(v *ir.Value) bool {
	for {
		switch v.Op {
		case ir.OpLocalAddr, ir.OpNew, ir.OpNewArray, ir.OpClosure:
			return true
		case ir.OpConst:
			return v.Aux != 0
		case ir.OpPtrAdd, ir.OpPtrIdx:
			v = v.Args[0]
		default:
			return false
		}
	}
}
