//go:build ignore && go1.27

package main

type big [1 << 31]byte

var m map[int][1 << 31]byte

var k map[[1 << 40]int]int

var fits map[int][1<<31 - 1]byte

func f(map[big]*big) {}

func main() {
	_ = make(map[int]struct{ a, b [1 << 30]byte })
}

// CompileError:
// map_part_too_large_filetest.go:7:5: map element type too large
// map_part_too_large_filetest.go:9:5: map key type too large
// map_part_too_large_filetest.go:13:6: map key type too large
// map_part_too_large_filetest.go:15:6: map element type too large
