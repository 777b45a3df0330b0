package store

import (
	"fmt"

	"github.com/gyrvm/gyr/state"
)

// Prune drops versions, all or none, and all objects that have no reference any more. Parts that
// other versions share stay. The roots of the entries do not matter. After an error nothing has
// changed: it is a [*NotFoundError] if a version does not exist, and a [*CorruptError] if its
// references cannot be determined.
func (s *Store) Prune(entries ...Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.begin()
	if err != nil {
		return err
	}
	done := map[Entry]bool{}
	for _, e := range entries {
		e.Root = state.Hash{}
		if done[e] {
			continue
		}
		done[e] = true
		if err := c.drop(e); err != nil {
			return err
		}
	}
	if err := c.end(); err != nil {
		return err
	}
	for _, e := range entries {
		if latest := s.latest[e.Name]; latest == nil || latest.Seq == e.Seq {
			delete(s.latest, e.Name)
			delete(s.trees, e.Name)
		}
	}
	return nil
}

// drop removes a version.
func (c *change) drop(e Entry) error {
	r, err := c.s.record(e.Name, e.Seq)
	if err != nil {
		return err
	}
	e.Root = r.root
	c.writes = append(c.writes, Write{versionKey(e.Name, e.Seq), nil})
	for _, section := range r.sections {
		if _, err := c.release(keySection, section.Hash); err != nil {
			return at(err, e, fmt.Sprintf("section %q", section.Name), -1)
		}
	}
	return c.releaseTree(e, state.Levels, 0, r.tree)
}

// releaseTree takes one reference from a node or, at level 0, a page.
func (c *change) releaseTree(e Entry, level int, index uint32, hash state.Hash) error {
	if hash == state.ZeroHash(level) {
		return nil
	}
	what, page := fmt.Sprintf("node %d of level %d", index, level), int64(-1)
	if level == 0 {
		what, page = fmt.Sprintf("page %d", index), int64(index)
	}
	gone, err := c.release(kindOf(level), hash)
	if err != nil {
		return at(err, e, what, page)
	}
	if !gone || level == 0 {
		return nil
	}
	parts, err := c.s.node(hash)
	if err != nil {
		return at(err, e, what, page)
	}
	for i, part := range parts {
		if err := c.releaseTree(e, level-1, index*state.Fanout+uint32(i), part); err != nil {
			return err
		}
	}
	return nil
}

// release takes one reference from an object, and reports whether that was the last, so that the
// object is removed.
func (c *change) release(kind byte, hash state.Hash) (gone bool, err error) {
	n, known := c.counts[hash]
	if !known {
		if n, err = c.s.count(hash); err != nil {
			return false, err
		}
	}
	if n > 1 {
		c.counts[hash] = n - 1
		return false, nil
	}
	c.writes = append(c.writes, Write{objectKey(kind, hash), nil})
	return true, nil
}

// at adds to an error of reading an object what the object is.
func at(err error, e Entry, what string, page int64) error {
	corrupt, ok := err.(*CorruptError)
	if !ok {
		return err
	}
	if corrupt.What != "" { // a count
		what = "the reference count of " + what
	}
	return &CorruptError{Entry: e, What: what, Page: page, Hash: corrupt.Hash, Err: corrupt.Err}
}
