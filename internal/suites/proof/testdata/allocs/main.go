// Command allocs runs the rows of the test of Go allocations. Each row runs
// twice to warm up and is then measured between the lines "<name" and ">name".
package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

type row struct {
	name string
	f    func(n int)
}

const runs = 1000

func main() {
	// The heap and the collector's tables grow to what the rows need before
	// anything is measured.
	collectDeep(100)
	for range 4 {
		sinkAny = build(15)
	}
	sinkAny = nil
	runtime.GC()
	rows := [][]row{memory, copies, conversions, calls, control, data, channels, allocation, library}
	for _, group := range rows {
		for _, r := range group {
			if len(os.Args) > 1 && !strings.Contains(r.name, os.Args[1]) {
				continue
			}
			begin, end := []byte("<"+r.name+"\n"), []byte(">"+r.name+"\n")
			r.f(runs)
			r.f(runs)
			os.Stdout.Write(begin)
			r.f(runs)
			os.Stdout.Write(end)
		}
	}
}

// Sinks keep results alive without a say for the optimiser.
var (
	sinkInt   int
	sinkByte  byte
	sinkBytes []byte
	sinkInts  []int
	sinkStr   string
	sinkAny   any
	sinkFloat float64
	sinkPtr   *point
	sinkPtrs  []*point
	sinkFunc  func() int
	sinkErr   error
	sinkBig   [100]int
	sinkRunes []rune
	sinkAnys  [8]any
	sinkMap   map[int]int
)

// collectDeep collects below n frames with locals that have pointers.
func collectDeep(n int) *point {
	var local struct {
		p *point
		a [2]*int
	}
	local.p = &point{n, n}
	if n == 0 {
		runtime.GC()
	} else {
		keepLocal(&local.p, collectDeep(n-1))
	}
	return local.p
}

//go:noinline
func keepLocal(p **point, q *point) { (*p).x += q.x }

type point struct{ x, y int }

func (p point) sum() int         { return p.x + p.y }
func (p *point) add(n int)       { p.x += n }
func (p point) String() string   { return "point" }
func (p *point) Get(n int) int   { return p.x + n }
func (p *point) get0() int       { return p.x }
func (p point) pair() (int, int) { return p.x, p.y }

type getter interface{ Get(n int) int }

type other struct{ a, b, c, d int }

func (o other) Get(n int) int { return o.c + n }

var (
	buf   = make([]byte, 256)
	ints  = make([]int, 256)
	text  = strings.Repeat("hello, wörld ", 20)
	array [64]int
)

var memory = []row{
	{"b[i] read", func(n int) {
		b := buf
		for i := range n {
			sinkByte += b[i%len(b)]
		}
	}},
	{"b[i] write", func(n int) {
		b := buf
		for i := range n {
			b[i%len(b)] = byte(i)
			b[(i+1)%len(b)]++
		}
	}},
	{"string index", func(n int) {
		for i := range n {
			sinkByte += text[i%len(text)]
		}
	}},
	{"array index", func(n int) {
		var a [16]int
		for i := range n {
			a[i%16] += i
			array[i%64] = a[(i+3)%16]
		}
		sinkInt += a[3]
	}},
	{"range over []byte", func(n int) {
		for range n / 100 {
			for i, c := range buf {
				sinkInt += i + int(c)
			}
		}
	}},
	{"range over string", func(n int) {
		for range n / 100 {
			for i, c := range text {
				sinkInt += i + int(c)
			}
		}
	}},
	{"range over array", func(n int) {
		for range n / 10 {
			for i, c := range array {
				sinkInt += i + c
			}
		}
	}},
	{"range over pointer to array", func(n int) {
		for range n / 10 {
			for i, c := range &array {
				sinkInt += i + c
			}
		}
	}},
	{"range over func", func(n int) {
		seq := func(yield func(int) bool) {
			for i := range 10 {
				if !yield(i) {
					return
				}
			}
		}
		for range n / 10 {
			for v := range seq {
				if v == 8 {
					break
				}
				sinkInt += v
			}
		}
	}},
	{"local declaration", func(n int) {
		for i := range n {
			var a int
			b, c := i, float64(i)
			var p point
			p.x = b
			var s string
			var e any
			var arr [4]int
			arr[i&3] = a
			sinkInt += a + p.x + len(s) + arr[0]
			sinkFloat = c
			if e != nil {
				panic("e")
			}
		}
	}},
	{"local declaration of big array", func(n int) {
		for i := range n {
			var a [100]int
			a[i%100] = i
			sinkBig = a
		}
	}},
	{"local declaration, address taken", func(n int) {
		for i := range n {
			var p point
			q := &p
			q.add(i)
			addTo(&p.y, i)
			sinkInt += p.x + p.y
		}
	}},
}

