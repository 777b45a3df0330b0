//go:build ignore

package main

func main() {
	x := 1
	inc := func() { x++ }
	inc()
	inc()
	println(x)
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 10; return i })
	}
	for _, f := range fs {
		print(f(), f(), " ")
	}
	println()
}

// Gas: 896

// Stderr:
// 3
// \"00 10100 20200 "
