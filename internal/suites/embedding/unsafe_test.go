package embedding_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestUnsafePolicy checks which programs a host gets under each policy, and that programs with
// unsafe run checked.
func TestUnsafePolicy(t *testing.T) {
	const (
		plain = "package main\nfunc main() {}\n"
		own   = "package main\nimport \"unsafe\"\nfunc main() { println(unsafe.Sizeof(1)) }\n"
		other = "package main\nimport \"example.org/lib\"\nfunc main() { println(lib.Size) }\n"
	)
	fsys := func(main string) fstest.MapFS {
		return fstest.MapFS{
			"go.mod":      {Data: []byte("module example.com/m\ngo 1.26\nrequire example.org/lib v1.0.0\nreplace example.org/lib => ./lib\n")},
			"main.go":     {Data: []byte(main)},
			"lib/go.mod":  {Data: []byte("module example.org/lib\ngo 1.26\n")},
			"lib/main.go": {Data: []byte("package lib\nimport \"unsafe\"\nconst Size = unsafe.Sizeof(1)\n")},
		}
	}
	for _, c := range []struct {
		name, main string
		ok         map[gyr.UnsafePolicy]bool
	}{
		{"plain", plain, map[gyr.UnsafePolicy]bool{gyr.NoUnsafe: true, gyr.UnsafeDependencies: true, gyr.UnsafeAll: true, gyr.UnsafeAll + 1: true, 255: true}},
		{"own", own, map[gyr.UnsafePolicy]bool{gyr.UnsafeAll: true}},
		{"other", other, map[gyr.UnsafePolicy]bool{gyr.UnsafeDependencies: true, gyr.UnsafeAll: true}},
	} {
		for _, policy := range []gyr.UnsafePolicy{gyr.NoUnsafe, gyr.UnsafeDependencies, gyr.UnsafeAll, gyr.UnsafeAll + 1, 255} {
			p, err := gyr.Compile(context.Background(), gyr.Source{FS: fsys(c.main), Unsafe: policy}, nil)
			if (err == nil) != c.ok[policy] {
				t.Errorf("%s with policy %d: %v", c.name, policy, err)
			}
			if err == nil && p.Stats().RunsChecked != "fs" {
				t.Errorf("%s runs checked: %q", c.name, p.Stats().RunsChecked)
			}
		}
	}
	var zero gyr.Source
	if zero.Unsafe != gyr.NoUnsafe {
		t.Error("the zero value does not refuse")
	}
}

// TestRunsChecked checks the reasons why programs run checked, also for programs from a cache.
func TestRunsChecked(t *testing.T) {
	daily.Turn(t, 3, false)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain.go": "package main\nfunc main() {}\n", "own.go": "package main\nimport _ \"unsafe\"\nfunc main() {}\n",
		"lib.go": "package lib\nfunc F() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	src := func(file string) given {
		return given{
			Source:         gyr.Source{Dir: dir, Patterns: []string{file}, Unsafe: gyr.UnsafeAll},
			CompileOptions: gyr.CompileOptions{Cache: t.TempDir()},
		}
	}
	image, err := gyr.Build(context.Background(), src("plain.go").Source, nil)
	if err != nil {
		t.Fatal(err)
	}
	exports := src("lib.go")
	exports.Exports = true
	for _, c := range []struct {
		src  given
		want string
	}{
		{src("plain.go"), ""}, {src("own.go"), "unsafe in command-line-arguments"}, {given{image: image}, "image"}, {exports, "exports"},
	} {
		for range 2 {
			p, err := c.src.compile(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Stats().RunsChecked; got != c.want {
				t.Errorf("%q, want %q (cache %s)", got, c.want, p.Stats().Cached)
			}
		}
	}
}
