package memory

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A snapshotFile is the memory of a snapshot as a file without a name, which
// spaces map. It is made for the first of them and closed when nobody holds
// the snapshot any more; mappings outlive it.
type snapshotFile struct {
	once sync.Once
	fd   int
	err  error
}

// open writes the file. It is sealed: nobody can change it afterwards.
func (f *snapshotFile) open(sn *Snapshot) (int, error) {
	f.once.Do(func() {
		f.fd, f.err = unix.MemfdCreate("gyr snapshot", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if f.err != nil {
			return
		}
		off := int64(0)
		var buf []byte
		for i := range sn.segments {
			g := &sn.segments[i]
			for at := uint64(0); at < g.size && f.err == nil; at += granule {
				n := min(granule, g.size-at)
				b := g.bytes
				if b != nil {
					b = b[at : at+n]
				} else {
					if buf == nil {
						buf = make([]byte, granule)
					}
					b = buf[:n]
					f.err = sn.read(g, b, at)
				}
				for len(b) > 0 && f.err == nil {
					var n int
					if n, f.err = unix.Pwrite(f.fd, b, off); f.err == nil {
						b, off = b[n:], off+int64(n)
					}
				}
			}
			off = (off + granule - 1) &^ (granule - 1)
		}
		if f.err == nil {
			f.err = unix.Ftruncate(f.fd, off)
		}
		if f.err == nil {
			_, f.err = unix.FcntlInt(uintptr(f.fd), unix.F_ADD_SEALS,
				unix.F_SEAL_SEAL|unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_WRITE)
		}
		if f.err != nil {
			unix.Close(f.fd)
			return
		}
		runtime.AddCleanup(sn, func(fd int) { unix.Close(fd) }, f.fd)
	})
	return f.fd, f.err
}

// mapInto maps the segments over committed memory, copy on write. It reports
// false when the system has no such files: the segments are copied then.
func (sn *Snapshot) mapInto(s *Space) (bool, error) {
	fd, err := sn.file.open(sn)
	if err != nil {
		return false, nil
	}
	defer runtime.KeepAlive(sn)
	off := int64(0)
	for _, g := range sn.segments {
		n := (g.size + s.page - 1) &^ (s.page - 1)
		_, err := unix.MmapPtr(fd, off, unsafe.Add(s.Base, g.addr), uintptr(n), unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
		if err != nil {
			return false, fmt.Errorf("memory: mapping a snapshot: %w", err)
		}
		s.mapped = append(s.mapped, span{g.addr, g.addr + n})
		off += int64((g.size + granule - 1) &^ (granule - 1))
	}
	return true, nil
}

// unmapFile puts zeros in the place of what a snapshot has mapped.
func (s *Space) unmapFile() error {
	for len(s.mapped) > 0 {
		m := s.mapped[len(s.mapped)-1]
		_, err := unix.MmapPtr(-1, 0, unsafe.Add(s.Base, m.lo), uintptr(m.hi-m.lo), unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED|unix.MAP_NORESERVE)
		if err != nil {
			return fmt.Errorf("memory: unmapping a snapshot: %w", err)
		}
		s.mapped = s.mapped[:len(s.mapped)-1]
	}
	return nil
}
