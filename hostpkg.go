package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
)

// HostStubs returns a package as Go source with bodies that panic, for the go command and for editors. Only its Path and
// Source count. An error is a [*HostPackageError].
func HostStubs(h HostPackage) ([]byte, error) { return engine.HostStubs(h.Path, h.Source) }

// Fast makes a function for HostPackage.Funcs of one over two structs, whose exported fields are, in order, the parameters and the results
// without an error at the end. Calls use no reflection, and for numbers, booleans, strings they make no Go allocation
// beside the contents, and none with [HostFunc].Borrows. f must not keep the pointers: the structs are used again. Results are zero when f is called.
//
//	"Price": gyr.Fast(func(ctx context.Context, a *struct{ Item string; Count int }, r *struct{ Total int }) error {
//		r.Total = prices[a.Item] * a.Count
//		return nil
//	}),
func Fast[A, R any](f func(ctx context.Context, args *A, results *R) error) any {
	return engine.Fast(f)
}
