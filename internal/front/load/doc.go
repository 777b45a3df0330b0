// Package load turns Go source into built SSA. It is the first stage. [Load] takes package patterns
// and returns a [Packages]. This package leads a program through the steps. The packages below it
// do the parts that stand alone.
//
// # The steps of a load
//
// load.go has the [loader] and calls the steps in this order:
//
//   - package gomod finds the Go installation and the modules; package filetree reads files and
//     records what was read;
//   - patterns.go finds the named packages, list.go lists them, command.go loads a command of the
//     installation;
//   - resolve.go finds the directory of an import path; origin.go decides from where a package was
//     loaded whether it belongs to the standard library, and lets no other package have its path;
//     hostpackages.go has packages of the host;
//   - parse.go reads and parses several files at a time; package target selects files by name and
//     build constraint; purego.go withdraws the tag purego where it would be of no use; answers.go
//     replaces declarations of the standard library by ours; package directive finds compiler
//     directives; cache.go shares parsed files between programs;
//   - restrict.go and unsafe.go refuse what user code may not do, linkname.go checks its
//     directives, embed.go reads embedded files;
//   - package prune removes bodies of the standard library that the program cannot reach (prune.go
//     calls it);
//   - godebug.go computes default GODEBUG settings, buildinfo.go the text that runtime/debug reads;
//   - check.go type-checks with go/types, lets package rewrite change syntax that go/ssa would
//     build differently from gc, and builds SSA with go/ssa;
//   - initorder.go puts the packages in the order of their initialisation;
//   - link.go finds the function or variable that a link symbol names; linkname.go ties the
//     program's own directives together.
//
// # Other kinds of program
//
//   - testmain.go makes the main package of tests, cover.go counts coverage, bloop.go keeps the
//     values that loops over testing.B compute, measured.go has loops that benchmarks measure;
//   - exports.go makes a program whose functions the host calls, and crossing.go says which of
//     them it can call;
//   - units.go loads packages for analyzers ([LoadUnits]);
//   - hashes.go and zones.go add packages that a program finds by registration or by name;
//     setvars.go handles -ldflags=-X.
//
// # Bases
//
// base.go replaces packages of the standard library by their types, for programs that continue a
// program that was compiled before. baseindex.go writes and reads that form, generics.go decides
// which of the packages must come from source, and std.go replaces a Go installation.
//
// # Errors
//
// Package diag has the errors. syntax.go puts errors of the parser into the compiler's words, and
// span.go finds where the erroneous source ends.
//
// # What is fixed
//
// Our own sources replace the five packages of [Overlay] as a whole. Answers replace single
// declarations of other packages. Everything else of the standard library is GOROOT's, unmodified.
//
// The result depends on the sources and the configuration alone. Positions do not depend on the
// order in which files were parsed: a file's base in the token.FileSet is a function of its name
// (see fileBase).
//
// # What user code may not do
//
// Packages outside the standard library may not use unsafe and go:linkname (unless Options.Unsafe
// lets them), cgo, assembly with code, package plugin, go:wasmimport and go:wasmexport. Each use is
// an error with its position.
//
// # Why it is large
//
// Bases, link symbols and checking share one table of packages, [Packages], whose parts only they
// write. So they stay in one package.
package load
