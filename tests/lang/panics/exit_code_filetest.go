//go:build ignore

package main

import "os"

func main() {
	defer println("not run")
	os.Exit(3)
}

// ExitCode: 3
