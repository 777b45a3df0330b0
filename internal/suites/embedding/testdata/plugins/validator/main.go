package main

import (
	"fmt"

	"github.com/go-playground/validator/v10"
)

type user struct {
	Mail string `validate:"required,email"`
	Age  int    `validate:"gte=18"`
}

func main() {
	fmt.Println(validator.New().Struct(user{"a@example.com", 17}))
}
