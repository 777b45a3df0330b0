package filetree

import (
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// changeOf returns the time when a file's contents or metadata last changed, and its inode.
func changeOf(info fs.FileInfo) (ctime int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctim.Nano(), st.Ino
	}
	return 0, 0
}

// An asker asks the system for the states of files. It takes half the time of os.Stat, and little
// memory: it keeps a directory open, below which names are shorter, and the system writes to the
// same place each time.
type asker struct {
	dir string // with a final slash; empty: none is open
	fd  int
	st  unix.Stat_t
}

// open opens the directory below which names are shorter, unless it is the root.
func (a *asker) open(dir string) {
	if len(dir) < 2 {
		return
	}
	if fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		a.dir, a.fd = dir, fd
	}
}

func (a *asker) close() {
	if a.dir != "" {
		_ = unix.Close(a.fd)
		a.dir = ""
	}
}

// ask returns the state of a file or directory at the time now. If ok is false, os.Stat must be
// asked instead.
func (a *asker) ask(name string, now time.Time) (s state, ok bool) {
	at := unix.AT_FDCWD
	if n := len(a.dir); n > 0 && n < len(name) && name[:n] == a.dir && name[n] != '/' {
		at, name = a.fd, name[n:]
	}
	switch err := unix.Fstatat(at, name, &a.st, 0); err {
	case nil:
	case unix.ENOENT, unix.ENOTDIR:
		return state{typ: failed}, true
	default:
		return state{}, false
	}
	switch a.st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.typ[0] = typeLetter(0)
	case unix.S_IFDIR:
		s.typ[0] = typeLetter(fs.ModeDir)
	default:
		return state{}, false
	}
	s.stamp = Stamp{Size: a.st.Size, MTime: a.st.Mtim.Nano(), CTime: a.st.Ctim.Nano(), Inode: a.st.Ino}.settled(now)
	return s, true
}
