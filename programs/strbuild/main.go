// Command strbuild builds, splits, searches and joins strings. The size is the
// number of words.
//
// Usage: strbuild [size]
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	n := size(200000)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("w")
		b.WriteString(strconv.Itoa(i * 2654435761 % 1000003))
	}
	text := b.String()
	fields := strings.Fields(text)
	sum := 0
	for _, f := range fields {
		if strings.HasSuffix(f, "7") || strings.Contains(f, "42") {
			sum += len(f)
		}
	}
	up := strings.ToUpper(strings.Join(fields[:n/2], "-"))
	for i, r := range up {
		if r == '-' {
			sum += i
		}
	}
	s := ""
	for i := range 2000 {
		s += string(rune('a' + i%26))
	}
	rep := strings.ReplaceAll(text, "w1", "<one>")
	fmt.Println(len(text), len(fields), sum, len(s), len(rep), strings.Count(rep, "<one>"))
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
