//go:build ignore

package main

func counter() (inc func() int, get func() int) {
	n := 0
	inc = func() int { n++; return n }
	get = func() int { return n }
	return
}

func main() {
	inc, get := counter()
	inc2, get2 := counter()
	inc()
	inc()
	inc2()
	println(get(), get2())
}

// Gas: 229

// Stderr:
// 2 1
