package cache

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// host returns the build information of a host that requires gyr.
func host(change func(*debug.BuildInfo)) *debug.BuildInfo {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8", Path: "example.com/host", Main: debug.Module{Path: "example.com/host", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.com/other", Version: "v1.0.0", Sum: "h1:other"},
			{Path: modulePath, Version: "v1.2.3", Sum: "h1:gyr"},
			{Path: "golang.org/x/mod", Version: "v0.42.0", Sum: "h1:mod"},
			{Path: "golang.org/x/sys", Version: "v0.49.0", Sum: "h1:sys"},
			{Path: "golang.org/x/tools", Version: "v0.52.0", Sum: "h1:tools"},
		},
		Settings: []debug.BuildSetting{
			{Key: "-buildmode", Value: "exe"}, {Key: "-compiler", Value: "gc"}, {Key: "CGO_ENABLED", Value: "1"},
			{Key: "GOARCH", Value: "amd64"}, {Key: "GOOS", Value: "linux"}, {Key: "GOAMD64", Value: "v1"},
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "1234"}, {Key: "vcs.time", Value: "2026-01-01T00:00:00Z"},
			{Key: "vcs.modified", Value: "true"}, // modified files of the host, not gyr's
		},
	}
	if change != nil {
		change(info)
	}
	return info
}

// checkout returns the build information of the command, built in a checkout.
func checkout(change func(*debug.BuildInfo)) *debug.BuildInfo {
	info := host(func(info *debug.BuildInfo) {
		info.Path, info.Main = modulePath+"/cmd/gyr", debug.Module{Path: modulePath, Version: "v0.0.0-2026-1234"}
		info.Deps = slices.DeleteFunc(info.Deps, func(m *debug.Module) bool { return m.Path == modulePath })
	})
	set("vcs.modified", "false")(info)
	if change != nil {
		change(info)
	}
	return info
}

// set changes a setting, or adds it.
func set(key, value string) func(*debug.BuildInfo) {
	return func(info *debug.BuildInfo) {
		unset(key)(info)
		info.Settings = append(info.Settings, debug.BuildSetting{Key: key, Value: value})
	}
}

func unset(key string) func(*debug.BuildInfo) {
	return func(info *debug.BuildInfo) {
		info.Settings = slices.DeleteFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == key })
	}
}

// module changes a module of the build.
func module(path string, change func(m *debug.Module)) func(*debug.BuildInfo) {
	return func(info *debug.BuildInfo) {
		for _, m := range info.Deps {
			if m.Path == path {
				change(m)
			}
		}
	}
}

func sum(s string) func(m *debug.Module) { return func(m *debug.Module) { m.Sum = s } }

func replaced(path, version, sum string) func(m *debug.Module) {
	return func(m *debug.Module) { m.Sum, m.Replace = "", &debug.Module{Path: path, Version: version, Sum: sum} }
}

