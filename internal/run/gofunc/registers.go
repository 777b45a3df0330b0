//go:build gc && (amd64 || arm64) && !go1.27

package gofunc

import (
	"math"
	"reflect"
	"runtime"
	"unsafe"
)

// Calls by registers.
//
// Go's ABI (cmd/compile/abi-internal.md) splits parameters into words, and assigns integer
// registers and floating-point registers to them, each kind in order. Take a function that needs at
// most nine and four registers. It can be called as a function with nine parameters of type uintptr
// and four of type float64. It does not read the registers that are not its own. It spills its own
// into the caller's frame, which has room for all thirteen. The bits of a register beyond the size
// of its parameter are unspecified.
//
// The collector does not see pointers in these words, and need not: the parameters stay in their
// variables, on the heap, until the function has returned.
//
// Results come back in registers in the same way. Words that the collector has to know have their
// own type in the type of the call: one of the kinds below as the first result, and an error as the
// last one. The others are numbers.

const (
	argWords, argFloats       = 9, 4 // amd64 has 9 and 15 registers for parameters, arm64 16 and 16
	resultWords, resultFloats = 3, 2
)

// A move is a part of a variable, a number or a word, and its register.
type move struct {
	at    unsafe.Pointer
	size  uintptr // 1, 2, 4 or 8
	reg   int
	float bool
}

func (m *move) load() uint64 {
	switch m.size {
	case 8:
		return *(*uint64)(m.at)
	case 4:
		return uint64(*(*uint32)(m.at))
	case 2:
		return uint64(*(*uint16)(m.at))
	}
	return uint64(*(*uint8)(m.at))
}

func (m *move) store(x uint64) {
	switch m.size {
	case 8:
		*(*uint64)(m.at) = x
	case 4:
		*(*uint32)(m.at) = uint32(x)
	case 2:
		*(*uint16)(m.at) = uint16(x)
	default:
		*(*uint8)(m.at) = uint8(x)
	}
}

// An assignment assigns registers to the parts of variables.
type assignment struct {
	moves         []move
	words, floats int
	pointers      bool // some parts are pointers
	failed        bool // not all parts can be in registers
}

func (a *assignment) add(p unsafe.Pointer, size uintptr, float bool) {
	reg := &a.words
	if float {
		reg = &a.floats
	}
	a.moves = append(a.moves, move{p, size, *reg, float})
	*reg++
}

// assign splits a variable of type t at p.
func (a *assignment) assign(t reflect.Type, p unsafe.Pointer) {
	words := func(n uintptr) {
		a.pointers = true
		for i := range n {
			a.add(unsafe.Add(p, 8*i), 8, false)
		}
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		a.add(p, t.Size(), false)
	case reflect.Float32, reflect.Float64:
		a.add(p, t.Size(), true)
	case reflect.Complex64, reflect.Complex128:
		a.add(p, t.Size()/2, true)
		a.add(unsafe.Add(p, t.Size()/2), t.Size()/2, true)
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
		words(1)
	case reflect.String, reflect.Interface:
		words(2)
	case reflect.Slice:
		words(3)
	case reflect.Struct:
		a.failed = a.failed || t.Size() == 0
		for i := range t.NumField() {
			f := t.Field(i)
			a.failed = a.failed || f.Name == "_"
			a.assign(f.Type, unsafe.Add(p, f.Offset))
		}
	default: // arrays are passed on the stack, except short ones
		a.failed = true
	}
}

