//go:build ignore

package main

import "errors"

func main() { panic(errors.New("an error")) }

// Error:
// panic: an error
