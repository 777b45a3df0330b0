package lower

import (
	"go/constant"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// maxScalars is how many scalars a value may have before it lives in memory.
const maxScalars = 4

// A field is one scalar of a flattened type.
type field struct {
	typ ir.Type
	off int64
}

// A flat describes how values of a type are represented.
type flat struct {
	mem    bool    // a memory aggregate: the value is one address
	fields []field // otherwise its scalars, in memory order
	size   int64
}

// n returns the number of IR values that represent a Go value of the type.
func (f *flat) n() int {
	if f.mem {
		return 1
	}
	return len(f.fields)
}

// irType returns the type of scalar i.
func (f *flat) irType(i int) ir.Type {
	if f.mem {
		return ir.Ptr
	}
	return f.fields[i].typ
}

// val is a Go value: its scalars, or the address of a memory aggregate.
type val []*ir.Value

// flat returns the representation of a type.
func (l *lowerer) flat(t types.Type) *flat {
	if f := l.flats[t]; f != nil {
		return f
	}
	f := &flat{size: l.lay.Sizeof(t)}
	var ok bool
	f.fields, ok = l.flatten(nil, t, 0)
	if !ok {
		f.mem, f.fields = true, nil
	}
	l.flats[t] = f
	return f
}

func (l *lowerer) flatten(fs []field, t types.Type, off int64) ([]field, bool) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		offs := l.lay.Offsets(u)
		for i := range u.NumFields() {
			var ok bool
			if fs, ok = l.flatten(fs, u.Field(i).Type(), off+offs[i]); !ok {
				return nil, false
			}
		}
	case *types.Array:
		switch {
		case u.Len() == 0:
		case u.Len() == 1:
			return l.flatten(fs, u.Elem(), off)
		case l.lay.Sizeof(u) == 0:
		default:
			return nil, false
		}
	default:
		fs = appendScalars(fs, u, off)
	}
	return fs, len(fs) <= maxScalars
}

// appendScalars appends the scalars of a type that is neither struct nor array.
func appendScalars(fs []field, t types.Type, off int64) []field {
	switch u := t.(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return append(fs, field{ir.Ptr, off}, field{ir.I64, off + 8})
		case u.Kind() == types.Complex128 || u.Kind() == types.UntypedComplex:
			return append(fs, field{ir.F64, off}, field{ir.F64, off + 8})
		case u.Kind() == types.Complex64:
			return append(fs, field{ir.F32, off}, field{ir.F32, off + 4})
		}
		return append(fs, field{basicType(u), off})
	case *types.Slice:
		return append(fs, field{ir.Ptr, off}, field{ir.I64, off + 8}, field{ir.I64, off + 16})
	case *types.Interface:
		return append(fs, field{ir.Ptr, off}, field{ir.Ptr, off + 8})
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return append(fs, field{ir.Ptr, off})
	case *types.Tuple:
		return fs
	}
	panic("lower: no representation of " + t.String())
}

func basicType(b *types.Basic) ir.Type {
	switch b.Kind() {
	case types.Bool, types.UntypedBool, types.Int8, types.Uint8:
		return ir.I8
	case types.Int16, types.Uint16:
		return ir.I16
	case types.Int32, types.Uint32, types.UntypedRune:
		return ir.I32
	case types.Int, types.Uint, types.Int64, types.Uint64, types.Uintptr, types.UntypedInt:
		return ir.I64
	case types.Float32:
		return ir.F32
	case types.Float64, types.UntypedFloat:
		return ir.F64
	case types.UnsafePointer, types.UntypedNil:
		return ir.Ptr
	}
	if b.Kind() == types.Invalid {
		return ir.I64 // an unused component of a tuple
	}
	panic("lower: no machine type of " + b.String())
}

