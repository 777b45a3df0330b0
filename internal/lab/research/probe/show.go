//go:build go1.17

package probe

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"strings"
)

// nilResults says which results of a function are nil slices and maps, if its text decides that. Beside an
// error nobody looks at them.
func nilResults(name string, results []reflect.Value) (text string) {
	bits := process.nils[name]
	if bits == 0 {
		return ""
	}
	for i, v := range results {
		if v.Type() == errorType && !v.IsNil() {
			return ""
		}
		if k := v.Kind(); bits>>uint(i)&1 != 0 && (k == reflect.Slice || k == reflect.Map) && v.IsNil() {
			text += fmt.Sprintf(", and result %d is nil", i+1)
		}
	}
	return text
}

// longest is about the longest text of a value. Both versions leave out the rest.
const longest = 1 << 17

// show prints values. With deep it includes unexported fields, since a caller may notice memory
// that it cannot name. Otherwise errors and Stringers print themselves. A nil slice or map equals an empty
// one: lists with room for elements are made in place of nil ones everywhere (but see nilResults).
func show(list []reflect.Value, deep bool) string {
	w := &writer{deep: deep}
	w.list(list)
	return w.String()
}

func (w *writer) list(list []reflect.Value) {
	for i, v := range list {
		if i > 0 {
			w.WriteString(", ")
		}
		w.value(v, 0)
	}
}

type writer struct {
	strings.Builder
	deep   bool
	shared bool      // of types that differ between the versions only what both have
	lost   bool      // such a type of the parent's has more
	plain  bool      // neither unexported fields nor the values' own texts
	path   []uintptr // pointers on the way, to end cycles
}

