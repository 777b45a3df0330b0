//go:build ignore

package main

func try(f func()) {
	defer func() { println(recover().(error).Error()) }()
	f()
}

func main() {
	n := -3
	try(func() { println(1 >> n) })
	try(func() { println(len(make([]int, n))) })
	try(func() { println(len(make([]int, 2, 1-n*n))) })
	var z uint8
	try(func() { println(5 % z) })
	try(func() { println([1]int{}[n+4]) })
}

// Stderr:
// runtime error: negative shift amount
// runtime error: makeslice: len out of range
// runtime error: makeslice: cap out of range
// runtime error: integer divide by zero
// runtime error: index out of range [1] with length 1
