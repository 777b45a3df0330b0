//go:build ignore

package main

func main() {
	s := "a"
	for i := range 5 {
		s += string(rune('b' + i))
	}
	t := s + "-" + s + "-" + ""
	println(s, t, len(t), s < t, s+"" == s)
}

// Gas: 596

// Stderr:
// abcdef abcdef-abcdef- 14 true true
