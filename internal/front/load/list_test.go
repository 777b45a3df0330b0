package load

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestListStd compares the packages of std with those of the go command.
func TestListStd(t *testing.T) {
	for _, pattern := range []string{"std", "encoding/...", "go/ast", "internal/..."} {
		cmd := exec.Command("go", "list", "-tags=purego,math_big_pure_go", pattern)
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
		cmd.Dir = t.TempDir()
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("go list: %v", err)
		}
		var want []string
		for _, p := range strings.Fields(string(out)) {
			if !strings.HasPrefix(p, "vendor/") {
				want = append(want, p)
			}
		}
		list, unmatched, err := List(context.Background(), Options{Dir: cmd.Dir, Patterns: []string{pattern}})
		if err != nil || unmatched != nil {
			t.Fatal(err, unmatched)
		}
		var got []string
		for _, x := range list {
			got = append(got, x.Path)
			if !x.Std {
				t.Errorf("%s is of std", x.Path)
			}
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d packages, want %d", pattern, len(got), len(want))
			for _, p := range want {
				if !slices.Contains(got, p) {
					t.Errorf("%s is missing", p)
				}
			}
			for _, p := range got {
				if !slices.Contains(want, p) {
					t.Errorf("%s is too much", p)
				}
			}
		}
	}
}

// TestList covers directories, import paths, files, and packages that are ignored, missing or do
// not exist.
func TestList(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                 "module m\n\ngo 1.26\n",
		"a.go":                   "package m\n",
		"a_test.go":              "package m\n",
		"only/x_test.go":         "package only\n",
		"plain/p.go":             "package plain\n",
		"plain/p_linux.go":       "package plain\n",
		"other/o_windows.go":     "package other\n",
		"testdata/t.go":          "package t\n",
		"_hidden/h.go":           "package h\n",
		"vendor/v/v.go":          "package v\n",
		"nested/go.mod":          "module nested\n",
		"nested/n.go":            "package n\n",
		"files/a_filetest.go":    "//go:build ignore\n\npackage main\n",
		"files/b_filetest.txtar": "-- main.go --\npackage main\n",
		"dir.go/d.go":            "package d\n",
		"part/p_filetest.go":     "package part\n", // not a main program, so a part of the package
		"sub/deep/d.go":          "package d\n",
	} {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		os.WriteFile(name, []byte(text), 0o666)
	}
	os.RemoveAll(filepath.Join(dir, "vendor")) // a vendor directory without modules.txt is an error
	for _, test := range []struct {
		patterns  string
		want      string
		unmatched string
		err       string
	}{
		{"", "m+test", "", ""},
		{"./...", "m+test m/dir.go m/files-go+a_filetest.go+b_filetest.txtar m/only-go+test m/part m/plain m/sub/deep", "", ""},
		{"m/...", "m+test m/dir.go m/files-go+a_filetest.go+b_filetest.txtar m/only-go+test m/part m/plain m/sub/deep", "", ""},
		{"./sub/...", "m/sub/deep", "", ""},
		{"m/plain . ./plain", "m/plain m+test", "", ""},
		{"./other", "m/other-go", "", ""},
		{"./other/...", "", "./other/...", ""},
		{"m/nothing", "m/nothing!", "", ""},
		{"./none", "", "", "directory not found"},
		{"a.go a_test.go", "command-line-arguments+test", "", ""},
		{"b.go", "", "", "no such file"},
		{"plain/b.go", "", "", "no such file"},
		{"../b.go", "", "", "no such file"},
		{"./dir.go", "m/dir.go", "", ""},
		{"example.com/dir.go", "example.com/dir.go!", "", ""},
		{"all", "", "", "not supported"},
		{"m/x...", "", "", "only a final /..."},
	} {
		list, unmatched, err := List(context.Background(), Options{Dir: dir, Patterns: strings.Fields(test.patterns)})
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: error %v, want %q", test.patterns, err, test.err)
			continue
		}
		var got []string
		for _, x := range list {
			s := x.Path
			if x.Err != nil {
				s += "!"
			} else if !x.HasGo {
				s += "-go"
			}
			if x.HasTests {
				s += "+test"
			}
			for _, f := range x.Filetests {
				s += "+" + f
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != test.want || strings.Join(unmatched, " ") != test.unmatched {
			t.Errorf("%q: %s, unmatched %q, want %s, %q", test.patterns, s, unmatched, test.want, test.unmatched)
		}
	}
}