//go:noinline
func addTo(p *int, n int) { *p += n }

var copies = []row{
	{"copy, apart", func(n int) {
		for range n {
			copy(buf[:64], buf[128:192])
		}
	}},
	{"copy, overlap forward", func(n int) {
		for range n {
			copy(buf[1:100], buf[:99])
		}
	}},
	{"copy, overlap backward", func(n int) {
		for range n {
			copy(buf[:99], buf[1:100])
		}
	}},
	{"copy, same", func(n int) {
		for range n {
			copy(buf, buf)
			copy(ints[3:200], ints[2:])
		}
	}},
	{"copy from string", func(n int) {
		for range n {
			sinkInt += copy(buf, text)
		}
	}},
	{"append within capacity", func(n int) {
		s := make([]int, 0, 300)
		for i := range n {
			if len(s) == cap(s) {
				s = s[:0]
			}
			s = append(s, i)
		}
		sinkInt += len(s)
	}},
	{"append that grows", func(n int) {
		for range n / 100 {
			var s []int
			for i := range 100 {
				s = append(s, i)
			}
			sinkInts = s
		}
	}},
	{"append slice, overlap forward", func(n int) {
		for range n {
			sinkBytes = append(buf[:1], buf[:99]...)
		}
	}},
	{"append slice, overlap backward", func(n int) {
		for range n {
			sinkBytes = append(buf[:0], buf[1:99]...)
		}
	}},
	{"append slice, same", func(n int) {
		for range n {
			sinkBytes = append(buf[:0], buf[:99]...)
			sinkBytes = append(buf[:32], buf[32:99]...)
		}
	}},
	{"append slice to itself, grows", func(n int) {
		for range n {
			b := append([]byte(nil), buf[:10]...)
			sinkBytes = append(b, b...)
		}
	}},
	{"append string", func(n int) {
		for range n {
			sinkBytes = append(buf[:0], text[:99]...)
		}
	}},
	{"copy of structs and arrays", func(n int) {
		var a, b [20]point
		for i := range n {
			a[i%20].x = i
			b = a
			p := b[i%20]
			sinkInt += p.x
		}
	}},
	{"copy of array of interfaces", func(n int) {
		a := [8]any{1, "two", 3.0, point{1, 2}, &point{}, nil, []int{1}, 'x'}
		for i := range n {
			b := a
			b[i&7] = a[(i+1)&7]
			sinkAnys = b
		}
	}},
	{"copy of slice of interfaces", func(n int) {
		a := []any{1, "two", 3.0, point{1, 2}, &point{}, nil}
		b := make([]any, len(a))
		for range n {
			copy(b, a)
			copy(b[1:], b)
		}
		sinkAny = b[2]
	}},
}

type celsius float64

type shade uint8

