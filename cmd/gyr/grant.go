package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/tools/testrun"
)

// granting returns what -grant does when tests of a package lacked grants, or nil.
func granting(how string, in io.Reader, out io.Writer) func(path string, lacked []testrun.Grant) []testrun.Grant {
	switch how {
	case "suggested":
		return func(_ string, lacked []testrun.Grant) []testrun.Grant {
			return slices.DeleteFunc(slices.Clone(lacked), func(g testrun.Grant) bool { return !g.Inside })
		}
	case "ask":
		answers := bufio.NewReader(in)
		return func(path string, lacked []testrun.Grant) (given []testrun.Grant) {
			for _, g := range lacked {
				fmt.Fprintf(out, "gyr: tests of %s failed; grant %s? [y/N] ", path, g)
				answer, err := answers.ReadString('\n')
				if err != nil {
					fmt.Fprintln(out)
					return given // the end of the input is no to everything
				}
				if a := strings.ToLower(strings.TrimSpace(answer)); a == "y" || a == "yes" {
					given = append(given, g)
				}
			}
			return given
		}
	}
	return nil
}
