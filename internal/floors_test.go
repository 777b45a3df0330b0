// Package internal_test checks the order of the folders that docs/ARCHITECTURE.md describes.
package internal_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/gyrvm/gyr"

// A floor is one or several folders on the same level, with everything below them.
type floor struct {
	name    string
	folders []string // relative to the module's root; "." is the root only
	imports []string // names of the other floors that its packages may import
}

// floors are listed from the ground up: no floor may import a later one.
var floors = []floor{
	{"text", []string{"internal/printable"}, nil},
	{"states", []string{"state", "store"}, nil},
	{"types", []string{"api"}, []string{"text", "states"}},
	{"ground", []string{"internal/cancel", "internal/decode", "internal/hostfile", "internal/modproxy", "internal/release", "internal/stdfile"}, []string{"text"}},
	{"ir", []string{"internal/ir", "internal/failure"}, []string{"ground", "types"}},
	{"middle", []string{"internal/gas", "internal/image", "internal/opt"}, []string{"text", "types", "ground", "ir"}},
	{"front", []string{"internal/front"}, []string{"text", "types", "ground", "ir"}},
	{"run", []string{"internal/run"}, []string{"text", "types", "ground", "states", "ir", "middle"}},
	{"back", []string{"internal/back"}, []string{"text", "types", "ground", "ir", "middle", "run"}},
	{"engine", []string{"internal/engine", "internal/cache"}, []string{"text", "types", "ground", "states", "ir", "middle", "front", "run", "back"}},
	{"api", []string{".", "gyrhttp", "gyrexpvar", "internal/telemetry"}, []string{"types", "states", "ir", "front", "run", "engine"}},
	{"tools", []string{"internal/tools"}, []string{"text", "types", "ground", "ir", "middle", "front", "run", "back", "engine", "api"}},
	{"lab", []string{"internal/lab"}, []string{"text", "types", "ground", "ir", "middle", "front", "run", "back", "engine", "api", "tools", "programs"}},
	{"suites", []string{"internal/suites"}, []string{"text", "types", "ground", "ir", "middle", "front", "run", "back", "engine", "api"}},
	{"commands", []string{"cmd", "internal/cmd"}, []string{"text", "types", "ground", "ir", "middle", "front", "run", "back", "engine", "api", "tools", "lab"}},
	{"programs", []string{"programs", "examples"}, []string{"api", "types", "states"}},
}

// apart are pairs of packages on one floor. The first must not import the second: what both need is
// on a lower floor.
var apart = [][2]string{
	{"internal/back/interp", "internal/back/native"},
	{"internal/back/bytecode", "internal/back/native"},
	{"internal/front/load", "internal/front/lower"},
	{"internal/back/native/plan", "internal/back/native/amd64"},
	{"internal/back/native/regalloc", "internal/back/native/amd64"},
	{"internal/back/native/regalloc", "internal/back/native/plan"},
}

// topmost are the floors that tests of other floors do not import: these floors have whole programs
// compiled.
var topmost = []string{"tools", "lab", "suites", "commands", "programs"}

// testsMayImport are exceptions for tests of all floors: they provide common cases.
var testsMayImport = []string{"internal/suites/irtest", "internal/suites/irtest/passes", "internal/suites/daily", "internal/suites/docpart", "internal/suites/pagesize", "internal/suites/installed", "internal/suites/stdlayers"}

// TestFloors checks the imports of each package.
func TestFloors(t *testing.T) {
	pkgs := list(t)
	if len(pkgs) < 40 {
		t.Fatalf("only %d packages", len(pkgs))
	}
	seen := map[string]bool{}
	for _, p := range pkgs {
		at := floorOf(p.name())
		if p.name() == "internal" {
			continue // this test
		}
		if at == nil {
			t.Errorf("%s lies on no floor: put it into floors, and into docs/ARCHITECTURE.md", p.name())
			continue
		}
		seen[at.name] = true
		for _, dep := range p.ours(p.Imports) {
			if to := floorOf(dep); to != nil && to != at && !slices.Contains(at.imports, to.name) {
				t.Errorf("%s (%s) imports %s (%s)", p.name(), at.name, dep, to.name)
			}
			for _, pair := range apart {
				if below(p.name(), pair[0]) && below(dep, pair[1]) {
					t.Errorf("%s imports %s: what both need stands below them", p.name(), dep)
				}
			}
		}
		for _, dep := range p.ours(append(p.TestImports, p.XTestImports...)) {
			to := floorOf(dep)
			if to != nil && to != at && slices.Contains(topmost, to.name) && !slices.Contains(topmost, at.name) && !slices.Contains(testsMayImport, dep) {
				t.Errorf("a test of %s (%s) imports %s (%s): it belongs there", p.name(), at.name, dep, to.name)
			}
			if to != nil && to != at && to.name == "lab" && at.name != "commands" {
				t.Errorf("a test of %s (%s) imports %s: what changes in the lab would run tests of the core again", p.name(), at.name, dep)
			}
		}
	}
	for i, f := range floors {
		if !seen[f.name] {
			t.Errorf("nothing stands on floor %s", f.name)
		}
		for _, to := range f.imports {
			k := slices.IndexFunc(floors, func(g floor) bool { return g.name == to })
			if k < 0 || k >= i && to != "programs" {
				t.Errorf("%s may import %s, which is no floor below", f.name, to)
			}
		}
	}
}

// TestPlacesOfFloors: the longest folder decides, and only whole folder names count.
func TestPlacesOfFloors(t *testing.T) {
	for pkg, want := range map[string]string{
		".": "api", "cmd/gyr": "commands", "internal/cmd/mutants": "commands", "internal/ir": "ir",
		"internal/opt/facts": "middle", "internal/back/native/plan": "back", "internal/irx": "", "tests/lang": "",
	} {
		got := ""
		if f := floorOf(pkg); f != nil {
			got = f.name
		}
		if got != want {
			t.Errorf("%s lies on floor %q, want %q", pkg, got, want)
		}
	}
}

// floorOf returns the floor of a package, or nil if it has none.
func floorOf(pkg string) *floor {
	for i := range floors {
		for _, folder := range floors[i].folders {
			if below(pkg, folder) {
				return &floors[i]
			}
		}
	}
	return nil
}

// below reports whether a package is in a folder or below it; "." has only the root itself.
func below(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func (p *listed) name() string { return short(p.ImportPath) }

// ours returns the imports that belong to this module, by their folders.
func (p *listed) ours(paths []string) []string {
	var names []string
	for _, path := range paths {
		if path == module || strings.HasPrefix(path, module+"/") {
			names = append(names, short(path))
		}
	}
	return names
}

func short(path string) string {
	if path == module {
		return "."
	}
	return strings.TrimPrefix(path, module+"/")
}

func list(t *testing.T) []listed {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", module+"/...")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no go command: ", err)
	}
	var pkgs []listed
	for d := json.NewDecoder(out); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal("go list: ", err)
	}
	return pkgs
}
