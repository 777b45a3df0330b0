// Package failure is how the engine outlives its own mistakes.
//
// A panic that was not foreseen, in whatever stage of a compilation or in a tier, must
// not take along the process that embeds us: other programs run in it. Each stage
// begins with a deferred [Recover] (each goroutine of a stage has one of its own), which makes
// the panic an [*api.InternalError] that says in which stage it happened and which function of the
// program was being worked on. What the stage was changing is then in no state that anybody
// may use: who recovers throws it away, and what several programs share is made
// anew by the next one that needs it ([Flight]).
//
// What Go itself cannot recover from, above all the overflow of a goroutine's
// stack, is prevented by limits: see package budget.
package failure

import (
	"runtime"
	"sync/atomic"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

const maxStack = 64 << 10

// Recover, deferred, makes a panic of the function an error in *err. Where, if it is not nil,
// tells what was being worked on. An error that an inner stage made keeps what that knew.
func Recover(err *error, stage string, where func() api.Position) {
	if r := recover(); r != nil {
		*err = New(stage, r, where)
	}
}

// New is Recover for functions that recover themselves: the error for the value of a panic.
func New(stage string, r any, where func() api.Position) *api.InternalError {
	if e, ok := r.(*api.InternalError); ok {
		return e
	}
	e := &api.InternalError{Stage: stage, Value: r, Stack: make([]byte, maxStack)}
	e.Stack = e.Stack[:runtime.Stack(e.Stack, false)]
	if where != nil {
		e.Position = place(where)
	}
	return e
}

// Of tells the position of a function, and In that of a place in it.
func Of(f *ir.Func) func() api.Position { return func() api.Position { return In(f, f.Pos)() } }

func In(f *ir.Func, p ir.Pos) func() api.Position {
	return func() api.Position {
		file, line := f.Module.Line(p)
		return api.Position{Func: f.Name, File: file, Line: line}
	}
}

// place asks for the position of something that may be half made.
func place(where func() api.Position) (p api.Position) {
	defer func() { _ = recover() }()
	return where()
}

// planted is the test's: see Plant.
var planted atomic.Pointer[func(point string)]

// Points are where a test can plant a panic: in each goroutine of each stage.
var Points = []string{
	"loading", "loading a package", "parsing a file", "checking a package", "building a package",
	"lowering", "lowering a function", "placing gas", "optimising", "phase A", "snapshot", "caching",
	"reading", "verifying", "reading an entry", "reading a base", "making a base",
	"phase B", "compiling register code", "compiling machine code", "machine code of a program", "running",
	"in the interpreter", "behind machine code",
}

// Plant has every goroutine that comes to a point call f with its name, until the
// returned function is called. It is for tests.
func Plant(f func(point string)) (remove func()) {
	planted.Store(&f)
	return func() { planted.Store(nil) }
}

// At is a point.
func At(point string) {
	if f := planted.Load(); f != nil {
		(*f)(point)
	}
}
