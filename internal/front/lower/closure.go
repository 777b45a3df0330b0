package lower

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// funcClosure returns the address of the static function value of fn.
func (l *lowerer) funcClosure(fn *ssa.Function) uint32 {
	if f := l.makeFuncStub(fn); f != nil {
		return l.lay.Closure(f.Index)
	}
	if f := l.pricedWrapper(fn); f != nil {
		return l.lay.Closure(f.Index)
	}
	if f := l.intrinsicWrapper(fn); f != nil {
		return l.lay.Closure(f.Index)
	}
	return l.lay.Closure(l.funcOf(fn).Index)
}

// captureOffsets returns the offsets of the free variables in a closure object: after the function
// index, in order, aligned.
func (l *lowerer) captureOffsets(fn *ssa.Function) []int64 {
	offs := make([]int64, len(fn.FreeVars))
	at := int64(8)
	for i, v := range fn.FreeVars {
		at = align(at, l.lay.Alignof(v.Type()))
		offs[i] = at
		at += l.lay.Sizeof(v.Type())
	}
	return offs
}

func align(n, a int64) int64 { return (n + a - 1) &^ (a - 1) }

// closureType is the struct type of a closure object with the given captures.
func closureType(captures []types.Type) *types.Struct {
	fs := []*types.Var{types.NewField(0, nil, "F", types.Typ[types.Uintptr], false)}
	for _, t := range captures {
		fs = append(fs, types.NewField(0, nil, fmt.Sprintf("X%d", len(fs)), t, false))
	}
	return types.NewStruct(fs, nil)
}

// newClosure allocates a closure object of function f.
func (c *fn) newClosure(f *ir.Func, captures []types.Type, vals []val) *ir.Value {
	if c.l.prog.Exports != nil {
		c.l.captures = append(c.l.captures, captures...)
	}
	ct := closureType(captures)
	offs := c.l.lay.Offsets(ct)
	p := c.opAux(ir.OpNew, ir.Ptr, int64(c.l.lay.HeapLayout(ct)))
	p.Aux2 = align(c.l.lay.Sizeof(ct), 8)
	c.store(p, c.i64(int64(f.Index)), 0)
	for i, t := range captures {
		c.storeVal(t, p, offs[i+1], vals[i])
	}
	return p
}

func (c *fn) makeClosure(in *ssa.MakeClosure) {
	if m, ok := c.paramValues[in]; ok {
		c.paramValue(in, m)
		return
	}
	fn := in.Fn.(*ssa.Function)
	f := c.l.funcOf(fn)
	var ts []types.Type
	var vs []val
	for i, b := range in.Bindings {
		ts = append(ts, fn.FreeVars[i].Type())
		vs = append(vs, c.value(b))
	}
	c.set(in, val{c.newClosure(f, ts, vs)})
}

// isBound reports whether go/ssa made a function for a method value x.M. The function calls M with
// the receiver that the closure holds.
func isBound(fn *ssa.Function) bool { return strings.HasSuffix(fn.Name(), "$bound") }

// findBounds finds the method values of interfaces and the assertion that go/ssa puts before each.
// It asserts that the interface is not nil, and its result is unused. Go panics there as for any
// nil pointer, not as for an assertion. If the interface embeds the one that declares the method, a
// conversion to that one comes between.
//
//	t1 = typeassert t0.(Declaring)                if t0 is not nil
//	t2 = change interface Declaring <- Outer (t0) if it has another type
//	t3 = make closure (Declaring.M$bound) [t2]
func (c *fn) findBounds() {
	for _, b := range c.src.Blocks {
		for i, in := range b.Instrs {
			mk, ok := in.(*ssa.MakeClosure)
			if !ok || !isBound(mk.Fn.(*ssa.Function)) {
				continue
			}
			recv := mk.Bindings[0]
			before := func(n int) ssa.Instruction {
				if n > i {
					return nil
				}
				return b.Instrs[i-n]
			}
			check, ok := before(1).(*ssa.TypeAssert)
			if conv, isValue := before(1).(ssa.Value); !ok && isValue && conv == recv {
				check, ok = before(2).(*ssa.TypeAssert)
			}
			if ok && check.Pos() == mk.Pos() && !check.CommaOk && len(*check.Referrers()) == 0 {
				c.nilChecks[check] = true
				recv = check.X
			}
			c.l.names[mk.Fn.(*ssa.Function)] = c.l.boundName(c.src, mk, recv.Type())
		}
	}
}

func (c *fn) goInstr(in *ssa.Go) {
	c.rt("newproc", c.thunk(in, "go"))
}

func (c *fn) deferInstr(in *ssa.Defer) {
	clo := c.thunk(in, "defer")
	var frame *ir.Value
	if in.DeferStack != nil {
		frame = c.op(ir.OpPtrToInt, ir.I64, c.one(in.DeferStack))
	} else {
		frame = c.frameID()
	}
	c.rt("deferproc", frame, clo)
}

