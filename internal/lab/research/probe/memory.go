//go:build go1.17

package probe

import (
	"fmt"
	"reflect"
	"sort"
	"unsafe"
)

// A region is memory that a value refers to.
type region struct {
	from, to uintptr
	writable bool // by the holder of the value: not a string's
	shared   bool // a slice or a map: normally it has a single holder
}

// mostRegions bounds how many regions of a value are examined.
const mostRegions = 400

// regionsOf are the regions of values. Callers do not write to the memory of an error or a context.
func regionsOf(list []reflect.Value) []region {
	s := &surveyor{seen: map[uintptr]bool{}}
	for _, v := range list {
		s.value(v, 0)
	}
	return s.list
}

// reachedBy are the regions that a caller can name.
func reachedBy(list []reflect.Value) []region {
	s := &surveyor{seen: map[uintptr]bool{}, named: true}
	for _, v := range list {
		s.value(v, 0)
	}
	return s.list
}

type surveyor struct {
	list  []region
	seen  map[uintptr]bool
	named bool // without unexported fields
}

func (s *surveyor) add(p, size uintptr, writable, shared bool) {
	if p != 0 && size > 0 {
		s.list = append(s.list, region{p, p + size, writable, shared})
	}
}

func (s *surveyor) value(v reflect.Value, d int) {
	if d > 4*depth || len(s.list) >= mostRegions || !v.IsValid() {
		return
	}
	switch v.Type() {
	case errorType, contextType:
		return
	}
	switch v.Kind() {
	case reflect.Ptr:
		if v.IsNil() || s.seen[v.Pointer()] || ofProbe(v.Type()) {
			return
		}
		s.seen[v.Pointer()] = true
		s.add(v.Pointer(), v.Type().Elem().Size(), true, false)
		s.value(v.Elem(), d+1)
	case reflect.Interface:
		if !v.IsNil() && !v.Elem().Type().Implements(errorType) {
			s.value(v.Elem(), d+1)
		}
	case reflect.String:
		text := v.String()
		if len(text) > 0 {
			s.add(*(*uintptr)(unsafe.Pointer(&text)), uintptr(len(text)), false, false)
		}
	case reflect.Slice:
		s.add(v.Pointer(), uintptr(v.Cap())*v.Type().Elem().Size(), true, v.Len() > 0)
		if holds(v.Type().Elem()) {
			for i := 0; i < v.Len(); i++ {
				s.value(v.Index(i), d+1)
			}
		}
	case reflect.Array:
		if holds(v.Type().Elem()) {
			for i := 0; i < v.Len(); i++ {
				s.value(v.Index(i), d+1)
			}
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if !s.named || reachable(v.Type(), i) {
				s.value(v.Field(i), d+1)
			}
		}
	case reflect.Map:
		if v.IsNil() || s.seen[v.Pointer()] {
			return
		}
		s.seen[v.Pointer()] = true
		s.add(v.Pointer(), 1, true, v.Len() > 0)
		for _, k := range v.MapKeys() {
			s.value(k, d+1)
			s.value(v.MapIndex(k), d+1)
		}
	}
}

// holds reports whether values of a type may refer to memory.
func holds(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return holds(t.Elem())
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			if holds(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Ptr, reflect.Interface, reflect.String, reflect.Slice, reflect.Map:
		return true
	}
	return false
}

// meet reports whether two lists have a region in common for which keep holds.
func meet(a, b []region, keep func(x, y region) bool) bool {
	for _, x := range a {
		for _, y := range b {
			if x.from < y.to && y.from < x.to && keep(x, y) {
				return true
			}
		}
	}
	return false
}

// An observation is the state of a call's arguments before it.
type observation struct {
	receiver []reflect.Value
	args     []reflect.Value
	before   []string // text of each argument
	plain    []string // text of the receiver and each argument, as far as a caller can see
	spare    [][]byte // the bytes after the end of byte slices
	regions  [][]region
	own      []region
}

