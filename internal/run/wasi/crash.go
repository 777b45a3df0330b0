package wasi

import (
	"runtime/debug"

	"github.com/gyrvm/gyr/api"
)

// Readers and Writers that panic.
//
// Neither the guest nor the engine is at fault, and the guest could do nothing about it. The panic
// ends the run, and nothing but the run.

// recovered is deferred around calls of a stream's method. It records a panic in s.crash, for
// crashed.
func (s *System) recovered(method string) {
	if r := recover(); r != nil {
		s.crash = &api.HostPanicError{Method: method, Value: r, Stack: debug.Stack()}
	}
}

// crashed ends the run, after Host.Block: until then another goroutine may end it.
func (s *System) crashed(stream string) Errno { return s.crashedIn("Config." + stream) }

// crashedIn is crashed for any code of the host; what names that code.
func (s *System) crashedIn(what string) Errno {
	s.host.Fail(what, s.crash)
	return Interrupted
}
