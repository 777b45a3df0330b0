package rt

import (
	"errors"

	"math"

	"github.com/gyrvm/gyr/api"
)

// Limits of one call.
//
// They add to those of the instance: the first one reached ends the run. A limit that is not
// reached changes nothing that the guest does, nor its figures.

// CheckCall returns a [*api.ConfigError] if the limits are invalid.
func CheckCall(l *api.CallOptions) error {
	switch {
	case l.Gas < 0:
		return &api.ConfigError{Field: "CallOptions.Gas", Err: errNegative}
	case l.Timeout < 0:
		return &api.ConfigError{Field: "CallOptions.Timeout", Err: errNegative}
	}
	return nil
}

var errNegative = errors.New("it is negative")

// limits are the limits of the current call that are below those of the instance; 0: none.
type limits struct {
	gas    int64
	memory uint64
}

// Limit sets the limits of gas and memory for the next call, until Unlimit.
func (vm *VM) Limit(l api.CallOptions) {
	if l.Gas > 0 && vm.Exec.LimitGas(l.Gas) {
		vm.limits.gas = l.Gas
	}
	if l.Memory > 0 {
		vm.limits.memory = l.Memory
		vm.Heap.Bound(l.Memory)
	}
}

// Unlimit ends what Limit began.
func (vm *VM) Unlimit() {
	if vm.limits.gas > 0 {
		vm.Exec.LimitGas(math.MaxInt64)
	}
	vm.Heap.Unbound()
	vm.limits = limits{}
}
