// Package load turns Go source into built SSA. It is the first stage of a compilation. [Load] takes
// package patterns and returns a [Packages]. This package has the state of a load, a [loader], and
// calls the steps. The packages in its subdirectories do the steps that need no loader.
//
// # The steps of a load
//
// options.go has [Options] and [Packages], settings.go the go command's flags, and plan.go the list
// of packages that a load is about to compile. load.go calls the steps in this order:
//
//   - package gomod finds the Go installation and the modules; package filetree reads files and
//     records what was read;
//   - patterns.go finds the named packages, list.go lists them, command.go loads a command of the
//     installation;
//   - resolve.go finds the directory of an import path; hostpackages.go finds packages whose
//     functions the host implements; origin.go decides, by where its files are, whether a package
//     belongs to the standard library, and refuses other packages with a path of the standard
//     library;
//   - parse.go reads and parses several files at a time, and refuses cgo and assembly with code;
//     package target selects files by name and build constraint; purego.go decides for which
//     packages the build tag purego is set; answers.go replaces single declarations of the standard
//     library by ours; package directive finds compiler directives; cache.go shares parsed files
//     between programs;
//   - restrict.go refuses what user code may not do: it calls unsafe.go for imports of unsafe,
//     linkname.go for linknames, and embed.go for patterns of files to embed;
//   - package prune removes bodies of the standard library that the program cannot reach, so that
//     they are neither type-checked nor built (prune.go calls it);
//   - godebug.go computes default GODEBUG settings, buildinfo.go the text that debug.ReadBuildInfo
//     parses;
//   - check.go type-checks with go/types, lets package rewrite change syntax that go/ssa would
//     build differently from gc, and builds SSA with go/ssa;
//   - initorder.go puts the packages in the order of their initialisation;
//   - link.go finds the function or variable that a link symbol names; linkname.go resolves the
//     go:linkname directives outside the standard library; embed.go adds the embedded files.
//
// # Other kinds of program
//
//   - testmain.go makes the main package of a test binary. cover.go inserts the counters of
//     coverage. bloop.go finds the values that a loop over testing.B.Loop must compute although
//     nothing uses them. measured.go finds functions whose body, a loop that measures a benchmark,
//     the compiler makes.
//   - exports.go makes a program whose functions the host calls, and crossing.go says which of them
//     it can call.
//   - units.go loads packages for analyzers ([LoadUnits]).
//   - hashes.go and zones.go add packages that a program needs although it does not import them:
//     crypto/sha256 for tests, and the table of time zones. setvars.go handles -ldflags=-X.
//
// # Bases
//
// A base is a set of packages of the standard library that was compiled once for all programs. A
// program on a base needs only the types of its packages. base.go reads them from export data
// instead of source. Packages with generic code that others may instantiate still come from source,
// and generics.go finds them. baseindex.go has the format of a base. std.go lets programs on a base
// load without a Go installation.
//
// # Errors
//
// Package diag has the errors. syntax.go puts errors of the parser into the compiler's words, and
// span.go finds where the erroneous source ends.
//
// # Our own sources
//
// Package guest has sources that replace parts of the standard library. Five packages are replaced
// as a whole: they are the [Overlay]. In other packages single declarations are replaced: these are
// the answers. Everything else of the standard library is GOROOT's, unmodified.
//
// # Determinism
//
// The result depends on the sources and the configuration alone. Positions do not depend on the
// order in which files were parsed: a file's base in the token.FileSet is a function of its name
// (see fileBase).
//
// # What user code may not do
//
// Packages outside the standard library may not use cgo, assembly with code, package plugin,
// go:wasmimport and go:wasmexport. They may use unsafe and go:linkname only as far as
// Options.Unsafe lets them. Each forbidden use is an error with its position.
//
// # Why it is large
//
// Bases, link symbols and checking all fill in the table of packages, [Packages]. Only one package
// can write its unexported fields.
package load
