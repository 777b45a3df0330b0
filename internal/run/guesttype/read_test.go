package guesttype

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// plain gives no host type a meaning beyond its structure.
var plain = HostTypes{Handle: func(reflect.Type) bool { return false }, Buffer: func(reflect.Type) bool { return false }}

// A dataBuilder writes descriptors to the data of a module, as a compiler or an attacker would.
type dataBuilder struct{ mod *ir.Module }

func newDataBuilder() *dataBuilder {
	return &dataBuilder{&ir.Module{Data: make([]byte, 16), TypeLayouts: map[uint32]int32{}}}
}

// put appends words and returns their address.
func (b *dataBuilder) put(words ...uint64) uint64 {
	at := ir.DataBase + uint64(len(b.mod.Data))
	for _, w := range words {
		b.mod.Data = binary.LittleEndian.AppendUint64(b.mod.Data, w)
	}
	return at
}

func (b *dataBuilder) name(s string) uint64 {
	at := ir.DataBase + uint64(len(b.mod.Data))
	b.mod.Data = append(append(b.mod.Data, 1, byte(len(s))), s...)
	b.mod.Data = append(b.mod.Data, make([]byte, -len(b.mod.Data)&7)...)
	return at
}

// desc writes a descriptor with its tail.
func (b *dataBuilder) desc(name string, kind reflect.Kind, size uint64, tail ...uint64) uint64 {
	n := b.name(name)
	at := b.put(append([]uint64{size, 0, uint64(kind) << 56, 0, 0, n}, tail...)...)
	b.mod.TypeLayouts[uint32(at)] = 0
	return at
}

func (b *dataBuilder) pointer(elem uint64) uint64 { return b.desc("*", reflect.Pointer, 8, elem) }

func (b *dataBuilder) array(n, size, elem uint64) uint64 {
	return b.desc("array", reflect.Array, size, elem, 0, n)
}

// structure has fields of the same type, one after the other.
func (b *dataBuilder) structure(fields int, size, elem uint64) uint64 {
	field := b.name("A")
	list := uint64(0)
	for i := range fields {
		at := b.put(field, elem, uint64(i)*size)
		if i == 0 {
			list = at
		}
	}
	return b.desc("struct", reflect.Struct, uint64(fields)*size, 0, list, uint64(fields), uint64(fields))
}

// set overwrites a word.
func (b *dataBuilder) set(at, word uint64) {
	binary.LittleEndian.PutUint64(b.mod.Data[at-ir.DataBase:], word)
}

func TestTypesOfHostileData(t *testing.T) {
	b := newDataBuilder()
	number := b.desc("int", reflect.Int, 8)
	itself := b.array(1, 8, number)
	b.set(itself+ArrayElem, itself)
	ring := b.pointer(number)
	b.set(ring+elemOffset, ring)
	hollow := b.structure(2, 0, b.structure(0, 0, 0))
	for range 60 {
		hollow = b.structure(2, 0, hollow)
	}
	deep := b.pointer(number)
	for range 2 * maxTypeChain {
		deep = b.pointer(deep)
	}
	ts := New(b.mod, plain)
	get := func(at uint64) *Type {
		x, err := ts.At(uint32(at))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if _, err := ts.At(uint32(itself)); !errors.Is(err, memory.ErrCorrupt) {
		t.Errorf("an array of itself: %v", err)
	}
	if x := get(ring); x.Traits&endless == 0 || x.Crosses() != nil {
		t.Errorf("a pointer to itself: %+v", x)
	}
	if _, err := get(ring).HostType(); err == nil {
		t.Error("a pointer to itself has a type of the host's")
	}
	if x := get(hollow); x.Parts != 1 || x.Whole != manyParts || !strings.Contains(x.Unordered, "too many parts") {
		t.Errorf("a struct of no size has %d parts, %d as a key: %q", x.Parts, x.Whole, x.Unordered)
	}
	if _, err := get(hollow).HostType(); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("the host makes a type with 2^60 parts: %v", err)
	}
	if err := get(deep).Crosses(); err == nil || len(err.Error()) > 500 {
		t.Errorf("%d pointers: %v", 2*maxTypeChain, err)
	}
	if h, err := get(number).HostType(); h != reflect.TypeFor[int]() || err != nil {
		t.Error(h, err)
	}

	// Data that only looks like a descriptor is refused, and so is a copy at another address.
	copied := b.put(8, 0, uint64(reflect.Int)<<56, 0, 0, 0)
	for _, at := range []uint64{copied, number + 8, 0, ir.DataBase - 8, ir.DataBase + uint64(len(b.mod.Data)), 1<<32 - 8} {
		if x, err := ts.At(uint32(at)); !errors.Is(err, memory.ErrCorrupt) {
			t.Errorf("%#x: %v %v", at, x, err)
		}
	}
}

