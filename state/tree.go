package state

import (
	"errors"
	"fmt"
)

// A Page is one page of memory.
type Page struct {
	Number  uint32 // its address divided by PageSize, below Pages
	Content []byte // PageSize bytes, or nil for zeros. Functions that get a Page only read it and do not keep it.
}

// A PageError says what is wrong with a given page.
type PageError struct {
	Number uint32
	Err    error
}

func (e *PageError) Error() string { return fmt.Sprintf("state: page %d: %v", e.Number, e.Err) }
func (e *PageError) Unwrap() error { return e.Err }

// A NodeError says that a part of a tree cannot be read: its [Source] failed, or returned a node
// with another hash.
type NodeError struct {
	Level int    // 1 to Levels
	Index uint32 // position in the level, from address 0 on
	Hash  Hash   // the expected hash
	Err   error  // the error of the source; ErrDamaged for another hash
}

func (e *NodeError) Error() string {
	return fmt.Sprintf("state: node %d of level %d, %v: %v", e.Index, e.Level, e.Hash, e.Err)
}
func (e *NodeError) Unwrap() error { return e.Err }

// ErrDamaged says that content does not have the hash by which it was requested.
var ErrDamaged = errors.New("the content does not have this hash")

// A Source has the nodes of trees that are not in memory. Its methods may be called by several
// goroutines if several use trees that refer to it.
type Source interface {
	// Node returns the hashes of a node's parts. The caller checks them.
	Node(hash Hash) ([Fanout]Hash, error)
}

// A Tree is the hash tree over the pages of an address space. The zero value has only zeros. A copy
// is a snapshot, unchanged by later updates of the original. Several goroutines may use trees that
// share nodes. One Tree is for one goroutine at a time unless all of them only read.
type Tree struct {
	top    *node // nil: zeros, or in source
	hash   Hash  // of top; Hash{} in the zero value
	source Source
}

// A node of level n has the hashes of its parts of level n-1. It is immutable once a Tree refers to
// it.
type node struct {
	hash [Fanout]Hash
	// below are the parts themselves, except in a node of level 1. nil: zeros, or in the source.
	below [Fanout]*node
}

// Load returns the tree with a hash whose nodes a source has. Nodes are read on demand, so a hash
// that the source does not have becomes an error later.
func Load(hash Hash, source Source) Tree { return Tree{hash: hash, source: source} }

// Hash returns the hash of the whole tree. It is not the root of a state, which has sections too:
// see [Root].
func (t *Tree) Hash() Hash {
	if t.hash == (Hash{}) {
		return zeros[levels]
	}
	return t.hash
}

// Update sets pages, in strictly ascending order of their numbers. After an error, a [*PageError]
// or a [*NodeError], the tree is as before.
func (t *Tree) Update(pages []Page) error {
	for i, p := range pages {
		switch {
		case p.Number >= Pages:
			return &PageError{p.Number, errors.New("beyond the address space")}
		case p.Content != nil && len(p.Content) != PageSize:
			return &PageError{p.Number, fmt.Errorf("%d bytes instead of %d", len(p.Content), PageSize)}
		case i > 0 && p.Number <= pages[i-1].Number:
			return &PageError{p.Number, fmt.Errorf("stands behind page %d", pages[i-1].Number)}
		}
	}
	if len(pages) == 0 {
		return nil
	}
	u := update{source: t.source}
	top, hash, err := u.node(levels, t.top, t.Hash(), pages)
	if err != nil {
		return err
	}
	t.top, t.hash = top, hash
	return nil
}

// An update is the state of a call of Update.
type update struct {
	source Source
	buffer pageBuffer
}

// node returns a node of a level with some pages below it set. The hash of the old node is known;
// old itself may be nil.
func (u *update) node(level int, old *node, hash Hash, pages []Page) (*node, Hash, error) {
	n, err := fetch(u.source, level, pages[0].Number>>(level*fanBits), old, hash)
	if err != nil {
		return nil, Hash{}, err
	}
	if n == old {
		n = new(node)
		*n = *old
	}
	for len(pages) > 0 {
		part := partOf(pages[0].Number, level)
		if level == 1 {
			n.hash[part] = u.page(pages[0].Content)
			pages = pages[1:]
			continue
		}
		end := 1
		for end < len(pages) && partOf(pages[end].Number, level) == part {
			end++
		}
		n.below[part], n.hash[part], err = u.node(level-1, n.below[part], n.hash[part], pages[:end])
		if err != nil {
			return nil, Hash{}, err
		}
		pages = pages[end:]
	}
	hash = HashNode(&n.hash)
	if hash == zeros[level] {
		n = nil
	}
	return n, hash, nil
}

func (u *update) page(content []byte) Hash {
	if content == nil || isZero(content) {
		return zeros[0]
	}
	return u.buffer.hash(content)
}

func isZero(page []byte) bool { return page[0] == 0 && string(page[1:]) == string(page[:PageSize-1]) }

// partOf returns the index of the part of a node of a level that holds a page.
func partOf(page uint32, level int) uint32 { return page >> ((level - 1) * fanBits) & (Fanout - 1) }

