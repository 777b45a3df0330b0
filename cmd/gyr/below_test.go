package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// below lists what the command uses from packages below package gyr, and why the public API does
// not do. The packages below internal/tools and internal/lab belong to the command.
var below = map[string]string{
	"engine.Source": "has what package gyr does not offer: flags of the go command, commands of the Go installation, plans (gyr build -n, -x), " +
		"observed passes (-d dump, gyr disasm)",
	"engine.Compile": "takes an engine.Source", "engine.Build": "takes an engine.Source", "engine.BaseOf": "takes an engine.Source",
	"engine.Check": "gyr build of packages that are no program", "engine.List": "patterns like ./... of build and vet",
	"engine.ErrPlanned": "the end of a plan", "engine.Observer": "passes at work, for -d dump and gyr disasm",
	"engine.Program": "what engine.Compile returns", "engine.Instance": "an instance of an engine.Program", "engine.Config": "of an engine.Instance",
	"engine.NeedEnv":    "the kind of a hint; package gyr has hints as sentences",
	"engine.Stats":      "with instructions and blocks, which -d count prints",
	"engine.BaseConfig": "a base whose layers wait until a program needs them", "engine.Base": "likewise", "engine.NewBase": "likewise",
	"engine.BuildStd": "gyr std build", "engine.StdInfoOf": "what a std file holds, for gyr std and gyr env", "engine.ImageInfo": "what an image was built for, for errors of gyr run",
	"engine.FindGo": "the release of an installation that gyr std names", "engine.Debug": "the settings of -d, as text", "engine.DebugHelp": "the same for -h",
	"load.Settings": "flags of the go command", "load.Listed": "what a pattern names", "load.Step": "a step of a plan", "diag.Error": "positions of messages, as -json prints them",
	"diag.Errors": "likewise", "load.NamesFiles": "whether arguments are files or packages, as go run decides", "gomod.SelectGo": "the release that go.mod and GOTOOLCHAIN select; an embedder's GOROOT decides",
	"gomod.Installations": "what is found where, for the error that names it",
	"release.Of":          "which std file serves a release", "release.Oldest": "likewise", "release.Served": "likewise", "release.ServedNames": "gyr version -m", "release.Names": "gyr doctor",
	"hostpkg.Parse": "gyr stubs: positions in the file of a declaration, which an embedder has as a string", "hostpkg.Package": "likewise", "hostpkg.Error": "likewise",
	"hostfile.Read": "files that a user names: sizes and kinds are looked at first",
	"ir.Func":       "gyr disasm", "opt.Metering": "the name of the setting that -d nopass refuses to combine with -gas", "rt.ParseSize": "sizes such as 64MiB in flags",
}

// TestBelow compares the list with what the command's source uses from below package gyr.
func TestBelow(t *testing.T) {
	names, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]string{}
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".go") || strings.HasSuffix(n.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, n.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		of := map[string]bool{} // names of packages below
		for _, imp := range f.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			inside, ok := strings.CutPrefix(path, "github.com/gyrvm/gyr/internal/")
			if ok && !strings.HasPrefix(inside, "tools/") && !strings.HasPrefix(inside, "lab/") && inside != "printable" {
				of[path[strings.LastIndexByte(path, '/')+1:]] = true
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && of[x.Name] && s.Sel.IsExported() {
					used[x.Name+"."+s.Sel.Name] = fmt.Sprint(fset.Position(s.Pos()))
				}
			}
			return true
		})
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if below[name] == "" {
			t.Errorf("%s: %s is used: package gyr has it, or give the reason in the list below", used[name], name)
		}
	}
	for name := range below {
		if used[name] == "" {
			t.Errorf("%s is used no more: take it out of the list below", name)
		}
	}
}
