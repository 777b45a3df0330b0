package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
)

// HostStubs returns a package as Go source with bodies that panic, for the go command and for
// editors. It uses only Path and Source. An error is a [*HostPackageError].
func HostStubs(h HostPackage) ([]byte, error) { return engine.HostStubs(h.Path, h.Source) }

// Fast makes a function for HostPackage.Funcs out of a function over two structs. Their exported
// fields are, in order, the parameters and the results without a final error. Calls use no
// reflection. For numbers, booleans and strings they make no Go allocation except for the contents,
// and none with [HostFunc].Borrows. f must not keep the pointers, because the structs are reused.
// Results are zero when f is called.
//
//	"Price": gyr.Fast(func(ctx context.Context, a *struct{ Item string; Count int }, r *struct{ Total int }) error {
//		r.Total = prices[a.Item] * a.Count
//		return nil
//	}),
func Fast[A, R any](f func(ctx context.Context, args *A, results *R) error) any {
	return engine.Fast(f)
}
