package wasi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
)

// A guest calls the system as GOROOT's package syscall does, from a small
// memory.

type flatMemory []byte

const memStart, memEnd = 1 << 16, 1<<16 + 1<<20

func (flatMemory) Overlaps(uint64, uint64) bool { return false }

func (m flatMemory) Bytes(off, n uint64) ([]byte, bool) {
	if n == 0 {
		return nil, true
	}
	if off < memStart || off > memEnd || n > memEnd-off {
		return nil, false
	}
	return m[off-memStart:][:n], true
}

type fakeHost struct {
	now         int64
	real        bool
	hints       []string
	exit        int
	charged     int64
	limit       int64
	idle        bool // refuse to idle
	interrupted bool // refuse calls that may block
	failed      error
	seed        byte
	spent       int64
}

const fakeEpoch = 1_767_225_600_000_000_000

func (h *fakeHost) Monotonic() int64  { return h.now }
func (h *fakeHost) Realtime() uint64  { return fakeEpoch + uint64(h.now) }
func (h *fakeHost) VirtualTime() bool { return !h.real }
func (h *fakeHost) Idle(until int64) bool {
	if h.idle {
		return false
	}
	h.now = max(h.now, until)
	return true
}
func (h *fakeHost) Random(p []byte) {
	for i := range p {
		h.seed++
		p[i] = h.seed
	}
}
func (h *fakeHost) Charge(n int64) bool {
	if h.limit != 0 && h.charged+n > h.limit {
		return false
	}
	h.charged += n
	return true
}
func (h *fakeHost) Spend(n int64) { h.spent += n }
func (h *fakeHost) Poll() bool    { return !h.interrupted }
func (h *fakeHost) Unlocked()     {}
func (h *fakeHost) Block(call Blocking) bool {
	if h.interrupted {
		return false
	}
	call.Do()
	return true
}
func (h *fakeHost) Fail(op string, err error) { h.failed = fmt.Errorf("%s: %w", op, err) }
func (h *fakeHost) Hint(x Hint)               { h.hints = append(h.hints, x.ForCommand()) }
func (h *fakeHost) Exit(code int)             { h.exit = code }

type guest struct {
	t    testing.TB
	sys  *System
	host *fakeHost
	mem  flatMemory
	at   uint64 // next free byte
}

func newGuest(t testing.TB, c api.Config, setup ...Setup) *guest {
	t.Helper()
	g := &guest{t: t, host: &fakeHost{now: 1}, mem: make(flatMemory, memEnd-memStart), at: memStart + 4096}
	sys, err := New(g.mem, g.host, c, append(setup, Setup{})[0])
	if err != nil {
		t.Fatal(err)
	}
	g.sys = sys
	t.Cleanup(sys.Close)
	return g
}

