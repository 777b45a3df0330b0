//go:build ignore

package main

func main() {
	s := []int{1, 2}
	i := 2
	println(s[i])
}

// Error:
// panic: runtime error: index out of range [2] with length 2
