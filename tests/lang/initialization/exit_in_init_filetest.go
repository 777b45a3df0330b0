//go:build ignore

package main

import "os"

func init() {
	os.Stdout.WriteString("init\n")
	os.Exit(7)
}

func main() { println("never") }

// Output:
// init

// ExitCode: 7
