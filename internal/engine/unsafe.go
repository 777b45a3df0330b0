package engine

import "github.com/gyrvm/gyr/internal/front/load"

// An UnsafePolicy says which packages of a program may import unsafe.
type UnsafePolicy = load.UnsafePolicy

// The policies.
const (
	UnsafeOff  = load.UnsafeOff
	UnsafeDeps = load.UnsafeDeps
	UnsafeAll  = load.UnsafeAll
)

// ParseUnsafe returns the policy with a name.
func ParseUnsafe(name string) (p UnsafePolicy, ok bool) {
	for i, s := range load.UnsafePolicies {
		if s == name {
			return UnsafePolicy(i), true
		}
	}
	return 0, false
}
