package vet

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/gyrvm/gyr/internal/engine"
)

// Options say how packages are analysed.
type Options struct {
	Source    engine.Source // Dir, Tags, GOROOT, FS, Moved, Cache, Base
	Analyzers []string      // names, in any order; nil: all
	Jobs      int           // units at a time; 0: as many as there are processors
}

// ForTests are the analyzers that go test runs.
var ForTests = []string{"atomic", "bools", "buildtag", "directive", "errorsas", "ifaceassert", "nilfunc", "printf",
	"stringintconv", "tests"}

// Names returns the names of all analyzers, sorted.
func Names() (names []string) {
	for _, a := range suite() {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// Known reports whether there is an analyzer with a name.
func Known(name string) bool { return slices.Contains(Names(), name) }

// RegisterFlags adds the flags of the analyzers' own to a set, with the names of the analyzers before theirs.
func RegisterFlags(fs *flag.FlagSet) {
	for _, a := range suite() {
		a.Flags.VisitAll(func(f *flag.Flag) { fs.Var(f.Value, a.Name+"."+f.Name, f.Usage) })
	}
}

// Doc returns what the documentation of an analyzer says: its first line.
func Doc(name string) string {
	for _, a := range suite() {
		if a.Name == name {
			first, _, _ := strings.Cut(a.Doc, "\n")
			return first
		}
	}
	return ""
}

// chosen returns the analyzers to run, in the order of the suite, and those of them, or that they require, that make
// facts.
func (o *Options) chosen() (list, makers []*analysis.Analyzer) {
	for _, a := range suite() {
		if o.Analyzers == nil || slices.Contains(o.Analyzers, a.Name) {
			list = append(list, a)
		}
	}
	seen := map[*analysis.Analyzer]bool{}
	var visit func(list []*analysis.Analyzer)
	visit = func(list []*analysis.Analyzer) {
		for _, a := range list {
			if seen[a] {
				continue
			}
			seen[a] = true
			visit(a.Requires)
			if len(a.FactTypes) > 0 {
				makers = append(makers, a)
			}
		}
	}
	visit(list)
	return list, makers
}

// identity is all that decides what analyzers find in a unit, but for the unit.
func identity(list []*analysis.Analyzer) (parts []string) {
	for _, a := range list {
		parts = append(parts, a.Name)
		a.Flags.VisitAll(func(f *flag.Flag) { parts = append(parts, fmt.Sprintf("-%s=%s", f.Name, f.Value)) })
	}
	return parts
}
