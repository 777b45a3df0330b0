package gyr

import (
	"context"
	"fmt"
)

// A Migration describes how data goes from an instance of one program to an instance of another.
type Migration struct {
	Export string // function of the old program; its results, without an error, are the arguments of Import
	Import string // function of the new program
	Gas    int64  // limit for both functions together; 0: no limit of their own
}

// A MigrateError says which of the two functions of a migration failed.
type MigrateError struct {
	Func string // Export or Import of the [Migration]
	Err  error  // the error of [Instance.CallWith] or [Instance.Begin]
}

func (e *MigrateError) Error() string { return fmt.Sprintf("gyr: Migrate: %s: %v", e.Func, e.Err) }
func (e *MigrateError) Unwrap() error { return e.Err }

// Migrate transfers the state of old code to new code whose types differ. The old code exports the
// state as data and the new code imports it; results and arguments cross as with [Instance.Call].
// The migration happens as a whole or not at all. The export is a transaction of from that is
// rolled back, so from ends unchanged, whatever happens. The import is a transaction of to that is
// committed if it succeeds. If anything fails, to is unchanged and the error is a [*MigrateError].
// Neither instance may have an open transaction. Migrate returns the gas that was used.
//
// Instances that were equal before are equal afterwards. The host then drops from and goes on with
// to, see [Instance.State].
func Migrate(ctx context.Context, from, to *Instance, m Migration) (gas int64, err error) {
	var data []any
	step := func(in *Instance, name string, end func() error) error {
		fail := func(err error) error { return &MigrateError{name, err} }
		limit := CallOptions{}
		if m.Gas > 0 {
			limit.Gas = max(1, m.Gas-gas)
		}
		if err := in.Begin(ctx); err != nil {
			return fail(err)
		}
		results, stats, err := in.CallWith(ctx, limit, name, data...)
		gas += stats.Gas
		if err != nil {
			in.Rollback() // refused if the call has rolled back already
			return fail(err)
		}
		data = results
		if err := end(); err != nil {
			return fail(err)
		}
		return nil
	}
	if err := step(from, m.Export, from.Rollback); err != nil {
		return gas, err
	}
	return gas, step(to, m.Import, to.Commit)
}
