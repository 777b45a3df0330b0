//go:build ignore

package main

type T struct{ c chan int }

func (t T) Send(n int) { t.c <- n }

func main() {
	t := T{make(chan int, 3)}
	go t.Send(1)
	go T.Send(t, 2)
	println(<-t.c + <-t.c)
}

// Stderr:
// 3
