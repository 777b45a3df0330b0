// Package probe calls functions with random inputs and tells what they return and whose memory
// they share. It is compiled twice: into gyr, which reads its reports, and, as
// source that is laid over a module (go's -overlay), into test binaries of two versions of a
// package, which write them. So it keeps to the standard library and to the language of Go 1.18.
//
// # What is observed
//
// A function gets the same inputs in both versions: they come from its name and the number of
// the case. Of each case the results are noted, and four questions are asked:
//
//	Input  did the call write to what it was given?
//	Later  does a result change when the function is called again?
//	Alias  does a result, or the receiver, change when the caller changes its input afterwards?
//	Back   does the input change when the caller changes the result?
//
// None of these is wrong by itself: a function may well return a part of its input. What is
// wrong, mostly, is that a version which is only to be faster answers otherwise than the one
// before.
//
// # What inputs are
//
// Numbers are small, strings and slices short, structs have their exported fields set and the
// others zero, as a caller from outside would make them. Readers, writers, errors and contexts
// have a simple one; functions, channels and other interfaces are not known, so functions that take
// them are not called.
package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand"
	"os"
	"reflect"
	"strings"
)

// Variables of the environment: the function to call, and the file for the report.
const (
	Name = "GYR_RESEARCH_PROBE"
	File = "GYR_RESEARCH_PROBE_FILE"
)

// Cases is how often a function is called for its results.
const Cases = 48

// A Case is one call.
type Case struct {
	Args string
	Out  string // the results, or "panic"
}

// A Report is what is known of one function.
type Report struct {
	Unsupported string // why it was not called; empty: it was
	Cases       []Case
	Input       bool
	Later       bool
	Alias       bool
	Back        bool
}

// Main calls the function that the environment names and writes its report.
func Main(functions map[string]interface{}) error {
	f, ok := functions[os.Getenv(Name)]
	if !ok {
		return fmt.Errorf("no function %q", os.Getenv(Name))
	}
	text, err := json.Marshal(Run(os.Getenv(Name), f))
	if err != nil {
		return err
	}
	return os.WriteFile(os.Getenv(File), text, 0o666)
}

// Run observes a function, or a method as a function whose first parameter is the receiver: its
// name begins with a parenthesis.
func Run(name string, function interface{}) *Report {
	p := &prober{name: name, f: reflect.ValueOf(function), method: strings.HasPrefix(name, "(")}
	r := &Report{}
	for i := 0; i < p.f.Type().NumIn(); i++ {
		if t := p.f.Type().In(i); !makeable(t, 0) {
			r.Unsupported = "takes a " + t.String()
			return r
		}
	}
	// What is returned first is looked at again at the end: what shares memory with the package has
	// changed then.
	type held struct {
		values []reflect.Value
		deep   string
	}
	var kept []held
	for i := 0; i < Cases; i++ {
		c := p.call(i)
		r.Cases = append(r.Cases, Case{clip(c.before), clip(c.out)})
		r.Input = r.Input || c.before != show(c.args, true)
		kept = append(kept, held{c.results, show(c.results, true)})
	}
	for _, h := range kept {
		r.Later = r.Later || show(h.values, true) != h.deep
	}
	// From here on memory is written to that may belong to the package: its results count no more.
	for i := 0; i < Cases; i++ {
		c := p.call(i)
		all := append(c.results[:len(c.results):len(c.results)], c.receiver...)
		before := show(all, true)
		change(c.args)
		r.Alias = r.Alias || show(all, true) != before
	}
	for i := 0; i < Cases; i++ {
		c := p.call(i)
		before := show(c.args, true)
		change(c.results)
		r.Back = r.Back || show(c.args, true) != before
	}
	return r
}

func clip(s string) string {
	const most = 2000
	if len(s) <= most {
		return s
	}
	h := fnv.New64a()
	io.WriteString(h, s)
	return fmt.Sprintf("%s… (%d bytes, hash %x)", s[:most], len(s), h.Sum64())
}

type prober struct {
	name   string
	f      reflect.Value
	method bool
}

// A called is one call: its arguments without the receiver, and what it gave.
type called struct {
	receiver []reflect.Value
	args     []reflect.Value
	before   string // the arguments, before the call
	out      string
	results  []reflect.Value
}

