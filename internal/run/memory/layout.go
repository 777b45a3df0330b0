package memory

import (
	"encoding/binary"

	"github.com/gyrvm/gyr/internal/ir"
)

// maxLayouts is the number of layouts that a header can name.
const maxLayouts = 1 << 24

// A layout is an ir.Layout prepared for marking. Short elements are repeated until the pattern
// covers up to 64 words, so that most objects need one mask.
type layout struct {
	pattern uint64   // bit i: word i is a pointer, for the first span words
	span    uint32   // words that pattern covers, a whole number of elements if long is nil
	words   uint32   // words of one element; 0: no pointers at all
	long    []uint64 // the bitmap of an element of more than 64 words
}

// A layoutTable holds the module's layouts and those made at run time.
type layoutTable struct {
	tab   []layout
	made  map[string]uint32 // of layouts made at run time, by key; made on first use
	key   []byte
	fixed int // length of tab after init
}

// pointerFree is a layout that matches an object of any size with one mask.
var pointerFree = layout{span: 1<<32 - 1}

// compileLayouts makes the start of a table, which any number of heaps may share.
func compileLayouts(module []ir.Layout) []layout {
	module = module[:min(len(module), maxLayouts)]
	tab := make([]layout, max(len(module), 1))
	tab[ir.NoPointers] = pointerFree
	for i := range module {
		if i != ir.NoPointers {
			tab[i] = compileLayout(&module[i])
		}
	}
	return tab
}

// init starts with a table of the module. That table is never written: append makes a copy.
func (t *layoutTable) init(tab []layout) {
	t.tab, t.fixed = tab[:len(tab):len(tab)], len(tab)
}

func (t *layoutTable) reset() {
	t.tab = t.tab[:t.fixed]
	clear(t.made)
}

func compileLayout(l *ir.Layout) layout {
	// An element of more than 4 GiB has no instance, so its bitmap does not matter.
	words := uint64(max(l.Size, 0)+7) / 8
	any := uint64(0)
	for i, x := range l.Ptrs {
		if uint64(i)*64 < words {
			any |= x & wordMask(words-uint64(i)*64)
		}
	}
	if any == 0 || words > SpaceSize/8 {
		return pointerFree
	}
	c := layout{words: uint32(words)}
	if words > 64 {
		c.long, c.pattern, c.span = l.Ptrs, l.Ptrs[0], 64
		return c
	}
	bits := l.Ptrs[0] & wordMask(words)
	for c.span+c.words <= 64 {
		c.pattern |= bits << c.span
		c.span += c.words
	}
	return c
}

// wordMask returns the n lowest bits set, or all for n of at least 64.
func wordMask(n uint64) uint64 { return 1<<n - 1 }

// Layout returns the number of a layout that the guest made at run time. Equal layouts get equal
// numbers. size is the bytes of an element, and bit i of ptrs tells that word i is a pointer. The
// bitmap is copied. Numbers continue after the module's, in the order of the calls. The table
// counts against the limit.
func (h *Heap) Layout(size int64, ptrs []uint64) (uint32, Status) {
	if size <= 0 || size > maxObject {
		return ir.NoPointers, StatusOK
	}
	words := uint64(size+7) / 8
	ptrs = ptrs[:min(uint64(len(ptrs)), (words+63)/64)]
	for len(ptrs) > 0 && ptrs[len(ptrs)-1] == 0 {
		ptrs = ptrs[:len(ptrs)-1]
	}
	if len(ptrs) == 0 {
		return ir.NoPointers, StatusOK
	}
	t := &h.layouts
	t.key = binary.LittleEndian.AppendUint64(t.key[:0], words)
	for _, x := range ptrs {
		t.key = binary.LittleEndian.AppendUint64(t.key, x)
	}
	if n, ok := t.made[string(t.key)]; ok {
		return n, StatusOK
	}
	if len(t.tab) == maxLayouts {
		return 0, StatusLimit
	}
	if st := h.ChargeHost(UnitLayout + 2*int64(len(t.key))); st != StatusOK {
		return 0, st
	}
	return t.add(string(t.key), ptrs), StatusOK
}

// add appends the layout of a key, with the words of its bitmap, which are copied.
func (t *layoutTable) add(key string, ptrs []uint64) uint32 {
	words := binary.LittleEndian.Uint64([]byte(key[:8]))
	l := ir.Layout{Size: int64(words) * 8, Ptrs: append([]uint64(nil), ptrs...)}
	if t.made == nil {
		t.made = make(map[string]uint32)
	}
	n := uint32(len(t.tab))
	t.tab = append(t.tab, compileLayout(&l))
	t.made[key] = n
	return n
}

// spells returns the bitmap of the layout of a key. It is false for keys that [Heap.Layout] never
// makes.
func spells(key string) (ptrs []uint64, ok bool) {
	if len(key) < 16 || len(key)%8 != 0 {
		return nil, false
	}
	words := binary.LittleEndian.Uint64([]byte(key[:8]))
	for at := 8; at < len(key); at += 8 {
		ptrs = append(ptrs, binary.LittleEndian.Uint64([]byte(key[at:at+8])))
	}
	return ptrs, words <= maxObject/8 && uint64(len(ptrs)) <= (words+63)/64 && ptrs[len(ptrs)-1] != 0
}
