package lower

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// Reflection calls functions through frames in memory: arguments in order, aligned, results after
// them. A shape is such a frame's layout. Every shape that a program can need has two functions.
// Unpack(fn, frame) calls fn with the values of a frame. Pack has the shape's own signature: it
// builds a frame and hands it to reflect (for functions of reflect.MakeFunc and method values made
// by reflect).

// A shapeInfo is a shape with the data that its stubs need.
type shapeInfo struct {
	ir.Shape
	args, results []slot
	made          bool // for functions that reflect made, see madeShape
}

// A slot is one Go parameter or result of a frame.
type slot struct {
	typ types.Type // nil: the receiver word
	off int64
}

// shapeOf returns the number of the shape of a signature. With recvWord the
// receiver is the data word of an interface.
func (l *lowerer) shapeOf(sig *types.Signature, recvWord bool) int32 {
	info := &shapeInfo{}
	at := int64(0)
	var key strings.Builder
	add := func(t types.Type) slot {
		a, n := int64(8), int64(8)
		if t != nil {
			a, n = l.lay.Alignof(t), l.lay.Sizeof(t)
		}
		at = align(at, a)
		s := slot{t, at}
		at += n
		if t == nil {
			fmt.Fprintf(&key, "@%d p;", s.off)
			return s
		}
		f := l.flat(t)
		if f.mem {
			fmt.Fprintf(&key, "@%d m%d;", s.off, f.size)
		}
		for _, x := range f.fields {
			fmt.Fprintf(&key, "@%d %s;", s.off+x.off, x.typ)
		}
		return s
	}
	if r := sig.Recv(); r != nil {
		if recvWord {
			info.args = append(info.args, add(nil))
		} else {
			info.args = append(info.args, add(r.Type()))
		}
	}
	for i := range sig.Params().Len() {
		info.args = append(info.args, add(sig.Params().At(i).Type()))
	}
	at = align(at, 8)
	info.RetOff = int32(at)
	key.WriteString("->")
	for i := range sig.Results().Len() {
		info.results = append(info.results, add(sig.Results().At(i).Type()))
	}
	at = align(at, 8)
	info.Size = int32(at)
	k := key.String()
	if i, ok := l.shapes[k]; ok {
		return i
	}
	if i, ok := l.base.shape(k); ok {
		return i
	}
	// The machine signature, and the offsets of its scalars.
	scalar := func(list *[]ir.Type, t ir.Type, off, size int64, byRef bool) {
		*list = append(*list, t)
		info.Offsets = append(info.Offsets, int32(off))
		info.Sizes = append(info.Sizes, int32(size))
		info.ByRef = append(info.ByRef, byRef)
	}
	for _, r := range info.results {
		if f := l.flat(r.typ); f.mem {
			scalar(&info.Sig.Params, ir.Ptr, r.off, f.size, true)
		}
	}
	for _, a := range info.args {
		if a.typ == nil {
			scalar(&info.Sig.Params, ir.Ptr, a.off, 8, false)
			continue
		}
		f := l.flat(a.typ)
		if f.mem {
			scalar(&info.Sig.Params, ir.Ptr, a.off, f.size, true)
		}
		for _, x := range f.fields {
			scalar(&info.Sig.Params, x.typ, a.off+x.off, x.typ.Size(), false)
		}
	}
	for _, r := range info.results {
		for _, x := range l.flat(r.typ).fields {
			scalar(&info.Sig.Results, x.typ, r.off+x.off, x.typ.Size(), false)
		}
	}
	i := l.firstShape() + int32(len(l.shapeInfo))
	l.shapes[k] = i
	l.shapeInfo = append(l.shapeInfo, info)
	return i
}

// finishStubs makes the stubs of all shapes, if reflection can need them. New stubs may reach new
// functions, and these may have new shapes.
func (l *lowerer) finishStubs() {
	for i := 0; i < len(l.shapeInfo); i++ {
		s := l.shapeInfo[i]
		if l.reflCall && s.Unpack == 0 {
			s.Unpack = l.unpackStub(s, int(l.firstShape())+i).Index
		}
		if l.reflMake && s.Pack == 0 && !s.made {
			s.Pack = l.packStub(s, int(l.firstShape())+i).Index
		}
		l.drain()
		if i == len(l.shapeInfo)-1 && (l.reflCall || l.reflMake) {
			// Draining may have switched a kind of stub on.
			for k, s := range l.shapeInfo {
				if l.reflCall && s.Unpack == 0 || l.reflMake && s.Pack == 0 && !s.made {
					i = k - 1
					break
				}
			}
		}
	}
}

var stubSig = ir.Sig{Params: []ir.Type{ir.Ptr, ir.Ptr}}

func (l *lowerer) unpackStub(s *shapeInfo, n int) *ir.Func {
	f := l.newFunc(fmt.Sprintf("reflect.unpack%d", n), stubSig, ir.Wrapper|ir.NoInline)
	b := builder{l: l, f: f}
	b.b = f.NewBlock()
	fv := b.opAux(ir.OpArg, ir.Ptr, 0)
	frame := b.opAux(ir.OpArg, ir.Ptr, 1)
	if s.made {
		b.handMade(fv, frame)
		b.b.Kind = ir.BlockReturn
		return f
	}
	all := []*ir.Value{fv}
	for _, r := range s.results {
		if l.flat(r.typ).mem {
			all = append(all, b.offset(frame, r.off))
		}
	}
	for _, a := range s.args {
		if a.typ == nil {
			all = append(all, b.load(ir.Ptr, frame, a.off))
		} else {
			all = append(all, b.loadVal(a.typ, frame, a.off)...)
		}
	}
	v := b.op(ir.OpCallClosure, ir.Void, all...)
	v.Shape = int32(n) + 1
	rs := b.results(v, &s.Sig)
	for _, r := range s.results {
		fl := l.flat(r.typ)
		if fl.mem {
			continue
		}
		b.storeVal(r.typ, frame, r.off, rs[:len(fl.fields)])
		rs = rs[len(fl.fields):]
	}
	b.b.Kind = ir.BlockReturn
	return f
}

