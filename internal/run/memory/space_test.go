package memory

import (
	"testing"
	"unsafe"
)

func newTestSpace(t *testing.T) *Space {
	t.Helper()
	s, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Release() })
	return s
}

func TestBytesIsChecked(t *testing.T) {
	s := newTestSpace(t)
	page := s.page
	lo, n := uint64(1<<20), 4*page
	if err := s.Commit(lo, n); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		off, n uint64
		ok     bool
	}{
		{lo, n, true},
		{lo, 1, true},
		{lo + n - 1, 1, true},
		{lo + n, 0, true},
		{0, 0, true},
		{lo + n, 1, false},
		{lo - 1, 1, false},
		{lo - 1, 2, false},
		{lo, n + 1, false},
		{lo + 1, n, false},
		{0, 1, false},
		{0, lo + n, false},
		{lo, 1<<64 - 1, false},
		{1<<64 - 1, 1, false},
		{-page, page, false},
		{1 << 32, 1, false},
		{1<<32 - 1, 2, false},
		{1 << 63, 1 << 63, false},
		{lo, -lo + 1, false},
	} {
		b, ok := s.Bytes(c.off, c.n)
		if ok != c.ok || ok && uint64(len(b)) != c.n {
			t.Errorf("Bytes(%#x, %#x) = %d bytes, %v", c.off, c.n, len(b), ok)
		}
	}
}

func TestCommitJoinsRanges(t *testing.T) {
	s := newTestSpace(t)
	p := s.page
	at := func(i uint64) uint64 { return 1<<20 + i*p }
	for _, i := range []uint64{5, 1, 3, 9, 2} { // 1-2-3, 5, 9
		if err := s.Commit(at(i), p); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.committed) != 3 {
		t.Errorf("ranges: %v", s.committed)
	}
	if _, ok := s.Bytes(at(1)+1, 3*p-2); !ok {
		t.Error("neighbours are not one range")
	}
	if _, ok := s.Bytes(at(3), 3*p); ok {
		t.Error("a hole passes as committed")
	}
	if err := s.Commit(at(0)+1, 10*p); err != nil { // rounded out to 0..10
		t.Fatal(err)
	}
	if len(s.committed) != 1 || s.committed[0] != (span{at(0), at(11)}) {
		t.Errorf("ranges: %v", s.committed)
	}
	if s.Commit(1<<32, 1) == nil || s.Commit(1<<32-1, 2) == nil || s.Commit(1, 1<<64-1) == nil {
		t.Error("committed outside the 4 GiB")
	}
	if err := s.Commit(1<<32-p, p); err != nil {
		t.Errorf("last page: %v", err)
	}
}

func TestContextLiesBelowBase(t *testing.T) {
	s := newTestSpace(t)
	c := s.Context()
	c[len(c)-1] = 7
	if *(*byte)(unsafe.Add(s.Base, -1)) != 7 || len(c) != ContextSize {
		t.Error("the context page does not end at Base")
	}
}

func TestZero(t *testing.T) {
	s := newTestSpace(t)
	const lo, n = 1 << 20, 1 << 20
	if err := s.Commit(lo, n); err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]uint64{{100, 5000}, {77, n - 1000}, {0, n}} {
		all, _ := s.Bytes(lo, n)
		fill(all, 1)
		if err := s.Zero(lo+r[0], r[1]); err != nil {
			t.Fatal(err)
		}
		for i, c := range all {
			if inside := uint64(i) >= r[0] && uint64(i) < r[0]+r[1]; (c == 0) != inside {
				t.Fatalf("Zero(%v): byte %d is %d", r, i, c)
			}
		}
	}
	if s.Zero(lo, n+1<<20) == nil {
		t.Error("zeroed uncommitted memory")
	}
}

func TestReleaseTwice(t *testing.T) {
	s := newTestSpace(t)
	if err := s.Release(); err != nil {
		t.Fatal(err)
	}
	if err := s.Release(); err != nil {
		t.Error(err)
	}
	if s.Commit(0, 1) == nil {
		t.Error("committed in a released space")
	}
}
