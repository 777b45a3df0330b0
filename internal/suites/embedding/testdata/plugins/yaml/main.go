package main

import (
	"fmt"

	"gopkg.in/yaml.v3"
)

func main() {
	var v struct{ Rules []string }
	err := yaml.Unmarshal([]byte("rules:\n- a\n- b\n"), &v)
	out, _ := yaml.Marshal(v)
	fmt.Printf("%v %v %q\n", v, err, out)
}
