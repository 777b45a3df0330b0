package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// hostileHost is a host package for hostile guests.
func hostileHost(kept *[]func(int) int, in **gyr.Instance) gyr.HostPackage {
	type file struct{ name string }
	type node struct {
		Next  *node
		Other *node
		Text  string
	}
	return gyr.HostPackage{
		Path: "example.com/host",
		Source: `package host

type File struct{ n uint64 }
type Pipe struct{ n uint64 }
type Node struct {
	Next  *Node
	Other *Node
	Text  string
}

func Open(name string) File
func OpenPipe() Pipe
func (f File) Name() string
func (f File) Close()
func Number(n uint64) string
func Length(s string) int
func Count(list [][]byte) int
func Any(v any) string
func Err(err error) string
func Map(m map[float64]string) int
func Tree(n *Node) int
func Call(f func(n int) int) int
func CallErr(f func(n int) error) error
func Keep(f func(n int) int)
func Kept() int
func Big(n int) []byte
func Busy() string
func Panic()
func PanicGuest()
func Fail() error
func Twice(f, g func(n int) int) int
`,
		Funcs: map[string]any{
			"Open":      func(name string) gyr.Handle[*file] { return gyr.NewHandle(&file{name}) },
			"OpenPipe":  func() gyr.Handle[*strings.Reader] { return gyr.NewHandle(strings.NewReader("")) },
			"File.Name": func(h gyr.Handle[*file]) string { return h.Value().name },
			"File.Close": func(h gyr.Handle[*file]) {
				h.Close()
			},
			"Number": func(n uint64) string { return fmt.Sprint(n) },
			"Length": func(s string) int { return len(s) },
			"Count":  func(list [][]byte) int { return len(list) },
			"Any":    func(v any) string { return fmt.Sprintf("%T", v) },
			"Err":    func(err error) string { return fmt.Sprint(len(fmt.Sprint(err))) },
			"Map":    func(m map[float64]string) int { return len(m) },
			"Tree": func(n *node) int {
				depth := 0
				for ; n != nil; n = n.Next {
					depth++
				}
				return depth
			},
			"Call":    func(f func(int) int) int { return f(1) },
			"CallErr": func(f func(int) error) error { return f(1) },
			"Keep":    func(f func(int) int) { *kept = append(*kept, f) },
			"Kept": func() int {
				n := 0
				for _, f := range *kept {
					n += f(1)
				}
				return n
			},
			"Big": func(n int) []byte { return make([]byte, n) },
			"Busy": func(ctx context.Context) string {
				_, err := (*in).Call(ctx, "F")
				if err == nil || !errors.Is((*in).Run(ctx), gyr.ErrBusy) || !errors.Is((*in).Reset(gyr.Config{}), gyr.ErrBusy) {
					return "not busy"
				}
				return err.Error()
			},
			"Panic":      func() { panic("of the host") },
			"PanicGuest": gyr.HostFunc{Func: func() { panic("for the guest") }, OnPanic: gyr.GuestPanic},
			"Fail":       gyr.HostFunc{Func: func() error { panic("as an error") }, OnPanic: gyr.GuestFailure},
			"Twice":      func(f, g func(int) int) int { return f(1) + g(2) },
		},
	}
}

