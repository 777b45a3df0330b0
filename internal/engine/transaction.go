package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/state"
)

// A history belongs to an instance that has begun a transaction: the state at the last Begin, and
// the means to find what has changed since.
type history struct {
	moment *rt.Moment
	image  exec.Waiting
	open   bool // a transaction is open

	// present says that nothing has changed since the moment was taken or gone back to. take makes it
	// false, for whatever its caller does, and was what it was.
	present, was bool

	undone error // the error for which a call rolled the last one back

	tree  state.Tree   // tree of the last State
	pages []state.Page // scratch
}

// tracker finds what instances of the program have written to; nil: the system has no means for
// that.
func (p *Program) tracker() *memory.Tracker {
	p.tracks.Do(func() { p.tracked, _ = memory.NewTracker() })
	return p.tracked
}

// quiescent fails if the instance has something that no copy of memory can bring back. op is the
// method that asks.
func (u *use) quiescent(op string) error {
	why := "the instance is observed"
	if u.cfg.plain() {
		if id := u.m.Other(); id != 0 {
			why = "the guest has other goroutines than the one that waits for a call" + u.whose(id)
		} else {
			why = string(u.vm.Refusal())
		}
	}
	if why == "" {
		return nil
	}
	return &api.TransactionError{Op: op, Reason: why}
}

// remember makes the present state that of the instance's history. op is the method that needs it.
func (u *use) remember(op string) error {
	refused := func(why string) error { return &api.TransactionError{Op: op, Reason: why} }
	if err := u.quiescent(op); err != nil {
		return err
	}
	h, err := u.history()
	if err != nil {
		return err
	}
	if err := h.moment.Take(); err != nil {
		if why := rt.Refusal(""); errors.As(err, &why) {
			return refused(string(why))
		}
		return err
	}
	image, ok := u.m.Image(h.image)
	h.image = nil
	if !ok {
		return refused("the machine does not wait")
	}
	h.image = image
	return nil
}

// history returns the instance's history, and makes it at the first call.
func (u *use) history() (*history, error) {
	if u.past == nil {
		m, err := u.vm.NewMoment(u.prog.tracker())
		if err != nil {
			return nil, err
		}
		u.past = &history{moment: m}
	}
	return u.past, nil
}

// whose describes the goroutine with an execution stack, as the end of a sentence.
func (u *use) whose(stack uint32) string {
	pcs := make([]uint64, 64)
	where := ""
	for _, pc := range pcs[:u.m.Callers(stack, 0, pcs)] {
		switch p := u.vm.PositionOf(pc); {
		case p.Func == "runtime.runFinalizers" || p.Func == "runtime.runCleanups":
			return ": the runtime's is in the midst of a finalizer or cleanup" + where
		case where == "" && !strings.HasPrefix(p.Func, "runtime."):
			where = ", in " + p.String()
		}
	}
	return where
}

// Begin begins a transaction: what calls change from now on can be undone as a whole. It
// initialises the program's packages if no call has done so. A call that ends the program, by a
// limit, a panic, its context or os.Exit, rolls the transaction back and leaves the instance ready
// for the next one; an error that a function returns does not.
//
// Begin takes time for the memory that was written to since the last Begin. The first one of an
// instance copies the instance's own memory, and keeps the copy.
//
// It fails with a [*api.TransactionError] if a transaction is open, or if the instance has
// something that no copy of memory can bring back: goroutines other than the one that waits for
// calls, open files, lent buffers, a call of a function of the host that has not returned, a
// network, the machine's clock or random numbers, profiles.
func (in *Instance) Begin(ctx context.Context) (err error) {
	u, err := in.use()
	if err != nil {
		return err
	}
	defer u.over(&err)
	if h := u.past; h != nil && h.open {
		return &api.TransactionError{Op: "Begin", Reason: "a transaction is open"}
	}
	if err := u.begin(ctx); err != nil {
		return err
	}
	if err := u.remember("Begin"); err != nil {
		return err
	}
	u.past.open, u.past.undone = true, nil
	u.vm.Undoable(true)
	return nil
}

// Quiescent fails with the [*api.TransactionError] with which Begin would if no transaction were open.
func (in *Instance) Quiescent(ctx context.Context) (err error) {
	u, err := in.use()
	if err != nil {
		return err
	}
	defer u.over(&err)
	if err := u.begin(ctx); err != nil {
		return err
	}
	return u.quiescent("Quiescent")
}

// transaction returns the history of an instance with an open transaction.
func (u *use) transaction(op string) (*history, error) {
	h := u.past
	switch {
	case h == nil || !h.open && h.undone == nil:
		return nil, &api.TransactionError{Op: op, Reason: "no transaction is open"}
	case !h.open:
		return nil, &api.TransactionError{Op: op, Reason: "no transaction is open, the last one was rolled back", Err: h.undone}
	}
	return h, nil
}

// Commit ends the transaction and keeps its changes. It fails with a [*api.TransactionError] if
// none is open, for instance because a call has rolled it back.
func (in *Instance) Commit() (err error) {
	u, err := in.use()
	if err != nil {
		return err
	}
	defer u.over(&err)
	h, err := u.transaction("Commit")
	if err != nil {
		return err
	}
	h.open = false
	u.vm.Undoable(false)
	return nil
}

// Rollback ends the transaction and restores the state at its beginning: memory, random numbers,
// the clock, the tree of files, figures of the heap. Files that were opened since are closed. Then
// it calls the functions that host functions have registered with [Undo], the last one first. Gas
// that was used stays in the figures, and counts against no limit.
//
// It takes time for the memory that was written to since Begin. If a registered function panics,
// the error has a [*api.HostError] for it; the others are still called, and the instance is ready.
func (in *Instance) Rollback() (err error) {
	u, err := in.use()
	if err != nil {
		return err
	}
	defer u.over(&err)
	h, err := u.transaction("Rollback")
	if err != nil {
		return err
	}
	return u.goBack(h, nil)
}

// goBack restores the instance to the beginning of its transaction. why is the error of a call that
// rolls back by itself, or nil.
func (u *use) goBack(h *history, why error) error {
	h.open, h.undone = false, why
	used, limit := u.m.GasUsed(), u.m.GasLimit()
	u.next = stateFailed
	err := h.moment.Back()
	if err == nil {
		u.m, _, err = u.prog.machine(u.vm, &u.cfg, u.m)
	}
	if err != nil {
		u.broken, u.cause = true, fmt.Errorf("gyr: Rollback: %w", err)
		return errors.Join(u.cause, u.vm.Undo())
	}
	u.m.AddGas(limit - u.m.GasLimit()) // what AddGas added stays
	u.m.Resume(h.image)
	u.m.Burn(used - u.m.GasUsed())
	u.next, u.cause = stateReady, nil
	return u.vm.Undo() // last: by then the instance is restored, whatever the host's functions do
}

// rescue rolls back the transaction of a call that has ended the program. The instance has begun
// one before: past is not nil.
func (u *use) rescue(err *error) {
	if h := u.past; h.open && (u.next == stateFailed || u.next == stateEnded) {
		why := *err
		if why == nil {
			why = api.ErrEnded // by os.Exit(0)
		}
		if e := u.goBack(h, why); e != nil {
			*err = errors.Join(*err, e)
		}
	}
}

// forgetPast releases the memory of transactions. If one is open, its changes are dropped with it,
// and the result is the virtual machine whose [rt.VM.Undo] is due, else nil.
func (in *Instance) forgetPast() (due *rt.VM) {
	if in.past == nil {
		return nil
	}
	if in.past.open {
		due = in.vm
	}
	in.past.moment.Release()
	in.past = nil
	return due
}
