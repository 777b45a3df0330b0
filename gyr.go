// Package gyr runs Go programs that nobody trusts inside a Go process:
// sandboxed by construction, deterministic, metered by gas.
//
// Five nouns are enough. [Compile] turns Go source into a [Program], which is
// immutable and may be shared by any number of goroutines. A Program starts
// [Instance]s, each with its own memory, limits, files and clock, given by a
// [Config]; an Instance belongs to one goroutine at a time and says so ([ErrBusy]) when it is used
// by a second one, but any may close it. Running ends with
// nil, with the program's own exit status ([ExitError]), or with one of the
// errors that name a limit ([OutOfGasError], [MemoryLimitError],
// [StackLimitError], [DeadlineError]) or a failure of the host ([HostError]).
//
//	p, err := gyr.Compile(ctx, gyr.Source{Patterns: []string{"./plugin"}})
//	if err != nil { … }
//	in, err := p.NewInstance(gyr.Config{Stdout: os.Stdout, Gas: 1_000_000_000})
//	if err != nil { … }
//	defer in.Close()
//	err = in.Run(ctx)
//
// A program may also be a library whose exported functions the host calls with
// Go values ([Source.Exports], [Instance.Call], [Instance.Bind]), and travel as a
// portable image that is compiled without a Go installation ([Build],
// [Source.Image]). docs/embedding.md is the guide.
//
// A nil context is one that never ends.
//
// The guest sees nothing of the machine but what the Config gives it: no
// environment, no files, no clock but the virtual one, no randomness but what
// follows from the seed. The same program with the same Config gives the same
// output, the same gas and the same heap figures, every time and everywhere.
package gyr

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr/internal/budget"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/load"
	"github.com/gyrvm/gyr/internal/rt"
)

// Version is the version of the engine.
const Version = "0.1.0"

// DeterminismVersion changes whenever the same program may give other output,
// gas or heap figures than before: with the Go release, the lowering, the passes
// that decide allocations, the layout, and the gas table.
const DeterminismVersion = 7

// GasTableVersion is the version of the price list.
const GasTableVersion = gas.Version

// The ways in which a run ends, other than nil for exit status 0.
type (
	// An OutOfGasError says that the gas limit was reached, and where.
	OutOfGasError = rt.OutOfGasError
	// A MemoryLimitError says that the program needed more memory than allowed.
	MemoryLimitError = rt.MemoryLimitError
	// A StackLimitError says that a goroutine's stack reached its limit.
	StackLimitError = rt.StackLimitError
	// A DeadlineError says that the context ended first. It unwraps to its cause.
	DeadlineError = rt.DeadlineError
	// A HostError says that the engine or the host failed.
	HostError = rt.HostError
	// A PanicError, wrapped by a HostError, is the panic of a Reader or Writer of the Config.
	PanicError = rt.PanicError
	// An ExitError holds the exit status of a program that did not end with 0.
	// A Go panic is status 2, as in Go.
	ExitError = rt.ExitError
	// An InternalError says that the engine itself has a bug, which this program found: in which
	// stage of its compilation or in its run, where, and how we got there. It is the compilation
	// or the instance that ends; the process, other programs, the base and the cache go on.
	InternalError = failure.Error
	// A ConfigError says that a Config asks for what cannot be, and in which field.
	// Nothing was made or changed.
	ConfigError = rt.ConfigError
	// Limits bound what compiling a program may take, see Source.Limits.
	Limits = budget.Limits
	// A CompileLimitError says that a program is over one of Source.Limits: which, its value, what
	// is too large, and where. It follows from the source and the limits alone.
	CompileLimitError = budget.Error
	// A Position is a function, file and line of the guest.
	Position = rt.Position
	// A Dir is a directory of the host that the guest may use.
	Dir = rt.Dir
)

// ErrClosed is returned by the methods of a closed Instance, and by the call that was running when
// it was closed.
var ErrClosed = errors.New("gyr: the instance is closed")

// ErrBusy is returned by the methods of an Instance that is in use: by another goroutine, or by a
// run that has called the Reader or Writer which now calls the method. The method has done nothing,
// but for Close, which says more.
var ErrBusy = errors.New("gyr: the instance is in use")

// orBackground makes a nil context one that never ends, which is what all of this package takes it for.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// DefaultLimits returns the limits that Source.Limits has where its fields are 0.
func DefaultLimits() Limits { return budget.Default() }

// UntrustedLimits returns limits for sources of strangers, uploads for instance.
func UntrustedLimits() Limits { return budget.Untrusted() }

// FindGo returns the Go installation that compilation would use, and its
// release. An empty goroot means: found as the go command finds it.
func FindGo(goroot string) (dir, release string, err error) { return load.FindGo(goroot) }

// The limits that apply where a Config names none: the stack's is half of the memory limit.
const (
	DefaultMemory = rt.DefaultMemory
	DefaultStack  = DefaultMemory / 2
)
