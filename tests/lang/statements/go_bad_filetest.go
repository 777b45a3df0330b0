//go:build ignore

package main

func f() {}

func main() {
	go len("a")
	defer append([]int{}, 1)
	go int(3)
	defer f()
}

// CompileError:
// go_bad_filetest.go:8:5: go discards result of len("a") (constant 1 of type int)
// go_bad_filetest.go:9:8: defer discards result of append([]int{}, 1) (value of type []int)
// go_bad_filetest.go:10:5: go requires function call, not conversion int(3) (constant 3 of type int)
