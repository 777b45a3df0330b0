// Package vet runs the analyzers of go vet over packages: what gyr vet does, and what gyr test does before it runs tests.
//
// # A guest that analyses
//
// The analyzers are those that GOROOT has for its own go vet, in the program that go vet runs for each package: cmd/vet. It
// is compiled, and cached, like any other program, and runs as a guest (suite.go). It is given a package to analyse in the
// form that the go command gives it, in files of its own memory, and sees nothing else of the machine (unit.go). Two things
// are not as for the go command: types of imported packages do not come from export data of the compiler, and what the
// guest makes for others, types and facts, goes to its standard output. For both, declarations of package unitchecker are
// replaced when cmd/vet is compiled: folder unitchecker has them.
//
// # Types and facts
//
// What a package's importers need, its types and the facts that analyzers found out about its functions, is made by
// analysing it, with its function bodies, before them (facts.go). That goes for packages of the standard library too; theirs
// are made once for a release of Go.
//
// # What is remembered
//
// In the directory of the compiled programs there is an entry for each package with its types and facts, and one for each
// that somebody named with what was found (key.go). The name of the entry is a hash of all that decides these: gyr, the
// release, the flags, the package's files, and the names of the entries of the packages that it imports.
package vet
