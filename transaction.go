package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// Begin begins a transaction: [Instance.Rollback] can undo as a whole what calls change from now
// on. Begin initialises the program's packages if no call has done so. A call that ends the program
// (out of gas, a panic, any other limit, the end of its context, os.Exit) rolls the transaction
// back by itself and leaves the instance ready for the next call. After an error that a function
// returns, the host decides.
//
// Begin takes time for the memory that was written to since the last Begin. The first one copies
// the instance's own memory, and keeps the copy: transactions take twice the memory.
//
// It fails with a [*TransactionError], and changes nothing, if a transaction is open. It also fails
// while the instance has something that no copy of memory can bring back: goroutines other than the
// one that waits for calls and idle ones of the runtime, open files, lent buffers, a call of a
// function of the host that has not returned, a network, the machine's clock or random numbers, a
// profile.
func (in *Instance) Begin(ctx context.Context) error { return in.engine().Begin(ctx) }

// Quiescent says what would keep the instance from the next transaction, if the present one were
// committed: Begin would fail with this [*TransactionError]. It is nil if nothing would. So a host that
// keeps what several instances have done, or nothing of it, asks all of them before it commits any. Like
// Begin, it initialises the program's packages if no call has done so.
func (in *Instance) Quiescent(ctx context.Context) error { return in.engine().Quiescent(ctx) }

// Commit ends the transaction and keeps its changes, also those of an instance that is not
// [Instance.Quiescent]. It fails with a [*TransactionError] if none is
// open, for instance because a call has rolled it back.
func (in *Instance) Commit() error { return in.engine().Commit() }

// Rollback ends the transaction and restores the state at its beginning: memory, random numbers,
// the clock, the guest's own files, figures of the heap. Files that were opened since are closed.
// Then it calls the functions that functions of the host have registered with [Undo], the last one
// first. Other effects outside of the instance stay, such as output. Gas that was used counts in
// Stats; neither it nor the output counts against the limits of the instance any more.
//
// It takes time for the memory that was written to since Begin, and fails with a
// [*TransactionError] if no transaction is open. If functions of Undo panic, the others are still
// called, and the instance is still rolled back. The error has a [*HostError] for each panic, which
// wraps a [*HostPanicError] with the name of the function.
func (in *Instance) Rollback() error { return in.engine().Rollback() }

// Undo registers f to be called if the current transaction is not committed: by
// [Instance.Rollback], by the call that rolls the transaction back, or by [Instance.Reset] or
// [Instance.Close] while it is open. ctx is the context that the running function of the host got.
// Undo reports false, and does nothing, if no transaction is open. A function of the host calls
// Undo before it returns, on the goroutine that it was called on. f must not use the instance,
// whose methods fail with [ErrBusy] meanwhile. Undo of a nil function panics.
func Undo(ctx context.Context, f func()) bool { return rt.Undo(ctx, f) }
