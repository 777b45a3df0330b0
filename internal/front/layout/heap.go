package layout

import (
	"encoding/binary"
	"go/types"

	"github.com/gyrvm/gyr/internal/ir"
)

// HeapLayout returns the number of the ir.Layout of t, or ir.NoPointers for types without pointers.
// Layouts repeat, so a layout is as short as possible: an array has the layout of its element, a
// struct of two strings that of a string. So its Size may be a fraction of Sizeof(t), which it
// divides.
func (b *Builder) HeapLayout(t types.Type) int32 {
	i := b.info(t)
	if i.ptrBytes == 0 {
		return ir.NoPointers
	}
	if i.layout == 0 {
		if a, ok := t.Underlying().(*types.Array); ok {
			i.layout = b.HeapLayout(a.Elem())
		} else if mask := b.PtrMask(t); mask != nil {
			i.layout = b.internLayout(i.size, mask)
		}
	}
	return i.layout
}

// GlobalOf places a zeroed variable of type t.
func (b *Builder) GlobalOf(t types.Type, name string) uint32 {
	i := b.info(t)
	if b.follow.noting || b.follow.plan != nil {
		name += " " + types.TypeString(t, nil) // not the link string, which might be the first to name a type
	}
	return b.global(i.size, i.align, b.HeapLayout(t), name)
}

// internLayout returns the number of a layout. The mask has a bit set.
func (b *Builder) internLayout(size int64, mask []uint64) int32 {
	size, mask = period(size, mask)
	l := ir.Layout{Size: size, Ptrs: mask}
	key := layoutKey(l)
	n, ok := b.layoutKey[key]
	if !ok {
		n, ok = b.base.layout(key)
	}
	if !ok {
		n = int32(len(b.layouts))
		b.layouts = append(b.layouts, l)
		b.layoutKey[key] = n
	}
	return n
}

// layoutKey spells a layout.
func layoutKey(l ir.Layout) string {
	key := make([]byte, 8, 8+8*len(l.Ptrs))
	binary.LittleEndian.PutUint64(key, uint64(l.Size))
	for _, w := range l.Ptrs {
		key = binary.LittleEndian.AppendUint64(key, w)
	}
	return string(key)
}

// period shortens a mask of at most 64 words that repeats a shorter one, and cuts
// zero words off the end of others.
func period(size int64, mask []uint64) (int64, []uint64) {
	for len(mask) > 0 && mask[len(mask)-1] == 0 {
		mask = mask[:len(mask)-1]
	}
	words := int(size / PtrSize)
	if words > 64 {
		return size, mask
	}
	m := mask[0]
	for p := 1; p <= words/2; p++ {
		// Periodic with p: the mask shifted by p equals itself where they overlap.
		if words%p == 0 && (m^m>>p)&(1<<(words-p)-1) == 0 {
			return int64(p) * PtrSize, []uint64{m & (1<<p - 1)}
		}
	}
	return size, mask
}

func anyBit(mask []uint64) bool {
	for _, w := range mask {
		if w != 0 {
			return true
		}
	}
	return false
}
