//go:build ignore

package main

func main() {
	a := []string{"a", "b", "c"}
	var u8 uint8 = 1
	var i64 int64 = 2
	const f = 2.0
	p := &[3]int{7, 8, 9}
	println(a[u8], a[i64], a[f], p[u8], "xyz"['\x01'])
}

// Stderr:
// b c c 8 121
