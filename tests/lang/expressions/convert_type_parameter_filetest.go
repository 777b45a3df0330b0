//go:build ignore

package main

func To[T ~int8 | ~int | ~float64](n int) T { return T(n) }

func Bytes[T ~string | ~[]byte](t T) int { return len([]byte(t)) }

func main() {
	println(To[int8](1000), To[int](1000), To[float64](3) == 3, Bytes("héy"), Bytes([]byte{1}))
}

// Stderr:
// -24 1000 true 4 1
