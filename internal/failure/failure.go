// Package failure lets the engine survive its own bugs.
//
// An unforeseen panic, in any stage of a compilation or in a tier, must not end the embedding
// process: other programs run in it. Each stage begins with a deferred [Recover], and so does each
// goroutine of a stage. Recover turns the panic into an [*api.InternalError] that names the stage
// and the function of the program that was being compiled. The data that the stage was changing is
// then unusable: the recovering caller discards it, and data that several programs share is made
// again by the next program that needs it ([Flight]).
//
// Limits prevent what Go cannot recover from, above all the overflow of a goroutine's stack: see
// package budget.
package failure

import (
	"runtime"
	"sync/atomic"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

const maxStack = 64 << 10

// Recover, when deferred, turns a panic of the function into an error in *err. If where is not nil,
// it returns the position of the current work. An error from an inner stage keeps its position.
func Recover(err *error, stage string, where func() api.Position) {
	if r := recover(); r != nil {
		*err = New(stage, r, where)
	}
}

// New returns the error for the value of a panic, for functions that call recover themselves.
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

// Of and In return functions for Recover: the position of a function, and of a place in it.
func Of(f *ir.Func) func() api.Position { return func() api.Position { return In(f, f.Pos)() } }

func In(f *ir.Func, p ir.Pos) func() api.Position {
	return func() api.Position {
		file, line := f.Module.Line(p)
		return api.Position{Func: f.Name, File: file, Line: line}
	}
}

// place calls where, which may panic on half-made data.
func place(where func() api.Position) (p api.Position) {
	defer func() { _ = recover() }()
	return where()
}

// planted is set by tests: see Plant.
var planted atomic.Pointer[func(point string)]

// Points are where a test can plant a panic: one in each goroutine of each stage.
var Points = []string{
	"loading", "loading a package", "parsing a file", "checking a package", "building a package",
	"lowering", "lowering a function", "placing gas", "optimising", "phase A", "snapshot", "caching",
	"reading", "verifying", "reading an entry", "reading a base", "making a base",
	"phase B", "compiling register code", "compiling machine code", "machine code of a program", "running",
	"in the interpreter", "behind machine code",
}

// Plant makes every goroutine that reaches a point call f with its name, until the returned
// function is called. It is for tests.
func Plant(f func(point string)) (remove func()) {
	planted.Store(&f)
	return func() { planted.Store(nil) }
}

// At marks a point.
func At(point string) {
	if f := planted.Load(); f != nil {
		(*f)(point)
	}
}
