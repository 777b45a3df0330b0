// Command panics prints what run-time errors, nested panics and tracebacks print,
// and ends with an unrecovered panic.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

type shape interface{ area() float64 }

func try(name string, f func()) {
	defer func() {
		r := recover()
		_, isRuntime := r.(runtime.Error)
		fmt.Println(name, r, isRuntime)
	}()
	f()
}

//go:noinline
func at(s []int, i int) int { return s[i] }

func deep(n int) {
	if n == 0 {
		panic(fmt.Errorf("deep: %w", errors.ErrUnsupported))
	}
	defer func() {
		if n == 3 {
			panic("three")
		}
	}()
	deep(n - 1)
}

func main() {
	zero, s := 0, []int{1, 2, 3}
	var m map[string]int
	var p *struct{ a, b int }
	var e any = "text"
	var sh shape
	try("index", func() { at(s, 5) })
	try("slice", func() { _ = s[2:at(s, 0)] })
	try("slice3", func() { _ = s[: 2 : at(s, 2)+7] })
	try("divide", func() { fmt.Println(1 / zero) })
	try("nil map", func() { m["x"] = 1 })
	try("nil", func() { p.b = 1 })
	try("assert", func() { fmt.Println(e.(int)) })
	try("assert iface", func() { fmt.Println(e.(shape)) })
	try("nil iface", func() { sh.area() })
	try("hash", func() { _ = map[any]int{s: 1} })
	try("compare", func() { fmt.Println(any(s) == any(s)) })
	try("chan", func() { var c chan int; close(c) })
	try("make", func() { _ = make([]int, zero-1) })
	try("array", func() { _ = [4]int(s) })
	try("deep", func() { deep(5) })
	try("goexit", func() {
		done := make(chan bool)
		go func() {
			defer close(done)
			defer fmt.Println("deferred")
			runtime.Goexit()
		}()
		<-done
	})
	var pcs [20]uintptr
	func() {
		n := runtime.Callers(1, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for {
			f, more := frames.Next()
			if i := strings.LastIndex(f.Function, "."); !strings.HasPrefix(f.Function, "runtime.") {
				fmt.Println(f.Function[i+1:], f.Line)
			}
			if !more {
				break
			}
		}
	}()
	defer fmt.Fprintln(os.Stderr, "last")
	deep(4)
}
