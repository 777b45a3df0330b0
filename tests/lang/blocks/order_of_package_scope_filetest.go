//go:build ignore

package main

func main() { println(f(), v, C, T(1)) }

var v = f() + C

func f() int { return C * 2 }

const C = 21

type T int

// Stderr:
// 42 63 21 1
