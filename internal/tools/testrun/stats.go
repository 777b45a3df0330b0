package testrun

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// Stats say what building the test binaries and filetests of a run took.
type Stats struct {
	Compiled   int // programs that were compiled
	FromCache  int // programs that came from the cache
	Whole      int // of both: compiled with the standard library, such as its own tests
	Remembered int // packages whose results did, so that nothing was built
	Vetted     int // packages, with those that they import, that analyzers looked at

	// Of the programs that were compiled, together: each package of a program counts.
	Packages   int // read and parsed
	Checked    int // type-checked
	CheckedStd int // those of the standard library
	Functions  int // lowered
	Load       time.Duration
	Lower      time.Duration
	Optimise   time.Duration
}

// counters are the Stats of a run that goes on.
type counters struct {
	mu sync.Mutex
	Stats
	note string // the first that there was of the cache
}

// compile is engine.Compile, counted. Programs share what can be shared of the standard library.
func (j *job) compile(ctx context.Context, src engine.Source) (*engine.Program, error) {
	if src.NoBase = !j.shares(); !src.NoBase {
		src.Base = j.base.open(ctx, &src)
	}
	p, err := engine.Compile(ctx, src)
	if err == nil {
		j.stats.add(p.Stats())
		j.stats.trouble(p.Stats().CacheNote)
	}
	return p, err
}

// trouble keeps the first note of the cache.
func (c *counters) trouble(note string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.note = cmp.Or(c.note, note)
}

func (c *counters) add(s api.CompileStats) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !s.OnBase {
		c.Whole++
	}
	if s.Cached == api.CacheHit {
		c.FromCache++
		return
	}
	c.Compiled++
	c.Packages += s.Packages
	c.Checked += s.Checked
	c.CheckedStd += s.CheckedStd
	c.Functions += s.Functions
	c.Load += s.Load
	c.Lower += s.Lower
	c.Optimise += s.Optimise
}

// remembered counts a package that was not built.
func (c *counters) remembered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Remembered++
}
