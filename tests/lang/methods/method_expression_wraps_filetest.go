//go:build ignore && go1.27

// A method expression of a generic method is a function of its own for calls, and none for tracebacks and recover.
package main

import (
	"fmt"
	"runtime"
)

type T[E any] struct{ e E }

func (t T[E]) Val[P any](P) E  { return t.e }
func (t *T[E]) Ptr[P any](P) E { return t.e }

func (t *T[E]) Recover[P any](P) { fmt.Println("recovered", recover()) }

//go:noinline
func (t *T[E]) Lines[P any](P) {
	pc := make([]uintptr, 10)
	fs := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	for {
		f, _ := fs.Next()
		fmt.Print(f.Function, ":", f.Line, " ")
		if f.Function == "main.main" {
			break
		}
	}
	_, _, line, _ := runtime.Caller(1)
	fmt.Println(line)
}

type U struct{ n int }

func (u U) Val[P any](P) int  { return u.n }
func (u *U) Recover[P any](P) { fmt.Println("recovered", recover()) }
func (u U) plain() int        { return u.n }

type Embeds[E any] struct {
	n int
	*T[E]
}

func say(s string) string { fmt.Print(s, " "); return s }

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

//go:noinline
func run[E any](e E) {
	var t *T[E]
	var w *Embeds[E]
	// Arguments are evaluated first; no text names the method.
	try(func() { (*T[E]).Val[string](t, say("Val")) })
	try(func() { (*T[E]).Ptr[string](t, say("Ptr")) })
	try(func() { (*Embeds[E]).Val[string](w, say("Val of a nil pointer")) })
	try(func() { (*Embeds[E]).Ptr[string](w, say("Ptr of a nil pointer")) })
	try(func() { Embeds[E].Val[string](Embeds[E]{}, say("embedded Val")) })
	try(func() { Embeds[E].Ptr[string](Embeds[E]{}, say("embedded Ptr")) })
	try(func() { defer (*T[E]).Val[string](t, say("deferred")); say("afterwards") })

	// They recover where they are deferred.
	try(func() { defer (*T[E]).Recover[int](t, 1); panic("called") })
	try(func() { f := (*T[E]).Recover[int]; defer f(t, 1); panic("value") })
	try(func() { defer (*Embeds[E]).Recover[int](&Embeds[E]{}, 1); panic("promoted") })
	try(func() { defer func() { (*T[E]).Recover[int](t, 1) }(); panic("one call too far") })

	(*T[E]).Lines[int](t, 1)
	call(func() { (*T[E]).Lines(t, e) })
	(*Embeds[E]).Lines[int](&Embeds[E]{}, 1)
}

func main() {
	var u *U
	try(func() { (*U).Val[string](u, say("U")) })
	try(func() { (*U).plain(u) })
	try(func() { defer (*U).Recover[string](u, ""); panic(1) })
	run(1)
	run("x")
	last(1)
}

//go:noinline
func call(f func()) { f() }

//go:noinline
func last[E any](e E) {
	var t *T[E]
	f :=
		(*T[E]).Val[int]
	call(func() {
		f(t, 1)
	})
}

// Output:
// U runtime error: invalid memory address or nil pointer dereference
// value method main.U.plain called using nil *U pointer
// recovered 1
// <nil>
// Val runtime error: invalid memory address or nil pointer dereference
// Ptr runtime error: invalid memory address or nil pointer dereference
// Val of a nil pointer runtime error: invalid memory address or nil pointer dereference
// Ptr of a nil pointer runtime error: invalid memory address or nil pointer dereference
// embedded Val runtime error: invalid memory address or nil pointer dereference
// embedded Ptr runtime error: invalid memory address or nil pointer dereference
// deferred afterwards runtime error: invalid memory address or nil pointer dereference
// recovered called
// <nil>
// recovered value
// <nil>
// recovered promoted
// <nil>
// recovered <nil>
// one call too far
// main.(*T[...]).Lines[...]:21 main.run[...]:70 main.main:80 70
// main.(*T[...]).Lines[...]:21 main.run[...].func13:71 main.call:86 main.run[...]:71 main.main:80 71
// main.(*T[...]).Lines[...]:21 main.run[...]:72 main.main:80 72
// Val runtime error: invalid memory address or nil pointer dereference
// Ptr runtime error: invalid memory address or nil pointer dereference
// Val of a nil pointer runtime error: invalid memory address or nil pointer dereference
// Ptr of a nil pointer runtime error: invalid memory address or nil pointer dereference
// embedded Val runtime error: invalid memory address or nil pointer dereference
// embedded Ptr runtime error: invalid memory address or nil pointer dereference
// deferred afterwards runtime error: invalid memory address or nil pointer dereference
// recovered called
// <nil>
// recovered value
// <nil>
// recovered promoted
// <nil>
// recovered <nil>
// one call too far
// main.(*T[...]).Lines[...]:21 main.run[...]:70 main.main:81 70
// main.(*T[...]).Lines[...]:21 main.run[...].func13:71 main.call:86 main.run[...]:71 main.main:81 71
// main.(*T[...]).Lines[...]:21 main.run[...]:72 main.main:81 72

// Error:
// panic: runtime error: invalid memory address or nil pointer dereference
// [signal SIGSEGV: segmentation violation code=0x1 addr=0x0]

// Stacktrace:
// goroutine 1 [running]:
// main.last[...].func1(...)
// 	method_expression_wraps_filetest.go:92
// main.last[...].func2()
// 	method_expression_wraps_filetest.go:94
// main.call(...)
// 	method_expression_wraps_filetest.go:86
// main.last[...](...)
// 	method_expression_wraps_filetest.go:93
// main.main()
// 	method_expression_wraps_filetest.go:82
