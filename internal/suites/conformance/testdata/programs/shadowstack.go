// Frames of the shadow stack whose chunks lie right behind each other.
package main

import (
	"fmt"
	"runtime"
)

//go:noinline
func frame(depth int, mark byte) bool {
	var local [1024]byte
	for i := range local {
		local[i] = mark
	}
	ok := true
	if depth > 0 {
		ok = frame(depth-1, mark)
	} else {
		runtime.Gosched()
	}
	for i := range local {
		ok = ok && local[i] == mark
	}
	return ok
}

func main() {
	const n = 20
	var results [n]bool
	done := make(chan int)
	for i := range n {
		go func() {
			ok := true
			for _, depth := range []int{300, 20, 100, 60, 30, 300} {
				ok = frame(depth, byte(i)) && ok
			}
			results[i] = ok
			done <- 1
		}()
	}
	for range n {
		<-done
	}
	fmt.Println(results)
}
