//go:build ignore

package main

func f(n int) (res int, err error) {
	if n, err := n*2, err; err == nil {
		_ = n
		return
	}
	return
}

func main() {}

// CompileError:
// return_shadowed_filetest.go:8:3: result parameter err not in scope at return
// 	return_shadowed_filetest.go:6:8: inner declaration of var err error
