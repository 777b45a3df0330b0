package gyr

import (
	"context"
	"io"

	"github.com/gyrvm/gyr/internal/engine"
)

// An Instance is one run of a program: its memory, goroutines and files. Like a variable, it may be
// used by one goroutine at a time, but a second user breaks nothing. While a method runs, every
// other method fails with [ErrBusy] and changes nothing, whether another goroutine calls it or a
// Reader or Writer that the run calls. Methods without an error then return the zero value. Only
// [Instance.Close] may be called at any time.
//
// After a run has ended, by itself or by an error, the instance can be reset and closed, and
// methods that report on the run work. Every other method returns [ErrEnded].
type Instance struct {
	e     *engine.Instance
	bound map[any]any // what functions of a pool keep with it: see poolfunc.go
}

// engine returns the engine's instance. A nil or zero Instance is a closed one.
func (in *Instance) engine() *engine.Instance {
	if in == nil {
		return nil
	}
	return in.e
}

// Run runs the program to its end. It returns nil for exit status 0; see the package comment for
// the errors. A program compiled with [Source.Exports] has no main function: Run initialises its
// packages, and calls may follow. A canceled or expired context ends the run with a DeadlineError
// within about a millisecond. A nil context never ends it.
//
// A Reader or Writer that panics ends the run with a [*HostError] that wraps a [*HostPanicError].
// One that calls [runtime.Goexit] ends the goroutine that called Run. Either way the run is over.
func (in *Instance) Run(ctx context.Context) error { return in.engine().Run(ctx) }

// Reset restores the instance to the state in which [Program.NewInstance] returned it: the guest's
// changes to its memory are gone, and limits and figures start anew. If it fails the instance is as
// before. It ends an open transaction as [Instance.Close] does. A function of [Undo] that panics
// does not prevent the reset; Reset returns its [*HostError]. Functions of [Instance.Bind] and
// [FuncOf] stay valid.
func (in *Instance) Reset(cfg Config) error {
	c, err := engine.ConfigOf(cfg)
	if err != nil {
		return err
	}
	return in.engine().Reset(c)
}

// Close ends the run, if one is active, and releases the instance's memory and files. Any goroutine
// may call it at any time, more than once. From then on all other methods fail with [ErrClosed],
// and so does the active call.
//
// Close returns nil when everything has been released. It waits for a run to stop, which takes
// about a millisecond of the processor's time. It does not wait for code of the host: a Reader, a
// Writer, a file system or a function of a host package, even one that calls Close itself. If such
// code still runs after about 5 ms, Close returns an error that is ErrBusy by [errors.Is] and names
// that code. The instance is closed all the same: it makes no further call of the host, and
// releases the memory when the active one returns.
//
// Close ends an open transaction and calls the functions of [Undo], on the goroutine that closes:
// that of Close, or that of the active call. If one panics, Close returns a [*HostError] too.
//
// An instance that is not closed is released after it has become unreachable.
func (in *Instance) Close() error { return in.engine().Close() }

// Stats returns the figures of the run so far, even after Close. They are zero while the instance
// is in use.
func (in *Instance) Stats() Stats { return in.engine().Stats().Stats }

// Instructions returns how many instructions the interpreter has executed, and how many of them
// before the program's own initialisation. With the setting blocks of Config.Debug, instructions of
// machine code count too. Both are 0 without the setting count, opstats or blocks, and while the
// instance is in use. They are the same on every run except for a few: where the host polls, a
// charge of gas is made in parts. The method is for work on gyr itself and may change with every
// version.
func (in *Instance) Instructions() (all, start uint64) {
	s := in.engine().Stats()
	return s.Instructions, s.InitInstructions
}

// Tier names what executes the instance's code: [TierInterp] or [TierNative]. It may be called at
// any time.
func (in *Instance) Tier() string { return in.engine().Tier() }

// Hints returns sentences for the user of a failed run: what the guest was refused, and which field
// of [Config] grants it. The result is empty while the instance is in use or closed.
func (in *Instance) Hints() (hints []string) {
	for _, h := range in.engine().Hints() {
		hints = append(hints, h.ForHost())
	}
	return hints
}

// Traceback returns the stack of the goroutine that was running when an error of the engine, above
// all a limit, ended the run: innermost frame first, at most 100. It is empty if the run ended
// otherwise (a panic has printed its own), has not ended, or all goroutines waited, and while the
// instance is in use or closed.
func (in *Instance) Traceback() []Position { return in.engine().Traceback() }

// WriteProfile writes a profile of the run so far, of one kind. Config.Profiles must have named the
// kind.
func (in *Instance) WriteProfile(kind Profile, w io.Writer) error {
	return in.engine().WriteProfile(kind, w)
}

// GasLines returns the lines of the program's own source that used the gas of the run so far,
// largest first. Gas of a standard library function counts for the line that calls it. If no line
// of the program is among the callers, the position is in the standard library. The sum is
// Stats.Gas. Config.Profiles must have named GasProfile.
func (in *Instance) GasLines() ([]LineGas, error) { return in.engine().GasLines() }

// Coverage returns the blocks of the packages that [Source.Cover] named, with the number of
// executions in the run so far. A function that initialises package variables counts too, although
// it may have run when the program was compiled. The result is empty while the instance is in use
// or closed.
func (in *Instance) Coverage() []CoverBlock { return in.engine().Coverage() }

// WriteOpStats writes the most executed operations of the interpreter, with pairs and triples. It
// writes nothing without the setting opstats of Config.Debug. It is for work on gyr itself and may
// change with every version.
func (in *Instance) WriteOpStats(w io.Writer) error { return in.engine().WriteOpStats(w) }
