// Package unitchecker holds files that become part of golang.org/x/tools/go/analysis/unitchecker, as GOROOT vendors it for
// its commands, when cmd/vet is compiled to be run as a guest. They take the place of what that package does with export
// data of the compiler and with files of facts: see hooks.go. What writes and reads types needs nothing of the rest of that
// package, so that it can be tested here.
//
// Names begin with gyr, since these files share a package with others.
package unitchecker
