//go:build go1.17

package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"reflect"
	"sort"
	"strings"
)

// Each case gets new values, which derive from the name of the function and the number of the case.
// Numbers are small or near those in the sources. Strings and slices are short, except in one case
// of eight. Structs have their exported fields set, as an outside caller would; types without such
// fields are made by the package's constructors. Readers, writers, errors and contexts are simple
// ones. Functions answer by their arguments. Other interfaces hold types of the package. Channels
// are not supported.

var (
	readerType  = reflect.TypeOf((*io.Reader)(nil)).Elem()
	writerType  = reflect.TypeOf((*io.Writer)(nil)).Elem()
	errorType   = reflect.TypeOf((*error)(nil)).Elem()
	contextType = reflect.TypeOf((*context.Context)(nil)).Elem()
	anyType     = reflect.TypeOf((*interface{})(nil)).Elem()
	streamIn    = reflect.TypeOf((*strings.Reader)(nil))
	streamOut   = reflect.TypeOf((*bytes.Buffer)(nil))
)

// depth bounds how deeply pointers, slices and structs nest.
const depth = 5

// A maker makes the values of one function's cases.
type maker struct {
	w       *worker
	name    string
	rng     *rand.Rand
	large   bool
	failing bool     // some functions, readers and writers fail
	flaky   bool     // functions with an error fail when they are first called with some arguments
	keys    []string // of the maps of a case
	texts   []string // of a case, so far
	letters []string // of a case: few, so that texts have letters in common; nil: many
	pool    []string // of a sequence: strings that recur
	numbers []int64  // numbers that recur
	makers  map[reflect.Type][]string

	functions int    // made in a case
	ender     *ender // of a case
	within    func() // what functions of a case do when they are called, beside answering; nil: nothing
}

func (w *worker) maker(name string) *maker {
	m := &maker{w: w, name: name, makers: map[reflect.Type][]string{}}
	var names []string
	for key := range w.pkg.Functions {
		names = append(names, key)
	}
	sort.Strings(names)
	for _, key := range names {
		t := reflect.TypeOf(w.pkg.Functions[key])
		if strings.HasPrefix(key, "(") || t.NumOut() == 0 || t.NumOut() > 2 {
			continue
		}
		if to := t.Out(0); own(to) {
			m.makers[to] = append(m.makers[to], key)
		}
	}
	return m
}

// own reports whether a type, or its pointer's target, belongs to the package.
func own(t reflect.Type) bool {
	if t.Kind() == reflect.Ptr {
		t = t.Elem()
	}
	return t.Name() != "" && t.PkgPath() == process.home && process.home != ""
}

// begin makes the values those of a case.
func (m *maker) begin(i int) {
	m.rng = rand.New(rand.NewSource(int64(hash(fmt.Sprintf("%s %d", m.name, i)))))
	m.large, m.pool, m.numbers, m.letters, m.keys, m.texts = i%8 == 7, nil, nil, nil, nil, nil
	m.functions, m.ender, m.within = 0, &ender{}, nil
	if i%3 == 1 {
		m.letters = m.w.someLetters(m.rng)
	}
	process.log = ""
}

// someLetters are a few letters for the texts of one case. Single letters in the sources come
// first.
func (w *worker) someLetters(rng *rand.Rand) []string {
	letters := []string{"a", "b"}
	var single []string
	for _, s := range w.order.Strings {
		if len(s) == 1 {
			single = append(single, s)
		}
	}
	for n := 1 + rng.Intn(3); n > 0 && len(single) > 0; n-- {
		letters = append(letters, single[rng.Intn(len(single))])
	}
	if rng.Intn(2) == 0 {
		return letters[:2] // a text of two letters has each short one many times
	}
	return letters[rng.Intn(2):]
}

