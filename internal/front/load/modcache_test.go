package load

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/gyrvm/gyr/internal/front/load/gomod"
)

// moduleCache makes a module cache as the go command leaves it, of an archive with files named
// example.com/m@v1.0.0/file.go, and returns its directory and the go.sum of all modules.
func moduleCache(t *testing.T, text string) (dir, sums string) {
	t.Helper()
	dir = t.TempDir()
	seen := map[module.Version]bool{}
	write := func(name, data string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	escaped := func(v module.Version) string {
		p, err := module.EscapePath(v.Path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, f := range files(text) {
		path, rest, _ := strings.Cut(name, "@")
		version, file, _ := strings.Cut(rest, "/")
		v := module.Version{Path: path, Version: version}
		seen[v] = true
		write(escaped(v)+"@"+version+"/"+file, string(f.Data))
	}
	for v := range seen {
		at := filepath.Join(dir, escaped(v)+"@"+v.Version)
		mod, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err != nil {
			mod = []byte("module " + v.Path + "\n")
		}
		sum, err := dirhash.HashDir(at, v.String(), dirhash.Hash1)
		if err != nil {
			t.Fatal(err)
		}
		modSum, err := gomod.GoModSum(mod)
		if err != nil {
			t.Fatal(err)
		}
		download := "cache/download/" + escaped(v) + "/@v/" + v.Version
		for suffix, data := range map[string]string{".mod": string(mod), ".info": fmt.Sprintf("{%q:%q}", "Version", v.Version), ".ziphash": sum, ".zip": ""} {
			write(download+suffix, data)
		}
		sums += fmt.Sprintf("%s %s %s\n%s %s/go.mod %s\n", v.Path, v.Version, sum, v.Path, v.Version, modSum)
	}
	lines := slices.Sorted(strings.Lines(sums))
	return dir, strings.Join(lines, "")
}

// cachedModules are modules for programs that need one directly, or through another one.
const cachedModules = `
-- example.com/a@v1.0.0/go.mod --
module example.com/a
go 1.20
require example.com/b v1.1.0
-- example.com/a@v1.0.0/a.go --
package a
import "example.com/b"
const V = "a" + b.V
-- example.com/a@v1.0.0/sub/sub.go --
package sub
-- example.com/b@v1.1.0/go.mod --
module example.com/b
go 1.21
-- example.com/b@v1.1.0/b.go --
package b
const V = "b"
`

// needsA is a program that needs two of them.
const needsA = `
-- go.mod --
module m
go 1.26
require example.com/a v1.0.0
require example.com/b v1.1.0 // indirect
-- main.go --
package main
import "example.com/a"
const V = a.V
func main() {}
`

// A host is a program in a directory and a module cache.
type host struct {
	t          *testing.T
	dir, cache string
	sums       string            // all lines that go.sum should have
	env        map[string]string // beside GOMODCACHE
}

func newHost(t *testing.T, modules, program string) *host {
	t.Helper()
	h := &host{t: t, dir: t.TempDir(), env: map[string]string{}}
	h.cache, h.sums = moduleCache(t, modules)
	writeTree(t, h.dir, program)
	return h
}

// write writes a file of the program, or of the module cache if its name begins with CACHE.
func (h *host) write(name, data string) {
	h.t.Helper()
	if err := os.WriteFile(h.file(name), []byte(data), 0o666); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) remove(name string) {
	h.t.Helper()
	if err := os.RemoveAll(h.file(name)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *host) file(name string) string {
	if rest, ok := strings.CutPrefix(name, "CACHE/"); ok {
		return filepath.Join(h.cache, filepath.FromSlash(rest))
	}
	return filepath.Join(h.dir, filepath.FromSlash(name))
}

// without returns the sums except those that contain a text.
func (h *host) without(text string) string {
	var b strings.Builder
	for line := range strings.Lines(h.sums) {
		if !strings.Contains(line, text) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// wrong returns the sums with another one for lines that contain a text.
func (h *host) wrong(text string) string {
	var b strings.Builder
	for line := range strings.Lines(h.sums) {
		if strings.Contains(line, text) {
			before, _, _ := strings.Cut(line, " h1:")
			line = before + " h1:" + strings.Repeat("A", 43) + "=\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

func (h *host) getenv(k string) string {
	switch k {
	case "GOMODCACHE":
		return h.cache
	case "GOROOT", "PATH", "HOME":
		return os.Getenv(k)
	}
	return h.env[k]
}

// options returns the options of a load of the program.
func (h *host) options(pattern string) Options {
	return Options{Dir: h.dir, Patterns: []string{pattern}, Overlay: overlay, cacheOverlay: true, Getenv: h.getenv}
}

// load returns the error of loading the package in a directory.
func (h *host) load(pattern string) string {
	_, err := Load(h.t.Context(), h.options(pattern))
	if err == nil {
		return ""
	}
	return h.shown(err.Error())
}

// golist returns the go command's error for the same package.
func (h *host) golist(pattern string) string {
	h.t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		h.t.Skip(err)
	}
	cmd := exec.Command("go", "list", "-deps", pattern)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "GOMODCACHE="+h.cache, "GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=", "GOWORK=", "GOSUMDB=", "GONOSUMDB=",
		"GOPRIVATE=", "GOENV=off")
	for k, v := range h.env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Run(); err == nil {
		return ""
	}
	return h.shown(strings.TrimPrefix(errs.String(), "go: "))
}

// shown replaces directories in a text.
func (h *host) shown(text string) string {
	text = strings.NewReplacer(h.cache, "CACHE", h.dir+"/", "").Replace(text)
	if rel, err := filepath.Rel(h.dir, h.cache); err == nil {
		text = strings.ReplaceAll(text, rel, "CACHE")
	}
	return strings.TrimSpace(text)
}

const (
	zipHashA = "CACHE/cache/download/example.com/a/@v/v1.0.0.ziphash"
	sumA     = "example.com/a v1.0.0 "
	modSumA  = "example.com/a v1.0.0/go.mod"
	sumB     = "example.com/b v1.1.0 "
	modSumB  = "example.com/b v1.1.0/go.mod"
)

// TestSums changes go.sum and the module cache, and expects the go command's errors from the
// loader.
func TestSums(t *testing.T) {
	inWorkspace := func(h *host) { h.write("go.work", "go 1.26\nuse .\n") }
	for _, c := range []struct {
		name   string
		change func(h *host)
		want   string // begins with
		differ string // why the go command says something else
	}{
		{"all is well", func(h *host) { h.write("go.sum", h.sums) }, "", ""},
		{"no go.sum", func(h *host) {}, "main.go:2:8: missing go.sum entry for module providing package example.com/a (imported by m); to add:\n\tgo get m", ""},
		{"no line for a tree", func(h *host) { h.write("go.sum", h.without(sumA)) }, "main.go:2:8: missing go.sum entry for module providing package example.com/a (imported by m); to add:\n\tgo get m", ""},
		{"no line for a go.mod", func(h *host) { h.write("go.sum", h.without(modSumA)) }, "main.go:2:8: example.com/a@v1.0.0: missing go.sum entry for go.mod file; to add it:\n\tgo mod download example.com/a", ""},
		{"no line for a tree, indirect", func(h *host) { h.write("go.sum", h.without(sumB)) }, "CACHE/example.com/a@v1.0.0/a.go:2:8: missing go.sum entry for module providing package example.com/b (imported by example.com/a); to add:\n\tgo get example.com/a@v1.0.0", ""},
		{"no line for a go.mod, indirect", func(h *host) { h.write("go.sum", h.without(modSumB)) }, "CACHE/example.com/a@v1.0.0/a.go:2:8: example.com/b@v1.1.0: missing go.sum entry for go.mod file; to add it:\n\tgo mod download example.com/b", ""},
		{"a wrong tree", func(h *host) { h.write("go.sum", h.wrong(sumA)) }, "verifying example.com/a@v1.0.0: checksum mismatch\n\tdownloaded: h1:", ""},
		{"a wrong go.mod", func(h *host) { h.write("go.sum", h.wrong(modSumA)) }, "verifying example.com/a@v1.0.0/go.mod: checksum mismatch\n\tdownloaded: h1:", ""},
		{"a wrong go.mod, indirect", func(h *host) { h.write("go.sum", h.wrong(modSumB)) }, "verifying example.com/b@v1.1.0/go.mod: checksum mismatch\n", ""},
		{"wrong, then right", func(h *host) { h.write("go.sum", h.wrong(sumA)+h.sums) }, "verifying example.com/a@v1.0.0: checksum mismatch\n", ""},
		{"right, then wrong", func(h *host) { h.write("go.sum", h.sums+h.wrong(sumA)) }, "", ""},
		{"twice", func(h *host) { h.write("go.sum", h.sums+"\n"+h.sums) }, "", ""},
		{"lines for others", func(h *host) { h.write("go.sum", h.sums+"example.com/c v1.0.0 h1:no\nx y z\n") }, "", ""},
		{"another algorithm beside", func(h *host) { h.write("go.sum", "example.com/a v1.0.0 h2:x\n"+h.sums) }, "", ""},
		{"another algorithm alone", func(h *host) { h.write("go.sum", h.without(sumA)+"example.com/a v1.0.0 h2:x\n") }, "main.go:2:8: missing go.sum entry for module providing package example.com/a (imported by m)", ""},
		{"the sum of an empty go.mod", func(h *host) { h.write("go.sum", "example.com/a v1.0.0/go.mod "+gomod.EmptyGoMod+"\n"+h.sums) }, "", ""},
		{"two fields", func(h *host) { h.write("go.sum", h.sums+"x y\n") }, "malformed go.sum:\ngo.sum:", ""},
		{"a wrong ziphash", func(h *host) { h.write("go.sum", h.sums); h.write(zipHashA, "h1:"+strings.Repeat("B", 43)+"=\n") }, "verifying example.com/a@v1.0.0: checksum mismatch\n\tdownloaded: h1:BBB", ""},
		{"a changed go.mod in the cache", func(h *host) {
			h.write("go.sum", h.sums)
			h.write(strings.Replace(zipHashA, "ziphash", "mod", 1), "module example.com/a\n")
		}, "verifying example.com/a@v1.0.0/go.mod: checksum mismatch\n", ""},
		{"a go.mod for another module", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/x v1.0.0\nreplace example.com/x => example.com/a v1.0.0\n")
			h.write("main.go", "package main\nimport _ \"example.com/x/sub\"\nfunc main() {}\n")
			h.write("go.sum", h.sums)
		}, "", ""},
		{"replaced by a module without line", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/x v1.0.0\nreplace example.com/x => example.com/a v1.0.0\n")
			h.write("main.go", "package main\nimport _ \"example.com/x/sub\"\nfunc main() {}\n")
		}, "main.go:2:8: missing go.sum entry for module providing package example.com/x/sub (imported by m); to add:\n\tgo get m", ""},
		{"replaced by a directory", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/a v1.0.0\nreplace example.com/a => ./a\n")
			writeTree(h.t, h.dir, "-- a/go.mod --\nmodule example.com/a\n-- a/a.go --\npackage a\nconst V = 1\n")
		}, "", ""},
		{"two modules have it", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/a v1.0.0\nrequire example.com/a/sub v1.0.0\nreplace example.com/a/sub => ./s\n")
			h.write("main.go", "package main\nimport _ \"example.com/a/sub\"\nfunc main() {}\n")
			writeTree(h.t, h.dir, "-- s/go.mod --\nmodule example.com/a/sub\n-- s/a.go --\npackage sub\n")
			h.write("go.sum", h.sums)
		}, "main.go:2:8: ambiguous import: found package example.com/a/sub in multiple modules:\n\texample.com/a v1.0.0 (CACHE/example.com/a@v1.0.0/sub)\n\texample.com/a/sub v1.0.0 (s)", ""},
		{"one of two modules has no line", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/a v1.0.0\nrequire example.com/a/sub v1.0.0\nreplace example.com/a/sub => ./s\n")
			h.write("main.go", "package main\nimport _ \"example.com/a/sub\"\nfunc main() {}\n")
			writeTree(h.t, h.dir, "-- s/go.mod --\nmodule example.com/a/sub\n-- s/a.go --\npackage sub\n")
		}, "main.go:2:8: missing go.sum entry needed to verify package example.com/a/sub (imported by m) is provided by exactly one module; to add:\n\tgo get m", ""},
		{"a package by its path", func(h *host) {}, "missing go.sum entry for module providing package example.com/a/sub; to add:\n\tgo mod download example.com/a", ""},
		{"unpruned", func(h *host) {
			h.write("go.mod", "module m\ngo 1.16\nrequire example.com/a v1.0.0\n")
			h.write("go.sum", h.sums)
		}, "", "it wants a go line that is as new as those of dependencies"},
		{"unpruned, a wrong go.mod", func(h *host) {
			h.write("go.mod", "module m\ngo 1.16\nrequire example.com/a v1.0.0\n")
			h.write("go.sum", h.wrong(modSumB))
		}, "verifying example.com/b@v1.1.0/go.mod: checksum mismatch\n", ""},
		{"unpruned, no go.mod", func(h *host) {
			h.write("go.mod", "module m\ngo 1.16\nrequire example.com/a v1.0.0\n")
			h.write("go.sum", h.without(modSumB))
		}, "go.mod: the requirements of module example.com/b@v1.1.0 cannot be read: example.com/b@v1.1.0: missing go.sum entry for go.mod file; to add it:\n\tgo mod download example.com/b", "it names the module that needs it"},
		{"unpruned, excluded", func(h *host) {
			h.cache, h.sums = moduleCache(h.t, strings.ReplaceAll(cachedModules, "go 1.2", "go 1.1")+"-- example.com/b@v1.0.0/b.go --\npackage b\nconst V = \"old\"\n")
			h.write("go.mod", "module m\ngo 1.16\nrequire (\n\texample.com/a v1.0.0\n\texample.com/b v1.0.0\n)\nexclude example.com/b v1.1.0\n")
			h.write("go.sum", h.without(modSumB))
		}, "", ""},
		{"a workspace of a future Go", func(h *host) { h.write("go.work", "go 1.99\nuse .\n") }, "go.work: workspace requires go1.99, but gyr runs ", "it names no cure"},
		{"a workspace", func(h *host) { inWorkspace(h); h.write("go.sum", h.sums) }, "", ""},
		{"a workspace's own sums", func(h *host) { inWorkspace(h); h.write("go.work.sum", h.sums) }, "", ""},
		{"a workspace, wrong there", func(h *host) { inWorkspace(h); h.write("go.sum", h.sums); h.write("go.work.sum", h.wrong(sumA)) }, "verifying example.com/a@v1.0.0: checksum mismatch\n\tdownloaded: h1:", ""},
		{"a workspace, wrong in a module", func(h *host) { inWorkspace(h); h.write("go.sum", h.wrong(sumA)) }, "verifying example.com/a@v1.0.0: checksum mismatch\n\tdownloaded: h1:", ""},
		{"a workspace, wrong in a module but not there", func(h *host) { inWorkspace(h); h.write("go.sum", h.wrong(sumA)); h.write("go.work.sum", h.sums) }, "", ""},
		{"a workspace without sums", func(h *host) { inWorkspace(h) }, "main.go:2:8: verifying example.com/a@v1.0.0: no go.sum has a line for it, and gyr asks no checksum database; to add it:\n\tgo mod download", "it asks the database"},
		{"a workspace without sums or database", func(h *host) { inWorkspace(h); h.env["GOSUMDB"] = "off" }, "", ""},
		{"-mod=mod without sums", func(h *host) { h.env["GOFLAGS"] = "-mod=mod" }, "main.go:2:8: verifying example.com/a@v1.0.0: no go.sum has a line for it", "it asks the database"},
		{"-mod=mod, private", func(h *host) { h.env["GOFLAGS"] = "-mod=mod"; h.env["GOPRIVATE"] = "example.com" }, "", ""},
		{"-mod=mod, unchecked", func(h *host) { h.env["GOFLAGS"] = "-mod=mod"; h.env["GONOSUMDB"] = "*.com" }, "", ""},
		{"settings in a file", func(h *host) {
			h.env["GOENV"] = h.file("env")
			h.write("env", "# settings\n\nGOFLAGS=-mod=mod\nGOPRIVATE=example.com\n")
		}, "", ""},
		{"settings in a file, and in the environment", func(h *host) {
			h.env["GOENV"], h.env["GOFLAGS"] = h.file("env"), "-mod=readonly"
			h.write("env", "GOFLAGS=-mod=mod\nGOPRIVATE=example.com\n")
		}, "main.go:2:8: missing go.sum entry", ""},
		{"settings where the user has them", func(h *host) {
			h.env["XDG_CONFIG_HOME"], h.env["GOENV"] = h.dir, ""
			// A process that outlives the go command would write telemetry there, also while the
			// directory is removed.
			writeTree(h.t, h.dir, "-- go/env --\nGOFLAGS=-mod=mod\nGOSUMDB=off\n-- go/telemetry/mode --\noff\n")
		}, "", ""},
		{"-mod=mod, wrong", func(h *host) {
			h.env["GOFLAGS"] = "-mod=mod"
			h.env["GOSUMDB"] = "off"
			h.write("go.sum", h.wrong(sumA))
		}, "verifying example.com/a@v1.0.0: checksum mismatch\n", ""},
		{"private needs its line", func(h *host) { h.env["GOPRIVATE"] = "example.com" }, "main.go:2:8: missing go.sum entry", ""},
		{"a changed file", func(h *host) {
			h.write("go.sum", h.sums)
			h.write("CACHE/example.com/a@v1.0.0/sub/sub.go", "package sub\n\n")
		}, "verifying example.com/a@v1.0.0: its directory in the module cache was modified\n\tfiles:   h1:", "it trusts files"},
		{"a changed file of no package", func(h *host) {
			h.write("go.sum", h.sums)
			h.write("CACHE/example.com/b@v1.1.0/README", "")
		}, "verifying example.com/b@v1.1.0: its directory in the module cache was modified\n\tfiles:   h1:", "it trusts files"},
		{"a changed file that cannot be compiled", func(h *host) {
			h.write("go.sum", h.sums)
			h.write("CACHE/example.com/a@v1.0.0/a.go", "pakage a\n")
		}, "verifying example.com/a@v1.0.0: its directory in the module cache was modified\n\tfiles:   h1:", "it trusts files"},
		{"no ziphash", func(h *host) { h.write("go.sum", h.sums); h.remove(zipHashA) }, "", "it needs the archive"},
		{"no ziphash, a changed file", func(h *host) {
			h.write("go.sum", h.sums)
			h.remove(zipHashA)
			h.write("CACHE/example.com/a@v1.0.0/sub/sub.go", "package sub\n\n")
		}, "verifying example.com/a@v1.0.0: checksum mismatch\n", "it needs the archive"},
		{"no download directory", func(h *host) { h.write("go.sum", h.sums); h.remove("CACHE/cache") }, "", "it needs the archive"},
		{"no download directory, a changed go.mod", func(h *host) {
			h.write("go.sum", h.sums)
			h.remove("CACHE/cache")
			h.write("CACHE/example.com/b@v1.1.0/go.mod", "module example.com/b\n")
		}, "verifying example.com/b@v1.1.0: checksum mismatch\n", "it needs the archive"},
		{"half extracted", func(h *host) {
			h.write("go.sum", h.sums)
			h.write(strings.Replace(zipHashA, "ziphash", "partial", 1), "")
		}, "main.go:2:8: module example.com/a@v1.0.0 was not completely extracted into the module cache: run go mod download example.com/a@v1.0.0, or vendor it (go mod vendor)", "it fetches"},
		{"not there", func(h *host) { h.write("go.sum", h.sums); h.remove("CACHE/example.com/a@v1.0.0") }, "main.go:2:8: module example.com/a@v1.0.0 is not in the module cache: run go mod download example.com/a@v1.0.0, or vendor it (go mod vendor)", "it fetches"},
		{"of a future Go", func(h *host) {
			h.cache, h.sums = moduleCache(h.t, strings.Replace(cachedModules, "go 1.21", "go 1.99", 1))
			h.write("go.sum", h.sums)
		}, "CACHE/example.com/a@v1.0.0/a.go:2:8: module example.com/b@v1.1.0 requires go1.99, but gyr runs ", "it names no cure"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, cachedModules, needsA)
			pattern := "."
			if c.name == "a package by its path" {
				pattern = "example.com/a/sub"
			}
			c.change(h)
			got := h.load(pattern)
			if !strings.HasPrefix(got, c.want) || got != "" && c.want == "" {
				if !(strings.HasSuffix(got, "is not a main package") && c.want == "") {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			}
			if theirs := h.golist(pattern); theirs != got && c.differ == "" {
				t.Errorf("the go command says\n%s\nand the loader\n%s", theirs, got)
			}
		})
	}
}

// TestModuleCache selects versions as the go command does, from files alone.
func TestModuleCache(t *testing.T) {
	const modules = `
-- example.com/Upper@v1.1.0/u.go --
package upper
const V = "upper1.1 "
-- example.com/Upper@v1.1.0/go.mod --
module example.com/Upper
go 1.22
-- example.com/old@v1.0.0/o.go --
package old
import "example.com/dep"
const V = "old1.0 " + dep.V
-- example.com/old@v1.0.0/go.mod --
module example.com/old
require example.com/dep v1.3.0
-- example.com/dep@v1.3.0/d.go --
package dep
const V = "dep1.3"
-- example.com/dep@v1.2.0/d.go --
package dep
const V = "dep1.2"
`
	for lang, dep := range map[string]string{"1.26": "v1.3.0 // indirect", "1.15": "v1.2.0"} {
		h := newHost(t, modules, `
-- go.mod --
module m
go `+lang+`
require (
	example.com/Upper v1.1.0
	example.com/old v1.0.0
	example.com/dep `+dep+`
)
-- main.go --
package main
import ("example.com/Upper"; "example.com/old")
const V = upper.V + old.V
func main() {}
`)
		h.write("go.sum", h.sums)
		p, err := Load(t.Context(), h.options("."))
		if err != nil {
			t.Fatal(err)
		}
		if got := constOf(t, p, "V"); got != "upper1.1 old1.0 dep1.3" {
			t.Errorf("go %s: V = %q", lang, got)
		}
		q := p.Package("example.com/Upper")
		if got := p.TrimPath(p.Fset.Position(q.Files[0].Pos()).Filename); got != "example.com/Upper@v1.1.0/u.go" || q.GoVersion != "go1.22" {
			t.Errorf("trimmed name %q, language version %s", got, q.GoVersion)
		}
		if got := p.Package("example.com/dep").GoVersion; got != "go1.16" {
			t.Errorf("language version of a module without go.mod: %s", got)
		}
	}
}

// uploaded are options for the program as an upload.
func (h *host) uploaded(modules string) Options {
	cfg := h.options(".")
	cfg.Dir, cfg.FS, cfg.Modules = "", os.DirFS(h.dir), modules
	return cfg
}

// TestUploads loads trees that may read no module cache, or one that the host grants, and looks for
// names of the host in errors.
func TestUploads(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *host)
		grant  bool
		want   string // begins with
	}{
		{"nothing granted", func(h *host) { h.write("go.sum", h.sums) }, false,
			"main.go:2:8: module example.com/a@v1.0.0 is needed, but the host does not grant its modules: vendor it (go mod vendor), or have the host set Source.Modules"},
		{"nothing granted, unpruned", func(h *host) { h.write("go.mod", "module m\ngo 1.16\nrequire example.com/a v1.0.0\n") }, false,
			"go.mod: the requirements of module example.com/a@v1.0.0 cannot be read: module example.com/a@v1.0.0 is needed, but the host does not grant its modules"},
		{"vendored", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/a v1.0.0\n")
			writeTree(h.t, h.dir, "-- vendor/modules.txt --\n# example.com/a v1.0.0\n## explicit\nexample.com/a\n-- vendor/example.com/a/a.go --\npackage a\nconst V = 1\n")
		}, false, ""},
		{"inconsistent", func(h *host) { writeTree(h.t, h.dir, "-- vendor/modules.txt --\n") }, false, "inconsistent vendoring in .:\n\texample.com/a@v1.0.0: is explicitly"},
		{"granted", func(h *host) { h.write("go.sum", h.sums) }, true, ""},
		{"granted without sum", func(h *host) { h.write("go.sum", h.without(sumB)) }, true, "example.com/a@v1.0.0/a.go:2:8: missing go.sum entry for module providing package example.com/b (imported by example.com/a)"},
		{"granted with a wrong sum", func(h *host) { h.write("go.sum", h.wrong(sumB)) }, true, "verifying example.com/b@v1.1.0: checksum mismatch"},
		{"granted, not there", func(h *host) { h.write("go.sum", h.sums); h.remove("CACHE/example.com/b@v1.1.0") }, true, "example.com/a@v1.0.0/a.go:2:8: module example.com/b@v1.1.0 is not in the module cache"},
		{"a module that does not compile", func(h *host) {
			h.cache, h.sums = moduleCache(h.t, strings.Replace(cachedModules, `"b"`, "1.5 + x", 1))
			h.write("go.sum", h.sums)
		}, true, "# example.com/b\nexample.com/b@v1.1.0/b.go:2:17: undefined: x"},
		{"a syntax error in a module", func(h *host) {
			h.cache, h.sums = moduleCache(h.t, strings.Replace(cachedModules, `"b"`, "(", 1))
			h.write("go.sum", h.sums)
		}, true, "# example.com/b\nexample.com/b@v1.1.0/b.go:"},
		{"a module with assembly", func(h *host) {
			h.cache, h.sums = moduleCache(h.t, cachedModules+"-- example.com/b@v1.1.0/b.s --\nTEXT ·f(SB), 4, $0\n\tRET\n")
			h.write("go.sum", h.sums)
		}, true, "example.com/b@v1.1.0/b.s: assembly files with code are not supported"},
		{"a module with two packages", func(h *host) {
			h.cache, h.sums = moduleCache(h.t, cachedModules+"-- example.com/b@v1.1.0/c.go --\npackage c\n")
			h.write("go.sum", h.sums)
		}, true, "found packages b (b.go) and c (c.go) in example.com/b@v1.1.0"},
		{"a module with constraints", func(h *host) {
			h.cache, h.sums = moduleCache(h.t, strings.Replace(cachedModules, "package b", "//go:build never\npackage b", 1))
			h.write("go.sum", h.sums)
		}, true, "example.com/a@v1.0.0/a.go:2:8: package example.com/b: build constraints exclude all Go files in example.com/b@v1.1.0"},
		{"a package that is not in std", func(h *host) { h.write("main.go", "package main\nimport \"nothing\"\nfunc main() {}\n") }, false, "main.go:2:8: package nothing is not in std ($GOROOT/src/nothing)"},
		{"a replacement outside", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/a v1.0.0\nreplace example.com/a => ../a\n")
		}, false,
			"main.go:2:8: module example.com/a is replaced by ../a, which is not in the uploaded files: upload it too, or vendor it (go mod vendor)"},
		{"a replacement outside, unpruned", func(h *host) {
			h.write("go.mod", "module m\ngo 1.16\nrequire example.com/a v1.0.0\nreplace example.com/a => ../a\n")
		}, true,
			"go.mod: the requirements of module example.com/a@v1.0.0 cannot be read: module example.com/a is replaced by ../a, which is not in the uploaded files"},
		{"an absolute replacement", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/a v1.0.0\nreplace example.com/a => /etc\n")
		}, true,
			"main.go:2:8: module example.com/a is replaced by /etc, which is not in the uploaded files"},
		{"a replacement outside that nobody needs", func(h *host) {
			h.write("go.mod", "module m\ngo 1.26\nrequire example.com/a v1.0.0\nreplace example.com/a => ../a\n")
			h.write("main.go", "package main\nfunc main() {}\n")
		}, false, ""},
		{"a workspace outside", func(h *host) { h.write("go.work", "go 1.26\nuse .\nuse ../other\n") }, true, "go.work: use ../other, which is not in the uploaded files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, cachedModules, needsA)
			c.change(h)
			grant := ""
			if c.grant {
				grant = h.cache
			}
			_, err := Load(t.Context(), h.uploaded(grant))
			got := fmt.Sprint(err)
			if !strings.HasPrefix(got, c.want) || c.want == "" && err != nil {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			for _, secret := range []string{h.cache, h.dir, os.TempDir()} {
				if strings.Contains(got, secret) {
					t.Errorf("the error shows %s: %s", secret, got)
				}
			}
		})
	}
}

