//go:build ignore

package main

func f(a int, s ...string) int { return a + len(s) }

func g() (int, string, string) { return 1, "a", "b" }

func main() {
	println(f(g()))
	println(f(1, []string{"x"}...))
	println(f(1, "y", []string{"x"}...))
}

// CompileError:
// call_spread_mixed_filetest.go:12:20: too many arguments in call to f
// 	have (number, string, []string...)
// 	want (int, ...string)
