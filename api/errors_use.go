package api

import (
	"errors"
	"fmt"
	"strings"
)

// These errors come from methods that the host calls.

// A GuestError is the error that a guest function returned as its last result.
type GuestError struct {
	Func string
	Text string
}

func (e *GuestError) Error() string { return e.Text }

// A CallError says that a function cannot be called or bound: the library has no such function, it
// cannot be called ([Program.Uncallable]), or types do not fit. The guest was not called, unless a
// result is what does not fit. The instance can be used as before.
type CallError struct {
	Func string // its name
	Err  error  // what is wrong, with the path to the part of a type that does not fit
}

func (e *CallError) Error() string { return "gyr: " + e.Err.Error() }
func (e *CallError) Unwrap() error { return e.Err }

// A ConfigError says which field of a Config is invalid and why. Nothing was made or changed.
type ConfigError struct {
	Field string // as in "Gas" or "Args[3]"; for CallOptions, as in "CallOptions.Gas"
	Err   error  // what is wrong with it
}

func (e *ConfigError) Error() string {
	field := e.Field
	if !strings.HasPrefix(field, "CallOptions.") {
		field = "Config." + field
	}
	return fmt.Sprintf("gyr: %s: %v", field, e.Err)
}
func (e *ConfigError) Unwrap() error { return e.Err }

// A BufferError says why a [Buffer] cannot be made or lent: Err is a [*MemoryLimitError],
// [ErrBufferGone], or the error of the system. Nothing was made or changed.
type BufferError struct {
	Size int // size of the buffer, in bytes
	Err  error
}

func (e *BufferError) Error() string { return fmt.Sprintf("buffer of %d bytes: %v", e.Size, e.Err) }
func (e *BufferError) Unwrap() error { return e.Err }

// A HostPackageError says what is wrong with a package of CompileOptions.Host: its declaration does
// not parse, the declaration differs from what is bound, or an image was compiled against another
// declaration.
type HostPackageError struct {
	Path     string // the import path
	Func     string // the function, method or variable; "": the package
	Declared string // its declared type, as Go source; "": it is not declared
	Bound    string // the type of the bound value; "": nothing is bound
	Err      error  // the difference, with the path to it: "parameter 2: field Conn: ..."
}

func (e *HostPackageError) Error() string {
	s := "gyr: host package " + e.Path + ": "
	if e.Func == "" {
		return s + e.Err.Error()
	}
	s += e.Func + ": "
	switch {
	case e.Declared == "":
		return s + "it is bound, and not declared without a body in Source" // without Err
	case e.Bound == "":
		return s + "it is declared as " + e.Declared + ", and nothing is bound"
	}
	return s + "it is declared as " + e.Declared + " and bound to " + e.Bound + ": " + e.Err.Error()
}
func (e *HostPackageError) Unwrap() error { return e.Err }

// A TransactionError says why a transaction cannot begin or end, or why a state cannot be kept.
// Nothing has changed.
type TransactionError struct {
	Op     string // the method: "Begin", "Commit", "Rollback", "State" or "Fork"
	Reason string
	Err    error // the error that rolled back the last transaction, if that is the reason; else nil
}

func (e *TransactionError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("gyr: %s: %s: %v", e.Op, e.Reason, e.Err)
	}
	return fmt.Sprintf("gyr: %s: %s", e.Op, e.Reason)
}
func (e *TransactionError) Unwrap() error { return e.Err }

// An EndedError is [ErrEnded] with its cause: the result of the run or call that ended the program.
type EndedError struct{ Cause error }

func (e *EndedError) Error() string        { return ErrEnded.Error() + ": " + e.Cause.Error() }
func (e *EndedError) Is(target error) bool { return target == ErrEnded }
func (e *EndedError) Unwrap() error        { return e.Cause }

var (
	// ErrClosed is returned by the methods of a closed Instance. A call that was running when the
	// instance was closed returns it too.
	ErrClosed = errors.New("gyr: the instance is closed")
	// ErrBusy is returned by the methods of an Instance that is in use: by another goroutine, or by
	// a run whose Reader or Writer calls the method. The method has no effect; Close is the
	// exception and documents its own.
	ErrBusy = errors.New("gyr: the instance is in use")
	// ErrEnded is returned by runs and calls of an instance whose program has ended, by itself or
	// by a limit. Only Reset and Close are possible then. Unless the exit status was 0, the error
	// is an [*EndedError] that unwraps to what ended the program.
	ErrEnded = errors.New("gyr: the program has ended")
	// ErrBufferGone, wrapped by a [*BufferError], says that a buffer cannot be lent because it was
	// freed, or its instance was reset or closed.
	ErrBufferGone = errors.New("the buffer is gone: it was freed, or its instance was reset or closed")
	// ErrNotExports is returned by calls of an instance whose program was compiled without
	// [Source.Exports].
	ErrNotExports = errors.New("gyr: the program was compiled without Source.Exports")
)
