package load

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// TestOrigin checks that no path makes a package part of the standard library, and that our errors
// name two providers of a path in the same cases as the go command.
func TestOrigin(t *testing.T) {
	// ambiguous returns the error for a package of std that a module also has in a directory.
	ambiguous := func(path, mod, dir string) string {
		return "ambiguous import: found package " + path + " in multiple modules:\n\t" + mod + " (" + dir + ")\n\t ($GOROOT/src/" + path + ")"
	}
	const std = "-- main.go --\npackage main\nimport \"fmt\"\nfunc main() { fmt.Println() }\n"
	for _, c := range []struct {
		name, files string
		cfg         Options
		want        string // in the error; empty: no error
	}{
		{"a module named like a package", "-- go.mod --\nmodule fmt\ngo 1.26\n-- main.go --\npackage main\nfunc main() {}\n", Options{}, ambiguous("fmt", "fmt", ".")},
		{"as a library", "-- go.mod --\nmodule internal/goarch\ngo 1.26\n-- a.go --\npackage goarch\nfunc F() {}\n", Options{Exports: true}, ambiguous("internal/goarch", "internal/goarch", ".")},
		{"under test", "-- go.mod --\nmodule unicode/utf8\ngo 1.26\n-- a.go --\npackage utf8\n-- a_test.go --\npackage utf8\n", Options{Test: true}, ambiguous("unicode/utf8", "unicode/utf8", ".")},
		{"like one of the overlay", "-- go.mod --\nmodule testing/internal/testdeps\ngo 1.26\n-- a.go --\npackage testdeps\n-- a_test.go --\npackage testdeps\n", Options{Test: true}, ambiguous("testing/internal/testdeps", "testing/internal/testdeps", ".")},
		{"like the runtime", "-- go.mod --\nmodule runtime\ngo 1.26\n-- main.go --\npackage main\nfunc main() {}\n", Options{}, ambiguous("runtime", "runtime", ".")},
		{"a package inside of it", "-- go.mod --\nmodule unicode\ngo 1.26\n-- utf8/a.go --\npackage main\nfunc main() {}\n", Options{Patterns: []string{"./utf8"}}, ambiguous("unicode/utf8", "unicode", "utf8")},
		{"that std alone imports", "-- go.mod --\nmodule unicode\ngo 1.26\n-- utf8/a.go --\npackage utf8\n-- x/main.go --\npackage main\nimport \"strconv\"\nfunc main() { strconv.Quote(\"\") }\n",
			Options{Patterns: []string{"./x"}}, "$GOROOT/src/strconv/quote.go:10:2: " + ambiguous("unicode/utf8", "unicode", "utf8")},
		{"that is imported", "-- go.mod --\nmodule unicode\ngo 1.26\n-- utf8/a.go --\npackage utf8\n-- x/main.go --\npackage main\nimport \"unicode/utf8\"\nfunc main() { utf8.RuneLen('a') }\n",
			Options{Patterns: []string{"./x"}}, "x/main.go:2:8: " + ambiguous("unicode/utf8", "unicode", "utf8")},
		{"beside std's", "-- go.mod --\nmodule unicode\ngo 1.26\n-- mine/a.go --\npackage mine\nfunc F() {}\n-- x/main.go --\npackage main\nimport \"unicode/mine\"\nfunc main() { mine.F() }\n",
			Options{Patterns: []string{"./x"}}, ""},
		{"module unsafe", "-- go.mod --\nmodule unsafe\ngo 1.26\n-- a.go --\npackage unsafe\n-- x/main.go --\npackage main\nimport \"unsafe\"\nfunc main() { _ = unsafe.Sizeof(1) }\n",
			Options{Patterns: []string{"./x"}, Unsafe: api.UnsafeAll}, "x/main.go:2:8: " + ambiguous("unsafe", "unsafe", ".")},
		{"module C", "-- go.mod --\nmodule C\ngo 1.26\n-- a.go --\npackage c\n-- a_test.go --\npackage c\n", Options{Test: true}, `cannot load package C: import "C" stands for cgo, which is not supported`},
		{"module main under test", "-- go.mod --\nmodule main\ngo 1.26\n-- a.go --\npackage c\n-- a_test.go --\npackage c\n", Options{Test: true}, `main.test: could not import main (cannot import "main")`},
		{"module main", "-- go.mod --\nmodule main\ngo 1.26\n-- main.go --\npackage main\nimport \"main/q\"\nfunc main() { q.F() }\n-- q/q.go --\npackage q\nfunc F() {}\n", Options{}, ""},
		{"package main imported", "-- go.mod --\nmodule main\ngo 1.26\n-- a.go --\npackage lib\n-- q/q.go --\npackage main\nimport \"main\"\nfunc main() {}\n", Options{Patterns: []string{"./q"}}, `q/q.go:2:8: could not import main (cannot import "main")`},
		{"external tests' path", "-- go.mod --\nmodule m\ngo 1.26\n-- b/a.go --\npackage b\nimport \"m/c\"\nfunc F() { c.F() }\n-- b/a_test.go --\npackage b_test\n-- c/c.go --\npackage c\nimport \"m/b_test\"\nfunc F() { b_test.F() }\n-- b_test/b.go --\npackage b_test\nfunc F() {}\n",
			Options{Patterns: []string{"./b"}, Test: true}, "package m/b_test, in b_test, has the path of the external tests of m/b"},
		{"module vendor", "-- go.mod --\nmodule vendor\ngo 1.26\n-- main.go --\npackage main\nimport _ \"vendor/golang.org/x/text/unicode/norm\"\nfunc main() {}\n-- golang.org/x/text/unicode/norm/a.go --\npackage norm\n",
			Options{}, "main.go:2:8: vendor/golang.org/x/text/unicode/norm must be imported as golang.org/x/text/unicode/norm"},
		{"its package for std", "-- go.mod --\nmodule vendor\ngo 1.26\n-- main.go --\npackage main\nimport _ \"vendor/golang.org/x/text/unicode/norm\"\nfunc main() {}\n-- golang.org/x/text/unicode/norm/a.go --\npackage norm\n",
			Options{Patterns: []string{"./golang.org/x/text/unicode/norm"}, Exports: true}, ambiguous("vendor/golang.org/x/text/unicode/norm", "vendor", "golang.org/x/text/unicode/norm")},
		{"a vendored package of std", "-- go.mod --\nmodule m\ngo 1.26\nrequire unicode v1.0.0\n-- main.go --\npackage main\nimport \"unicode/utf8\"\nfunc main() { utf8.RuneLen('a') }\n-- vendor/modules.txt --\n# unicode v1.0.0\n## explicit\nunicode/utf8\n-- vendor/unicode/utf8/a.go --\npackage utf8\n",
			Options{}, "main.go:2:8: ambiguous import: found package unicode/utf8 in multiple directories:\n\t$GOROOT/src/unicode/utf8\n\tvendor/unicode/utf8"},
		{"a replaced module", "-- go.mod --\nmodule m\ngo 1.26\nrequire internal/goarch v1.2.3\nreplace internal/goarch => ./x\n" + std + "-- x/go.mod --\nmodule internal/goarch\n-- x/a.go --\npackage goarch\n",
			Options{}, "$GOROOT/src/internal/abi/abi.go:8:2: " + ambiguous("internal/goarch", "internal/goarch v1.2.3", "x")},
		{"a workspace", "-- go.work --\ngo 1.26\nuse ./m\nuse ./x\n-- m/go.mod --\nmodule m\ngo 1.26\n-- m/main.go --\npackage main\nimport \"unicode/utf8\"\nfunc main() { utf8.RuneLen('a') }\n-- x/go.mod --\nmodule unicode/utf8\ngo 1.26\n-- x/a.go --\npackage utf8\n",
			Options{Patterns: []string{"./m"}}, "m/main.go:2:8: " + ambiguous("unicode/utf8", "unicode/utf8", "x")},
		{"a file", "-- go.mod --\nmodule fmt\ngo 1.26\n" + std, Options{Patterns: []string{"main.go"}}, "main.go:2:8: " + ambiguous("fmt", "fmt", ".")},
		{"dots", "-- go.mod --\nmodule m\ngo 1.26\n-- main.go --\npackage main\nimport _ \"m/../m\"\nimport _ \"fmt/.\"\nimport _ \"unicode/../internal/goarch\"\nfunc main() {}\n", Options{},
			"main.go:2:8: malformed import path \"m/../m\": invalid path element \"..\"\nmain.go:3:8: malformed import path \"fmt/.\": invalid path element \".\"\nmain.go:4:8: malformed import path \"unicode/../internal/goarch\": invalid path element \"..\""},
		{"dots of a pattern", "-- go.mod --\nmodule m\ngo 1.26\n" + std, Options{Patterns: []string{"m/x/../../fmt"}}, `malformed import path "m/x/../../fmt": invalid path element ".."`},
		{"dots of a module", "-- go.mod --\nmodule m/../fmt\ngo 1.26\n" + std, Options{}, `go.mod: malformed module path "m/../fmt": invalid path element ".."`},
		{"dots of a vendored package", "-- go.mod --\nmodule m\ngo 1.26\nrequire a.b v1.0.0\n-- main.go --\npackage main\nimport \"a.b/../../outside\"\nfunc main() { outside.F() }\n-- vendor/modules.txt --\n# a.b v1.0.0\n## explicit\na.b/../../outside\n-- outside/a.go --\npackage outside\nfunc F() {}\n",
			Options{}, `main.go:2:8: malformed import path "a.b/../../outside": invalid path element ".."`},
		{"an internal package", "-- go.mod --\nmodule runtime/mine\ngo 1.26\n-- main.go --\npackage main\nimport \"internal/goarch\"\nfunc main() { _ = goarch.PtrSize }\n", Options{}, "main.go:2:8: use of internal package internal/goarch not allowed"},
	} {
		own := files(c.files)
		c.cfg.FS = own
		p, err := Load(t.Context(), c.cfg)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q\nwant %q", c.name, got, c.want)
		}
		if p == nil {
			continue
		}
		for _, q := range p.Packages {
			if own[q.files[0].name] != nil == q.Std {
				t.Errorf("%s: package %s is of std: %v", c.name, q.Path, q.Std)
			}
		}
	}
}

// TestOriginOnBase checks the same for packages of a base, whose sources are not read.
func TestOriginOnBase(t *testing.T) {
	_, err := Load(t.Context(), Options{Base: openBase(t), FS: files("-- go.mod --\nmodule unicode\ngo 1.26\n-- utf8/a.go --\npackage utf8\n-- x/main.go --\npackage main\nimport \"fmt\"\nfunc main() { fmt.Println() }\n"), Patterns: []string{"./x"}})
	if err == nil || !strings.Contains(err.Error(), "ambiguous import: found package unicode/utf8 in multiple modules:\n\tunicode (utf8)") {
		t.Errorf("error %v", err)
	}
}

// TestOriginListed checks that patterns find such packages too.
func TestOriginListed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module unicode\n\ngo 1.26\n", "utf8/a.go": "package utf8\n", "mine/a.go": "package mine\n"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, _, err := List(t.Context(), Options{Dir: dir, Patterns: []string{"./..."}})
	if err != nil || len(list) != 2 || list[0].Err != nil || list[1].Path != "unicode/utf8" || list[1].Err == nil {
		t.Errorf("%v, %v", list, err)
	}
}