// TestSumInputs: a change of a compared file is noticed.
func TestSumInputs(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *host)
		want   bool
	}{
		{"nothing", func(h *host) {}, false},
		{"go.sum", func(h *host) { h.write("go.sum", h.wrong(sumA)) }, true},
		{"no go.sum", func(h *host) { h.remove("go.sum") }, true},
		{"ziphash", func(h *host) { h.write(zipHashA, "h1:") }, true},
		{"go.mod in the cache", func(h *host) { h.write(strings.Replace(zipHashA, "ziphash", "mod", 1), "module example.com/a\n") }, true},
		{"half extracted", func(h *host) { h.write(strings.Replace(zipHashA, "ziphash", "partial", 1), "") }, true},
		{"settings", func(h *host) { writeTree(h.t, h.dir, "-- config/go/env --\nGOFLAGS=-mod=mod\n") }, true},
		{"a file of no interest", func(h *host) { h.write("CACHE/example.com/a@v1.0.0/README", "") }, false},
	} {
		h := newHost(t, cachedModules, needsA)
		h.write("go.sum", h.sums)
		h.env["XDG_CONFIG_HOME"] = h.file("config")
		list := loadInputs(t, h.options("."))
		c.change(h)
		if names := changed(list, nil); names != nil != c.want {
			t.Errorf("%s: changed %q", c.name, names)
		}
	}
}

// TestMissingInTests: for modules that only tests need, the error suggests go get -t.
func TestMissingInTests(t *testing.T) {
	for _, name := range []string{"main", "main_test"} {
		h := newHost(t, cachedModules, needsA)
		h.write("main.go", "package main\nfunc main() {}\n")
		h.write("main_test.go", "package "+name+"\nimport _ \"example.com/a\"\n")
		cfg := h.options(".")
		cfg.Test = true
		_, err := Load(t.Context(), cfg)
		if got, theirs := h.shown(fmt.Sprint(err)), h.golist("-test"); "can't load test package: "+got != theirs {
			t.Errorf("package %s: the go command says\n%s\nand the loader\n%s", name, theirs, got)
		}
	}
}
