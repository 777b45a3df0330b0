package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/gyrvm/gyr/state"
)

// A Change is a version to be committed.
type Change struct {
	Name string // name of the instance, 1 to 255 bytes
	Seq  uint64 // above that of the latest version of the name
	// Tree has the pages of the state. It is only read. Its nodes that are not in memory belong to
	// a version of the same store.
	Tree state.Tree
	// Sections are in ascending order of their names.
	Sections []state.Section
	// Page returns the content of a page, which the store uses until it calls Page again. It is
	// called for pages that are new to the store. Their hash must be that in Tree.
	Page func(number uint32) ([]byte, error)
}

// Commit adds versions, all or none, and returns their entries. They are on disk when it returns.
// After an error nothing has changed. The exception is a [*BrokenError]: either nothing or
// everything was done, and opening the store anew shows which.
func (s *Store) Commit(changes ...Change) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.begin()
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for i := range changes {
		e, err := c.version(&changes[i])
		if err == nil {
			entries = append(entries, e)
			continue
		}
		s.leftover = c.portions > 0
		return nil, err
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	maps.Copy(s.latest, c.latest)
	for i := range changes {
		s.trees[changes[i].Name] = changes[i].Tree
	}
	return entries, nil
}

// A change collects what one commit or pruning writes.
type change struct {
	s        *Store
	writes   []Write
	size     int                   // bytes of objects in writes
	fresh    map[state.Hash]bool   // objects in writes
	counts   map[state.Hash]uint64 // references to objects that existed before, and to new ones with more than one
	latest   map[string]*Entry     // versions among the writes
	portions uint64                // portions written already
}

// begin begins every commit and pruning. The caller holds s.mu.
func (s *Store) begin() (*change, error) {
	if s.leftover {
		if err := s.recover(); err != nil {
			return nil, err
		}
	}
	return &change{s: s, fresh: map[state.Hash]bool{}, counts: map[state.Hash]uint64{}, latest: map[string]*Entry{}}, nil
}

// version adds the objects of a version and its record.
func (c *change) version(v *Change) (Entry, error) {
	if err := checkName(v.Name); err != nil {
		return Entry{}, err
	}
	latest, ok := c.latest[v.Name]
	if !ok {
		var err error
		if latest, err = c.s.last(v.Name); err != nil {
			return Entry{}, err
		}
	}
	if latest != nil && v.Seq <= latest.Seq {
		return Entry{}, &SequenceError{v.Name, v.Seq, latest.Seq}
	}
	sections, err := state.HashSections(v.Sections)
	if err != nil {
		return Entry{}, err
	}
	r := record{tree: v.Tree.Hash(), sections: sections}
	r.root = state.Root(r.tree, sections)
	for i, s := range sections {
		if isNew, err := c.refer(keySection, s.Hash, false); err != nil {
			return Entry{}, err
		} else if isNew {
			if err := c.object(keySection, s.Hash, v.Sections[i].Content); err != nil {
				return Entry{}, err
			}
		}
	}
	if err := c.tree(v); err != nil {
		return Entry{}, err
	}
	key := versionKey(v.Name, v.Seq)
	c.writes = append(c.writes, Write{key, r.encode(key)})
	e := Entry{v.Name, v.Seq, r.root}
	c.latest[v.Name] = &e
	return e, nil
}

// tree adds the nodes and pages of a version that are new. It need not look for those that the
// latest version of the name has in the same position.
func (c *change) tree(v *Change) error {
	base, err := c.s.latestTree(v.Name)
	if err != nil {
		return err
	}
	return v.Tree.Walk(&base, func(n state.Node) (bool, error) {
		isNew, err := c.refer(kindOf(n.Level), n.Hash, n.Same)
		if err != nil || !isNew || n.Level > 0 {
			return isNew, err
		}
		if v.Page == nil {
			return false, &PageError{v.Name, n.Index, errors.New("the Change has no function Page")}
		}
		content, err := v.Page(n.Index)
		switch {
		case err != nil:
		case len(content) != state.PageSize:
			err = fmt.Errorf("%d bytes instead of %d", len(content), state.PageSize)
		case state.HashPage(content) != n.Hash:
			err = errors.New("it is not the page that the tree has")
		}
		if err != nil {
			return false, &PageError{v.Name, n.Index, err}
		}
		return false, c.object(keyPage, n.Hash, content)
	}, func(n state.Node, parts *[state.Fanout]state.Hash) error {
		return c.object(keyNode, n.Hash, encodeNode(parts))
	})
}

func encodeNode(parts *[state.Fanout]state.Hash) []byte {
	b := make([]byte, 0, state.Fanout*sha256.Size)
	for _, h := range parts {
		b = append(b, h[:]...)
	}
	return b
}

// refer counts a reference to an object, and reports whether the object has to be added because it
// is the first. If kept is set, the caller knows that the object exists.
func (c *change) refer(kind byte, hash state.Hash, kept bool) (isNew bool, err error) {
	n, known := c.counts[hash]
	switch {
	case known:
	case c.fresh[hash]:
		n = 1
	default:
		if !kept {
			if kept, err = c.s.backend.Has(objectKey(kind, hash)); err != nil {
				return false, failedGet(err, &CorruptError{What: "an object", Page: -1, Hash: hash})
			}
		}
		if kept {
			if n, err = c.s.count(hash); err != nil {
				return false, err
			}
		}
	}
	if n > 0 {
		c.counts[hash] = n + 1
	}
	return n == 0, nil
}

// count returns the number of references to an existing object.
func (s *Store) count(hash state.Hash) (uint64, error) {
	value, ok, err := s.backend.Get(countKey(hash))
	switch {
	case err != nil:
		return 0, failedGet(err, corruptCount(hash, err))
	case !ok:
		return 1, nil
	}
	n, ok := decodeCount(hash, value)
	if !ok {
		return 0, corruptCount(hash, state.ErrDamaged)
	}
	return n, nil
}

func corruptCount(hash state.Hash, err error) *CorruptError {
	return &CorruptError{What: "the reference count of an object", Page: -1, Hash: hash, Err: err}
}

// object adds an object. When a portion is full, it is written in advance.
func (c *change) object(kind byte, hash state.Hash, content []byte) error {
	c.writes = append(c.writes, Write{objectKey(kind, hash), append([]byte{}, content...)})
	c.fresh[hash] = true
	if c.size += len(content); c.size < c.s.portion {
		return nil
	}
	var list []byte
	var now, later []Write
	for _, w := range c.writes {
		if strings.IndexByte(objects, w.Key[0]) < 0 {
			later = append(later, w)
			continue
		}
		now = append(now, w)
		list = append(list, w.Key...)
	}
	now = append(now, Write{portionKey(c.portions), list})
	c.portions++
	if err := c.s.backend.Write(now, false); err != nil {
		return &BackendError{"write", err}
	}
	c.writes, c.size = later, 0
	return nil
}

// end writes everything.
func (c *change) end() error {
	for hash, n := range c.counts {
		w := Write{Key: countKey(hash)}
		if n > 1 {
			w.Value = encodeCount(hash, n)
		}
		c.writes = append(c.writes, w)
	}
	for n := range c.portions {
		c.writes = append(c.writes, Write{portionKey(n), nil})
	}
	if err := c.s.backend.Write(c.writes, true); err != nil {
		c.s.leftover = c.portions > 0
		return &BackendError{"write", err}
	}
	return nil
}
