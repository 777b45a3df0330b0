// Package budget sets the limits for compiling one program.
//
// The limits are counted in units of source and of IR, never in bytes of the host or in time, so
// that every machine refuses the same source with the same error. They exist because parts of a
// compilation cannot be interrupted: go/parser, go/types and go/ssa watch no context, and a
// goroutine whose stack overflows ends the process. Package bounds bounds their work from the
// source before they are called; our own stages count their work as they do it.
package budget

import (
	"fmt"
	"reflect"

	"github.com/gyrvm/gyr/api"
)

// Filled returns the limits with the defaults in place of zeros, or an error for a
// negative one.
func Filled(l api.Limits) (api.Limits, error) {
	v, d := reflect.ValueOf(&l).Elem(), reflect.ValueOf(api.DefaultLimits())
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Int() < 0:
			return l, fmt.Errorf("Limits.%s is %d: a limit cannot be negative", v.Type().Field(i).Name, f.Int())
		case f.Int() == 0:
			f.SetInt(d.Field(i).Int())
		}
	}
	return l, nil
}

// Huge is more than any limit. Sums and products of counts stop there.
const Huge = 1 << 60

// Add and Mul are the sum and the product, at most Huge, of numbers that are not negative.
func Add(a, b int64) int64 {
	if a > Huge-b {
		return Huge
	}
	return a + b
}

func Mul(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	if a > Huge/b {
		return Huge
	}
	return a * b
}
