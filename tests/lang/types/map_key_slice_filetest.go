//go:build ignore

package main

func main() {
	var m map[[]int]string
	println(len(m))
}

// CompileError:
// map_key_slice_filetest.go:6:12: invalid map key type []int
