//go:build ignore

package main

func trace(s string) string { println("enter", s); return s }
func un(s string)           { println("leave", s) }

func main() {
	defer un(trace("a"))
	n := 1
	defer println("n was", n)
	p := &n
	defer func(q *int) { println("now", *q) }(p)
	n = 5
}

// Stderr:
// enter a
// now 5
// n was 1
// leave a
