//go:build ignore

package main

type List struct {
	v    int
	next *List
}

type Tree struct {
	kids []Tree
	v    int
}

func (t Tree) sum() int {
	n := t.v
	for _, k := range t.kids {
		n += k.sum()
	}
	return n
}

func main() {
	var l *List
	for i := range 4 {
		l = &List{i, l}
	}
	for ; l != nil; l = l.next {
		print(l.v, " ")
	}
	println(Tree{[]Tree{{nil, 1}, {[]Tree{{v: 5}}, 2}}, 3}.sum())
}

// Gas: 689

// Stderr:
// 3 2 1 0 11
