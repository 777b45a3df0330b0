package gyr

import (
	"context"
	"fmt"
)

// A Migration says how data goes from an instance of one program to an instance of another.
type Migration struct {
	Export string // function of the one: its results, but for an error, are the arguments of Import
	Import string // function of the other
	Gas    int64  // most that both may use together; 0: no limit of their own
}

// A MigrateError says in which of the two functions a migration has failed.
type MigrateError struct {
	Func string // Export or Import of the [Migration]
	Err  error  // as [Instance.CallWith] or [Instance.Begin] returns it
}

func (e *MigrateError) Error() string { return fmt.Sprintf("gyr: Migrate: %s: %v", e.Func, e.Err) }
func (e *MigrateError) Unwrap() error { return e.Err }

// Migrate gives new code the state of old code whose types are others, as data that the old code exports and the new code imports: results and arguments cross as
// with [Instance.Call]. It happens as a whole or not at all. The export is a transaction of from that is rolled back, so from is in
// the end what it was, whatever happens; the import is a transaction of to that is committed if it goes well, and to is what it was if anything fails, with a [*MigrateError].
// No transaction may be open in either instance. It returns the gas that was used.
//
// Instances that were equal before are equal behind it. The host then drops from and goes on with to, see [Instance.State].
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
			in.Rollback() // refused if the call has done it
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
