package irtest

import (
	"math"
	"math/rand/v2"

	"github.com/gyrvm/gyr/internal/ir"
)

// Memory of random modules: a window that the functions read and write, and the place for the
// entry's results.
const (
	WindowSize = 256
	ResultAddr = ir.DataBase + WindowSize
	sinkAddr   = trapEnd // where the functions store otherwise unused values
	sinkSize   = 1024
)

// A generator makes random functions: structured control flow over an
// environment of variables, whose joins make phis.
type generator struct {
	r     *rand.Rand
	mod   *ir.Module
	f     *ir.Func
	b     *ir.Block
	env   []*ir.Value // the current values of the variables
	pool  []*ir.Value // other values that dominate the current point
	fuel  int
	loops int
	traps bool
	self  int // index of the function being made
}

var varTypes = []ir.Type{ir.I64, ir.I64, ir.I64, ir.I32, ir.I32, ir.I16, ir.I8, ir.F64, ir.F64, ir.F32, ir.Ptr}

// Random makes a module of a few random functions. Its entry calls the last one several times and
// stores its results at ResultAddr. With traps, checks may fail. Every value has a site of its own,
// whose line is the value's number.
func Random(seed uint64, size int, traps bool) *ir.Module {
	r := rand.New(rand.NewPCG(seed, 12345))
	mod := NewModule(make([]byte, WindowSize), 4096)
	mod.Files, mod.Sites, mod.Pos = []string{"random.go"}, make([]ir.Site, 1), make([]ir.PosEntry, 1)
	for i := range mod.Data {
		mod.Data[i] = byte(r.Uint32())
	}
	n := 1 + r.IntN(3)
	for i := 0; i < n; i++ {
		g := &generator{r: r, mod: mod, fuel: size, traps: traps, self: mod.NumFuncs()}
		g.function()
	}
	main := newFunc(mod, "main", ir.Sig{})
	b := main.NewBlock()
	last := mod.Func(mod.NumFuncs() - 2)
	g := &generator{r: r, mod: mod, f: main, b: b}
	at := int64(0)
	res := g.value(ir.OpConst, ir.Ptr, ResultAddr)
	for k := 0; k < 3; k++ {
		var args []*ir.Value
		for _, t := range last.Sig.Params {
			args = append(args, g.constant(t))
		}
		for i, v := range g.call(last, args) {
			g.effect(ir.OpStore, at, res, v)
			at += 8
			_ = i
		}
	}
	b.Kind = ir.BlockReturn
	mod.Entry = main
	return mod
}

func newFunc(mod *ir.Module, name string, sig ir.Sig) *ir.Func {
	f := &ir.Func{Name: name, Sig: sig}
	mod.AddFunc(f)
	return f
}

func (g *generator) value(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
	v := g.f.NewValue(op, t, args...)
	v.Aux = aux
	v.Pos = ir.Pos(len(g.mod.Pos))
	g.mod.Pos = append(g.mod.Pos, ir.PosEntry{Site: int32(len(g.mod.Sites))})
	g.mod.Sites = append(g.mod.Sites, ir.Site{Func: g.f.Index, Line: int32(len(g.mod.Sites))})
	return g.b.Append(v)
}

func (g *generator) effect(op ir.Op, aux int64, args ...*ir.Value) {
	g.value(op, ir.Void, aux, args...)
}

func (g *generator) call(f *ir.Func, args []*ir.Value) []*ir.Value {
	v := g.value(ir.OpCall, f.Sig.Result(), 0, args...)
	v.Fn, v.Sig = f, &f.Sig
	var out []*ir.Value
	for i, t := range f.Sig.Results {
		if i == 0 {
			out = append(out, v)
		} else {
			out = append(out, g.value(ir.OpResult, t, int64(i), v))
		}
	}
	return out
}

func (g *generator) sigTypes(n int) []ir.Type {
	ts := make([]ir.Type, n)
	for i := range ts {
		ts[i] = varTypes[g.r.IntN(len(varTypes)-1)]
	}
	return ts
}

func (g *generator) function() {
	sig := ir.Sig{Params: g.sigTypes(g.r.IntN(6)), Results: g.sigTypes(g.r.IntN(5))}
	g.f = newFunc(g.mod, "f", sig)
	g.b = g.f.NewBlock()
	if g.r.IntN(2) == 0 {
		g.charge(int64(g.r.IntN(100)))
	}
	for i, t := range sig.Params {
		g.pool = append(g.pool, g.value(ir.OpArg, t, int64(i)))
	}
	g.newLocals()
	for _, t := range varTypes {
		g.env = append(g.env, g.pick(t))
	}
	g.region(0)
	g.b.Kind = ir.BlockReturn
	for _, t := range sig.Results {
		g.b.Rets = append(g.b.Rets, g.pick(t))
	}
}

