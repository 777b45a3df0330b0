package wasi

import (
	"fmt"
	"os"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Types of files, as filestat and fdstat encode them.
const (
	typeUnknown   = 0
	typeBlock     = 1
	typeCharacter = 2
	typeDirectory = 3
	typeRegular   = 4
	typeStream    = 6
	typeSymlink   = 7
)

// Flags of a descriptor.
const (
	flagAppend   = 1 << 0
	flagDsync    = 1 << 1
	flagNonblock = 1 << 2
	flagRsync    = 1 << 3
	flagSync     = 1 << 4
	flagAll      = 1<<5 - 1
)

// A file is an open file description, the target of a descriptor.
type file struct {
	typ        uint8
	stdio      int8 // 0, 1, 2, or -1 for any other file
	flags      uint16
	rights     uint64
	inheriting uint64
	charged    bool // with UnitFile
	shared     int  // other processes that have it
	lock       uint8

	// For typeRegular and typeCharacter.
	f      *os.File
	id     fileID
	record *fileRecord
	gone   bool // its last name was removed

	// For files in the tree.
	node  *node
	pos   int64               // of a regular file
	start func(t *tree) *node // of a preopen: returns its node, once the tree is made

	// For typeDirectory.
	root     *os.Root
	mount    *mount
	rel      string // path below the mount as opened; "." for the mount itself
	preopen  bool
	listing  []entry
	listCost int64
}

// A mount is a granted directory.
type mount struct {
	root     *os.Root
	name     string // path in the guest
	readOnly bool
}

// stdioFile describes descriptors 0 to 2. Whatever the host's streams are, their type is a stream
// without position, so that no program behaves differently on a terminal.
func stdioFile(fd int32) *file {
	f := &file{typ: typeStream, stdio: int8(fd), rights: streamRights | rightFdRead}
	if fd != 0 {
		f.rights = streamRights | rightFdWrite | rightFdDatasync | rightFdSync
	}
	return f
}

// preopen opens the grants from descriptor 3 on, and last the root of the tree, which leads to the
// rest.
func (s *System) preopen() error {
	top := !slices.ContainsFunc(s.grants, func(g *grant) bool { return g.guest == "/" })
	for _, g := range s.grants {
		if g.dir == nil && top {
			continue // the root leads there
		}
		if err := s.preopenGrant(g); err != nil {
			return &GrantError{g.field, err}
		}
	}
	if top {
		s.install(treeFile("/", func(t *tree) *node { return t.root }))
		return nil
	}
	s.install(treeFile("/dev", func(t *tree) *node { return t.dev }))
	return nil
}

// preopenGrant opens one grant.
func (s *System) preopenGrant(g *grant) error {
	if len(s.fds) >= s.maxFiles {
		return fmt.Errorf("directory for %s: more than %d descriptors", g.guest, s.maxFiles)
	}
	if g.dir == nil {
		s.install(treeFile(g.guest, func(*tree) *node { return g.node }))
		return nil
	}
	root, err := os.OpenRoot(g.dir.Host)
	if err != nil {
		return fmt.Errorf("directory for %s: %w", g.guest, err)
	}
	m := &mount{root: root, name: g.guest, readOnly: g.dir.ReadOnly}
	s.mounts = append(s.mounts, m)
	if g.dir.Copy {
		g.volume = &volume{fs: root.FS(), name: "a copied directory", dir: true}
		s.install(treeFile(g.guest, func(*tree) *node { return g.node }))
		return nil
	}
	f := &file{typ: typeDirectory, stdio: -1, rights: dirRights, inheriting: dirRights | fileRights,
		root: root, mount: m, rel: ".", preopen: true}
	if m.readOnly {
		f.rights &^= writeRights
		f.inheriting &^= writeRights
	}
	through := *f // the guest may close its descriptor, the tree still leads there
	g.file = &through
	s.install(f)
	return nil
}

// treeFile makes the open file description of a directory that the tree has from the start.
func treeFile(name string, start func(*tree) *node) *file {
	return &file{typ: typeDirectory, stdio: -1, rights: dirRights, inheriting: dirRights | fileRights,
		mount: &mount{name: name}, rel: ".", preopen: true, start: start}
}

// room checks that one more descriptor may be opened, and charges for it.
func (s *System) room(f *file, p string) Errno {
	if s.open >= s.maxFiles {
		s.hint(noGrant, "", "open %s: more than %d files are open", quote(f.full(p)), s.maxFiles)
		return EMFILE
	}
	if !s.host.Charge(memory.UnitFile) {
		return ENOMEM
	}
	return Success
}

// maxHostFiles is how many files and directories of the host an instance may hold open in addition
// to the granted ones. Many instances share the process, and its system limits their number. The
// guest's memory limit bounds the files in memory.
const maxHostFiles = 256

// hostRoom checks that one more file of the host may be opened.
func (s *System) hostRoom(f *file, p string) Errno {
	if s.hostOpen >= maxHostFiles {
		s.hint(noGrant, "", "open %s: more than %d files of granted directories are open", quote(f.full(p)), maxHostFiles)
		return EMFILE
	}
	return Success
}

// install puts a file under the lowest free descriptor. The caller has checked
// that there is room.
func (s *System) install(f *file) int32 {
	s.open++
	if f.isHost() {
		s.hostOpen++
	}
	for fd, g := range s.fds {
		if g == nil {
			s.fds[fd] = f
			return int32(fd)
		}
	}
	s.fds = append(s.fds, f)
	return int32(len(s.fds) - 1)
}

// file returns the target of a descriptor, if it allows the operations.
func (s *System) file(fd int32, rights uint64) (*file, Errno) {
	if fd < 0 || int(fd) >= len(s.fds) || s.fds[fd] == nil {
		return nil, EBADF
	}
	f := s.fds[fd]
	if f.stdio < 0 {
		s.touched = true
	}
	if f.rights&rights != rights {
		return nil, ENOTCAPABLE
	}
	return f, Success
}

// openTree sets the node of a directory of the tree that is open from the start.
func (s *System) openTree(f *file) {
	if f.start != nil && f.node == nil {
		f.node = f.start(s.tree())
		f.node.opens++
	}
}

// isHost reports whether a file holds a file of the host, other than a granted directory.
func (f *file) isHost() bool { return f.f != nil || f.root != nil && !f.preopen }

// release closes what a file holds.
func (s *System) release(f *file) {
	if f.isHost() {
		s.hostOpen--
	}
	if f.shared > 0 { // with a child
		f.shared--
		return
	}
	s.unlock(f)
	if f.f != nil {
		f.f.Close()
		f.f = nil
		if f.gone {
			s.dropUnused(f.id)
		}
	}
	if f.root != nil {
		// A mount's own root stays open as long as the system: renames between two directories of
		// the mount use it.
		if !f.preopen {
			f.root.Close()
		}
		f.root = nil
	}
	if f.node != nil {
		s.closeNode(f.node)
	}
	s.dropListing(f)
	if f.charged {
		s.host.Charge(-memory.UnitFile)
	}
}

func fdClose(s *System, a *ir.Args) Errno {
	fd := fdArg(a[0])
	f, e := s.file(fd, 0)
	if e != Success {
		return e
	}
	s.touched = true
	s.fds[fd] = nil
	s.open--
	s.release(f)
	return Success
}

// fdstat: filetype u8 at 0, flags u16 at 2, rights u64 at 8, inheriting u64 at 16.
func fdFdstatGet(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	if e != Success {
		return e
	}
	b, ok := s.mem.Bytes(u32(a[1]), 24)
	if !ok {
		return EFAULT
	}
	clear(b)
	b[0] = f.typ
	le.PutUint16(b[2:], f.flags)
	le.PutUint64(b[8:], f.rights)
	le.PutUint64(b[16:], f.inheriting)
	return Success
}

// fdFdstatSetFlags accepts the flags that the descriptor has. It refuses non-blocking streams: a
// guest that waits for its input waits as a whole.
func fdFdstatSetFlags(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), rightFdstatSetFlags)
	if e != Success {
		return e
	}
	flags := u32(a[1])
	if flags&^flagAll != 0 {
		return EINVAL
	}
	if uint16(flags) != f.flags {
		return ENOTSUP
	}
	return Success
}

