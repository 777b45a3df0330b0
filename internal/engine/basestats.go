package engine

import (
	"cmp"
	"sync"

	"github.com/gyrvm/gyr/api"
)

// Stats returns the present figures of the base. They change as programs need more of it.
func (b *Base) Stats() api.BaseStats {
	s := api.BaseStats{Cached: api.CacheOff, CacheNote: b.cacheNote()}
	dir := b.dir
	if b.plain != nil {
		dir = b.plain.dir
	}
	if dir != nil {
		s.Cached = api.CacheHit
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
			s.Cached = api.CacheMiss
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

// BaseOf returns the base that the program of a source continues, for its figures: nil if the
// program is compiled whole. It does not make anything.
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
