package engine

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Who may use an Instance, and when.
//
// One word holds the state of an Instance and whether it is in use. A method takes the instance
// (take), which fails with ErrBusy while another caller has it, works with the other fields, and
// puts the instance back (put) in its next state. No other lock guards those fields, and only Close
// ever waits for an instance: until it is put back, or for closeWait if code of the host has it
// (rt.Stop.Where).
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
// A method that fails with one of these errors, or because of its arguments, changes no state. Nor
// do the methods that only read: Stats, Hints, Traceback, Coverage, WriteProfile, WriteOpStats.
// WriteProfile and WriteOpStats return ErrClosed in stateClosed.
//
// While the flag busy is set every method but Close returns ErrBusy. Close then adds the flag
// closing, which makes every method return ErrClosed, and asks the run to end; whoever has taken
// the instance closes it when putting it back. So memory is never taken from under a run, and a
// Close by the run's own Writer, which has no other goroutine to wait for, is like any other.
const (
	stateClosed = iota // the zero Instance is closed
	stateFresh
	stateReady
	stateEnded
	stateFailed

	busy    = 1 << 3 // flag: a caller has taken the instance
	closing = 1 << 4 // flag: that caller closes it when putting it back
)

// closeWait is how long Close waits for code of the host to return.
const closeWait = 5 * time.Millisecond

// A held is code of the host that still uses a part of a closed instance.
type held struct {
	until <-chan struct{} // closed when the code has returned
	what  string
}

// take gives the caller sole use of the instance, and returns its state.
func (in *Instance) take() (state uint32, err error) {
	if in == nil {
		return 0, api.ErrClosed
	}
	for {
		switch w := in.state.Load(); {
		case w == stateClosed || w&closing != 0:
			return 0, api.ErrClosed
		case w&busy != 0:
			return 0, api.ErrBusy
		case in.state.CompareAndSwap(w, w|busy):
			if h := in.past; h != nil {
				h.was, h.present = h.present, false
			}
			return w, nil
		}
	}
}

// put ends the use that take began in the state was. It reports whether Close was called meanwhile;
// the instance is closed then.
func (in *Instance) put(was, next uint32) (shut bool) {
	if in.state.CompareAndSwap(was|busy, next) {
		return false
	}
	in.shut()
	return true
}

// shut releases everything. The caller has taken the instance, and the flag closing is set.
func (in *Instance) shut() {
	in.stats = in.figures()
	due := in.forgetPast()
	in.closeErr = in.drop()
	in.engine = engine{}
	if due != nil {
		defer in.closed() // even if a function of the host ends the goroutine
		in.closeErr = errors.Join(in.closeErr, due.Undo())
		return
	}
	in.closed()
}

// closed is the end of shut.
func (in *Instance) closed() {
	in.state.Store(stateClosed)
	if disk := in.prog.disk; disk != nil {
		disk.save(in.prog) // after an error, which Program.Stats reports, the code is compiled again the next time
	}
	if l := in.prog.base; l != nil && l.base.auto {
		_ = l.base.Save() // likewise
	}
}

// drop releases the virtual machine. If the run has abandoned a call of the host's code, that call
// keeps the machine's memory until it returns; a call of a connection keeps only its goroutine.
func (in *Instance) drop() error {
	in.left = slices.DeleteFunc(in.left, held.over)
	if left := in.vm.LeftBehind(); left != nil {
		in.left = append(in.left, held{left, in.place()})
	}
	err := in.vm.Close()
	if done := in.vm.NetworkDone(); done != nil && !soon(done) {
		in.left = append(in.left, held{done, "a connection or listener of Config.Dial or Listen"})
	}
	return err
}

// place names the code of the host that uses the instance.
func (in *Instance) place() string { return rt.PlaceName(in.stop.Where(), in.prog.hostFuncs) }

func (h held) over() bool {
	select {
	case <-h.until:
		return true
	default:
		return false
	}
}

// soon waits, for at most closeWait, until a channel is closed, and reports whether it is.
func soon(done <-chan struct{}) bool {
	limit := time.NewTimer(closeWait)
	defer limit.Stop()
	select {
	case <-done:
		return true
	case <-limit.C:
		return false
	}
}

// errHeld returns the error of a Close that could not release everything at once.
func errHeld(what string) error {
	return fmt.Errorf("gyr: the instance is closed, and what is left of it is given back when %s returns: %w", what, api.ErrBusy)
}

// Close ends the run, if one is active, and releases the instance's memory and files. Any goroutine
// may call it at any time, more than once. From then on all other methods fail with
// [api.ErrClosed], and so does the active call.
//
// Close returns nil when everything has been released, and waits for a run to stop. It does not
// wait for code of the host, even if that code calls Close: after about 5 ms Close returns an error
// that is ErrBusy by [errors.Is] and names the code. The instance is closed all the same: no
// further call of its Readers, Writers and functions begins, and its memory is released when the
// active one returns.
//
// Close ends an open transaction and calls the functions that host functions have registered with
// [Undo], on the goroutine that closes: that of Close, or that of the active call. If one panics,
// its [*api.HostError] is joined to Close's result.
//
// An instance that is not closed is released after it has become unreachable.
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

// awaitClosed waits until the caller that has taken the instance closes it, unless code of the host
// keeps it for closeWait.
func (in *Instance) awaitClosed() error {
	at := in.stop.Where()
	since := time.Now()
	for n := 0; in.state.Load() != stateClosed; n++ {
		switch now := in.stop.Where(); {
		case now != at:
			at, since = now, time.Now()
		case at != wasi.InGuest && time.Since(since) > closeWait:
			return errHeld(rt.PlaceName(at, in.prog.hostFuncs))
		}
		if n < 10 {
			runtime.Gosched()
		} else {
			time.Sleep(100 * time.Microsecond)
		}
	}
	return in.closeResult()
}

// closeResult returns Close's result for a closed instance.
func (in *Instance) closeResult() error {
	for _, left := range in.left {
		if !left.over() {
			return errHeld(left.what)
		}
	}
	return in.closeErr
}

// asClosed turns the error of a run that ended because of Close into ErrClosed.
func asClosed(err error) error {
	if d := (*api.DeadlineError)(nil); errors.As(err, &d) && d.Err == rt.ErrStopped {
		return api.ErrClosed
	}
	return err
}
