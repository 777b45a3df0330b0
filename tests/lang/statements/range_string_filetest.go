//go:build ignore

package main

func main() {
	for i, r := range "aé世\xffz" {
		println(i, r)
	}
	n := 0
	for range "日本" {
		n++
	}
	println(n)
}

// Gas: 1036

// Stderr:
// 0 97
// 1 233
// 3 19990
// 6 65533
// 7 122
// 2
