//go:build ignore

package main

var calls int

func f() *[4]int { calls++; return nil }

const n = len([10]float64{2})

var a [3]int

const m = len(a) + cap([5]int{})

func main() { println(n, m, len(f()), calls) }

// Stderr:
// 10 8 4 1
