package bytecode

import (
	"fmt"
	"sort"
	"sync/atomic"
	"unsafe"
)

// Code lies in slabs that are filled one after the other and kept as long as the program. It is
// found by address, without locks, while other functions are added.
type codeMemory struct {
	slabs atomic.Pointer[[]*slab] // by address
	last  *slab                   // the one that is being filled
}

type slab struct {
	start, end uintptr // addresses
	words      []uint64
	used       int
	funcs      atomic.Pointer[[]*FuncCode] // by address; only ever appended to
}

const (
	firstSlab = 1 << 11 // words
	maxSlab   = 1 << 16
)

// add moves the code of fc to its place. Only one goroutine adds at a time.
func (m *codeMemory) add(fc *FuncCode) error {
	n := len(fc.Code)
	s := m.last
	if s == nil || s.used+n > len(s.words) {
		size := firstSlab
		if s != nil {
			size = min(len(s.words)*2, maxSlab)
		}
		s = &slab{words: make([]uint64, max(size, n))}
		s.start = uintptr(unsafe.Pointer(&s.words[0]))
		s.end = s.start + uintptr(len(s.words))*8
		s.funcs.Store(new([]*FuncCode))
		if err := checkAddress(unsafe.Pointer(&s.words[len(s.words)-1])); err != nil {
			return err
		}
		var slabs []*slab
		if old := m.slabs.Load(); old != nil {
			slabs = append(slabs, *old...)
		}
		slabs = append(slabs, s)
		sort.Slice(slabs, func(i, j int) bool { return slabs[i].start < slabs[j].start })
		m.slabs.Store(&slabs)
		m.last = s
	}
	code := s.words[s.used : s.used+n : s.used+n]
	copy(code, fc.Code)
	s.used += n
	fc.Code = code
	fc.start = uintptr(unsafe.Pointer(&code[0]))
	fc.end = fc.start + uintptr(n)*8
	// Readers of the old header never look beyond its end.
	funcs := append(*s.funcs.Load(), fc)
	s.funcs.Store(&funcs)
	return nil
}

func checkAddress(a unsafe.Pointer) error {
	if v := int64(uintptr(a)); v>>47 != 0 {
		return fmt.Errorf("code address %#x does not fit 47 bits", v)
	}
	return nil
}

// FuncAt returns the code that holds the return address pc (the address after an instruction), nil
// if no code does, and the offset of pc in it in words. The code may be the base's.
func (p *Module) FuncAt(pc uintptr) (*FuncCode, uint32) {
	fc, off := p.memory.at(pc)
	if fc == nil && p.base != nil {
		return p.base.FuncAt(pc)
	}
	return fc, off
}

func (m *codeMemory) at(pc uintptr) (*FuncCode, uint32) {
	slabs := *m.slabs.Load()
	for _, s := range slabs {
		if pc <= s.start || pc > s.end {
			continue
		}
		r := *s.funcs.Load()
		i := sort.Search(len(r), func(i int) bool { return r[i].start >= pc }) - 1
		if i < 0 || pc > r[i].end {
			return nil, 0
		}
		return r[i], uint32((pc - r[i].start) / 8)
	}
	return nil, 0
}