// makeable reports whether fill can make a non-trivial value of a type.
func (m *maker) makeable(t reflect.Type, d int) bool {
	switch t {
	case readerType, writerType, errorType, contextType, anyType:
		return true
	}
	switch t.Kind() {
	case reflect.Chan, reflect.UnsafePointer:
		return d > 1 // deep inside it may stay nil
	case reflect.Interface:
		return d > 1 || len(m.implementing(t)) > 0
	case reflect.Func:
		for i := 0; i < t.NumOut(); i++ {
			if !m.makeable(t.Out(i), d+2) {
				return d > 1
			}
		}
		return true
	case reflect.Slice, reflect.Array, reflect.Ptr:
		return d > depth || m.makeable(t.Elem(), d+1)
	case reflect.Map:
		return d > depth || m.makeable(t.Key(), d+1) && m.makeable(t.Elem(), d+1)
	}
	return true
}

// implementing are the types of the package that implement an interface.
func (m *maker) implementing(t reflect.Type) (list []reflect.Type) {
	for _, x := range m.w.pkg.Types {
		p := reflect.TypeOf(x)
		if p.Elem().Kind() == reflect.Interface {
			continue
		}
		if p.Elem().Implements(t) {
			list = append(list, p.Elem())
		} else if p.Implements(t) {
			list = append(list, p)
		}
	}
	return list
}

