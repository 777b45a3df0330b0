package main

import (
	"fmt"

	"github.com/mitchellh/mapstructure"
)

func main() {
	var v struct{ Name string }
	err := mapstructure.Decode(map[string]any{"name": "gyr"}, &v)
	fmt.Println(v, err)
}