// sigOf flattens a Go signature: addresses for memory results, receiver,
// parameters; then the scalar results.
func (l *lowerer) sigOf(s *types.Signature) ir.Sig {
	var sig ir.Sig
	for i := range s.Results().Len() {
		if f := l.flat(s.Results().At(i).Type()); f.mem {
			sig.Params = append(sig.Params, ir.Ptr)
		} else {
			for _, x := range f.fields {
				sig.Results = append(sig.Results, x.typ)
			}
		}
	}
	if r := s.Recv(); r != nil {
		sig.Params = l.appendTypes(sig.Params, r.Type())
	}
	for i := range s.Params().Len() {
		sig.Params = l.appendTypes(sig.Params, s.Params().At(i).Type())
	}
	return sig
}

func (l *lowerer) appendTypes(ts []ir.Type, t types.Type) []ir.Type {
	f := l.flat(t)
	for i := range f.n() {
		ts = append(ts, f.irType(i))
	}
	return ts
}

// directIface reports whether a value of the type is itself the data word of
// an interface: pointer-shaped types, alone or wrapped in a struct or array of one.
func (l *lowerer) directIface(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct:
		return u.NumFields() == 1 && l.directIface(u.Field(0).Type())
	case *types.Array:
		return u.Len() == 1 && l.directIface(u.Elem())
	}
	return false
}

// zeroMem returns the address of size zero bytes that are never written.
func (l *lowerer) zeroMem(size int64) uint32 {
	if size > l.zeroSize {
		l.zeroSize = max(1024, size)
		l.zeroAddr = l.lay.Global(l.zeroSize, 8, nil, "zero")
	}
	return l.zeroAddr
}

// A builder emits operations into one function.
type builder struct {
	l   *lowerer
	f   *ir.Func
	b   *ir.Block
	pos ir.Pos
}

func (b *builder) op(op ir.Op, t ir.Type, args ...*ir.Value) *ir.Value {
	v := b.f.NewValue(op, t, args...)
	v.Pos = b.pos
	return b.b.Append(v)
}

func (b *builder) opAux(op ir.Op, t ir.Type, aux int64, args ...*ir.Value) *ir.Value {
	v := b.op(op, t, args...)
	v.Aux = aux
	return v
}

func (b *builder) iconst(t ir.Type, c int64) *ir.Value {
	switch t {
	case ir.I8:
		c = int64(int8(c))
	case ir.I16:
		c = int64(int16(c))
	case ir.I32:
		c = int64(int32(c))
	case ir.Ptr:
		c = int64(uint32(c))
	}
	return b.opAux(ir.OpConst, t, c)
}

func (b *builder) i64(c int64) *ir.Value { return b.iconst(ir.I64, c) }

func (b *builder) ptr(a uint32) *ir.Value { return b.iconst(ir.Ptr, int64(a)) }

func (b *builder) fconst(t ir.Type, x float64) *ir.Value {
	if t == ir.F32 {
		return b.opAux(ir.OpConst, t, int64(math.Float32bits(float32(x))))
	}
	return b.opAux(ir.OpConst, t, int64(math.Float64bits(x)))
}

// zero returns the zero of a machine type.
func (b *builder) zero(t ir.Type) *ir.Value { return b.opAux(ir.OpConst, t, 0) }

// zeroVal returns the zero value of a Go type.
func (b *builder) zeroVal(t types.Type) val {
	f := b.l.flat(t)
	if f.mem {
		return val{b.ptr(b.l.zeroMem(f.size))}
	}
	v := make(val, len(f.fields))
	for i, x := range f.fields {
		v[i] = b.zero(x.typ)
	}
	return v
}

func (b *builder) load(t ir.Type, p *ir.Value, off int64) *ir.Value {
	return b.opAux(ir.OpLoad, t, off, p)
}

func (b *builder) store(p, v *ir.Value, off int64) { b.opAux(ir.OpStore, ir.Void, off, p, v) }

