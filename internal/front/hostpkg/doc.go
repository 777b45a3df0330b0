// Package hostpkg reads the declarations of host packages and writes the source that guests compile
// for them.
//
// Guests import a host package, and its functions are Go functions of the host. Its declaration is
// one Go source text: types, constants, and documented functions and methods without bodies.
// [Parse] checks it with go/types. [Package.Link] gives each of these functions a body, on the line
// of its declaration, so that positions do not move. The body stores the arguments in a struct, its
// frame, charges for the call, and calls the runtime with the function's number and the frame
// (runtime.gyr_hostcall, internal/front/guest). The host finds the types of the frame by its type
// descriptor, reads the arguments there and writes the results there (internal/run/rt,
// hostcall.go). So every charge is an ordinary operation of the IR, and the program is the same
// wherever it runs.
//
// [Package.Stubs] writes the same declaration with bodies that panic: a package for the go command
// and for editors. parse.go has Parse, link.go has Link and Stubs, and fits.go compares the
// declared types with those of the host's functions.
package hostpkg
