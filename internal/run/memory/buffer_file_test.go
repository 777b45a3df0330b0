//go:build linux || darwin || dragonfly || freebsd || netbsd

package memory

import "testing"

// TestBufferAsFile: a file without a name does the same as memory that is mapped twice.
func TestBufferAsFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := newTestHeap(t, 64<<20)
	lo, hi := uint64(buffersEnd-3*BufferUnit), uint64(buffersEnd-BufferUnit)
	view, err := h.space.lendFile(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	defer unmapView(view)
	view[0], view[len(view)-1] = 5, 6
	guest := h.mem(uint32(lo), hi-lo)
	if guest[0] != 5 || guest[len(guest)-1] != 6 || !faults(h, lo) || !faults(h, hi-1) {
		t.Error("it is no buffer")
	}
	if err := clearView(view); err != nil || view[0] != 0 || guest[0] != 5 {
		t.Error(err, view[0], guest[0])
	}
	if err := h.space.unlend(lo, hi); err != nil {
		t.Error(err)
	}
	t.Setenv("TMPDIR", "/nonexistent")
	if _, err := h.space.lendFile(lo, hi); err == nil {
		t.Error("no error")
	}
}
