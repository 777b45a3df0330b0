//go:build ignore

package main

func f(n int) int { return f(n+1) + 1 }

func main() { println(f(0)) }

// MemoryLimit: 16M

// Error:
// stack limit of 8 MiB reached in main.f (stack_overflow_filetest.go:5)
