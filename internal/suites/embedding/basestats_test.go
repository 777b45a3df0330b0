package embedding_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// baseStats opens a base with a cache directory, compiles programs with it, and returns its
// figures.
func baseStats(t *testing.T, cache string, programs ...string) gyr.BaseStats {
	t.Helper()
	base, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range programs {
		src := gyr.Source{Patterns: []string{"main.go"}, FS: fstest.MapFS{"main.go": {Data: []byte(text)}}}
		p, err := gyr.Compile(t.Context(), src, &gyr.CompileOptions{Base: base})
		if err != nil {
			t.Fatal(err)
		}
		in, err := p.NewInstance(t.Context(), gyr.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		in.Close()
	}
	if err := base.Save(); err != nil && base.Stats().CacheNote == "" {
		t.Errorf("saving failed, of which there is no note: %v", err)
	}
	return base.Stats()
}

// The figures of a base say which layers exist, where each came from, and what was wrong with the
// cache.
func TestBaseStats(t *testing.T) {
	daily.Turn(t, 3, false)
	const small, large = `package main

import "fmt"

func main() { fmt.Println(1) }
`, `package main

import (
	"encoding/hex"
	"fmt"
)

func main() { fmt.Println(hex.EncodeToString([]byte("x"))) }
`
	// check compares the figures that are the same in every process.
	check := func(name string, s gyr.BaseStats, cached string, fromCache ...bool) {
		t.Helper()
		if s.Cached != cached || len(s.Layers) != len(fromCache) {
			t.Fatalf("%s: %+v", name, s)
		}
		for i, l := range s.Layers {
			if l.FromCache != fromCache[i] || l.Packages < 10 || l.Functions < 100 || l.Took <= 0 || l.Compiled > l.Functions*2 {
				t.Errorf("%s: layer %d: %+v", name, i, l)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "cache")
	first := baseStats(t, dir, small, large)
	check("made", first, gyr.CacheMiss, false, false)
	if first.CacheNote != "" || first.Layers[0].Compiled == 0 {
		t.Errorf("made: %+v", first)
	}
	second := baseStats(t, dir, small)
	check("from the cache", second, gyr.CacheHit, true)
	if second.CacheNote != "" || second.Layers[0].Compiled != 0 ||
		second.Layers[0].Functions != first.Layers[0].Functions {
		t.Errorf("from the cache: %+v, when it was made: %+v", second, first)
	}
	check("no cache", baseStats(t, ""), gyr.CacheOff, false)

	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	s := baseStats(t, open)
	check("a directory that others can enter", s, gyr.CacheOff, false)
	if !strings.Contains(s.CacheNote, "open to other users") {
		t.Errorf("note %q", s.CacheNote)
	}

	// Damaged entries are made again, and the layer's figures say so.
	damage(t, dir, func(name string) error { return os.Truncate(name, 100) })
	s = baseStats(t, dir)
	check("damaged", s, gyr.CacheMiss, false)
	if s.CacheNote != "" || s.Layers[0].CacheNote == "" {
		t.Errorf("damaged: %+v", s)
	}
	check("mended", baseStats(t, dir), gyr.CacheHit, true)

	// New entries cannot be written.
	damage(t, dir, func(name string) error {
		return errors.Join(os.Remove(name), os.MkdirAll(filepath.Join(name, "x"), 0o700))
	})
	s = baseStats(t, dir, small)
	check("cannot be written", s, gyr.CacheMiss, false)
	if !strings.Contains(s.CacheNote, "rename") {
		t.Errorf("cannot be written: %+v", s)
	}
}

// damage applies a function to all entries of a cache.
func damage(t *testing.T, dir string, do func(name string) error) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.entry"))
	if err != nil || len(names) == 0 {
		t.Fatalf("entries: %q, %v", names, err)
	}
	for _, name := range names {
		if err := do(name); err != nil {
			t.Fatal(err)
		}
	}
}
