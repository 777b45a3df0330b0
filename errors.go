package gyr

import (
	"errors"

	"github.com/gyrvm/gyr/api"
)

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

// Kind says in one word what err, the result of a run, a call or any other function of package gyr,
// is: for metrics and switches. What ended the program goes before its consequences, as in an
// [EndedError]. Of joined errors the first counts. These words do not change:
//
//	ok           nil
//	guest        the guest's function returned an error
//	exit, panic  the program ended itself
//	gas, memory, stack, output        a limit ended it
//	deadline, canceled                its context or CallOptions.Timeout did
//	fault, readonly                   it used memory that it must not
//	host         a function, a reader or a writer of the host failed
//	ended        the program had ended before, with exit status 0
//	busy, closed the instance, or the pool, was in use or closed
//	call, config, buffer, transaction a method was used wrongly
//	state        a state was refused, or does not fit
//	compile      the program does not compile
//	limit        compiling it takes more than is allowed
//	image, std, go                    an image, a std file, a Go installation cannot be used
//	hostpackage  a host package is declared wrongly
//	internal     a bug of gyr
//	other        none of these
func Kind(err error) string { return api.Kind(err) }