// Prepare returns a function that calls f with the values of variables as arguments and sets
// variables to the results. It returns f's additional last result, an error, if there is one.
// Prepare returns nil if the call needs package reflect.
//
// The variables have f's types, can be set, and are on the heap. f is called with the variables'
// words, so a variadic function gets a slice last. The function that Prepare returns is for one
// goroutine at a time.
func Prepare(f reflect.Value, args, results []reflect.Value) func() error {
	var in, out assignment
	for _, v := range args {
		in.assign(v.Type(), v.Addr().UnsafePointer())
	}
	first := noKind
	for i, v := range results {
		if k := kindOf(v.Type()); i == 0 && k != noKind {
			first = k
			continue
		}
		out.assign(v.Type(), v.Addr().UnsafePointer())
	}
	fails := f.Type().NumOut() > len(results)
	room := resultWords
	if first != noKind {
		room = 1
	}
	if in.failed || in.words > argWords || in.floats > argFloats ||
		out.failed || out.pointers || out.words > room || out.floats > resultFloats {
		return nil
	}
	fn := reflect.New(f.Type())
	fn.Elem().Set(f)
	c := &prepared{fn: fn.UnsafePointer(), args: args, in: in.moves, out: out.moves, words: out.words, fails: fails}
	if first != noKind {
		c.first = results[0].Addr().UnsafePointer()
	}
	switch first {
	case noKind:
		return c.numbers
	case textKind:
		return func() error { return call[string](c) }
	case listKind:
		return func() error { return call[[]byte](c) }
	case pointerKind:
		return func() error { return call[unsafe.Pointer](c) }
	default:
		return func() error { return call[any](c) }
	}
}

// A kind is a set of types whose values have the same number of words, with pointers at the same
// places.
type kind uint8

const (
	noKind kind = iota
	textKind
	listKind
	pointerKind
	interfaceKind
)

func kindOf(t reflect.Type) kind {
	switch t.Kind() {
	case reflect.String:
		return textKind
	case reflect.Slice:
		return listKind
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func:
		return pointerKind
	case reflect.Interface:
		return interfaceKind
	}
	return noKind
}

// A prepared call has all its addresses computed.
type prepared struct {
	fn    unsafe.Pointer  // of a variable that holds the function
	args  []reflect.Value // in points into them
	in    []move
	first unsafe.Pointer // of the variable for a first result with pointers
	out   []move         // of the other results
	words int            // words of the other results that are not floats
	fails bool
}

// An arguments holds the registers of a call.
type arguments struct {
	words  [argWords]uintptr
	floats [argFloats]float64
}

func (c *prepared) load(a *arguments) {
	for i := range c.in {
		if m := &c.in[i]; m.float {
			a.floats[m.reg] = math.Float64frombits(m.load())
		} else {
			a.words[m.reg] = uintptr(m.load())
		}
	}
}

func (c *prepared) store(words [resultWords]uintptr, floats [resultFloats]float64) {
	for i := range c.out {
		if m := &c.out[i]; m.float {
			m.store(math.Float64bits(floats[m.reg]))
		} else {
			m.store(uint64(words[m.reg]))
		}
	}
}

// numbers calls a function whose results are numbers.
func (c *prepared) numbers() (err error) {
	var a arguments
	c.load(&a)
	w, x := &a.words, &a.floats
	var r [resultWords]uintptr
	var y [resultFloats]float64
	switch {
	case !c.fails:
		r[0], r[1], r[2], y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (uintptr, uintptr, uintptr, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	case c.words == 0:
		err, y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (error, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	case c.words == 1:
		r[0], err, y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (uintptr, error, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	case c.words == 2:
		r[0], r[1], err, y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (uintptr, uintptr, error, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	default:
		r[0], r[1], r[2], err, y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (uintptr, uintptr, uintptr, error, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	}
	runtime.KeepAlive(c)
	c.store(r, y)
	return err
}

// call calls a function whose first result is of a kind. P is the type that stands for the kind.
func call[P any](c *prepared) (err error) {
	var a arguments
	c.load(&a)
	w, x := &a.words, &a.floats
	var p P
	var r [resultWords]uintptr
	var y [resultFloats]float64
	switch {
	case !c.fails:
		p, r[0], y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (P, uintptr, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	case c.words == 0:
		p, err, y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (P, error, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	default:
		p, r[0], err, y[0], y[1] = (*(*func(a, b, c, d, e, f, g, h, i uintptr, j, k, l, m float64) (P, uintptr, error, float64, float64))(c.fn))(
			w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], x[0], x[1], x[2], x[3])
	}
	runtime.KeepAlive(c)
	*(*P)(c.first) = p
	c.store(r, y)
	return err
}
