package main

import (
	"os"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"
)

// runYaegi interprets the program in the file args[0] with the other arguments.
func runYaegi(args []string) error {
	i := interp.New(interp.Options{Args: args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
	if err := i.Use(stdlib.Symbols); err != nil {
		return err
	}
	_, err := i.EvalPath(args[0])
	return err
}
