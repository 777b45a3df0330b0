package api

import (
	"context"
	"time"
)

// Hooks are functions that gyr calls when something has happened, with its figures: for metrics and
// traces. Each may be nil. They are called on the goroutine of the method that did it, or of the
// guest, and may be called by several goroutines at the same time. They change nothing. They must not
// panic, and methods of the instance that they are told about fail with [ErrBusy].
//
// A nil Hooks costs a call of a guest's function nothing that can be measured. Hooks read the clock,
// twice for each event.
//
// The modules gyr/otel and gyr/prometheus, and package gyrexpvar, make Hooks. Function JoinHooks of
// package gyr makes one of several.
type Hooks struct {
	// Compile is told of the end of Compile and CompileImage. It belongs to CompileOptions.
	Compile func(context.Context, CompileEvent)

	// Make is told of NewInstance, Reset of Instance.Reset, which has no context: their events have no
	// Init yet. Init is told that
	// an instance has initialised its packages, or has made the recorded calls of the host as a copy.
	Make, Reset, Init func(context.Context, InstanceEvent)

	// BeforeCall is told that a call, or a Run, of a function begins. The guest and the functions of
	// the host that it calls run with the context that it returns.
	BeforeCall func(ctx context.Context, name string) context.Context
	// Call is told that it is over. Calls with wrong arguments are not made. Limit is told so too if a
	// limit or the context ended the program.
	Call, Limit func(context.Context, CallEvent)

	// HostCall is told of a call of a function of a host package.
	HostCall func(context.Context, HostCallEvent)
}

// A CompileEvent is a compilation.
type CompileEvent struct {
	Start time.Time
	Took  time.Duration
	Stats CompileStats // zero if Err is not nil
	Err   error
}

// An InstanceEvent is the making, the reset or the initialisation of an instance.
type InstanceEvent struct {
	Start time.Time
	Took  time.Duration
	Began Beginning // zero if Err is not nil
	Err   error
}

// A CallEvent is a call of a function of the guest, or a Run.
type CallEvent struct {
	Func  string // "main" for Run
	Start time.Time
	Took  time.Duration
	Stats CallStats // of a Run with, of a call without the initialisation of packages
	Err   error
}

// A HostCallEvent is a call of a function of a host package by a guest. Of a function with callbacks
// it is told once, with the time of the callbacks.
type HostCallEvent struct {
	Func  string // as errors name it: kv.Get
	Start time.Time
	Took  time.Duration
	Err   error // of the function, or a [*HostPanicError]
}
