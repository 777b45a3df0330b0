//go:build ignore

package main

func try(n, c int) {
	defer func() { println(recover().(error).Error()) }()
	println(len(make([]int, n, c)))
}

func main() {
	try(-1, 5)
	try(3, 2)
	try(1<<62, 1<<62)
	func() {
		defer func() { println(recover().(error).Error()) }()
		n := -1
		println(make(chan int, n) == nil)
	}()
	m := -5
	println(len(make(map[int]int, m)))
}

// Stderr:
// runtime error: makeslice: len out of range
// runtime error: makeslice: cap out of range
// runtime error: makeslice: len out of range
// makechan: size out of range
// 0
