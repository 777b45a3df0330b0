//go:build ignore

package main

import "os"

func main() {
	for _, v := range []any{1, -2.5, "text\nmore", true, 'x', uint8(3), complex(1, 2)} {
		func() {
			defer func() { recover() }()
			panic(v)
		}()
	}
	os.Stdout.WriteString("out\n")
	panic(1.5)
}

// Output:
// out

// Error:
// panic: 1.5
