package wasi

import (
	"path"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// The functions of path.go, for paths in the tree.

// opening is the request of a path_open.
type opening struct {
	rights, inheriting uint64
	oflags, fdflags    uint64
	follow             bool
	mode               uint16 // of a new file
}

func (o *opening) writes() bool    { return o.rights&rightFdWrite != 0 }
func (o *opening) truncates() bool { return o.oflags&oflagTrunc != 0 }
func (o *opening) creates() bool   { return o.oflags&oflagCreate != 0 }

// find is walk for functions that leave a hint about a missing file.
func (s *System) find(op string, f *file, p string, follow bool) (place, Errno) {
	pl, e := s.walk(f.node, p, follow)
	if e == Success && pl.node == nil {
		e = ENOENT
	}
	if e == ENOENT && pl.dir != nil && pl.dir.back == nil {
		if pl.dir.ro {
			s.notGranted(op, f.full(p))
		} else if s.seen != nil {
			s.hint(missing, path.Clean(f.full(p)), "%s %s", op, quote(p))
		}
	}
	return pl, e
}

// notGranted tells the user how the guest could get a path.
func (s *System) notGranted(op, name string) {
	if stdReads[path.Clean(name)] {
		return
	}
	s.hint(grantDir, path.Clean(name), "%s %s: no directory is granted for this path", op, quote(path.Clean(name)))
}

// refuse is the error of a change to something read-only.
func (s *System) refuse(op string, f *file, p string, n *node) Errno {
	if n.back == nil {
		s.notGranted(op, f.full(p))
	}
	return EROFS
}

func (s *System) openNode(f *file, p string, o *opening, result []byte) Errno {
	pl, e := s.walk(f.node, p, o.follow)
	if e == ENOENT || e == Success && pl.node == nil && !o.creates() {
		_, e = s.find("open", f, p, o.follow)
	}
	if e != Success {
		return e
	}
	n := pl.node
	created := n == nil
	switch {
	case created && o.oflags&oflagDirectory != 0:
		return EINVAL
	case created && pl.dirs:
		return EISDIR
	case created && pl.dir.ro:
		return s.refuse("open", f, p, pl.dir)
	case created && !pl.dir.allows(modeWrite):
		return EACCES
	case created:
		if n = s.newNode(typeRegular, o.mode); n == nil {
			return OutOfMemory
		}
		if e := s.enter(pl.dir, pl.name, n); e != Success {
			s.forget(n)
			return e
		}
	case o.creates() && o.oflags&oflagExcl != 0:
		return EEXIST
	case n.typ == typeSymlink:
		return ELOOP // only if links are not followed
	case n.typ == typeDirectory && (o.writes() || o.oflags&(oflagTrunc|oflagCreate) != 0):
		return EISDIR
	case n.typ == typeDirectory && !n.allows(modeRead):
		return EACCES
	case n.typ == typeDirectory:
	case o.oflags&oflagDirectory != 0:
		return ENOTDIR
	case n.device != nil:
	case n.typ != typeRegular:
		return EACCES // of the host: cannot be opened
	case n.ro && (o.writes() || o.truncates()):
		return s.refuse("open", f, p, n)
	case !n.allows(o.needs()):
		return EACCES
	case o.truncates():
		if e := s.know(n); e >= Interrupted {
			return e
		}
		n.back, n.unread, n.fault = nil, false, Success
		s.resize(n, 0)
		n.mtime = s.host.Realtime()
	}
	return s.openFound(f, p, n, o, result)
}

// openFound opens an existing node.
func (s *System) openFound(f *file, p string, n *node, o *opening, result []byte) Errno {
	if n.typ == typeRegular {
		if o.writes() { // know sets the mode, which the guest's file keeps
			if e := s.know(n); e >= Interrupted {
				return e
			}
		}
		if e := s.load(n); e != Success {
			return e
		}
	}
	rights := uint64(fileRights)
	if n.typ == typeDirectory {
		rights = dirRights
	}
	n.opens++
	s.host.Spend(int64(len(f.rel)+len(p)) / workPath)
	fd := s.install(&file{
		typ: n.typ, stdio: -1, flags: uint16(o.fdflags &^ flagNonblock),
		rights: o.rights & rights & f.inheriting, inheriting: o.inheriting & f.inheriting,
		node: n, mount: f.mount, rel: path.Join(f.rel, p), charged: true,
	})
	le.PutUint32(result, uint32(fd))
	return Success
}

// nodeStat stores what the guest learns of a node.
func (s *System) nodeStat(b []byte, n *node) Errno {
	if e := s.know(n); e != Success {
		return e
	}
	size := n.data.size
	switch {
	case n.typ == typeSymlink:
		target, e := s.targetOf(n)
		if e != Success {
			return e
		}
		size = int64(len(target))
	case n.typ == typeRegular && n.unread:
		size = n.back.size
	}
	clear(b)
	le.PutUint64(b[0:], treeDevice)
	le.PutUint64(b[8:], n.number)
	b[16] = n.typ
	le.PutUint16(b[filestatMode:], n.mode)
	le.PutUint64(b[24:], 1)
	if n.typ != typeDirectory {
		le.PutUint64(b[24:], uint64(n.names))
	}
	le.PutUint64(b[32:], uint64(size))
	le.PutUint64(b[40:], n.atime)
	le.PutUint64(b[48:], n.mtime)
	le.PutUint64(b[56:], n.mtime)
	return Success
}

// treeDevice is the number of the tree's device. Directories of the host have another one.
const treeDevice = 2

func (s *System) mkdirNode(f *file, p string, mode uint16) Errno {
	pl, e := s.walk(f.node, p, false)
	switch {
	case e == ENOENT && pl.dir != nil && pl.dir.ro:
		_, e = s.find("mkdir", f, p, false)
		return e
	case e != Success:
		return e
	case pl.node != nil:
		return EEXIST
	case pl.dir.ro:
		return s.refuse("mkdir", f, p, pl.dir)
	case !pl.dir.allows(modeWrite):
		return EACCES
	}
	return s.put(pl, s.newNode(typeDirectory, mode))
}

// put enters a new node, nil at the memory limit, at a free place.
func (s *System) put(pl place, n *node) Errno {
	if n == nil {
		return OutOfMemory
	}
	e := s.enter(pl.dir, pl.name, n)
	if e != Success {
		s.forget(n)
	}
	return e
}

func (s *System) removeNode(op string, dir bool, f *file, p string) Errno {
	pl, e := s.find(op, f, p, false)
	n := pl.node
	switch {
	case e != Success:
		return e
	case pl.name != "" && !pl.dir.ro && !pl.dir.allows(modeWrite):
		return EACCES
	case dir && n.typ != typeDirectory:
		return ENOTDIR
	case !dir && n.typ == typeDirectory:
		return EISDIR
	case pl.name == "":
		return EINVAL // the directory itself, by a dot
	case n.pinned:
		return EBUSY
	case pl.dir.ro:
		return s.refuse(op, f, p, pl.dir)
	case pl.dirs && !dir:
		return ENOTDIR
	}
	if dir {
		if e := s.fill(n); e != Success {
			return e
		}
		if len(n.kids) > 0 {
			return ENOTEMPTY
		}
	}
	s.leave(pl.dir, pl.name)
	return Success
}

func (s *System) symlinkNode(target string, f *file, p string) Errno {
	pl, e := s.walk(f.node, p, false)
	switch {
	case e != Success:
		return e
	case pl.node != nil:
		return EEXIST
	case pl.dirs:
		return ENOENT
	case pl.dir.ro:
		return s.refuse("symlink", f, p, pl.dir)
	case !pl.dir.allows(modeWrite):
		return EACCES
	}
	n := s.newNode(typeSymlink, modeLink)
	if n == nil || !s.host.Charge(int64(len(target))) {
		return OutOfMemory
	}
	n.target = target
	return s.put(pl, n)
}

func (s *System) linkNode(of *file, from string, nf *file, to string) Errno {
	src, e := s.find("link", of, from, false)
	if e != Success {
		return e
	}
	dst, e := s.walk(nf.node, to, false)
	switch {
	case e != Success:
		return e
	case src.node.typ == typeDirectory:
		return EPERM
	case dst.node != nil:
		return EEXIST
	case dst.dirs:
		return ENOENT
	case dst.dir.ro || src.node.ro:
		return s.refuse("link", nf, to, dst.dir)
	case !dst.dir.allows(modeWrite):
		return EACCES
	}
	return s.enter(dst.dir, dst.name, src.node)
}

func (s *System) renameNode(of *file, from string, nf *file, to string) Errno {
	src, e := s.walk(of.node, from, false)
	dst, below := place{}, Success
	if e == Success {
		dst, below = s.walk(nf.node, to, false) // as Linux: it first checks that both places are possible
	}
	if below == Success && (e != Success || src.node == nil) {
		_, below = s.find("rename", of, from, false)
	}
	switch n := src.node; {
	case below != Success:
		return below
	case src.name == "" || dst.name == "" || n.pinned:
		return EBUSY
	case src.dir.ro:
		return s.refuse("rename", of, from, src.dir)
	case dst.dir.ro:
		return s.refuse("rename", nf, to, dst.dir)
	case dst.node == n:
		return Success
	case !src.dir.allows(modeWrite) || !dst.dir.allows(modeWrite):
		return EACCES
	case n.typ == typeDirectory && src.dir != dst.dir && !n.allows(modeWrite):
		return EACCES // its ".." would change
	case dst.dirs && n.typ != typeDirectory:
		return ENOTDIR
	}
	for a := dst.dir; a != nil; a = a.parent {
		s.host.Spend(workStep)
		if a == src.node {
			return EINVAL // into itself
		}
	}
	if dst.node != nil {
		if e := s.replaceable(src.node, dst.node); e != Success {
			return e
		}
	}
	n := src.node
	if dst.dir.names == 0 {
		return ENOENT
	}
	n.opens++ // keeps the node while it has no name
	s.leave(src.dir, src.name)
	if dst.node != nil {
		s.leave(dst.dir, dst.name)
	}
	e = s.enter(dst.dir, dst.name, n)
	s.closeNode(n)
	return e
}

// replaceable returns Success if a node can replace another one.
func (s *System) replaceable(n, old *node) Errno {
	switch {
	case old.typ == typeDirectory && n.typ != typeDirectory:
		return EISDIR
	case old.typ != typeDirectory && n.typ == typeDirectory:
		return ENOTDIR
	case old.pinned:
		return EBUSY
	}
	if e := s.fill(old); old.typ == typeDirectory && e != Success {
		return e
	}
	if len(old.kids) > 0 {
		return ENOTEMPTY
	}
	return Success
}

// listNode makes the listing of a directory of the tree.
func (s *System) listNode(n *node) (list []entry, cost int64, e Errno) {
	if e := s.fill(n); e != Success {
		return nil, 0, e
	}
	s.host.Spend(workEntry * int64(len(n.kids)))
	list = make([]entry, 0, len(n.kids))
	for name, kid := range n.kids {
		cost += int64(len(name)) + memory.UnitEntry
		list = append(list, entry{name, kid.typ})
	}
	if !s.host.Charge(cost) { // in one charge: the order of the map must not decide when memory is collected
		return nil, 0, OutOfMemory
	}
	return list, cost, Success
}

// within calls an operation on two paths in the tree. If one of them is in a directory of the host,
// it fails: no file moves between the tree and such a directory.
func (s *System) within(op string, of *file, from string, nf *file, do func(of *file, from string, nf *file, to string) Errno,
	to string) Errno {
	switch {
	case of.node != nil && nf.node != nil:
		return do(of, from, nf, to)
	case of.node != nil:
		if _, e := s.find(op, of, from, false); e != Success {
			return e
		}
	}
	return EXDEV
}

func (s *System) readlinkNode(f *file, p string) (string, Errno) {
	pl, e := s.find("readlink", f, p, false)
	switch {
	case e != Success:
		return "", e
	case pl.node.typ != typeSymlink:
		return "", EINVAL
	}
	return s.targetOf(pl.node)
}

func (s *System) setNodeTimes(f *file, p string, follow bool, atime, mtime guestTime) Errno {
	pl, e := s.find("chtimes", f, p, follow)
	if e != Success {
		return e
	}
	n := pl.node
	if e := s.know(n); e != Success {
		return e
	}
	if n.ro {
		return s.refuse("chtimes", f, p, n)
	}
	if atime.set {
		n.atime = atime.ns
	}
	if mtime.set {
		n.mtime = mtime.ns
	}
	return Success
}
