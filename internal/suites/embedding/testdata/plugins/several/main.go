// Command several imports three of the modules, as one plug-in may.
package main

import (
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/go-playground/validator/v10"
	"github.com/tidwall/gjson"
)

func main() {
	n, err := expr.Eval("n + 1", map[string]any{"n": int(gjson.Get(`{"n":1}`, "n").Int())})
	fmt.Println(n, err, validator.New().Var("x", "email"))
}
