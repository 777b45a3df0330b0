//go:build ignore

package main

func main() {
	var a [3]struct{ x, y int }
	for i := range a {
		a[i].x = i
		p := &a[i].y
		*p = i * 10
	}
	b := a
	b[1].y = -1
	println(a[1].x, a[1].y, b[1].y, a[2].y)
}

// Stderr:
// 1 10 -1 20