func (w *writer) value(v reflect.Value, d int) {
	if !v.IsValid() {
		w.WriteString("nil")
		return
	}
	if !w.deep && !w.plain && v.CanInterface() && w.says(v) {
		return
	}
	differs := (*Shared)(nil)
	if w.shared {
		differs = sharedOf(v.Type())
	}
	w.lost = w.lost || differs != nil && (differs.Other || differs.Lacks)
	if differs != nil && differs.Other {
		w.WriteString("…")
		return
	}
	if d > 4*depth || w.Len() > longest {
		w.WriteString("…")
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		fmt.Fprint(w, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		fmt.Fprint(w, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		fmt.Fprint(w, v.Uint())
	case reflect.Float32, reflect.Float64:
		fmt.Fprint(w, v.Float())
	case reflect.Complex64, reflect.Complex128:
		fmt.Fprint(w, v.Complex())
	case reflect.String:
		fmt.Fprintf(w, "%q", v.String())
	case reflect.Slice, reflect.Array:
		if w.numbers(v) {
			return
		}
		w.WriteByte('[')
		for i := 0; i < v.Len() && w.Len() <= longest; i++ {
			if i > 0 {
				w.WriteByte(' ')
			}
			w.value(v.Index(i), d+1)
		}
		w.WriteByte(']')
	case reflect.Map:
		w.entries(v, d)
	case reflect.Ptr:
		if v.IsNil() {
			w.WriteString("nil")
			return
		}
		if v.Type() == streamOut || v.Type() == failingOut {
			w.WriteString("…") // a writer's purpose is to be written to
			return
		}
		if v.Type() == streamIn && v.CanInterface() {
			r := *v.Interface().(*strings.Reader) // only a copy is read
			text, _ := io.ReadAll(&r)
			fmt.Fprintf(w, "reader of %q", text)
			return
		}
		if v.Type() == ending {
			w.WriteString(v.Elem().FieldByName("how").String())
			return
		}
		if v.Type() == failingIn && v.CanInterface() {
			w.WriteString(v.Interface().(*failingReader).String())
			return
		}
		for _, p := range w.path {
			if p == v.Pointer() {
				w.WriteString("circle")
				return
			}
		}
		w.path = append(w.path, v.Pointer())
		w.WriteByte('&')
		w.value(v.Elem(), d+1)
		w.path = w.path[:len(w.path)-1]
	case reflect.Interface:
		if v.IsNil() {
			w.WriteString("nil")
			return
		}
		fmt.Fprintf(w, "%v(", v.Elem().Type())
		w.value(v.Elem(), d+1)
		w.WriteByte(')')
	case reflect.Struct:
		w.WriteByte('{')
		for i := 0; i < v.NumField(); i++ {
			if f := v.Type().Field(i); (w.deep || reachable(v.Type(), i)) && (differs == nil || differs.has(f.Name)) {
				w.WriteString(f.Name + ":")
				w.value(v.Field(i), d+1)
				w.WriteByte(' ')
			}
		}
		w.WriteByte('}')
	default: // functions, channels and addresses
		fmt.Fprintf(w, "%v nil=%v", v.Type(), v.IsNil())
	}
}

// numbers writes a long list of numbers as its first ones and a hash of all.
func (w *writer) numbers(v reflect.Value) (ok bool) {
	const some = 32
	if v.Len() <= 8*some {
		return false
	}
	size, write := 8, (func(b []byte, x reflect.Value))(nil)
	switch v.Type().Elem().Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		write = func(b []byte, x reflect.Value) { binary.LittleEndian.PutUint64(b, uint64(x.Int())) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		write = func(b []byte, x reflect.Value) { binary.LittleEndian.PutUint64(b, x.Uint()) }
	case reflect.Float32, reflect.Float64:
		write = func(b []byte, x reflect.Value) {
			f := x.Float()
			if f != f {
				f = math.NaN() // one of many
			}
			binary.LittleEndian.PutUint64(b, math.Float64bits(f))
		}
	default:
		return false
	}
	h, b := fnv.New64a(), make([]byte, 0, size*v.Len())
	for i := 0; i < v.Len(); i++ {
		b = b[:len(b)+size]
		write(b[len(b)-size:], v.Index(i))
	}
	h.Write(b)
	w.WriteByte('[')
	for i := 0; i < some; i++ {
		w.value(v.Index(i), 4*depth)
		w.WriteByte(' ')
	}
	fmt.Fprintf(w, "… %d numbers, hash %x]", v.Len(), h.Sum64())
	return true
}

// says writes an error's or a Stringer's own text, if possible.
func (w *writer) says(v reflect.Value) (ok bool) {
	if v.Kind() == reflect.Interface || v.Kind() == reflect.Ptr && v.IsNil() {
		return false // its value comes later
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	switch x := v.Interface().(type) {
	case error:
		fmt.Fprintf(w, "error %q", x.Error())
		return true
	case fmt.Stringer:
		fmt.Fprintf(w, "%q", x.String())
		return true
	}
	return false
}

// entries writes a map, ordered by its keys' texts.
func (w *writer) entries(v reflect.Value, d int) {
	var list []string
	for _, k := range v.MapKeys() {
		e := &writer{deep: w.deep, plain: w.plain, shared: w.shared, path: w.path}
		e.value(k, d+1)
		e.WriteByte(':')
		e.value(v.MapIndex(k), d+1)
		list = append(list, e.String())
		w.lost = w.lost || e.lost
	}
	for i := range list {
		for k := i; k > 0 && list[k] < list[k-1]; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	fmt.Fprintf(w, "map%v", list)
}

// getters are the results of the results' methods without arguments, for types of the package: only
// these show their contents.
func getters(results []reflect.Value) string {
	text := ""
	for _, v := range results {
		if v.Kind() == reflect.Interface && !v.IsNil() {
			v = v.Elem()
		}
		t := v.Type()
		if t.Kind() == reflect.Ptr {
			if v.IsNil() {
				continue
			}
			t = t.Elem()
		}
		if t.PkgPath() == "" || t.PkgPath() != process.home || !v.CanInterface() {
			continue
		}
		for i := 0; i < v.NumMethod() && i < mostGetters; i++ {
			m := v.Type().Method(i)
			if m.Type.NumIn() != 1 || m.Type.NumOut() == 0 || acting(m.Name) {
				continue
			}
			text += fmt.Sprintf(" .%s=%s", m.Name, get(v.Method(i)))
		}
	}
	return text
}

const mostGetters = 24

// acting reports whether a method's name suggests that it does more than answer.
func acting(name string) bool {
	for _, word := range []string{"Close", "Wait", "Lock", "Stop", "Run", "Start", "Serve", "Listen", "Shutdown", "Release", "Free", "Put"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

func get(f reflect.Value) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = panicText(p)
		}
	}()
	return show(f.Call(nil), false)
}
