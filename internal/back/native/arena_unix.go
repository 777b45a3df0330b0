//go:build unix

package native

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// An Arena is address space for code, after a table that code reads. It is safe for concurrent use.
type Arena struct {
	mu     sync.Mutex
	mem    []byte
	lo     uintptr // where the address space begins
	size   uintptr // its bytes
	data   int     // bytes of the table, whole pages
	used   int     // whole pages
	opened int     // bytes that are writable, or were and are code now
	page   int
	code   *codeRange // for the handler of faults

	// Trap fills the gaps between pieces of code, in case execution gets there.
	Trap byte
}

// cacheLine is the size of a line of the processor's caches. Code is aligned to it.
const cacheLine = 64

// freed is the address of the arena that was closed last, which the next one asks for: see
// memory.Reserve.
var freed atomic.Uintptr

// ErrArenaFull says that an arena's address space is used up.
var ErrArenaFull = errors.New("native: the arena for code is full")

// NewArena reserves size bytes after a writable table of data bytes. It makes sure that code can be
// made executable here, and fails if that is denied.
func NewArena(data, size int) (*Arena, error) {
	page := memory.HostPage
	round := func(n int) int { return (n + page - 1) &^ (page - 1) }
	data = round(data)
	size = data + round(size)
	p, err := unix.MmapPtr(-1, 0, pointer(freed.Swap(0)), uintptr(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("native: reserving %d KiB for code: %w", size>>10, err)
	}
	mem := unsafe.Slice((*byte)(p), size)
	a := &Arena{mem: mem, data: data, used: data, opened: data, page: page}
	probe := mem[size-page:]
	for _, prot := range []int{unix.PROT_READ | unix.PROT_WRITE, unix.PROT_READ | unix.PROT_EXEC, unix.PROT_NONE} {
		if err := unix.Mprotect(probe, prot); err != nil {
			a.Close()
			return nil, fmt.Errorf("native: memory for code is denied: %w", err)
		}
	}
	if data > 0 {
		if err := unix.Mprotect(mem[:data], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			a.Close()
			return nil, fmt.Errorf("native: memory for a table: %w", err)
		}
	}
	a.lo, a.size = uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem))
	a.code = watchCode(a.lo, a.lo+a.size)
	return a, nil
}

// Data returns the table.
func (a *Arena) Data() []byte { return a.mem[:a.data:a.data] }

// Contains reports whether an address lies in the arena.
func (a *Arena) Contains(at uintptr) bool { return at-a.lo < a.size }

// Publish copies pieces of code to fresh pages, makes these executable and returns the addresses.
// fix, if not nil, sees each piece beforehand, with its future address.
func (a *Arena) Publish(list [][]byte, fix func(i int, code []byte, at uintptr)) ([]uintptr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	size := 0
	for _, code := range list {
		size = alignLine(size) + len(code)
	}
	n := (size + a.page - 1) &^ (a.page - 1)
	if a.mem == nil || n > len(a.mem)-a.used {
		return nil, ErrArenaFull
	}
	mem := a.mem[a.used : a.used+n]
	if err := a.open(n); err != nil {
		return nil, err
	}
	// If all code began at page boundaries, it would compete for the same sets of the
	// processor's caches: it begins somewhere in its first page, at a cache line.
	off := 0
	if room := (n - size) / cacheLine; room > 0 {
		off = a.used / a.page * 11 % (room + 1) * cacheLine
	}
	for i := range mem {
		mem[i] = a.Trap
	}
	at := make([]uintptr, len(list))
	for i, code := range list {
		off = alignLine(off)
		to := mem[off : off+copy(mem[off:], code)]
		off += len(code)
		at[i] = uintptr(unsafe.Pointer(unsafe.SliceData(to)))
		if fix != nil {
			fix(i, to, at[i])
		}
	}
	if err := makeExecutable(mem); err != nil {
		return nil, err
	}
	a.used += n
	return at, nil
}

// protectCode makes pages executable, which were writable.
func protectCode(code []byte) error {
	if err := unix.Mprotect(code, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		return fmt.Errorf("native: memory for code is denied: %w", err)
	}
	return nil
}

func alignLine(n int) int { return (n + cacheLine - 1) &^ (cacheLine - 1) }

// openStep is how many bytes are made writable at once, ahead of need.
const openStep = 256 << 10

// open makes the next n bytes writable.
func (a *Arena) open(n int) error {
	if a.used+n <= a.opened {
		return nil
	}
	from := max(a.used, a.opened)
	to := min(max(a.used+n, from+openStep), len(a.mem))
	if err := unix.Mprotect(a.mem[from:to], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return fmt.Errorf("native: memory for code: %w", err)
	}
	a.opened = to
	return nil
}

// Used returns how many bytes of code were published, in whole pages.
func (a *Arena) Used() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used - a.data
}

// Close gives the memory back. No code of the arena may be running.
func (a *Arena) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.mem == nil {
		return nil
	}
	mem := a.mem
	a.mem = nil
	a.code.unwatch()
	if err := unix.MunmapPtr(unsafe.Pointer(&mem[0]), uintptr(len(mem))); err != nil {
		return err
	}
	freed.Store(a.lo)
	return nil
}