// TestTypesInAnyOrder: the facts about a type, and the choice of types that the host makes, depend
// on the program alone, not on the order of requests. Instances of a program share the facts.
func TestTypesInAnyOrder(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := newDataBuilder()
		list := []uint64{b.desc("int", reflect.Int, 8), b.desc("float64", reflect.Float64, 8), b.desc("string", reflect.String, 16),
			b.desc("chan", reflect.Chan, 8, 0, 0)}
		sizes := map[uint64]uint64{list[0]: 8, list[1]: 8, list[2]: 16, list[3]: 8}
		for range 60 {
			x := list[len(list)-1-r.IntN(min(len(list), 8))]
			at, size := uint64(0), uint64(8)
			switch size1 := sizes[x]; r.IntN(4) {
			case 0:
				at = b.pointer(x)
			case 1:
				size = size1 * 2
				at = b.array(2, size, x)
			case 2:
				size = size1 * 3
				at = b.structure(3, size1, x)
			case 3:
				at, size = b.desc("[]", reflect.Slice, 24, x), 24
			}
			if size > 1<<30 {
				continue
			}
			sizes[at] = size
			list = append(list, at)
		}
		if r.IntN(2) == 0 { // some refer back to others
			for range 1 + r.IntN(3) {
				b.set(b.pointer(list[0])+elemOffset, list[r.IntN(len(list))])
				p := b.pointer(list[0])
				b.set(p+elemOffset, b.structure(1, 8, p))
				list = append(list, p)
			}
		}
		x := list[r.IntN(len(list))]
		for range []int{3, 400, 2500}[seed%3] { // and some chains are too long to cross
			x = b.pointer(x)
			list = append(list, x)
		}
		known := func(order []int) (s string) {
			ts := New(b.mod, plain)
			says := make([]string, len(list))
			for _, i := range order {
				g, err := ts.At(uint32(list[i]))
				if err != nil {
					says[i] = err.Error()
					continue
				}
				_, made := g.HostType()
				says[i] = fmt.Sprint(g.Traits, g.bad, g.height, g.Parts, g.Whole, g.Refs, g.plain, g.Unordered, g.text, g.Crosses(), made, ts.refused(g))
			}
			return strings.Join(says, "\n")
		}
		up := make([]int, len(list))
		for i := range up {
			up[i] = i
		}
		a, c := known(up), known(r.Perm(len(list)))
		slices.Reverse(up)
		if d := known(up); a != c || a != d {
			t.Fatalf("seed %d: what is known of types depends on what was asked first:\n%s\n\n%s\n\n%s", seed, a, c, d)
		}
	}
}

// TestRefusedTypes: the host makes small types, and none whose text doubles with each level.
func TestRefusedTypes(t *testing.T) {
	b := newDataBuilder()
	x := b.structure(1, 8, b.desc("int", reflect.Int, 8))
	s := ""
	ts := New(b.mod, plain)
	for i := range 40 {
		x = b.structure(2, 8<<min(i, 20), x)
	}
	for _, at := range slices.Sorted(maps.Keys(b.mod.TypeLayouts)) {
		if g, err := ts.At(at); err == nil {
			s += map[bool]string{true: "1", false: "0"}[ts.refused(g)]
		}
	}
	if !strings.HasPrefix(s, "0000000000") || !strings.Contains(s, "1") {
		t.Error(s)
	}
}