// special are values that make operations interesting.
var special = []int64{0, 1, -1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
	math.MaxInt32, math.MinInt32, math.MaxUint32, math.MaxInt64, math.MinInt64, -128, -129, -32768, -32769, 1 << 33,
	1000000007}
var specialF = []float64{0, 1, -1, 0.5, 1.5, 1e10, -1e300, 9.3e18, 1.8e19, 2e19, -9.3e18, math.Inf(1), math.NaN(),
	3.7, 2.5, 1e-310}

func (g *generator) constant(t ir.Type) *ir.Value {
	switch t {
	case ir.F64:
		return g.value(ir.OpConst, t, int64(math.Float64bits(specialF[g.r.IntN(len(specialF))])))
	case ir.F32:
		return g.value(ir.OpConst, t, int64(math.Float32bits(float32(specialF[g.r.IntN(len(specialF))]))))
	case ir.Ptr:
		return g.value(ir.OpConst, t, ir.DataBase+int64(g.r.IntN(WindowSize/2))&^7)
	}
	x := special[g.r.IntN(len(special))]
	if g.r.IntN(4) == 0 {
		x = int64(g.r.Uint64())
	}
	return g.value(ir.OpConst, t, signed(t, uint64(x)))
}

// pick returns some value of type t.
func (g *generator) pick(t ir.Type) *ir.Value {
	if g.r.IntN(6) == 0 {
		return g.constant(t)
	}
	var found *ir.Value
	n := 0
	for _, v := range g.env {
		if v != nil && v.Type == t {
			if n++; g.r.IntN(n) == 0 {
				found = v
			}
		}
	}
	for i := len(g.pool) - 1; i >= 0 && i > len(g.pool)-40; i-- {
		if v := g.pool[i]; v.Type == t {
			if n++; g.r.IntN(n) == 0 {
				found = v
			}
		}
	}
	if found == nil {
		return g.constant(t)
	}
	return found
}

func (g *generator) intType() ir.Type {
	return []ir.Type{ir.I64, ir.I64, ir.I32, ir.I16, ir.I8}[g.r.IntN(5)]
}

func (g *generator) floatType() ir.Type { return []ir.Type{ir.F64, ir.F32}[g.r.IntN(2)] }

func (g *generator) newBlock() *ir.Block { return g.f.NewBlock() }

func (g *generator) headGas(loop bool) {
	switch {
	case loop || g.r.IntN(5) == 0:
		g.effect(ir.OpGasLoop, int64(g.r.IntN(20)))
	case g.r.IntN(2) == 0:
		n := int64(g.r.IntN(50))
		if g.r.IntN(10) == 0 {
			n = 70000
		}
		g.charge(n)
	}
}

// charge makes a plain charge, which may be late.
func (g *generator) charge(n int64) {
	g.value(ir.OpGas, ir.Void, n).Aux2 = int64(g.r.IntN(2))
}

// region makes statements at the current point.
func (g *generator) region(depth int) {
	for n := 1 + g.r.IntN(6); n > 0 && g.fuel > 0; n-- {
		g.fuel--
		k := g.r.IntN(20)
		switch {
		case k < 12 || depth > 4:
			for j := g.r.IntN(4); j >= 0; j-- {
				g.step()
			}
		case k < 15:
			g.ifElse(depth)
		case k < 17:
			g.loop(depth)
		case k < 18:
			g.switchStmt(depth)
		default:
			if g.self > 1 && g.loops < 2 {
				f := g.mod.Func(1 + g.r.IntN(g.self-1))
				var args []*ir.Value
				for _, t := range f.Sig.Params {
					args = append(args, g.pick(t))
				}
				for _, v := range g.call(f, args) {
					g.assign(v)
				}
			}
		}
	}
}

// assign makes v available, and often assigns it to a variable. Some integers are followed by
// operations on them. The result of these is stored, since most values are never used.
func (g *generator) assign(v *ir.Value) {
	if n := g.r.IntN(8); n < 3 && v.Type.IsInt() {
		for ; n >= 0; n-- {
			v = g.follow(v)
		}
		g.effect(ir.OpStore, 0, g.value(ir.OpConst, ir.Ptr, sinkAddr+int64(g.r.IntN(sinkSize-8))), v)
	}
	g.pool = append(g.pool, v)
	if g.r.IntN(3) > 0 {
		var at []int
		for i, t := range varTypes {
			if t == v.Type {
				at = append(at, i)
			}
		}
		g.env[at[g.r.IntN(len(at))]] = v
	}
}

