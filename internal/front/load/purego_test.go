package load

import (
	"go/constant"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// pureModule is a program of two modules. Each has a file with the tag purego and one without it,
// which imports unsafe.
const pureModule = `
-- go.mod --
module example.com/app
go 1.26
require example.com/dep v1.0.0
replace example.com/dep => ./dep
-- main.go --
package main

import (
	"example.com/app/own"
	"example.com/dep"
)

func main() { println(own.Pure, dep.Pure) }
-- own/pure.go --
//go:build purego

package own

const Pure = true
-- own/direct.go --
//go:build !purego

package own

import _ "unsafe"

const Pure = false
-- dep/go.mod --
module example.com/dep
go 1.26
-- dep/pure.go --
//go:build purego || appengine

package dep

const Pure = true
-- dep/direct.go --
// +build !purego,!appengine

package dep

import _ "unsafe"

const Pure = false
-- dep/empty.s --
// This file lets the package declare functions without body.
-- dep/testdata/data.s --
TEXT ·f(SB), 0, $0
-- dep/nested/go.mod --
module example.com/dep/nested
-- dep/nested/code.s --
TEXT ·f(SB), 0, $0
`

// TestPurego: the tag purego is set for packages of modules with assembly and packages that may not
// import unsafe, and for all packages if the user sets it.
func TestPurego(t *testing.T) {
	const code = "TEXT ·f(SB), 0, $0\n"
	for _, c := range []struct {
		name, more string
		cfg        Options
		pure       string // packages
	}{
		{"no assembly", "", Options{Unsafe: api.UnsafeAll}, ""},
		{"assembly in a package that is not in the program", "-- dep/sub/code_amd64.s --\n" + code, Options{Unsafe: api.UnsafeAll}, "dep"},
		{"assembly of the program's own module", "-- sub/code_arm64.s --\n" + code, Options{Unsafe: api.UnsafeAll}, "own"},
		{"assembly behind the tag", "-- dep/code.s --\n//go:build !purego\n\n" + code, Options{Unsafe: api.UnsafeAll}, "dep"},
		{"no unsafe", "", Options{}, "own dep"},
		{"unsafe in dependencies", "", Options{Unsafe: api.UnsafeDependencies}, "own"},
		{"the tag is asked for", "", Options{Unsafe: api.UnsafeAll, Tags: []string{"purego"}}, "own dep"},
	} {
		p, err := loadText(pureModule+c.more, c.cfg)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var pure []string
		for _, name := range []string{"example.com/app/own", "example.com/dep"} {
			if isPure(p, name) {
				pure = append(pure, name[strings.LastIndexByte(name, '/')+1:])
			}
		}
		if got := strings.Join(pure, " "); got != c.pure {
			t.Errorf("%s: the tag is set for %q, want %q", c.name, got, c.pure)
		}
	}
}

// TestPuregoOfVendored: for a vendored module only its packages count, since its directory may
// contain another module.
func TestPuregoOfVendored(t *testing.T) {
	const text = `
-- go.mod --
module example.com/app
go 1.26
require (
	example.com/dep v1.0.0
	example.com/dep/sub v1.0.0
)
-- main.go --
package main

import (
	"example.com/dep"
	"example.com/dep/sub"
)

func main() { println(dep.Pure, sub.Pure) }
-- vendor/modules.txt --
# example.com/dep v1.0.0
## explicit; go 1.26
example.com/dep
# example.com/dep/sub v1.0.0
## explicit; go 1.26
example.com/dep/sub
-- vendor/example.com/dep/pure.go --
//go:build purego

package dep

const Pure = true
-- vendor/example.com/dep/direct.go --
//go:build !purego

package dep

const Pure = false
-- vendor/example.com/dep/sub/pure.go --
//go:build purego

package sub

const Pure = true
-- vendor/example.com/dep/sub/direct.go --
//go:build !purego

package sub

const Pure = false
-- vendor/example.com/dep/sub/code_amd64.s --
TEXT ·f(SB), 0, $0
`
	p := mustLoad(t, text, Options{Unsafe: api.UnsafeAll})
	if isPure(p, "example.com/dep") || !isPure(p, "example.com/dep/sub") {
		t.Error("want the tag for example.com/dep/sub, and for no other")
	}
}

// isPure returns a package's constant Pure.
func isPure(p *Packages, path string) bool {
	return constant.BoolVal(p.Package(path).Types.Scope().Lookup("Pure").(*types.Const).Val())
}

// TestPuregoIsAnInput adds assembly to a module after a load that depended on its absence.
func TestPuregoIsAnInput(t *testing.T) {
	text := map[string]string{"dep/sub/sub.go": "package sub\n"}
	for name, f := range files(pureModule) {
		text[name] = string(f.Data)
	}
	dir := oldTree(t, text)
	list := loadInputs(t, Options{Dir: dir, Unsafe: api.UnsafeAll})
	if names := changed(list, nil); names != nil {
		t.Fatalf("changed by themselves: %v", names)
	}
	if err := os.WriteFile(filepath.Join(dir, "dep/sub/code_amd64.s"), []byte("TEXT ·f(SB), 0, $0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if names := changed(list, nil); names == nil {
		t.Error("assembly that was added is no change")
	}
}
