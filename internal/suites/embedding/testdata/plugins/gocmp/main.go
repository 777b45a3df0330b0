package main

import (
	"fmt"

	"github.com/google/go-cmp/cmp"
)

func main() {
	fmt.Println(cmp.Equal([]int{1, 2}, []int{1, 2}), len(cmp.Diff(map[string]int{"a": 1}, map[string]int{"a": 2})) > 0)
}