// fetch returns n or, if it is nil, a new node that the caller owns.
func fetch(source Source, level int, index uint32, n *node, hash Hash) (*node, error) {
	if n != nil {
		return n, nil
	}
	n = new(node)
	if hash == zeros[level] {
		for i := range n.hash {
			n.hash[i] = zeros[level-1]
		}
		return n, nil
	}
	err := errors.New("the tree has no source")
	if source != nil {
		if n.hash, err = source.Node(hash); err == nil && HashNode(&n.hash) != hash {
			err = ErrDamaged
		}
	}
	if err != nil {
		return nil, &NodeError{level, index, hash, err}
	}
	return n, nil
}

// Page returns the hash of a page. The Tree keeps nodes that had to be read.
func (t *Tree) Page(number uint32) (Hash, error) {
	hash := zeros[0]
	err := t.path(number, func(level int, parts *[Fanout]Hash) {
		if level == 1 {
			hash = parts[partOf(number, 1)]
		}
	})
	return hash, err
}

// path calls each with the nodes from the top down to a page, up to the first one of zeros. It
// keeps the nodes that it reads.
func (t *Tree) path(page uint32, each func(level int, parts *[Fanout]Hash)) error {
	if page >= Pages {
		return &PageError{page, errors.New("beyond the address space")}
	}
	top, err := t.reach(levels, t.top, t.Hash(), page, each)
	if err == nil {
		t.top = top
	}
	return err
}

// reach returns a node of a level with the nodes on the way to a page in memory. It is n itself if
// they already are.
func (t *Tree) reach(level int, n *node, hash Hash, page uint32, each func(int, *[Fanout]Hash)) (*node, error) {
	if hash == zeros[level] {
		return nil, nil
	}
	reached, err := fetch(t.source, level, page>>(level*fanBits), n, hash)
	if err != nil {
		return nil, err
	}
	each(level, &reached.hash)
	if level == 1 {
		return reached, nil
	}
	part := partOf(page, level)
	below, err := t.reach(level-1, reached.below[part], reached.hash[part], page, each)
	if err != nil {
		return nil, err
	}
	if below != reached.below[part] {
		if reached == n {
			reached = new(node)
			*reached = *n
		}
		reached.below[part] = below
	}
	return reached, nil
}

// A Node is a node of a tree or, with level 0, a page.
type Node struct {
	Level int    // 0 to Levels
	Index uint32 // position in the level, from address 0 on
	Hash  Hash
	Same  bool // the other tree has this hash in this position
}

// Walk visits everything that is not zeros, from the top down and by ascending addresses, and
// reports whether another tree, base, has the same there. enter is called for each node and page.
// If it returns true for a node, parts gets the hashes of the node's parts, which it must not keep,
// and the walk continues below the node. An error of either function ends the walk and is returned.
// Where base cannot be read, nothing is the same.
func (t *Tree) Walk(base *Tree, enter func(Node) (bool, error), parts func(n Node, parts *[Fanout]Hash) error) error {
	var visit func(level int, index uint32, n *node, hash Hash, old *node, oldHash Hash) error
	visit = func(level int, index uint32, n *node, hash Hash, old *node, oldHash Hash) error {
		if hash == zeros[level] {
			return nil
		}
		at := Node{level, index, hash, hash == oldHash}
		down, err := enter(at)
		if err != nil || !down || level == 0 {
			return err
		}
		if n, err = fetch(t.source, level, index, n, hash); err != nil {
			return err
		}
		if old, err = fetch(base.source, level, index, old, oldHash); err != nil {
			old = new(node)
		}
		if err := parts(at, &n.hash); err != nil {
			return err
		}
		for i := range n.hash {
			if err := visit(level-1, index<<fanBits|uint32(i), n.below[i], n.hash[i], old.below[i], old.hash[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(levels, 0, t.top, t.Hash(), base.top, base.Hash())
}

// Diff calls each with the numbers of the pages in which two trees differ, in ascending order,
// until it returns false. It skips equal parts, so the cost follows from the number of differing
// pages. An error is a [*NodeError].
func Diff(a, b *Tree, each func(page uint32) bool) error {
	var stop bool
	var diff func(level int, index uint32, m, n *node, hashes [2]Hash) error
	diff = func(level int, index uint32, m, n *node, hashes [2]Hash) (err error) {
		if hashes[0] == hashes[1] || stop {
			return nil
		}
		if level == 0 {
			stop = !each(index)
			return nil
		}
		if m, err = fetch(a.source, level, index, m, hashes[0]); err != nil {
			return err
		}
		if n, err = fetch(b.source, level, index, n, hashes[1]); err != nil {
			return err
		}
		for i := range m.hash {
			if err := diff(level-1, index<<fanBits|uint32(i), m.below[i], n.below[i], [2]Hash{m.hash[i], n.hash[i]}); err != nil {
				return err
			}
		}
		return nil
	}
	return diff(levels, 0, a.top, b.top, [2]Hash{a.Hash(), b.Hash()})
}
