//go:build ignore

package main

func main() {
	i := 0
	x := []int{10, 20, 30}
	i, x[i] = 1, 2
	println(i, x[0])
	i = 0
	x[i], i = 2, 1
	println(x[0], i)
	x[0], x[0] = 1, 2
	println(x[0])
	x[1], x[2] = x[2], x[1]
	println(x[1], x[2])
	var p *struct{ n int }
	defer func() {
		recover()
		println(i)
	}()
	i, p.n = 7, 8
}

// Stderr:
// 1 2
// 2 1
// 2
// 30 20
// 7
