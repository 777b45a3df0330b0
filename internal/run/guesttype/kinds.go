package guesttype

import (
	"math/bits"
	"reflect"
	"regexp"
)

// Parts in the weight of values: see package rt, which computes the weight.
const (
	FreeParts = 16 // parts without references that the price of a call covers, for its arguments and for its results
	timeParts = 8  // parts of a time, without its zone's
)

// GroupSlots is how many slots a group of a map has. Their control bytes come first.
const GroupSlots = 8

// IsNumber reports whether values of a kind are numbers or bools.
func IsNumber(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Complex128 }

// isTime reports whether t has the fields of time.Time that the rest of this file uses.
func isTime(t *Type) bool {
	has := func(t *Type, name string, kinds ...reflect.Kind) *Type {
		f, ok := t.field(name)
		for x := f.Type; ok && len(kinds) > 0; x, kinds = x.Elem, kinds[1:] {
			if x == nil || x.Kind != kinds[0] {
				return nil
			}
			if len(kinds) == 1 {
				return x
			}
		}
		return nil
	}
	l := has(t, "loc", reflect.Pointer, reflect.Struct)
	if l == nil || has(t, "wall", reflect.Uint64) == nil || has(t, "ext", reflect.Int64) == nil {
		return false
	}
	z, x := has(l, "zone", reflect.Slice, reflect.Struct), has(l, "tx", reflect.Slice, reflect.Struct)
	return z != nil && x != nil && has(z, "name", reflect.String) != nil && has(z, "offset", reflect.Int) != nil &&
		has(z, "isDST", reflect.Bool) != nil && has(x, "when", reflect.Int64) != nil && has(x, "index", reflect.Uint8) != nil &&
		has(l, "name", reflect.String) != nil && has(l, "extend", reflect.String) != nil &&
		has(l, "cacheStart", reflect.Int64) != nil && has(l, "cacheEnd", reflect.Int64) != nil &&
		has(l, "cacheZone", reflect.Pointer, reflect.Struct) == z
}

// At returns the address of a field that isTime has found.
func (t *Type) At(addr uint32, name string) uint32 {
	f, _ := t.field(name)
	return addr + f.Offset
}

// Part returns the type of a field that isTime has found.
func (t *Type) Part(name string) *Type {
	f, _ := t.field(name)
	return f.Type
}

// mapSlots is the layout of a group of map entries.
type mapSlots struct {
	Group, Slot, Elem         uint32 // size of a group and of a slot, offset of the element in a slot
	IndirectKey, IndirectElem bool   // the slot has an address
}

// read reads the descriptor b of the map type t.
func (s *mapSlots) read(t *Type, b []byte) bool {
	group, slot, elem := U64(b, mapGroupSize), U64(b, int(t.in.maps.Stride)), U64(b, int(t.in.maps.ElemOff))
	flags := b[t.in.maps.Flags]
	*s = mapSlots{uint32(group), uint32(slot), uint32(elem), flags&mapIndirectKey != 0, flags&mapIndirectElem != 0}
	keySize, elemSize := uint64(t.Key.Size), uint64(t.Elem.Size)
	if s.IndirectKey {
		keySize = 8
	}
	if s.IndirectElem {
		elemSize = 8
	}
	return keySize <= elem && elem <= slot && elemSize <= slot-elem && slot < 1<<16 && group < 1<<20 && GroupSlots+GroupSlots*slot <= group
}

var qualifier = regexp.MustCompile(`[\pL_][\pL\pN_./~-]*\.`)

// plainName returns the name of a type without the packages of its parts.
func plainName(name string) string { return qualifier.ReplaceAllString(name, "") }

// MulSat returns the product of nonnegative numbers, or a number beyond all charges.
func MulSat(a, b int64) int64 {
	if hi, lo := bits.Mul64(uint64(a), uint64(b)); hi == 0 && lo < manyParts {
		return int64(lo)
	}
	return manyParts
}

// holdsHandle reports whether keys of type h contain a handle.
func (ts *Types) holdsHandle(h reflect.Type) bool {
	switch h.Kind() {
	case reflect.Array:
		return ts.holdsHandle(h.Elem())
	case reflect.Struct:
		if ts.host.Handle(h) {
			return true
		}
		for i := range h.NumField() {
			if ts.holdsHandle(h.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