// fill makes a value. A pointer receiver is not nil.
func (m *maker) fill(v reflect.Value, d int, receiver bool) {
	if !v.CanSet() || d > depth {
		return
	}
	if m.fails(v) {
		return
	}
	rng := m.rng
	switch v.Type() {
	case readerType:
		v.Set(reflect.ValueOf(strings.NewReader(m.text())))
		return
	case writerType:
		v.Set(reflect.ValueOf(new(bytes.Buffer)))
		return
	case errorType:
		if rng.Intn(2) == 0 {
			v.Set(reflect.ValueOf(errors.New(m.text())))
		}
		return
	case contextType:
		v.Set(reflect.ValueOf(context.Background()))
		return
	case anyType:
		m.any(v, d)
		return
	}
	if m.construct(v, d, receiver) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rng.Intn(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(m.number())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n := m.number()
		if n < 0 && rng.Intn(4) > 0 {
			n = -n
		}
		v.SetUint(uint64(n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(m.float())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(float64(m.number()), float64(m.number())))
	case reflect.String:
		v.SetString(m.text())
	case reflect.Slice:
		m.slice(v, d)
	case reflect.Array:
		for i := 0; i < v.Len(); i++ {
			m.fill(v.Index(i), d+1, false)
		}
	case reflect.Map:
		made := reflect.MakeMap(v.Type())
		n := rng.Intn(5)
		if m.large && d == 0 {
			n = rng.Intn(40)
		}
		for ; n > 0; n-- {
			key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			m.fill(key, d+1, false)
			m.fill(elem, d+1, false)
			if key.Kind() != reflect.Interface || key.IsNil() || key.Elem().Type().Comparable() {
				made.SetMapIndex(key, elem)
				if key.Kind() == reflect.String {
					m.keys = append(m.keys, key.String())
				}
			}
		}
		v.Set(made)
	case reflect.Ptr:
		if !receiver && rng.Intn(8) == 0 {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		m.fill(v.Elem(), d+1, false)
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			m.fill(field(v, i), d+1, false) // others cannot be set
		}
	case reflect.Interface:
		if list := m.implementing(v.Type()); len(list) > 0 {
			x := reflect.New(list[rng.Intn(len(list))]).Elem()
			m.fill(x, d+1, true)
			v.Set(x)
		}
	case reflect.Func:
		v.Set(m.function(v.Type()))
	}
}

func (m *maker) slice(v reflect.Value, d int) {
	rng := m.rng
	if v.Type().Elem().Kind() == reflect.Uint8 && rng.Intn(2) == 0 {
		text := m.text()
		s := reflect.MakeSlice(v.Type(), len(text), len(text)+rng.Intn(9))
		reflect.Copy(s, reflect.ValueOf([]byte(text)).Convert(v.Type()))
		v.Set(s)
		return
	}
	n := rng.Intn(6)
	if m.large && d <= 1 {
		n = rng.Intn(48)
	}
	if n == 0 && rng.Intn(2) == 0 {
		return // stays nil
	}
	// Spare capacity after the end, as buffers have it.
	s := reflect.MakeSlice(v.Type(), n, n+rng.Intn(4))
	for i := 0; i < n; i++ {
		m.fill(s.Index(i), d+1, false)
	}
	v.Set(s)
}

// any sets a typical content of an interface without methods.
func (m *maker) any(v reflect.Value, d int) {
	switch rng := m.rng; rng.Intn(10) {
	case 0, 1:
		v.Set(reflect.ValueOf(m.text()))
	case 2:
		v.Set(reflect.ValueOf(int(m.number())))
	case 3:
		v.Set(reflect.ValueOf([]byte(m.text())))
	case 4:
		v.Set(reflect.ValueOf(rng.Intn(2) == 0))
	case 5:
		v.Set(reflect.ValueOf(float64(m.number()) / 4))
	case 6:
		list := make([]interface{}, rng.Intn(3))
		if d < 3 {
			for i := range list {
				m.any(reflect.ValueOf(&list[i]).Elem(), d+1)
			}
		}
		v.Set(reflect.ValueOf(list))
	case 7:
		entries := map[string]interface{}{}
		for n := rng.Intn(4); n > 0 && d < 3; n-- {
			var x interface{}
			m.any(reflect.ValueOf(&x).Elem(), d+1)
			entries[m.text()] = x
		}
		v.Set(reflect.ValueOf(entries))
	case 8:
		if n := len(m.w.pkg.Types); n > 0 {
			if t := reflect.TypeOf(m.w.pkg.Types[rng.Intn(n)]).Elem(); t.Kind() != reflect.Interface && t.Kind() != reflect.Func {
				x := reflect.New(t).Elem()
				m.fill(x, d+1, false)
				v.Set(x)
			}
		}
	}
}

// construct makes a value of a type without exported fields by the package's constructors.
func (m *maker) construct(v reflect.Value, d int, receiver bool) bool {
	names := m.makers[v.Type()]
	if len(names) == 0 || d > 2 || exportsFields(v.Type()) || !receiver && m.rng.Intn(8) == 0 {
		return false
	}
	x, _, ok := m.made(names[m.rng.Intn(len(names))], d)
	if ok {
		v.Set(x)
	}
	return ok
}

// made calls a constructor; the text says how.
func (m *maker) made(name string, d int) (v reflect.Value, text string, ok bool) {
	f := reflect.ValueOf(m.w.pkg.Functions[name])
	var list []reflect.Value
	for k := 0; k < f.Type().NumIn(); k++ {
		if f.Type().In(k) == f.Type().Out(0) || !m.makeable(f.Type().In(k), d+1) {
			return v, "", false // a constructor that takes its own type would recurse
		}
		x := reflect.New(f.Type().In(k)).Elem()
		m.fill(x, d+1, false)
		list = append(list, x)
	}
	text = name + "(" + show(list, true) + ")"
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	var out []reflect.Value
	if f.Type().IsVariadic() {
		out = f.CallSlice(list)
	} else {
		out = f.Call(list)
	}
	if len(out) == 2 && out[1].Type() == errorType && !out[1].IsNil() {
		return v, text, false
	}
	v = reflect.New(out[0].Type()).Elem()
	v.Set(out[0])
	if (v.Kind() == reflect.Ptr || v.Kind() == reflect.Interface) && v.IsNil() {
		return v, text, false
	}
	return v, text, true
}

func exportsFields(t reflect.Type) bool {
	if t.Kind() == reflect.Ptr {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return t.Kind() != reflect.Interface
	}
	for i := 0; i < t.NumField(); i++ {
		if reachable(t, i) {
			return true
		}
	}
	return false
}

// calledBack are the arguments with which functions that callers passed were called, now or earlier, if
// they have no result or no parameter: how often the others are called is no answer.
func calledBack() string {
	text := process.log
	process.log = ""
	return text
}

// function makes a function whose results depend on its arguments. With two arguments of one type
// and a bool result it is an order.
func (m *maker) function(t reflect.Type) reflect.Value {
	seed := m.rng.Int63()
	first := m.failsFirst(t)
	m.functions++
	number, ender, within := m.functions, m.ender, m.within
	return reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
		text := show(args, true)
		if ender.called(); within != nil {
			within()
		}
		if t.NumOut() == 0 || t.NumIn() == 0 {
			if watches() && len(process.log) < longest {
				process.log += fmt.Sprintf("%d(%s)", number, text) // the order of several functions shows
			}
		}
		if t.NumOut() == 0 {
			return nil
		}
		if t.NumIn() == 2 && t.In(0) == t.In(1) && t.NumOut() == 1 {
			a, b := show(args[:1], true), show(args[1:], true)
			out := reflect.New(t.Out(0)).Elem()
			switch t.Out(0).Kind() {
			case reflect.Bool:
				out.SetBool(a < b)
				return []reflect.Value{out}
			case reflect.Int:
				out.SetInt(int64(strings.Compare(a, b)))
				return []reflect.Value{out}
			}
		}
		inner := *m
		inner.texts = nil
		inner.rng = rand.New(rand.NewSource(seed ^ int64(hash(text))))
		var out []reflect.Value
		for i := 0; i < t.NumOut(); i++ {
			v := reflect.New(t.Out(i)).Elem()
			inner.fill(v, 2, false)
			out = append(out, v)
		}
		if first != nil && first(text) {
			out[len(out)-1].Set(reflect.ValueOf(errMade))
		} else if first != nil {
			out[len(out)-1].Set(reflect.Zero(errorType))
		}
		return out
	})
}

