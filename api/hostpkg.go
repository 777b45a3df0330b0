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
// package for the go command and for editors. The package goes before one with the same path in any module
// of the guest.
type HostPackage struct {
	// Path is the import path. It must not be one of the standard library; a domain of yours in front keeps
	// it apart from what guests import else.
	Path string

	// Source is the declaration, the text of one Go file: types, constants, functions and methods without
	// bodies, and variables of type error without values. It may import package time. Functions and methods
	// with bodies become part of the guest.
	Source string

	// Funcs has for each function without a body, by its name (of methods Type.Method), a Go function, what
	// [Fast] returned, or a [HostFunc] around one of these, to say more.
	//
	// The Go function has the declared parameters (for a method the receiver first) and results. It may
	// have a context.Context before them and an error behind them. The context is that of the Call or Run
	// that the guest is in; it also ends at the call's Timeout and when the instance is closed, and a
	// function that waits has to observe it: the run waits for the function. Types match by structure, as
	// for [Instance.Call].
	//
	// It runs on the goroutine of the guest, which waits for it, or on one of its own that the guest waits
	// for; the instance is busy meanwhile. Functions are called by all instances of a program, at the same
	// time if these run at the same time.
	Funcs map[string]any

	// Errors has for each declared variable of type error that error of the host. An error of a function
	// that is one of these (errors.Is) is the variable for the guest (errors.Is there), and has the text
	// that the function's error has.
	Errors map[string]error
}

// A HostFunc is a function of the host with its terms.
type HostFunc struct {
	// Func is a Go function or what Fast returned.
	Func any

	// A call is charged Gas units and GasPerByte for each byte of contents that crosses: of arguments
	// before the call, of results before they are copied into the guest's memory. Contents are those of
	// strings, slices, maps and what pointers lead to; numbers are in Gas. What the host's work costs is
	// for Gas to say. If both are zero they are DefaultHostGas and DefaultHostGasPerByte.
	Gas, GasPerByte int64

	// Free says that nothing is charged.
	Free bool

	// Deterministic says that the function's results follow from its arguments and from earlier calls of
	// the same instance, so that another host gets the same. What a guest computes is deterministic as far
	// as all functions that it calls are: [Program.Nondeterministic] lists those that are not.
	Deterministic bool

	// Borrows says that the function keeps no parameter that is a string or a []byte when it returns
	// without an error: their contents are valid until then, and their memory is used for the next call.
	// They may be in its results and in its error. What is kept has to be copied (strings.Clone,
	// bytes.Clone). Calls with up to 16 KiB of them make no Go allocation then.
	Borrows bool

	// OnError says what becomes of an error, OnPanic of a panic. By default an error is an error for the
	// guest if the declaration has one as the last result, and ends the run else; a panic ends the run.
	OnError, OnPanic Outcome
}

// An Outcome is what becomes of an error or a panic of a host's function.
type Outcome uint8

const (
	DefaultOutcome Outcome = iota // see HostFunc
	EndRun                        // the run ends with a HostError that wraps the error or, for a panic, a PanicError
	GuestPanic                    // the guest panics, with the text
	GuestFailure                  // the guest's call returns an error with the text
)

// Prices of functions of the host that name none, in units of gas.
const (
	DefaultHostGas        = 100
	DefaultHostGasPerByte = 1
)
