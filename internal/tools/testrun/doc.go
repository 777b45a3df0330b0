// Package testrun runs the tests of Go packages in gyr's sandbox. It is gyr test without the flags.
//
// # From patterns to verdicts
//
// Packages are found as the go command finds them (load.List). Each becomes a test binary: the real
// testing package with the package's tests. The binary runs in an instance of its own, several at a
// time (run.go, binary.go). It gets the flags that go test would give it, so a test sees the same
// flags and prints the same output.
//
// A package may also have filetests (package filetest). The workers take them one by one, and their
// output follows the binary's (filetest.go).
//
// # Output
//
// The output does not depend on how many packages run at a time. Each package writes to a pair of
// spools, one for standard output and one for standard error (spool.go). The spool of the package
// whose turn it is passes on what it gets. The others keep it, first in memory and then in a file.
// Turns follow the order of the packages.
//
// The lines are those of go test: the output of a package precedes its verdict, and the output of a
// package that passes appears only with -v (package.go). With -json the lines become events
// (events.go).
//
// # What a test may see
//
// A test sees the directory of its package, read-only, which is its working directory; a temporary
// directory of its own; and an environment of PWD, TMPDIR and HOME. The clock is virtual unless
// Options.Realtime is set, so the times that tests measure are gas.
//
// # Other files
//
// shard.go divides the packages among machines, fuzz.go runs fuzz targets, and cover.go reports
// coverage. vet.go runs the analyzers before the tests. remember.go keeps results for the next run.
// report.go reports gas and memory of each test. revision.go runs the tests of a commit.
package testrun
