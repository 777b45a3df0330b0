package memory

import (
	"bytes"
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"golang.org/x/sys/unix"

	"github.com/gyrvm/gyr/internal/ir"
)

// An image is the file of a snapshot. Its offsets are those of the reservation. It is made for the
// first space of the snapshot and closed when the snapshot becomes unreachable. Mappings outlive
// it.
type image struct {
	once  sync.Once
	err   error
	fd    int
	room  []byte // the mapping of the file, read-only: that of a base has room for all that it may get
	view  []byte // the part of it that the file has
	end   uint64 // guest address where it ends
	zeros []span // disjoint ranges of guest memory that are not part of the file

	// pages is /proc/self/pagemap, which tells the pages that belong to a mapping alone; -1: not
	// available.
	pages int

	tracks  sync.Once
	tracker *Tracker // for watched spaces, made for the first one; nil: the system has none
}

// open makes the file and seals it: it cannot change afterwards, except for that of a base.
func (im *image) open(sn *Snapshot) error { return im.openFrom(sn, im.pieces(sn)) }

// openFrom makes the file of the pieces that contents hands to its argument, by their offsets in
// the reservation.
func (im *image) openFrom(sn *Snapshot, contents func(write func(at uint64, b []byte) error) error) error {
	im.once.Do(func() {
		im.pages = -1
		if im.fd, im.err = unix.MemfdCreate("gyr snapshot", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING); im.err != nil {
			return
		}
		im.end, im.zeros = sn.imageEnd(), sn.zeros()
		if im.err = im.fill(contents, sn.forks != nil); im.err != nil {
			unix.Close(im.fd)
			return
		}
		if fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			im.pages = fd
		}
		runtime.AddCleanup(sn, func(im imageHandles) {
			unix.MunmapPtr(unsafe.Pointer(&im.room[0]), uintptr(len(im.room)))
			unix.Close(im.fd)
			if im.pages >= 0 {
				unix.Close(im.pages)
			}
		}, imageHandles{im.fd, im.pages, im.room})
	})
	return im.err
}

// imageHandles are what the system gets back when an image goes.
type imageHandles struct {
	fd, pages int
	room      []byte
}

// fill writes the file, seals it and maps it. A base is not sealed, and its mapping is larger.
func (im *image) fill(contents func(write func(at uint64, b []byte) error) error, base bool) error {
	size := int64(below + im.end)
	if err := unix.Ftruncate(im.fd, size); err != nil {
		return err
	}
	// Pages that the host writes to before a run has begun must exist. If the system had no memory
	// for one at that time, Go code would fault.
	if err := unix.Fallocate(im.fd, 0, int64(contextOff-StackSize), StackSize+ContextSize); err != nil {
		return err
	}
	if err := contents(im.write); err != nil {
		return err
	}
	room := uint64(size)
	if base {
		room = below + SpaceSize
	} else if _, err := unix.FcntlInt(uintptr(im.fd), unix.F_ADD_SEALS,
		unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE); err != nil {
		return err
	}
	p, err := unix.MmapPtr(im.fd, 0, nil, uintptr(room), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return err
	}
	im.room = unsafe.Slice((*byte)(p), room)
	im.view = im.room[:size]
	return nil
}