// isThunk reports whether a go or defer statement needs a function that makes its call. A call of a
// function value or a function without arguments needs none.
func (l *lowerer) isThunk(call *ssa.CallCommon) bool {
	sig := call.Signature()
	if _, ok := call.Value.(*ssa.Builtin); ok || call.IsInvoke() || len(call.Args) > 0 || sig.Results().Len() > 0 {
		return true
	}
	callee := call.StaticCallee()
	return callee != nil && !isClosureValue(call.Value) && l.isIntrinsic(callee)
}

// thunk makes a func() value that performs the call of a go or defer statement with the current
// values of its operands.
func (c *fn) thunk(in ssa.CallInstruction, why string) *ir.Value {
	call := c.commonOf(in.Common())
	if !c.l.isThunk(call) {
		return c.one(call.Value)
	}
	b, isBuiltin := call.Value.(*ssa.Builtin)
	// The operands become captures of a closure whose function makes the call.
	var ts []types.Type
	var vs []val
	capture := func(v ssa.Value) {
		ts = append(ts, v.Type())
		vs = append(vs, c.value(v))
	}
	static := call.StaticCallee()
	if isClosureValue(call.Value) {
		static = nil
	}
	switch {
	case isBuiltin && b.Name() == "recover":
		// A deferred recover acts for the function that defers it.
		ts, vs = append(ts, types.Typ[types.Uintptr]), append(vs, val{c.frameID()})
	case isBuiltin:
	case call.IsInvoke():
		v := c.value(call.Value)
		c.nilcheck(v[0]) // go and defer evaluate the method value
		capture(call.Value)
	case static != nil:
	default:
		capture(call.Value) // as in gc, the call finds that a function is nil
	}
	for _, a := range call.Args {
		capture(a)
	}
	for _, p := range c.l.keptPointers(call) {
		capture(p)
	}
	f := c.l.newFunc(c.l.thunkName(in, why), ir.Sig{}, ir.Wrapper)
	if len(ts) > 0 {
		ct := closureType(ts)
		offs := c.l.lay.Offsets(ct)
		c.thunkBody(f, call, b, ts, offs[1:])
		return c.newClosure(f, ts, vs)
	}
	c.thunkBody(f, call, b, nil, nil)
	return c.ptr(c.l.lay.Closure(f.Index))
}

// thunkBody makes the function of a thunk: it loads the operands from its closure and performs the
// call. The operands keep their go/ssa names.
func (c *fn) thunkBody(f *ir.Func, call *ssa.CallCommon, bi *ssa.Builtin, ts []types.Type, offs []int64) {
	t := &fn{
		builder: builder{l: c.l, f: f, pos: c.l.posIn(f, c.pos)},
		src:     c.src,
		vals:    map[ssa.Value]val{},
		tuples:  map[ssa.Value][]val{},
		elems:   map[*ssa.MapUpdate]*ir.Value{},
		varargs: map[*ssa.Slice][]ssa.Value{},
	}
	f.Pos = t.pos
	t.b = f.NewBlock()
	var clo *ir.Value
	if len(ts) > 0 {
		clo = t.op(ir.OpClosure, ir.Ptr)
	}
	loaded := make([]val, len(ts))
	for i := range ts {
		loaded[i] = t.loadVal(ts[i], clo, offs[i])
	}
	switch {
	case bi != nil && bi.Name() == "recover":
		t.rt("gorecover", loaded[0][0])
	case bi != nil:
		// Constants need no capture, but have one all the same: values are bound by operand
		// position through replacement names.
		args := make([]ssa.Value, len(call.Args))
		for i, a := range call.Args {
			ph := &operand{Value: a}
			t.vals[ph] = loaded[i]
			args[i] = ph
		}
		t.builtinThunk(bi, args)
	case call.IsInvoke():
		t.invokeMethod(call.Value.Type(), call.Method, loaded[0], loaded[1:])
	case call.StaticCallee() != nil && !isClosureValue(call.Value):
		callee := call.StaticCallee()
		args, kept := loaded[:len(call.Args)], loaded[len(call.Args):]
		if _, ok := t.intrinsic(callee, call, args); !ok {
			g := c.l.funcOf(callee)
			t.emitCall(call.Signature(), args, func(all []*ir.Value, s *ir.Sig) *ir.Value {
				v := t.op(ir.OpCall, ir.Void, all...)
				v.Fn = g
				return v
			}, &g.Sig)
		}
		for _, p := range kept {
			t.keepAlive(p[0])
		}
	default:
		fv := loaded[0][0]
		t.nilcheck(fv)
		t.callClosure(call.Signature(), fv, loaded[1:])
	}
	if t.b.Kind == ir.BlockInvalid {
		t.b.Kind = ir.BlockReturn
	}
}

// An operand stands for a captured operand of a deferred builtin call.
type operand struct{ ssa.Value }

func (t *fn) builtinThunk(bi *ssa.Builtin, args []ssa.Value) {
	switch bi.Name() {
	case "copy":
		t.copyCall(args[0], args[1])
	case "close", "delete", "panic", "print", "println", "clear":
		t.builtinStmt(bi.Name(), args)
	case "ssa:wrapnilchk":
	default:
		panic("lower: deferred builtin " + bi.Name())
	}
}
