package lower

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// Methods become live by name. An entry of a method table or an itab is filled when a method of
// that name is called through an interface, or when the method is exported and reflection may call
// any. Until then the entry names a function that ends the program, and nothing can reach it.

// A pendingMethod is a method table entry that waits to become live.
type pendingMethod struct {
	recv     types.Type
	sel      *types.Selection
	ifn, tfn uint32 // 4-byte fields of abi.Method, or 0
	itab     uint32 // 8-byte entry of an itab, or 0
}

// callOfPruned begins the message of a program that calls a pruned function.
const callOfPruned = "call of a function that was pruned: "

// prunedMethod returns the index of the function that stands for methods that nothing calls. It is
// not 0: an itab with 0 means that the type lacks a method.
func (l *lowerer) prunedMethod() int32 {
	if l.pruned == nil {
		l.pruned = l.newFunc("runtime.prunedMethod", ir.Sig{}, ir.NoInline)
		l.queue = append(l.queue, func() { l.endingBody(l.pruned, callOfPruned) })
	}
	return l.pruned.Index
}

// An adapterKey names the function that takes a one-word receiver.
type adapterKey struct {
	fn     *ssa.Function
	direct bool
}

// methodName returns the name that matches interface calls with methods.
func methodName(m *types.Func) string { return m.Id() }

// The layout calls methodEntry for each entry of a method table.
func (l *lowerer) methodEntry(recv types.Type, sel *types.Selection, ifn, tfn uint32) {
	l.lay.SetInt32(ifn, l.prunedMethod())
	l.lay.SetInt32(tfn, l.prunedMethod())
	l.addPending(pendingMethod{recv: recv, sel: sel, ifn: ifn, tfn: tfn})
}

// The layout calls itabEntry for each entry of an itab.
func (l *lowerer) itabEntry(recv types.Type, sel *types.Selection, addr uint32) {
	l.lay.SetInt64(addr, int64(l.prunedMethod()))
	l.addPending(pendingMethod{recv: recv, sel: sel, itab: addr})
}

func (l *lowerer) addPending(p pendingMethod) {
	m := p.sel.Obj().(*types.Func)
	name := methodName(m)
	if l.everything || l.invoked[name] || l.reflectAll && m.Exported() {
		l.queue = append(l.queue, func() { l.revive(p) })
		return
	}
	l.pending[name] = append(l.pending[name], p)
}

// invoke notes that methods of a name are called through interfaces.
func (l *lowerer) invoke(m *types.Func) {
	name := methodName(m)
	if l.invoked[name] {
		return
	}
	l.invoked[name] = true
	for _, p := range l.pending[name] {
		l.queue = append(l.queue, func() { l.revive(p) })
	}
	delete(l.pending, name)
}

// useReflectMethods notes that reflection may call any exported method.
func (l *lowerer) useReflectMethods() { l.reflectAll = true }

// reviveMethods revives the methods that reflection made live. It reports whether it revived any.
func (l *lowerer) reviveMethods() bool {
	if !l.reflectAll {
		return false
	}
	any := false
	for _, name := range sortedKeys(l.pending) {
		var keep []pendingMethod
		for _, p := range l.pending[name] {
			if p.sel.Obj().Exported() {
				l.queue = append(l.queue, func() { l.revive(p) })
				any = true
			} else {
				keep = append(keep, p)
			}
		}
		if len(keep) == 0 {
			delete(l.pending, name)
		} else {
			l.pending[name] = keep
		}
	}
	return any
}

// revive fills a method table entry.
func (l *lowerer) revive(p pendingMethod) {
	target := l.prog.SSA.MethodValue(p.sel)
	if target == nil {
		return
	}
	ifn := l.adapter(target, p.recv)
	if p.itab != 0 {
		l.lay.SetInt64(p.itab, int64(ifn.Index))
		return
	}
	l.lay.SetInt32(p.ifn, ifn.Index)
	l.lay.SetInt32(p.tfn, l.funcOf(target).Index)
}

// adapter returns the form of a method that takes the data word of an
// interface as its receiver.
func (l *lowerer) adapter(target *ssa.Function, recv types.Type) *ir.Func {
	if l.directIface(recv) {
		return l.funcOf(target)
	}
	key := adapterKey{target, false}
	if f := l.adapters[key]; f != nil {
		return f
	}
	g := l.funcOf(target)
	sig := ir.Sig{Results: g.Sig.Results}
	fl := l.flat(recv)
	hidden := l.hiddenResults(target.Signature)
	sig.Params = append(sig.Params, g.Sig.Params[:hidden]...)
	sig.Params = append(sig.Params, ir.Ptr)
	sig.Params = append(sig.Params, g.Sig.Params[hidden+fl.n():]...)
	inner, _ := l.planKey(target)
	f := l.planFunc("adapter|"+inner, g.Name, sig, ir.Wrapper, false)
	f.Pos = l.generatedPos(f)
	f.Shape = l.shapeOf(target.Signature, true) + 1
	l.adapters[key] = f
	b := builder{l: l, f: f, pos: f.Pos}
	b.b = f.NewBlock()
	args := make([]*ir.Value, len(sig.Params))
	for i, t := range sig.Params {
		args[i] = b.opAux(ir.OpArg, t, int64(i))
	}
	var r val
	if fl.mem {
		// The callee only reads its parameter, and a box is never written.
		r = val{args[hidden]}
	} else {
		r = b.loadVal(recv, args[hidden], 0)
	}
	b.forward(g, target.Signature, r, slices.Delete(args, hidden, hidden+1))
	return f
}

// methodIndex returns the place of a method in the itabs of an interface type.
func (l *lowerer) methodIndex(it types.Type, m *types.Func) int {
	return l.lay.MethodIndex(it.Underlying().(*types.Interface), m)
}

// methodOfThunk returns the method that a method expression T.M denotes. go/ssa makes a function of
// its own around it. In gc it is the method itself.
func (l *lowerer) methodOfThunk(fn *ssa.Function) *ssa.Function {
	if !strings.HasPrefix(fn.Synthetic, "thunk for ") || fn.Signature.Recv() != nil || fn.Signature.Params().Len() == 0 {
		return nil
	}
	m, ok := fn.Object().(*types.Func)
	recv := fn.Signature.Params().At(0).Type()
	if !ok || types.IsInterface(recv) {
		return nil
	}
	sel := l.prog.SSA.MethodSets.MethodSet(recv).Lookup(m.Pkg(), m.Name())
	if sel == nil {
		return nil
	}
	return l.prog.SSA.MethodValue(sel)
}
