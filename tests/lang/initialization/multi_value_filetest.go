//go:build ignore

package main

var a, b = pair()
var c = b + 1

func pair() (int, int) { println("pair"); return d, d * 2 }

var d = 5

func main() { println(a, b, c) }

// Stderr:
// pair
// 5 10 11
