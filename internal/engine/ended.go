package engine

import (
	"github.com/gyrvm/gyr/api"
)

// An EndedError is ErrEnded with the reason.
type EndedError struct {
	Cause error // what the run or call returned that ended the program
}

func (e *EndedError) Error() string        { return api.ErrEnded.Error() + ": " + e.Cause.Error() }
func (e *EndedError) Is(target error) bool { return target == api.ErrEnded }
func (e *EndedError) Unwrap() error        { return e.Cause }

// ended is the error of a method that needs a program that has not ended.
func (in *Instance) ended() error {
	if in.cause == nil {
		return api.ErrEnded
	}
	return &EndedError{in.cause}
}