// observe notes the arguments of the next call. It copies values, since a variable that holds one
// may be assigned to.
func observe(receiver, args []reflect.Value) *observation {
	o := &observation{receiver: receiver, args: args, own: regionsOf(receiver)}
	o.plain = o.seen()
	for _, v := range args {
		o.before = append(o.before, show([]reflect.Value{v}, true))
		o.spare = append(o.spare, spareOf(v))
		o.regions = append(o.regions, regionsOf([]reflect.Value{v}))
	}
	return o
}

// seen are the texts of the receiver and the arguments, as far as a caller can name their parts.
func (o *observation) seen() (list []string) {
	for _, v := range append(o.receiver[:len(o.receiver):len(o.receiver)], o.args...) {
		list = append(list, seenIn([]reflect.Value{v}))
	}
	return list
}

// seenIn is the text of arguments, as far as a caller can name their parts.
func seenIn(list []reflect.Value) string {
	w := &writer{plain: true}
	for _, v := range list {
		if !reads(v) {
			w.value(v, 0)
		}
	}
	return w.String()
}

// left is the text of the receiver and the arguments that look otherwise after the call. What a
// call leaves there is a result.
func (o *observation) left() string {
	text := ""
	for i, s := range o.seen() {
		if s != o.plain[i] {
			text += fmt.Sprintf(" leaves %d: %s", i, s)
		}
	}
	return text
}

// end compares with the state after the call.
func (o *observation) end(results []reflect.Value) (f Flags) {
	given := regionsOf(results)
	own := regionsOf(o.receiver)
	for i, v := range o.args {
		if i >= 64 {
			break
		}
		bit := uint64(1) << uint(i)
		if !reads(v) && show([]reflect.Value{v}, true) != o.before[i] || string(spareOf(v)) != string(o.spare[i]) {
			f.Input |= bit
		}
		if meet(o.regions[i], given, func(x, _ region) bool { return x.writable }) ||
			meet(o.regions[i], own, func(x, _ region) bool { return x.writable }) && !meet(o.regions[i], o.own, func(x, _ region) bool { return x.writable }) {
			f.Alias |= bit
		}
		if meet(o.regions[i], given, func(_, y region) bool { return y.writable }) {
			f.Back |= bit
		}
	}
	f.Own = meet(append(own, o.own...), given, func(_, y region) bool { return y.writable })
	return f
}

// reads reports whether an argument is a reader, which calls may read from.
func reads(v reflect.Value) bool {
	return v.Kind() == reflect.Interface && !v.IsNil() && (v.Elem().Type() == streamIn || v.Elem().Type() == failingIn)
}

// spareOf is a copy of the elements after the end of a slice of numbers.
func spareOf(v reflect.Value) []byte {
	if v.Kind() != reflect.Slice || v.Cap() == v.Len() || holds(v.Type().Elem()) {
		return nil
	}
	size := v.Type().Elem().Size()
	var out []byte
	for i, from := uintptr(0), v.Pointer()+uintptr(v.Len())*size; i < uintptr(v.Cap()-v.Len())*size && i < 256; i++ {
		out = append(out, *(*byte)(address(from + i)))
	}
	return out
}

// address makes a pointer from an address inside a slice that the caller holds.
func address(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// A keeper holds results as callers do, and finds those that change.
type keeper struct {
	list []held
}

type held struct {
	name    string
	values  []reflect.Value
	deep    string
	regions []region
}

func (k *keeper) add(name string, results []reflect.Value) {
	if len(k.list) < 256 {
		k.list = append(k.list, held{name, results, show(results, true), regionsOf(results)})
	}
}

// changed names the functions with a result that has changed, or that shares the memory of another.
func (k *keeper) changed() map[string]bool {
	m := map[string]bool{}
	type owned struct {
		region
		i int
	}
	var all []owned
	for i, h := range k.list {
		if show(h.values, true) != h.deep {
			m[h.name] = true
		}
		for _, r := range h.regions {
			if r.shared {
				all = append(all, owned{r, i})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].from < all[j].from })
	for i := 1; i < len(all); i++ {
		if a, b := all[i-1], all[i]; a.i != b.i && b.from < a.to {
			m[k.list[a.i].name], m[k.list[b.i].name] = true, true
		}
	}
	return m
}
