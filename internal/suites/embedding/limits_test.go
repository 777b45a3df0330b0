package embedding_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// TestCompileLimits: each limit refuses what exceeds it, with its name, its value and the place,
// and accepts what does not. The error is the same every time.
func TestCompileLimits(t *testing.T) {
	const start = "package main\n"
	for _, c := range []struct {
		source string
		limits gyr.Limits // limits that refuse it
		want   string
	}{
		{"func main() { println(1) }", gyr.Limits{SourceBytes: 1000}, "the program's own files are too large, more than the limit of 1000 (Limits.SourceBytes)"},
		{"var x = ((((1))))\nfunc main() {}", gyr.Limits{Nesting: 3}, "./main.go:2:12: brackets nested too deep, more than the limit of 3 (Limits.Nesting)"},
		{"var y = 1\nvar x = y+y+y+y+y+y+y+y\nfunc main() {}", gyr.Limits{Nesting: 7}, "./main.go:3:9: syntax nested too deep, more than the limit of 7 (Limits.Nesting)"},
		{"const s = \"a\" + \"b\"\nfunc main() {}", gyr.Limits{ConstantBytes: 5}, "./main.go:2:11: constant strings of 6 bytes up to here, more than the limit of 5 (Limits.ConstantBytes)"},
		{"const s = 1.5 * 3\nfunc main() {}", gyr.Limits{ConstantWork: 15}, "./main.go:2:15: constants that take 16 steps to compute up to here, more than the limit of 15 (Limits.ConstantWork)"},
		{"type T [100]struct{ a int64; b byte }\nfunc main() { var x T; _ = x }", gyr.Limits{TypeSize: 1599}, "./main.go:2:8: a type of 1600 bytes, more than the limit of 1599 (Limits.TypeSize)"},
		{"type D[P any] struct{ a, b P }\nfunc main() { var x D[D[D[int]]]; _ = x.a }", gyr.Limits{TypeExpansion: 10}, "./main.go:3:21: a type of 22 parts, more than the limit of 10 (Limits.TypeExpansion)"},
		{"func f[T any]() {}\nfunc main() { f[int](); f[int](); f[string]() }", gyr.Limits{Instances: 1}, "./main.go:3:35: more instances of generic functions and types, more than the limit of 1 (Limits.Instances)"},
		{"func f() { println(1) }\nfunc main() { f() }", gyr.Limits{Functions: 2}, "main.go:2: more functions, more than the limit of 2 (Limits.Functions)"},
		{"func main() { println(1); println(2) }", gyr.Limits{Operations: 5}, "more operations of the IR, more than the limit of 5 (Limits.Operations)"},
		{"func main() { var x any; switch x.(type) { case int, bool, string: } }", gyr.Limits{CheckWork: 40}, "./main.go:2:1: a package that takes about 108 steps to check, most of them for what stands here, more than the limit of 40 (Limits.CheckWork)"},
		{"import _ \"embed\"\n//go:embed main.go\nvar s string\nfunc main() { println(len(s)) }", gyr.Limits{EmbedBytes: 10}, "(Limits.EmbedBytes)"},
	} {
		src := gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(start + c.source)}}, Patterns: []string{"main.go"}}
		if _, err := gyr.Compile(t.Context(), src, nil); err != nil {
			t.Errorf("%s: %v", c.source, err)
		}
		src.Limits = gyr.UntrustedLimits()
		if _, err := gyr.Compile(t.Context(), src, nil); err != nil {
			t.Errorf("%s: %v", c.source, err)
		}
		src.Limits = c.limits
		for range 2 {
			_, err := gyr.Compile(t.Context(), src, nil)
			var over *gyr.CompileLimitError
			switch {
			case !errors.As(err, &over):
				t.Errorf("%s: %T %v", c.source, err, err)
			case !strings.HasSuffix(err.Error(), c.want) || !strings.HasSuffix(c.want, "(Limits."+over.Limit+")"):
				t.Errorf("%s:\n%v, want\n%s", c.source, err, c.want)
			}
		}
	}
	if _, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte("package main\nfunc main() {}\n")}}, Limits: gyr.Limits{Nesting: -1}}, nil); err == nil || !strings.Contains(err.Error(), "Limits.Nesting is -1") {
		t.Errorf("a negative limit: %v", err)
	}
}
