//go:build ignore && go1.27

// Names of instances, as runtime.Callers tells them.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

func stack() {
	pcs := make([]uintptr, 20)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var names []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			names = append(names, fmt.Sprint(f.Function, ":", f.Line))
		}
		if !more {
			break
		}
	}
	fmt.Println(strings.Join(names, " "))
}

type T struct{}

func (T) Val[P any](P) { stack() }
func (*T) Ptr[P any](p P) {
	func() { stack() }()
}

type G[E any] struct{}

func (g G[E]) Val[P any](p P) { stack() }
func (g *G[E]) Ptr[P any](p P) {
	defer stack()
}
func (g *G[E]) Plain() { g.Val(1) }

func call(f func(string)) { defer f("") }

func method(g *G[int], f func(*G[int], bool)) { defer f(g, true) }

func generic[P any](p P) { T{}.Val(p) }

type E struct{ *G[int] }

func main() {
	var t T
	t.Val(1)
	t.Ptr("x")
	var g G[int]
	g.Val(1)
	g.Ptr(1)
	g.Plain()
	generic([]int{})
	E{&g}.Ptr(2)
	func() { g.Val[error](nil) }()
	call(t.Val[string])
	method(&g, (*G[int]).Ptr[bool])
	defer t.Val(3)
}

// Output:
// main.T.Val[...]:30 main.main:53
// main.(*T).Ptr[...].func1:32 main.(*T).Ptr[...]:32 main.main:54
// main.G[...].Val[...]:37 main.main:56
// main.(*G[...]).Ptr[...]:40 main.main:57
// main.G[...].Val[...]:37 main.(*G[...]).Plain:41 main.main:58
// main.T.Val[...]:30 main.generic[...]:47 main.main:59
// main.(*G[...]).Ptr[...]:40 main.main:60
// main.G[...].Val[...]:37 main.main.func1:61 main.main:61
// main.T.Val[...]:30 main.call:43 main.main:62
// main.(*G[...]).Ptr[...]:40 main.method:45 main.main:63
// main.T.Val[...]:30 main.main:65