// join makes phis of environments in the current block, one operand per predecessor.
func (g *generator) join(envs [][]*ir.Value) {
	for i, t := range varTypes {
		same := true
		for _, e := range envs {
			same = same && e[i] == envs[0][i]
		}
		if same && g.r.IntN(8) > 0 {
			g.env[i] = envs[0][i]
			continue
		}
		var args []*ir.Value
		for _, e := range envs {
			args = append(args, e[i])
		}
		g.env[i] = g.value(ir.OpPhi, t, 0, args...)
	}
}

func clone(e []*ir.Value) []*ir.Value { return append([]*ir.Value(nil), e...) }

// branch runs body in block s with the environment env. It returns the environment and the block at
// the end.
func (g *generator) branch(s *ir.Block, env []*ir.Value, depth int) ([]*ir.Value, *ir.Block) {
	save := len(g.pool)
	g.b, g.env = s, clone(env)
	g.headGas(false)
	g.region(depth + 1)
	g.pool = g.pool[:save]
	return g.env, g.b
}

// oneOf draws an operation of a class.
func (g *generator) oneOf(c ir.Class) ir.Op {
	list := ir.OpsOf(c)
	return list[g.r.IntN(len(list))]
}

// integerOps are the operations on integers other than divisions and shifts, by their operands in
// the table.
var integerOps = func() map[string][]ir.Op {
	list := map[string][]ir.Op{}
	for _, c := range []ir.Class{ir.ClassArithmetic, ir.ClassBitCount} {
		for _, op := range ir.OpsOf(c) {
			list[op.Info().Args] = append(list[op.Info().Args], op)
		}
	}
	return list
}()

// oftenOf draws an operation from a list; operations that are named again in more are twice as
// likely.
func oftenOf(r *rand.Rand, list []ir.Op, more ...ir.Op) ir.Op {
	if n := r.IntN(len(list) + len(more)); n < len(list) {
		return list[n]
	} else {
		return more[n-len(list)]
	}
}

func (g *generator) condition() *ir.Value {
	if g.r.IntN(8) == 0 {
		t := g.floatType()
		op := g.oneOf(ir.ClassFloatComparison)
		return g.value(op, ir.I8, 0, g.pick(t), g.pick(t))
	}
	op := g.oneOf(ir.ClassComparison)
	t := g.intType()
	return g.value(op, ir.I8, 0, g.pick(t), g.pick(t))
}

func (g *generator) ifElse(depth int) {
	c := g.condition()
	head := g.b
	head.Kind, head.Ctrl = ir.BlockIf, c
	env := g.env
	then := g.newBlock()
	join := g.newBlock()
	switch g.r.IntN(2) {
	case 0: // no else
		if g.r.IntN(2) == 0 {
			head.AddEdge(then)
			head.AddEdge(join)
		} else {
			head.AddEdge(join)
			head.AddEdge(then)
		}
		e1, b1 := g.branch(then, env, depth)
		b1.Kind = ir.BlockJump
		b1.AddEdge(join)
		g.b, g.env = join, clone(env)
		g.join([][]*ir.Value{env, e1})
	default:
		els := g.newBlock()
		head.AddEdge(then)
		head.AddEdge(els)
		e1, b1 := g.branch(then, env, depth)
		e2, b2 := g.branch(els, env, depth)
		b1.Kind, b2.Kind = ir.BlockJump, ir.BlockJump
		b1.AddEdge(join)
		b2.AddEdge(join)
		g.b, g.env = join, clone(env)
		g.join([][]*ir.Value{e1, e2})
	}
	g.headGas(false)
}

