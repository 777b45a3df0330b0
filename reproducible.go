package gyr

import "errors"

// Reproducible reports whether err, returned by a run, a call or Compile, follows from the program and what was asked of it alone: its
// source, its Config and the calls before. Every instance to which the same was done in the same order returns it then, in
// any tier and on any machine. A service that replicates instances takes such an error for the result of the call, and every other
// one (the end of a context, a closed or busy instance, a failure of the host or of gyr) for a trouble of this process. It is true
// for nil.
//
// It knows nothing of what a host adds: with real time or randomness, a network, readers, or functions of host packages that are not
// [HostFunc.Deterministic], no result is reproducible, and no error. What such a function ends the run with (EndRun) is a [*HostError], and counts as
// the host's.
func Reproducible(err error) bool {
	outcome := err == nil
	for err != nil {
		switch e := err.(type) {
		case *GuestError, *CallError, *ConfigError, *OutOfGasError, *MemoryLimitError, *StackLimitError, *OutputLimitError, *MemoryFaultError,
			*ReadOnlyError, *PanicError, *ExitError, *CompileError, *CompileLimitError:
			outcome = true
		case *HostError, *HostPanicError, *DeadlineError, *InternalError:
			return false
		case interface{ Unwrap() []error }:
			for _, inner := range e.Unwrap() {
				if !Reproducible(inner) {
					return false
				}
			}
			return true
		}
		outcome = outcome || err == ErrEnded
		err = errors.Unwrap(err)
	}
	return outcome
}
