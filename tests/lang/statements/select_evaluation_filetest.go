//go:build ignore

package main

func ch(s string, c chan int) chan int { print(s, " "); return c }
func val(n int) int                    { print("v", n, " "); return n }

func main() {
	a, b := make(chan int, 1), make(chan int)
	var arr [2]int
	select {
	case arr[val(1)] = <-ch("recv", b):
	case ch("send", a) <- val(2):
		println("sent")
	}
	println(<-a, arr[1])
}

// Stderr:
// recv send v2 sent
// 2 0
