//go:build ignore

package main

func Each[S ~[]E, E any](s S) (n int) {
	for range s {
		n++
	}
	return
}

func Send[C ~chan int](c C) { c <- 5 }

func Make[S ~[]int](n int) S { return make(S, n) }

type Ints []int

func main() {
	c := make(chan int, 1)
	Send(c)
	println(Each([]string{"a"}), Each(Make[Ints](3)), <-c, len(Make[Ints](4)))
}

// Stderr:
// 1 3 5 4
