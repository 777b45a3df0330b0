package main

import (
	"os"

	"github.com/yuin/goldmark"
)

func main() {
	if err := goldmark.Convert([]byte("# A\n\n* b *c*\n"), os.Stdout); err != nil {
		panic(err)
	}
}
