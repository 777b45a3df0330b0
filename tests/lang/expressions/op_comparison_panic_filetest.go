//go:build ignore

package main

func main() {
	defer func() { println(recover().(error).Error()) }()
	var x, y any = []int{1}, []int{1}
	println(x == y)
}

// Stderr:
// runtime error: comparing uncomparable type []int
