//go:build ignore

package main

import "os"

func main() {
	for _, a := range os.Args {
		println(a)
	}
}

// Args: one "two words" -three=3

// Stderr:
// arguments_filetest
// one
// two words
// -three=3