// Builds with one name share an engine; those with different names do not; an empty name is a build
// whose sources are not known.
func TestEngineID(t *testing.T) {
	const tools = "golang.org/x/tools"
	names := map[string]string{} // of the identities
	ids := map[string]string{}
	for _, c := range []struct {
		what, engine string
		info         *debug.BuildInfo
	}{
		{"a host", "A", host(nil)},
		{"another program", "A", host(func(info *debug.BuildInfo) { info.Main.Path, info.Path = "example.com/b", "example.com/b/cmd" })},
		{"the host's other module", "A", host(module("example.com/other", sum("h1:changed")))},
		{"the host's other module replaced", "A", host(module("example.com/other", replaced("../other", "", "")))},
		{"the host at another revision", "A", host(set("vcs.revision", "5678"))},
		{"the host without changes", "A", host(set("vcs.modified", "false"))},
		{"the host without version control", "A", host(func(info *debug.BuildInfo) {
			for _, key := range []string{"vcs", "vcs.revision", "vcs.time", "vcs.modified"} {
				unset(key)(info)
			}
		})},
		{"without cgo", "A", host(set("CGO_ENABLED", "0"))},
		{"linked with the host's version", "A", host(set("-ldflags", "-X main.version=3"))},
		{"trimmed paths", "A", host(set("-trimpath", "true"))},
		{"another build mode", "A", host(set("-buildmode", "pie"))},
		{"settings in another order", "A", host(func(info *debug.BuildInfo) { slices.Reverse(info.Settings) })},
		{"the command, installed by version", "A", checkout(func(info *debug.BuildInfo) {
			info.Main = debug.Module{Path: modulePath, Version: "v1.2.3", Sum: "h1:gyr"}
		})},

		{"another gyr", "B", host(module(modulePath, sum("h1:gyr2")))},
		{"the version counts by its contents", "A", host(module(modulePath, func(m *debug.Module) { m.Version = "v1.2.4" }))},
		{"other x/tools", "C", host(module(tools, sum("h1:tools2")))},
		{"x/tools replaced by a version", "D", host(module(tools, replaced("example.com/tools", "v1.0.0", "h1:fork")))},
		{"other x/mod", "E", host(module("golang.org/x/mod", sum("h1:mod2")))},
		{"other x/sys", "F", host(module("golang.org/x/sys", sum("h1:sys2")))},
		{"another Go", "G", host(func(info *debug.BuildInfo) { info.GoVersion = "go1.26.9" })},
		{"another GOARCH", "H", host(set("GOARCH", "arm64"))},
		{"another GOAMD64", "I", host(set("GOAMD64", "v3"))},
		{"tags", "J", host(set("-tags", "x"))},
		{"the race detector", "K", host(set("-race", "true"))},
		{"flags of the compiler", "L", host(set("-gcflags", "all=-N"))},
		{"variables of gyr", "M", host(set("-ldflags", "-X "+modulePath+"/internal/engine.Version=3"))},
		{"defaults of GODEBUG", "N", host(set("DefaultGODEBUG", "gotypesalias=0"))},
		{"a setting of the future", "O", host(set("GONEW", "1"))},
		{"without x/sys", "P", host(func(info *debug.BuildInfo) {
			info.Deps = slices.DeleteFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "golang.org/x/sys" })
		})},

		{"a checkout", "Q", checkout(nil)},
		{"a checkout, later", "Q", checkout(set("vcs.time", "2026-02-01T00:00:00Z"))},
		{"another revision", "R", checkout(set("vcs.revision", "5678"))},
		{"another revision of x/tools", "S", checkout(module(tools, sum("h1:tools2")))},

		{"nothing is known", "", nil},
		{"a host that does not require gyr", "", host(func(info *debug.BuildInfo) { info.Deps = nil })},
		{"a checkout with changes", "", checkout(set("vcs.modified", "true"))},
		{"a checkout with an unknown state", "", checkout(unset("vcs.modified"))},
		{"a checkout without a revision", "", checkout(unset("vcs.revision"))},
		{"a test, go run, -buildvcs=false", "", checkout(func(info *debug.BuildInfo) {
			unset("vcs.revision")(info)
			unset("vcs.modified")(info)
		})},
		{"gyr replaced by a directory", "", host(module(modulePath, replaced("../gyr", "", "")))},
		{"gyr replaced by a version", "", host(module(modulePath, replaced("example.com/gyr", "v1.0.0", "h1:fork")))},
		{"gyr of a workspace, vendored", "", host(module(modulePath, sum("")))},
		{"x/tools replaced by a directory", "", host(module(tools, replaced("../tools", "", "")))},
		{"x/tools vendored", "", host(module(tools, sum("")))},
		{"x/mod replaced by a directory", "", checkout(module("golang.org/x/mod", replaced("../mod", "", "")))},
		{"x/sys replaced by a directory", "", checkout(module("golang.org/x/sys", replaced("../sys", "", "")))},
	} {
		used := false
		id, err := engineID(c.info, func() (string, error) { used = true; return "executable", nil })
		if err != nil {
			t.Fatal(err)
		}
		if used != (c.engine == "") || used != (id == "executable") {
			t.Errorf("%s: identity %q, by the build ID: %t", c.what, id, used)
			continue
		}
		if used {
			continue
		}
		if other, ok := names[id]; ok && other != c.engine {
			t.Errorf("%s: the identity of %s, want one of %s", c.what, other, c.engine)
		}
		if other, ok := ids[c.engine]; ok && other != id {
			t.Errorf("%s: not the identity of %s", c.what, c.engine)
		}
		names[id], ids[c.engine] = c.engine, id
	}
	failed := errors.New("no executable")
	if _, err := engineID(nil, func() (string, error) { return "", failed }); err != failed {
		t.Errorf("error %v, want that of the fallback", err)
	}
}

