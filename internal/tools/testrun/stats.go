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
	Whole      int // compiled or cached programs that contain the standard library, such as its own tests
	Remembered int // packages with a remembered result, so that nothing was built
	Vetted     int // packages that the analyzers checked, imports included

	// Totals over the programs that were compiled; a package counts once for each program.
	Packages   int // read and parsed
	Checked    int // type-checked
	CheckedStd int // packages of the standard library among them
	Functions  int // lowered
	Load       time.Duration
	Lower      time.Duration
	Optimise   time.Duration
}

// counters are the Stats of a run in progress.
type counters struct {
	mu sync.Mutex
	Stats
	note string // the cache's first note
}

// compile is engine.Compile with counting. Programs share what they can of the standard library.
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
