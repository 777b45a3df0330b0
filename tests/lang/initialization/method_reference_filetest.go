//go:build ignore

package main

type T struct{ n int }

func (T) value() int { return late }

var early = T{}.value() + T.value(T{})
var late = 21

func main() { println(early) }

// Stderr:
// 42
