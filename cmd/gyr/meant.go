package main

import (
	"flag"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/tools/spelling"
)

// This file suggests what the user may have meant by an unknown name.

// commandsOfGo are commands of go that gyr does not have, and what to use instead.
var commandsOfGo = map[string]string{
	"bug": "run go bug", "doc": "run go doc", "fix": "run go fix", "fmt": "run gofmt", "generate": "run go generate",
	"get": "gyr does not change modules: run go get", "install": "gyr build writes an image, which gyr run runs",
	"list": "run go list", "mod": "gyr does not change modules: run go mod", "telemetry": "there is none",
	"tool": "run go tool", "work": "run go work",
}

// meantCommand returns what to append to the error for an unknown command.
func meantCommand(name string) string {
	if instead := commandsOfGo[name]; instead != "" {
		return "; " + instead
	}
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return didYouMean(name, "", append(names, "help"))
}

// meantFlag returns what to append to an error of parsing flags.
func meantFlag(fs *flag.FlagSet, err error) string {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		return ""
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) }) // refused flags too: they explain themselves
	return didYouMean(name, "-", names)
}

// didYouMean asks whether the nearest of some names was meant. A name that shares no letter with
// the given one is not near, however short both are.
func didYouMean(name, prefix string, names []string) string {
	names = slices.DeleteFunc(names, func(s string) bool { return !strings.ContainsAny(s, name) })
	if near := spelling.Nearest(name, names); near != "" {
		return "; did you mean " + prefix + near + "?"
	}
	return ""
}
