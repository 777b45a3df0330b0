//go:build ignore && go1.27

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
			func() {
				for range each {
					show(s + " inside")
					func() { show(s + " inside twice") }()
				}
			}()
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
// range: ranging-range1:35 each:31 ranging:34 main:80
// range nested: ranging-range1-range1:37 each:31 ranging-range1:36 each:31 ranging:34 main:80
// range literal inside: ranging-range1-range1.1:38 ranging-range1-range1:38 each:31 ranging-range1:36 each:31 ranging:34 main:80
// range literal behind: ranging.func1:43 ranging:43 main:80
// range again: ranging-range2:45 each:31 ranging:44 main:80
// range defer: ranging:47 main:80
// range defer inside: ranging-range1-range1.2:39 ranging:47 main:80
// literal: literal.func1-range1:53 each:31 literal.func1:52 main:81
// literal inside: literal.func1-range1.1-range1:56 each:31 literal.func1-range1.1:55 literal.func1-range1:59 each:31 literal.func1:52 main:81
// literal inside twice: literal.func1-range1.1-range1.1:57 literal.func1-range1.1-range1:57 each:31 literal.func1-range1.1:55 literal.func1-range1:59 each:31 literal.func1:52 main:81
// literal behind: literal.func1.1:61 literal.func1:61 main:81
// method: T[...].ranging-range1.1:71 T[...].ranging-range1:71 T[...].each:67 T[...].ranging:70 main:82
// method deferred: T[...].deferred:77 T[...].ranging:75 main:82
