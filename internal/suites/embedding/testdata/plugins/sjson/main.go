package main

import (
	"fmt"

	"github.com/tidwall/sjson"
)

func main() {
	fmt.Println(sjson.Set(`{"a":[1,2]}`, "a.1", "x"))
}
