//go:build ignore

package main

func main() {
	x := 0
x:
	for {
		x++
		for {
			if x == 3 {
				break x
			}
			continue x
		}
	}
	println(x)
	func() {
	x:
		for range 2 {
			continue x
		}
		println("own label")
	}()
}

// Stderr:
// 3
// own label
