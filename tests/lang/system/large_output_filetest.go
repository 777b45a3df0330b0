//go:build ignore

package main

import (
	"bufio"
	"os"
)

func main() {
	w := bufio.NewWriter(os.Stdout)
	for i := range 200 {
		w.WriteByte(byte('a' + i%26))
		if i%40 == 39 {
			w.WriteByte('\n')
		}
	}
	w.Flush()
}

// Output:
// abcdefghijklmnopqrstuvwxyzabcdefghijklmn
// opqrstuvwxyzabcdefghijklmnopqrstuvwxyzab
// cdefghijklmnopqrstuvwxyzabcdefghijklmnop
// qrstuvwxyzabcdefghijklmnopqrstuvwxyzabcd
// efghijklmnopqrstuvwxyzabcdefghijklmnopqr
