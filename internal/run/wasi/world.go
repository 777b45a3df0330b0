package wasi

import (
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
)

// The small world: what every guest finds at /, without any grant.
//
//	/dev    null, zero, random and urandom; the latter two give the run's random bytes
//	/tmp    os.TempDir: empty, the guest's to fill
//	/home   os.UserHomeDir: the same
//	/bin    an empty file with the program's name, os.Executable, and those of Config.Programs
//
// It also has the directories on the way to grants. Everything else is read-only and empty. A grant
// replaces what would be at its path. A grant of / replaces everything but /dev.

// A tree is the guest's /.
type tree struct {
	root *node
	last uint64 // the last number given
	dev  *node
}

// add makes a node.
func (t *tree) add(typ uint8) *node {
	t.last++
	return &node{typ: typ, number: t.last, mode: modeOf(typ)}
}

// tree returns the guest's tree. It is made on first use: most programs use no file.
func (s *System) tree() *tree {
	if s = s.first(); s.world == nil {
		s.world = s.newTree()
	}
	return s.world
}

func (s *System) newTree() *tree {
	t := &tree{}
	t.root = t.add(typeDirectory)
	t.root.ro, t.root.names = true, 1
	t.dev = t.directory("/dev")
	for _, d := range devices {
		n := t.add(typeCharacter)
		n.device = &d
		t.dev.link(d.name, n)
	}
	tmp, home := t.directory("/tmp"), t.directory("/home")
	tmp.ro, home.ro = false, false
	tmp.mode = modeSticky | modePerm
	program := t.add(typeRegular)
	program.ro, program.mode = true, 0o755
	bin := t.directory("/bin")
	for _, name := range slices.Sorted(maps.Keys(s.programNames)) {
		n := t.add(typeRegular)
		n.ro, n.mode = true, 0o755
		bin.link(name, n)
	}
	if !s.programNames[s.name] {
		bin.link(s.name, program)
	}
	for _, g := range s.grants {
		t.mount(g)
	}
	t.stamp(t.root, s.began)
	return t
}

// directory returns the directory at a path. It makes that directory and its parents. The guest sees
// nothing else of them.
func (t *tree) directory(name string) *node {
	at := t.root
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		if part == "" {
			continue
		}
		kid := at.kids[part]
		if kid == nil || kid.typ != typeDirectory {
			kid = t.add(typeDirectory)
			kid.ro = at.ro
			at.link(part, kid)
		}
		at = kid
	}
	return at
}

// mount puts a grant into the tree.
func (t *tree) mount(g *grant) {
	n := t.directory(g.guest)
	for a := n; a != nil; a = a.parent {
		a.pinned = true
	}
	switch {
	case g.file != nil:
		n.grant = g.file
	default:
		maps.DeleteFunc(n.kids, func(_ string, kid *node) bool { return !kid.pinned })
		n.ro = !g.write
		if g.volume != nil {
			n.back, n.unread = &backing{volume: g.volume}, true
		}
	}
	g.node = n
}

// stamp sets the time of nodes that exist from the start.
func (t *tree) stamp(n *node, now uint64) {
	n.mtime, n.atime = now, now
	for _, kid := range n.kids {
		t.stamp(kid, now)
	}
}

// programName returns the program's name in /bin, from the name that the program sees;
// os.Executable computes the same.
// ProgramName is the name of a program in /bin.
func ProgramName(name string) string { return programName(name) }

func programName(name string) string {
	if name = path.Base(name); name == "/" || name == "." || name == ".." || len(name) > maxName {
		return "main"
	}
	return name
}

// A device can be read and written, and keeps nothing.
type device struct {
	name string
	read func(s *System, p []byte) (int, Errno)
}

var devices = []device{
	{"null", func(*System, []byte) (int, Errno) { return 0, Success }},
	{"zero", func(s *System, p []byte) (int, Errno) { clear(p); return len(p), Success }},
	{"random", readRandom},
	{"urandom", readRandom},
}

func readRandom(s *System, p []byte) (int, Errno) {
	p = p[:min(len(p), randomPiece)]
	s.host.Random(p)
	return len(p), Success
}

// readNode reads at a descriptor's position. It returns 0 at the end.
func (s *System) readNode(f *file, p []byte) (int, Errno) {
	n, e := s.readNodeAt(f, p, f.pos)
	f.pos += int64(n)
	return n, e
}

func (s *System) readNodeAt(f *file, p []byte, off int64) (int, Errno) {
	p = p[:min(len(p), maxTransfer)]
	if d := f.node.device; d != nil {
		return d.read(s, p)
	}
	n := f.node.data.readAt(p, off)
	if n == 0 && len(p) > 0 {
		return 0, f.node.fault
	}
	return n, Success
}

// writeNode writes at a descriptor's position.
func (s *System) writeNode(f *file, p []byte) (int, Errno) {
	if f.flags&flagAppend != 0 {
		f.pos = f.node.data.size
	}
	n, e := s.writeNodeAt(f, p, f.pos)
	f.pos += int64(n)
	return n, e
}

func (s *System) writeNodeAt(f *file, p []byte, off int64) (int, Errno) {
	p = p[:min(len(p), maxTransfer)]
	if f.node.device != nil {
		return len(p), Success
	}
	f.node.back = nil // it is the guest's from now on
	n, e := s.writeAt(f.node, p, off)
	f.node.mtime = s.host.Realtime()
	if n > 0 && e != OutOfMemory {
		return n, Success
	}
	return 0, e
}

// seekNode moves a descriptor's position.
func (f *file) seekNode(offset int64, whence int) (int64, Errno) {
	if f.node.device != nil {
		return 0, Success
	}
	base := [...]int64{io.SeekStart: 0, io.SeekCurrent: f.pos, io.SeekEnd: f.node.data.size}[whence]
	if offset > 0 && base > math.MaxInt64-offset || base+offset < 0 {
		return 0, EINVAL
	}
	f.pos = base + offset
	return f.pos, Success
}

// truncateNode changes the size of a file.
func (s *System) truncateNode(n *node, size int64) Errno {
	switch {
	case n.typ != typeRegular:
		return EINVAL
	case size > maxFile:
		return EFBIG
	}
	n.back = nil
	s.resize(n, size)
	n.mtime = s.host.Realtime()
	return Success
}
