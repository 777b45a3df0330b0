//go:build ignore

package main

func main() {
	done := make(chan bool)
	x := 1
	go func(n int) {
		println(n)
		done <- true
	}(x)
	x = 2
	<-done
	f := func() { println("f"); done <- true }
	go f()
	f = nil
	<-done
}

// Gas: 998

// Stderr:
// 1
// f
