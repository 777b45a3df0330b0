package rt

import (
	"context"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Config is what one run of a program is given: the settings of package api and what the engine
// adds. Of the settings, Profiles, Tier and Debug are for the tiers. A Reader may be called from
// another goroutine. When the context ends, a blocked call is abandoned.
type Config struct {
	api.Config
	Setup

	Debug Debug // debugging aids
}

// A Setup is what the engine gives a run in addition to its settings.
type Setup struct {
	wasi.Setup

	// Context ends the run, with a DeadlineError. Nil: never.
	Context context.Context

	// Stop ends the run from outside. Nil: nothing can.
	Stop *Stop

	// Accounts, if not nil, separates the use of gas and memory by test.
	Accounts *Accounts

	// Fuzz, if not nil, lets the guest search inputs for a fuzz target.
	Fuzz *Fuzz

	// Starter has the programs that the guest may start. Nil: there are none.
	Starter Starter
	// Child says that the instance is one that another one starts.
	Child *ChildSetup

	// Observer, if not nil, gets the guest's requests to its system.
	Observer *Observer

	// Unsafe says that the program imports package unsafe, besides the standard library: it may see
	// the bits of NaNs in memory.
	Unsafe bool
	// HostFuncs are the functions of the program's host packages, by number. The list is read-only.
	HostFuncs []*HostFunc
	// Types caches the types of the program for all its instances. Nil: the instance reads them
	// itself.
	Types *guesttype.Types
	// Watch records what the initialisation of packages asks for, so that VM.Start may copy the
	// instance. It changes nothing else.
	Watch bool
}

// An Observer sees the requests of a guest to its system. Its functions, which may be nil, are
// called on the goroutine that runs the guest, and change nothing.
type Observer struct {
	// Call gets each system call after the initialisation of std, when it returns, as wasi.Describe
	// prints it. What the runtime itself writes is write(fd, n).
	Call func(text string)
	// Report is called when the report of the program's end begins: all later output belongs to it.
	Report func()
	// MemStats is called when the guest asks for the figures of its memory, before it gets them.
	// Package testing asks for them whenever the timer of a benchmark starts, stops or is reset
	// while it runs.
	MemStats func()
	// Nanotime gets each reading of the monotonic clock before the guest does.
	Nanotime func(ns int64)
	// Collect is called when the guest asks for a collection (runtime.GC), before it happens.
	// Package testing asks for one before each run of a benchmark.
	Collect func()
}

// DefaultMemory is the memory limit where none is given.
const DefaultMemory = 256 << 20
