//go:build ignore

package main

type (
	Names = []string
	Int   = int
	Fn    = func(Int) Int
)

func join(n Names) (s string) {
	for _, x := range n {
		s += x
	}
	return
}

func main() {
	var x Int = 3
	var y int = x
	var f Fn = func(i int) int { return i + y }
	println(join([]string{"a", "b"}), f(1))
	var e any = x
	_, ok := e.(int)
	println(ok)
}

// Stderr:
// ab 4
// true
