//go:build ignore

package main

func main() {
	const d = '7' - '0'
	var r rune = 'a' + d
	println(d, r, string(r))
}

// Stderr:
// 7 104 h
