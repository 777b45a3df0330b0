package api

import "time"

// CallOptions limit one call, in addition to the limits of the instance. The limit that is reached
// first ends the program, and the error's Call says whose it was. The zero value limits nothing. A
// limit that is not reached changes nothing that the guest does, nor its gas and heap figures.
//
// The limits of gas and memory cover the called function. The timeout covers the whole call,
// including the initialisation of packages at the start of the first call. A negative limit gives a
// [*ConfigError] and has no effect.
type CallOptions struct {
	// Gas is the units that the call may use; 0: what the instance has left.
	Gas int64
	// Memory is the bytes by which the memory in use, as Config.Memory counts it, may grow during
	// the call; 0: up to Config.Memory. A call that would exceed it collects garbage first. Memory
	// is taken in blocks of 32 KiB.
	Memory uint64
	// Timeout ends the call like a context with a deadline, and is cheaper than one; 0: none. The
	// error is a DeadlineError that unwraps to context.DeadlineExceeded.
	Timeout time.Duration
	// ReadOnly undoes the call when it has returned, whatever it did: a query. It is like a
	// transaction that is rolled back, and fails for the reasons of Instance.Begin, but cheaper: a
	// call after another read-only one takes time for the memory that it writes to alone. A call that
	// ends the program leaves the instance ready, too. Instances and their forks (Instance.Fork) may
	// make such calls at the same time.
	ReadOnly bool
}

// CallStats are the figures of one call. They are the same on every run.
type CallStats struct {
	Gas        int64  // units charged
	Mallocs    uint64 // objects allocated
	AllocBytes uint64 // their bytes
	Memory     int64  // change of the memory in use, in bytes; negative if it shrank
}

// An Export is an exported function of a library ([Source.Exports]). Types are written as in the
// library's source. Types of other packages have the package's name in front.
type Export struct {
	Name      string
	Signature string   // parameters and results: "(sep string, parts ...string) (string, error)"
	Params    []Param  // in their order
	Results   []string // types, without a final error
	Fails     bool     // the last result is an error; it becomes the error of the call
	// Refusal is why the function cannot be called, or "". Such a function is generic, has no body,
	// or has a type that does not cross. For a type the text includes the path to it, as in
	// "parameter 1 (orders): element: field Done: chan bool does not cross".
	Refusal string
}

// A Param is a parameter of a function.
type Param struct {
	Name string // "_" if it has none
	Type string // "...T" for the last parameter of a variadic function, which takes a slice
}

// String is the function's declaration as in Go.
func (e Export) String() string { return "func " + e.Name + e.Signature }