var conversions = []row{
	{"numeric conversion", func(n int) {
		for i := range n {
			f := float64(i)
			sinkInt += int(f) + int(int8(i)) + int(uint16(i)) + int(celsius(f)) + int(float32(f))
			sinkByte += byte(i)
		}
	}},
	{"constant to interface", func(n int) {
		for i := range n {
			switch i & 3 {
			case 0:
				sinkAny = 1 << 40
			case 1:
				sinkAny = "constant"
			case 2:
				sinkAny = 2.5
			case 3:
				sinkAny = celsius(3)
			}
		}
	}},
	{"value to interface", func(n int) {
		for i := range n {
			sinkAny = i + 1000
			sinkAny = float64(i)
			sinkAny = text[:i%len(text)]
			sinkAny = point{i, i}
			sinkAny = [3]int{i}
			sinkAny = shade(i)
			sinkAny = ints[:i%10]
		}
	}},
	{"interface to interface", func(n int) {
		var g getter = &point{1, 2}
		var e any = other{c: 3}
		for i := range n {
			sinkAny = g
			if v, ok := e.(getter); ok {
				sinkInt += v.Get(i)
			}
			if _, ok := e.(fmt.Stringer); ok {
				panic("no")
			}
		}
	}},
	{"type assertion", func(n int) {
		var e any = point{1, 2}
		for range n {
			p := e.(point)
			_, ok := e.(int)
			if ok {
				panic("no")
			}
			sinkInt += p.x
		}
	}},
	{"string to []byte and back", func(n int) {
		for i := range n {
			b := []byte(text[:i%100])
			sinkBytes = b
			sinkStr = string(b)
			if string(buf[:5]) == text {
				panic("equal")
			}
		}
	}},
	{"string to []rune and back", func(n int) {
		for range n / 10 {
			sinkRunes = []rune(text)
			sinkStr = string(sinkRunes)
			sinkStr = string(rune('ö'))
		}
	}},
	{"big untyped constants", func(n int) {
		const huge = 1 << 400
		const tiny = 1.0 / huge
		for i := range n {
			sinkInt += huge>>390 + i
			sinkFloat += float64(i) * (huge * tiny) * math.Pi
			sinkAny = huge >> 350
			sinkAny = huge * tiny
			var u uint64 = math.MaxUint64
			sinkInt += int(u >> 60)
		}
	}},
	{"slice to array", func(n int) {
		for range n {
			a := [8]int(ints)
			p := (*[4]int)(ints)
			sinkInt += a[3] + p[2]
		}
	}},
}

//go:noinline
func f0() int { return 1 }

//go:noinline
func f1(a int) int { return a }

//go:noinline
func f2(a, b int) int { return a + b }

//go:noinline
func f3(a, b, c int) int { return a + b + c }

//go:noinline
func f4(a, b, c, d int) int { return a + b + c + d }

//go:noinline
func f5(a, b, c, d, e int) int { return a + b + c + d + e }

//go:noinline
func f6(a, b, c, d, e, f int) int { return a + b + c + d + e + f }

//go:noinline
func f7(a, b, c, d, e, f, g int) int { return a + b + c + d + e + f + g }

//go:noinline
func f8(a, b, c, d, e, f, g, h int) int { return a + b + c + d + e + f + g + h }

//go:noinline
func variadic(a ...int) int { return len(a) }

//go:noinline
func variadicAny(a ...any) int { return len(a) }

//go:noinline
func mixed(a string, b []int, c any, p point, big [50]int) (int, string, error) {
	return len(a) + len(b) + p.x + big[3], a, nil
}

//go:noinline
func bigResult(i int) [50]int { return [50]int{3: i} }

func recursive(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + recursive(n-1)
}

//go:noinline
func adder(i int) func() int { return func() int { i++; return i } }

