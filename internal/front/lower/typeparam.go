package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// Methods of type parameters. In x.M, where the type of x is a type parameter, x is the operand: it
// is evaluated, and a method value, a go or a defer statement keeps it. The type argument may be a
// pointer while the method has a value receiver, or it may have the method from an embedded field.
// Then the path from x to that receiver is part of the call.
//
// go/ssa builds the instance as if the source had the type argument. Then the order would be the
// other way round: the receiver would be copied when the method value is made, or before the
// arguments are evaluated. So lowering calls such a method through the function in the type
// argument's method set, with x, and leaves out what go/ssa computes from x.

// A paramMethod is the meaning of x.M: the type argument's method, and x.
type paramMethod struct {
	method *ssa.Function
	x      ssa.Value
}

// paramSelectors has the selections x.M of a generic function and of all functions inside it, by
// the position of M, or for a call by that of the parenthesis after M.
type paramSelectors map[token.Pos]*types.Selection

// paramSelectorsOf returns the selectors of the function that an instance was made from. The map is
// empty if it has none.
func (l *lowerer) paramSelectorsOf(instance *ssa.Function) paramSelectors {
	origin := instance.Origin()
	if origin == nil {
		return nil
	}
	if s, ok := l.params[origin]; ok {
		return s
	}
	var s paramSelectors
	if p := l.prog.PackageOfTypes(pkgOf(origin)); p != nil && p.Info != nil && origin.Syntax() != nil {
		s = findParamSelectors(origin.Syntax(), p.Info)
	}
	l.params[origin] = s
	return s
}

func findParamSelectors(root ast.Node, info *types.Info) paramSelectors {
	s := paramSelectors{}
	called := map[*ast.SelectorExpr]bool{}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if x, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok {
				if sel := paramSelection(x, info); sel != nil {
					called[x] = true
					s[n.Lparen] = sel
				}
			}
		case *ast.SelectorExpr:
			if sel := paramSelection(n, info); sel != nil && !called[n] {
				s[n.Sel.Pos()] = sel
			}
		}
		return true
	})
	return s
}

// paramSelection returns the selection of x.M if the type of x is a type parameter.
func paramSelection(x *ast.SelectorExpr, info *types.Info) *types.Selection {
	sel := info.Selections[x]
	if sel == nil || sel.Kind() != types.MethodVal {
		return nil
	}
	if _, ok := types.Unalias(sel.Recv()).(*types.TypeParam); !ok {
		return nil
	}
	return sel
}

// instanceOf returns the outermost function around fn, which is the instance if fn belongs to a
// generic function.
func instanceOf(fn *ssa.Function) *ssa.Function {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return fn
}

// findParamMethods finds the calls and values of methods of type parameters, and the instructions
// for them that are left out.
func (c *fn) findParamMethods() {
	instance := instanceOf(c.src)
	sels := c.l.paramSelectorsOf(instance)
	if len(sels) == 0 {
		return
	}
	c.paramCalls, c.paramValues = map[*ssa.CallCommon]paramMethod{}, map[*ssa.MakeClosure]paramMethod{}
	for _, b := range c.src.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case ssa.CallInstruction:
				call := in.Common()
				recv := call.Value
				if !call.IsInvoke() {
					if len(call.Args) == 0 {
						continue
					}
					recv = call.Args[0]
				}
				if m, ok := c.paramMethod(sels[call.Pos()], instance, recv); ok && m.x != recv {
					c.paramCalls[call] = m
				}
			case *ssa.MakeClosure:
				if !isBound(in.Fn.(*ssa.Function)) {
					continue
				}
				if m, ok := c.paramMethod(sels[in.Pos()], instance, in.Bindings[0]); ok {
					c.paramValues[in] = m
				}
			}
		}
	}
}

