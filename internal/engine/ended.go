package engine

import (
	"github.com/gyrvm/gyr/api"
)

// ended returns the error of a method that needs a running program.
func (in *Instance) ended() error {
	if in.cause == nil {
		return api.ErrEnded
	}
	return &api.EndedError{Cause: in.cause}
}
