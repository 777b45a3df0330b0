//go:build ignore

package main

import "os"

func main() {
	v, ok := os.LookupEnv("NOPE")
	println(os.Getenv("GREETING"), v, ok)
	os.Setenv("NEW", "x")
	println(os.ExpandEnv("$GREETING-$NEW"))
}

// Env: GREETING=hello

// Stderr:
// hello  false
// hello-x
