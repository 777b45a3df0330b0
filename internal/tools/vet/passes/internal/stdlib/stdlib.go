// Package stdlib says since which release the standard library has its symbols. It takes the place of the package of
// that name in golang.org/x/tools, whose table, of all symbols, is made when a process starts.
package stdlib

import (
	"strconv"
	"strings"
	"sync"
)

// A Symbol is one that the standard library did not always have.
type Symbol struct {
	Name    string // "Println", "Point.X", "(*Buffer).Grow" or "(Reader).Read"
	Kind    Kind
	Version Version
}

// A Kind is a kind of symbol.
type Kind int8

const (
	Type Kind = iota
	Func
	Var
	Const
	Field
	Method
)

var kinds = [...]string{Type: "Type", Func: "Func", Var: "Var", Const: "Const", Field: "Field", Method: "Method"}

// A Version is that of a release: its minor number.
type Version int8

func (v Version) String() string { return "go1." + strconv.Itoa(int(v)) }

// Symbols returns the symbols of a package that came with Go 1.22 or later.
func Symbols(path string) []Symbol { return symbols()[path] }

var symbols = sync.OnceValue(func() map[string][]Symbol {
	m := map[string][]Symbol{}
	path := ""
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		rest, ok := strings.CutPrefix(line, "\t")
		if !ok {
			path = line
			continue
		}
		f := strings.Fields(rest)
		version, _ := strconv.Atoi(f[2])
		m[path] = append(m[path], Symbol{Name: f[0], Kind: kindOf(f[1]), Version: Version(version)})
	}
	return m
})

func kindOf(name string) Kind {
	for k, n := range kinds {
		if n == name {
			return Kind(k)
		}
	}
	return -1
}

// SplitField returns the type and the name of a field.
func (s *Symbol) SplitField() (typename, name string) {
	typename, name, _ = strings.Cut(s.Name, ".")
	return typename, name
}

// SplitMethod returns the receiver and the name of a method.
func (s *Symbol) SplitMethod() (ptr bool, recv, name string) {
	recv, name, _ = strings.Cut(s.Name, ".")
	recv, ptr = strings.CutPrefix(strings.Trim(recv, "()"), "*")
	return ptr, recv, name
}
