package gyr

import (
	"context"
	"io"

	"github.com/gyrvm/gyr/internal/engine"
)

// An Instance is one run of a program: its memory, goroutines and files. One
// goroutine at a time may use it, as one may a variable, but nothing breaks when two do: while a method
// runs every other one fails with [ErrBusy] and changes nothing, be it called by another goroutine
// or by a Reader or Writer that the run calls. Methods without an error say nothing then.
// [Instance.Close] alone may be called at any time.
//
// After a run has ended, by itself or by an error, the instance takes [Instance.Reset] and Close, and
// tells about the run; anything else is [ErrEnded].
type Instance struct{ e *engine.Instance }

// engine is the instance as the engine has it. A nil or zero Instance is a closed one.
func (in *Instance) engine() *engine.Instance {
	if in == nil {
		return nil
	}
	return in.e
}

// Run runs the program to its end. It returns nil for exit status 0; see the
// package comment for the errors. A program compiled with [Source.Exports] has no
// main function: Run initialises its packages, and calls may follow. A canceled or expired context ends the run
// with a DeadlineError within about a millisecond. A nil context never ends it.
//
// A Reader or Writer that panics ends the run with a [*HostError] that wraps a [*HostPanicError]; one that calls
// [runtime.Goexit] ends the goroutine that called Run. Either way the run is over.
func (in *Instance) Run(ctx context.Context) error { return in.engine().Run(ctx) }

// Reset makes the instance one that [Program.NewInstance] has just returned: what
// the guest did to its memory is gone, limits and figures start anew. If it fails the instance is as
// before. An open transaction ends as by [Instance.Close]; a function of [Undo] that panics does not keep the instance from being
// reset, and its [*HostError] is returned. Functions of [Instance.Bind] and [FuncOf] stay good.
func (in *Instance) Reset(cfg Config) error {
	c, err := engine.ConfigOf(cfg)
	if err != nil {
		return err
	}
	return in.engine().Reset(c)
}

// Close ends the run, if there is one, and gives the instance's memory and files back. Any goroutine may
// call it at any time, more than once. From then on all other methods
// fail with [ErrClosed], and so does the call that is running.
//
// Close returns nil when everything has been given back. It waits for a run to stop, which takes about a millisecond of the
// processor's time. It does not wait for code of the host: while a Reader, a Writer, a file system or a function of
// a host package is being called, even if that is who calls Close, the error is one that
// [errors.Is] ErrBusy and names what is being called, after about 5 ms. The instance is closed all the same: no further call
// of the host begins, and when the one that is being made returns the memory goes.
//
// A transaction that is open is over, and the functions of [Undo] are called, on the goroutine that closes: that of Close, or of the
// call that is running. If one panics, Close returns a [*HostError] too.
//
// An instance that is not closed is given back when nobody can reach it any more.
func (in *Instance) Close() error { return in.engine().Close() }

// Stats returns the figures of the run so far, also when the instance is closed. They are zero while
// it is in use.
func (in *Instance) Stats() Stats { return in.engine().Stats().Stats }

// Instructions returns how many instructions the interpreter has executed, and how many of them before the program's own
// initialisation. Both are 0 without the setting count, opstats or blocks of Config.Debug, and while the instance is in use; with
// blocks, machine code counts too. They are the same on every run but for a few: where the host polls, a charge of gas is made in
// parts. It is for work on gyr itself and may change with every version.
func (in *Instance) Instructions() (all, start uint64) {
	s := in.engine().Stats()
	return s.Instructions, s.InitInstructions
}

// Tier names what executes the instance's code: [TierInterp] or [TierNative]. It may be called at
// any time.
func (in *Instance) Tier() string { return in.engine().Tier() }

// Hints are sentences for the user of a run that failed: what the guest was refused, and which field of
// [Config] grants it. There are none while the instance is in use or closed.
func (in *Instance) Hints() (hints []string) {
	for _, h := range in.engine().Hints() {
		hints = append(hints, h.ForHost())
	}
	return hints
}

// Traceback returns where the goroutine was that ran when the run ended with an error
// of the engine's, a limit above all: the innermost frame first, at most 100. It is empty
// when the run ended otherwise (a panic has printed its own), has not ended, or all
// goroutines waited, and while the instance is in use or closed.
func (in *Instance) Traceback() []Position { return in.engine().Traceback() }

// WriteProfile writes a profile of the run so far: of one kind, which
// Config.Profiles must have named.
func (in *Instance) WriteProfile(kind Profile, w io.Writer) error {
	return in.engine().WriteProfile(kind, w)
}

// GasLines returns the lines of the program's own source that the gas of the run so far was used for, those of most gas
// first: what functions of the standard library use counts for the line that calls them. Where no line of the program's
// is among the callers the position is in the standard library. The sum is Stats.Gas. Config.Profiles must have named
// GasProfile.
func (in *Instance) GasLines() ([]LineGas, error) { return in.engine().GasLines() }

// Coverage returns the blocks of the packages that [Source.Cover] named, with how often
// each was executed in the run so far. A function that a package initialises variables with counts
// too, though that may have happened when the program was compiled. There are none while the
// instance is in use or closed.
func (in *Instance) Coverage() []CoverBlock { return in.engine().Coverage() }

// WriteOpStats writes the operations of the interpreter that were executed most, pairs and triples included. It writes
// nothing without the setting opstats of Config.Debug. It is for work on gyr itself and may change with every version.
func (in *Instance) WriteOpStats(w io.Writer) error { return in.engine().WriteOpStats(w) }
