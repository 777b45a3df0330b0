// Package vet runs the analyzers of go vet over packages: for gyr vet, and for gyr test before it
// runs tests.
//
// # A guest that analyses
//
// The analyzers are those that GOROOT has for its own go vet, in the program that go vet runs for
// each package: cmd/vet. It is compiled and cached like any other program, and runs as a guest
// (suite.go). It gets a package to analyse in the form that the go command uses, as files in its
// own memory, and sees nothing else of the machine (unit.go). Two things differ from the go
// command: types of imported packages do not come from the compiler's export data, and the guest
// writes the types and facts that it makes for importers to its standard output. For both,
// declarations of package unitchecker are replaced when cmd/vet is compiled. The folder unitchecker
// has the replacements.
//
// # Types and facts
//
// A package's importers need its types and the facts that analyzers found out about its functions.
// The package is analysed before its importers, with its function bodies, to make these (facts.go).
// This includes packages of the standard library; theirs are made once for a release of Go.
//
// # What is remembered
//
// The directory of the compiled programs has an entry for each package, with its types and facts,
// and an entry with the findings for each package that a user named (key.go). The name of an entry
// is a hash of everything that decides its contents: gyr, the release, the flags, the package's
// files, and the names of the entries of the packages that it imports.
package vet
