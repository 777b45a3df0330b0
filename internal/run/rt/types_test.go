package rt

import (
	"encoding/binary"
	"errors"

	"math/rand/v2"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// typeBuilder writes descriptors to the test module's data segment, as reflect would write them to
// the heap.
type typeBuilder struct {
	t  testing.TB
	vm *VM
	at uint64
}

func newTypeBuilder(t testing.TB, vm *VM) *typeBuilder { return &typeBuilder{t, vm, typesAt} }

func (b *typeBuilder) alloc(n uint64) uint64 {
	p := b.at
	b.at += (n + 15) &^ 15
	if b.at > dataEnd {
		b.t.Fatal("no room for descriptors")
	}
	return p
}

// desc writes the common part, with room for the tail.
func (b *typeBuilder) desc(kind byte, size, ptrBytes uint64, flags byte, gcdata uint64) uint64 {
	p := b.alloc(guesttype.StructHead)
	put64(b.t, b.vm, p+guesttype.TypeSize, size)
	put64(b.t, b.vm, p+guesttype.TypePtrBytes, ptrBytes)
	head := mem(b.t, b.vm, p, guesttype.TypeHead)
	head[guesttype.TypeTFlag], head[guesttype.TypeKind] = flags, kind
	put64(b.t, b.vm, p+guesttype.TypeGCData, gcdata)
	return p
}

func (b *typeBuilder) mask(bits ...byte) uint64 {
	p := b.alloc(uint64(len(bits)))
	copy(mem(b.t, b.vm, p, uint64(len(bits))), bits)
	return p
}

const kindOther = 22

func (b *typeBuilder) pointer() uint64 { return b.desc(kindOther, 8, 8, 0, b.mask(1)) }
func (b *typeBuilder) str() uint64     { return b.desc(24, 16, 8, 0, b.mask(1)) }
func (b *typeBuilder) word() uint64    { return b.desc(2, 8, 0, 0, 0) }

func (b *typeBuilder) array(elem, n, size, ptrBytes uint64) uint64 {
	p := b.desc(guesttype.KindArray, size, ptrBytes, guesttype.FlagGCMaskOnDemand, b.alloc(8))
	put64(b.t, b.vm, p+guesttype.ArrayElem, elem)
	put64(b.t, b.vm, p+guesttype.ArrayLen, n)
	return p
}

// structure takes pairs of field type and offset.
func (b *typeBuilder) structure(size, ptrBytes uint64, fields ...uint64) uint64 {
	p := b.desc(guesttype.KindStruct, size, ptrBytes, guesttype.FlagGCMaskOnDemand, b.alloc(8))
	list := b.alloc(uint64(len(fields) / 2 * guesttype.FieldSize))
	for i := 0; i < len(fields); i += 2 {
		f := list + uint64(i/2*guesttype.FieldSize)
		put64(b.t, b.vm, f+guesttype.FieldType, fields[i])
		put64(b.t, b.vm, f+guesttype.FieldOffset, fields[i+1])
	}
	put64(b.t, b.vm, p+guesttype.StructFields, list)
	put64(b.t, b.vm, p+guesttype.StructFields+8, uint64(len(fields)/2))
	return p
}

// pointerWords returns which words of an object of the type the collector follows.
func pointerWords(t testing.TB, vm *VM, typ, count uint64) (words []uint64) {
	t.Helper()
	e := vm.Exec.(*fakeExec)
	p := must(t, vm, "malloc", 0, typ, count)[0]
	size := must(t, vm, "objectof", p)[1]
	e.roots = []uint32{uint32(p)}
	targets := map[uint32]uint64{}
	for w := uint64(0); w < size/8; w++ {
		c := newCell(t, vm, 0, 0)
		targets[c] = w
		put64(t, vm, p+8*w, uint64(c))
	}
	must(t, vm, "gc")
	for w := uint64(0); w < size/8; w++ {
		if isObject(t, vm, uint32(get64(t, vm, p+8*w))) {
			words = append(words, w)
		}
	}
	e.roots = nil
	return words
}

func TestLayoutsOfDescriptors(t *testing.T) {
	vm, _ := newVM(t, Config{})
	b := newTypeBuilder(t, vm)
	str, ptr, word := b.str(), b.pointer(), b.word()
	pair := b.desc(guesttype.KindStruct, 24, 24, 0, b.mask(0b101))
	for _, c := range []struct {
		name  string
		typ   uint64
		count uint64
		want  []uint64
	}{
		{"pointer", ptr, 1, []uint64{0}},
		{"pointers", ptr, 3, []uint64{0, 1, 2}},
		{"no pointers", word, 3, nil},
		{"string", str, 2, []uint64{0, 2}},
		{"bitmap", pair, 2, []uint64{0, 2, 3, 5}},
		{"array of strings", b.array(str, 2, 32, 24), 1, []uint64{0, 2}},
		{"array of arrays", b.array(b.array(str, 2, 32, 24), 2, 64, 56), 1, []uint64{0, 2, 4, 6}},
		{"array without pointers", b.array(word, 4, 32, 0), 1, nil},
		{"struct on demand", b.structure(40, 40, word, 0, str, 8, word, 24, ptr, 32), 2, []uint64{1, 4, 6, 9}},
		{"array in a struct", b.structure(48, 40, b.array(str, 2, 32, 24), 0, ptr, 32, word, 40), 1, []uint64{0, 2, 4}},
		{"nothing", b.structure(0, 0), 5, nil},
	} {
		got := pointerWords(t, vm, c.typ, c.count)
		if len(got) != len(c.want) {
			t.Errorf("%s: pointers %d, want %d", c.name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: pointers %d, want %d", c.name, got, c.want)
				break
			}
		}
	}
}

// TestRandomLayouts compares bitmaps of types of several levels, on demand and not, with bitmaps
// made word by word.
func TestRandomLayouts(t *testing.T) {
	vm, _ := newVM(t, Config{})
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		b := newTypeBuilder(t, vm)
		type made struct {
			addr  uint64
			words []bool // pointers
			last  int    // the end of the last one
		}
		of := func(words []bool) made {
			m := made{words: words}
			for i, p := range words {
				if p {
					m.last = i + 1
				}
			}
			return m
		}
		list := []made{{b.word(), []bool{false}, 0}, {b.pointer(), []bool{true}, 1}, {b.str(), []bool{true, false}, 1}}
		for range 12 {
			var words []bool
			var m made
			pick := func() made { return list[max(rnd.IntN(len(list)), rnd.IntN(len(list)))] }
			switch rnd.IntN(3) {
			case 0: // a bitmap
				mask := make([]byte, 8*(1+rnd.IntN(3)))
				words = make([]bool, 8*len(mask)-rnd.IntN(60))
				for i := range words {
					if words[i] = rnd.IntN(2) == 0; words[i] {
						mask[i/8] |= 1 << (i % 8)
					}
				}
				m = of(words)
				m.addr = b.desc(guesttype.KindStruct, uint64(8*len(words)), uint64(8*m.last), 0, b.mask(mask...))
			case 1:
				e, n := pick(), 1+rnd.IntN(9)
				for range n {
					words = append(words, e.words...)
				}
				m = of(words)
				m.addr = b.array(e.addr, uint64(n), uint64(8*len(words)), uint64(8*m.last))
			case 2:
				var fields []uint64
				for range 1 + rnd.IntN(5) {
					f := pick()
					fields = append(fields, f.addr, uint64(8*len(words)))
					words = append(words, f.words...)
				}
				m = of(words)
				m.addr = b.structure(uint64(8*len(words)), uint64(8*m.last), fields...)
			}
			if len(words) > 5000 {
				continue
			}
			list = append(list, m)
			r := typeReader{vm: vm, steps: maxTypeSteps, mask: make([]uint64, (m.last+63)/64)}
			if !r.fill(uint32(m.addr), 0, uint64(8*m.last), 0) {
				t.Fatalf("seed %d: %v", seed, r.err)
			}
			for i := range m.last {
				if r.mask[i/64]>>(i%64)&1 != 0 != m.words[i] {
					t.Fatalf("seed %d: word %d of %d: want %t", seed, i, len(words), m.words[i])
				}
			}
		}
	}
}

