package memory

import (
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// isThere reports whether an address is mapped.
func isThere(t *testing.T, at uintptr) bool {
	t.Helper()
	var vec [1]byte
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, at&^0xfff, 1, uintptr(unsafe.Pointer(&vec[0])))
	if errno != 0 && errno != unix.ENOMEM {
		t.Fatal(errno)
	}
	return errno == 0
}

// TestMemoryThatNobodyGivesBack: unreachable memory is unmapped, and nothing else.
func TestMemoryThatNobodyGivesBack(t *testing.T) {
	address := func(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }
	var gone []uintptr
	var kept []*Pages
	drop := func(b []byte) { gone = append(gone, address(b)) }
	// These come first, so that none of them takes the place of what has gone.
	for range 10 {
		q := MapPages(1 << 20)
		q.Grow(2 << 20)
		q.GrowDown(4 * moveFrom)
		q.Bytes[0], q.Bytes[len(q.Bytes)-1] = 1, 2
		kept = append(kept, &q)
	}
	func() {
		for range 10 {
			s, err := Reserve()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Commit(1<<20, 1<<20); err != nil {
				t.Fatal(err)
			}
			drop(s.all)
			p := MapPages(3 << 20) // too large for the race detector to fill the freed memory
			drop(p.Bytes)
			p = MapPages(1)
			p.Grow(10 << 20)
			drop(p.Bytes)
			p = MapPages(moveFrom)
			p.GrowDown(4 * moveFrom)
			drop(p.Bytes)
			var v Vec[uint64]
			v.Grow(1 << 20)
			drop(v.pages.Bytes)
		}
	}()
	// Go's runtime may have mapped something of its own there.
	const reused = 2
	for n := 0; ; n++ {
		gone = slices.DeleteFunc(gone, func(at uintptr) bool { return !isThere(t, at) })
		if len(gone) <= reused {
			break
		}
		if n > 500 {
			t.Fatalf("memory at %#x stays", gone)
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	for _, q := range kept {
		if q.Bytes[0] != 1 || q.Bytes[len(q.Bytes)-1] != 2 {
			t.Error("memory in use has changed")
		}
		q.Free()
	}
}
