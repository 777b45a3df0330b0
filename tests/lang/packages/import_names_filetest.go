//go:build ignore

package main

import (
	"fmt"
	_ "math"
	str "strings"
	. "unicode/utf8"
)

func main() { fmt.Println(str.ToUpper("abc"), RuneCountInString("日本")) }

// Output:
// ABC 2