// An executable with the sources of gyr is identified by them, and by all that counts besides.
func TestEmbeddedIdentity(t *testing.T) {
	build, err := buildID()
	if err != nil {
		t.Fatal(err)
	}
	replacing := func(change func(*debug.BuildInfo)) *debug.BuildInfo {
		info := host(module(modulePath, replaced("../gyr", "", "")))
		if change != nil {
			change(info)
		}
		return info
	}
	sources := func(change func(fstest.MapFS)) fstest.MapFS {
		fsys := fstest.MapFS{"go.mod": {Data: []byte("module gyr")}, "internal/opt/inline.go": {Data: []byte("package opt")},
			"internal/front/guest/_src/runtime/map.go": {Data: []byte("package runtime")}}
		if change != nil {
			change(fsys)
		}
		return fsys
	}
	add := func(name, text string) func(fstest.MapFS) {
		return func(fsys fstest.MapFS) { fsys[name] = &fstest.MapFile{Data: []byte(text)} }
	}
	first, err := unnamed(replacing(nil), sources(nil))
	if err != nil || first == build {
		t.Fatalf("identity %q, %v", first, err)
	}
	for _, c := range []struct {
		what string
		same bool
		info *debug.BuildInfo
		fsys fs.FS
	}{
		{"relinked", true, replacing(func(info *debug.BuildInfo) { info.Main.Path = "example.com/other" }), sources(nil)},
		{"replaced by another directory", true, host(module(modulePath, replaced("/src/gyr", "", ""))), sources(nil)},
		{"a checkout with changes", true, checkout(set("vcs.modified", "true")), sources(nil)},
		{"a test more", true, replacing(nil), sources(add("internal/opt/inline_test.go", "package opt"))},
		{"data of tests", true, replacing(nil), sources(add("internal/opt/testdata/x.go", "package x"))},
		{"a changed source", false, replacing(nil), sources(add("internal/opt/inline.go", "package opts"))},
		{"a changed source of the guest", false, replacing(nil), sources(add("internal/front/guest/_src/runtime/map.go", "package runtimes"))},
		{"a source more", false, replacing(nil), sources(add("internal/opt/x.go", "package opt"))},
		{"a source less", false, replacing(nil), sources(func(fsys fstest.MapFS) { delete(fsys, "internal/opt/inline.go") })},
		{"another Go", false, replacing(func(info *debug.BuildInfo) { info.GoVersion = "go1.26.9" }), sources(nil)},
		{"another GOARCH", false, replacing(set("GOARCH", "arm64")), sources(nil)},
		{"tags", false, replacing(set("-tags", "x")), sources(nil)},
		{"other x/tools", false, replacing(module("golang.org/x/tools", sum("h1:tools2"))), sources(nil)},
	} {
		id, err := unnamed(c.info, c.fsys)
		if err != nil || id == build || (id == first) != c.same {
			t.Errorf("%s: identity %q, %v, the first has %q", c.what, id, err, first)
		}
	}
	for what, info := range map[string]*debug.BuildInfo{
		"x/tools replaced by a directory": replacing(module("golang.org/x/tools", replaced("../tools", "", ""))),
		"no build information":            nil,
	} {
		if id, err := unnamed(info, sources(nil)); err != nil || id != build {
			t.Errorf("%s: identity %q, %v, want the build ID", what, id, err)
		}
	}
	if id, err := unnamed(replacing(nil), nil); err != nil || id != build {
		t.Errorf("without sources: identity %q, %v, want the build ID", id, err)
	}
}

// The tag gyrsources embeds every file that package gyr is built from, except those of the package
// itself, which hands on what callers say.
func TestEmbeddedSources(t *testing.T) {
	text, err := os.ReadFile("../../embedded.go")
	if err != nil {
		t.Fatal(err)
	}
	var all, plain []string
	for line := range strings.Lines(string(text)) {
		if list, ok := strings.CutPrefix(line, "//go:embed "); ok {
			for _, p := range strings.Fields(list) {
				if whole, ok := strings.CutPrefix(p, "all:"); ok {
					all = append(all, whole+"/")
				} else {
					plain = append(plain, p+"/")
				}
			}
		}
	}
	embedded := func(file string) bool {
		for _, dir := range all {
			if strings.HasPrefix(file, dir) {
				return true
			}
		}
		for _, dir := range plain {
			if rest, ok := strings.CutPrefix(file, dir); ok {
				return !strings.ContainsAny(rest[:1], "._") && !strings.Contains(rest, "/_") && !strings.Contains(rest, "/.")
			}
		}
		return false
	}
	const format = "{{if .Module}}{{if eq .Module.Path \"" + modulePath + "\"}}{{$path := .ImportPath}}" +
		"{{range .GoFiles}}{{$path}}/{{.}}\n{{end}}{{range .IgnoredGoFiles}}{{$path}}/{{.}}\n{{end}}{{range .SFiles}}{{$path}}/{{.}}\n{{end}}" +
		"{{range .HFiles}}{{$path}}/{{.}}\n{{end}}{{range .EmbedFiles}}{{$path}}/{{.}}\n{{end}}{{end}}{{end}}"
	out, err := exec.Command("go", "list", "-deps", "-f", format, modulePath).CombinedOutput()
	if err != nil {
		t.Skipf("%v: %s", err, out)
	}
	files := 0
	for _, name := range strings.Fields(string(out)) {
		name = strings.TrimPrefix(name, modulePath+"/")
		if !strings.Contains(name, "/") {
			continue
		}
		if files++; !embedded(name) {
			t.Errorf("%s is not embedded: add its folder to embedded.go", name)
		}
	}
	if files < 400 {
		t.Errorf("gyr is built from %d files", files)
	}
}

// This test binary has no revision, so it is identified by its build ID.
func TestEngineIDOfTests(t *testing.T) {
	id, err := EngineID()
	build, err2 := buildID()
	if err != nil || err2 != nil || id != build {
		t.Errorf("identity %q, %v; build ID %q, %v", id, err, build, err2)
	}
}

// engineModules names exactly the modules that a host of gyr is linked with.
func TestEngineModules(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", modulePath).CombinedOutput()
	if err != nil {
		t.Skipf("%v: %s", err, out)
	}
	list := strings.Fields(string(out))
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(path string) bool { return path == modulePath })
	if !slices.Equal(list, engineModules) {
		t.Errorf("package gyr is linked with %q, engineModules is %q", list, engineModules)
	}
}