var calls = []row{
	{"call, 0 arguments", func(n int) {
		for range n {
			sinkInt += f0()
		}
	}},
	{"call, 1 argument", func(n int) {
		for i := range n {
			sinkInt += f1(i)
		}
	}},
	{"call, 2 arguments", func(n int) {
		for i := range n {
			sinkInt += f2(i, 2)
		}
	}},
	{"call, 3 arguments", func(n int) {
		for i := range n {
			sinkInt += f3(i, 2, 3)
		}
	}},
	{"call, 4 arguments", func(n int) {
		for i := range n {
			sinkInt += f4(i, 2, 3, 4)
		}
	}},
	{"call, 5 arguments", func(n int) {
		for i := range n {
			sinkInt += f5(i, 2, 3, 4, 5)
		}
	}},
	{"call, 6 arguments", func(n int) {
		for i := range n {
			sinkInt += f6(i, 2, 3, 4, 5, 6)
		}
	}},
	{"call, 7 arguments", func(n int) {
		for i := range n {
			sinkInt += f7(i, 2, 3, 4, 5, 6, 7)
		}
	}},
	{"call, 8 arguments", func(n int) {
		for i := range n {
			sinkInt += f8(i, 2, 3, 4, 5, 6, 7, 8)
		}
	}},
	{"call, variadic", func(n int) {
		for i := range n {
			sinkInt += variadic() + variadic(i) + variadic(1, 2, i) + variadic(ints...)
			sinkInt += variadicAny() + variadicAny(i, "a", 2.0, nil)
		}
	}},
	{"call, mixed arguments and results", func(n int) {
		var big [50]int
		for i := range n {
			a, b, err := mixed(text, ints, i, point{i, 1}, big)
			sinkInt += a
			sinkStr, sinkErr = b, err
			big = bigResult(i)
		}
	}},
	{"call, recursive", func(n int) {
		for range n / 100 {
			sinkInt += recursive(200)
		}
	}},
	{"method call", func(n int) {
		p := point{1, 2}
		for i := range n {
			p.add(i)
			x, y := p.pair()
			sinkInt += p.sum() + x + y
		}
	}},
	{"method value", func(n int) {
		p := &point{1, 2}
		for i := range n {
			f := p.Get
			sinkInt += f(i)
			sinkFunc = p.get0
			sinkFunc = p.sum
			sinkInt += sinkFunc()
		}
	}},
	{"method expression", func(n int) {
		f, g := (*point).Get, getter.Get
		p := &point{1, 2}
		for i := range n {
			sinkInt += f(p, i) + g(p, i)
		}
	}},
	{"method value of interface", func(n int) {
		var g getter = &point{1, 2}
		for i := range n {
			f := g.Get
			sinkInt += f(i)
		}
	}},
	{"closure", func(n int) {
		for i := range n {
			x := i
			f := func(y int) int { x += y; return x }
			f(1)
			sinkInt += x
			sinkFunc = func() int { return x }
			sinkInt += sinkFunc()
		}
	}},
	{"closure, kept", func(n int) {
		for i := range n {
			f := adder(i)
			f()
			sinkFunc = f
		}
	}},
	{"interface call", func(n int) {
		g := []getter{&point{1, 2}, other{1, 2, 3, 4}}
		for i := range n {
			sinkInt += g[i&1].Get(i)
		}
	}},
	{"interface call, embedded", func(n int) {
		type wrap struct {
			pad int
			getter
		}
		g := []getter{wrap{getter: &point{1, 2}}, &wrap{getter: other{1, 2, 3, 4}}}
		for i := range n {
			sinkInt += g[i&1].Get(i)
		}
	}},
	{"generic call", func(n int) {
		for i := range n {
			sinkInt += largest(i, 3) + len(largest("a", text))
			l := list[int]{}
			l.push(i)
			sinkInt += l.head.v
		}
	}},
}

func largest[T int | string](a, b T) T {
	if a > b {
		return a
	}
	return b
}

type list[T any] struct{ head *node[T] }

type node[T any] struct {
	v    T
	next *node[T]
}

func (l *list[T]) push(v T) { l.head = &node[T]{v, l.head} }

//go:noinline
func deferOne(i int) (r int) {
	defer func() { r += i }()
	return i
}

//go:noinline
func deferArgs(p *point, i int) {
	defer p.add(i)
	defer addTo(&p.y, i)
}

//go:noinline
func deferLoop(n int) (r int) {
	for i := range n {
		defer func() { r += i }()
	}
	return 0
}

//go:noinline
func panicRecover(v any) (r any) {
	defer func() { r = recover() }()
	panic(v)
}

var errSentinel = errors.New("sentinel")