// loadVal loads a Go value from p+off. For a memory aggregate it returns the
// address itself: the caller decides whether it must be copied.
func (b *builder) loadVal(t types.Type, p *ir.Value, off int64) val {
	f := b.l.flat(t)
	if f.mem {
		return val{b.offset(p, off)}
	}
	v := make(val, len(f.fields))
	for i, x := range f.fields {
		v[i] = b.load(x.typ, p, off+x.off)
	}
	return v
}

// storeVal stores a Go value at p+off.
func (b *builder) storeVal(t types.Type, p *ir.Value, off int64, v val) {
	f := b.l.flat(t)
	if f.mem {
		b.move(b.offset(p, off), v[0], f.size)
		return
	}
	for i, x := range f.fields {
		b.store(p, v[i], off+x.off)
	}
}

func (b *builder) move(dst, src *ir.Value, size int64) {
	if size > 0 {
		b.opAux(ir.OpMove, ir.Void, size, dst, src)
	}
}

// offset returns p + off.
func (b *builder) offset(p *ir.Value, off int64) *ir.Value {
	if off == 0 {
		return p
	}
	return b.op(ir.OpPtrAdd, ir.Ptr, p, b.i64(off))
}

// temp makes a local for a value of a type and returns its address.
func (b *builder) temp(t types.Type, name string) *ir.Value {
	if b.l.lay.Sizeof(t) > maxLocal {
		return b.new(t)
	}
	return b.localTemp(t, name)
}

// localTemp is temp for a value of any size.
func (b *builder) localTemp(t types.Type, name string) *ir.Value {
	n := b.f.AddLocal(ir.Local{Name: name, Size: b.l.lay.Sizeof(t), Align: b.l.lay.Alignof(t), Ptrs: b.l.lay.PtrMask(t)})
	return b.opAux(ir.OpLocalAddr, ir.Ptr, n)
}

// addr returns the address of a value. It puts the value into a temporary unless the value is in
// memory already.
func (b *builder) addr(t types.Type, v val) *ir.Value {
	if b.l.flat(t).mem {
		return v[0]
	}
	if b.l.lay.Sizeof(t) == 0 {
		return b.ptr(b.l.zeroMem(8))
	}
	p := b.temp(t, "tmp")
	b.storeVal(t, p, 0, v)
	return p
}

// call emits a call and returns its results.
func (b *builder) call(fn *ir.Func, args ...*ir.Value) val {
	v := b.op(ir.OpCall, ir.Void, args...)
	v.Fn = fn
	return b.results(v, &fn.Sig)
}

// results gives a call its signature and names its results.
func (b *builder) results(v *ir.Value, sig *ir.Sig) val {
	v.Sig = sig
	if len(sig.Results) == 0 {
		return nil
	}
	v.Type = sig.Results[0]
	r := make(val, len(sig.Results))
	r[0] = v
	for i, t := range sig.Results[1:] {
		r[i+1] = b.opAux(ir.OpResult, t, int64(i+1), v)
	}
	return r
}

// rt calls a function of the runtime overlay.
func (b *builder) rt(name string, args ...*ir.Value) val {
	return b.call(b.l.runtimeFunc(name), args...)
}

// host calls a host function.
func (b *builder) host(name string, args ...*ir.Value) val {
	v := b.opAux(ir.OpHost, ir.Void, b.l.hostIndex(name, ir.PrimitiveNamed(name).Signature()), args...)
	return b.results(v, &b.l.m.Primitives[v.Aux].Sig)
}

// Control flow inside one go/ssa instruction.

func (b *builder) jump(to *ir.Block) {
	b.b.Kind = ir.BlockJump
	b.b.Pos = b.pos
	b.b.AddEdge(to)
}

func (b *builder) branch(cond *ir.Value, yes, no *ir.Block, likely int8) {
	b.b.Kind = ir.BlockIf
	b.b.Pos = b.pos
	b.b.Ctrl = cond
	b.b.Likely = likely
	b.b.AddEdge(yes)
	b.b.AddEdge(no)
}

