//go:build ignore

package main

type Tree struct{ l, r *Tree }

func (t *Tree) Size() int {
	if t == nil {
		return 0
	}
	return 1 + t.l.Size() + t.r.Size()
}

func main() {
	var t *Tree
	println(t.Size(), (&Tree{&Tree{}, &Tree{nil, &Tree{}}}).Size())
}

// Gas: 235

// Stderr:
// 0 4
