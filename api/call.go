package api

import "time"

// CallOptions are limits of one call, beside those of the instance: what is reached first ends the program,
// and the error's Call says whose limit it was. The zero value limits nothing. What the guest does does not
// depend on a limit that is not reached, nor do its gas and its heap figures.
//
// The limits of gas and memory are for the function that is called, the timeout is for all of the call,
// with the initialisation of packages that the first one begins with. A negative limit is a [*ConfigError],
// and nothing has happened.
type CallOptions struct {
	// Gas is the units that the call may use; 0: what the instance has left.
	Gas int64
	// Memory is the bytes by which the memory in use, as Config.Memory counts it, may grow during the call;
	// 0: up to Config.Memory. A call that would grow it further collects garbage first. Memory is taken in
	// blocks of 32 KiB.
	Memory uint64
	// Timeout ends the call like a context with a deadline, and costs less than to make one; 0: none. The
	// error is a DeadlineError that unwraps to context.DeadlineExceeded.
	Timeout time.Duration
}

// CallStats are the figures of one call. They are the same on every run.
type CallStats struct {
	Gas        int64  // units charged
	Mallocs    uint64 // objects allocated
	AllocBytes uint64 // their bytes
	Memory     int64  // bytes by which the memory in use has grown, or (below 0) shrunk
}

// An Export is an exported function of a library ([Source.Exports]). Types are written as in the library's
// source, those of other packages with the package's name.
type Export struct {
	Name      string
	Signature string   // parameters and results: "(sep string, parts ...string) (string, error)"
	Params    []Param  // in their order
	Results   []string // types, without an error at the end
	Fails     bool     // the last result is an error, which becomes the call's
	// Refusal is why the function cannot be called, or "": it is generic, has no body, or a type that does
	// not cross, with the path to it, as in "parameter 1 (orders): element: field Done: chan bool does not
	// cross".
	Refusal string
}

// A Param is a parameter of a function.
type Param struct {
	Name string // "_" if it has none
	Type string // "...T" of the last one of a variadic function, which takes a slice
}

// String is the function's declaration as in Go.
func (e Export) String() string { return "func " + e.Name + e.Signature }
