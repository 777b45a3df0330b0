package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"unique"
	"weak"
)

// Finalizers, cleanups, pinned objects.

var sink any

func object() *pair { p := new(pair); sink = p; return p }

func caseFinalizerNil()           { runtime.SetFinalizer(nil, nil) }
func caseFinalizerInt()           { runtime.SetFinalizer(1, func(int) {}) }
func caseFinalizerNilPointer()    { runtime.SetFinalizer((*pair)(nil), func(*pair) {}) }
func caseFinalizerNilPointerNil() { runtime.SetFinalizer((*pair)(nil), nil) }
func caseFinalizerNotFunc()       { runtime.SetFinalizer(object(), 5) }
func caseFinalizerVariadic()      { runtime.SetFinalizer(object(), func(...*pair) {}) }
func caseFinalizerArgs()          { runtime.SetFinalizer(object(), func() {}) }
func caseFinalizerArgs2()         { runtime.SetFinalizer(object(), func(a, b *pair) {}) }
func caseFinalizerType()          { runtime.SetFinalizer(object(), func(*int) {}) }
func caseFinalizerInterface()     { runtime.SetFinalizer(object(), func(error) {}) }
func caseFinalizerTwice() {
	p := object()
	runtime.SetFinalizer(p, func(*pair) {})
	runtime.SetFinalizer(p, func(*pair) {})
}
func caseFinalizerCleared() {
	p := object()
	runtime.SetFinalizer(p, func(*pair) {})
	runtime.SetFinalizer(p, nil)
	runtime.SetFinalizer(p, func(*pair) {})
	panic("end")
}
func caseFinalizerInner() {
	p := object()
	runtime.SetFinalizer(&p.b, func(*int) {})
}
func caseFinalizerNilFunc() {
	p := new(pair)
	sink = p
	runtime.SetFinalizer(p, (func(*pair))(nil))
	sink, p = nil, nil
	runtime.GC()
	runtime.GC()
	settle()
	println("end")
}
func caseFinalizerPanics() {
	func() {
		p := &pair{1, 2}
		sink = p
		runtime.SetFinalizer(p, func(p *pair) { panic("in a finalizer") })
	}()
	sink = nil
	overwrite(20)
	runtime.GC()
	runtime.GC()
	select {}
}
func overwrite(n int) int {
	var a [64]int
	if n == 0 {
		return a[n]
	}
	return overwrite(n-1) + a[n%64]
}
func caseFinalizerGoexit() {
	func() {
		p := &pair{1, 2}
		sink = p
		runtime.SetFinalizer(p, func(p *pair) { println("finalizer"); runtime.Goexit() })
	}()
	sink = nil
	overwrite(20)
	runtime.GC()
	runtime.GC()
	select {}
}
func caseCleanupPanics() {
	func() {
		p := &pair{1, 2}
		sink = p
		runtime.AddCleanup(p, func(n int) { panic(n) }, 5)
	}()
	sink = nil
	overwrite(20)
	runtime.GC()
	runtime.GC()
	select {}
}
func caseCleanupNilFunc() {
	func() {
		p := &pair{1, 2}
		sink = p
		runtime.AddCleanup(p, (func(int))(nil), 5)
	}()
	sink = nil
	overwrite(20)
	runtime.GC()
	runtime.GC()
	select {}
}
func caseCleanupNil()    { runtime.AddCleanup((*pair)(nil), func(int) {}, 1) }
func caseCleanupSame()   { p := object(); runtime.AddCleanup(p, func(*pair) {}, p) }
func caseCleanupWithin() { p := object(); runtime.AddCleanup(p, func(*int) {}, &p.b) }
func caseCleanupCloses() {
	p := object()
	runtime.AddCleanup(p, func(int) { println(p.a) }, 1)
	println("end")
}
func caseCleanupStop() { var c runtime.Cleanup; c.Stop(); panic("end") }

func casePinnerNil()    { var p runtime.Pinner; p.Pin(nil) }
func casePinnerInt()    { var p runtime.Pinner; p.Pin(1) }
func casePinnerGlobal() { var p runtime.Pinner; p.Pin(&one); p.Unpin(); panic("end") }
func casePinnerTwice() {
	var p runtime.Pinner
	x := object()
	p.Pin(x)
	p.Pin(x)
	p.Unpin()
	p.Unpin()
	panic("end")
}
func casePinnerLost() {
	func() {
		p := new(runtime.Pinner)
		p.Pin(object())
	}()
	sink = nil
	overwrite(20)
	runtime.GC()
	runtime.GC()
	runtime.GC()
	select {}
}
func casePinnerNilPointer() { var p runtime.Pinner; p.Pin((*pair)(nil)); p.Unpin(); panic("end") }

func caseWeakNil() { println(weak.Make((*pair)(nil)).Value() == nil); panic("end") }
func caseUnique()  { unique.Make(any(nums)) }

func caseSetMaxStack() {
	println(debug.SetMaxStack(1<<16) > 0)
	panic("end")
}
func caseSetTraceback() {
	go worker(nilc)
	settle()
	debug.SetTraceback("all")
	panic("all")
}

//endings:env GOTRACEBACK=all
func caseSetTracebackLess() {
	go worker(nilc)
	settle()
	debug.SetTraceback("none")
	panic("all")
}
func caseSetTracebackNone() {
	debug.SetTraceback("none")
	panic("nothing more")
}
func caseDebugStack() { os.Stderr.Write(debug.Stack()); os.Exit(2) }
func casePrintStack() { func() { debug.PrintStack() }(); panic("end") }
func caseStackPanicking() {
	defer func() { os.Stderr.Write(debug.Stack()) }()
	panic("stack first")
}
func caseSetPanicOnFault() {
	debug.SetPanicOnFault(true)
	println(nilp.a)
}
func caseCrashOutput() { debug.SetCrashOutput(nil, debug.CrashOptions{}); panic("end") }
func caseCallerNames() {
	defer func() {
		var pcs [20]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
		for {
			f, more := frames.Next()
			if !strings.HasPrefix(f.Function, "runtime.") {
				println(f.Function, f.Line)
			} else {
				println(f.Function)
			}
			if !more || f.Function == "main.main" {
				break
			}
		}
		os.Exit(1)
	}()
	new(pair).fail()
}
func caseReflectFinalizer() {
	runtime.SetFinalizer(object(), reflect.MakeFunc(reflect.TypeFor[func(*pair)](), nil).Interface())
	panic("end")
}
func caseLabels() {
	ctx := pprof.WithLabels(context.Background(), pprof.Labels("b", "x y", "a", "1"))
	fmt.Println(ctx)
	pprof.SetGoroutineLabels(ctx)
	pprof.Labels("odd")
}
func caseLockThread() { runtime.UnlockOSThread(); runtime.LockOSThread(); panic("end") }
func caseLockThreadGoexit() {
	go func() { runtime.LockOSThread(); runtime.Goexit() }()
	runtime.LockOSThread()
	settle()
	panic("end")
}
func caseGomaxprocs() { println(runtime.GOMAXPROCS(0) > 0); panic("end") }
