//go:build ignore

package main

func main() {
	var s uint = 33
	var i = 1 << s
	var j int32 = 1 << s
	var k = uint64(1 << s)
	var m int = 1.0 << s
	var n = 1.0<<s == j
	println(i, j, k, m, n)
	var a [10]int
	println(a[1.0<<(s-33)] == a[1], len(make([]byte, 1.0<<(s-31))))
}

// Stderr:
// 8589934592 0 8589934592 8589934592 true
// true 4