// streamOf is the writer behind an argument, nil for others.
func streamOf(v reflect.Value) *bytes.Buffer {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		switch w := v.Interface().(type) {
		case *bytes.Buffer:
			return w
		case *failingWriter:
			return &w.got
		}
	}
	return nil
}

// number is a number that programs can handle: some loop that many times.
func (m *maker) number() int64 {
	rng := m.rng
	if len(m.numbers) > 0 && rng.Intn(2) == 0 {
		return m.numbers[rng.Intn(len(m.numbers))]
	}
	switch k := rng.Intn(10); {
	case k == 0:
		return -int64(rng.Intn(4))
	case k == 1:
		return int64(rng.Intn(128))
	case k <= 3 && len(m.w.order.Ints) > 0:
		return m.w.order.Ints[rng.Intn(len(m.w.order.Ints))] + int64(rng.Intn(3)) - 1
	case k == 4 && m.large:
		return int64(rng.Intn(1 << 12))
	}
	return int64(rng.Intn(24))
}

func (m *maker) float() float64 {
	if m.w.special && m.rng.Intn(4) == 0 {
		return [...]float64{math.NaN(), math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}[m.rng.Intn(8)%5%4]
	}
	return float64(m.number()) + float64(m.rng.Intn(4))/4
}

func (m *maker) text() string {
	rng := m.rng
	if len(m.pool) > 0 && rng.Intn(4) > 0 {
		return m.pool[rng.Intn(len(m.pool))]
	}
	if n := len(m.texts); n > 0 && (rng.Intn(4) == 0 || m.letters != nil && rng.Intn(2) == 0) {
		return m.related(m.texts[rng.Intn(n)])
	}
	s := m.newText()
	if s != "" {
		m.texts = append(m.texts, s)
	}
	return s
}

// related is a part of another text of the case, or has parts of it: one argument occurs in another, or
// nearly does.
func (m *maker) related(s string) string {
	rng := m.rng
	switch rng.Intn(5) {
	case 0, 1:
		i := rng.Intn(len(s))
		return s[i:min(i+2+rng.Intn(4), len(s))]
	case 2, 3:
		text := ""
		for n := 1 + rng.Intn(5); n > 0; n-- {
			if text += s[:min(1+rng.Intn(6), len(s))]; rng.Intn(3) == 0 {
				text += s
			}
		}
		return text
	}
	return m.newText() + s + m.newText()
}

