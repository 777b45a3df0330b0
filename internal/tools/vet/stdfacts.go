package vet

import (
	_ "embed"
	"strings"
	"sync"

	"golang.org/x/tools/go/types/objectpath"
)

// stdText has the facts of the standard library: a line for each package and, behind a tab, for each fact the path of the
// object, the type and the value. TestStdFacts writes it, with -update.
//
//go:embed stdfacts.txt
var stdText string

// stdTable returns the facts by package.
var stdTable = sync.OnceValue(func() map[string][]storedFact {
	m := map[string][]storedFact{}
	path := ""
	for line := range strings.Lines(stdText) {
		line = strings.TrimSuffix(line, "\n")
		rest, ok := strings.CutPrefix(line, "\t")
		if !ok {
			path = line
			continue
		}
		if f := strings.Fields(rest); len(f) == 3 {
			m[path] = append(m[path], storedFact{objectpath.Path(f[0]), f[1], []byte(f[2])})
		}
	}
	return m
})
