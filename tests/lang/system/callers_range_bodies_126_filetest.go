//go:build ignore && !go1.27

package main

import (
	"fmt"
	"runtime"
	"strings"
)

// Names of the bodies of ranges over functions, and of what stands in them.

//go:noinline
func show(shape string) {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	var names []string
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "main.") {
			names = append(names, fmt.Sprint(strings.TrimPrefix(f.Function, "main."), ":", f.Line))
		}
		if !more {
			break
		}
	}
	fmt.Println(shape+":", strings.Join(names, " "))
}

//go:noinline
func each(yield func(int) bool) { yield(1) }

func ranging(s string) {
	for range each {
		show(s)
		for range each {
			show(s + " nested")
			func() { show(s + " literal inside") }()
			defer func() { show(s + " defer inside") }()
		}
		defer show(s + " defer")
	}
	func() { show(s + " literal behind") }()
	for range each {
		show(s + " again")
	}
}

//go:noinline
func literal(s string) func() {
	return func() {
		for range each {
			show(s)
		}
		func() { show(s + " behind") }()
	}
}

type T[P any] struct{ p P }

func (t T[P]) each(yield func(P) bool) { yield(t.p) }

func (t T[P]) ranging(s string) {
	for range t.each {
		func() { show(s) }()
		defer t.deferred(s + " deferred")
		go t.each(func(P) bool { return true })
	}
}

func (t T[P]) deferred(s string) { show(s) }

func main() {
	ranging("range")
	literal("literal")()
	T[int]{1}.ranging("method")
}

// Output:
// range: ranging-range1:35 each:31 ranging:34 main:74
// range nested: ranging-range2:37 each:31 ranging-range1:36 each:31 ranging:34 main:74
// range literal inside: ranging.func1:38 ranging-range2:38 each:31 ranging-range1:36 each:31 ranging:34 main:74
// range literal behind: ranging.func3:43 ranging:43 main:74
// range again: ranging-range3:45 each:31 ranging:44 main:74
// range defer: ranging:47 main:74
// range defer inside: ranging.func2:39 ranging:47 main:74
// literal: literal.func1-range1:53 each:31 literal.func1:52 main:75
// literal behind: literal.func1.1:55 literal.func1:55 main:75
// method: T[...].ranging.func1:65 T[...].ranging-range1:65 T[...].each:61 T[...].ranging:64 main:76
// method deferred: T[...].deferred:71 T[...].ranging:69 main:76
