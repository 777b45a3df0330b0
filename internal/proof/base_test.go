package proof

import (
	"context"
	"fmt"
	"testing"

	"github.com/gyrvm/gyr"
)

// onAddresses are guests that keep types in a map by their addresses, or print some: on a base
// these are others.
var onAddresses = map[string]bool{"json": true, "figures": true, "panics": true}

// TestBase: a program on a base prints what it prints when it is compiled alone, costs the same
// gas and makes no more objects, in both tiers. (It may make fewer: more is known about
// functions of the base than about those of a program that are only later found to be called.)
// What depends on addresses is compared from tier to tier, and with the program on a base that comes
// from the cache.
func TestBase(t *testing.T) {
	want := reference(t)
	dir, err := suiteDir()
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	var first []result
	for _, what := range []string{"made", "from the cache"} {
		base, err := gyr.OpenBase(context.Background(), gyr.BaseConfig{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		p := compile(t, gyr.Source{Dir: dir, Base: base})
		if !p.Stats().OnBase {
			t.Fatal("the suite is not on the base")
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
		if err := base.Save(); err != nil {
			t.Fatal(err)
		}
	}
}