// call makes the arguments of a case and calls the function.
func (p *prober) call(i int) (c *called) {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", p.name, i)
	rng := rand.New(rand.NewSource(int64(h.Sum64())))
	var all []reflect.Value
	t := p.f.Type()
	for k := 0; k < t.NumIn(); k++ {
		v := reflect.New(t.In(k)).Elem()
		fill(v, rng, 0, p.method && k == 0)
		all = append(all, v)
	}
	c = &called{args: all}
	if p.method {
		c.receiver, c.args = all[:1], all[1:]
	}
	c.before = show(c.args, true)
	defer func() {
		if recover() != nil {
			c.out, c.results = "panic", nil
		}
	}()
	if t.IsVariadic() {
		c.results = p.f.CallSlice(all)
	} else {
		c.results = p.f.Call(all)
	}
	c.out = show(c.results, false)
	// What was written counts as a result.
	for _, v := range c.args {
		if v.Kind() == reflect.Interface && !v.IsNil() {
			if w, ok := v.Interface().(*bytes.Buffer); ok {
				c.out += fmt.Sprintf(" wrote %q", w.String())
			}
		}
	}
	return c
}

var (
	readerType  = reflect.TypeOf((*io.Reader)(nil)).Elem()
	writerType  = reflect.TypeOf((*io.Writer)(nil)).Elem()
	errorType   = reflect.TypeOf((*error)(nil)).Elem()
	contextType = reflect.TypeOf((*context.Context)(nil)).Elem()
	anyType     = reflect.TypeOf((*interface{})(nil)).Elem()
	streamIn    = reflect.TypeOf((*strings.Reader)(nil))
	streamOut   = reflect.TypeOf((*bytes.Buffer)(nil))
)

// depth of pointers, slices and structs in each other.
const depth = 5

// makeable reports whether fill can make a value of a type that is more than nothing.
func makeable(t reflect.Type, d int) bool {
	switch t {
	case readerType, writerType, errorType, contextType, anyType:
		return true
	}
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.Interface, reflect.UnsafePointer:
		return d > 1 // left nil where it is deep inside
	case reflect.Slice, reflect.Array, reflect.Ptr:
		return d > depth || makeable(t.Elem(), d+1)
	case reflect.Map:
		return d > depth || makeable(t.Key(), d+1) && makeable(t.Elem(), d+1)
	}
	return true
}

// fill makes a value. A receiver that is a pointer is not nil.
func fill(v reflect.Value, rng *rand.Rand, d int, receiver bool) {
	if !v.CanSet() || d > depth {
		return
	}
	switch v.Type() {
	case readerType:
		v.Set(reflect.ValueOf(strings.NewReader(text(rng))))
		return
	case writerType:
		v.Set(reflect.ValueOf(new(bytes.Buffer)))
		return
	case errorType:
		if rng.Intn(2) == 0 {
			v.Set(reflect.ValueOf(errors.New(text(rng))))
		}
		return
	case contextType:
		v.Set(reflect.ValueOf(context.Background()))
		return
	case anyType:
		switch rng.Intn(4) {
		case 0:
			v.Set(reflect.ValueOf(text(rng)))
		case 1:
			v.Set(reflect.ValueOf(int(small(rng))))
		case 2:
			v.Set(reflect.ValueOf([]byte(text(rng))))
		}
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rng.Intn(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(small(rng))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n := small(rng)
		if n < 0 {
			n = -n
		}
		v.SetUint(uint64(n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(small(rng)) + float64(rng.Intn(4))/4)
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(float64(small(rng)), float64(small(rng))))
	case reflect.String:
		v.SetString(text(rng))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 && rng.Intn(2) == 0 {
			v.Set(reflect.ValueOf([]byte(text(rng))).Convert(v.Type()))
			return
		}
		n := rng.Intn(6)
		if n == 0 && rng.Intn(2) == 0 {
			return // nil
		}
		// Room behind the end, as buffers have it.
		s := reflect.MakeSlice(v.Type(), n, n+rng.Intn(4))
		for i := 0; i < n; i++ {
			fill(s.Index(i), rng, d+1, false)
		}
		v.Set(s)
	case reflect.Array:
		for i := 0; i < v.Len(); i++ {
			fill(v.Index(i), rng, d+1, false)
		}
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		for i := rng.Intn(5); i > 0; i-- {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, rng, d+1, false)
			fill(elem, rng, d+1, false)
			if key.Kind() != reflect.Interface || key.IsNil() || key.Elem().Type().Comparable() {
				m.SetMapIndex(key, elem)
			}
		}
		v.Set(m)
	case reflect.Ptr:
		if !receiver && rng.Intn(8) == 0 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), rng, d+1, false)
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			fill(v.Field(i), rng, d+1, false) // the exported ones: others cannot be set
		}
	}
}

