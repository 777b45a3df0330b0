package embedding_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// TestPoliciesBeforeCompiling: what a policy or a limit of the sources refuses is refused before the standard library
// that it imports is compiled: with an empty cache, the base has no more layers afterwards than when it was opened.
func TestPoliciesBeforeCompiling(t *testing.T) {
	const start = "package main\nimport (\n\"encoding/csv\"\n_ \"unsafe\"\n)\n"
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
		{"limit", start + "func main() { csv.NewReader(nil) }\n", gyr.UnsafeAll, gyr.Limits{SourceBytes: 100}, "", false},
		{"a type error", "package main\nimport \"encoding/csv\"\nfunc main() { csv.NewReader(nil); undefined() }\n", gyr.NoUnsafe, gyr.Limits{}, "", true},
	} {
		cache := filepath.Join(t.TempDir(), "cache")
		base, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		opened := len(base.Stats().Layers) // what every program needs
		_, err = gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(c.source)}}, Patterns: []string{"main.go"}, Unsafe: c.unsafe, Limits: c.limits},
			&gyr.CompileOptions{Base: base})
		var refused *gyr.CompileError
		switch {
		case err == nil:
			t.Errorf("%s: it compiles", c.name)
		case c.want == "":
		case !errors.As(err, &refused):
			t.Errorf("%s: %T %v", c.name, err, err)
		default:
			if list := refused.List(); len(list) != 1 || list[0].File == "" || refused.Error() != c.want {
				t.Errorf("%s: %v, want\n%s", c.name, refused, c.want)
			}
		}
		if got := len(base.Stats().Layers) > opened; got != c.layers {
			t.Errorf("%s: layers were made: %t, want %t (%+v)", c.name, got, c.layers, base.Stats())
		}
	}
}
