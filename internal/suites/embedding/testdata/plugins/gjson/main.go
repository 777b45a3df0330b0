package main

import (
	"fmt"

	"github.com/tidwall/gjson"
)

func main() {
	const order = `{"lines":[{"sku":"a","n":2},{"sku":"b","n":3}]}`
	fmt.Println(gjson.Get(order, "lines.#.n"), gjson.Get(order, `lines.#(sku=="b").n`).Int())
}