// pieces returns the contents of a snapshot for openFrom.
func (im *image) pieces(sn *Snapshot) func(write func(at uint64, b []byte) error) error {
	return func(write func(at uint64, b []byte) error) error {
		for _, p := range sn.tableParts() {
			if err := write(p.off, p.bytes); err != nil {
				return err
			}
		}
		var buf []byte
		for i := range sn.segments {
			g := &sn.segments[i]
			for at := uint64(0); at < g.size; at += granule {
				n := min(granule, g.size-at)
				var b []byte
				if g.bytes != nil {
					b = g.bytes[at : at+n]
				} else {
					if buf == nil {
						buf = make([]byte, granule)
					}
					b = buf[:n]
					if err := sn.read(g, b, at); err != nil {
						return err
					}
				}
				if err := write(below+g.addr+at, b); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// write writes b to the file, but leaves out zero pages. The file has no pages there, so the kernel
// does not map them beside their neighbours for every space that reads one of those.
func (im *image) write(at uint64, b []byte) error {
	page := uint64(HostPage)
	size := func(b []byte, at uint64) int { return int(min(uint64(len(b)), page-at%page)) }
	for len(b) > 0 {
		n := size(b, at)
		if allZero(b[:n]) {
			at, b = at+uint64(n), b[n:]
			continue
		}
		for len(b) > n && !allZero(b[n:n+size(b[n:], at+uint64(n))]) {
			n += size(b[n:], at+uint64(n))
		}
		for run := b[:n]; len(run) > 0; {
			k, err := unix.Pwrite(im.fd, run, int64(at))
			if err != nil {
				return err
			}
			run, at, b = run[k:], at+uint64(k), b[k:]
		}
	}
	return nil
}

// mapInto gives a space the memory of the snapshot. It returns false if the system has no such
// files: the caller copies then.
func (sn *Snapshot) mapInto(s *Space) (bool, error) {
	if s.mem == nil {
		return false, errReleased
	}
	if sn.image.open(sn) != nil {
		return false, nil
	}
	s.leaveBase()
	if b := sn.forks; b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.spaces[weak.Make(s)] = struct{}{}
	}
	return true, sn.mapUpTo(s, sn.image.end)
}

// mapUpTo maps the image up to a guest address. The lock of a base is held.
func (sn *Snapshot) mapUpTo(s *Space, end uint64) error {
	im := &sn.image
	defer runtime.KeepAlive(sn)
	if err := mapFixed(s.all[:below+end], im.fd, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return mappingError("mapping a snapshot", err)
	}
	for _, z := range im.zeros {
		if err := mapFixed(s.guest(z), -1, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return mappingError("memory for zeros", err)
		}
	}
	// The guest has no memory at its lowest addresses. On a system that can protect them by page
	// tables alone, they need no mapping of their own.
	null := s.guest(span{0, ir.DataBase})
	if unix.Madvise(null, madvGuardInstall) != nil {
		if err := unix.Mprotect(null, unix.PROT_NONE); err != nil {
			return mappingError("closing the lowest addresses", err)
		}
	}
	if err := s.closeBehind(end); err != nil {
		return err
	}
	s.image, s.imageEnd, s.was, s.tablesMoved, s.watch, s.resets = sn, end, nil, false, unwatched, 0
	s.committed = append(s.committed[:0], span{ir.DataBase, end})
	return nil
}

const madvGuardInstall = 102 // since Linux 6.13, for files 6.15

// closeBehind makes the memory from an address on inaccessible, even if its pages are protected.
func (s *Space) closeBehind(end uint64) error {
	n := len(s.committed)
	if n == 0 || s.committed[n-1].hi <= end {
		return nil
	}
	if err := mapFixed(s.guest(span{end, s.committed[n-1].hi}), -1, unix.PROT_NONE); err != nil {
		return mappingError("giving memory back", err)
	}
	return nil
}

// mapFixed replaces what is at b by a private mapping: of a file from offset 0 on, or of zeros (fd
// is -1).
func mapFixed(b []byte, fd, prot int) error {
	flags := unix.MAP_PRIVATE | unix.MAP_FIXED | unix.MAP_NORESERVE
	if fd < 0 {
		flags |= unix.MAP_ANON
	}
	_, err := unix.MmapPtr(fd, 0, unsafe.Pointer(&b[0]), uintptr(len(b)), prot, flags)
	return err
}

// page returns a page of the image by its offset in the reservation; nil: zeros.
func (sn *Snapshot) page(at uint64) []byte {
	im := &sn.image
	if at+PageSize > uint64(len(im.view)) {
		return nil
	}
	for _, z := range im.zeros {
		if at >= below+z.lo && at < below+z.hi {
			return nil
		}
	}
	return im.view[at : at+PageSize]
}

// moveTables makes the side tables a mapping of their own, outside the image. It keeps the contents
// of the parts in keep.
func (s *Space) moveTables(keep [3]span) error {
	var kept [len(keep)][]byte
	for i, r := range keep {
		kept[i] = bytes.Clone(s.all[r.lo:r.hi])
	}
	if err := mapFixed(s.all[:sideSize], -1, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return mappingError("committing side tables", err)
	}
	for i, r := range keep {
		for at, b := r.lo, kept[i]; len(b) > 0; {
			n := min(len(b), int(s.page))
			if !allZero(b[:n]) {
				copy(s.all[at:], b[:n])
			}
			at, b = at+uint64(n), b[n:]
		}
	}
	s.tablesMoved = true
	if s.followed != nil {
		return s.followed.follow()
	}
	return nil
}
