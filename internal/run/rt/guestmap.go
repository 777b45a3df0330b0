package rt

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// The guest's maps are those of internal/runtime/maps (go1.26), in guest memory. The host reads
// their tables and trusts nothing in them. It cannot make a map, because the guest's code hashes
// keys. It writes an array of keys, one of elements, and a record of both. The guest makes the map
// from these (gyr_settle in the overlay's runtime/values.go).
//
// Keys are written in a fixed order, so that the guest's map, its memory and its gas do not depend
// on the order of the host's map. The order is: false before true; numbers and strings by size, NaN
// first; complex numbers, arrays and structs by their parts; times by instant, then by zone; values
// of any by the names of their types, then by value, nil first.

// Offsets in internal/runtime/maps.Map and table.
const (
	mapUsed   = 0
	mapDir    = 16
	mapDirLen = 24
	mapSize   = 48

	tableGroups = 16
	tableMask   = 24
	tableSize   = 32
)

var errBadMap = fmt.Errorf("%w: a map that is none", memory.ErrCorrupt)

// entries calls f with the addresses of the keys and elements of a map of type t. head is the map's
// header.
func (w *walker) entries(t *guesttype.Type, head []byte, f func(key, elem uint32) error) error {
	used, dir, n := guesttype.U64(head, mapUsed), uint32(guesttype.U64(head, mapDir)), guesttype.U64(head, mapDirLen)
	switch {
	case used == 0:
		return nil
	case n == 0:
		if err := w.group(t, dir, &used, f); err != nil {
			return err
		}
	case n > 1<<24:
		return errBadMap
	default:
		tables, err := w.bytes(dir, n*8)
		if err != nil {
			return err
		}
		last := uint32(0)
		for i := range n {
			if err := w.step(); err != nil {
				return err
			}
			table := uint32(guesttype.U64(tables, int(i)*8))
			if table == last {
				continue // a table stands in the directory several times in a row
			}
			last = table
			if err := w.table(t, table, &used, f); err != nil {
				return err
			}
		}
	}
	if used != 0 {
		return errBadMap
	}
	return nil
}

func (w *walker) table(t *guesttype.Type, addr uint32, used *uint64, f func(key, elem uint32) error) error {
	b, err := w.bytes(addr, tableSize)
	if err != nil {
		return err
	}
	groups, last := uint32(guesttype.U64(b, tableGroups)), guesttype.U64(b, tableMask)
	if last >= 1<<16 {
		return errBadMap
	}
	if _, err := w.bytes(groups, (last+1)*uint64(t.Slots.Group)); err != nil {
		return err
	}
	if err := w.extra(int64(last) + 1); err != nil { // most slots may be empty
		return err
	}
	for i := range uint32(last + 1) {
		if err := w.group(t, groups+i*t.Slots.Group, used, f); err != nil {
			return err
		}
	}
	return nil
}

// group calls f for the entries of one group. It subtracts them from used.
func (w *walker) group(t *guesttype.Type, addr uint32, used *uint64, f func(key, elem uint32) error) error {
	if err := w.follow(uint64(t.Slots.Group), 0); err != nil {
		return err
	}
	s := &t.Slots
	b, err := w.bytes(addr, uint64(s.Group))
	if err != nil {
		return err
	}
	for i := range uint32(guesttype.GroupSlots) {
		if b[i]&0x80 != 0 {
			continue // empty, or deleted
		}
		if *used == 0 {
			return errBadMap
		}
		*used--
		slot := guesttype.GroupSlots + i*s.Slot
		key, elem := addr+slot, addr+slot+s.Elem
		if s.IndirectKey {
			key = uint32(guesttype.U64(b, int(slot)))
		}
		if s.IndirectElem {
			elem = uint32(guesttype.U64(b, int(slot+s.Elem)))
		}
		if err := f(key, elem); err != nil {
			return err
		}
	}
	return nil
}

var errSameKeys = fmt.Errorf("%w: a map with equal keys", memory.ErrCorrupt)

// mapping decodes the map at p.
func (d *decoder) mapping(v reflect.Value, t *guesttype.Type, p uint32, depth int) error {
	if p == 0 {
		v.SetZero()
		return nil
	}
	head, err := d.bytes(p, mapSize)
	if err != nil {
		return err
	}
	if err := d.follow(mapSize, depth); err != nil {
		return err
	}
	if err := d.take(1, mapSize); err != nil {
		return err
	}
	h := v.Type()
	m := reflect.MakeMapWithSize(h, int(min(guesttype.U64(head, mapUsed), 1024))) // it grows as entries are found
	n := 0
	err = d.entries(t, head, func(key, elem uint32) error {
		n++
		if err := d.take(1, h.Key().Size()+h.Elem().Size()); err != nil {
			return err
		}
		k, e := reflect.New(h.Key()).Elem(), reflect.New(h.Elem()).Elem()
		if err := d.decode(k, t.Key, key, depth); err != nil {
			return guesttype.Within("key", err)
		}
		if t.Key.Traits&guesttype.HasErrors != 0 && !k.Comparable() {
			return errBadMap // no Go map has such a key
		}
		if err := d.decode(e, t.Elem, elem, depth); err != nil {
			return guesttype.Within("element", err)
		}
		m.SetMapIndex(k, e)
		return nil
	})
	if err != nil {
		return err
	}
	if m.Len() != n {
		return errSameKeys
	}
	v.Set(m)
	return nil
}

