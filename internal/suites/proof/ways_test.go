package proof

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestWays runs each program of programs/, compiled in all ways in which one can be: from its directory as gyr run
// does, on a base that was opened before as gyr test does, from memory as hosts do, from the cache, from a portable
// image, and from an image with the standard library in it where there is no Go. Output, gas and all figures are
// equal, in both tiers. Without -full it is a part of the programs each day, and the last way is taken for two of all.
func TestWays(t *testing.T) {
	ctx := context.Background()
	base, err := gyr.OpenBase(ctx, gyr.BaseConfig{})
	if err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	standalone := map[string]bool{"fib": true, "json": !testing.Short()}
	seen := map[string]bool{}
	var list []guest
	for _, g := range suite(t) {
		if !seen[g.name] && sizes[g.name] != "" {
			seen[g.name] = true
			list = append(list, g)
		}
	}
	for _, g := range daily.Part(t, list, (len(list)+3)/4, *full) {
		t.Run(g.name, func(t *testing.T) {
			dir := "../../../programs/" + g.name
			text, err := os.ReadFile(filepath.Join(dir, "main.go"))
			if err != nil {
				t.Fatal(err)
			}
			image, err := gyr.Build(ctx, gyr.Source{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			type way struct {
				name string
				src  gyr.Source
			}
			ways := []way{
				{"run", gyr.Source{Dir: dir}},
				{"test", gyr.Source{Dir: dir, Base: base}},
				{"embedded", gyr.Source{FS: fstest.MapFS{"main.go": {Data: text}}, Patterns: []string{"main.go"}}},
				{"caching", gyr.Source{Dir: dir, Cache: cache}},
				{"cached", gyr.Source{Dir: dir, Cache: cache}},
				{"image", gyr.Source{Image: image}},
			}
			if standalone[g.name] || *full {
				image, err := gyr.Build(ctx, gyr.Source{Dir: dir, Standalone: true})
				if err != nil {
					t.Fatal(err)
				}
				ways = append(ways, way{"standalone", gyr.Source{Image: image, GOROOT: t.TempDir()}})
			}
			var want result
			for i, w := range ways {
				p := compile(t, w.src)
				if !p.Stats().OnBase {
					t.Errorf("%s: not on the precompiled standard library", w.name)
				}
				if w.name == "cached" && p.Stats().Cached != gyr.CacheHit {
					t.Errorf("the cache: %s %s", p.Stats().Cached, p.Stats().CacheNote)
				}
				for k, tier := range bothTiers() {
					got, err := execute(p, gyr.Config{Args: g.args, Tier: tier, Name: g.name})
					if err != nil {
						t.Fatalf("%s, %s: %v", w.name, tier, err)
					}
					if i == 0 && k == 0 {
						want = got
					}
					if got != want {
						t.Errorf("%s, %s:\n%s%+v\nwant\n%s%+v", w.name, tier, got.Output, got.Stats, want.Output, want.Stats)
					}
				}
			}
		})
	}
}
