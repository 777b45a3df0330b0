package api

// A HostPackage is a package that guests import and whose functions are Go functions of the host.
//
//	kv := gyr.HostPackage{
//		Path: "example.com/host/kv",
//		Source: `
//			// Package kv is the store of the service.
//			package kv
//
//			// ErrNotFound says that there is no such key.
//			var ErrNotFound error
//
//			// Get returns the value of a key.
//			func Get(key string) ([]byte, error)`,
//		Funcs:  map[string]any{"Get": store.Get},
//		Errors: map[string]error{"ErrNotFound": store.ErrNotFound},
//	}
//	p, err := gyr.Compile(ctx, gyr.Source{FS: upload}, &gyr.CompileOptions{Host: []gyr.HostPackage{kv}})
//
// A guest that uses a function wrongly does not compile. `gyr stubs` and [HostStubs] write the
// package for the go command and for editors. The package goes before one with the same path in any
// module of the guest.
type HostPackage struct {
	// Path is the import path. It must not be one of the standard library. A domain of yours in
	// front keeps it apart from the guest's other imports.
	Path string

	// Source is the declaration, the text of one Go file: types, constants, functions and methods
	// without bodies, and variables of type error without values. It may import package time.
	// Functions and methods with bodies become part of the guest.
	Source string

	// Funcs has for each function without a body, by its name (for a method Type.Method), a Go
	// function, a result of [Fast], or a [HostFunc] around one of these, to say more.
	//
	// The Go function has the declared parameters (for a method the receiver first) and results. It
	// may have a context.Context before the parameters and an error after the results. The context
	// is that of the Call or Run that the guest is in. It also ends at the call's Timeout and when
	// the instance is closed. A function that waits must observe it, because the run waits for the
	// function. Types match by structure, as for [Instance.Call].
	//
	// The function runs on the goroutine of the guest or on one of its own; the guest waits for it,
	// and the instance is busy meanwhile. All instances of a program call the same functions, at
	// the same time if the instances run at the same time.
	Funcs map[string]any

	// Errors has an error of the host for each declared variable of type error. If a function
	// returns one of these errors (errors.Is), the guest gets the variable (errors.Is there), with
	// the text of the function's error.
	Errors map[string]error
}

// A HostFunc is a function of the host with its price and properties.
type HostFunc struct {
	// Func is a Go function or a result of Fast.
	Func any

	// A call is charged Gas units and GasPerByte for each byte of contents that crosses: for
	// arguments before the call, for results before they are copied into the guest's memory.
	// Contents are those of strings, slices, maps and targets of pointers; Gas covers numbers. Gas
	// also has to cover the host's work. If both are zero they are DefaultHostGas and
	// DefaultHostGasPerByte.
	Gas, GasPerByte int64

	// Free says that nothing is charged.
	Free bool

	// Deterministic says that the function's results follow from its arguments and from earlier
	// calls of the same instance, so that another host gets the same. A guest is as deterministic
	// as the functions that it calls: [Program.Nondeterministic] lists those that are not.
	Deterministic bool

	// Borrows says that the function keeps no string or []byte parameter after it returns without
	// an error. Their contents are valid until then, and their memory is reused for the next call.
	// They may be in its results and in its error. A function that keeps one must copy it
	// (strings.Clone, bytes.Clone). With Borrows, calls with up to 16 KiB of such contents make no
	// Go allocation.
	Borrows bool

	// OnError selects the outcome of an error, OnPanic that of a panic. By default an error becomes
	// an error of the guest if the declaration's last result is an error, and otherwise ends the
	// run. A panic ends the run.
	OnError, OnPanic Outcome
}

// An Outcome is the consequence of an error or a panic of a host's function.
type Outcome uint8

const (
	DefaultOutcome Outcome = iota // see HostFunc
	EndRun                        // the run ends with a HostError that wraps the error or, for a panic, a PanicError
	GuestPanic                    // the guest panics, with the text
	GuestFailure                  // the guest's call returns an error with the text
)

// Prices of host functions that set none, in units of gas.
const (
	DefaultHostGas        = 100
	DefaultHostGasPerByte = 1
)
