package gyr

import "errors"

// Reproducible reports whether err, returned by a run, a call or Compile, follows only from the
// program and its inputs: its source, its Config and the calls before. Then every instance with the
// same history returns the same error, in any tier and on any machine. A service that replicates
// instances takes such an error for the result of the call. It takes every other one (the end of a
// context, a closed or busy instance, a failure of the host or of gyr) for a problem of this
// process. Reproducible is true for nil.
//
// It does not know what the host adds. With real time or randomness, a network, readers, or
// functions of host packages that are not [HostFunc.Deterministic], neither results nor errors are
// reproducible. An error of such a function that ends the run (EndRun) is a [*HostError], and
// counts as the host's.
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
