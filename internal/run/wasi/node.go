package wasi

import (
	"strings"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// The tree: the guest's own files, directories, links and devices, in memory. Its root is the
// guest's / (world.go lists its contents). Granted directories of the host are nodes with a grant.
// File systems of the host (backing.go) are directories that are filled when the guest first uses
// them.
//
// Nothing in the tree belongs to the machine, so a link may lead anywhere in it. Nothing leads from
// a granted directory back into the tree. The guest's additions are charged to its memory limit: a
// node, a name, a block of content. At the limit the guest ends, as with memory of any other kind
// (OutOfMemory).

// A node is a file, a directory, a symbolic link or a device.
type node struct {
	typ    uint8
	ro     bool // neither it nor its contents can change
	pinned bool // something is mounted at or below it, so it cannot move
	names  int  // how many directory entries lead to it
	opens  int  // descriptors
	number uint64
	mode   uint16 // permissions: mode.go

	mtime, atime uint64

	parent *node            // of a directory; the root has none
	kids   map[string]*node // of a directory
	grant  *file            // the descriptor of the granted directory that begins here

	data   content // of a regular file
	target string  // of a symbolic link
	device *device

	back   *backing // the host's file, if not all of it is read yet
	unread bool     // content or entries are not read yet
	fault  Errno    // the result of reading past the end: the host's file ended with an error
}

// linkLimit is the most symbolic links in a path, as in Linux.
const linkLimit = 40

// maxName is the longest name of a file, as in Linux.
const maxName = 255

// A place is the target of a path.
type place struct {
	dir  *node  // the directory that has the name, or would have it; nil for the root
	name string // empty for a directory that the path names by a dot
	node *node  // nil: the name does not exist
	dirs bool   // the path ends with a slash: it must name a directory

	grant *file  // not nil: the path continues in a granted directory
	rest  string // the path there
}

// walk follows a path from a directory. follow tells whether it follows a link at the end.
func (s *System) walk(at *node, p string, follow bool) (place, Errno) {
	links, slash := 0, strings.HasSuffix(p, "/")
	if p[0] == '/' {
		at = s.tree().root
	}
	for {
		p = strings.TrimLeft(p, "/")
		if at.grant != nil {
			return inGrant(at, p), Success
		}
		if p == "" {
			return place{dir: at.parent, node: at, dirs: true}, Success
		}
		name, rest, _ := strings.Cut(p, "/")
		rest = strings.TrimLeft(rest, "/")
		if at.typ != typeDirectory {
			return place{}, ENOTDIR
		}
		switch {
		case name == ".":
			p = rest
			continue
		case !at.allows(modeExec):
			return place{}, EACCES
		case name == "..":
			if at.parent != nil {
				at = at.parent
			}
			p = rest
			continue
		}
		if len(name) > maxName {
			return place{}, ENAMETOOLONG
		}
		if e := s.fill(at); e != Success {
			return place{}, e
		}
		kid := at.kids[name]
		switch {
		case kid == nil && rest != "":
			return place{dir: at}, ENOENT
		case kid == nil:
			return place{dir: at, name: name, dirs: slash}, Success
		case kid.grant != nil:
			return inGrant(kid, rest), Success
		case kid.typ == typeSymlink && (rest != "" || follow || slash):
			if links++; links > linkLimit {
				return place{}, ELOOP
			}
			if !s.host.Poll() {
				return place{}, Interrupted
			}
			target, e := s.targetOf(kid)
			if e != Success {
				return place{}, e
			}
			if target[0] == '/' {
				at = s.tree().root
			}
			p = target
			if rest != "" {
				p += "/" + rest
			}
			s.host.Spend(workLink + workByte*int64(len(target)) + int64(len(p))/workPath)
			if len(p) > 2*maxPath {
				return place{}, ENAMETOOLONG
			}
		case rest == "" && slash && kid.typ != typeDirectory:
			return place{}, ENOTDIR
		case rest == "":
			return place{dir: at, name: name, node: kid, dirs: slash}, Success
		default:
			at, p = kid, rest
		}
	}
}

// inGrant is the place of a path that continues in a granted directory.
func inGrant(n *node, rest string) place {
	if rest == "" {
		rest = "."
	}
	return place{grant: n.grant, rest: rest}
}

// newNode makes and charges a node that no directory has yet. It returns nil at the memory limit.
func (s *System) newNode(typ uint8, mode uint16) *node {
	if !s.host.Charge(memory.UnitNode) {
		return nil
	}
	n := s.tree().add(typ)
	n.mode = mode
	n.mtime = s.host.Realtime()
	n.atime = n.mtime
	return n
}

// enter puts a node into a directory under a name. It fails at the memory limit.
func (s *System) enter(dir *node, name string, n *node) Errno {
	if dir.names == 0 {
		return ENOENT // the directory was removed
	}
	if !s.host.Charge(nameUnit(name)) {
		return OutOfMemory
	}
	dir.link(name, n)
	dir.mtime = s.host.Realtime()
	return Success
}

// nameUnit is the charge of a name in a directory. It grows in steps, so that a program's figures
// do not show the length of a file's name.
func nameUnit(name string) int64 { return memory.UnitEntry + (int64(len(name))+63)&^63 }

// link puts a node into a directory.
func (dir *node) link(name string, n *node) {
	if dir.kids == nil {
		dir.kids = map[string]*node{}
	}
	dir.kids[name] = n
	n.names++
	if n.typ == typeDirectory {
		n.parent = dir
	}
}

// leave removes a name from a directory. A node without names and descriptors is gone.
func (s *System) leave(dir *node, name string) {
	n := dir.kids[name]
	delete(dir.kids, name)
	dir.mtime = s.host.Realtime()
	s.host.Charge(-nameUnit(name))
	n.names--
	s.forget(n)
}

// forget gives back the memory of a node if nothing leads to it any more.
func (s *System) forget(n *node) {
	switch {
	case n.opens > 0:
	case n.names == 0:
		s.resize(n, 0)
		s.host.Charge(-memory.UnitNode - int64(len(n.target)))
		n.target, n.back = "", nil
	case n.back != nil && !n.unread && n.typ == typeRegular:
		s.resize(n, 0) // it can be read again
		n.unread, n.fault = true, Success
	}
}

// closeNode releases a node that a descriptor had.
func (s *System) closeNode(n *node) {
	n.opens--
	s.forget(n)
}
