package wasi

import (
	"io/fs"
	"math"
	"os"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// What the guest learns about a file: its type, size, links and times. The order in which the guest
// met the files replaces device and inode numbers. That is enough for os.SameFile, and the same on
// every machine.

// fileNumbers numbers files and holds the times that the guest gave them.
type fileNumbers struct {
	byID map[fileID]*fileRecord
	last uint64 // the last number given
}

// A fileID is the host's identity of a file.
type fileID struct{ dev, ino uint64 }

type fileRecord struct {
	number       uint64
	atime, mtime guestTime
	mode         uint16 // set by the guest
	hasMode      bool
}

// A guestTime is a time that the guest gave a file while its clock is virtual. If it is not set,
// the host's file has the time.
type guestTime struct {
	ns  uint64
	set bool
}

// record returns the record of a file, or nil if the guest's memory limit is reached.
func (s *System) record(id fileID) *fileRecord {
	if r := s.first().files.byID[id]; r != nil {
		return r
	}
	if !s.host.Charge(memory.UnitFileNumber) {
		return nil
	}
	if s.first().files.byID == nil {
		s.first().files.byID = make(map[fileID]*fileRecord)
	}
	s.first().files.last++
	r := &fileRecord{number: s.first().files.last + 1}
	s.first().files.byID[id] = r
	return r
}

// drop removes the record of a file that is gone: the host may reuse its inode number.
func (s *System) drop(id fileID) {
	if s.first().files.byID[id] != nil {
		delete(s.first().files.byID, id)
		s.host.Charge(-memory.UnitFileNumber)
	}
}

// Numbered reports whether any file of the host has a number.
func (s *System) Numbered() bool { return len(s.first().files.byID) > 0 }

// Forget drops the numbers of the host's files, unless one of them is open. When the guest meets a
// file again, it gets a number that no other file has had. Files with times or permissions from the
// guest keep theirs. Between two calls nothing of the host may affect the next call: an instance
// that resumes from a state knows no file of the host. The result is false if the run has to end.
func (s *System) Forget() bool {
	if s.hostOpen > 0 {
		return true
	}
	n := 0
	for id, r := range s.first().files.byID {
		if n++; n%1024 == 0 && !s.host.Poll() {
			return false
		}
		if !r.atime.set && !r.mtime.set && !r.hasMode {
			s.drop(id)
		}
	}
	return true
}

// unlinked records that a name of the file was removed. The record of a file without further names
// goes with its last descriptor.
func (s *System) unlinked(fi fs.FileInfo) {
	id := identify(fi)
	if !fi.IsDir() && id.nlink > 1 {
		return
	}
	for _, f := range s.fds {
		if f != nil && f.f != nil && f.id == id.id {
			f.gone = true
		}
	}
	s.dropUnused(id.id)
}

// dropUnused drops the record of a file without names, unless the file is open.
func (s *System) dropUnused(id fileID) {
	for _, f := range s.fds {
		if f != nil && f.f != nil && f.id == id {
			return
		}
	}
	s.drop(id)
}

// touch records that the guest changed a file now, by the guest's clock.
func (s *System) touch(f *file) {
	if s.host.VirtualTime() {
		f.record.mtime = guestTime{s.host.Realtime(), true}
	}
}

// setTimes records times that the guest gave a file.
func (s *System) setTimes(fi fs.FileInfo, atime, mtime guestTime) {
	if !s.host.VirtualTime() {
		return
	}
	if r := s.record(identify(fi).id); r != nil {
		if atime.set {
			r.atime = atime
		}
		if mtime.set {
			r.mtime = mtime
		}
	}
}

func fileType(m fs.FileMode) uint8 {
	switch {
	case m.IsRegular():
		return typeRegular
	case m.IsDir():
		return typeDirectory
	case m&fs.ModeSymlink != 0:
		return typeSymlink
	case m&fs.ModeCharDevice != 0:
		return typeCharacter
	case m&fs.ModeDevice != 0:
		return typeBlock
	case m&(fs.ModeSocket|fs.ModeNamedPipe) != 0:
		return typeStream
	}
	return typeUnknown
}

// timestamp returns nanoseconds since 1970, within the range of the format.
func timestamp(sec int64, nsec int64) uint64 {
	if sec < 0 {
		return 0
	}
	if sec > math.MaxInt64/1_000_000_000-1 {
		return math.MaxInt64
	}
	return uint64(sec)*1_000_000_000 + uint64(nsec)
}

// A filestat is 64 bytes: dev u64, ino u64, type u8, nlink u64, size u64, atim, mtim, ctim u64,
// each aligned to 8. After the type we store the mode, a u16.
const filestatSize = 64

func (s *System) filestat(b []byte, fi fs.FileInfo) Errno {
	id := identify(fi)
	r := s.record(id.id)
	if r == nil {
		return ENOMEM
	}
	clear(b)
	t := fi.ModTime()
	mtime := timestamp(t.Unix(), int64(t.Nanosecond()))
	atime := mtime
	if !s.host.VirtualTime() && id.hasTime {
		atime = id.atime
	}
	if r.mtime.set {
		mtime = r.mtime.ns
		atime = mtime
	}
	if r.atime.set {
		atime = r.atime.ns
	}
	typ := fileType(fi.Mode())
	le.PutUint64(b[0:], 1)
	le.PutUint64(b[8:], r.number)
	b[16] = typ
	mode := hostMode(fi)
	if r.hasMode {
		mode = r.mode
	}
	le.PutUint16(b[filestatMode:], mode)
	le.PutUint64(b[24:], 1)
	switch typ {
	case typeRegular:
		le.PutUint64(b[24:], id.nlink)
		le.PutUint64(b[32:], uint64(max(fi.Size(), 0)))
	case typeSymlink:
		le.PutUint64(b[32:], uint64(max(fi.Size(), 0)))
	}
	le.PutUint64(b[40:], atime)
	le.PutUint64(b[48:], mtime)
	le.PutUint64(b[56:], mtime)
	return Success
}

func fdFilestatGet(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), rightFdFilestatGet)
	if e != Success {
		return e
	}
	b, ok := s.mem.Bytes(u32(a[1]), filestatSize)
	if !ok {
		return EFAULT
	}
	var fi os.FileInfo
	var err error
	switch {
	case f.stdio >= 0:
		clear(b)
		le.PutUint64(b[0:], 1)
		le.PutUint64(b[8:], 1<<32+uint64(f.stdio))
		b[16] = f.typ
		le.PutUint16(b[filestatMode:], modeRead|modeWrite)
		le.PutUint64(b[24:], 1)
		return Success
	case f.node != nil || f.start != nil:
		s.openTree(f)
		return s.nodeStat(b, f.node)
	case f.f != nil:
		fi, err = f.f.Stat()
	case f.root != nil:
		fi, err = f.root.Stat(".")
	default:
		return EBADF
	}
	if err != nil {
		return errnoOf(err)
	}
	return s.filestat(b, fi)
}
