package rt

import (
	"context"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Config is what one run of a program is given: the settings of package api, of which Profiles, Tier and Debug are for the
// tiers, and what the engine adds. A Reader may be called from another goroutine; after the context has ended a call that
// blocks is left behind.
type Config struct {
	api.Config
	Setup

	Debug Debug // debugging aids
}

// A Setup is what the engine gives a run besides its settings.
type Setup struct {
	wasi.Setup

	// Context ends the run: DeadlineError. Nil: never.
	Context context.Context

	// Stop ends it too, from outside. Nil: nobody can.
	Stop *Stop

	// Accounts, if not nil, tells apart what tests use.
	Accounts *Accounts

	// Fuzz, if not nil, lets the guest look for inputs of a fuzz target.
	Fuzz *Fuzz

	// Observer, if not nil, is told what the guest asks of its system.
	Observer *Observer

	// HostFuncs are the functions of the program's host packages, by their numbers. Nothing writes the list.
	HostFuncs []*HostFunc
	// Types are what is known of the types of the program, for all of its instances. Nil: the instance reads them for itself.
	Types *guesttype.Types
	// Watch notes what the initialisation of packages asks for, so that VM.Start may copy the instance. It changes nothing else.
	Watch bool
}

// An Observer sees what a guest asks of its system. The functions, which may be nil, are called on
// the goroutine that runs the guest, and change nothing.
type Observer struct {
	// Call is told of the calls of the system behind the initialisation of std, when
	// they return, as wasi.Describe prints them. What the runtime itself writes is write(fd, n).
	Call func(text string)
	// Report is told that what the guest writes from now on is the report of its end.
	Report func()
	// MemStats is told that the guest asks for the figures of its memory, before it gets them. Package testing does so
	// wherever the timer of a benchmark starts, stops, or is reset while it runs.
	MemStats func()
	// Collect is told that the guest asks for a collection (runtime.GC), before there is one. Package testing does so before each
	// run of a benchmark.
	Collect func()
}

// DefaultMemory is the memory limit where none is given.
const DefaultMemory = 256 << 20
