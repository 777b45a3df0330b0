package proof

import (
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestCache: compiling a program, compiling it into the cache, and taking it from the cache give
// the same results. From the cache nothing is compiled.
func TestCache(t *testing.T) {
	daily.Turn(t, 3, false)
	want := reference(t)
	dir, err := suiteDir()
	if err != nil {
		t.Fatal(err)
	}
	src, opts := gyr.Source{Dir: dir}, &gyr.CompileOptions{Cache: filepath.Join(t.TempDir(), "cache")}
	for _, c := range []struct{ name, cached string }{
		{"cold", gyr.CacheMiss},
		{"warm", gyr.CacheHit},
	} {
		p := compile(t, src, opts)
		if s := p.Stats(); s.Cached != c.cached || s.CacheNote != "" {
			t.Fatalf("%s: cache %s %s", c.name, s.Cached, s.CacheNote)
		}
		got, err := runSuite(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.name, got, want, true)
		if s := p.Stats(); c.cached == gyr.CacheHit && s.Compiled > 0 {
			t.Errorf("%d functions were compiled again", s.Compiled)
		}
	}
	// A function that was never called is compiled at its first call, and only then.
	opts.Cache += "2"
	for i, c := range []struct {
		guest    string
		compiles bool
	}{{"fib", true}, {"fib", false}, {"maps", true}, {"fib", false}, {"maps", false}} {
		p := compile(t, src, opts)
		r, err := execute(p, gyr.Config{Args: []string{c.guest, "10"}})
		if err != nil || r.Exit != 0 {
			t.Fatal(err, r.Exit)
		}
		if n := p.Stats().Compiled; (n > 0) != c.compiles {
			t.Errorf("run %d, %s: %d functions compiled", i, c.guest, n)
		}
	}
	// Another optimiser setting gives another program.
	opts.Debug = gyr.CompileDebug{NoPass: []string{"phaseb"}}
	for _, cached := range []string{gyr.CacheMiss, gyr.CacheHit} {
		p := compile(t, src, opts)
		if s := p.Stats(); s.Cached != cached {
			t.Errorf("without phaseb: cache %s", s.Cached)
		}
		got, err := runSuite(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "without phaseb", got, want, true)
	}
}
