//go:build ignore

package main

func trace(s string, n int) int { print(s, " "); return n }

func f(a, b, c int) int { println(); return a + b*c }

func get(s string) func(int, int, int) int { print(s, " "); return f }

func main() {
	println(get("fn")(trace("a", 1), trace("b", 2), trace("c", 3)))
}

// Stderr:
// \"fn a b c "
// 7
