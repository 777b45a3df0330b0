package main

import (
	"fmt"

	"github.com/jmespath/go-jmespath"
)

func main() {
	fmt.Println(jmespath.Search("a[?n > `1`].n | [0]", map[string]any{"a": []any{map[string]any{"n": 2.0}}}))
}
