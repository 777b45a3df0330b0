//go:build ignore

package main

type Stringer interface{ String() string }

type StringableInt interface {
	~int | ~int8
	Stringer
}

type ID int

func (i ID) String() string { return "id" }

func Show[T StringableInt](t T) string {
	if t > 3 {
		return t.String() + "+"
	}
	return t.String()
}

func Keys[M ~map[K]V, K comparable, V any](m M) int { return len(m) }

type Table map[string]int

func main() { println(Show(ID(3)), Show(ID(4)), Keys(Table{"a": 1, "b": 2})) }

// Stderr:
// id id+ 2
