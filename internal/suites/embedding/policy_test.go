package embedding_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// TestPoliciesBeforeCompiling: what a policy or a limit of the sources refuses is refused before the
// standard library that it imports is compiled. With an empty cache, the base then has no more
// layers than when it was opened.
func TestPoliciesBeforeCompiling(t *testing.T) {
	const start = "package main\nimport (\n\"encoding/csv\"\n_ \"unsafe\"\n)\n"
	base, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{Cache: filepath.Join(t.TempDir(), "cache")})
	if err != nil {
		t.Fatal(err)
	}
	opened := len(base.Stats().Layers) // what every program needs
	for _, c := range []struct {
		name, source string
		unsafe       gyr.UnsafePolicy
		limits       gyr.Limits
		want         string
		layers       bool
	}{
		{"unsafe", start + "func main() { csv.NewReader(nil) }\n", gyr.NoUnsafe, gyr.Limits{}, `main.go:4:1: import of "unsafe" is not allowed: Source.Unsafe is NoUnsafe`, false},
		{"own unsafe", start + "func main() { csv.NewReader(nil) }\n", gyr.UnsafeDependencies, gyr.Limits{}, `main.go:4:1: import of "unsafe" is allowed in other modules only: Source.Unsafe is UnsafeDependencies`, false},
		{"linkname", "package main\nimport \"encoding/csv\"\n//go:linkname f runtime.f\nfunc f()\nfunc main() { csv.NewReader(nil) }\n", gyr.NoUnsafe, gyr.Limits{},
			`main.go:3:1: //go:linkname only allowed in Go files that import "unsafe"`, false},
		{"limit", start + "func main() { csv.NewReader(nil) }\n", gyr.UnsafeAll, gyr.Limits{SourceBytes: 100}, "(Limits.SourceBytes)", false},
		{"embedded", "package main\nimport (\n_ \"embed\"\n\"encoding/csv\"\n)\n//go:embed main.go\nvar s string\nfunc main() { csv.NewReader(nil) }\n", gyr.NoUnsafe, gyr.Limits{EmbedBytes: 10}, "(Limits.EmbedBytes)", false},
		{"a type error", "package main\nimport \"encoding/csv\"\nfunc main() { csv.NewReader(nil); undefined() }\n", gyr.NoUnsafe, gyr.Limits{}, "./main.go:3:35: undefined: undefined", true},
	} {
		_, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(c.source)}}, Patterns: []string{"main.go"}, Unsafe: c.unsafe, Limits: c.limits},
			&gyr.CompileOptions{Base: base})
		var refused *gyr.CompileError
		var over *gyr.CompileLimitError
		switch {
		case err == nil || !strings.HasSuffix(err.Error(), c.want):
			t.Errorf("%s: %v, want\n%s", c.name, err, c.want)
		case c.limits != (gyr.Limits{}):
			if !errors.As(err, &over) {
				t.Errorf("%s: %T", c.name, err)
			}
		case !errors.As(err, &refused) || len(refused.List()) != 1 || refused.List()[0].File == "":
			t.Errorf("%s: %T %+v", c.name, err, err)
		}
		if got := len(base.Stats().Layers) > opened; got != c.layers {
			t.Errorf("%s: layers were made: %t, want %t (%+v)", c.name, got, c.layers, base.Stats())
		}
	}
}