// paramMethod returns the meaning of a selection in an instance, for which go/ssa has computed
// recv. It reports false if recv needs no change.
func (c *fn) paramMethod(sel *types.Selection, instance *ssa.Function, recv ssa.Value) (m paramMethod, ok bool) {
	if sel == nil {
		return m, false
	}
	arg := argumentOf(instance, types.Unalias(sel.Recv()).(*types.TypeParam))
	if types.IsInterface(arg) {
		return m, false
	}
	own := c.l.prog.SSA.MethodSets.MethodSet(arg).Lookup(sel.Obj().Pkg(), sel.Obj().Name())
	if own == nil {
		return m, false
	}
	var drop []ssa.Instruction
	x := recv
	for range stepsTo(arg, own) {
		switch v := x.(type) {
		case *ssa.ChangeInterface, *ssa.ChangeType:
			return m, false
		case *ssa.UnOp:
			x = v.X
			drop = append(drop, v)
		case *ssa.FieldAddr:
			x = v.X
			drop = append(drop, v)
		case *ssa.Field:
			x = v.X
			drop = append(drop, v)
		}
	}
	if !types.Identical(x.Type(), arg) {
		return m, false
	}
	for _, d := range drop {
		refs := 0
		for _, r := range *d.(ssa.Value).Referrers() {
			if check, ok := r.(*ssa.TypeAssert); ok && c.nilChecks[check] {
				c.skip[check] = true // by an embedded interface
			} else {
				refs++
			}
		}
		if refs > 1 {
			break
		}
		c.skip[d] = true
	}
	return paramMethod{c.l.prog.SSA.MethodValue(own), x}, true
}

// argumentOf returns an instance's type argument for a type parameter of its function, or of the
// receiver of its method.
func argumentOf(instance *ssa.Function, p *types.TypeParam) types.Type {
	list := instance.TypeParams()
	for i := range list.Len() {
		if list.At(i) == p {
			return instance.TypeArgs()[i]
		}
	}
	return p
}

// stepsTo counts the operations that go/ssa makes for the path from a value to the receiver of one
// of its methods.
func stepsTo(t types.Type, sel *types.Selection) int {
	n := 0
	path := sel.Index()
	for _, i := range path[:len(path)-1] {
		n++
		p, isPtr := t.Underlying().(*types.Pointer)
		if isPtr {
			t = p.Elem()
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
		if _, ok := t.Underlying().(*types.Pointer); !ok && isPtr {
			t = types.NewPointer(t)
		} else if ok && isPtr {
			n++ // the field is loaded
		}
	}
	_, isPtr := t.Underlying().(*types.Pointer)
	_, wantPtr := sel.Obj().(*types.Func).Signature().Recv().Type().Underlying().(*types.Pointer)
	if isPtr && !wantPtr {
		n++
	}
	return n
}

// commonOf returns a call with the meaning of paramMethod.
func (c *fn) commonOf(call *ssa.CallCommon) *ssa.CallCommon {
	m, ok := c.paramCalls[call]
	if !ok {
		return call
	}
	args := call.Args
	if !call.IsInvoke() {
		args = args[1:]
	}
	return &ssa.CallCommon{Value: m.method, Args: append([]ssa.Value{m.x}, args...)}
}

// paramValue makes the method value of a type parameter. In gc it is a function literal that calls
// the method of the operand that it holds.
func (c *fn) paramValue(in *ssa.MakeClosure, m paramMethod) {
	l := c.l
	g, t := l.funcOf(m.method), m.x.Type()
	sig := m.method.Signature
	sig = types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	f := l.newFunc(l.names[in.Fn.(*ssa.Function)], l.sigOf(sig), ir.Wrapper)
	f.Shape = l.shapeOf(sig, false) + 1
	f.Pos = l.generatedPos(f)
	b := builder{l: l, f: f, pos: f.Pos}
	b.b = f.NewBlock()
	var args []*ir.Value
	for i, t := range f.Sig.Params {
		args = append(args, b.opAux(ir.OpArg, t, int64(i)))
	}
	held := b.loadVal(t, b.op(ir.OpClosure, ir.Ptr), l.lay.Offsets(closureType([]types.Type{t}))[1])
	b.forward(g, sig, held, args)
	c.set(in, val{c.newClosure(f, []types.Type{t}, []val{c.value(m.x)})})
}

// forward ends a function by a call of a method with a receiver and the arguments. The addresses of
// results in memory come before the arguments.
func (b *builder) forward(g *ir.Func, sig *types.Signature, recv val, args []*ir.Value) {
	hidden := b.l.hiddenResults(sig)
	all := append(append(append([]*ir.Value{}, args[:hidden]...), recv...), args[hidden:]...)
	b.b.Rets = b.call(g, all...)
	b.b.Kind = ir.BlockReturn
}

// hiddenResults counts the results that are memory aggregates, for which the caller passes
// addresses.
func (l *lowerer) hiddenResults(sig *types.Signature) int {
	n := 0
	for i := range sig.Results().Len() {
		if l.flat(sig.Results().At(i).Type()).mem {
			n++
		}
	}
	return n
}
