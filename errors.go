package gyr

import (
	"reflect"
	"slices"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// A Position is a place in the guest's source. The zero value is none.
type Position struct {
	Func string // as runtime.FuncForPC prints it
	File string
	Line int
}

// Suffix is the position as the end of an error's text.
func (p Position) Suffix() string { return failure.Position(p).Suffix() }

// The errors of compiling.

// A CompileError holds the messages of a program that does not compile, as the
// go command prints them.
type CompileError struct{ Err error }

// Error is fit for a terminal, whatever sources say: what could drive one is spelled as in a Go string.
func (e *CompileError) Error() string { return (&engine.CompileError{Err: e.Err}).Error() }
func (e *CompileError) Unwrap() error { return e.Err }

// List returns the messages one by one, in the order in which Error prints them. There is at least one. Their strings are
// as fit for a terminal as Error.
func (e *CompileError) List() []Diagnostic {
	var list []Diagnostic
	for _, d := range (&engine.CompileError{Err: e.Err}).List() {
		list = append(list, Diagnostic(d))
	}
	return list
}

// A Diagnostic is one message about a program that does not compile.
type Diagnostic struct {
	// Package is the import path of the package that does not compile or cannot be loaded, empty if that is not known.
	Package string
	// File is the name of the source file as the go command prints it: relative to Source.Dir if that is shorter, with
	// "./" before the name of a file in that directory. It is empty if the message is about no file, as an import cycle.
	File string
	// Line and Column say where in the file what the message is about begins, both from 1, columns in bytes. They are
	// those that the text has, so a //line directive changes them. 0: not known.
	Line, Column int
	// EndLine and EndColumn say where it ends: the column is the one behind its last byte. 0: not known.
	EndLine, EndColumn int
	// Text is the message without package and position. Further lines, which may name other positions, begin with a tab,
	// but for the explanation that the go command gives where go.sum does not agree with a module.
	Text string
}

// An ImageError says why a portable image is refused: it is damaged, foreign,
// of another version, or holds what no compiler made.
type ImageError struct{ Err error }

// Error is one line, whatever names the image gives its functions.
func (e *ImageError) Error() string { return (&engine.ImageError{Err: e.Err}).Error() }
func (e *ImageError) Unwrap() error { return e.Err }

// A CompileLimitError says that a program is over one of Source.Limits: which, its value, what
// is too large, and where. It follows from the source and the limits alone.
type CompileLimitError struct {
	Limit    string // the field of Limits: "ConstantBytes"
	Max      int64  // its value
	What     string // what is too large: "a constant string of 1073741824 bytes"
	Position        // where; the zero value if it is the program as a whole
	Column   int    // 0: not known
}

func (e *CompileLimitError) Error() string {
	return (&budget.Error{Limit: e.Limit, Max: e.Max, What: e.What, Position: failure.Position(e.Position),
		Column: e.Column}).Error()
}

// An InternalError says that the engine itself has a bug, which this program found: in which
// stage of its compilation or in its run, where, and how we got there. It is the compilation
// or the instance that ends; the process, other programs, the base and the cache go on.
type InternalError struct {
	Stage    string // of the compilation, as Source.Progress names them, or "running"
	Position        // what was being worked on, as far as it is known
	Value    any    // of the panic
	Stack    []byte // of the goroutine, as runtime.Stack prints it; cut off at 64 KiB
}

func (e *InternalError) Error() string {
	return (&failure.Error{Stage: e.Stage, Position: failure.Position(e.Position), Value: e.Value}).Error()
}

// Unwrap returns the value of the panic if it is an error.
func (e *InternalError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// The ways in which a run ends, other than nil for exit status 0.

// An OutOfGasError says that the gas limit was reached, and where.
type OutOfGasError struct {
	Limit, Used int64 // equal: what is used is never more than the limit
	Position
	Call bool // the limit is CallOptions.Gas, not Config.Gas
}

func (e *OutOfGasError) Error() string {
	return (&rt.OutOfGasError{Limit: e.Limit, Used: e.Used, Position: rt.Position(e.Position), Call: e.Call}).Error()
}

// A MemoryLimitError says that the program needed more memory than allowed.
type MemoryLimitError struct {
	Limit uint64 // bytes
	Position
	Call bool // the limit is CallOptions.Memory, not Config.Memory
}

func (e *MemoryLimitError) Error() string {
	return (&rt.MemoryLimitError{Limit: e.Limit, Position: rt.Position(e.Position), Call: e.Call}).Error()
}

// A StackLimitError says that a goroutine's stack reached its limit.
type StackLimitError struct {
	Limit uint64 // bytes, in guest units
	Position
}

func (e *StackLimitError) Error() string {
	return (&rt.StackLimitError{Limit: e.Limit, Position: rt.Position(e.Position)}).Error()
}

// An OutputLimitError says that the program wrote more to Stdout and Stderr than Config.Output allows. They have been
// given the first Limit bytes. The position is in the program's own source if it is a function of that which writes.
type OutputLimitError struct {
	Limit int64 // bytes
	Position
}

func (e *OutputLimitError) Error() string {
	return (&rt.OutputLimitError{Limit: e.Limit, Position: rt.Position(e.Position)}).Error()
}

// A DeadlineError says that the context ended first, or the time of a call was over. It unwraps to the context's cause,
// or to context.DeadlineExceeded.
type DeadlineError struct {
	Err error
	Position
	Call bool // it was CallOptions.Timeout, not the context
}

func (e *DeadlineError) Error() string {
	return (&rt.DeadlineError{Err: e.Err, Position: rt.Position(e.Position), Call: e.Call}).Error()
}
func (e *DeadlineError) Unwrap() error { return e.Err }

// A FaultClass says where the guest has no memory that it went to.
type FaultClass uint8

const (
	// FaultOutside: behind what the guest's memory has grown to, its limit, or all that a guest can address.
	FaultOutside = FaultClass(rt.FaultOutside)
	// FaultLow: below 64 KiB, where no object ever is. A nil pointer and an offset lead there, or a number that was taken for an address.
	FaultLow = FaultClass(rt.FaultLow)
	// FaultReadOnly: in a [Buffer] that the host has lent, where the guest was to write. The error is a [ReadOnlyError] that unwraps to this one.
	FaultReadOnly = FaultClass(rt.FaultReadOnly)
)

// String is what [MemoryFaultError] says of the address.
func (c FaultClass) String() string { return rt.FaultClass(c).String() }

// A MemoryFaultError says that the program read or wrote where it has no memory, or had a function of the host do so. The run is
// over, and the gas it has used is what was charged up to then: the same in both tiers, on every run. Only programs with
// unsafe pointers can, by package unsafe or by what reflect does with them.
type MemoryFaultError struct {
	Class FaultClass
	Position
}

func (e *MemoryFaultError) Error() string {
	return (&rt.MemoryFaultError{Class: rt.FaultClass(e.Class), Position: rt.Position(e.Position)}).Error()
}

// A ReadOnlyError says that the guest wrote to a [Buffer] that the host had lent it, or had the host write there, by
// reading a file into it for instance.
type ReadOnlyError struct {
	Position
}

func (e *ReadOnlyError) Error() string {
	return (&rt.ReadOnlyError{Position: rt.Position(e.Position)}).Error()
}

// Unwrap returns a [*MemoryFaultError] of the class [FaultReadOnly].
func (e *ReadOnlyError) Unwrap() error { return &MemoryFaultError{FaultReadOnly, e.Position} }

// A BufferError says why a [Buffer] cannot be made or lent: Err is a [*MemoryLimitError], [ErrBufferGone], or what the
// system said. Nothing was made or changed.
type BufferError struct {
	Size int // of the buffer, in bytes
	Err  error
}

func (e *BufferError) Error() string {
	return (&rt.BufferError{Size: e.Size, Err: e.Err}).Error()
}
func (e *BufferError) Unwrap() error { return e.Err }

// A HostError says that the engine or the host failed. Op is the function of the host that noticed.
type HostError struct {
	Op  string
	Err error
	Position
}

func (e *HostError) Error() string {
	return (&rt.HostError{Op: e.Op, Err: e.Err, Position: rt.Position(e.Position)}).Error()
}
func (e *HostError) Unwrap() error { return e.Err }

// A PanicError says that the program panicked and nothing recovered, or that it met a fatal error, which nothing can
// recover from, such as a deadlock. It unwraps to an ExitError with status 2; the report is on Config.Stderr too.
type PanicError struct {
	// Value is the text that Go prints of the panic's value ("runtime error: index out of range [5] with length 3"; for
	// an error or a Stringer what its method returns), or that of the fatal error.
	Value string
	Fatal bool // it is a fatal error, not a panic
	// Trace is the report as Go prints it, with the goroutine's trace: at most 64 KiB.
	Trace string
	// Frames is where the goroutine stands, the innermost first, at most 100, without the runtime's. There are none if all
	// goroutines wait. Neither Trace nor Frames show the code that gyr generates around calls.
	Frames   []Position
	Position // Frames[0], where the panic came from
}

// Error is one line that is fit for a terminal, with the first 200 bytes of the value.
func (e *PanicError) Error() string {
	return (&rt.PanicError{Value: e.Value, Fatal: e.Fatal, Position: rt.Position(e.Position)}).Error()
}

// Unwrap returns an ExitError with status 2.
func (e *PanicError) Unwrap() error { return &ExitError{2} }

// A HostPanicError, wrapped by a HostError, is the panic of a Reader or Writer of the Config, of the handler of its Log, or of a function of a host package.
type HostPanicError struct {
	Method string // Read, Write, WriteTimed, Enabled or Handle; for a function of a host package its name
	Value  any    // of the panic
	Stack  []byte // of the goroutine that panicked, as runtime/debug.Stack prints it
}

func (e *HostPanicError) Error() string { return (*wasi.HostPanicError)(e).Error() }

// Unwrap returns the value of the panic if it is an error.
func (e *HostPanicError) Unwrap() error { return (*wasi.HostPanicError)(e).Unwrap() }

// A StdError says why a precompiled standard library (BaseConfig.Std) is refused: it is damaged, or was made for another
// gyr, another release of Go or other tags. Its text is one line that ends with the cure.
type StdError struct {
	Err  error
	Cure string // what to do
}

func (e *StdError) Error() string { return (&engine.StdError{Err: e.Err, Cure: e.Cure}).Error() }
func (e *StdError) Unwrap() error { return e.Err }

// A NeedsGoError says that something cannot be done with a precompiled standard library (BaseConfig.Std): it takes the
// sources of a Go installation.
type NeedsGoError struct{ What string }

func (e *NeedsGoError) Error() string { return (&engine.NeedsGoError{What: e.What}).Error() }

// An ExitError holds the exit status of a program that did not end with 0.
// A Go panic is status 2, as in Go, and a [PanicError] that unwraps to this.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return (*rt.ExitError)(e).Error() }

// A GuestError is the error that a guest function returned as its last result.
type GuestError struct {
	Func string
	Text string
}

func (e *GuestError) Error() string { return e.Text }

// A CallError says that a call cannot be made, or a function not be bound: the library has no such function, it cannot be called
// ([Program.Uncallable]), or types do not fit. Nothing was called, unless it is a result that does not fit. The instance can be used as before.
type CallError struct {
	Func string // its name
	Err  error  // what is wrong, with the path to the part of a type that does not fit
}

func (e *CallError) Error() string { return (&engine.CallError{Func: e.Func, Err: e.Err}).Error() }
func (e *CallError) Unwrap() error { return e.Err }

// A ConfigError says that a Config asks for what cannot be, and in which field.
// Nothing was made or changed.
type ConfigError struct {
	Field string // as in "Gas" or "Args[3]"; of CallOptions, as in "CallOptions.Gas"
	Err   error  // what is wrong with it
}

func (e *ConfigError) Error() string { return (&rt.ConfigError{Field: e.Field, Err: e.Err}).Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

var (
	// ErrClosed is returned by the methods of a closed Instance, and by the call that was running when
	// it was closed.
	ErrClosed = engine.ErrClosed
	// ErrBusy is returned by the methods of an Instance that is in use: by another goroutine, or by a
	// run that has called the Reader or Writer which now calls the method. The method has done nothing,
	// but for Close, which says more.
	ErrBusy = engine.ErrBusy
	// ErrEnded is returned by runs and calls of an instance whose program has ended, by
	// itself or by a limit: it takes Reset and Close. Unless the exit status was 0, the error is one that [errors.Is] ErrEnded
	// and unwraps to what ended the program.
	ErrEnded = engine.ErrEnded
	// ErrBufferGone, wrapped by a [*BufferError], is the reason why a buffer cannot be lent that was freed, or whose
	// instance was reset or closed.
	ErrBufferGone = rt.ErrBufferGone
	// ErrNotExports is returned by calls of an instance whose program was compiled
	// without [Source.Exports].
	ErrNotExports = engine.ErrNotExports
)

// public returns an error of the engine with the types of this package in the place of the engine's own,
// wherever in its tree they stand. The text stays, and what errors around them are.
func public(err error) error {
	if err != nil {
		err, _ = publish(err)
	}
	return err
}

// publicValue is public for what a panic had.
func publicValue(v any) any {
	if err, ok := v.(error); ok {
		return public(err)
	}
	return v
}

// publish is public, and reports whether the error is another one now.
func publish(err error) (_ error, changed bool) {
	switch e := err.(type) {
	case nil:
		return nil, false
	case *engine.CompileError:
		return &CompileError{public(e.Err)}, true
	case *engine.StdError:
		return &StdError{public(e.Err), e.Cure}, true
	case *engine.NeedsGoError:
		return &NeedsGoError{e.What}, true
	case *engine.ImageError:
		return &ImageError{public(e.Err)}, true
	case *budget.Error:
		return &CompileLimitError{e.Limit, e.Max, e.What, Position(e.Position), e.Column}, true
	case *failure.Error:
		return &InternalError{e.Stage, Position(e.Position), publicValue(e.Value), e.Stack}, true
	case *rt.OutOfGasError:
		return &OutOfGasError{e.Limit, e.Used, Position(e.Position), e.Call}, true
	case *rt.MemoryLimitError:
		return &MemoryLimitError{e.Limit, Position(e.Position), e.Call}, true
	case *rt.StackLimitError:
		return &StackLimitError{e.Limit, Position(e.Position)}, true
	case *rt.OutputLimitError:
		return &OutputLimitError{e.Limit, Position(e.Position)}, true
	case *rt.DeadlineError:
		return &DeadlineError{public(e.Err), Position(e.Position), e.Call}, true
	case *rt.MemoryFaultError:
		return &MemoryFaultError{FaultClass(e.Class), Position(e.Position)}, true
	case *rt.ReadOnlyError:
		return &ReadOnlyError{Position(e.Position)}, true
	case *rt.BufferError:
		return &BufferError{e.Size, public(e.Err)}, true
	case *rt.HostError:
		return &HostError{e.Op, public(e.Err), Position(e.Position)}, true
	case *wasi.HostPanicError:
		return &HostPanicError{e.Method, publicValue(e.Value), e.Stack}, true
	case *rt.PanicError:
		return &PanicError{e.Value, e.Fatal, e.Trace, positions(e.Frames), Position(e.Position)}, true
	case *rt.ExitError:
		return (*ExitError)(e), true
	case *rt.ConfigError:
		return &ConfigError{e.Field, public(e.Err)}, true
	case *engine.GuestError:
		return (*GuestError)(e), true
	case *engine.HostPackageError:
		return &HostPackageError{e.Path, e.Func, e.Declared, e.Bound, public(e.Err)}, true
	case *engine.CallError:
		return &CallError{e.Func, public(e.Err)}, true
	case *engine.TransactionError:
		return &TransactionError{e.Op, e.Reason, public(e.Err)}, true
	case *engine.StateError:
		return &StateError{e.What, public(e.Err)}, true
	case *engine.ChangeError:
		return (*ChangeError)(e), true
	case *engine.EndedError:
		return &endedError{engine.EndedError{Cause: public(e.Cause)}}, true
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner, changed := publish(e.Unwrap()); changed {
			return &wrapped{outer{err}, inner}, true
		}
	case interface{ Unwrap() []error }:
		list := slices.Clone(e.Unwrap())
		for i := range list {
			inner, one := publish(list[i])
			list[i], changed = inner, changed || one
		}
		if changed {
			return &joined{outer{err}, list}, true
		}
	}
	return err, false
}

// An endedError is ErrEnded with the reason.
type endedError struct{ engine.EndedError }

// positions are places as this package has them.
func positions(list []rt.Position) (converted []Position) {
	for _, p := range list {
		converted = append(converted, Position(p))
	}
	return converted
}

// An outer error is one that told more of errors of the engine's. It has the text, and is, as package errors asks, what that one is without those.
type outer struct{ err error }

func (e outer) Error() string { return e.err.Error() }

func (e outer) Is(target error) bool {
	if x, ok := e.err.(interface{ Is(error) bool }); ok && x.Is(target) {
		return true
	}
	return reflect.ValueOf(e.err).Comparable() && e.err == target
}

func (e outer) As(target any) bool {
	if v := reflect.ValueOf(e.err); v.Type().AssignableTo(reflect.TypeOf(target).Elem()) {
		reflect.ValueOf(target).Elem().Set(v)
		return true
	}
	x, ok := e.err.(interface{ As(any) bool })
	return ok && x.As(target)
}

// A wrapped error told of one.
type wrapped struct {
	outer
	inner error
}

func (e *wrapped) Unwrap() error { return e.inner }

// A joined error told of several errors, one of the engine's among them.
type joined struct {
	outer
	list []error
}

func (e *joined) Unwrap() []error { return e.list }