func fdFdstatSetRights(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	if e != Success {
		return e
	}
	if a[1]&^f.rights != 0 || a[2]&^f.inheriting != 0 {
		return ENOTCAPABLE
	}
	s.touched = true
	f.rights, f.inheriting = a[1], a[2]
	return Success
}

// preopened returns the preopened directory named by the first argument.
func (s *System) preopened(a *ir.Args) (*file, Errno) {
	f, e := s.file(fdArg(a[0]), 0)
	if e == Success && !f.preopen {
		e = EBADF
	}
	return f, e
}

// prestat: tag u8 at 0 (0: a directory), length of the name u32 at 4.
func fdPrestatGet(s *System, a *ir.Args) Errno {
	f, e := s.preopened(a)
	if e != Success {
		return e
	}
	b, ok := s.mem.Bytes(u32(a[1]), 8)
	if !ok {
		return EFAULT
	}
	clear(b)
	le.PutUint32(b[4:], uint32(len(f.mount.name)))
	return Success
}

func fdPrestatDirName(s *System, a *ir.Args) Errno {
	f, e := s.preopened(a)
	if e != Success {
		return e
	}
	n := u32(a[2])
	if n < uint64(len(f.mount.name)) {
		return ENAMETOOLONG
	}
	b, ok := s.mem.Bytes(u32(a[1]), uint64(len(f.mount.name)))
	if !ok {
		return EFAULT
	}
	copy(b, f.mount.name)
	return Success
}