// dirGuest grants a temporary directory under / and returns its path.
func dirGuest(t testing.TB, ro bool) (*guest, string) {
	t.Helper()
	dir := t.TempDir()
	return newGuest(t, api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/", ReadOnly: ro}}}), dir
}

// funcOf returns a function of WASI or of FileFuncs.
func funcOf(name string) Func {
	if f := Funcs[name]; f != nil {
		return f
	}
	return FileFuncs[name]
}

func (g *guest) call(name string, args ...uint64) Errno {
	var a ir.Args
	copy(a[:], args)
	return funcOf(name)(g.sys, &a)
}

// alloc returns n zero bytes of guest memory. It wraps around.
func (g *guest) alloc(n int) uint64 {
	if g.at+uint64(n)+8 > memEnd {
		g.at = memStart + 4096
	}
	p := g.at
	g.at += uint64(n+7) &^ 7
	b, ok := g.mem.Bytes(p, uint64(n))
	if !ok {
		g.t.Fatalf("no room for %d bytes", n)
	}
	clear(b)
	return p
}

func (g *guest) put(s string) (p, n uint64) {
	p = g.alloc(len(s))
	b, _ := g.mem.Bytes(p, uint64(len(s)))
	copy(b, s)
	return p, uint64(len(s))
}

func (g *guest) bytes(p, n uint64) []byte {
	b, ok := g.mem.Bytes(p, n)
	if !ok {
		g.t.Fatalf("bad address %#x", p)
	}
	return b
}

func (g *guest) u32(p uint64) uint32 { return le.Uint32(g.bytes(p, 4)) }
func (g *guest) u64(p uint64) uint64 { return le.Uint64(g.bytes(p, 8)) }

// iovec makes a list of pieces: pointer, length, pointer, length.
func (g *guest) iovec(pieces ...uint64) (p, n uint64) {
	p = g.alloc(4 * len(pieces))
	for i, v := range pieces {
		le.PutUint32(g.bytes(p+uint64(4*i), 4), uint32(v))
	}
	return p, uint64(len(pieces) / 2)
}

func (g *guest) write(fd int32, s string) (int, Errno) {
	v, n := g.iovec(g.put(s))
	r := g.alloc(4)
	e := g.call("fd_write", uint64(fd), v, n, r)
	return int(g.u32(r)), e
}

func (g *guest) read(fd int32, n int) (string, Errno) {
	p := g.alloc(n)
	v, c := g.iovec(p, uint64(n))
	r := g.alloc(4)
	e := g.call("fd_read", uint64(fd), v, c, r)
	return string(g.bytes(p, uint64(g.u32(r)))), e
}

// Modes of open, as in package syscall.
const (
	oRdonly = 0
	oWronly = 1
	oRdwr   = 2
	oCreate = 0100
	oExcl   = 0200
	oNofol  = 0400
	oTrunc  = 01000
	oAppend = 02000
	oDir    = 020000
)

// openat is syscall.openat.
func (g *guest) openat(dir int32, path string, mode int) (int32, Errno) {
	const (
		goFile  = 1<<28 - 1
		goRead  = rightFdRead | rightFdReaddir
		goWrite = rightFdDatasync | rightFdWrite | rightFdAllocate | rightPathFilestatSetSize
	)
	var oflags, fdflags, lookup uint64
	for _, m := range []struct {
		mode int
		flag uint64
	}{{oCreate, oflagCreate}, {oExcl, oflagExcl}, {oTrunc, oflagTrunc}, {oDir, oflagDirectory}} {
		if mode&m.mode != 0 {
			oflags |= m.flag
		}
	}
	rights := uint64(goFile)
	switch mode & 3 {
	case oRdonly:
		rights &^= goWrite
	case oWronly:
		rights &^= goRead
	}
	if mode&oAppend != 0 {
		fdflags |= flagAppend
	}
	if mode&oNofol == 0 {
		lookup = lookupFollow
	}
	p, n := g.put(path)
	r := g.alloc(4)
	le.PutUint32(g.bytes(r, 4), ^uint32(0))
	e := g.call("path_open", uint64(dir), lookup, p, n, oflags, rights, goFile, fdflags, r)
	return int32(g.u32(r)), e
}

// root is the descriptor of the first granted directory.
const root = 3

func (g *guest) open(path string, mode int) int32 {
	g.t.Helper()
	fd, e := g.openat(root, path, mode)
	if e != Success {
		g.t.Fatalf("open %s: errno %d", path, e)
	}
	return fd
}

// on calls a function that takes a descriptor and a path.
func (g *guest) on(name string, dir int32, path string) Errno {
	p, n := g.put(path)
	return g.call(name, uint64(dir), p, n)
}

func (g *guest) stat(dir int32, path string, follow bool) (filestatValues, Errno) {
	p, n := g.put(path)
	b := g.alloc(filestatSize)
	flags := uint64(0)
	if follow {
		flags = lookupFollow
	}
	e := g.call("path_filestat_get", uint64(dir), flags, p, n, b)
	return g.filestatAt(b), e
}

func (g *guest) fstat(fd int32) (filestatValues, Errno) {
	b := g.alloc(filestatSize)
	e := g.call("fd_filestat_get", uint64(fd), b)
	return g.filestatAt(b), e
}

type filestatValues struct {
	dev, ino     uint64
	typ          uint8
	nlink, size  uint64
	atim, mtim   uint64
	ctim, unused uint64
}

func (g *guest) filestatAt(b uint64) filestatValues {
	return filestatValues{
		dev: g.u64(b), ino: g.u64(b + 8), typ: g.bytes(b+16, 1)[0],
		nlink: g.u64(b + 24), size: g.u64(b + 32), atim: g.u64(b + 40), mtim: g.u64(b + 48), ctim: g.u64(b + 56),
	}
}

// names lists a directory in portions of a size.
func (g *guest) names(fd int32, portion int) (names []string) {
	g.t.Helper()
	buf, r := g.alloc(portion), g.alloc(4)
	cookie := uint64(0)
	for range 10000 {
		if e := g.call("fd_readdir", uint64(fd), buf, uint64(portion), cookie, r); e != Success {
			g.t.Fatalf("readdir: errno %d", e)
		}
		b := g.bytes(buf, uint64(g.u32(r)))
		if len(b) == 0 {
			return names
		}
		full := len(b) == portion
		progress := false
		for len(b) >= direntSize {
			n := int(le.Uint32(b[16:]))
			if len(b) < direntSize+n {
				break
			}
			if le.Uint64(b[8:]) == 0 {
				g.t.Error("an entry without inode number")
			}
			names = append(names, string(b[direntSize:][:n]))
			cookie = le.Uint64(b)
			b = b[direntSize+n:]
			progress = true
		}
		if !full {
			return names
		}
		if !progress {
			g.t.Fatal("no entry fits")
		}
	}
	g.t.Fatal("readdir does not end")
	return nil
}

func (g *guest) wantErrno(what string, got, want Errno) {
	g.t.Helper()
	if got != want {
		g.t.Errorf("%s: errno %d, want %d", what, got, want)
	}
}

func (g *guest) wantHint(part string) {
	g.t.Helper()
	for _, h := range g.host.hints {
		if strings.Contains(h, part) {
			return
		}
	}
	g.t.Errorf("no hint says %q: %q", part, g.host.hints)
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
