package main

import (
	"fmt"

	"github.com/google/cel-go/cel"
)

func main() {
	env, err := cel.NewEnv(cel.Variable("name", cel.StringType))
	if err != nil {
		panic(err)
	}
	ast, issues := env.Compile(`name.startsWith("g") && size(name) == 3`)
	if issues.Err() != nil {
		panic(issues.Err())
	}
	p, err := env.Program(ast)
	if err != nil {
		panic(err)
	}
	out, _, err := p.Eval(map[string]any{"name": "gyr"})
	fmt.Println(out, err)
}