//go:noinline
func runtimeError(s []int, i int) (r int) {
	defer func() {
		if e, ok := recover().(runtime.Error); ok && e != nil {
			r = 1
		}
	}()
	return s[i]
}

//go:noinline
func nilError(p *point) (r int) {
	defer func() {
		if recover() != nil {
			r = 1
		}
	}()
	return p.x
}

//go:noinline
func deepPanic(n int) {
	if n == 0 {
		panic(errSentinel)
	}
	defer addTo(&sinkInt, 1)
	deepPanic(n - 1)
}

//go:noinline
func nested() {
	defer func() { recover() }()
	defer func() { panic("second") }()
	panic("first")
}

var control = []row{
	{"defer", func(n int) {
		for i := range n {
			sinkInt += deferOne(i)
		}
	}},
	{"defer with arguments", func(n int) {
		var p point
		for i := range n {
			deferArgs(&p, i)
		}
		sinkInt += p.x
	}},
	{"defer in a loop", func(n int) {
		for range n / 10 {
			sinkInt += deferLoop(10)
		}
	}},
	{"panic and recover", func(n int) {
		for i := range n {
			sinkAny = panicRecover(i)
			sinkAny = panicRecover(errSentinel)
		}
	}},
	{"panic and recover, run-time errors", func(n int) {
		for i := range n {
			sinkInt += runtimeError(ints, 1000+i) + nilError(nil)
		}
	}},
	{"panic and recover, deep", func(n int) {
		for range n / 10 {
			func() {
				defer func() { sinkAny = recover() }()
				deepPanic(20)
			}()
			nested()
		}
	}},
	{"type switch", func(n int) {
		vs := []any{1, "two", 3.0, point{1, 2}, &point{}, nil, []int{1}, errSentinel}
		for i := range n {
			switch v := vs[i%len(vs)].(type) {
			case nil:
				sinkInt++
			case int:
				sinkInt += v
			case string:
				sinkInt += len(v)
			case getter:
				sinkInt += v.Get(1)
			case fmt.Stringer:
				sinkStr = v.String()
			case error:
				sinkErr = v
			case []int, float64:
				sinkAny = v
			}
		}
	}},
	{"switch and goto", func(n int) {
		for i := range n {
			switch s := text[:i%5]; s {
			case "", "he":
				sinkInt++
			case "hel":
				goto next
			default:
				sinkInt += len(s)
			}
		next:
		}
	}},
	{"go", func(n int) {
		for i := range n {
			var wg sync.WaitGroup
			wg.Add(2)
			go func() { sinkInt += i; wg.Done() }()
			go goArgs(&wg, i, "x")
			wg.Wait()
		}
	}},
	{"go, many at once", func(n int) {
		for range n / 100 {
			var wg sync.WaitGroup
			for range 100 {
				wg.Go(func() { runtime.Gosched(); sinkInt += recursive(10) })
			}
			wg.Wait()
		}
	}},
	{"runtime.Goexit", func(n int) {
		for range n {
			done := make(chan bool)
			go func() {
				defer close(done)
				runtime.Goexit()
			}()
			<-done
		}
	}},
}

//go:noinline
func goArgs(wg *sync.WaitGroup, i int, s string) {
	sinkInt += i + len(s)
	wg.Done()
}

type key struct {
	a int
	b string
}

