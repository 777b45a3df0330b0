package layout

import (
	"go/types"
)

// PtrSize is the size of a pointer in guest memory.
const PtrSize = 8

// maxSize bounds sizes of types, like MaxWidth in gc. A type larger than memory is fine as long as
// no value of it is made: (*[1 << 40]byte)(p)[:n:n].
const maxSize = 1 << 50

// Alg says how values of a type are compared and hashed, like gc's AlgKind.
type Alg uint8

const (
	AlgNone       Alg = iota // not comparable
	AlgMem                   // as its bytes
	AlgString                // one string
	AlgIface                 // one interface with methods
	AlgEface                 // one interface without
	AlgFloat32               // one float
	AlgFloat64               //
	AlgComplex64             //
	AlgComplex128            //
	AlgSpecial               // field by field, or element by element
)

// info has the facts about the layout of a type.
type info struct {
	size, align int64
	ptrBytes    int64 // length of the prefix that holds pointers
	alg         Alg
	keyUpdate   bool    // equal values may differ: +0 and -0, strings of other backing
	mayPanic    bool    // it contains an interface, whose value may be of any type
	offsets     []int64 // of a struct's fields
	mask        []uint64
	layout      int32 // see HeapLayout; 0 if not known yet
}

// Sizeof returns the size of t in bytes.
func (b *Builder) Sizeof(t types.Type) int64 { return b.info(t).size }

// Alignof returns the alignment of t in bytes.
func (b *Builder) Alignof(t types.Type) int64 { return b.info(t).align }

// Offsets returns the byte offsets of the fields of s. The caller must not change
// the slice.
func (b *Builder) Offsets(s *types.Struct) []int64 { return b.info(s).offsets }

// PtrBytes returns the length in bytes of the prefix of t that holds pointers.
func (b *Builder) PtrBytes(t types.Type) int64 { return b.info(t).ptrBytes }

// HasPointers reports whether t holds pointers.
func (b *Builder) HasPointers(t types.Type) bool { return b.info(t).ptrBytes > 0 }

// DirectIface reports whether an interface holds values of t in its data word itself, not by a
// pointer. It does for types that are one pointer, however wrapped.
func (b *Builder) DirectIface(t types.Type) bool {
	i := b.info(t)
	return i.size == PtrSize && i.ptrBytes == PtrSize
}

// PtrMask returns the pointer mask of t: bit i%64 of element i/64 tells whether word i holds a
// pointer. It is nil if t has no pointers, and ends with the last word of PtrBytes. The caller must
// not change it.
func (b *Builder) PtrMask(t types.Type) []uint64 {
	i := b.info(t)
	if i.ptrBytes > 0 && i.mask == nil {
		n := (i.ptrBytes/PtrSize + 63) / 64
		if b.spend(8 * n); b.err != nil {
			return nil
		}
		mask := make([]uint64, n)
		b.setMask(t, 0, mask)
		i.mask = mask
	}
	return i.mask
}

// setMask sets the bits of a value of type t at word w.
func (b *Builder) setMask(t types.Type, w int64, mask []uint64) {
	set := func(w int64) { mask[w/64] |= 1 << (w % 64) }
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer || u.Kind() == types.UntypedNil {
			set(w)
		}
	case *types.Interface:
		set(w + 1)
	case *types.Array:
		elem := b.info(u.Elem())
		if elem.ptrBytes == 0 {
			return
		}
		for i := int64(0); i < u.Len(); i++ {
			b.setMask(u.Elem(), w+i*elem.size/PtrSize, mask)
		}
	case *types.Struct:
		offsets := b.info(u).offsets
		for i, off := range offsets {
			if ft := u.Field(i).Type(); b.info(ft).ptrBytes > 0 {
				b.setMask(ft, w+off/PtrSize, mask)
			}
		}
	default:
		set(w)
	}
}

// info measures t. The recursion follows what a value contains, so it is as deep
// as go/types' own check that the type is finite.
func (b *Builder) info(t types.Type) *info {
	if i := b.infos[t]; i != nil {
		return i
	}
	var i *info
	switch t := t.(type) {
	case *types.Alias:
		i = b.info(types.Unalias(t))
	case *types.Named:
		i = b.info(t.Underlying())
		if b.isAlign64(t) {
			c := *i
			c.align = 8
			i = &c
		}
	case *types.Basic:
		i = basicInfo(t)
		i.keyUpdate = t.Info()&(types.IsFloat|types.IsComplex|types.IsString) != 0
	case *types.Array:
		i = b.arrayInfo(t)
	case *types.Struct:
		i = b.structInfo(t)
	case *types.Slice:
		i = &info{size: 24, align: 8, ptrBytes: 8, alg: AlgNone}
	case *types.Interface:
		i = &info{size: 16, align: 8, ptrBytes: 16, alg: AlgIface, keyUpdate: true, mayPanic: true}
		if t.NumMethods() == 0 {
			i.alg = AlgEface
		}
	case *types.Map, *types.Signature:
		i = &info{size: 8, align: 8, ptrBytes: 8, alg: AlgNone}
	case *types.Pointer, *types.Chan:
		i = &info{size: 8, align: 8, ptrBytes: 8, alg: AlgMem}
	default: // type parameters, tuples, types of go/ssa
		b.fail("type %v (%T) has no layout", t, t)
		i = &info{align: 1}
	}
	b.infos[t] = i
	return i
}

