package load

import (
	"go/constant"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// constOf returns the value of a constant of the main package.
func constOf(t *testing.T, p *Packages, name string) string {
	t.Helper()
	c, ok := p.Package("main").Types.Scope().Lookup(name).(*types.Const)
	if !ok {
		t.Fatalf("no constant %s", name)
	}
	if c.Val().Kind() == constant.String {
		return constant.StringVal(c.Val())
	}
	return c.Val().String()
}

func TestTags(t *testing.T) {
	const text = `
-- go.mod --
module m
go 1.26
-- main.go --
package main
func main() {}
-- a.go --
//go:build fast
package main
const How = "fast"
-- b.go --
//go:build !fast
package main
const How = "slow"
-- c_linux.go --
package main
const Where = "linux"
-- c_wasip1.go --
package main
const Where = "wasip1"
-- d_test.go --
package main
const How = 1
`
	if got := constOf(t, mustLoad(t, text, Options{cacheOverlay: true}), "How"); got != "slow" {
		t.Errorf("without the tag: %s", got)
	}
	p := mustLoad(t, text, Options{Tags: []string{"fast"}, NoCache: true})
	if got := constOf(t, p, "How") + constOf(t, p, "Where"); got != "fastwasip1" {
		t.Errorf("with the tag: %s", got)
	}
}

func TestReplace(t *testing.T) {
	p := mustLoad(t, `
-- app/go.mod --
module m
go 1.26
require (
	example.com/a v1.0.0
	example.com/a/nested v1.2.0
	example.com/b v1.0.0
)
replace example.com/a => ../a
replace example.com/a/nested v1.2.0 => ./nested
replace example.com/b => ../b
-- app/main.go --
package main
import (
	"example.com/a"
	"example.com/a/nested"
)
const V = a.V + nested.V
func main() {}
-- app/nested/go.mod --
module example.com/a/nested
go 1.18
-- app/nested/n.go --
package nested
const V = "nested"
-- a/go.mod --
module example.com/a
go 1.21
require example.com/b v1.0.0
-- a/a.go --
package a
import "example.com/b/sub"
const V = sub.V
-- a/nested/go.mod --
module example.com/a/nested
-- a/nested/wrong.go --
package nested
const V = "wrong"
-- b/go.mod --
module example.com/b
-- b/sub/b.go --
package sub
const V = "b"
`, Options{Dir: "app", cacheOverlay: true})
	if got := constOf(t, p, "V"); got != "bnested" {
		t.Errorf("V = %q", got)
	}
	for path, want := range map[string]string{
		"main": "go1.26", "example.com/a": "go1.21", "example.com/a/nested": "go1.18", "example.com/b/sub": "go1.16",
	} {
		if got := p.Package(path).GoVersion; got != want {
			t.Errorf("language version of %s: %s, want %s", path, got, want)
		}
	}
}

func TestVendor(t *testing.T) {
	const text = `
-- go.mod --
module m
go 1.26
require example.com/a v1.0.0
-- main.go --
package main
import "example.com/a/sub"
const V = sub.V
func main() {}
-- vendor/modules.txt --
# example.com/a v1.0.0
## explicit; go 1.21
example.com/a/sub
-- vendor/example.com/a/sub/s.go --
package sub
const V = "vendored"
`
	p := mustLoad(t, text, Options{cacheOverlay: true})
	if got := constOf(t, p, "V"); got != "vendored" {
		t.Errorf("V = %q", got)
	}
	if got := p.Package("example.com/a/sub").GoVersion; got != "go1.21" {
		t.Errorf("language version %s", got)
	}
	_, err := loadText(strings.Replace(text, "example.com/a/sub\n-- vendor/ex", "-- vendor/ex", 1), Options{cacheOverlay: true})
	if want := `main.go:2:8: cannot find module providing package example.com/a/sub: import lookup disabled by -mod=vendor`; err == nil || err.Error() != want {
		t.Errorf("not vendored: %v", err)
	}
}

// writeTree writes an archive below a directory.
func writeTree(t *testing.T, dir, text string) {
	t.Helper()
	for name, f := range files(text) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWorkspace(t *testing.T) {
	p := mustLoad(t, `
-- go.work --
go 1.26
use (
	./app
	./lib
)
-- app/go.mod --
module m
go 1.26
-- app/main.go --
package main
import "example.com/lib"
const V = lib.V
func main() {}
-- lib/go.mod --
module example.com/lib
go 1.24
-- lib/lib.go --
package lib
const V = "lib"
`, Options{Dir: "app", cacheOverlay: true})
	if got := constOf(t, p, "V"); got != "lib" {
		t.Errorf("V = %q", got)
	}
}

// TestCgoChoice checks that packages which have files for a build without cgo are loaded that way.
func TestCgoChoice(t *testing.T) {
	p := mustLoad(t, `
-- go.mod --
module m
go 1.26
-- main.go --
package main
func main() {}
-- with.go --
package main
import "C"
const How = "with cgo"
-- without.go --
//go:build !cgo
package main
const How = "without cgo"
-- how.c --
int how;
-- how.h --
extern int how;
`, Options{cacheOverlay: true})
	if got := constOf(t, p, "How"); got != "without cgo" {
		t.Errorf("How = %q", got)
	}
}

// TestGODEBUG compares the defaults with those that the go command of the installation computes for
// the same modules.
func TestGODEBUG(t *testing.T) {
	goroot, _ := installed(t)
	for _, tt := range []struct{ mod, head string }{
		{"module m\ngo 1.26\n", ""},
		{"module m\ngo 1.26\ngodebug panicnil=1\n", "//go:debug execerrdot=0\n"},
		{"module m\ngo 1.24\n", "//go:debug urlstrictcolons=1\n\n//go:debug decoratemappings=1\n"},
		{"module m\ngo 1.26\ngodebug default=go1.25\n", ""},
		{"module m\ngo 1.21\n", ""},
		{"module m\n", ""},
		{"module m\ngodebug default=go1.26\n", ""},
		{"", ""},
	} {
		text := tt.head + "\npackage main\n//go:debug panicnil=0\nfunc main() {}\n"
		dir := t.TempDir()
		files, pattern := "-- main.go --\n"+text, "main.go" // outside of a module
		if tt.mod != "" {
			files, pattern = "-- go.mod --\n"+tt.mod+files, "."
		}
		for _, f := range txtar.Parse([]byte(files)).Files {
			name, text := f.Name, f.Data
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(filepath.Join(goroot, "bin", "go"), "list", "-f", "{{.DefaultGODEBUG}}", pattern)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOTOOLCHAIN=local", "GOROOT="+goroot, "GOFLAGS=", "GOWORK=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		p := mustLoad(t, files, Options{cacheOverlay: true, Patterns: []string{pattern}})
		if want := strings.TrimSpace(string(out)); p.GODEBUG != want {
			t.Errorf("%q: GODEBUG %q, want %q", tt.mod, p.GODEBUG, want)
		}
	}
}

// TestRefusedGODEBUG: settings that the release does not know, or has removed, are errors as for
// the go command.
func TestRefusedGODEBUG(t *testing.T) {
	_, r := installed(t)
	for _, tt := range []struct {
		since     int
		mod, head string
		want      string
	}{
		{26, "", "//go:debug madvdontneed=1\n\n", `main.go:1:1: invalid //go:debug: unknown //go:debug setting "madvdontneed"`},
		{26, "godebug nosuch=1\n", "", `go.mod:3: unknown godebug "nosuch"`},
		{27, "godebug tls3des=1\n", "", `go.mod:3: removed GODEBUG "tls3des" set to old value "1" (https://go.dev/doc/godebug#go-127)`},
		{27, "godebug (\n\ttlsrsakex=0\n\tx509sha1=1\n)\n", "", `go.mod:5: removed GODEBUG "x509sha1" set to old value "1" (https://go.dev/doc/godebug#go-124)`},
		{27, "godebug (\n\ttls10server=0\n\ttlsunsafeekm=0\n\tx509keypairleaf=1\n\ttlskyber=1\n)\n", "//go:debug gotypesalias=1\n\n", ""},
		{27, "", "//go:debug gotypesalias=0\n\n", `main.go:1:1: invalid //go:debug: removed GODEBUG "gotypesalias" set to old value "0"`},
		{27, "", "//go:debug tls10server=1\n\n", `removed GODEBUG "tls10server" set to old value "1"`},
		{27, "", "//go:debug tlsunsafeekm=1\n\n", `removed GODEBUG "tlsunsafeekm" set to old value "1"`},
		{27, "", "//go:debug x509keypairleaf=0\n\n", `removed GODEBUG "x509keypairleaf" set to old value "0"`},
		{27, "", "//go:debug tlskyber=0\n\n", `removed GODEBUG "tlskyber" set to old value "0" (https://go.dev/doc/godebug#go-124)`},
		{27, "", "//go:debug tls3des=1\n\n", `removed GODEBUG "tls3des" set to old value "1" (https://go.dev/doc/godebug#go-127)`},
		{27, "", "//go:debug asynctimerchan=2\n\n", `removed GODEBUG "asynctimerchan" set to old value "2"`},
		{27, "", "//go:debug asynctimerchan=0\n\n", ""},
	} {
		if tt.since > r.Minor {
			continue
		}
		_, err := loadText("-- go.mod --\nmodule m\ngo 1.26\n"+tt.mod+"-- main.go --\n"+tt.head+"package main\nfunc main() {}\n", Options{cacheOverlay: true})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s%s: %v, want %s", tt.mod, tt.head, err, tt.want)
		}
	}
}

// TestRequirementsOfOldVersions: the requirements of a version count if something requires it, even
// if a newer one is selected.
func TestRequirementsOfOldVersions(t *testing.T) {
	p := mustLoad(t, `
-- app/go.mod --
module m
go 1.16
require (
	example.com/b v1.1.0
	example.com/x v1.0.0
)
replace example.com/b v1.0.0 => ../b0
replace example.com/b v1.1.0 => ../b1
replace example.com/c v1.0.0 => ../c0
replace example.com/c v1.2.0 => ../c2
replace example.com/x => ../x
-- app/main.go --
package main
import (
	"example.com/b"
	"example.com/c"
)
const V = b.V + c.V
func main() {}
-- x/go.mod --
module example.com/x
require example.com/b v1.0.0
-- b0/go.mod --
module example.com/b
require example.com/c v1.2.0
-- b0/b.go --
package b
const V = "b0"
-- b1/go.mod --
module example.com/b
require example.com/c v1.0.0
-- b1/b.go --
package b
const V = "b1"
-- c0/go.mod --
module example.com/c
-- c0/c.go --
package c
const V = "c0"
-- c2/go.mod --
module example.com/c
-- c2/c.go --
package c
const V = "c2"
`, Options{Dir: "app", cacheOverlay: true})
	if got := constOf(t, p, "V"); got != "b1c2" {
		t.Errorf("V = %q, want what go list selects", got)
	}
}
