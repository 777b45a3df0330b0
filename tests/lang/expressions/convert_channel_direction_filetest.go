//go:build ignore

package main

func main() {
	c := make(chan int, 1)
	var s chan<- int = c
	println(cap(s))
	d := (chan int)(s)
	println(d)
}

// CompileError:
// convert_channel_direction_filetest.go:9:18: cannot convert s (variable of type chan<- int) to type chan int
