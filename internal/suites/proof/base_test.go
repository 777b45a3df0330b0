package proof

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// onAddresses are guests that keep types in a map by their addresses, or print addresses: on a base
// these differ.
var onAddresses = map[string]bool{"json": true, "figures": true, "panics": true}

// TestBase: a program on a base prints the same as when it is compiled alone, costs the same gas
// and makes no more objects, in both tiers. (It may make fewer: more is known about functions of
// the base than about functions of a program that are only later found to be called.) Programs that
// depend on addresses are compared between the tiers, and with the program and the base from the
// cache, with their code.
func TestBase(t *testing.T) {
	daily.Turn(t, 3, false)
	dir, err := suiteDir()
	if err != nil {
		t.Fatal(err)
	}
	want := wholeReference(t)
	cache := filepath.Join(t.TempDir(), "cache") // accessible to this user only
	var first []result
	for _, what := range []string{"made", "from the cache"} {
		base, err := gyr.OpenBase(context.Background(), gyr.BaseConfig{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		p := compile(t, gyr.Source{Dir: dir}, &gyr.CompileOptions{Base: base, Cache: cache})
		cached := gyr.CacheHit
		if first == nil {
			cached = gyr.CacheMiss
		}
		if s := p.Stats(); !s.OnBase || s.Cached != cached {
			t.Fatalf("the suite is on the base: %t; cache: %s, want %s: %s", s.OnBase, s.Cached, cached, s.CacheNote)
		}
		for _, tier := range bothTiers() {
			what := fmt.Sprintf("base %s, %s", what, tier)
			got, err := runSuiteIn(p, tier, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range suite(t) {
				if g.observes || onAddresses[g.name] {
					continue
				}
				if d := diff(got[i].Output, want[i].Output); d != "" {
					t.Errorf("%s: %s: output: %s", what, g, d)
				}
				if a, b := got[i].Stats.Gas, want[i].Stats.Gas; a != b {
					t.Errorf("%s: %s: %d gas, want %d", what, g, a, b)
				}
				a, ab, _ := got[i].Stats.Own()
				b, bb, _ := want[i].Stats.Own()
				if a > b || ab > bb {
					t.Errorf("%s: %s: %d objects of %d bytes, want at most %d of %d", what, g, a, ab, b, bb)
				}
			}
			if first == nil {
				first = got
			}
			same(t, what, got, first, true)
		}
		if n := p.Stats().Compiled; cached == gyr.CacheHit && n != 0 {
			t.Errorf("%d functions of the program were compiled again", n)
		}
		if err := base.Save(); err != nil {
			t.Fatal(err)
		}
	}
}
