package engine

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/gyrvm/gyr/internal/run/rt"
)

// Who may use an Instance, and when.
//
// One word says what state an Instance is in and whether somebody is using it. A method takes
// the instance (take), which fails with ErrBusy while somebody else has it, works with
// the other fields, and puts the instance back (put) in its next state. No other
// lock guards those fields, and nobody ever waits for an instance but Close, for at most closeWait.
//
//	state        means                 Run              Call, Bind, FuncOf, Func.Call  Reset      Close
//	stateFresh   made or reset         ended, failed;   ready, ended, failed           fresh      closed
//	                                   library: ready
//	stateReady   waits for calls       nil              ready, ended, failed           fresh      closed
//	stateEnded   by its exit status    ErrEnded         ErrEnded                       fresh      closed
//	stateFailed  a limit, an error of  ErrEnded         ErrEnded                       fresh      closed
//	             the host, a Goexit
//	stateClosed  nothing is left       ErrClosed        ErrClosed                      ErrClosed  nil
//
// What fails with one of these errors, or because of its arguments, changes no state; nor does what
// only reads: Stats, Hints, Traceback, Coverage, WriteProfile, WriteOpStats. WriteProfile and
// WriteOpStats are ErrClosed in stateClosed.
//
// While the flag busy is set everything but Close is ErrBusy. Close then adds the flag closing, from
// when on everything is ErrClosed, and asks for the end of the run; who has the instance closes it
// when putting it back. So memory is never taken from under a run, and a Close by the run's
// own Writer, which has no other goroutine to wait for, is like any other.
const (
	stateClosed = iota // the zero Instance is a closed one
	stateFresh
	stateReady
	stateEnded
	stateFailed

	busy    = 1 << 3 // flag: somebody has the instance
	closing = 1 << 4 // flag: and closes it in the end
)

// closeWait is how long Close waits for who has the instance. A run that polls ends in less than
// a millisecond.
const closeWait = 5 * time.Millisecond

// take makes the caller the one who has the instance, and returns its state.
func (in *Instance) take() (state uint32, err error) {
	if in == nil {
		return 0, ErrClosed
	}
	for {
		switch w := in.state.Load(); {
		case w == stateClosed || w&closing != 0:
			return 0, ErrClosed
		case w&busy != 0:
			return 0, ErrBusy
		case in.state.CompareAndSwap(w, w|busy):
			return w, nil
		}
	}
}

// put ends what take began, in the state was. It reports whether somebody has called Close
// meanwhile: the instance is closed then.
func (in *Instance) put(was, next uint32) (shut bool) {
	if in.state.CompareAndSwap(was|busy, next) {
		return false
	}
	in.shut()
	return true
}

// shut gives everything back. The caller has the instance, and the flag closing is set.
func (in *Instance) shut() {
	in.stats = in.figures()
	in.closeErr = in.drop()
	in.engine = engine{}
	in.state.Store(stateClosed)
	if disk := in.prog.disk; disk != nil {
		disk.save(in.prog) // in vain at worst: it is compiled again the next time
	}
}

// drop gives the virtual machine back. A call of the host's code that the run has left behind
// keeps its memory until it returns.
func (in *Instance) drop() error {
	if left := in.vm.LeftBehind(); left != nil {
		in.left = append(in.left, left)
	}
	return in.vm.Close()
}

// errHeld is the error of a Close that could not give everything back at once.
var errHeld = fmt.Errorf("gyr: the instance is closed, and its memory is given back when the Reader or Writer returns that is being called: %w", ErrBusy)

// Close ends the run, if there is one, and gives the instance's memory and files back. Any goroutine may
// call it at any time, more than once. From then on all other methods
// fail with [ErrClosed], and so does the call that is running.
//
// Close returns nil when everything has been given back. It does not wait for code of the host: while a
// Reader or Writer of the instance is being called, even if that is who calls Close, the error is one that
// [errors.Is] ErrBusy, after at most 10 ms. The instance is closed all the same: no further call
// of its Readers and Writers begins, and when the one that is being made returns the memory goes.
//
// An instance that is not closed is given back when nobody can reach it any more.
func (in *Instance) Close() error {
	if in == nil {
		return nil
	}
	for {
		switch w := in.state.Load(); {
		case w == stateClosed:
			return in.closeResult()
		case w&busy == 0:
			if in.state.CompareAndSwap(w, busy|closing) {
				in.shut()
				return in.closeResult()
			}
		case w&closing != 0 || in.state.CompareAndSwap(w, w|closing):
			in.stop.Ask()
			return in.awaitClosed()
		}
	}
}

// awaitClosed waits for who has the instance, for closeWait.
func (in *Instance) awaitClosed() error {
	began := time.Now()
	for n := 0; in.state.Load() != stateClosed; n++ {
		switch {
		case time.Since(began) > closeWait:
			return errHeld
		case n < 10:
			runtime.Gosched()
		default:
			time.Sleep(100 * time.Microsecond)
		}
	}
	return in.closeResult()
}

// closeResult is what Close returns for a closed instance.
func (in *Instance) closeResult() error {
	for _, left := range in.left {
		select {
		case <-left:
		default:
			return errHeld
		}
	}
	return in.closeErr
}

// asClosed makes ErrClosed of the error of a run that ended because of Close.
func asClosed(err error) error {
	if d := (*rt.DeadlineError)(nil); errors.As(err, &d) && d.Err == rt.ErrStopped {
		return ErrClosed
	}
	return err
}
