//go:build ignore

package main

func count(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer println("done")
		for i := range n {
			if !yield(i) {
				println("stopped")
				return
			}
		}
	}
}

func find(n int) int {
	for i := range count(10) {
		if i == n {
			return i * 100
		}
	}
	return -1
}

func main() {
	for i := range count(3) {
		if i == 1 {
			continue
		}
		println(i)
	}
	println(find(2), find(20))
}

// Gas: 1254

// Stderr:
// 0
// 2
// done
// stopped
// done
// done
// 200 -1
