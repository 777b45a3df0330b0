//go:build ignore

package main

func main() {
	c := make(chan int)
	close(c)
	n := 0
	for n < 3 {
		select {
		case _, ok := <-c:
			if ok {
				panic("open")
			}
			n++
		}
	}
	println(n)
	defer func() { println(recover().(error).Error()) }()
	select {
	case c <- 1:
	default:
	}
}

// Stderr:
// 3
// send on closed channel
