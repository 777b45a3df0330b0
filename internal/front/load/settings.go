package load

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// Settings are flags of the go command that decide what a program consists of. The zero value is that of a go command
// without flags.
type Settings struct {
	// Mod is the value of -mod: mod, readonly or vendor. Empty: that in $GOFLAGS, or what the go command would choose.
	Mod string
	// ModFile is the file of -modfile, which is read in the place of the main module's go.mod. Empty: that in $GOFLAGS.
	ModFile string
	// Replace holds the files of -overlay: absolute names, and the absolute names of the files with their contents. A
	// name with an empty value does not exist. Only files of the user are replaced, not those of the standard library
	// and of the module cache.
	Replace map[string]string
	// Measured names the files of Replace that may declare measured loops: see measured.go.
	Measured []string
	// Vars are the values that -ldflags=-X gives to variables, by "importpath.name".
	Vars map[string]string
	// TrimPath has tracebacks name files as with -trimpath.
	TrimPath bool
}

// Identity returns strings that differ for settings with which different programs are loaded.
func (s *Settings) Identity() []string {
	parts := []string{s.Mod, s.ModFile, strconv.FormatBool(s.TrimPath)}
	parts = append(append(parts, strconv.Itoa(len(s.Measured))), s.Measured...)
	for _, m := range []map[string]string{s.Replace, s.Vars} {
		parts = append(parts, strconv.Itoa(len(m)))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			parts = append(parts, k, m[k])
		}
	}
	return parts
}

// flag returns the value of a flag that may also stand in $GOFLAGS.
func (s *Settings) flag(name string) string {
	switch name {
	case "mod":
		return s.Mod
	case "modfile":
		return s.ModFile
	}
	return ""
}

// modFile returns the file that is read in the place of a main module's go.mod: file, or that of -modfile.
func (l *loader) modFile(file string) string {
	if name := l.goflag("modfile"); name != "" {
		return l.user.At(l.dir, name)
	}
	return file
}

// modFileTree returns the tree that has the file of modFile: that of the module, or all files of the user.
func (l *loader) modFileTree(t filetree.Tree) filetree.Tree {
	if l.goflag("modfile") != "" {
		return l.user
	}
	return t
}

// A Step is one of the program's own packages, as it is about to be compiled.
type Step struct {
	Path  string   // as imports name it; command-line-arguments for a list of files
	Files []string // with the names that positions have
}

// stepsOf returns the packages of a program that are not of the standard library, in the order in which they are compiled.
func stepsOf(order []*pkg) (list []Step) {
	for _, p := range order {
		if p.origin.std() {
			continue
		}
		s := Step{Path: p.importPath}
		for _, f := range p.files {
			s.Files = append(s.Files, f.name)
		}
		list = append(list, s)
	}
	return list
}

// ErrPlanned is what Options.Plan returns if nothing is to be compiled.
var ErrPlanned = errors.New("nothing was compiled, since only the plan was asked for")
