//go:build ignore && go1.27

// Addresses of literals with promoted keys: new variables each time.
package main

import "fmt"

type Base struct{ x, y int }

type Node struct {
	Base
	next *Node
}

func (n *Node) Sum() int {
	if n == nil {
		return 0
	}
	return n.x + n.y + n.next.Sum()
}

func fresh(x int) *Node { return &Node{x: x} }

func main() {
	fmt.Println((&Node{x: 1, next: &Node{y: 2, next: &Node{x: 3, y: 4}}}).Sum())
	a, b := fresh(1), fresh(1)
	fmt.Println(a == b, *a == *b)
	var list []*int
	for i := range 3 {
		list = append(list, &(&Node{x: i}).x)
	}
	fmt.Println(*list[0], *list[1], *list[2])
	p := &Node{y: 5}
	q := p
	*p = Node{x: p.y, y: p.x + 1, next: p}
	fmt.Println(q.x, q.y, q.next == p)
	defer func(n *Node) { fmt.Println(n.x) }(&Node{x: 9})
}

// Output:
// 10
// false true
// 0 1 2
// 5 1 true
// 9
