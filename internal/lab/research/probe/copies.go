//go:build go1.17

package probe

import (
	"reflect"
	"sync"
	"unsafe"
)

// cloneAll copies values with everything that they refer to, so that nothing else sees what a call
// does to them. Functions, channels and the contents of errors are shared.
func cloneAll(list []reflect.Value) []reflect.Value {
	out, _ := cloneCounted(list)
	return out
}

// cloneCounted is cloneAll with the number of values that it copied.
func cloneCounted(list []reflect.Value) (out []reflect.Value, n int) {
	c := &cloner{seen: map[uintptr]reflect.Value{}, made: map[uintptr][]copied{}}
	for _, v := range list {
		to := reflect.New(v.Type()).Elem()
		c.copy(to, v, 0)
		out = append(out, to)
	}
	for len(c.later) > 0 {
		x := c.later[len(c.later)-1]
		c.later = c.later[:len(c.later)-1]
		c.copy(x.to, x.from, 1)
	}
	return out, c.n
}

var poolType = reflect.TypeOf(sync.Pool{})

type cloner struct {
	n     int
	seen  map[uintptr]reflect.Value
	made  map[uintptr][]copied // by stretch of memory
	later []target             // a list may be long: the copy does not descend through pointers
}

// A target is what a pointer of the copy refers to, with what it will be a copy of.
type target struct{ to, from reflect.Value }

// mostCopied bounds the values of a copy. The rest is shared.
const mostCopied = 1 << 22

// stretch is the binary logarithm of the size of a stretch of memory.
const stretch = 9

// A copied is an object with its copy. Pointers into the object become pointers into the copy.
type copied struct {
	from, size uintptr
	to         unsafe.Pointer
}

// settable makes a value settable and readable even if it is in an unexported field.
func settable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	}
	return v
}

// copy sets to, which is addressable, to a copy of from.
func (c *cloner) copy(to, from reflect.Value, d int) {
	c.n++
	to = settable(to)
	from = settable(from)
	if !from.CanInterface() {
		// The unexported contents of a map or an interface are not addressable.
		moved := reflect.New(from.Type()).Elem()
		if !assign(moved, from) {
			return
		}
		from = moved
	}
	if d > 8*depth || c.n > mostCopied {
		to.Set(from)
		return
	}
	switch from.Kind() {
	case reflect.Ptr:
		if from.IsNil() || d > 0 && from.Type().Implements(errorType) {
			to.Set(from) // a package compares its errors by their addresses
			return
		}
		if known, ok := c.seen[from.Pointer()]; ok && known.Type() == from.Type() {
			to.Set(known)
			return
		}
		at, size := from.Pointer(), from.Type().Elem().Size()
		for _, m := range c.made[at>>stretch] {
			if in := at - m.from; at >= m.from && in+size <= m.size {
				to.Set(reflect.NewAt(from.Type().Elem(), unsafe.Pointer(uintptr(m.to)+in)).Convert(from.Type()))
				return
			}
		}
		p := reflect.New(from.Type().Elem()).Convert(from.Type())
		c.seen[at] = p
		for k := at >> stretch; size > 0 && k <= (at+size-1)>>stretch; k++ {
			c.made[k] = append(c.made[k], copied{at, size, address(p.Pointer())})
		}
		object := from.Elem() // from may be the variable that is being set
		to.Set(p)
		c.later = append(c.later, target{p.Elem(), object})
	case reflect.Interface:
		if from.IsNil() || from.Type() == errorType || from.Type() == contextType {
			to.Set(from)
			return
		}
		x := reflect.New(from.Elem().Type()).Elem()
		c.copy(x, from.Elem(), d+1)
		to.Set(x)
	case reflect.Slice:
		if from.IsNil() {
			to.Set(reflect.Zero(to.Type()))
			return
		}
		s := reflect.MakeSlice(from.Type(), from.Len(), from.Cap())
		if holds(from.Type().Elem()) {
			for i := 0; i < from.Len(); i++ {
				c.copy(s.Index(i), from.Index(i), d+1)
			}
		} else {
			reflect.Copy(s, from)
		}
		to.Set(s)
	case reflect.Array:
		to.Set(from)
		if holds(from.Type().Elem()) {
			for i := 0; i < from.Len(); i++ {
				c.copy(to.Index(i), to.Index(i), d+1)
			}
		}
	case reflect.Map:
		if from.IsNil() {
			to.Set(reflect.Zero(to.Type()))
			return
		}
		made := reflect.MakeMap(from.Type())
		for _, k := range from.MapKeys() {
			x := reflect.New(from.Type().Elem()).Elem()
			c.copy(x, from.MapIndex(k), d+1)
			made.SetMapIndex(k, x)
		}
		to.Set(made)
	case reflect.Struct:
		switch from.Type().PkgPath() {
		case "sync", "internal/sync":
			var pool sync.Pool
			if from.Type() == poolType && from.CanAddr() {
				pool.New = from.Addr().Interface().(*sync.Pool).New // to may be the same variable
			}
			to.Set(reflect.Zero(to.Type())) // it has no other holder
			if to.Type() == poolType {
				to.Addr().Interface().(*sync.Pool).New = pool.New
			}
			return
		case "sync/atomic":
			to.Set(from)
			return
		}
		to.Set(from)
		for i := 0; i < to.NumField(); i++ {
			f := settable(to.Field(i))
			if holds(f.Type()) || f.Kind() == reflect.Struct {
				c.copy(f, f, d+1)
			}
		}
	default:
		to.Set(from)
	}
}

// assign sets a variable to a value that may come from an unexported field; false if that is
// impossible.
func assign(to, from reflect.Value) (ok bool) {
	switch from.Kind() {
	case reflect.Bool:
		to.SetBool(from.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		to.SetInt(from.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		to.SetUint(from.Uint())
	case reflect.Float32, reflect.Float64:
		to.SetFloat(from.Float())
	case reflect.String:
		to.SetString(from.String())
	case reflect.Ptr:
		*(*unsafe.Pointer)(unsafe.Pointer(to.UnsafeAddr())) = address(from.Pointer())
	default:
		return false
	}
	return true
}
