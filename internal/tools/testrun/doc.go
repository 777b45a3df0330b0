// Package testrun runs the tests of Go packages in gyr's sandbox: what gyr test does
// behind its flags.
//
// # From patterns to verdicts
//
// Packages are found as the go command finds them (load.List). Each becomes a
// test binary, the real testing package around the tests, which runs in an instance of
// its own; several do at a time (run.go). The binary gets the flags that go test would
// give it, so what a test sees of them, and what it prints, is the same.
//
// A package may have filetests too (package filetest). They are units of their own for
// the workers, and stand behind the binary's tests in the output (filetest.go).
//
// # Output
//
// What is printed does not depend on how many run at a time. Each package writes
// to a pair of spools (spool.go), one for standard output and one for standard
// error; that of the package whose turn it is passes on what it gets, the others keep it, in
// memory at first and then in a file. Turns are taken in the order of the packages.
//
// In the lines of go test, the output of a package stands before its verdict, and that of
// a package that passes only with -v (package.go). With -json the lines become events
// (events.go).
//
// # What a test may see
//
// The directory of its package, read-only, which is its working directory; a
// temporary directory of its own; an environment of PWD, TMPDIR and HOME. The clock is
// virtual unless Options.Realtime is set, so the times that tests measure are gas.
package testrun
