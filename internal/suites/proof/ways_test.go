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

// TestWays runs each program of programs/, compiled in every way: from its directory as gyr run
// does, on a base that is already open as gyr test does, from memory as hosts do, from the cache,
// from a portable image, and without Go from an image that contains the standard library. Output,
// gas and all figures are equal, in both tiers. Without -full it takes a part of the programs each
// day, and the last way for two of them.
func TestWays(t *testing.T) {
	daily.Turn(t, 3, false)
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
			image, err := gyr.Build(ctx, gyr.Source{Dir: dir}, nil)
			if err != nil {
				t.Fatal(err)
			}
			type way struct {
				name  string
				src   gyr.Source
				opts  gyr.CompileOptions
				image []byte // in place of src
			}
			ways := []way{
				{name: "run", src: gyr.Source{Dir: dir}},
				{name: "test", src: gyr.Source{Dir: dir}, opts: gyr.CompileOptions{Base: base}},
				{name: "embedded", src: gyr.Source{FS: fstest.MapFS{"main.go": {Data: text}}, Patterns: []string{"main.go"}}},
				{name: "caching", src: gyr.Source{Dir: dir}, opts: gyr.CompileOptions{Cache: cache}},
				{name: "cached", src: gyr.Source{Dir: dir}, opts: gyr.CompileOptions{Cache: cache}},
				{name: "image", image: image},
			}
			if standalone[g.name] || *full {
				image, err := gyr.BuildStandalone(ctx, gyr.Source{Dir: dir}, nil)
				if err != nil {
					t.Fatal(err)
				}
				ways = append(ways, way{name: "standalone", image: image, opts: gyr.CompileOptions{GOROOT: t.TempDir()}})
			}
			var want result
			for i, w := range ways {
				var p *gyr.Program
				if w.image != nil {
					p = compileImage(t, w.image, &w.opts)
				} else {
					p = compile(t, w.src, &w.opts)
				}
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
