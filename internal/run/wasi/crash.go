package wasi

import (
	"fmt"
	"io"
	"runtime/debug"
	"time"
)

// Readers and Writers that panic.
//
// That is neither the guest's fault, who could do nothing about it, nor the engine's. It ends the
// run, and nothing but the run.

// A PanicError says that a Reader or Writer of the host, or its handler of log records, panicked, which ended the run
// that called it and nothing else.
type PanicError struct {
	Method string // Read, Write, WriteTimed, Enabled or Handle
	Value  any    // of the panic
	Stack  []byte // of the goroutine that panicked, as runtime/debug.Stack prints it
}

func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.Method, e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// callReader and callWriter stand between Host.Enter and Host.Leave. They note a panic in s.crash,
// for crashed.
func (s *System) callReader(r io.Reader, p []byte) (int, error) {
	defer s.recovered("Read")
	return r.Read(p)
}

func (s *System) callWriter(o *output, p []byte, at time.Time) (int, error) {
	if o.timed != nil {
		defer s.recovered("WriteTimed")
		return o.timed.WriteTimed(p, at)
	}
	defer s.recovered("Write")
	return o.w.Write(p)
}

// recovered is deferred around calls of a stream's method.
func (s *System) recovered(method string) {
	if r := recover(); r != nil {
		s.crash = &PanicError{method, r, debug.Stack()}
	}
}

// crashed ends the run, behind Host.Leave: until then it may be somebody else's to end.
func (s *System) crashed(stream string) Errno { return s.crashedIn("Config." + stream) }

// crashedIn is crashed for any code of the host: what says which.
func (s *System) crashedIn(what string) Errno {
	s.host.Fail(what, s.crash)
	return Interrupted
}
