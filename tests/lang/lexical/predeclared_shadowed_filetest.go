//go:build ignore

package main

func main() {
	true := false
	len := func(s string) int { return 42 }
	type int string
	var nil int = "nil"
	println(true, len("x"), nil)
	{
		string := 7
		println(string)
	}
}

// Stderr:
// false 42 nil
// 7
