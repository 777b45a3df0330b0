//go:build ignore

package main

var x = compute()

func compute() int { return []int{}[len(empty)] }

var empty = ""

func main() { println("never", x) }

// Error:
// panic: runtime error: index out of range [0] with length 0
