package main

import (
	"fmt"

	"github.com/samber/lo"
)

func main() {
	even := lo.Filter([]int{1, 2, 3, 4}, func(n, _ int) bool { return n%2 == 0 })
	fmt.Println(lo.Sum(even), lo.Uniq([]string{"a", "a"}), lo.GroupBy(even, func(n int) bool { return n > 2 }))
}
