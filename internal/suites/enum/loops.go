package enum

import (
	"fmt"
	"math/rand/v2"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// Loops is the space of loops with one induction variable.
type Loops struct {
	radix [numDigits]uint64
}

// The digits of a loop's number.
const (
	digitType = iota
	digitStart
	digitStep
	digitLimit
	digitCompare
	digitTest
	digitBody
	numDigits
)

// maxTrips is how often a loop's body runs at most. A counter ends a loop that would run longer.
const maxTrips = 40

// bounds are the values at which an induction variable starts or ends; variables come after the
// constants.
func bounds(t ir.Type) []int64 {
	least, most := int64(-1)<<(t.Bits()-1), int64(1)<<(t.Bits()-1)-1
	return []int64{0, 1, -1, 2, 7, 8, 9, 20, most, most - 1, most - 6, least, least + 1, least + 9, -9, -2}
}

// The variables for a start or limit: any number, and one from 0 to 15.
const (
	anyNumber = iota
	littleNumber
	numBoundVariables
)

func steps(t ir.Type) []int64 {
	least, most := int64(-1)<<(t.Bits()-1), int64(1)<<(t.Bits()-1)-1
	return []int64{1, -1, 2, 3, -2, 7, -3, 100, -128, most, least}
}

// A compared is the comparison of the induction variable with the limit that continues the loop.
type compared struct {
	op      ir.Op
	swapped bool // the limit comes first
}

var comparisons = []compared{
	{ir.OpLtS, false}, {ir.OpLeS, false}, {ir.OpLtU, false}, {ir.OpLeU, false},
	{ir.OpLtS, true}, {ir.OpLeS, true}, {ir.OpLtU, true}, {ir.OpLeU, true}, {ir.OpNe, false}, {ir.OpEq, false},
}

// Where the comparison is made.
const (
	atTop      = iota
	atEnd      // with the induction variable of the round that ends
	atEndNext  // with that of the next round
	atTopExits // the first successor leaves the loop
	numTests
)

// A body is what a loop adds to a sum.
type body struct {
	name  string
	traps bool
	value func(*loopSite) *ir.Value // an I64
}

// NewLoops makes the space.
func NewLoops() *Loops {
	n := uint64(len(bounds(ir.I64)) + numBoundVariables)
	return &Loops{[numDigits]uint64{digitType: uint64(len(intTypes)), digitStart: n,
		digitStep: uint64(len(steps(ir.I64))), digitLimit: n,
		digitCompare: uint64(len(comparisons)), digitTest: numTests, digitBody: uint64(len(bodies))}}
}

func (s *Loops) Name() string { return "loop" }

func (s *Loops) Size() uint64 {
	n := uint64(1)
	for _, r := range s.radix {
		n *= r
	}
	return n
}

func (s *Loops) Random(r *rand.Rand) uint64 { return r.Uint64N(s.Size()) }

// Program returns the loop with a number; every number has one.
func (s *Loops) Program(n uint64) Program {
	p := &loop{number: n}
	for i, r := range s.radix {
		p.digits[i] = int(n % r)
		n /= r
	}
	p.typ = intTypes[p.digits[digitType]]
	p.bounded = p.endless()
	return p
}

// number is the number of the loop with these digits.
func (s *Loops) number(digits [numDigits]int) (n uint64) {
	for i := len(digits) - 1; i >= 0; i-- {
		n = n*s.radix[i] + uint64(digits[i])
	}
	return n
}

// A loop is a [Program]. Its results are the sum, the induction variable after the loop, the number
// of rounds, and, after a word in which bodies count, what is known of the variable there.
type loop struct {
	number  uint64
	digits  [numDigits]int
	typ     ir.Type
	bounded bool // a counter ends it
}

func (p *loop) Number() uint64     { return p.number }
func (p *loop) Traps() bool        { return p.body().traps }
func (p *loop) Result() ir.Type    { return ir.Void }
func (p *loop) Bytes() int64       { return 40 }
func (p *loop) Smaller() []Program { return nil }
func (p *loop) body() *body        { return &bodies[p.digits[digitBody]] }
func (p *loop) step() int64        { return steps(p.typ)[p.digits[digitStep]] }
func (p *loop) how() compared      { return comparisons[p.digits[digitCompare]] }

func (p *loop) String() string {
	name := func(digit int, variable int) string {
		list := bounds(p.typ)
		switch i := p.digits[digit] - len(list); {
		case i < 0:
			return fmt.Sprint(list[p.digits[digit]])
		case i == anyNumber:
			return variables[variable].name
		}
		return variables[varLittle].name
	}
	x, y := "i", name(digitLimit, p.variable()+1)
	if p.how().swapped {
		x, y = y, x
	}
	text := fmt.Sprintf("for i %v := %s; %v %s %s; i += %d { sum += %s }", p.typ, name(digitStart, p.variable()),
		p.how().op, x, y, p.step(), p.body().name)
	text += []string{"", " tested at the end", " the next i tested at the end",
		" left by the first branch"}[p.digits[digitTest]]
	if p.bounded {
		text += fmt.Sprintf(", at most %d rounds", maxTrips)
	}
	return text
}

// variable is the number of the first variable of the loop's type.
func (p *loop) variable() int { return varX8 + int(p.typ-ir.I8)*(varX16-varX8) }

// endless reports whether the loop may run longer than maxTrips for some operands.
func (p *loop) endless() bool {
	values := func(digit int) (list []int64) {
		all := bounds(p.typ)
		switch i := p.digits[digit] - len(all); {
		case i < 0:
			return all[p.digits[digit]:][:1]
		case i == anyNumber:
			return nil
		}
		for v := range int64(16) {
			list = append(list, v)
		}
		return list
	}
	starts, limits := values(digitStart), values(digitLimit)
	for _, start := range starts {
		for _, limit := range limits {
			if p.trips(start, limit) > maxTrips {
				return true
			}
		}
	}
	return len(starts) == 0 || len(limits) == 0
}

// trips counts rounds, up to maxTrips+1.
func (p *loop) trips(i, limit int64) (n int) {
	for ; n <= maxTrips; n++ {
		at := i
		if p.digits[digitTest] == atTop || p.digits[digitTest] == atTopExits {
			if !p.goesOn(i, limit) {
				return n
			}
		}
		i = ir.TruncConst(p.typ, i+p.step())
		if p.digits[digitTest] == atEnd && !p.goesOn(at, limit) || p.digits[digitTest] == atEndNext && !p.goesOn(i, limit) {
			return n + 1
		}
	}
	return n
}

func (p *loop) goesOn(x, y int64) bool {
	if p.how().swapped {
		x, y = y, x
	}
	ux, uy := bits(p.typ, uint64(x)), bits(p.typ, uint64(y))
	switch p.how().op {
	case ir.OpLtS:
		return x < y
	case ir.OpLeS:
		return x <= y
	case ir.OpLtU:
		return ux < uy
	case ir.OpLeU:
		return ux <= uy
	case ir.OpNe:
		return x != y
	}
	return x == y
}

// A loopSite is the place where a loop's body is built.
type loopSite struct {
	*Site
	*loop
	i, start, limit, sum *ir.Value
}

// Build makes the loop.
func (p *loop) Build(s *Site) {
	l := &loopSite{Site: s, loop: p}
	l.start, l.limit = l.bound(digitStart, p.variable()), l.bound(digitLimit, p.variable()+1)
	for _, v := range []int{varX64, varY64, varLittle} {
		s.Variable(&variables[v]) // outside the loop
	}
	zero, one := s.Const(ir.I64, 0), s.Const(ir.I64, 1)
	step := s.Const(p.typ, p.step())
	head := s.F.NewBlock()
	s.Jump(head)
	s.B = head
	l.i, l.sum = s.Add(ir.OpPhi, p.typ, 0, l.start), s.Add(ir.OpPhi, ir.I64, 0, zero)
	rounds := s.Add(ir.OpPhi, ir.I64, 0, zero)
	s.Add(ir.OpGasLoop, ir.Void, 2)
	type exit struct {
		from           *ir.Block
		i, sum, rounds *ir.Value
	}
	var exits []exit
	// leave branches out of the loop, or to a block where the site continues.
	leave := func(stay *ir.Value, inverted bool, at exit) {
		next := s.F.NewBlock()
		s.B.Kind, s.B.Ctrl = ir.BlockIf, stay
		at.from = s.B
		exits = append(exits, at)
		if inverted {
			s.B.Succs = append(s.B.Succs, nil, next)
		} else {
			s.B.Succs = append(s.B.Succs, next, nil)
		}
		next.Preds = append(next.Preds, s.B)
		s.B = next
	}
	switch p.digits[digitTest] {
	case atTop:
		leave(l.compare(p.how().op, l.i), false, exit{i: l.i, sum: l.sum, rounds: rounds})
	case atTopExits:
		op := map[ir.Op]ir.Op{ir.OpLtS: ir.OpLeS, ir.OpLeS: ir.OpLtS, ir.OpLtU: ir.OpLeU, ir.OpLeU: ir.OpLtU,
			ir.OpNe: ir.OpEq, ir.OpEq: ir.OpNe}[p.how().op]
		q := *l
		if op != ir.OpNe && op != ir.OpEq {
			q.loop = &loop{digits: p.digits, typ: p.typ}
			q.loop.digits[digitCompare] = (p.digits[digitCompare] + 4) % 8 // with the operands exchanged
		}
		leave(q.compare(op, l.i), true, exit{i: l.i, sum: l.sum, rounds: rounds})
	}
	if p.bounded {
		leave(s.Add(ir.OpLtS, ir.I8, 0, rounds, s.Const(ir.I64, maxTrips)), false, exit{i: l.i, sum: l.sum, rounds: rounds})
	}
	sum := s.Add(ir.OpAdd, ir.I64, 0, l.sum, p.body().value(l))
	next, more := s.Add(ir.OpAdd, p.typ, 0, l.i, step), s.Add(ir.OpAdd, ir.I64, 0, rounds, one)
	switch p.digits[digitTest] {
	case atEnd:
		leave(l.compare(p.how().op, l.i), false, exit{i: next, sum: sum, rounds: more})
	case atEndNext:
		leave(l.compare(p.how().op, next), false, exit{i: next, sum: sum, rounds: more})
	}
	s.Jump(head)
	l.i.Args, l.sum.Args, rounds.Args = append(l.i.Args, next), append(l.sum.Args, sum), append(rounds.Args, more)
	end := s.F.NewBlock()
	s.B = end
	at, total, count := s.Add(ir.OpPhi, p.typ, 0), s.Add(ir.OpPhi, ir.I64, 0), s.Add(ir.OpPhi, ir.I64, 0)
	for _, e := range exits {
		for k, succ := range e.from.Succs {
			if succ == nil {
				e.from.Succs[k] = end
			}
		}
		end.Preds = append(end.Preds, e.from)
		at.Args, total.Args, count.Args = append(at.Args, e.i), append(total.Args, e.sum), append(count.Args, e.rounds)
	}
	s.Result(0, total)
	s.Result(1, at)
	s.Result(2, count)
	after := l.either(s.Add(ir.OpLtS, ir.I8, 0, at, s.Add(ir.OpAdd, p.typ, 0, at, step)))
	s.Result(4, s.Add(ir.OpAdd, ir.I64, 0, after, l.either(s.Add(ir.OpLeS, ir.I8, 0, l.start, at))))
}

// bound returns the start or limit.
func (l *loopSite) bound(digit, variable int) *ir.Value {
	list := bounds(l.typ)
	switch i := l.digits[digit] - len(list); {
	case i < 0:
		return l.Const(l.typ, list[l.digits[digit]])
	case i == anyNumber:
		return l.Variable(&variables[variable])
	}
	v := l.Variable(&variables[varLittle])
	if l.typ != ir.I64 {
		v = l.Add(ir.OpTrunc, l.typ, 0, v)
	}
	return v
}

// compare compares a value of the induction variable with the limit.
func (l *loopSite) compare(op ir.Op, i *ir.Value) *ir.Value {
	if l.how().swapped {
		return l.Add(op, ir.I8, 0, l.limit, i)
	}
	return l.Add(op, ir.I8, 0, i, l.limit)
}

// wide extends a value of the loop's type.
func (l *loopSite) wide(op ir.Op, v *ir.Value) *ir.Value {
	if v.Type == ir.I64 {
		return v
	}
	return l.Add(op, ir.I64, 0, v)
}

func (l *loopSite) len() *ir.Value { return l.Const(ir.I64, tableLen) }

// either returns 1 or 1000, by a branch.
func (l *loopSite) either(c *ir.Value) *ir.Value {
	yes, no := l.If(c)
	x, y := yes.Const(ir.I64, 1), no.Const(ir.I64, 1000)
	end := l.F.NewBlock()
	yes.Jump(end)
	no.Jump(end)
	l.Builder = irtest.Builder{F: l.F, B: end}
	return l.Add(ir.OpPhi, ir.I64, 0, x, y)
}

// binary returns the result of an operation on the induction variable and a constant.
func (l *loopSite) binary(op ir.Op, c int64) *ir.Value {
	k := l.typ
	switch op {
	case ir.OpShl, ir.OpShrS, ir.OpShrU:
		k = ir.I64
	}
	return l.Add(op, l.typ, 0, l.i, l.Const(k, c))
}

var bodies = []body{
	{"i, signed", false, func(l *loopSite) *ir.Value { return l.wide(ir.OpSExt, l.i) }},
	{"i, unsigned", false, func(l *loopSite) *ir.Value { return l.wide(ir.OpZExt, l.i) }},
	{"table[i], signed", true, func(l *loopSite) *ir.Value { return l.Element(l.wide(ir.OpSExt, l.i), l.len()) }},
	{"table[i], unsigned", true, func(l *loopSite) *ir.Value { return l.Element(l.wide(ir.OpZExt, l.i), l.len()) }},
	{"table[i], signed, of a length below 16", true, func(l *loopSite) *ir.Value {
		return l.Element(l.wide(ir.OpSExt, l.i), l.Variable(&variables[varLittle]))
	}},
	{"table[i-1]", true, func(l *loopSite) *ir.Value {
		return l.Element(l.wide(ir.OpSExt, l.binary(ir.OpAdd, -1)),
			l.len())
	}},
	{"table[i+1]", true, func(l *loopSite) *ir.Value {
		return l.Element(l.wide(ir.OpSExt, l.binary(ir.OpAdd, 1)),
			l.len())
	}},
	{"table[7-i]", true, func(l *loopSite) *ir.Value {
		return l.Element(l.wide(ir.OpSExt, l.Add(ir.OpSub, l.typ, 0, l.Const(l.typ, 7), l.i)), l.len())
	}},
	{"table[i&7]", true, func(l *loopSite) *ir.Value {
		return l.Element(l.wide(ir.OpZExt, l.binary(ir.OpAnd, 7)),
			l.len())
	}},
	{"table[i/2]", true, func(l *loopSite) *ir.Value {
		return l.Element(l.wide(ir.OpSExt, l.binary(ir.OpDivS, 2)),
			l.len())
	}},
	{"table[i>>1], unsigned", true, func(l *loopSite) *ir.Value {
		return l.Element(l.wide(ir.OpZExt, l.binary(ir.OpShrU, 1)), l.len())
	}},
	{"table[a variable]", true, func(l *loopSite) *ir.Value {
		return l.Element(l.Variable(&variables[varLittle]),
			l.len())
	}},
	{"the comparison again", false, func(l *loopSite) *ir.Value { return l.either(l.compare(l.how().op, l.i)) }},
	{"i < limit, signed", false, func(l *loopSite) *ir.Value { return l.either(l.Add(ir.OpLtS, ir.I8, 0, l.i, l.limit)) }},
	{"i < limit, unsigned", false, func(l *loopSite) *ir.Value {
		return l.either(l.Add(ir.OpLtU, ir.I8, 0, l.i,
			l.limit))
	}},
	{"start <= i, signed", false, func(l *loopSite) *ir.Value {
		return l.either(l.Add(ir.OpLeS, ir.I8, 0, l.start,
			l.i))
	}},
	{"start <= i, unsigned", false, func(l *loopSite) *ir.Value {
		return l.either(l.Add(ir.OpLeU, ir.I8, 0, l.start,
			l.i))
	}},
	{"i == limit", false, func(l *loopSite) *ir.Value { return l.either(l.Add(ir.OpEq, ir.I8, 0, l.i, l.limit)) }},
	{"i < 0", false, func(l *loopSite) *ir.Value { return l.either(l.Add(ir.OpLtS, ir.I8, 0, l.i, l.Const(l.typ, 0))) }},
	{"i < 8, unsigned", false, func(l *loopSite) *ir.Value {
		return l.either(l.Add(ir.OpLtU, ir.I8, 0, l.i,
			l.Const(l.typ, 8)))
	}},
	{"i < i + 1", false, func(l *loopSite) *ir.Value {
		return l.either(l.Add(ir.OpLtS, ir.I8, 0, l.i,
			l.binary(ir.OpAdd, 1)))
	}},
	{"i * 3", false, func(l *loopSite) *ir.Value { return l.wide(ir.OpSExt, l.binary(ir.OpMul, 3)) }},
	{"i % 3", false, func(l *loopSite) *ir.Value { return l.wide(ir.OpSExt, l.binary(ir.OpRemS, 3)) }},
	{"i % 4, unsigned", false, func(l *loopSite) *ir.Value { return l.wide(ir.OpZExt, l.binary(ir.OpRemU, 4)) }},
	{"i / 4", false, func(l *loopSite) *ir.Value { return l.wide(ir.OpSExt, l.binary(ir.OpDivS, 4)) }},
	{"limit - i", false, func(l *loopSite) *ir.Value {
		return l.wide(ir.OpSExt,
			l.Add(ir.OpSub, l.typ, 0, l.limit, l.i))
	}},
	{"x * y >> 3", false, func(l *loopSite) *ir.Value {
		x := l.Add(ir.OpMul, ir.I64, 0, l.Variable(&variables[varX64]), l.Variable(&variables[varY64]))
		return l.Add(ir.OpShrS, ir.I64, 0, x, l.Const(ir.I64, 3))
	}},
	{"what a word of memory counts", false, func(l *loopSite) *ir.Value {
		x := l.Add(ir.OpLoad, ir.I64, l.at+24, l.out)
		l.Add(ir.OpStore, ir.Void, l.at+24, l.out, l.Add(ir.OpAdd, ir.I64, 0, x, l.Const(ir.I64, 1)))
		return x
	}},
}
