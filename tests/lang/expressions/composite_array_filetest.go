//go:build ignore

package main

func main() {
	a := [...]string{2: "two", "three", 0: "zero"}
	b := [5]int{1, 2, 4: 9}
	v := [...]bool{'a': true, 'b': true}
	println(len(a), a[0], a[1] == "", a[3], b[2], b[4], len(v))
}

// Stderr:
// 4 zero true three 0 9 99