var data = []row{
	{"map of int, read and write", func(n int) {
		m := map[int]int{}
		for i := range n {
			m[i%200] += i
			v, ok := m[i*7%300]
			if ok {
				sinkInt += v
			}
		}
	}},
	{"map of string", func(n int) {
		m := make(map[string]int, 100)
		for i := range n {
			m[text[i%60:i%60+8]]++
		}
		sinkInt += len(m)
	}},
	{"map of struct and interface", func(n int) {
		m, a := map[key]point{}, map[any]int{}
		for i := range n {
			m[key{i % 50, text[:i%7]}] = point{i, i}
			a[i%40]++
			a[text[:i%9]]++
			sinkInt += m[key{i % 50, "hello"}].x
		}
	}},
	{"map, delete, range and clear", func(n int) {
		m := map[int]string{}
		for i := range n {
			m[i%500] = "x"
			delete(m, (i+250)%500)
		}
		for k, v := range m {
			sinkInt += k + len(v)
		}
		clear(m)
	}},
	{"map that grows", func(n int) {
		for range 5 {
			m := map[int]int{}
			for i := range n {
				m[i] = i
			}
			sinkMap = m
		}
	}},
	{"string concatenation", func(n int) {
		s := ""
		for i := range n {
			if len(s) > 200 {
				s = ""
			}
			s += text[i%50 : i%50+3]
			sinkStr = "a" + s + "b" + text[:4] + "c" + s
		}
	}},
	{"string comparison", func(n int) {
		for i := range n {
			a, b := text[i%13:i%13+40], text[13+i%13:53+i%13]
			if a == b {
				sinkInt++
			}
			if a < text {
				sinkInt++
			}
		}
	}},
	{"strings.Builder", func(n int) {
		for range n / 10 {
			var b strings.Builder
			for range 10 {
				b.WriteString("hello")
				b.WriteByte(' ')
			}
			sinkStr = b.String()
		}
	}},
	{"comparison of structs and interfaces", func(n int) {
		x, y := any(key{1, "a"}), any(key{1, "b"})
		for i := range n {
			if (key{i, text[:3]}) == (key{i, "hel"}) {
				sinkInt++
			}
			if x == y {
				panic("equal")
			}
		}
	}},
	{"floating point", func(n int) {
		for i := range n {
			sinkFloat += math.Sqrt(float64(i)) * math.Sin(float64(i))
		}
	}},
	{"complex", func(n int) {
		c := complex(1, 0.5)
		for i := range n {
			c = c*c/complex(float64(i+1), 1) + 1
		}
		sinkFloat += real(c)
	}},
	{"division and shifts", func(n int) {
		for i := 1; i <= n; i++ {
			sinkInt += 100000/i + 100000%i + 1<<(i%70) + i>>(i%70)
		}
	}},
}

var channels = []row{
	{"channel, unbuffered", func(n int) {
		c := make(chan int)
		go func() {
			for i := range n {
				c <- i
			}
			close(c)
		}()
		for v := range c {
			sinkInt += v
		}
	}},
	{"channel, buffered", func(n int) {
		c := make(chan point, 16)
		go func() {
			for i := range n {
				c <- point{i, i}
			}
			close(c)
		}()
		for v := range c {
			sinkInt += v.x
		}
	}},
	{"channel, of big elements", func(n int) {
		c := make(chan [40]int, 2)
		for i := range n {
			c <- [40]int{i}
			v := <-c
			sinkInt += v[0]
		}
	}},
	{"select", func(n int) {
		a, b, quit := make(chan int), make(chan string, 1), make(chan bool)
		go func() {
			for i := range n {
				select {
				case a <- i:
				case b <- "x":
				}
			}
			close(quit)
		}()
		for {
			select {
			case v := <-a:
				sinkInt += v
			case s := <-b:
				sinkInt += len(s)
			case <-quit:
				return
			}
		}
	}},
	{"select with default", func(n int) {
		c := make(chan int, 1)
		for i := range n {
			select {
			case c <- i:
			default:
				<-c
			}
		}
	}},
	{"mutex and condition", func(n int) {
		var mu sync.Mutex
		var rw sync.RWMutex
		cond := sync.NewCond(&mu)
		turn := 0
		go func() {
			for range n {
				mu.Lock()
				for turn != 1 {
					cond.Wait()
				}
				turn = 0
				cond.Signal()
				mu.Unlock()
			}
		}()
		for range n {
			mu.Lock()
			for turn != 0 {
				cond.Wait()
			}
			turn = 1
			cond.Signal()
			mu.Unlock()
			rw.RLock()
			rw.RUnlock()
		}
	}},
	{"timer", func(n int) {
		t := time.NewTimer(time.Hour)
		for range n {
			time.Sleep(time.Microsecond)
			t.Reset(time.Hour)
			select {
			case <-time.After(time.Millisecond):
			case <-t.C:
			}
		}
		t.Stop()
		sinkInt += time.Now().Nanosecond()
	}},
}