// TestHostileGuests: whatever a guest does with functions of the host, the host survives, gets no
// wrong values and keeps nothing.
func TestHostileGuests(t *testing.T) {
	cases := []struct{ name, body, want string }{
		{"zero handle", `println(host.File{}.Name())`, "File.Name"},
		{"handle of nothing", `f := *(*host.File)(unsafe.Pointer(&[1]uint64{99})); println(f.Name())`, "99"},
		{"huge handle", `f := *(*host.File)(unsafe.Pointer(&[1]uint64{1<<64 - 1})); println(f.Name())`, "File.Name"},
		{"handle of another type", `p := host.OpenPipe(); println((*(*host.File)(unsafe.Pointer(&p))).Name())`, "File.Name"},
		{"closed handle", `f := host.Open("x"); f.Close(); println(f.Name())`, "File.Name"},
		{"closed twice", `f := host.Open("x"); f.Close(); f.Close()`, ""},
		{"many handles", `for i := range 1 << 30 { host.Open(string(rune(i))) }`, "limit"},
		{"string of no memory", `s := unsafe.String((*byte)(unsafe.Pointer(uintptr(1<<31))), 1<<30); println(host.Length(s))`, "out of gas"},
		{"string with a huge length", `var h = [2]uint64{1 << 20, 1 << 60}; println(host.Length(*(*string)(unsafe.Pointer(&h))))`, ""},
		{"string with a negative length", `var h = [2]uint64{1 << 20, 1<<64 - 1}; println(host.Length(*(*string)(unsafe.Pointer(&h))))`, ""},
		{"slice of slices of no memory", `var h = [3]uint64{1 << 31, 1 << 28, 1 << 28}; println(host.Count(*(*[][]byte)(unsafe.Pointer(&h))))`, ""},
		{"slices that overlap", `b := make([]byte, 1<<20); l := make([][]byte, 1<<16); for i := range l { l[i] = b }; println(host.Count(l))`, ""},
		{"a channel in an any", `println(host.Any(make(chan int)))`, "cross"},
		{"a function in an any", `println(host.Any(func() {}))`, "cross"},
		{"an any in an any", `var v any; for range 100000 { v = []any{v} }; println(host.Any(v))`, ""},
		{"an any that contains itself", `l := []any{nil}; l[0] = l; println(host.Any(l))`, "contains itself"},
		{"a map that contains itself", `m := map[string]any{}; m["m"] = m; println(host.Any(m))`, "contains itself"},
		{"an unexported struct in an any", `println(host.Any(struct{ x int }{1}))`, ""},
		{"a type made by reflection", `println(host.Any(reflect.New(reflect.ArrayOf(3, reflect.TypeFor[int]())).Elem().Interface()))`, ""},
		{"an error that panics", `println(host.Err(bad("panic")))`, "no text"},
		{"an error that does not end", `println(host.Err(bad("loop")))`, "out of gas"},
		{"an error with a long text", `println(host.Err(bad("long")))`, ""},
		{"an error that calls the host", `println(host.Err(bad("host")))`, "1"},
		{"an error that blocks", `println(host.Err(bad("block")))`, "deadlock"},
		{"an error that exits", `println(host.Err(bad("exit")))`, "exit status 7"},
		{"a map of NaNs", `m := map[float64]string{}; for range 100 { m[math.NaN()] = "x" }; println(host.Map(m))`, ""},
		{"a list that contains itself", `n := &host.Node{}; n.Next = n; println(host.Tree(n))`, "contains itself"},
		{"a long list", `var n *host.Node; for range 1 << 20 { n = &host.Node{Next: n} }; println(host.Tree(n))`, ""},
		{"a shared tree", `n := &host.Node{Text: strings.Repeat("x", 1000)}; for range 60 { n = &host.Node{Next: n, Other: n} }; println(host.Tree(n))`, ""},
		{"a flood of calls", `for { host.Number(1) }`, "out of gas"},
		{"a flood of callbacks", `for { host.Call(func(n int) int { return n }) }`, "out of gas"},
		{"a flood of results", `for { sink = append(sink, host.Big(1<<20)) }`, "limit"},
		{"a result above the limit", `host.Big(1 << 30)`, ""},
		{"a negative size", `host.Big(-1)`, "panicked"},
		{"callbacks in callbacks", `var f func(n int) int; f = func(n int) int { return host.Call(f) }; println(f(1))`, "callbacks"},
		{"goroutines in callbacks", `for range 5000 { go host.Call(func(int) int { select {} }) }; for { runtime.Gosched() }`, "callbacks"},
		{"a callback that panics", `defer func() { println(recover().(string)); println(host.Call(func(n int) int { return n })) }(); host.Call(func(int) int { panic("back") })`, "back"},
		{"a callback that panics in a callback", `defer func() { println(recover().(string)) }(); host.Call(func(int) int { return host.Call(func(int) int { panic("deep") }) })`, "deep"},
		{"a callback that ends its goroutine", `done := make(chan bool); go func() { defer close(done); host.Call(func(int) int { runtime.Goexit(); return 1 }) }(); <-done; println("gone")`, "gone"},
		{"a callback that exits", `host.Call(func(int) int { os.Exit(3); return 0 })`, "exit status 3"},
		{"a callback that blocks", `host.Call(func(int) int { select {} })`, "deadlock"},
		{"a callback that does not end", `host.Call(func(int) int { for {} })`, "out of gas"},
		{"a callback that uses up memory", `host.Call(func(int) int { for { sink = append(sink, make([]byte, 1<<20)) } })`, "limit"},
		{"a callback that uses up the stack", `var f func(n int) int; f = func(n int) int { return f(n+1) + 1 }; host.Call(f)`, "limit"},
		{"a callback that is nil", `host.Call(nil)`, "panicked"},
		{"a callback that is kept", `host.Keep(func(n int) int { return n }); host.Kept()`, "callback"},
		{"a callback that is kept by another call", `host.Keep(func(n int) int { return n }); host.Call(func(int) int { return host.Kept() })`, "callback"},
		{"callbacks in turns", `a, b := make(chan int), make(chan int); go func() { b <- host.Call(func(int) int { return <-a }) }(); println(host.Call(func(int) int { a <- 5; return 6 }), <-b)`, "6 5"},
		{"callbacks that cross", `a, b, d := make(chan int), make(chan int), make(chan int); go func() { d <- host.Call(func(int) int { a <- 1; return <-b }) }(); go func() { d <- host.Call(func(int) int { x := <-a; b <- 2; return x }) }(); println(<-d + <-d)`, "3"},
		{"two callbacks", `println(host.Twice(func(n int) int { return host.Twice(func(n int) int { return n }, func(n int) int { return 10 * n }) }, func(n int) int { return 100 * n }))`, "221"},
		{"errors through callbacks", `e := errors.New("mine"); err := host.CallErr(func(int) error { return e }); println(err.Error(), err == e)`, "mine false"},
		{"re-entry", `println(host.Busy())`, "in use"},
		{"a panic of the host", `defer func() { recover() }(); host.Panic()`, "panicked: of the host"},
		{"a panic for the guest", `defer func() { println("got", recover().(error).Error()) }(); host.PanicGuest()`, "got host.PanicGuest"},
		{"a panic as an error", `println(host.Fail().Error())`, "as an error"},
		{"an unexpected panic in a callback's defer", `defer func() { println(recover().(string)) }(); host.Call(func(int) int { defer func() { recover(); panic("second") }(); panic("first") })`, "second"},
		{"many goroutines", `done := make(chan int); for i := range 500 { go func() { done <- host.Call(func(n int) int { runtime.Gosched(); return n + i }) }() }; s := 0; for range 500 { s += <-done }; println(s)`, "125250"},
		{"the frame's memory", `p := new([64]uint64); for i := range p { p[i] = 0xdeadbeef00000000 }; host.Length(*(*string)(unsafe.Pointer(&p[0])))`, ""},
		{"random memory", `b := unsafe.Slice((*byte)(unsafe.Pointer(uintptr(0x10000))), 1<<16); for i := range b { if i%97 == 0 { b[i] ^= byte(i) } }; host.Any(map[string]any{"x": 1})`, ""},
		{"random descriptors", `v := any(host.Node{}); t := *(*unsafe.Pointer)(unsafe.Pointer(&v)); for i := range 200 { *(*byte)(unsafe.Add(t, i)) ^= 0x5a }; println(host.Any(v), host.Tree(&host.Node{}))`, ""},
	}
	if len(cases) < 60 {
		t.Errorf("%d cases", len(cases))
	}
	var source strings.Builder
	source.WriteString(`package main

import (
	"errors"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"example.com/host"
)

var _ = []any{errors.New, math.NaN, reflect.TypeOf, runtime.Gosched, strings.Repeat}

var sink [][]byte

type bad string

func (b bad) Error() string {
	switch b {
	case "panic":
		panic("no text")
	case "loop":
		for {
		}
	case "long":
		return strings.Repeat("x", 8<<20)
	case "host":
		return host.Number(7)
	case "block":
		select {}
	case "exit":
		os.Exit(7)
	}
	return "bad"
}

func main() {
	switch os.Args[1] {
`)
	for i, c := range cases {
		fmt.Fprintf(&source, "\tcase \"%d\":\n\t\tfunc() {\n\t\t\t%s\n\t\t}()\n", i, c.body)
	}
	source.WriteString("\t}\n}\n")
	before := runtime.NumGoroutine()
	var kept []func(int) int
	var in *gyr.Instance
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module guest\n\ngo 1.26\n")}, "main.go": {Data: []byte(source.String())}}, Unsafe: gyr.UnsafeAll},
		&gyr.CompileOptions{Host: []gyr.HostPackage{hostileHost(&kept, &in)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range daily.Numbers(t, len(cases), (len(cases)+3)/4, *hostileRounds > hostileSample) {
		c := cases[i]
		var first string
		for _, tier := range tiers() {
			kept = nil
			var out strings.Builder
			in, err = p.NewInstance(t.Context(), gyr.Config{Args: []string{fmt.Sprint(i)}, Stdout: io.Discard, Stderr: &out, Tier: tier,
				Gas: 300_000_000, Memory: 64 << 20})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			err := in.Run(ctx)
			cancel()
			var bug *gyr.InternalError
			if errors.As(err, &bug) || errors.As(err, new(*gyr.DeadlineError)) {
				t.Errorf("%s, %s: %v", c.name, tier, err)
			}
			text := out.String()
			if err != nil {
				text += err.Error()
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("%s, %s: %.600s\nwant %q", c.name, tier, text, c.want)
			}
			if c.name == "random memory" { // it prints a megabyte of bytes that differ by tier: docs/determinism.md, "Unsafe"
				text = fmt.Sprint(len(text))
			}
			said := fmt.Sprint(text, in.Stats().Gas)
			if first == "" {
				first = said
			} else if said != first {
				t.Errorf("%s: the tiers differ:\n%.300s\n%.300s", c.name, first, said)
			}
			for _, f := range kept {
				if !panics(func() { f(1) }) {
					t.Errorf("%s: a callback was called behind its call", c.name)
				}
			}
			if err := in.Close(); err != nil {
				t.Errorf("%s: Close: %v", c.name, err)
			}
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}
