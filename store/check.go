package store

import (
	"fmt"

	"github.com/gyrvm/gyr/state"
)

// Check reads everything in the store. It calls each with a [*CorruptError] for whatever is wrong,
// and for objects without a reference. It reports parts that several versions share once. Commits
// wait until it is done. The error is a [*BackendError].
func (s *Store) Check(each func(error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.begin(); err != nil {
		return err
	}
	c := check{s: s, each: each, seen: map[state.Hash]uint64{}}
	type version struct {
		e Entry
		r *record
	}
	var versions []version
	err := s.records([]byte{keyVersion}, false, func(e Entry, r *record, err error) bool {
		if err != nil {
			c.blind = true
			each(err)
		} else {
			versions = append(versions, version{e, r})
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, v := range versions {
		if err := c.version(v.e, v.r); err != nil {
			return err
		}
	}
	return c.counts()
}

type check struct {
	s     *Store
	each  func(error)
	seen  map[state.Hash]uint64 // references to objects
	blind bool                  // some references cannot be determined
}

func (c *check) version(e Entry, r *record) error {
	for _, section := range r.sections {
		if c.seen[section.Hash]++; c.seen[section.Hash] > 1 {
			continue
		}
		_, err := c.s.object(keySection, section.Hash, func(b []byte) bool { return state.HashSection(b) == section.Hash })
		if err := c.tell(at(err, e, fmt.Sprintf("section %q", section.Name), -1)); err != nil {
			return err
		}
	}
	return c.tree(e, state.Levels, 0, r.tree)
}

func (c *check) tree(e Entry, level int, index uint32, hash state.Hash) error {
	if hash == state.ZeroHash(level) {
		return nil
	}
	if c.seen[hash]++; c.seen[hash] > 1 {
		return nil
	}
	if level == 0 {
		_, err := c.s.page(hash)
		return c.tell(at(err, e, fmt.Sprintf("page %d", index), int64(index)))
	}
	parts, err := c.s.node(hash)
	if err != nil {
		c.blind = true
		return c.tell(at(err, e, fmt.Sprintf("node %d of level %d", index, level), -1))
	}
	for i, part := range parts {
		if err := c.tree(e, level-1, index*state.Fanout+uint32(i), part); err != nil {
			return err
		}
	}
	return nil
}

// tell calls each with an error that reports damage, and returns any other error.
func (c *check) tell(err error) error {
	if corrupt, ok := err.(*CorruptError); ok {
		c.each(corrupt)
		return nil
	}
	return err
}

// counts compares the stored counts with the references that were seen.
func (c *check) counts() error {
	stored := map[state.Hash]bool{}
	err := c.s.backend.Scan([]byte{keyCount}, false, func(key, value []byte) bool {
		var hash state.Hash
		copy(hash[:], key[1:])
		stored[hash] = true
		n, ok := decodeCount(hash, value)
		switch {
		case !ok || len(key) != 1+len(hash):
			c.each(corruptCount(hash, state.ErrDamaged))
		case !c.blind && n != c.seen[hash]:
			c.each(corruptCount(hash, ErrCount))
		}
		return true
	})
	if err != nil {
		return &BackendError{"scan", err}
	}
	for hash, n := range c.seen {
		if n > 1 && !stored[hash] {
			c.each(corruptCount(hash, ErrCount))
		}
	}
	if c.blind {
		return nil
	}
	for _, kind := range []byte(objects) {
		err = c.s.backend.Scan([]byte{kind}, false, func(key, value []byte) bool {
			var hash state.Hash
			copy(hash[:], key[1:])
			if c.seen[hash] == 0 || len(key) != 1+len(hash) {
				c.each(&CorruptError{What: "an object", Page: -1, Hash: hash, Err: ErrUnknown})
			}
			return true
		})
		if err != nil {
			return &BackendError{"scan", err}
		}
	}
	return nil
}
