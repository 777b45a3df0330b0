// Package hostpkg reads the declarations of host packages and writes what guests compile in their place.
//
// A host package is a package that guests import and whose functions are Go functions of the host. Its declaration is one Go
// source text: types, constants, and documented functions and methods without bodies. [Parse] checks it with go/types.
// [Package.Link] gives each of these functions a body, on the line of its declaration, so that positions stay those of the text. The
// body stores the arguments in a struct, its frame, charges for the call, and calls the runtime with the function's number
// and the frame (runtime.gyr_hostcall, internal/front/guest). The host finds the types of the frame by its type descriptor, reads the
// arguments there and writes the results there (internal/run/rt, hostcall.go). So every charge is an operation of the IR like
// any other, and the program is the same wherever it runs.
//
// [Package.Stubs] writes the same declaration with bodies that panic: a package for the go command and for editors.
package hostpkg
