// Package failure is how the engine outlives its own mistakes.
//
// A panic that was not foreseen, in whatever stage of a compilation or in a tier, must
// not take along the process that embeds us: other programs run in it. Each stage
// begins with a deferred [Recover] (each goroutine of a stage has one of its own), which makes
// the panic an [*Error] that says in which stage it happened and which function of the
// program was being worked on. What the stage was changing is then in no state that anybody
// may use: who recovers throws it away, and what several programs share is made
// anew by the next one that needs it ([Flight]).
//
// What Go itself cannot recover from, above all the overflow of a goroutine's
// stack, is prevented by limits: see package budget.
package failure

import (
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Position is a place in the guest's source. The zero value is none.
type Position struct {
	Func string // as runtime.FuncForPC prints it
	File string
	Line int
}

// Suffix is the position as the end of an error's text.
func (p Position) Suffix() string {
	switch {
	case p.Func == "" && p.File == "":
		return ""
	case p.Func == "":
		return fmt.Sprintf(" at %s:%d", p.File, p.Line)
	case p.File == "":
		return " in " + p.Func
	}
	return fmt.Sprintf(" in %s (%s:%d)", p.Func, p.File, p.Line)
}

// An Error says that the engine has a bug that this program found: a panic of ours.
// Nothing but the compilation or the instance is affected.
type Error struct {
	Stage    string // of the compilation, as Source.Progress names them, or "running"
	Position        // what was being worked on, as far as it is known
	Value    any    // of the panic
	Stack    []byte // of the goroutine, as runtime.Stack prints it; cut off at 64 KiB
}

func (e *Error) Error() string {
	return fmt.Sprintf("internal error while %s%s: %v (a bug of gyr, not of the program)", e.Stage, e.Suffix(), e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *Error) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

const maxStack = 64 << 10

// Recover, deferred, makes a panic of the function an error in *err. Where, if it is not nil,
// tells what was being worked on. An error that an inner stage made keeps what that knew.
func Recover(err *error, stage string, where func() Position) {
	if r := recover(); r != nil {
		*err = New(stage, r, where)
	}
}

// New is Recover for functions that recover themselves: the error for the value of a panic.
func New(stage string, r any, where func() Position) *Error {
	if e, ok := r.(*Error); ok {
		return e
	}
	e := &Error{Stage: stage, Value: r, Stack: make([]byte, maxStack)}
	e.Stack = e.Stack[:runtime.Stack(e.Stack, false)]
	if where != nil {
		e.Position = place(where)
	}
	return e
}

// Of tells the position of a function, and In that of a place in it.
func Of(f *ir.Func) func() Position { return func() Position { return In(f, f.Pos)() } }

func In(f *ir.Func, p ir.Pos) func() Position {
	return func() Position {
		file, line := f.Module.Line(p)
		return Position{f.Name, file, line}
	}
}

// place asks for the position of something that may be half made.
func place(where func() Position) (p Position) {
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
