// Package unitchecker holds files that are added to golang.org/x/tools/go/analysis/unitchecker, as
// GOROOT vendors it for its commands, when cmd/vet is compiled as a guest. They replace what that
// package does with the compiler's export data and with files of facts: see hooks.go. The code that
// writes and reads types (gyrwrite.go, gyrread.go) needs nothing else of that package, so it can be
// tested here.
//
// Names begin with gyr, since these files share a package with others.
package unitchecker
