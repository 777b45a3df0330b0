package wasi

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// The parts of the tree that come from a file system of the host: a Mount's, or a directory that is
// granted as a copy.
//
// They are read when the guest first uses them: a directory as a whole when a path leads through it
// or it is listed, a file when it is opened. From then on they are the guest's, charged to its
// memory limit. A file that the guest has not changed is dropped with its last descriptor. So the
// size that a file system reports is never trusted, and a file without an end reaches the limit.
// Invalid results of the file system are EIO. A file system that panics ends the run, as a Reader
// does.

// A volume is a file system of the host.
type volume struct {
	fs    fs.FS
	name  string // the field of Config, for errors
	quick bool   // it is ours and never blocks
	dir   bool   // it is a directory of the host
}

// A backing is a file or directory of a volume.
type backing struct {
	volume *volume
	dir    *backing // nil: the root of the volume
	base   string   // its name in the directory
	length int      // of its path
	asked  bool     // size and time are known
	size   int64
}

// name returns the path in the volume.
func (b *backing) name() string {
	if b.dir == nil {
		return "."
	}
	parts := []string{}
	for ; b.dir != nil; b = b.dir {
		parts = append(parts, b.base)
	}
	slices.Reverse(parts)
	return strings.Join(parts, "/")
}

// ask calls a function of a volume. The call may block, and its panics are handled as a Reader's.
func (s *System) ask(v *volume, method string, f func() error) Errno {
	call, ok := s.block(hostCall{kind: callVolume, method: method, ask: f})
	switch {
	case !ok:
		return Interrupted
	case s.crash != nil:
		return s.crashedIn(v.name)
	}
	return errnoOf(call.err)
}

// fill reads the entries of a directory of the host.
func (s *System) fill(dir *node) Errno {
	if !dir.unread {
		return Success
	}
	b := dir.back
	var f fs.File
	e := s.ask(b.volume, "Open", func() (err error) { f, err = openIn(b.volume.fs, b.name()); return err })
	if e != Success {
		return e
	}
	kids := map[string]*node{}
	cost := int64(0)
	e = ENOTDIR
	if list, ok := f.(fs.ReadDirFile); ok {
		e = s.readEntries(dir, list, kids, &cost)
	}
	s.closeBacking(b, f, e)
	if e != Success {
		s.host.Charge(-cost)
		return e
	}
	for name, kid := range dir.kids { // mounts in this directory
		kids[name] = kid
	}
	dir.kids, dir.unread = kids, false
	return Success
}

// closeBacking closes a file of a volume, unless the run is over. It drops the result of Close.
func (s *System) closeBacking(b *backing, f fs.File, e Errno) {
	if e < Interrupted {
		s.ask(b.volume, "Close", func() error { f.Close(); return nil })
	}
}

// errNone is the error of a file system that returns nothing at all.
var errNone = errors.New("no file and no error")

func openIn(fsys fs.FS, name string) (fs.File, error) {
	f, err := fsys.Open(name)
	if err == nil && f == nil {
		err = errNone
	}
	return f, err
}

// readEntries makes nodes for the entries of a directory, and adds their charges to cost.
func (s *System) readEntries(dir *node, list fs.ReadDirFile, kids map[string]*node, cost *int64) Errno {
	b := dir.back
	for {
		type item struct {
			name string
			typ  uint8
		}
		var items []item
		end := false
		e := s.ask(b.volume, "ReadDir", func() error {
			some, err := list.ReadDir(256)
			for _, d := range some {
				items = append(items, item{d.Name(), fileType(d.Type())})
			}
			end = err == io.EOF
			if end || err == nil && len(some) > 0 {
				return nil
			}
			if err == nil {
				err = errNone
			}
			return err
		})
		if e != Success {
			return e
		}
		s.host.Spend(workEntry * int64(len(items)))
		for _, it := range items {
			if it.name == "." || it.name == ".." || it.name == "" || len(it.name) > maxName ||
				strings.ContainsAny(it.name, "/\x00") || kids[it.name] != nil {
				return EIO
			}
			if b.length+1+len(it.name) > maxPath {
				return ENAMETOOLONG // a tree without a bottom
			}
			price := memory.UnitNode + nameUnit(it.name)
			if !s.host.Charge(price) {
				return OutOfMemory
			}
			*cost += price
			kid := s.tree().add(it.typ)
			kid.ro, kid.mtime, kid.atime = dir.ro, dir.mtime, dir.mtime
			kid.names, kid.unread = 1, it.typ == typeDirectory || it.typ == typeRegular || it.typ == typeSymlink
			kid.back = &backing{volume: b.volume, dir: b, base: it.name, length: b.length + 1 + len(it.name)}
			if it.typ == typeDirectory {
				kid.parent = dir
			}
			kids[it.name] = kid
		}
		if end {
			return Success
		}
	}
}

// load reads the content of a file of the host.
func (s *System) load(n *node) Errno {
	if !n.unread {
		return Success
	}
	b := n.back
	var f fs.File
	e := s.ask(b.volume, "Open", func() (err error) { f, err = openIn(b.volume.fs, b.name()); return err })
	if e != Success {
		return e
	}
	e = s.loadFrom(n, f)
	s.closeBacking(b, f, e)
	return e
}

// loadFrom reads a file to its end, or to an error, which later reads at that place return.
func (s *System) loadFrom(n *node, f fs.File) Errno {
	buf := make([]byte, 32<<10)
	for empty, off := 0, int64(0); ; {
		got, end := 0, false
		e := s.ask(n.back.volume, "Read", func() (err error) {
			got, err = f.Read(buf)
			if got < 0 || got > len(buf) {
				got, err = 0, errNone
			}
			if end = err == io.EOF; end {
				err = nil
			}
			return err
		})
		full := Success
		if e < Interrupted {
			_, full = s.writeAt(n, buf[:got], off)
			off += int64(got)
		}
		if full != Success || e >= Interrupted {
			s.resize(n, 0)
			return max(e, full)
		}
		if empty++; got > 0 {
			empty = 0
		}
		if empty > emptyReads && e == Success && !end {
			e = EIO
		}
		if e != Success || end {
			n.unread, n.fault = false, e
			return Success
		}
	}
}

// targetOf returns the target of a symbolic link.
func (s *System) targetOf(n *node) (string, Errno) {
	if !n.unread {
		return n.target, Success
	}
	b, target := n.back, ""
	e := s.ask(b.volume, "ReadLink", func() (err error) { target, err = fs.ReadLink(b.volume.fs, b.name()); return err })
	switch {
	case e != Success:
		return "", e
	case target == "" || len(target) > maxPath || strings.ContainsRune(target, 0):
		return "", EIO
	case !s.host.Charge(int64(len(target))):
		return "", OutOfMemory
	}
	n.target, n.unread = target, false
	return target, Success
}

// know asks the host for the size and time of a file or directory.
func (s *System) know(n *node) Errno {
	b := n.back
	if b == nil || b.asked {
		return Success
	}
	var size int64
	var mtime uint64
	var mode uint16
	e := s.ask(b.volume, "Stat", func() error {
		fi, err := fs.Lstat(b.volume.fs, b.name())
		if err == nil && fi == nil {
			err = errNone
		}
		if err != nil {
			return err
		}
		t := fi.ModTime()
		mode = b.volume.mode(fi, !n.ro)
		size, mtime = max(fi.Size(), 0), timestamp(t.Unix(), int64(t.Nanosecond()))
		return nil
	})
	if e == Success {
		b.asked, b.size = true, size
		n.mtime, n.atime, n.mode = mtime, mtime, mode
	}
	return e
}
