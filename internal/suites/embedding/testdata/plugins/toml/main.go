package main

import (
	"fmt"

	"github.com/BurntSushi/toml"
)

func main() {
	var v struct{ Rate float64 }
	_, err := toml.Decode("rate = 0.5\n", &v)
	fmt.Println(v, err)
}
