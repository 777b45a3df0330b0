//go:build ignore

package main

func main() {
	f := func(n int) int {
		if n == 0 {
			return 1
		}
		return n * f(n-1)
	}
	println(f(3))
}

// CompileError:
// scope_func_literal_self_filetest.go:10:14: undefined: f
