//go:build ignore

package main

func main() {
	s := `a\n
"b" \x41`
	println(len(s), s)
	println(`` == "", len(`\u65e5`))
}

// Stderr:
// 12 a\n
// "b" \x41
// true 6
