package engine

import (
	"cmp"
	"sync"
	"time"
)

// BaseStats says how the layers of a base came to be, and whether its cache is of use.
type BaseStats struct {
	// Layers are those that programs have needed up to now, in their order.
	Layers []LayerStats
	// Cached is CacheOff if no cache was requested or it is not usable, CacheHit if all of Layers come from it or from BaseConfig.Std,
	// CacheMiss if some had to be made.
	Cached string
	// CacheNote is one line that says why the cache, although it was requested, was not used, or why something that was
	// made could not be written to it: the next process makes it again. It is empty if nothing went wrong.
	CacheNote string
}

// LayerStats says how a layer of a base came to be.
type LayerStats struct {
	Packages  int  // of the standard library that programs can import from it
	Functions int  // of its module
	FromCache bool // it was read from the cache; otherwise it was made
	FromStd   bool // it was read from BaseConfig.Std
	// Took is the time that reading or making it took, without the layers below.
	Took time.Duration
	// Compiled is how many of the functions this process has compiled up to now; those taken from the cache are not among
	// them, and one that was compiled for both tiers counts twice.
	Compiled int
	// CacheNote is one line that says why an entry that was found is not used, because it is damaged for instance. It is
	// empty if there was none, or nothing wrong with it.
	CacheNote string
}

// Stats returns figures of the base up to now. They change as programs need more of it.
func (b *Base) Stats() BaseStats {
	s := BaseStats{Cached: CacheOff, CacheNote: b.cacheNote()}
	dir := b.dir
	if b.plain != nil {
		dir = b.plain.dir
	}
	if dir != nil {
		s.Cached = CacheHit
	}
	for k := range b.layers {
		l := b.layers[k].Load()
		if l == nil {
			continue
		}
		how := l.how
		how.Packages, how.Functions, how.Compiled = len(b.pkgs.lists[k]), l.mod.NumFuncs()-max(1, l.mod.FirstOwn()), l.compiled()
		s.Layers = append(s.Layers, how)
		if dir != nil && !how.FromCache && !how.FromStd {
			s.Cached = CacheMiss
		}
	}
	return s
}

// cacheNote returns BaseStats.CacheNote.
func (b *Base) cacheNote() string {
	if b.plain != nil {
		b = b.plain // a variant has no entries of its own
	}
	return b.trouble.first()
}

// BaseOf returns the base that the program of a source continues, for its figures: nil if the program is compiled whole.
// It does not make anything.
func BaseOf(src Source) (*Base, error) { return src.base() }

// A trouble keeps the first error of a cache, as one line. It is safe for concurrent use.
type trouble struct {
	mu   sync.Mutex
	note string
}

// add notes an error, unless it is nil.
func (t *trouble) add(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.note = cmp.Or(t.note, cacheNote(err))
}

func (t *trouble) first() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.note
}