// TestLayoutsOfRepeatedTypes: the time for a layout grows with the types and words that it has, not
// with its parts.
func TestLayoutsOfRepeatedTypes(t *testing.T) {
	vm, _ := newVM(t, Config{})
	b := newTypeBuilder(t, vm)
	typ, size := b.array(b.pointer(), 1<<18, 1<<21, 1<<21), uint64(1<<21)
	for range 8 {
		typ, size = b.structure(2*size, 2*size, typ, 0, typ, size), 2*size
	}
	r := typeReader{vm: vm, steps: maxTypeSteps, mask: make([]uint64, size/8/64)}
	if !r.fill(uint32(typ), 0, size, 0) {
		t.Fatal(r.err)
	}
	for i, w := range r.mask {
		if w != 1<<64-1 {
			t.Fatalf("words from %d: %#x", 64*i, w)
		}
	}
	if r.types > 100 {
		t.Errorf("%d types were looked at for %d", r.types, 10)
	}
}

func TestStaticLayoutsComeFromTheModule(t *testing.T) {
	vm, _ := newVM(t, Config{})
	b := newTypeBuilder(t, vm)
	typ := b.desc(kindOther, 16, 8, 0, 0) // no bitmap: reading it would fail
	vm.Mod.TypeLayouts = map[uint32]int32{uint32(typ): cell}
	if got := pointerWords(t, vm, typ, 2); len(got) != 2 || got[1] != 2 {
		t.Errorf("pointers %d", got)
	}
	arr := b.array(typ, 3, 48, 40)
	if got := pointerWords(t, vm, arr, 1); len(got) != 3 {
		t.Errorf("array: pointers %d", got)
	}
	// append asks for a size above that of the elements.
	p := must(t, vm, "malloc", 100, typ, 2)[0]
	if size := must(t, vm, "objectof", p)[1]; size != 104 {
		t.Errorf("size %d", size)
	}
}

