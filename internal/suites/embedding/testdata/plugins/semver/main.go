package main

import (
	"fmt"

	"github.com/Masterminds/semver/v3"
)

func main() {
	c, err := semver.NewConstraint(">= 1.2, < 2")
	fmt.Println(c.Check(semver.MustParse("1.3.0")), err)
}
