//go:build ignore

package main

func f[P any](x any) int {
	switch x.(type) {
	case P:
		return 0
	case string:
		return 1
	case []P:
		return 2
	case [4]byte:
		return 3
	}
	return 4
}

func main() {
	println(f[string]("foo"), f[int]("foo"), f[byte]([]byte{}), f[byte]([4]byte{}), f[[]byte]([]byte{}), f[int](nil))
}

// Stderr:
// 0 1 2 3 0 4