// isAlign64 recognises the marker type with which sync/atomic requests 8-byte alignment.
func (b *Builder) isAlign64(t *types.Named) bool {
	obj := t.Obj()
	if obj.Name() != "align64" || obj.Pkg() == nil || b.hooks.Std != nil && !b.hooks.Std(obj.Pkg()) {
		return false
	}
	path := obj.Pkg().Path()
	return path == "sync/atomic" || path == "internal/runtime/atomic"
}

func basicInfo(t *types.Basic) *info {
	scalar := func(size int64, alg Alg) *info {
		return &info{size: size, align: size, alg: alg}
	}
	switch t.Kind() {
	case types.Bool, types.Int8, types.Uint8, types.UntypedBool:
		return scalar(1, AlgMem)
	case types.Int16, types.Uint16:
		return scalar(2, AlgMem)
	case types.Int32, types.Uint32, types.UntypedRune:
		return scalar(4, AlgMem)
	case types.Float32:
		return scalar(4, AlgFloat32)
	case types.Float64, types.UntypedFloat:
		return scalar(8, AlgFloat64)
	case types.Complex64:
		return &info{size: 8, align: 4, alg: AlgComplex64}
	case types.Complex128, types.UntypedComplex:
		return &info{size: 16, align: 8, alg: AlgComplex128}
	case types.String, types.UntypedString:
		return &info{size: 16, align: 8, ptrBytes: 8, alg: AlgString}
	case types.UnsafePointer, types.UntypedNil:
		return &info{size: 8, align: 8, ptrBytes: 8, alg: AlgMem}
	}
	return scalar(8, AlgMem) // int, uint, uintptr, 64 bits
}

func (b *Builder) arrayInfo(t *types.Array) *info {
	elem, n := b.info(t.Elem()), max(t.Len(), 0)
	i := &info{align: elem.align, alg: elem.alg, keyUpdate: elem.keyUpdate, mayPanic: elem.mayPanic}
	if elem.size > 0 && n > maxSize/elem.size {
		b.fail("type %v larger than address space", t)
		return i
	}
	i.size = n * elem.size
	if n > 0 && elem.ptrBytes > 0 {
		i.ptrBytes = i.size - elem.size + elem.ptrBytes
	}
	switch {
	case elem.alg == AlgNone || elem.alg == AlgMem || n == 1:
	case n == 0:
		i.alg = AlgMem
	default:
		i.alg = AlgSpecial
	}
	return i
}

func (b *Builder) structInfo(t *types.Struct) *info {
	n := t.NumFields()
	i := &info{align: 1, alg: AlgMem, offsets: make([]int64, n)}
	fields := make([]*info, n)
	var end int64
	for k := range n {
		f := b.info(t.Field(k).Type())
		fields[k] = f
		i.align = max(i.align, f.align)
		i.keyUpdate = i.keyUpdate || f.keyUpdate
		i.mayPanic = i.mayPanic || f.mayPanic
		off := roundUp(end, f.align)
		i.offsets[k] = off
		end = off + f.size
		if end > maxSize {
			b.fail("type %v too large", t)
			end = 0
		}
		if f.ptrBytes > 0 {
			i.ptrBytes = off + f.ptrBytes
		}
	}
	// A final field of size zero gets a byte, so that its address does not
	// point to the next object.
	if n > 0 && end > 0 && fields[n-1].size == 0 {
		end++
	}
	i.size = roundUp(end, i.align)

	if n == 1 && t.Field(0).Name() != "_" {
		i.alg = fields[0].alg
		return i
	}
	for k, f := range fields {
		next := i.size
		if k+1 < n {
			next = i.offsets[k+1]
		}
		switch {
		case f.alg == AlgNone:
			i.alg = AlgNone
			return i
		case f.alg != AlgMem || t.Field(k).Name() == "_" || i.offsets[k]+f.size != next:
			i.alg = AlgSpecial // blank fields and padding take no part
		}
	}
	return i
}

func roundUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }
