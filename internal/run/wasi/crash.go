package wasi

import (
	"fmt"
	"runtime/debug"
)

// Readers and Writers that panic.
//
// That is neither the guest's fault, who could do nothing about it, nor the engine's. It ends the
// run, and nothing but the run.

// A HostPanicError says that a Reader or Writer of the host, its handler of log records, or a function of a host package panicked, which ended the run that called
// it and nothing else.
type HostPanicError struct {
	Method string // Read, Write, WriteTimed, Enabled or Handle; or the name of a function
	Value  any    // of the panic
	Stack  []byte // of the goroutine that panicked, as runtime/debug.Stack prints it
}

func (e *HostPanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.Method, e.Value) }

// Unwrap returns the value of the panic if it is an error.
func (e *HostPanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// recovered is deferred around calls of a stream's method. It notes a panic in s.crash, for crashed.
func (s *System) recovered(method string) {
	if r := recover(); r != nil {
		s.crash = &HostPanicError{method, r, debug.Stack()}
	}
}

// crashed ends the run, after Host.Block: until then another goroutine may end it.
func (s *System) crashed(stream string) Errno { return s.crashedIn("Config." + stream) }

// crashedIn is crashed for any code of the host: what says which.
func (s *System) crashedIn(what string) Errno {
	s.host.Fail(what, s.crash)
	return Interrupted
}
