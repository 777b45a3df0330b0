package gomod

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fakeGo makes a directory that looks like a Go installation.
func fakeGo(t *testing.T, dir, version string) {
	t.Helper()
	for _, d := range []string{"bin", "src/fmt"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"VERSION": version + "\ntime 2026-08-11T00:00:00Z\n", "bin/go": "#!/bin/false\n", "bin/go.exe": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSelectGo tests which installation go.work, go.mod and GOTOOLCHAIN select. No installation
// here has a go command that could start.
func TestSelectGo(t *testing.T) {
	root := t.TempDir()
	here, cache := filepath.Join(root, "go"), filepath.Join(root, "mod")
	fakeGo(t, here, "go1.26.8")
	in := func(version string) string {
		return filepath.Join(cache, "golang.org", toolchainPrefix+version+"."+runtime.GOOS+"-"+runtime.GOARCH)
	}
	for _, v := range []string{"go1.26.9", "go1.27.0", "go1.27.4", "go1.28.1"} {
		fakeGo(t, in(v), v)
	}
	if err := os.MkdirAll(in("go1.27.5"), 0o777); err != nil { // damaged
		t.Fatal(err)
	}
	for _, tt := range []struct {
		mod, work, toolchain, goroot string
		want                         string // a version of the module cache; empty: the default
		err                          []string
	}{
		{mod: "go 1.26"},
		{mod: ""},
		{mod: "go 1.26.8"},
		{mod: "go 1.26.9", want: "go1.26.9"},
		{mod: "go 1.27", want: "go1.27.4"},
		{mod: "go 1.27.0", want: "go1.27.0"},
		{mod: "go 1.27.1", want: "go1.27.4"},
		{mod: "go 1.26\ntoolchain go1.27.0", want: "go1.27.0"},
		{mod: "go 1.27.4\ntoolchain go1.27.0", want: "go1.27.4"},
		{mod: "go 1.27", work: "go 1.26\nuse ./sub"},
		{mod: "go 1.26", work: "go 1.27.0\nuse ./sub", want: "go1.27.0"},
		{mod: "go 1.27", toolchain: "local"},
		{mod: "go 1.26", toolchain: "go1.27.0", want: "go1.27.0"},
		{mod: "go 1.27.4", toolchain: "go1.27.0", want: "go1.27.0"},
		{mod: "go 1.27.4", toolchain: "go1.27.0+auto", want: "go1.27.4"},
		{mod: "go 1.26", toolchain: "go1.26.8"},
		{mod: "go 1.27", goroot: "elsewhere"},
		{mod: "go 1.27.5", err: []string{"go.mod: go 1.27.5", "go1.26.8 in " + here, "go1.27.0, go1.27.4", "GOTOOLCHAIN=go1.27.5 go version"}},
		{mod: "go 1.26\ntoolchain go1.27.9", err: []string{"toolchain go1.27.9", "GOTOOLCHAIN=go1.27.9 go version"}},
		{mod: "go 1.26\ntoolchain go1.99", err: []string{"toolchain go1.99", "this gyr runs go1.26"}},
		{mod: "go 1.99", err: []string{"go 1.99", "this gyr runs go1.26"}},
		{mod: "go 1.26", toolchain: "go1.27.3", err: []string{"GOTOOLCHAIN=go1.27.3", "the module cache has"}},
	} {
		dir := filepath.Join(t.TempDir(), "sub")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if tt.mod != "" {
			os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"+tt.mod+"\n"), 0o666)
		}
		if tt.work != "" {
			os.WriteFile(filepath.Join(dir, "..", "go.work"), []byte(tt.work+"\n"), 0o666)
		}
		env := map[string]string{"PATH": filepath.Join(here, "bin"), "GOMODCACHE": cache, "GOENV": "off", "GOTOOLCHAIN": tt.toolchain, "GOROOT": tt.goroot}
		want := ""
		if tt.want != "" {
			want = in(tt.want)
		}
		got, err := SelectGo(dir, func(key string) string { return env[key] })
		if got != want || (err != nil) != (tt.err != nil) {
			t.Errorf("%+v: %s, %v", tt, got, err)
			continue
		}
		for _, part := range tt.err {
			if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%+v: %v, want %s in one line", tt, err, part)
			}
		}
	}
}
