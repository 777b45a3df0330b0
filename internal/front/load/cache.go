package load

import (
	"slices"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/guest"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// A stdCache holds the parsed files of standard library packages for all programs that this process
// loads from one GOROOT with the same tags. The files never change: pruning makes new lists of
// declarations. The cache does not influence the result, since positions are a function of file
// names. But GOROOT must not change while the process runs.
type stdCache struct {
	mu      sync.Mutex
	entries map[string]*stdEntry
}

// A stdEntry is a parsed package.
type stdEntry struct {
	made   failure.Flight
	name   string
	files  []*file
	errs   diag.Errors
	syntax diag.Errors
	inputs *filetree.Inputs
}

var caches struct {
	sync.Mutex
	m map[string]*stdCache
}

// cacheFor returns the cache for a loader's GOROOT and tags, or nil if its
// overlay is not the usual one.
func cacheFor(l *loader) *stdCache {
	key := ""
	switch {
	case l.cfg.cacheOverlay:
		key = "test\x00"
	case l.cfg.Overlay != guest.Source:
		return nil
	}
	if l.cfg.Inputs != nil {
		key += "recorded\x00"
	}
	tags := slices.Clone(l.cfg.Tags)
	slices.Sort(tags)
	key += l.GOROOT + "\x00" + strings.Join(tags, ",")
	caches.Lock()
	defer caches.Unlock()
	if caches.m == nil {
		caches.m = map[string]*stdCache{}
	}
	c := caches.m[key]
	if c == nil {
		c = &stdCache{entries: map[string]*stdEntry{}}
		caches.m[key] = c
	}
	return c
}

// get returns the entry for a package. The first caller makes it with load. If load fails, or its
// context ends, the next caller tries again.
func (c *stdCache) get(path string, load func() (*stdEntry, error)) (*stdEntry, error) {
	c.mu.Lock()
	e := c.entries[path]
	if e == nil {
		e = &stdEntry{}
		c.entries[path] = e
	}
	c.mu.Unlock()
	err := e.made.Do(func() error {
		n, err := load()
		if err == nil {
			e.name, e.files, e.errs, e.syntax, e.inputs = n.name, n.files, n.errs, n.syntax, n.inputs
		}
		return err
	})
	return e, err
}