type tree struct{ l, r *tree }

func build(n int) *tree {
	if n == 0 {
		return &tree{}
	}
	return &tree{build(n - 1), build(n - 1)}
}

var allocation = []row{
	{"allocation, small", func(n int) {
		ps := make([]*point, 64)
		for i := range n {
			ps[i%64] = &point{i, i}
			sinkPtr = new(point)
		}
		sinkPtrs = ps
	}},
	{"allocation, slices", func(n int) {
		for i := range n {
			sinkInts = make([]int, i%100)
			sinkBytes = make([]byte, 0, i%100+1)
			sinkInts = []int{1, 2, i}
		}
	}},
	{"allocation, large", func(n int) {
		for range n {
			sinkBytes = make([]byte, 40_000)
		}
	}},
	{"allocation, with collections", func(n int) {
		for range n / 20 {
			sinkAny = build(12)
		}
	}},
	{"explicit collection", func(n int) {
		for range n / 100 {
			sinkAny = build(6)
			runtime.GC()
		}
	}},
	{"finalizer and cleanup", func(n int) {
		for range n / 100 {
			p := &point{1, 2}
			runtime.SetFinalizer(p, func(p *point) { sinkInt += p.x })
			q := &other{1, 2, 3, 4}
			runtime.AddCleanup(q, func(i int) { sinkInt += i }, 3)
			p, q = nil, nil
			runtime.GC()
			runtime.Gosched()
		}
	}},
	{"sync.Pool", func(n int) {
		pool := sync.Pool{New: func() any { return new([64]byte) }}
		for range n {
			p := pool.Get().(*[64]byte)
			p[0]++
			pool.Put(p)
		}
	}},
}

type byValue []int

func (s byValue) Len() int           { return len(s) }
func (s byValue) Less(i, j int) bool { return s[i] < s[j] }
func (s byValue) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

var library = []row{
	{"sort", func(n int) {
		s := make([]int, 100)
		for range n / 100 {
			for i := range s {
				s[i] = i * 7919 % 101
			}
			sort.Ints(s)
			sort.Sort(sort.Reverse(byValue(s)))
			sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
		}
	}},
	{"strconv", func(n int) {
		for i := range n {
			sinkStr = strconv.Itoa(i)
			v, _ := strconv.Atoi(sinkStr)
			sinkInt += v
			sinkBytes = strconv.AppendFloat(buf[:0], float64(i)/3, 'g', -1, 64)
		}
	}},
	{"fmt", func(n int) {
		for i := range n / 10 {
			sinkStr = fmt.Sprintf("%d %s %v %+v %x", i, text[:5], 2.5, point{i, 2}, buf[:4])
			sinkErr = fmt.Errorf("row %d: %w", i, errSentinel)
		}
	}},
	{"strings and bytes", func(n int) {
		for range n / 10 {
			sinkInt += strings.Index(text, "ld h") + bytes.IndexByte(buf, 250) + utf8.RuneCountInString(text)
			sinkStr = strings.ToUpper(text)
			sinkInt += len(strings.Fields(text))
		}
	}},
	{"reflect", func(n int) {
		p := point{1, 2}
		v := reflect.ValueOf(&p).Elem()
		m := reflect.ValueOf(&p).MethodByName("Get")
		args := []reflect.Value{reflect.ValueOf(3)}
		for i := range n {
			v = reflect.ValueOf(p)
			sinkInt += int(v.Field(i & 1).Int())
			sinkInt += int(m.Call(args)[0].Int())
		}
	}},
	{"host calls", func(n int) {
		for range n {
			sinkInt += len(os.Getenv("NONE"))
			sinkInt += int(time.Now().UnixNano())
			os.Stderr.Write(buf[:8])
		}
	}},
}
