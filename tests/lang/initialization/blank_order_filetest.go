//go:build ignore

package main

var _ = p("1")
var a = p("2") + b
var _ = p("3")
var b = p("4")

func p(s string) string { print(s, " "); return s }

func main() { println(a) }

// Stderr:
// 1 3 4 2 24
