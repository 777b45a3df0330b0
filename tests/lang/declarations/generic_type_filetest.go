//go:build ignore

package main

type List[T any] struct {
	next *List[T]
	val  T
}

func (l *List[T]) Len() (n int) {
	for ; l != nil; l = l.next {
		n++
	}
	return
}

func (l *List[U]) Push(v U) *List[U] { return &List[U]{l, v} }

func main() {
	var l *List[string]
	l = l.Push("a").Push("b")
	println(l.Len(), l.val, l.next.val)
	var f *List[float64]
	println(f.Push(1).Len())
}

// Gas: 342

// Stderr:
// 2 b a
// 1
