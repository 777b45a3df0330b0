package load

import (
	"maps"
	"slices"
	"strconv"
)

// Settings are the flags of the go command that decide what a program consists of. The zero value
// stands for no flags.
type Settings struct {
	// Mod is the value of -mod: mod, readonly or vendor. Empty: the value in $GOFLAGS, or the go
	// command's choice.
	Mod string
	// ModFile is the file of -modfile, which is read instead of the main module's go.mod. Empty:
	// the file in $GOFLAGS.
	ModFile string
	// Replace holds the files of -overlay: absolute names, and the absolute names of the files with
	// their contents. A name with an empty value does not exist. Only files of the user are
	// replaced, not those of the standard library and of the module cache.
	Replace map[string]string
	// Measured names the files of Replace that may declare measured loops: see measured.go.
	Measured []string
	// Vars are the values that -ldflags=-X gives to variables, by "importpath.name".
	Vars map[string]string
	// TrimPath makes tracebacks name files as with -trimpath.
	TrimPath bool
}

// Identity returns strings that differ for settings that load different programs.
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
