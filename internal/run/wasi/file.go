package wasi

import (
	"io"

	"github.com/gyrvm/gyr/internal/ir"
)

// Regular files, and other files in a granted directory: character devices such as /dev/null.

// readFile reads at the file's position; 0 at its end.
func (s *System) readFile(f *file, p []byte) (int, Errno) {
	call, ok := s.block(hostCall{kind: callRead, reader: f.f, p: p[:min(len(p), maxTransfer)]})
	if !ok {
		return 0, Interrupted
	}
	n, err := call.n, call.err
	if n > 0 || err == io.EOF {
		return n, Success
	}
	return 0, errnoOf(err)
}

func (s *System) writeFile(f *file, p []byte) (int, Errno) {
	call, ok := s.block(hostCall{kind: callWrite, writer: f.f, p: p[:min(len(p), maxTransfer)]})
	if !ok {
		return 0, Interrupted
	}
	n, err := call.n, call.err
	s.touch(f)
	if n > 0 {
		return n, Success
	}
	return 0, errnoOf(err)
}

func fdSeek(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	switch {
	case e != Success:
		return e
	case f.stdio >= 0:
		return ESPIPE
	case f.f == nil && (f.node == nil || f.typ == typeDirectory):
		return EBADF
	case f.rights&rightFdSeek == 0:
		return ENOTCAPABLE
	}
	b, ok := s.mem.Bytes(u32(a[3]), 8)
	if !ok {
		return EFAULT
	}
	whence := int(u32(a[2]))
	if whence > io.SeekEnd {
		return EINVAL
	}
	if f.node != nil {
		pos, e := f.seekNode(int64(a[1]), whence)
		if e == Success {
			le.PutUint64(b, uint64(pos))
		}
		return e
	}
	pos, err := f.f.Seek(int64(a[1]), whence)
	if err != nil {
		return errnoOf(err)
	}
	le.PutUint64(b, uint64(pos))
	return Success
}

func fdSync(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	switch {
	case e != Success:
		return e
	case f.stdio >= 0:
		return EINVAL // as fsync of a pipe
	case f.rights&rightFdSync == 0:
		return ENOTCAPABLE
	case f.f == nil:
		return Success // changes of a directory need no sync
	}
	return errnoOf(f.f.Sync())
}

func fdFilestatSetSize(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	switch {
	case e != Success:
		return e
	case f.f == nil && f.node == nil || f.typ == typeDirectory || f.rights&rightFdWrite == 0:
		return EINVAL // as ftruncate of a file that is not open for writing
	case f.rights&rightFdFilestatSetSize == 0:
		return ENOTCAPABLE
	case int64(a[1]) < 0:
		return EINVAL
	}
	if f.node != nil {
		return s.truncateNode(f.node, int64(a[1]))
	}
	err := f.f.Truncate(int64(a[1]))
	s.touch(f)
	return errnoOf(err)
}
