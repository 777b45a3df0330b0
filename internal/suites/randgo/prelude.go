package randgo

import (
	"fmt"
	"strings"
)

// header begins every program's file.
const header = `package main

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

var (
	_ = fmt.Sprint
	_ iter.Seq[int]
	_ = reflect.TypeOf
	_ = math.Pi
	_ = bits.Len
	_ = os.Exit
	_ = runtime.Gosched
	_ strings.Builder
	_ sync.Mutex
	_ atomic.Int32
)
`

// Prelude returns the file that programs share, with a main function. Without arguments it runs
// every program that does not end its process, each under a heading; with an argument it runs the
// program of that name.
//
// A program prints some values line by line and puts others into a checksum that it prints at the
// end. Where the bits of a NaN would show, a fixed NaN is used.
func Prelude(programs []*Program) string {
	var b strings.Builder
	b.WriteString(prelude)
	b.WriteString("\nvar programs = []program{\n")
	for _, p := range programs {
		fmt.Fprintf(&b, "\t{%q, %s, %v},\n", p.Name, p.Name, p.Ends)
	}
	b.WriteString("}\n")
	return b.String()
}

const prelude = `package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
)

type program struct {
	name string
	run  func()
	ends bool
}

func main() {
	for _, p := range programs {
		if len(os.Args) > 1 && os.Args[1] != p.name || len(os.Args) <= 1 && p.ends {
			continue
		}
		heading := "== " + p.name + "\n"
		out = append(out[:0], heading...)
		sum, lines, direct = 14695981039346656037, 0, p.ends
		if p.ends {
			flush()
			p.run()
		} else {
			protect(p.run)
		}
		flush()
		out = strconv.AppendUint(append(out[:0], "sum "...), sum, 16)
		out = append(out, '\n')
		flush()
	}
}

func protect(f func()) {
	defer guard("escaped")
	f()
}

var (
	out    []byte
	sum    uint64
	lines  int
	direct bool // the process may end at any time: nothing is kept back

	errProgram = errors.New("an error of the program")

	inf     = math.Inf(1)
	nan     = math.NaN()
	negZero = math.Copysign(0, -1)
	tiny    = math.SmallestNonzeroFloat64
)

func flush() {
	if len(out) > 0 {
		os.Stdout.Write(out)
	}
	out = out[:0]
}

// show prints a value on a line of its own; of many lines only the first ones.
func show(tag string, v any) {
	mark := len(out)
	out = append(append(out, tag...), ' ')
	switch v := v.(type) {
	case int:
		out = strconv.AppendInt(out, int64(v), 10)
	case uint64:
		out = strconv.AppendUint(out, v, 10)
	case string:
		out = strconv.AppendQuote(out, v)
	case float64:
		out = strconv.AppendUint(out, floatBits(v), 16)
	case float32:
		out = strconv.AppendUint(out, floatBits(float64(v)), 16)
	case complex128:
		out = strconv.AppendUint(append(strconv.AppendUint(out, floatBits(real(v)), 16), ' '), floatBits(imag(v)), 16)
	default:
		out = fmt.Appendf(out, "%#v", v)
	}
	out = append(out, '\n')
	mixS(string(out[mark:]))
	if lines++; lines > 200 {
		out = out[:mark]
	}
	if direct {
		flush()
	}
}

func mix(x uint64) { sum = (sum ^ x) * 1099511628211 }

func mixF(x float64) { mix(floatBits(x)) }

func mixS(s string) {
	for i := 0; i < len(s); i++ {
		mix(uint64(s[i]))
	}
	mix(uint64(len(s)))
}

// A cell is linked to others in every way.
type cell struct {
	p, q *cell
	v    int
	box  *int
	f    func(*cell) *cell
	a    any
	kids []*cell
}

var keep *cell

// walk is a hash of what can be reached from a cell.
func (c *cell) walk(depth int) uint64 {
	if c == nil || depth <= 0 {
		return 17
	}
	h := uint64(c.v) * 0x9e3779b97f4a7c15
	add := func(x uint64) { h = (h ^ x) * 1099511628211 }
	add(c.p.walk(depth - 1))
	add(c.q.walk(depth - 1))
	if c.box != nil {
		add(uint64(*c.box))
	}
	if c.f != nil {
		add(c.f(&cell{v: depth, p: c}).walk(depth - 2))
	}
	if o, ok := c.a.(*cell); ok {
		add(o.walk(depth - 2))
	}
	for _, k := range c.kids {
		add(k.walk(depth - 2))
	}
	return h
}

// clobber writes over the stack below its caller and over what the heap has to give.
//
//go:noinline
func clobber(n int) {
	var a [200]int
	for i := range a {
		a[i] = n - i
	}
	for i := range 8 {
		keep = &cell{v: a[i*n%8], q: keep}
	}
	for i := range a {
		mix(uint64(a[i]))
	}
}

func mixAny(v any) { mixS(fmt.Sprintf("%#v", v)) }

// plain gives NaNs the sign of math.NaN.
func plain(z complex128) complex128 {
	x, y := real(z), imag(z)
	if x != x {
		x = math.NaN()
	}
	if y != y {
		y = math.NaN()
	}
	return complex(x, y)
}

func floatBits(x float64) uint64 {
	if x != x {
		return 0x7ff8000000000001
	}
	return math.Float64bits(x)
}

func bit[B ~bool](b B) uint64 {
	if b {
		return 1
	}
	return 0
}

// toInt converts what fits well; the rest is the machine's own affair.
func toInt(x float64) int64 {
	if x > -1e15 && x < 1e15 {
		return int64(x)
	}
	return -1
}

func itoa(x int64) string { return strconv.FormatInt(x, 10) }

func cut[S ~string](s S) S {
	if len(s) > 40 {
		return s[:40]
	}
	return s
}

func cutSlice[T any](s []T) []T {
	if len(s) > 40 {
		return s[:40:40]
	}
	return s
}

func addr[T any](x T) *T { return &x }

//go:noinline
func opaque[T any](x T) T { return x }

// upTo may be ranged over.
func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}

// when is the channel, or one on which nothing goes.
func when[T any](ok bool, c chan T) chan T {
	if ok {
		return c
	}
	return nil
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

func guard(tag string) {
	if e := recover(); e != nil {
		show(tag, panicText(e))
	}
}

func panicText(e any) string {
	switch e := e.(type) {
	case nil:
		return "none"
	case error:
		return "error: " + e.Error()
	case string:
		return "string: " + e
	case float64, float32, complex64, complex128:
		return fmt.Sprintf("%T %v", e, e)
	}
	return fmt.Sprintf("%T %#v", e, e)
}
`
