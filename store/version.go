package store

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gyrvm/gyr/state"
)

// A Version is a stored state. Several goroutines may call its methods. It need not be closed.
// After the version is pruned, reads sooner or later fail with a [*NotFoundError], unless a
// remaining version has the same objects.
type Version struct {
	s      *Store
	entry  Entry
	record record

	mu   sync.Mutex
	tree state.Tree // keeps the nodes that were read
}

// Open returns a version. Its pages are read on demand.
func (s *Store) Open(name string, seq uint64) (*Version, error) {
	r, err := s.record(name, seq)
	if err != nil {
		return nil, err
	}
	return &Version{s: s, entry: Entry{name, seq, r.root}, record: r, tree: state.Load(r.tree, source{s, Entry{name, seq, r.root}})}, nil
}

// Entry returns the name, number and root of the version. The root covers everything that the other
// methods return.
func (v *Version) Entry() Entry { return v.entry }

// Tree returns the hash tree. Its nodes are read from the store on demand. An error on the way has
// a [*BackendError] or [*CorruptError] in its chain.
func (v *Version) Tree() state.Tree {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tree
}

// SectionHashes returns names and hashes of the sections, in order.
func (v *Version) SectionHashes() []state.SectionHash { return slices.Clone(v.record.sections) }

// Sections reads the sections, in order.
func (v *Version) Sections() ([]state.Section, error) {
	var list []state.Section
	for _, s := range v.record.sections {
		content, err := v.s.object(keySection, s.Hash, func(b []byte) bool { return state.HashSection(b) == s.Hash })
		if err != nil {
			return nil, v.failed(err, fmt.Sprintf("section %q", s.Name), -1)
		}
		list = append(list, state.Section{Name: s.Name, Content: content})
	}
	return list, nil
}

// ReadPage reads a page into a slice of [state.PageSize] bytes. After an error the slice is as
// before.
func (v *Version) ReadPage(number uint32, into []byte) error {
	if len(into) != state.PageSize {
		return &PageError{v.entry.Name, number, fmt.Errorf("to be read into %d bytes", len(into))}
	}
	v.mu.Lock()
	hash, err := v.tree.Page(number)
	v.mu.Unlock()
	if err != nil {
		return v.failed(err, "", -1)
	}
	if hash == state.ZeroHash(0) {
		clear(into)
		return nil
	}
	content, err := v.s.page(hash)
	if err != nil {
		return v.failed(err, fmt.Sprintf("page %d", number), int64(number))
	}
	copy(into, content)
	return nil
}

// Pages calls each with the numbers of the nonzero pages, in ascending order, until it returns
// false.
func (v *Version) Pages(each func(number uint32) bool) error {
	tree := v.Tree()
	var none state.Tree
	if err := state.Diff(&none, &tree, each); err != nil {
		return v.failed(err, "", -1)
	}
	return nil
}

// Diff calls each with the numbers of the pages in which two versions differ, in ascending order,
// until it returns false. Sections are not compared: their hashes are in [Version.SectionHashes].
func Diff(a, b *Version, each func(page uint32) bool) error {
	x, y := a.Tree(), b.Tree()
	if err := state.Diff(&x, &y, each); err != nil {
		return a.failed(err, "", -1)
	}
	return nil
}

// failed returns an error of reading the version, and adds what was read unless it is a node of a
// tree. Errors of nodes say to which version they belong.
func (v *Version) failed(err error, what string, page int64) error {
	entry := v.entry
	node := new(state.NodeError)
	if errors.As(err, &node) {
		what = fmt.Sprintf("node %d of level %d", node.Index, node.Level)
		err = node.Err
	}
	corrupt := new(CorruptError)
	if !errors.As(err, &corrupt) {
		return err
	}
	if corrupt.Name != "" {
		entry = corrupt.Entry
	}
	if corrupt.Err == ErrMissing {
		// Has pruning removed it?
		if _, err := v.s.record(entry.Name, entry.Seq); errors.As(err, new(*NotFoundError)) {
			return err
		}
	}
	return &CorruptError{Entry: entry, What: what, Page: page, Hash: corrupt.Hash, Err: corrupt.Err}
}

// object reads an object and has it checked. The error says neither what the object is nor which
// version it belongs to.
func (s *Store) object(kind byte, hash state.Hash, check func([]byte) bool) ([]byte, error) {
	content, ok, err := s.backend.Get(objectKey(kind, hash))
	switch {
	case err != nil:
		return nil, failedGet(err, &CorruptError{Page: -1, Hash: hash})
	case !ok:
		return nil, &CorruptError{Page: -1, Hash: hash, Err: ErrMissing}
	case !check(content):
		return nil, &CorruptError{Page: -1, Hash: hash, Err: state.ErrDamaged}
	}
	return content, nil
}

func (s *Store) page(hash state.Hash) ([]byte, error) {
	return s.object(keyPage, hash, func(b []byte) bool { return len(b) == state.PageSize && state.HashPage(b) == hash })
}

// A source has the nodes of a version's tree.
type source struct {
	s     *Store
	entry Entry
}

func (s source) Node(hash state.Hash) (parts [state.Fanout]state.Hash, err error) {
	parts, err = s.s.node(hash)
	if corrupt := new(CorruptError); errors.As(err, &corrupt) {
		corrupt.Entry, corrupt.What = s.entry, "a node"
	}
	return parts, err
}

// node reads a node, as object does.
func (s *Store) node(hash state.Hash) (parts [state.Fanout]state.Hash, err error) {
	_, err = s.object(keyNode, hash, func(b []byte) bool {
		if len(b) != len(parts)*len(hash) {
			return false
		}
		for i := range parts {
			parts[i] = state.Hash(b[i*len(hash):])
		}
		return state.HashNode(&parts) == hash
	})
	return parts, err
}