func (b *builder) phi(t ir.Type, args ...*ir.Value) *ir.Value { return b.op(ir.OpPhi, t, args...) }

// cond evaluates yes or no by a condition and joins their values.
func (b *builder) cond(c *ir.Value, likely int8, yes, no func() val) val {
	yb, nb, join := b.f.NewBlock(), b.f.NewBlock(), b.f.NewBlock()
	b.branch(c, yb, nb, likely)
	b.b = yb
	yv := yes()
	b.jump(join)
	b.b = nb
	nv := no()
	b.jump(join)
	b.b = join
	r := make(val, len(yv))
	for i := range yv {
		r[i] = b.phi(yv[i].Type, yv[i], nv[i])
	}
	return r
}

func (b *builder) check(cond *ir.Value, trap ir.Trap, args ...*ir.Value) {
	b.opAux(ir.OpCheck, ir.Void, int64(trap), append([]*ir.Value{cond}, args...)...)
}

func (b *builder) nilcheck(p *ir.Value) { b.op(ir.OpNilCheck, ir.Void, p) }

func (b *builder) bounds(i, n *ir.Value, trap ir.Trap) {
	b.opAux(ir.OpBounds, ir.Void, int64(trap), i, n)
}

// bool constants
func (b *builder) bool(x bool) *ir.Value {
	if x {
		return b.iconst(ir.I8, 1)
	}
	return b.iconst(ir.I8, 0)
}

// not inverts a boolean.
func (b *builder) not(x *ir.Value) *ir.Value { return b.op(ir.OpXor, ir.I8, x, b.bool(true)) }

// stringConst returns a string constant.
func (b *builder) stringConst(s string) val {
	if s == "" {
		return val{b.zero(ir.Ptr), b.i64(0)}
	}
	return val{b.ptr(b.l.lay.String(s)), b.i64(int64(len(s)))}
}

// constant returns the value of a go/ssa constant.
func (b *builder) constant(c *ssa.Const) val {
	t := c.Type()
	if c.Value == nil {
		return b.zeroVal(t)
	}
	return b.constVal(t, c.Value)
}

func (b *builder) constVal(t types.Type, v constant.Value) val {
	u, ok := t.Underlying().(*types.Basic)
	if !ok {
		panic("lower: constant of type " + t.String())
	}
	mt := ir.F64
	if u.Info()&(types.IsString|types.IsComplex) == 0 {
		mt = basicType(u)
	}
	switch info := u.Info(); {
	case info&types.IsString != 0:
		return b.stringConst(constant.StringVal(v))
	case info&types.IsBoolean != 0:
		return val{b.bool(constant.BoolVal(v))}
	case info&types.IsInteger != 0:
		v = constant.ToInt(v)
		if i, ok := constant.Int64Val(v); ok {
			return val{b.iconst(mt, i)}
		}
		i, _ := constant.Uint64Val(v)
		return val{b.iconst(mt, int64(i))}
	case info&types.IsFloat != 0:
		return val{b.floatConst(mt, constant.ToFloat(v))}
	case info&types.IsComplex != 0:
		if u.Kind() == types.Complex64 {
			mt = ir.F32
		}
		v = constant.ToComplex(v)
		return val{b.floatConst(mt, constant.Real(v)), b.floatConst(mt, constant.Imag(v))}
	case u.Kind() == types.UnsafePointer:
		i, _ := constant.Int64Val(constant.ToInt(v))
		return val{b.iconst(ir.Ptr, i)}
	}
	panic("lower: constant of type " + t.String())
}

func (b *builder) floatConst(t ir.Type, v constant.Value) *ir.Value {
	if t == ir.F32 {
		x, _ := constant.Float32Val(v)
		return b.opAux(ir.OpConst, t, int64(math.Float32bits(x)))
	}
	x, _ := constant.Float64Val(v)
	return b.fconst(ir.F64, x)
}
