//go:build ignore

package main

var log string

func init() { log += "a" }
func init() { log += "b" }

func main() { println(log) }

func init() { log += "c" }

// Stderr:
// abc
