//go:build ignore

package main

import (
	"bufio"
	"os"
	"strings"
)

func main() {
	sc := bufio.NewScanner(os.Stdin)
	n := 0
	for sc.Scan() {
		n++
		println(n, strings.ToUpper(sc.Text()))
	}
}

// Stdin:
// first
//
// third

// Stderr:
// 1 FIRST
// \"2 "
// 3 THIRD
