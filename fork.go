package gyr

import "context"

// Fork makes a second instance from the present of this one, between two calls: with the same memory,
// files, clock, random numbers and gas used. Both go on alone. Until they do something different
// they have equal states and roots. A fork may be forked, and there may be any number of them, for
// speculation, for queries while the instance goes on, and for tests. What an instance and its forks
// do afterwards may run at the same time.
//
// On Linux instances share pages until they write to them. Fork takes time for the pages that the
// instance has written to since the last image of it was made: it copies them or, when that is
// cheaper over several forks, makes a new image. docs/state.md has figures. Where the system cannot
// share pages, Fork copies all, and Stats().Began says so. An instance that was forked keeps a copy
// of the pages that it has written to, as after Begin.
//
// The program's packages are initialised if no call has done so. Fork fails with a
// [*TransactionError] for the reasons of [Instance.Begin], while a transaction is open, and while the
// guest holds handles; with a [*ConfigError] that names a field of the ForkConfig; with [ErrBusy]
// during a call, also if a function of the host calls it; with [ErrClosed] and [ErrEnded] as other
// methods do. The instance is unchanged then.
func (in *Instance) Fork(ctx context.Context, cfg ForkConfig) (*Instance, error) {
	fork, err := in.engine().Fork(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Instance{e: fork}, nil
}
