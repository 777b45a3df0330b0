//go:build ignore

package main

func main() {
	/* a general comment
	   over lines acts like a newline */
	x := 1 /* inside */ + 2 // to the end
	println(x)
	s := "// not a comment /* nor this */"
	println(s)
}

// Stderr:
// 3
// // not a comment /* nor this */
