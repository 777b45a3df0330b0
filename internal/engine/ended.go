package engine

import "errors"

// ErrEnded is returned by runs and calls of an instance whose program has ended, by itself or by a
// limit. Only Reset and Close are then of use. An error that errors.Is ErrEnded unwraps to what ended the program, unless that
// was exit status 0.
var ErrEnded = errors.New("gyr: the program has ended")

// An EndedError is ErrEnded with the reason.
type EndedError struct {
	Cause error // what the run or call returned that ended the program
}

func (e *EndedError) Error() string        { return ErrEnded.Error() + ": " + e.Cause.Error() }
func (e *EndedError) Is(target error) bool { return target == ErrEnded }
func (e *EndedError) Unwrap() error        { return e.Cause }

// ended is the error of a method that needs a program that has not ended.
func (in *Instance) ended() error {
	if in.cause == nil {
		return ErrEnded
	}
	return &EndedError{in.cause}
}