func (m *maker) newText() string {
	rng := m.rng
	dict := m.w.order.Strings
	s := ""
	if len(m.letters) > 0 && rng.Intn(4) > 0 {
		// Short ones occur in long ones.
		for n := rng.Intn([...]int{4, 8, 24}[rng.Intn(3)]); n > 0; n-- {
			s += m.letters[rng.Intn(len(m.letters))]
		}
		return s
	}
	switch k := rng.Intn(8); {
	case k < 2 && len(dict) > 0:
		return dict[rng.Intn(len(dict))]
	case k == 2 && len(dict) > 0:
		// A string of the sources with a change, so that nearly right inputs are tried.
		s = dict[rng.Intn(len(dict))]
		return changedText(s, rng)
	case k == 3 && len(dict) > 0:
		for n := 1 + rng.Intn(4); n > 0; n-- {
			s += dict[rng.Intn(len(dict))]
		}
		return s
	}
	const alphabet = "abcxyzABC019 -_,.:;/\"\\'<>&=%[]{}()\n\t\x00\x7fµ世"
	runes := []rune(alphabet)
	n := rng.Intn(12)
	if m.large {
		n = rng.Intn(300)
	}
	b := make([]rune, n)
	for i := range b {
		b[i] = runes[rng.Intn(len(runes))]
	}
	if s = string(b); rng.Intn(16) == 0 {
		s += "\xff"
	}
	return s
}

// changedText is a text with one change.
func changedText(s string, rng *rand.Rand) string {
	if s == "" {
		return "x"
	}
	i := rng.Intn(len(s))
	switch rng.Intn(7) {
	case 0:
		return s[:i] + s[i+1:]
	case 1:
		return s[:i] + s[i:i+1] + s[i:]
	case 2:
		return s[:i]
	case 3, 4:
		// A word twice, the second time with another number or letter: of two definitions one has
		// to win.
		again := []byte(s)
		for n := 0; n < 3; n++ {
			if k := rng.Intn(len(again)); '0' <= again[k] && again[k] < '9' || 'a' <= again[k] && again[k] < 'z' {
				again[k]++
			}
		}
		return s + []string{"", "\n", ","}[rng.Intn(3)] + string(again)
	}
	const others = " \"\\,=0Az\n"
	return s[:i] + others[rng.Intn(len(others)):][:1] + s[i+1:]
}

// vary slightly changes copies of a test's arguments. Unexported fields stay as the package made
// them.
func (m *maker) vary(list []reflect.Value) {
	for _, v := range list {
		if m.rng.Intn(2) == 0 {
			m.varyOne(v, 0)
		}
	}
}

func (m *maker) varyOne(v reflect.Value, d int) {
	if !v.CanSet() || d > depth {
		return
	}
	rng := m.rng
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + int64(rng.Intn(3)) - 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + uint64(rng.Intn(2)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(v.Float() * 2)
	case reflect.String:
		v.SetString(changedText(v.String(), rng))
	case reflect.Slice:
		n := v.Len()
		switch {
		case v.Type().Elem().Kind() == reflect.Uint8:
			v.Set(reflect.ValueOf([]byte(changedText(string(v.Bytes()), rng))).Convert(v.Type()))
		case n == 0:
			m.slice(v, d)
		case rng.Intn(3) == 0:
			v.Set(v.Slice(0, n-1))
		case rng.Intn(2) == 0:
			i, k := rng.Intn(n), rng.Intn(n)
			a, b := v.Index(i), v.Index(k)
			was := reflect.New(a.Type()).Elem()
			was.Set(a)
			a.Set(b)
			b.Set(was)
		default:
			m.varyOne(v.Index(rng.Intn(n)), d+1)
		}
	case reflect.Struct:
		if n := v.NumField(); n > 0 {
			m.varyOne(v.Field(rng.Intn(n)), d+1)
		}
	case reflect.Ptr:
		if !v.IsNil() {
			m.varyOne(v.Elem(), d+1)
		}
	case reflect.Interface:
		if !v.IsNil() && v.Type() == anyType {
			m.any(v, d)
		}
	}
}
