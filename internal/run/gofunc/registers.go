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
// Go's ABI (cmd/compile/abi-internal.md) takes parameters apart into words, and gives them integer registers and floating-point
// registers, each kind in order. A function that gets by with nine and four of them can therefore be called as one that has nine parameters of type uintptr and four of type
// float64: it does not look at registers that are not for it, and finds what it spills its own in the caller's frame, which has
// room for all thirteen. Bits of a register beyond the size of its parameter are not specified.
//
// The collector does not see what is in these words. It need not: the parameters stay in their variables, on the heap, until the
// function has returned.
//
// Results come back in registers in the same way. Words that the collector has to know are of their own type in the type that
// the function is called by: one of the kinds below as the first result, and an error as the last one. The rest are numbers.

const (
	argWords, argFloats       = 9, 4 // amd64 has 9 and 15 registers for parameters, arm64 16 and 16
	resultWords, resultFloats = 3, 2
)

// A move is a part of a variable, a number or a word, and the register for it.
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

// An assignment gives registers to the parts of variables.
type assignment struct {
	moves         []move
	words, floats int
	pointers      bool // there are some in them
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

// assign takes a variable of type t at p apart.
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
	default: // arrays are on the stack, but for short ones
		a.failed = true
	}
}

// Prepare returns a function that calls f with the values of variables as arguments, sets variables to the results, and returns
// the error that f returns behind them, if it does. It returns nil if that needs package reflect.
//
// The variables have f's types, can be set, and are on the heap. f is called by the variables' words: what a variadic function gets last is a slice.
// The function that Prepare returns is for one goroutine at a time.
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

// A kind is a set of types whose values are in as many words with pointers at the same places.
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

// A prepared call.
type prepared struct {
	fn    unsafe.Pointer  // of a variable that holds the function
	args  []reflect.Value // what in points into
	in    []move
	first unsafe.Pointer // of the variable for a first result with pointers
	out   []move         // of the others
	words int            // of the others that are no floats
	fails bool
}

// An arguments is the registers of a call.
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

// call calls a function whose first result is of a kind, and P stands for the kind.
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
