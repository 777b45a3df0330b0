// Package budget sets the limits for compiling one program.
//
// The limits are counted in units of source and of IR, never in bytes of the host or in time, so
// that every machine refuses the same source with the same error. They exist because parts of a
// compilation cannot be interrupted: go/parser, go/types and go/ssa watch no context, and a
// goroutine whose stack overflows ends the process. Package bounds bounds their work from the
// source before they are called; our own stages count their work as they do it. They count the
// program's own packages and those of modules apart: see [Account].
package budget

import (
	"fmt"
	"reflect"

	"github.com/gyrvm/gyr/api"
)

// Filled returns the limits with the defaults in place of zeros, or an error for a
// negative one.
func Filled(l api.Limits) (api.Limits, error) {
	err := fill("Limits.", reflect.ValueOf(&l).Elem(), reflect.ValueOf(api.DefaultLimits()))
	return l, err
}

// fill sets the zeros of v to the values of d.
func fill(prefix string, v, d reflect.Value) error {
	for i := range v.NumField() {
		name, f := prefix+v.Type().Field(i).Name, v.Field(i)
		switch {
		case f.Kind() == reflect.Struct:
			if err := fill(name+".", f, d.Field(i)); err != nil {
				return err
			}
		case f.Int() < 0:
			return fmt.Errorf("%s is %d: a limit cannot be negative", name, f.Int())
		case f.Int() == 0:
			f.SetInt(d.Field(i).Int())
		}
	}
	return nil
}

// An Account says whose packages a limit counts.
type Account uint8

const (
	Own      Account = iota // the program's own packages
	Modules                 // packages of the module cache and of the host
	Accounts                // how many there are
)

// Of returns the limits for the packages of an account, in the fields of Limits itself.
func (a Account) Of(l api.Limits) api.Limits {
	if m := l.Modules; a == Modules {
		l.SourceBytes, l.EmbedBytes, l.Nesting, l.CheckWork = m.SourceBytes, m.EmbedBytes, m.Nesting, m.CheckWork
		l.Instances, l.Functions, l.Operations = m.Instances, m.Functions, m.Operations
	}
	return l
}

// Field returns the field of Limits that holds a limit for the packages of an account:
// "Modules.CheckWork".
func (a Account) Field(limit string) string {
	if _, ok := reflect.TypeFor[api.ModuleLimits]().FieldByName(limit); ok && a == Modules {
		return "Modules." + limit
	}
	return limit
}

// Max raises the fields of a, those of Modules apart, to those of b.
func Max(a, b *api.Limits) {
	va, vb := reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem()
	for i := range va.NumField() {
		if f := va.Field(i); f.Kind() == reflect.Int64 {
			f.SetInt(max(f.Int(), vb.Field(i).Int()))
		}
	}
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
