package irtest

import "github.com/gyrvm/gyr/internal/ir"

// NewModule makes a module with data and bss zero bytes after it, and no functions.
func NewModule(data []byte, bss int64) *ir.Module {
	m := &ir.Module{Layouts: []ir.Layout{{}}, Runtime: map[string]*ir.Func{}, Data: data, BSS: bss}
	m.SetFuncs([]*ir.Func{nil})
	return m
}

// A Builder makes a function: it appends to the block B.
type Builder struct {
	F *ir.Func
	B *ir.Block
}

// NewFunc begins a function of a module.
func NewFunc(mod *ir.Module, name string, sig ir.Sig) *Builder {
	f := newFunc(mod, name, sig)
	return &Builder{f, f.NewBlock()}
}

// Add appends an operation.
func (b *Builder) Add(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
	v := b.F.NewValue(op, t, args...)
	v.Aux = aux
	return b.B.Append(v)
}

// Const appends a constant. It truncates the number to the width of the type.
func (b *Builder) Const(t ir.Type, x int64) *ir.Value {
	return b.Add(ir.OpConst, t, ir.TruncConst(t, x))
}

// Args appends the function's parameters.
func (b *Builder) Args() (list []*ir.Value) {
	for i, t := range b.F.Sig.Params {
		list = append(list, b.Add(ir.OpArg, t, int64(i)))
	}
	return list
}

// Call appends a call and returns its first result.
func (b *Builder) Call(f *ir.Func, args ...*ir.Value) *ir.Value {
	v := b.Add(ir.OpCall, f.Sig.Result(), 0, args...)
	v.Fn, v.Sig = f, &f.Sig
	return v
}

// Host appends a call of a host function and returns its first result.
func (b *Builder) Host(number int64, args ...*ir.Value) *ir.Value {
	sig := hosts[number].Sig
	v := b.Add(ir.OpHost, sig.Result(), number, args...)
	v.Sig = &sig
	return v
}

// Return ends the block.
func (b *Builder) Return(results ...*ir.Value) {
	b.B.Kind, b.B.Rets = ir.BlockReturn, results
}

// If ends the block by a branch to two new ones.
func (b *Builder) If(cond *ir.Value) (yes, no *Builder) {
	b.B.Kind, b.B.Ctrl = ir.BlockIf, cond
	yes, no = &Builder{b.F, b.F.NewBlock()}, &Builder{b.F, b.F.NewBlock()}
	b.B.AddEdge(yes.B)
	b.B.AddEdge(no.B)
	return yes, no
}

// Jump ends the block by a jump.
func (b *Builder) Jump(to *ir.Block) {
	b.B.Kind = ir.BlockJump
	b.B.AddEdge(to)
}
