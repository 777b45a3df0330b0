//go:build ignore

package main

func main() {
	var i int
	var a [3]string
	for i, a[i] = range []string{"x", "y", "z"} {
	}
	println(i, a[0], a[1], a[2])
	m := map[string]int{}
	for m["k"] = range 4 {
	}
	println(m["k"])
}

// Stderr:
// \"2 y z "
// 3
