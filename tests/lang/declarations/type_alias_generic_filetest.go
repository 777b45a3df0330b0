//go:build ignore

package main

type Set[K comparable] = map[K]struct{}
type Pair[T any] = struct{ a, b T }

func main() {
	s := Set[string]{"x": {}}
	s["y"] = struct{}{}
	var m map[string]struct{} = s
	p := Pair[int]{1, 2}
	println(len(m), p.a+p.b)
}

// Stderr:
// 2 3
