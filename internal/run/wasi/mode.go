package wasi

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/gyrvm/gyr/internal/ir"
)

// Permissions. WASI preview 1 has none: functions that make a file take no mode, no function
// changes one, and a filestat has no field for it. The functions of FileModule are those of WASI
// with a mode, and the two that change it. A filestat has the mode in the two bytes after the type,
// which are padding in the specification.
//
// In the tree modes mean what they mean on Linux to a user who is not root and owns every file: the
// owner's permissions count. The bits setuid, setgid and sticky are kept and have no meaning. The
// guest keeps its own mask for new files (umask).
//
// In granted directories the host's permissions decide what can be done. hostMode tells what the
// guest sees of them.

// FileModule is the name under which our part of package syscall imports FileFuncs.
const FileModule = "gyr_fs"

// FileFuncs is the table of the functions that WASI does not have. It is not written after
// initialisation.
var FileFuncs = map[string]Func{
	"open":   fileOpen,
	"mkdir":  fileMkdir,
	"chmod":  fileChmod,
	"fchmod": fileFchmod,
	"flock":  fileFlock,
}

const (
	modeSticky = 0o1000
	modeRead   = 0o400
	modeWrite  = 0o200
	modeExec   = 0o100 // of a directory: its names can be looked up

	modePerm = 0o777
	modeAll  = 0o7777 // with setuid, setgid and sticky

	// Modes of files that are made without one: Linux's with umask 022.
	modeDirectory = 0o755
	modeFile      = 0o644
	modeDevice    = 0o666
	modeLink      = 0o777
)

// filestatMode is the offset of the mode in a filestat.
const filestatMode = 18

// modeArg reads an argument that is a mode.
func modeArg(v uint64) uint16 { return uint16(v & modeAll) }

// modeOf returns the default mode of a node of a type.
func modeOf(typ uint8) uint16 {
	switch typ {
	case typeDirectory:
		return modeDirectory
	case typeSymlink:
		return modeLink
	case typeCharacter, typeBlock:
		return modeDevice
	}
	return modeFile
}

// allows reports whether the guest may do with a node what all bits say: modeRead, modeWrite,
// modeExec.
func (n *node) allows(bits uint16) bool { return n.mode&bits == bits }

// needs returns the permissions that an opening needs.
func (o *opening) needs() (bits uint16) {
	if o.rights&rightFdRead != 0 {
		bits = modeRead
	}
	if o.writes() || o.truncates() {
		bits |= modeWrite
	}
	return bits
}

// mode returns the mode of a file in a volume from its fs.FileInfo; write tells whether the guest
// may change the file. A mount is granted, so the guest has the owner's permissions whatever the
// host says. fstest.MapFS reports no permissions, and embed.FS none to write.
func (v *volume) mode(fi fs.FileInfo, write bool) uint16 {
	typ := fileType(fi.Mode())
	if v.dir {
		return hostMode(fi)
	}
	mode := uint16(fi.Mode().Perm())
	switch {
	case typ == typeSymlink:
		return modeLink
	case mode == 0 && write:
		return modeOf(typ)
	case mode == 0:
		return modeOf(typ) &^ 0o222
	}
	mode |= modeRead
	if typ == typeDirectory {
		mode |= modeExec
	}
	if write {
		mode |= modeWrite
	}
	return mode
}

// hostMode returns the permissions that the guest sees for a file in a directory of the host, until
// it changes them. It is the part that git keeps: whether the file is executable. The rest depends
// on the umask of the file's creator.
func hostMode(fi fs.FileInfo) uint16 {
	typ := fileType(fi.Mode())
	if typ == typeRegular && fi.Mode()&modeExec != 0 {
		return modeFile | 0o111
	}
	return modeOf(typ)
}

// toHost returns the mode of a file of the host for the mode that the guest wants. It is never
// setuid, and always lets owner and guest use and remove the file.
func toHost(mode uint16, dir bool) uint16 {
	mode = mode&modePerm | modeRead | modeWrite
	if dir {
		mode |= modeExec
	}
	return mode
}

// maxChmod has the permissions that Chmod can give to files of the host: only the owner may write.
const maxChmod = 0o755

// setMode records the mode that the guest gave a file of the host. The guest sees that mode,
// although the host's may differ.
func (s *System) setMode(fi fs.FileInfo, mode uint16) Errno {
	r := s.record(identify(fi).id)
	if r == nil {
		return ENOMEM
	}
	r.mode, r.hasMode = mode&modePerm, true
	return Success
}

func fileOpen(s *System, a *ir.Args) Errno { return s.pathOpen(a, modeArg(a[8]), u32(a[9])) }

func fileMkdir(s *System, a *ir.Args) Errno {
	return s.mkdir(a, modeArg(a[3])&(modePerm|modeSticky))
}

func fileChmod(s *System, a *ir.Args) Errno {
	follow := u32(a[1])&lookupFollow != 0
	f, p, e := s.lookup("chmod", fdArg(a[0]), a[2], a[3], rightPathFilestatGet, true, follow)
	mode := modeArg(a[4])
	switch {
	case e == EROFS:
		if _, err := f.stat(p, follow); err != nil {
			return s.fail("chmod", f, p, err) // a missing file is reported first
		}
		return e
	case e != Success:
		return e
	case f.node != nil:
		pl, e := s.find("chmod", f, p, follow)
		if e != Success {
			return e
		}
		return s.chmodNode(f, p, pl.node, mode)
	}
	fi, err := f.stat(p, follow)
	switch {
	case err != nil:
		return s.fail("chmod", f, p, err)
	case fi.Mode()&fs.ModeSymlink != 0:
		return ENOTSUP // as Linux: a link's own
	case !fi.Mode().IsRegular() && !fi.IsDir():
		return EPERM
	}
	// By a descriptor, so that no link can replace the file between the check and the change.
	of, err := f.root.OpenFile(p, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return s.fail("chmod", f, p, err)
	}
	defer of.Close()
	return s.chmodHost(of, mode)
}

// chmodNode changes the mode of a node.
func (s *System) chmodNode(f *file, p string, n *node, mode uint16) Errno {
	if e := s.know(n); e != Success {
		return e
	}
	switch {
	case n.ro:
		return s.refuse("chmod", f, p, n)
	case n.typ == typeSymlink:
		return ENOTSUP
	case n.device != nil:
		return EPERM // as Linux for a file of another owner
	}
	n.mode = mode
	return Success
}

// chmodHost changes the mode of an open file of the host.
func (s *System) chmodHost(of *os.File, mode uint16) Errno {
	fi, err := of.Stat()
	if err != nil {
		return errnoOf(err)
	}
	if !fi.Mode().IsRegular() && !fi.IsDir() {
		return EPERM
	}
	if err := of.Chmod(fs.FileMode(toHost(mode&maxChmod, fi.IsDir()))); err != nil {
		return errnoOf(err)
	}
	return s.setMode(fi, mode)
}

func fileFchmod(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	if e != Success {
		return e
	}
	s.openTree(f)
	switch {
	case f.stdio >= 0:
		return Success // the host's modes, whatever they are
	case f.node != nil:
		return s.chmodNode(f, "", f.node, modeArg(a[1]))
	case f.inheriting&rightFdFilestatSetTimes == 0:
		return EROFS
	case f.f != nil:
		return s.chmodHost(f.f, modeArg(a[1]))
	}
	d, err := f.root.Open(".")
	if err != nil {
		return errnoOf(err)
	}
	defer d.Close()
	return s.chmodHost(d, modeArg(a[1]))
}