// Offsets in the overlay's gyr_map.
const (
	recordSlot  = 8
	recordKeys  = 24
	recordElems = 32
)

// mapping writes the keys and elements of v and the record from which the guest makes the map.
func (e *encoder) mapping(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	if v.IsNil() {
		return OK
	}
	vm, k := e.vm, &e.vm.crossing.kit
	if !k.named {
		return vm.Fail("call", errNoKit)
	}
	keys, err := vm.sortedKeys(v)
	if err != nil {
		return vm.interrupt()
	}
	n := len(keys)
	before, ok := vm.Space.Bytes(uint64(k.pending), 8)
	if !ok {
		return vm.badAddress("call", uint64(k.pending), 8)
	}
	next := guesttype.U64(before, 0)
	record, st := vm.allocate(k.record, 1)
	if st != OK {
		return st
	}
	if st := vm.put(k.pending, uint64(record), 8); st != OK {
		return st
	}
	if st := vm.putAll(record, next, uint64(addr), uint64(t.Addr), 0, 0, uint64(n)); st != OK {
		return st
	}
	for _, x := range [...]struct {
		t    *guesttype.Type
		slot uint32
	}{{t.Key, recordKeys}, {t.Elem, recordElems}} {
		list, st := vm.allocate(x.t, n)
		if st == OK {
			st = vm.put(record+x.slot, uint64(list), 8)
		}
		if st != OK {
			return st
		}
		for i, key := range keys {
			if x.slot == recordElems {
				key = v.MapIndex(key)
				if !key.IsValid() {
					// The key is not equal to itself, so only an iteration finds its element.
					key = vm.nanElement(v, keys[i])
				}
			}
			if st := e.encode(list+uint32(i)*x.t.Size, x.t, key); st != OK {
				return st
			}
		}
	}
	return OK
}

// nanElement returns the element of a key that contains a NaN. v has one such key.
func (vm *VM) nanElement(v, key reflect.Value) reflect.Value {
	n := 0
	for it := v.MapRange(); it.Next(); {
		if n++; n%pollParts == 0 && vm.mustStop() {
			break // the next poll ends the run
		}
		if vm.compareKeys(it.Key(), key) == 0 {
			return it.Value()
		}
	}
	return reflect.Zero(v.Type().Elem())
}

var errNaNKeys = errors.New("a map with two keys that are NaN has no order, and does not cross")

// sortedKeys returns the keys of a map in the order in which they are written. Its only error is
// errInterrupted.
func (vm *VM) sortedKeys(v reflect.Value) ([]reflect.Value, error) {
	keys := v.MapKeys()
	steps, stopped := 0, false
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		if steps++; steps%pollParts == 0 && !stopped {
			stopped = vm.mustStop()
		}
		if stopped {
			return 0
		}
		return vm.compareKeys(a, b)
	})
	if stopped || vm.mustStop() { // a comparison may have stopped early
		return nil, errInterrupted
	}
	return keys, nil
}

// compareKeys orders keys of one type. It returns 0 for equal keys and for NaNs of the same bits.
// It also returns 0 when the run must stop, which the caller checks.
func (vm *VM) compareKeys(a, b reflect.Value) int {
	if a.Type().Size() == 0 {
		return 0 // whatever it consists of
	}
	switch a.Kind() {
	case reflect.Bool:
		return cmp.Compare(boolNumber(a.Bool()), boolNumber(b.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.Uint(), b.Uint())
	case reflect.Float32, reflect.Float64:
		return compareFloats(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(compareFloats(real(x), real(y)), compareFloats(imag(x), imag(y)))
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Array:
		for i := range a.Len() {
			if i%pollParts == pollParts-1 && vm.mustStop() {
				return 0
			}
			if c := vm.compareKeys(a.Index(i), b.Index(i)); c != 0 {
				return c
			}
		}
	case reflect.Struct:
		if a.Type() == guesttype.RoleTypes[guesttype.TimeRole] {
			return compareTimes(timeOf(a), timeOf(b))
		}
		for i := range a.NumField() {
			if c := vm.compareKeys(a.Field(i), b.Field(i)); c != 0 {
				return c
			}
		}
	case reflect.Interface:
		a, b = a.Elem(), b.Elem()
		switch {
		case !a.IsValid() || !b.IsValid():
			return cmp.Compare(boolNumber(a.IsValid()), boolNumber(b.IsValid()))
		case a.Type() != b.Type():
			return cmp.Or(strings.Compare(a.Type().PkgPath(), b.Type().PkgPath()), strings.Compare(a.Type().String(), b.Type().String()))
		}
		return vm.compareKeys(a, b)
	}
	return 0
}

func boolNumber(x bool) int {
	if x {
		return 1
	}
	return 0
}

func compareFloats(x, y float64) int {
	if x != x && y != y {
		return cmp.Compare(math.Float64bits(x), math.Float64bits(y))
	}
	return cmp.Compare(x, y)
}

func compareTimes(x, y time.Time) int {
	a, m := x.Zone()
	b, n := y.Zone()
	return cmp.Or(x.Compare(y), cmp.Compare(m, n), strings.Compare(a, b))
}
