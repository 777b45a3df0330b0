//go:build ignore

package main

var s []int // on the heap: capacities of what does not escape are the compiler's

func main() {
	last := -1
	for i := range 2000 {
		s = append(s, i)
		if cap(s) != last {
			last = cap(s)
			print(last, " ")
		}
	}
	println()
	var b []byte
	for range 40 {
		b = append(b, 1)
	}
	println(cap(b), cap(append([]string(nil), "a", "b", "c")), cap(append([]byte("12345678"), 1)))
}

// Gas: 24715

// Stderr:
// \"1 2 4 8 16 32 64 128 256 512 848 1280 1792 2560 "
// 64 3 16
