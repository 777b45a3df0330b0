// Package engine is the driver behind package gyr: it takes a source, an image, an entry of the cache or a
// precompiled standard library to a [Program], and a program and its [Config] to an [Instance].
//
// Package gyr is the facade: the same five nouns with types of its own, which say what embedders may rely
// on; the documentation of what they share is there. The commands and tools of this module use package engine, which
// shows more: a program from the inside ([Program.View]), passes at work ([Observer]), who uses
// what in a run ([rt.Accounts]).
//
//	program.go   the stages of a compilation, and what a program is
//	image.go     portable images; cache.go, entries on disk; base.go, the precompiled standard library
//	ready.go     bodies of functions, made ready once for both tiers
//	instance.go  one run; state.go says who may use it when; call.go and func.go, calls of exported functions
//	tier.go      what executes the code
package engine

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Version is the version of the engine.
const Version = "0.1.0"

// DeterminismVersion changes whenever the same program may give other output,
// gas or heap figures than before: with the Go release, the lowering, the passes
// that decide allocations, the layout, and the gas table. A change of prices raises it with gas.Version; any other
// one raises the number here.
const DeterminismVersion = 4 + gas.Version

// GasTableVersion is the version of the price list.
const GasTableVersion = gas.Version

// What the parts of the engine call otherwise, by the names that package gyr has for it.
type (
	OutOfGasError     = rt.OutOfGasError
	MemoryLimitError  = rt.MemoryLimitError
	StackLimitError   = rt.StackLimitError
	DeadlineError     = rt.DeadlineError
	HostError         = rt.HostError
	PanicError        = rt.PanicError
	ExitError         = rt.ExitError
	InternalError     = failure.Error
	ConfigError       = rt.ConfigError
	Limits            = budget.Limits
	CompileLimitError = budget.Error
	Position          = rt.Position
	Dir               = rt.Dir
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

// The limits that apply where a Config names none: the stack's is half of the memory limit.
const (
	DefaultMemory = rt.DefaultMemory
	DefaultStack  = DefaultMemory / 2
)

// FindGo returns the Go installation that compilation would use, and its release.
func FindGo(goroot string) (dir, release string, err error) { return load.FindGo(goroot) }
