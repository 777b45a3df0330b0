//go:build ignore

package main

var x = I(T{}).ab()
var _ = sideEffect()
var a = b
var b = 42

type I interface{ ab() []int }
type T struct{}

func (T) ab() []int { return []int{a, b} }

func sideEffect() int { println("side", a, b); return 0 }

func main() { println(len(x), a, b) }

// Stderr:
// side 42 42
// 2 42 42
