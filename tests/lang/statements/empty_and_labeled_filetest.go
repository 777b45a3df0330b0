//go:build ignore

package main

func main() {

	{
	}
	i := 0
Loop:
	if i < 3 {
		i++
		goto Loop
	}
	println(i)
}

// Stderr:
// 3