// small is a number near those with which programs work: some loop as often as it says.
func small(rng *rand.Rand) int64 {
	switch rng.Intn(8) {
	case 0:
		return -int64(rng.Intn(4))
	case 1:
		return int64(rng.Intn(128))
	}
	return int64(rng.Intn(24))
}

func text(rng *rand.Rand) string {
	const alphabet = "abcxyzABC019 -_,.:/\"\\<>&=%\n\tµ世"
	runes := []rune(alphabet)
	b := make([]rune, rng.Intn(12))
	for i := range b {
		b[i] = runes[rng.Intn(len(runes))]
	}
	return string(b)
}

// show writes values down. Deep goes into unexported fields, as what a caller may notice of
// memory is not only what it can name; else errors and Stringers say what they are. A nil slice or
// map is like an empty one.
func show(list []reflect.Value, deep bool) string {
	w := &writer{deep: deep}
	for i, v := range list {
		if i > 0 {
			w.WriteString(", ")
		}
		w.value(v, 0)
	}
	return w.String()
}

type writer struct {
	strings.Builder
	deep bool
	path []uintptr // pointers on the way, so that a circle ends
}

func (w *writer) value(v reflect.Value, d int) {
	if !v.IsValid() {
		w.WriteString("nil")
		return
	}
	if !w.deep && v.CanInterface() && w.says(v) {
		return
	}
	if d > 4*depth {
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
		w.WriteByte('[')
		for i := 0; i < v.Len(); i++ {
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
		if v.Type() == streamIn || v.Type() == streamOut {
			w.WriteString("…") // that it is read from, or written to, is what it is for
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
			if f := v.Type().Field(i); w.deep || f.PkgPath == "" {
				w.WriteString(f.Name + ":")
				w.value(v.Field(i), d+1)
				w.WriteByte(' ')
			}
		}
		w.WriteByte('}')
	default: // functions and channels
		fmt.Fprintf(w, "%v nil=%v", v.Type(), v.IsNil())
	}
}

// says writes what an error or a Stringer says of itself, if it can.
func (w *writer) says(v reflect.Value) (ok bool) {
	if v.Kind() == reflect.Interface || v.Kind() == reflect.Ptr && v.IsNil() {
		return false // the value in it comes later
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

// entries writes a map in the order of its keys as they are written.
func (w *writer) entries(v reflect.Value, d int) {
	var list []string
	for _, k := range v.MapKeys() {
		e := &writer{deep: w.deep, path: w.path}
		e.value(k, d+1)
		e.WriteByte(':')
		e.value(v.MapIndex(k), d+1)
		list = append(list, e.String())
	}
	for i := range list {
		for k := i; k > 0 && list[k] < list[k-1]; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	fmt.Fprintf(w, "map%v", list)
}

// change writes another value into all that a holder of the values can reach and write to.
func change(list []reflect.Value) {
	for _, v := range list {
		alter(v, 0, map[uintptr]bool{})
	}
}

func alter(v reflect.Value, d int, seen map[uintptr]bool) {
	if d > 4*depth {
		return
	}
	switch v.Kind() {
	case reflect.Ptr:
		if !v.IsNil() && !seen[v.Pointer()] {
			seen[v.Pointer()] = true
			alter(v.Elem(), d+1, seen)
		}
	case reflect.Interface:
		if !v.IsNil() {
			alter(v.Elem(), d+1, seen)
		}
	case reflect.Slice:
		for i := 0; i < v.Len(); i++ {
			alter(v.Index(i), d+1, seen)
		}
	case reflect.Array:
		for i := 0; v.CanAddr() && i < v.Len(); i++ {
			alter(v.Index(i), d+1, seen)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			alter(v.Field(i), d+1, seen)
		}
	case reflect.Map:
		if !v.CanInterface() {
			return
		}
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			alter(v.MapIndex(k), d+1, seen)
			e.Set(v.MapIndex(k))
			alter(e, d+1, seen)
			v.SetMapIndex(k, e)
		}
	default:
		if !v.CanSet() {
			return
		}
		switch v.Kind() {
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			v.SetInt(v.Int() ^ 0x55)
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
			v.SetUint(v.Uint() ^ 0x55)
		case reflect.Float32, reflect.Float64:
			v.SetFloat(v.Float() + 1)
		case reflect.Complex64, reflect.Complex128:
			v.SetComplex(v.Complex() + 1)
		case reflect.String:
			v.SetString(v.String() + "!")
		}
	}
}
