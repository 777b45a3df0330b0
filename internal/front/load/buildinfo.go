package load

import (
	"bytes"
	"cmp"
	"go/ast"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/gomod"
)

// Build information. debug.ReadBuildInfo says which modules a program is made of. A program carries
// the text only if its own files name that function. The text has only what determines the program:
// no sums, no version-control stamp, and no settings but those that select its files.

// namesBuildInfo reports whether a source of the program may ask for build information.
func (f *file) namesBuildInfo(src []byte) bool {
	return bytes.Contains(src, []byte("ReadBuildInfo")) && slices.ContainsFunc(f.ast.Imports, func(s *ast.ImportSpec) bool {
		return s.Path.Value == strconv.Quote("runtime/debug")
	})
}

// buildInfo returns the build information of a program, "" if it does not ask for any.
func (l *loader) buildInfo(main *pkg, order []*pkg) string {
	asked := false
	mods := map[string]*gomod.Module{}
	for _, p := range order {
		if p.origin.std() {
			continue
		}
		asked = asked || slices.ContainsFunc(p.files, func(f *file) bool { return f.buildInfo })
		if p.mod != nil && p.mod.Path != "" {
			mods[p.mod.Path] = p.mod
		}
	}
	if !asked {
		return ""
	}
	path := main.importPath
	if main.generated { // a test binary has the path of the package under test
		path = strings.TrimSuffix(path, ".test")
	}
	info := debug.BuildInfo{Path: path, Settings: []debug.BuildSetting{
		{Key: "-compiler", Value: "gyr"}, {Key: "GOARCH", Value: "wasm"}, {Key: "GOOS", Value: "wasip1"}}}
	if tags := slices.Sorted(slices.Values(l.cfg.Tags)); len(tags) > 0 {
		info.Settings = slices.Insert(info.Settings, 1, debug.BuildSetting{Key: "-tags", Value: strings.Join(tags, ",")})
	}
	for _, m := range mods {
		one := &debug.Module{Path: m.Path, Version: cmp.Or(m.Asked, m.Version)}
		switch {
		case m.Main && info.Main.Path == "":
			info.Main = debug.Module{Path: m.Path, Version: "(devel)"}
			continue
		case m.Src.Path != "" && (m.Src.Path != m.Path || m.Src.Version != one.Version):
			one.Replace = &debug.Module{Path: m.Src.Path, Version: cmp.Or(m.Src.Version, "(devel)")}
		}
		info.Deps = append(info.Deps, one)
	}
	slices.SortFunc(info.Deps, func(a, b *debug.Module) int { return strings.Compare(a.Path, b.Path) })
	const around = 16 // bytes that package runtime/debug expects at both ends
	return strings.Repeat(" ", around) + info.String() + strings.Repeat(" ", around)
}
