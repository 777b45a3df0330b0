package main

import (
	"fmt"

	"github.com/shopspring/decimal"
)

func main() {
	price := decimal.RequireFromString("19.99")
	fmt.Println(price.Mul(decimal.NewFromInt(3)).Round(1), price.Div(decimal.NewFromInt(7)))
}
