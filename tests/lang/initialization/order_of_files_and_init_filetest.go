//go:build ignore

package main

import "os"

var first = say("var first")

func say(s string) string { os.Stdout.WriteString(s + "\n"); return s }

func init() { say("init 1") }

var second = say("var second, after " + first)

func init() { say("init 2 sees " + second) }

func main() { say("main") }

// Output:
// var first
// var second, after var first
// init 1
// init 2 sees var second, after var first
// main