// The same address may hold another type after a collection.
func TestDescriptorsInTheHeapAreNotRemembered(t *testing.T) {
	vm, _ := newVM(t, Config{})
	b := newTypeBuilder(t, vm)
	typ := b.desc(kindOther, 16, 16, 0, b.mask(0b01))
	if got := pointerWords(t, vm, typ, 1); len(got) != 1 || got[0] != 0 {
		t.Fatalf("pointers %d", got)
	}
	mem(t, vm, get64(t, vm, typ+guesttype.TypeGCData), 1)[0] = 0b10
	if got := pointerWords(t, vm, typ, 1); len(got) != 1 || got[0] != 1 {
		t.Errorf("pointers %d", got)
	}
}

func TestCorruptDescriptors(t *testing.T) {
	vm, _ := newVM(t, Config{Config: api.Config{Memory: 32 << 20}})
	b := newTypeBuilder(t, vm)
	str := b.str()
	self := b.array(0, 1, 8, 8)
	put64(t, vm, self+guesttype.ArrayElem, self)
	selfStruct := b.structure(8, 8, 0, 0)
	put64(t, vm, get64(t, vm, selfStruct+guesttype.StructFields)+guesttype.FieldType, selfStruct)
	manyFields := b.structure(8, 8, str, 0)
	put64(t, vm, manyFields+guesttype.StructFields+8, 1<<60)
	for name, typ := range map[string]uint64{
		"address 8":                8,
		"outside":                  0xfffffff0,
		"bitmap outside":           b.desc(kindOther, 8, 8, 0, 0xfffffff0),
		"pointers beyond size":     b.desc(kindOther, 8, 16, 0, b.mask(3)),
		"odd size":                 b.desc(kindOther, 12, 8, 0, b.mask(1)),
		"odd pointers":             b.desc(kindOther, 16, 4, 0, b.mask(1)),
		"array of itself":          self,
		"struct of itself":         selfStruct,
		"array too long":           b.structure(64, 64, b.array(str, 1<<61, 16, 8), 0),
		"array of nothing":         b.structure(64, 64, b.array(b.desc(kindOther, 0, 8, 0, b.mask(1)), 1<<61, 16, 8), 0),
		"field beyond the struct":  b.structure(16, 16, str, 64),
		"field's pointers beyond":  b.structure(16, 16, str, 16),
		"field at an odd place":    b.structure(16, 16, str, 4),
		"too many fields":          manyFields,
		"on demand, but no struct": b.desc(kindOther, 8, 8, guesttype.FlagGCMaskOnDemand, 0),
	} {
		vm.Err = nil
		_, st := call(vm, "malloc", 0, typ, 1)
		if st != Failed || (!errors.Is(vm.Err, memory.ErrCorrupt) && !errors.Is(vm.Err, ErrAddress)) {
			t.Errorf("%s: status %d, %v", name, st, vm.Err)
		}
	}
	vm.Err = nil
	huge := b.desc(kindOther, 1<<31, 1<<31, 0, b.mask(1))
	if _, st := call(vm, "malloc", 0, huge, 1); st == OK {
		t.Error("a bitmap of 32 MiB")
	}
	if _, st := call(vm, "malloc", 0, str, 1<<62); st != OutOfMemory {
		t.Errorf("too many elements: status %d", st)
	}
	if _, st := call(vm, "malloc", 0, str, 1<<28); st != OutOfMemory {
		t.Errorf("too many bytes: status %d", st)
	}
}

