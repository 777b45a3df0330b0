// Append in place: the header is written before the elements, and only growth writes all of it.
package main

import "fmt"

type T []T
type box struct {
	list []int
	next *box
	m    [3][]string
}

func (b *box) push(x int)          { b.list = append(b.list, x) }
func (b *box) deep(x int)          { b.next.list = append(b.next.list, x, x+1) }
func (b *box) str(i int, s string) { b.m[i] = append(b.m[i], s+"!") }

func main() {
	t := make(T, 1, 4)
	t[0] = t
	t[0] = append(t[0][:0], nil)
	fmt.Println(len(t), len(t[0]), cap(t[0]))
	u := make(T, 0, 4)
	v := u[:1]
	v[0] = v[:0]
	v[0] = append(v[0], T{nil, nil})
	fmt.Println(len(v), len(v[0]), cap(v[0]))
	b := &box{next: &box{}}
	for i := range 20 {
		b.push(i)
		b.deep(i)
		b.str(i%3, fmt.Sprint(i))
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		var n *box
		n.push(1)
	}()
	func() {
		defer func() { fmt.Println(recover(), len(b.list)) }()
		var a []int
		b.list = append(b.list, a[5])
	}()
	b.list = append(b.list, func() int { b.list = nil; return 7 }())
	fmt.Println(b.list, b.next.list, b.m)
	c := b
	b.list, c = append(b.list, 9), nil
	fmt.Println(b.list, c)
	list := [][]int{{1}, {2}}
	i := 0
	list[i] = append(list[i], func() int { i = 1; return 5 }())
	fmt.Println(list)
	p := &list[0]
	*p = append(*p, 1, 2, 3)
	q := b.list
	q = append(q, 1)
	b.list = q
	fmt.Println(list, b.list)
}