func (l *lowerer) packStub(s *shapeInfo, n int) *ir.Func {
	f := l.newFunc(fmt.Sprintf("reflect.pack%d", n), s.Sig, ir.Wrapper|ir.NoInline)
	b := builder{l: l, f: f}
	b.b = f.NewBlock()
	args := make([]*ir.Value, len(s.Sig.Params))
	for i, t := range s.Sig.Params {
		args[i] = b.opAux(ir.OpArg, t, int64(i))
	}
	clo := b.op(ir.OpClosure, ir.Ptr)
	ptrs := make([]uint64, (max(1, s.Size/8)+63)/64)
	mark := func(t types.Type, off int64) {
		if t == nil {
			ptrs[off/8/64] |= 1 << (off / 8 % 64)
			return
		}
		for i, w := range l.lay.PtrMask(t) {
			for k := range 64 {
				if w>>k&1 != 0 {
					x := off/8 + int64(i*64+k)
					ptrs[x/64] |= 1 << (x % 64)
				}
			}
		}
	}
	for _, a := range append(append([]slot{}, s.args...), s.results...) {
		mark(a.typ, a.off)
	}
	frame := b.opAux(ir.OpLocalAddr, ir.Ptr,
		f.AddLocal(ir.Local{Name: "frame", Size: max(8, int64(s.Size)), Align: 8, Ptrs: ptrs}))
	if s.Size > 0 {
		b.opAux(ir.OpClear, ir.Void, int64(s.Size), frame)
	}
	var hidden []*ir.Value
	for _, r := range s.results {
		if l.flat(r.typ).mem {
			hidden = append(hidden, args[0])
			args = args[1:]
		}
	}
	for _, a := range s.args {
		if a.typ == nil {
			b.store(frame, args[0], a.off)
			args = args[1:]
			continue
		}
		k := l.flat(a.typ).n()
		b.storeVal(a.typ, frame, a.off, args[:k])
		args = args[k:]
	}
	b.handMade(clo, frame)
	var rets []*ir.Value
	for _, r := range s.results {
		if fl := l.flat(r.typ); fl.mem {
			b.move(hidden[0], b.offset(frame, r.off), fl.size)
			hidden = hidden[1:]
		} else {
			rets = append(rets, b.loadVal(r.typ, frame, r.off)...)
		}
	}
	b.b.Rets = rets
	b.b.Kind = ir.BlockReturn
	return f
}

// handMade hands a frame to reflect for a function that reflect made.
func (b *builder) handMade(clo, frame *ir.Value) {
	valid := b.opAux(ir.OpLocalAddr, ir.Ptr, b.f.AddLocal(ir.Local{Name: "valid", Size: 8, Align: 8}))
	b.store(valid, b.i64(0), 0)
	regsT := b.l.prog.Std("internal/abi").Types.Scope().Lookup("RegArgs").Type()
	regs := b.temp(regsT, "regs")
	if n := b.l.lay.Sizeof(regsT); n > 0 {
		b.opAux(ir.OpClear, ir.Void, n, regs)
	}
	// The closure's function word says which of reflect's two handlers applies.
	word := b.load(ir.I64, clo, 0)
	method, made, join := b.f.NewBlock(), b.f.NewBlock(), b.f.NewBlock()
	b.branch(b.op(ir.OpEq, ir.I8, word, b.i64(int64(b.l.stubFunc("methodValueCall").Index))), method, made, 0)
	b.b = method
	b.call(b.l.stdFuncOf("reflect", "callMethod"), clo, frame, valid, regs)
	b.jump(join)
	b.b = made
	b.call(b.l.stdFuncOf("reflect", "callReflect"), clo, frame, valid, regs)
	b.jump(join)
	b.b = join
}

// madeShape returns the shape of the functions that reflect made. It has no frame: its Unpack hands
// the caller's frame to reflect unchanged.
func (l *lowerer) madeShape() int32 {
	for i, s := range l.shapeInfo {
		if s.made {
			return int32(i)
		}
	}
	l.shapeInfo = append(l.shapeInfo, &shapeInfo{made: true})
	return int32(len(l.shapeInfo) - 1)
}

// stubFunc returns reflect's assembly entry points as functions. The shape of a call selects their
// code.
func (l *lowerer) stubFunc(name string) *ir.Func {
	if f := l.base.fn("reflect." + name); f != nil {
		return f
	}
	p := &l.makeFunc
	if name == "methodValueCall" {
		p = &l.methodFunc
	}
	if *p == nil {
		*p = l.newFunc("reflect."+name, ir.Sig{}, ir.MakeFuncStub|ir.NoInline|ir.Wrapper)
		b := (*p).NewBlock()
		b.Kind = ir.BlockUnreachable
		(*p).Shape = l.madeShape() + 1
		l.reflMake = true
	}
	return *p
}

// makeFuncStub recognises reflect's entry points.
func (l *lowerer) makeFuncStub(fn *ssa.Function) *ir.Func {
	if fn.Pkg != nil && l.stdPath(fn) == "reflect" && (fn.Name() == "makeFuncStub" || fn.Name() == "methodValueCall") {
		return l.stubFunc(fn.Name())
	}
	return nil
}
