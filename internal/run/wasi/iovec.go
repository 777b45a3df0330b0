package wasi

import (
	"io"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Lists of pieces of guest memory: iovec is {pointer u32, length u32}.

const (
	maxPieces  = 1024     // as Linux's IOV_MAX
	gatherSize = 64 << 10 // the most that one write of several pieces takes
)

// firstPiece returns the first nonempty piece, and whether other nonempty pieces follow. It checks
// all pieces, so that a bad one fails alike in every position.
func (s *System) firstPiece(iovs, n uint64) (first []byte, at uint64, more bool, e Errno) {
	if n > maxPieces {
		return nil, 0, false, EINVAL
	}
	list, ok := s.mem.Bytes(iovs, 8*n)
	if !ok {
		return nil, 0, false, EFAULT
	}
	for i := range n {
		p, size := uint64(le.Uint32(list[8*i:])), uint64(le.Uint32(list[8*i+4:]))
		if size == 0 {
			continue
		}
		b, ok := s.mem.Bytes(p, size)
		if !ok {
			return nil, 0, false, EFAULT
		}
		if first == nil {
			first, at = b, i
		} else {
			more = true
		}
	}
	return first, at, more, Success
}

// toFill returns the piece that one read fills: the first nonempty one.
func (s *System) toFill(iovs, n uint64) ([]byte, Errno) {
	p, at, _, e := s.firstPiece(iovs, n)
	if e != Success || len(p) == 0 {
		return p, e
	}
	list, _ := s.mem.Bytes(iovs, 8*n)
	return p, s.fills(uint64(le.Uint32(list[8*at:])), uint64(len(p)))
}

// fills ends the run if part of the n bytes at off, which the host will write to, is read-only for
// the guest. Writes on the run's own goroutine do not need the check, since a fault there is
// identified. But neither the kernel nor a Reader of the host may get such memory.
func (s *System) fills(off, n uint64) Errno {
	if !s.mem.Overlaps(off, n) {
		return Success
	}
	s.host.Fail("read", memory.ErrReadOnly)
	return Interrupted
}

// toWrite returns the bytes of one write: a single piece in place in guest memory, or as much of
// several pieces as fits one buffer. The guest then sees a partial write.
func (s *System) toWrite(iovs, n uint64) ([]byte, Errno) {
	first, at, more, e := s.firstPiece(iovs, n)
	if e != Success || !more || len(first) >= gatherSize {
		return first, e
	}
	if s.gather == nil {
		s.gather = make([]byte, gatherSize)
	}
	list, _ := s.mem.Bytes(iovs, 8*n)
	m := 0
	for i := at; i < n && m < len(s.gather); i++ {
		if size := uint64(le.Uint32(list[8*i+4:])); size > 0 {
			b, _ := s.mem.Bytes(uint64(le.Uint32(list[8*i:])), size)
			m += copy(s.gather[m:], b)
		}
	}
	return s.gather[:m], Success
}

// count completes a read or write: it stores the count at a guest address.
func (s *System) count(at uint64, n int) Errno {
	b, ok := s.mem.Bytes(at, 4)
	if !ok {
		return EFAULT
	}
	le.PutUint32(b, uint32(n))
	return Success
}

func fdRead(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	if e != Success {
		return e
	}
	if f.typ == typeDirectory {
		return EISDIR
	}
	if f.rights&rightFdRead == 0 {
		return EBADF
	}
	p, e := s.toFill(u32(a[1]), u32(a[2]))
	if e != Success {
		return e
	}
	result := u32(a[3])
	if _, ok := s.mem.Bytes(result, 4); !ok {
		return EFAULT // before anything is consumed
	}
	n := 0
	switch {
	case len(p) == 0:
	case f.stdio == 0:
		n, e = s.readStdin(p)
	case f.f != nil:
		n, e = s.readFile(f, p)
	case f.node != nil:
		n, e = s.readNode(f, p)
	default:
		e = EBADF
	}
	if e != Success {
		return e
	}
	return s.count(result, n)
}

func fdWrite(s *System, a *ir.Args) Errno {
	f, e := s.file(fdArg(a[0]), 0)
	if e != Success {
		return e
	}
	if f.rights&rightFdWrite == 0 {
		return EBADF
	}
	p, e := s.toWrite(u32(a[1]), u32(a[2]))
	if e != Success {
		return e
	}
	result := u32(a[3])
	if _, ok := s.mem.Bytes(result, 4); !ok {
		return EFAULT
	}
	n := 0
	switch {
	case len(p) == 0:
	case f.stdio > 0:
		n, e = s.writeOut(int(f.stdio), p)
	case f.f != nil:
		n, e = s.writeFile(f, p)
	case f.node != nil:
		n, e = s.writeNode(f, p)
	default:
		e = EBADF
	}
	if e != Success {
		return e
	}
	return s.count(result, n)
}

func fdPread(s *System, a *ir.Args) Errno {
	f, off, e := s.positional(a, rightFdRead)
	if e != Success {
		return e
	}
	p, e := s.toFill(u32(a[1]), u32(a[2]))
	if e != Success {
		return e
	}
	if f.node != nil {
		return s.nodeAt(s.readNodeAt, f, u32(a[4]), p, off)
	}
	return s.transferAt(u32(a[4]), f.f.ReadAt, p, off, nil)
}

func fdPwrite(s *System, a *ir.Args) Errno {
	f, off, e := s.positional(a, rightFdWrite)
	if e != Success {
		return e
	}
	if f.flags&flagAppend != 0 {
		return EINVAL
	}
	p, e := s.toWrite(u32(a[1]), u32(a[2]))
	if e != Success {
		return e
	}
	if f.node != nil {
		return s.nodeAt(s.writeNodeAt, f, u32(a[4]), p, off)
	}
	return s.transferAt(u32(a[4]), f.f.WriteAt, p, off, f)
}

// nodeAt is transferAt for a file of the tree.
func (s *System) nodeAt(transfer func(*file, []byte, int64) (int, Errno), f *file, result uint64, p []byte, off int64) Errno {
	if _, ok := s.mem.Bytes(result, 4); !ok {
		return EFAULT
	}
	n := 0
	if len(p) > 0 {
		var e Errno
		if n, e = transfer(f, p, off); e != Success {
			return e
		}
	}
	return s.count(result, n)
}

// transferAt reads or writes a piece of memory at an offset of a file, and stores the number of
// bytes at result. written is the file that changes, or nil.
func (s *System) transferAt(result uint64, transfer func([]byte, int64) (int, error), p []byte, off int64,
	written *file) Errno {
	if _, ok := s.mem.Bytes(result, 4); !ok {
		return EFAULT
	}
	n := 0
	if len(p) > 0 {
		call, ok := s.block(hostCall{kind: callTransfer, transfer: transfer, p: p[:min(len(p), maxTransfer)], off: off})
		if !ok {
			return Interrupted
		}
		var err error
		if n, err = call.n, call.err; n == 0 && err != nil && (err != io.EOF || written != nil) {
			return errnoOf(err)
		}
		if written != nil {
			s.touch(written)
		}
	}
	return s.count(result, n)
}

// positional checks the arguments that pread and pwrite share.
func (s *System) positional(a *ir.Args, right uint64) (*file, int64, Errno) {
	f, e := s.file(fdArg(a[0]), 0)
	switch {
	case e != Success:
		return nil, 0, e
	case f.typ == typeDirectory:
		return nil, 0, EISDIR
	case f.stdio >= 0:
		return nil, 0, ESPIPE
	case f.f == nil && f.node == nil || f.rights&right == 0:
		return nil, 0, EBADF
	case f.rights&rightFdSeek == 0:
		return nil, 0, ENOTCAPABLE
	case int64(a[3]) < 0:
		return nil, 0, EINVAL
	}
	return f, int64(a[3]), Success
}
