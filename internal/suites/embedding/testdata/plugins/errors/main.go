package main

import (
	"fmt"

	"github.com/pkg/errors"
)

func main() {
	err := errors.Wrap(errors.New("low"), "high")
	fmt.Println(err, errors.Cause(err))
}