func (g *generator) switchStmt(depth int) {
	x := g.pick(g.intType())
	if g.r.IntN(2) == 0 {
		x = g.value(ir.OpAnd, ir.I64, 0, g.pick(ir.I64), g.value(ir.OpConst, ir.I64, 7))
	}
	head := g.b
	head.Kind, head.Ctrl = ir.BlockSwitch, x
	env := g.env
	join := g.newBlock()
	var envs [][]*ir.Value
	seen := map[int64]bool{}
	step := int64(1)
	if g.r.IntN(3) == 0 {
		step = 1000003
	}
	var bodies []*ir.Block
	for n := 1 + g.r.IntN(6); n > 0; n-- {
		c := signed(x.Type, uint64(int64(g.r.IntN(8))*step))
		if seen[c] {
			continue
		}
		seen[c] = true
		head.Cases = append(head.Cases, c)
		if g.r.IntN(4) == 0 {
			head.AddEdge(join)
			envs = append(envs, env)
			bodies = append(bodies, nil)
		} else {
			b := g.newBlock()
			head.AddEdge(b)
			bodies = append(bodies, b)
		}
	}
	head.AddEdge(join) // default
	envs = append(envs, env)
	for _, b := range bodies {
		if b == nil {
			continue
		}
		e, end := g.branch(b, env, depth)
		end.Kind = ir.BlockJump
		end.AddEdge(join)
		envs = append(envs, e)
	}
	g.b, g.env = join, clone(env)
	g.join(envs)
}

func (g *generator) loop(depth int) {
	g.loops++
	defer func() { g.loops-- }()
	n := int64(g.r.IntN(7))
	zero := g.value(ir.OpConst, ir.I64, 0)
	env := g.env
	pre := g.b
	header := g.newBlock()
	pre.Kind = ir.BlockJump
	pre.AddEdge(header)
	g.b = header
	// Phis for some variables; the body must not assign the others.
	i := g.value(ir.OpPhi, ir.I64, 0, zero)
	phis := make([]*ir.Value, len(env))
	g.env = clone(env)
	for k, t := range varTypes {
		phis[k] = g.value(ir.OpPhi, t, 0, env[k])
		g.env[k] = phis[k]
	}
	g.headGas(true)
	inner := clone(g.env)
	save := len(g.pool)
	body, exit := g.newBlock(), g.newBlock()
	atTop := g.r.IntN(2) == 0
	bound := g.value(ir.OpConst, ir.I64, n)
	var outEnv []*ir.Value
	if atTop {
		c := g.value(ir.OpLtS, ir.I8, 0, i, bound)
		header.Kind, header.Ctrl = ir.BlockIf, c
		header.AddEdge(body)
		header.AddEdge(exit)
		outEnv = inner
		g.b = body
		g.headGas(false)
	} else {
		header.Kind = ir.BlockJump
		header.AddEdge(body)
		g.b = body
	}
	g.region(depth + 1)
	// Swap some variables of one type, to make cycles of moves.
	if g.r.IntN(2) == 0 {
		g.env[0], g.env[1] = g.env[1], g.env[0]
	}
	if g.r.IntN(4) == 0 {
		g.env[7], g.env[8] = g.env[8], g.env[7]
		g.env[0], g.env[1], g.env[2] = g.env[1], g.env[2], g.env[0]
	}
	next := g.value(ir.OpAdd, ir.I64, 0, i, g.value(ir.OpConst, ir.I64, 1))
	latch := g.b
	if atTop {
		latch.Kind = ir.BlockJump
		latch.AddEdge(header)
	} else {
		x := next
		if g.r.IntN(2) == 0 {
			x = i
		}
		c := g.value(ir.OpLtS, ir.I8, 0, x, bound)
		latch.Kind, latch.Ctrl = ir.BlockIf, c
		if g.r.IntN(2) == 0 {
			latch.AddEdge(header)
			latch.AddEdge(exit)
		} else {
			c.Op, c.Args[0], c.Args[1] = ir.OpLeS, c.Args[1], c.Args[0]
			latch.AddEdge(exit)
			latch.AddEdge(header)
		}
		outEnv = clone(g.env)
	}
	i.Args = append(i.Args, next)
	for k := range phis {
		phis[k].Args = append(phis[k].Args, g.env[k])
	}
	if atTop {
		g.pool = g.pool[:save]
	}
	g.b, g.env = exit, clone(outEnv)
	g.headGas(false)
}

