package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// Begin begins a transaction: what calls change from now on can be undone as a whole, with [Instance.Rollback]. It initialises the
// program's packages if no call has done so. A call that ends the program (out of gas, a panic, any other limit, the end of its
// context, os.Exit) rolls the transaction back by itself and leaves the instance ready for the next call; an error that
// a function returns is for the host to decide.
//
// Begin takes time for the memory that was written to since the last Begin. The first one of an instance copies the memory that the instance has of
// its own, and from then on there is such a copy: transactions take twice the memory.
//
// It fails with a [*TransactionError], and nothing has changed, if a transaction is open, and while there is something that no copy of memory can bring back:
// goroutines besides the one that waits for calls, unless they are the runtime's and have nothing to do, open files, lent buffers, a call of a function of the host that has not
// returned, a network, the machine's clock or random numbers, a profile.
func (in *Instance) Begin(ctx context.Context) error { return in.engine().Begin(ctx) }

// Commit ends the transaction and keeps what it has changed. It fails with a [*TransactionError] if none is open, also where a
// call has rolled it back.
func (in *Instance) Commit() error { return in.engine().Commit() }

// Rollback ends the transaction and brings back what was when it began: memory, random numbers, the clock, the guest's own files,
// figures of the heap. Files that were opened since are closed. Then the functions are called that functions of the host have registered with [Undo], the last one
// first; other effects outside of the instance stay, such as output. Gas that was used counts in Stats; neither it nor the output counts against the limits of
// the instance any more.
//
// It takes time for the memory that was written to since Begin, and fails with a [*TransactionError] if no transaction is open. If functions of Undo
// panic, the error has a [*HostError] for each, which wraps a [*HostPanicError] with the name of the function; the others are called, and the instance
// is what it was when the transaction began, all the same.
func (in *Instance) Rollback() error { return in.engine().Rollback() }

// Undo registers f, to be called if the transaction is not committed in which a function of the host runs that got ctx: by [Instance.Rollback], by the call
// that rolls the transaction back, or by [Instance.Reset] or [Instance.Close] while it is open. It
// reports false, and does nothing, if there is no transaction, or no longer. A function of the host calls Undo before it returns, on the goroutine that it was called on;
// f may not use the instance, whose methods fail with [ErrBusy] meanwhile. Undo of a nil function panics.
func Undo(ctx context.Context, f func()) bool { return rt.Undo(ctx, f) }
