package main

import (
	"fmt"

	"github.com/expr-lang/expr"
)

func main() {
	env := map[string]any{"prices": []float64{1, 2.5}, "limit": 3}
	p, err := expr.Compile(`sum(prices) > limit ? "over" : "under"`, expr.Env(env))
	if err != nil {
		panic(err)
	}
	fmt.Println(expr.Run(p, env))
}
