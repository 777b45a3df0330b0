//go:build ignore

package main

func a(x int) int {
	switch {
	case x > 0:
		return 1
	default:
		panic("a")
	}
}

func b() int {
	for {
	}
}

func c(x int) int {
	if x > 0 {
		return 1
	} else if x < 0 {
		return -1
	} else {
		goto L
	}
L:
	return 0
}

func d(ch chan int) int {
	select {
	case v := <-ch:
		return v
	}
}

func main() {
	ch := make(chan int, 1)
	ch <- 9
	println(a(1), c(0), c(-4), d(ch))
	_ = b
}

// Stderr:
// 1 0 -1 9
