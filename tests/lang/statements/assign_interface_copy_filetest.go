//go:build ignore

package main

type T struct{ n int }

func main() {
	t := T{1}
	var i any = t
	t.n = 2
	println(i.(T).n)
	var j any = &t
	t.n = 3
	println(j.(*T).n)
	a := [2]int{1, 2}
	i = a
	a[0] = 9
	println(i.([2]int)[0])
}

// Stderr:
// 1
// 3
// 1
