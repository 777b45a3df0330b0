//go:build ignore

package main

func main() {
	const a = 1 << 3.0
	var s uint = 3
	var i = 1 << s
	var j int32 = 1 << s
	var k = uint64(1 << s)
	println(a, i, j, k)
	var b = make([]byte, 1<<s)
	println(len(b))
}

// Stderr:
// 8 8 8 8
// 8
