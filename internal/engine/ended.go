package engine

import (
	"github.com/gyrvm/gyr/api"
)

// ended is the error of a method that needs a program that has not ended.
func (in *Instance) ended() error {
	if in.cause == nil {
		return api.ErrEnded
	}
	return &api.EndedError{Cause: in.cause}
}
