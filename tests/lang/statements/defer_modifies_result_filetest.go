//go:build ignore

package main

func f() (result int) {
	defer func() { result *= 7 }()
	return 6
}

func g() int {
	r := 6
	defer func() { r *= 7 }()
	return r
}

func main() { println(f(), g()) }

// Gas: 319

// Stderr:
// 42 6