// step makes one operation.
func (g *generator) step() {
	r := g.r
	switch r.IntN(16) {
	case 0, 1, 2, 3: // integer arithmetic
		t := g.intType()
		op := oftenOf(r, integerOps["tt"], ir.OpAdd, ir.OpSub)
		g.assign(g.value(op, t, 0, g.pick(t), g.pick(t)))
	case 4:
		t := g.intType()
		op := g.oneOf(ir.ClassShift)
		n := g.pick(ir.I64)
		if r.IntN(2) == 0 {
			n = g.value(ir.OpConst, ir.I64, int64(r.IntN(70)))
		}
		g.assign(g.value(op, t, 0, g.pick(t), n))
	case 5:
		t := g.intType()
		op := g.oneOf(ir.ClassDivision)
		d := g.pick(t)
		if d.Op != ir.OpConst || d.Aux == 0 {
			d = g.value(ir.OpOr, t, 0, d, g.value(ir.OpConst, t, 1))
		}
		g.assign(g.value(op, t, 0, g.pick(t), d))
	case 6:
		t := g.intType()
		op := oftenOf(r, integerOps["t"])
		g.assign(g.value(op, t, 0, g.pick(t)))
	case 7:
		op := oftenOf(r, integerOps["ll"])
		g.assign(g.value(op, ir.I64, 0, g.pick(ir.I64), g.pick(ir.I64)))
	case 8:
		c := g.condition()
		if r.IntN(2) == 0 {
			g.assign(c)
		}
		t := varTypes[r.IntN(len(varTypes))]
		g.assign(g.value(ir.OpSelect, t, 0, c, g.pick(t), g.pick(t)))
	case 9: // conversions
		from := g.intType()
		switch r.IntN(3) {
		case 0:
			if from != ir.I64 {
				g.assign(g.value([]ir.Op{ir.OpSExt, ir.OpZExt}[r.IntN(2)], ir.I64, 0, g.pick(from)))
			}
		case 1:
			if from == ir.I8 {
				g.assign(g.value([]ir.Op{ir.OpSExt, ir.OpZExt}[r.IntN(2)], ir.I32, 0, g.pick(from)))
			}
		default:
			if from != ir.I8 {
				g.assign(g.value(ir.OpTrunc, from-1, 0, g.pick(from)))
			}
		}
	case 10:
		t := g.floatType()
		switch r.IntN(7) {
		case 0:
			g.assign(g.value([]ir.Op{ir.OpIToF, ir.OpUToF}[r.IntN(2)], t, 0, g.pick(ir.I64)))
		case 1:
			if r.IntN(2) == 0 {
				g.assign(g.value(ir.OpFToI, []ir.Type{ir.I32, ir.I64}[r.IntN(2)], 0, g.pick(t)))
			} else {
				g.assign(g.value(ir.OpFToU, ir.I64, 0, g.pick(t)))
			}
		case 2:
			g.assign(g.value(ir.OpFCvt, ir.F64+ir.F32-t, 0, g.pick(t)))
		case 3:
			g.assign(g.value(ir.OpBitcast, t, 0, g.pick(ir.I32+(t-ir.F32))))
		default:
			if t == ir.F64 {
				g.assign(g.value(ir.OpBitcast, ir.I64, 0, g.pick(t)))
			} else {
				g.assign(g.value(ir.OpBitcast, ir.I32, 0, g.pick(t)))
			}
		}
	case 11, 12:
		t := g.floatType()
		switch r.IntN(4) {
		case 0:
			op := []ir.Op{ir.OpFNeg, ir.OpFSqrt, ir.OpFAbs, ir.OpFFloor, ir.OpFCeil, ir.OpFTrunc}[r.IntN(6)]
			g.assign(g.value(op, t, 0, g.pick(t)))
		case 1:
			if r.IntN(2) == 0 {
				g.assign(g.value(ir.OpFMA, t, 0, g.pick(t), g.pick(t), g.pick(t)))
			} else {
				g.assign(g.value(ir.OpFCopysign, t, 0, g.pick(t), g.pick(t)))
			}
		default:
			op := []ir.Op{ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv}[r.IntN(4)]
			g.assign(g.value(op, t, 0, g.pick(t), g.pick(t)))
		}
	case 13, 14:
		g.memory()
	case 15:
		switch {
		case !g.traps:
			g.charge(int64(r.IntN(9)))
		case r.IntN(3) == 0:
			g.effect(ir.OpGasN, 0, g.value(ir.OpAnd, ir.I64, 0, g.pick(ir.I64), g.value(ir.OpConst, ir.I64, 1023)))
		case r.IntN(2) == 0:
			// Sometimes fails.
			x := g.value(ir.OpAnd, ir.I64, 0, g.pick(ir.I64), g.value(ir.OpConst, ir.I64, 1023))
			g.effect(ir.OpBounds, int64(ir.TrapIndex), x, g.value(ir.OpConst, ir.I64, 1022))
		default:
			x, y := g.pick(ir.I64), g.pick(ir.I64)
			c := g.value(ir.OpLeU, ir.I8, 0, g.value(ir.OpAnd, ir.I64, 0, x, g.value(ir.OpConst, ir.I64, 255)),
				g.value(ir.OpConst, ir.I64, 254))
			g.effect(ir.OpCheck, int64(ir.TrapSliceB), c, x, y)
		}
	}
}
