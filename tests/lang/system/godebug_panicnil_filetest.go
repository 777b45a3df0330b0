//go:build ignore && go1.27

package main

// Package internal/godebug is not in this program.
func main() {
	defer func() { println(recover() == nil) }()
	panic(nil)
}

// Env: GODEBUG=panicnil=1

// Stderr:
// true