// Descriptors of random bytes give an error or an object, and nothing else.
func TestRandomDescriptors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	vm, _ := newVM(t, Config{Config: api.Config{Memory: 8 << 20}})
	area := mem(t, vm, typesAt, 0x4000)
	for range 3000 {
		for i := 0; i < len(area); i += 8 {
			var w uint64
			switch rng.IntN(6) {
			case 0:
				w = rng.Uint64()
			case 1, 2:
				w = typesAt + rng.Uint64N(0x4000)&^7
			case 3, 4:
				w = 8 * rng.Uint64N(20)
			}
			binary.LittleEndian.PutUint64(area[i:], w)
		}
		typ := uint64(typesAt + 16*rng.IntN(64))
		head := mem(t, vm, typ, guesttype.TypeHead)
		head[guesttype.TypeKind] = []byte{guesttype.KindArray, guesttype.KindStruct, kindOther}[rng.IntN(3)]
		head[guesttype.TypeTFlag] = byte(rng.IntN(2)) * guesttype.FlagGCMaskOnDemand
		vm.Err = nil
		if _, st := call(vm, "malloc", uint64(rng.IntN(100)), typ, uint64(rng.IntN(4))); st == OutOfMemory || vm.Heap.Stats().Host > 4<<20 {
			vm.Reset(Config{})
			area = mem(t, vm, typesAt, 0x4000)
		}
	}
}

func TestMallocOfAKnownTypeAllocatesNothing(t *testing.T) {
	vm, _ := newVM(t, Config{})
	b := newTypeBuilder(t, vm)
	typ := b.desc(kindOther, 16, 16, 0, b.mask(0b01))
	malloc := Host["malloc"]
	var a ir.Args
	if n := testing.AllocsPerRun(1000, func() {
		a = ir.Args{16, typ, 1}
		if malloc(vm, &a) != OK {
			t.Error("malloc")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
