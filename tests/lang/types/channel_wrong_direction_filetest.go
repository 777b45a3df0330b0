//go:build ignore

package main

func f(r <-chan int, s chan<- int) {
	r <- 1
	<-s
	close(r)
}

func main() {}

// CompileError:
// channel_wrong_direction_filetest.go:6:4: invalid operation: cannot send to receive-only channel <-chan int r (variable of type <-chan int)
// channel_wrong_direction_filetest.go:7:4: invalid operation: cannot receive from send-only channel chan<- int s (variable of type chan<- int)
// channel_wrong_direction_filetest.go:8:8: invalid operation: cannot close receive-only channel r (variable of type <-chan int)
