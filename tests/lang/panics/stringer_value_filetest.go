//go:build ignore

package main

import "fmt"

type S int

func (s S) String() string { return fmt.Sprintf("S(%d)", int(s)) }

func main() { panic(S(4)) }

// Error:
// panic: S(4)
