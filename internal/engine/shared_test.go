package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestShareLayers: a layer of another process equals one made here, for bases with and without a
// cache. Engines with other identities make their own, and so do all if the stored one is damaged.
func TestShareLayers(t *testing.T) {
	daily.Turn(t, 3, false)
	before := shared
	defer func() { shared = before }()
	dir := filepath.Join(t.TempDir(), "shared")
	share := func(id string) {
		t.Helper()
		if err := ShareLayers(dir, id); err != nil {
			t.Fatal(err)
		}
	}
	entries := func() []string {
		t.Helper()
		list, err := filepath.Glob(filepath.Join(dir, "*.entry"))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	// open returns the parts of the first layer of a new base, and its origin.
	open := func(dir string) (string, api.LayerStats) {
		t.Helper()
		b, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Cache: dir}})
		if err != nil {
			t.Fatal(err)
		}
		var parts bytes.Buffer
		l := b.layers[0].Load()
		fmt.Fprintf(&parts, "%x %x %d\n", l.id, l.sum, len(l.inputs))
		for n := range cache.NumParts {
			part, err := l.part(n)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&parts, "%q\n", part)
		}
		return parts.String(), b.Stats().Layers[0]
	}
	share("one")
	made, _ := open("")
	if len(entries()) != 1 {
		t.Fatalf("%d layers are kept", len(entries()))
	}
	first := entries()[0]
	kept, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "own")
	for _, how := range []struct {
		name, dir string
		cached    bool
	}{{"without a cache", "", false}, {"with a cache", own, false}, {"from the cache", own, true}} {
		if taken, stats := open(how.dir); taken != made || stats.FromCache != how.cached {
			t.Errorf("%s: another layer, or from the cache: %v", how.name, stats.FromCache)
		}
	}
	under := func(id string) *cache.BaseEntry {
		t.Helper()
		share(id)
		name, err := (&Base{pkgs: layersIn("")}).nameOf(0, nil, func() (string, error) { return shared.id, nil })
		if err != nil {
			t.Fatal(err)
		}
		return readShared(name)
	}
	if under("another") != nil || under("one") == nil {
		t.Error("a layer is not found by the identity of its engine")
	}
	damaged := bytes.Clone(kept)
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(first, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if again, _ := open(""); again != made {
		t.Error("a damaged layer is used")
	}
	if again, err := os.ReadFile(first); err != nil || !bytes.Equal(again, kept) {
		t.Error("a damaged layer is not made again")
	}
}
