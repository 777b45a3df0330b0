//go:build ignore

package main

type Box[T any] struct{ v T }

func (b Box[T]) Get() T   { return b.v }
func (b *Box[T]) Set(v T) { b.v = v }

func Map[T, U any](xs []T, f func(T) U) []U {
	var out []U
	for _, x := range xs {
		out = append(out, f(x))
	}
	return out
}

func main() {
	b := Box[int]{1}
	set := b.Set
	get := (*Box[int]).Get
	set(7)
	println(get(&b))
	for _, s := range Map([]Box[string]{{"a"}, {"b"}}, Box[string].Get) {
		println(s)
	}
}

// Gas: 487

// Stderr:
// 7
// a
// b
