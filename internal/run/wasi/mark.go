package wasi

import "maps"

// A Mark holds the state of a system at a moment when the guest has no file open: the tree, the
// preopened descriptors, the numbers of files, and how much of the output counts. It does not undo
// reads and writes outside the guest: streams and granted directories stay as they are.
type Mark struct {
	world    *tree // a copy of its own; nil: nothing has led there yet
	grants   []*node
	fds      []*file
	files    []file // what fds were
	numbers  fileNumbers
	open     int
	hints    int
	written  int64
	mayBlock answer
}

// HasOpenFiles reports whether the guest has a descriptor besides the preopened ones.
func (s *System) HasOpenFiles() bool {
	for _, f := range s.fds {
		if f != nil && f.stdio < 0 && !f.preopen {
			return true
		}
	}
	return false
}

// Mark makes m the present. It does nothing if nothing has changed since m was last the present.
func (s *System) Mark(m *Mark) {
	if m.fds != nil && !s.touched {
		m.hints, m.written = s.hints, s.written
		return
	}
	s.touched = false
	*m = Mark{open: s.open, hints: s.hints, written: s.written, mayBlock: s.mayBlock, numbers: fileNumbers{maps.Clone(s.files.byID), s.files.last}}
	var copies map[*node]*node
	if s.world != nil {
		m.world, copies = s.world.clone()
	}
	for _, g := range s.grants {
		m.grants = append(m.grants, copies[g.node])
	}
	m.fds = append(make([]*file, 0, len(s.fds)), s.fds...)
	m.files = make([]file, len(s.fds))
	for i, f := range s.fds {
		if f != nil {
			m.files[i] = *f
			m.files[i].node = copies[f.node]
		}
	}
}

// Back returns the system to its marked state: files that were opened since are closed.
func (s *System) Back(m *Mark) {
	s.hints, s.written, s.crash, s.call = m.hints, m.written, nil, hostCall{}
	if !s.touched {
		return
	}
	s.touched = false
	began := map[*file]bool{}
	for _, f := range m.fds {
		began[f] = true
	}
	for _, f := range s.fds {
		if f != nil && !began[f] {
			s.release(f)
		}
	}
	s.open, s.mayBlock, s.files = m.open, m.mayBlock, fileNumbers{maps.Clone(m.numbers.byID), m.numbers.last}
	var copies map[*node]*node
	s.world = nil
	if m.world != nil {
		s.world, copies = m.world.clone()
	}
	for i, g := range s.grants {
		g.node = copies[m.grants[i]]
	}
	s.fds = append(s.fds[:0], m.fds...)
	for i, f := range s.fds {
		if f != nil {
			*f = m.files[i]
			f.node = copies[f.node]
		}
	}
}

// clone copies a tree, and returns which node became which. The copies share the host's side of
// nodes, which never changes. A guest may nest directories to any depth, so nothing here is
// recursive.
func (t *tree) clone() (*tree, map[*node]*node) {
	copies := map[*node]*node{nil: nil}
	var list []*node
	of := func(n *node) *node {
		c, ok := copies[n]
		if !ok {
			c = new(node)
			copies[n] = c
			list = append(list, n)
		}
		return c
	}
	root := of(t.root)
	for i := 0; i < len(list); i++ {
		n := list[i]
		c := copies[n]
		*c = *n
		c.parent = of(n.parent)
		c.kids = nil
		if n.kids != nil {
			c.kids = make(map[string]*node, len(n.kids))
			for name, kid := range n.kids {
				c.kids[name] = of(kid)
			}
		}
		c.data.blocks = nil
		if n.data.blocks != nil {
			c.data.blocks = make(map[int64]*[blockSize]byte, len(n.data.blocks))
			for i, b := range n.data.blocks {
				d := *b
				c.data.blocks[i] = &d
			}
		}
		if n.back != nil {
			b := *n.back
			c.back = &b
		}
	}
	return &tree{root: root, last: t.last, dev: copies[t.dev]}, copies
}

// Adopt makes a system that was just made, of the same grants, what another one was when it was
// marked. The two have nothing in common afterwards that either can change.
func (s *System) Adopt(m *Mark, from *System) {
	s.written, s.mayBlock, s.files = m.written, m.mayBlock, fileNumbers{maps.Clone(m.numbers.byID), m.numbers.last}
	s.hints, s.touched = m.hints, true
	var copies map[*node]*node
	s.world = nil
	if m.world != nil {
		s.world, copies = m.world.clone()
	}
	volumes := map[*volume]*volume{}
	for i, g := range s.grants {
		volumes[from.grants[i].volume] = g.volume
		if g.node = copies[m.grants[i]]; g.node != nil && g.file != nil {
			g.node.grant = g.file
		}
	}
	for _, n := range copies {
		if n != nil && n.back != nil {
			n.back.volume = volumes[n.back.volume]
		}
	}
	for fd, f := range s.fds {
		if fd >= len(m.fds) || m.fds[fd] == nil { // the guest has closed it
			if f != nil {
				s.fds[fd] = nil
				s.open--
				s.release(f)
			}
			continue
		}
		was := &m.files[fd]
		f.flags, f.rights, f.inheriting, f.charged = was.flags, was.rights, was.inheriting, was.charged
		f.pos, f.listing, f.listCost = was.pos, was.listing, was.listCost
		f.node = copies[was.node]
	}
}
