package rt

import (
	"context"
	"log/slog"

	"github.com/gyrvm/gyr/internal/run/hostnet"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// A Dir is a directory of the host that the guest may use.
type Dir = wasi.Dir

// A Mount is a directory in the guest's memory that the host fills.
type Mount = wasi.Mount

// Config is what one run of a program is given. The zero value gives nothing
// of the machine, virtual time, seed 0, and the default limits.
type Config struct {
	// Config is what the system offers. A Reader may be called from another goroutine; after the context
	// has ended a call that blocks is left behind.
	wasi.Config

	Seed       uint64 // of everything random
	RealRandom bool   // take randomness from the machine
	Realtime   bool   // the machine's clock, and sleeping takes time

	Gas    int64  // units; 0: no limit
	Memory uint64 // bytes of everything that the guest can make grow; 0: DefaultMemory
	Stack  uint64 // bytes of one goroutine's stack, in guest units; 0: half of Memory

	// Log, if not nil, takes what the guest logs by the default Logger of log and log/slog. Its methods are called as a
	// Writer's are, with the context of the run. What it answers decides what the guest does, as with a Writer.
	Log slog.Handler

	// Dial and Listen are the guest's network. Nil: there is none. They, and the methods of what they return, are called on
	// goroutines of package hostnet.
	Dial   hostnet.DialFunc
	Listen hostnet.ListenFunc

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
	Types *Types
	// Watch notes what the initialisation of packages asks for, so that VM.Start may copy the instance. It changes nothing else.
	Watch bool

	// Debug are debugging aids.
	Debug Debug
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
