package memory

import (
	"bytes"
	"cmp"
	"maps"
	"runtime"
	"slices"
	"weak"

	"golang.org/x/sys/unix"
)

// The file of a base changes: sync makes its pages those of the latest fork. A space that maps it
// has pages of its own from then on in the place of those that change. The kernel makes them
// (MADV_POPULATE_WRITE), as if the guest had written to them, so it does not matter whether the
// guest is running at the time.

// sync makes the base what the checkpoint has, after which no page differs. It takes time for the
// pages that differ, and for those that spaces must keep. It reports false where a new base costs
// less, or the system refuses; the base has pages of both times then, and those that differ from
// the checkpoint still have their copies.
func (cp *Checkpoint) sync(end uint64) bool {
	sn := cp.rebased
	im := &sn.image
	b := sn.forks
	b.mu.Lock()
	defer b.mu.Unlock()
	defer runtime.KeepAlive(sn)
	numbers := slices.Sorted(maps.Keys(cp.slots))
	for len(numbers) > 0 && uint64(numbers[len(numbers)-1])*PageSize >= below+end {
		numbers = numbers[:len(numbers)-1]
	}
	if !sn.keep(numbers) {
		return false
	}
	if end > im.end {
		if unix.Ftruncate(im.fd, int64(below+end)) != nil {
			return false
		}
		im.end, im.view = end, im.room[:below+end]
		cp.baseEnd = end
	}
	for run := range runs(numbers) {
		pages := make([][]byte, len(run))
		for i, n := range run {
			slot := int(cp.slots[n])
			pages[i] = cp.copies.Bytes[slot*PageSize : (slot+1)*PageSize]
		}
		for part := range slices.Chunk(pages, mostParts) {
			at := int64(run[0]) * PageSize
			if n, err := unix.Pwritev(im.fd, part, at); err != nil || n != len(part)*PageSize {
				return false
			}
			run = run[len(part):]
		}
	}
	clear(cp.slots)
	if cp.used > keptCopies {
		cp.copies.Free()
	}
	cp.forked, cp.used = 0, 0
	return true
}

const (
	// mostParts is how many pieces one call of the system takes.
	mostParts = 1024
	// keptCopies is for how many pages the memory of copies is kept.
	keptCopies = 1024
)

// runs returns the parts of a sorted list that follow each other without a gap.
func runs(numbers []uint32) func(yield func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		for len(numbers) > 0 {
			n := 1
			for n < len(numbers) && numbers[n] == numbers[n-1]+1 {
				n++
			}
			if !yield(numbers[:n]) {
				return
			}
			numbers = numbers[n:]
		}
	}
}

// keep makes the spaces that map a base keep pages as they are. It reports false, and may have done
// a part, where they are too many or the system refuses.
func (sn *Snapshot) keep(numbers []uint32) bool {
	type space struct {
		*Space
		numbers []uint32
	}
	var list []space
	total := 0
	for w := range sn.forks.spaces {
		s := w.Value()
		if s == nil {
			delete(sn.forks.spaces, w)
			continue
		}
		var lacks []uint32
		for _, n := range numbers {
			if _, ok := s.was[n]; !ok && uint64(n)*PageSize < below+s.imageEnd {
				lacks = append(lacks, n)
			}
		}
		if len(lacks) > 0 {
			list = append(list, space{s, lacks})
			total += len(lacks)
		}
	}
	// Without sync, n pages more are copied at each fork from now on, until they have been as many as
	// a base has: sqrt(2*n*all) a fork, with the new base.
	if n, all := len(numbers), len(sn.image.view)/PageSize; total > 4*n && total*total > 2*n*all {
		return false
	}
	old := map[uint32][]byte{}
	for _, s := range list {
		for run := range runs(s.numbers) {
			lo, hi := uint64(run[0])*PageSize, uint64(run[len(run)-1]+1)*PageSize
			if unix.Madvise(s.all[lo:hi], madvPopulateWrite) != nil {
				return false
			}
		}
	}
	for _, s := range list {
		if s.was == nil {
			s.was = map[uint32][]byte{}
		}
		for _, n := range s.numbers {
			b, ok := old[n]
			if !ok {
				if b = sn.page(uint64(n) * PageSize); b != nil {
					b = bytes.Clone(b)
				}
				old[n] = b
			}
			s.was[n] = b
		}
	}
	return true
}

const madvPopulateWrite = 23 // since Linux 5.14

// mapAgain gives a space what another one, from, has of the image: the pages that the base has no
// more are copied.
func (sn *Snapshot) mapAgain(s, from *Space) (mapped bool, copied int, err error) {
	if s.mem == nil {
		return false, 0, errReleased
	}
	if b := sn.forks; b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.spaces[weak.Make(s)] = struct{}{}
	}
	if err := sn.mapUpTo(s, from.imageEnd); err != nil {
		return false, 0, err
	}
	s.was = maps.Clone(from.was)
	for n, b := range s.was {
		if at := uint64(n) * PageSize; b != nil {
			copy(s.all[at:at+PageSize], b)
		} else {
			clear(s.all[at : at+PageSize])
		}
	}
	return true, len(s.was), nil
}

// setBase makes the memory of a heap an image that forks may share, of what set writes, which are
// pages from fresh on, an offset of the reservation, and of the present memory before that. The
// stacks are gone then. It reports false where the system has no images.
func (h *Heap) setBase(fresh uint64, set func(put func(at uint64, b []byte) error) error) (done bool, err error) {
	end := uint64(max(h.ready, h.lo))
	sn := newBase(end)
	s := h.space
	began := false
	failed := sn.image.openFrom(sn, func(write func(at uint64, b []byte) error) error {
		began = true
		w := runWriter{write: write}
		if err = set(w.put); err != nil {
			return err
		}
		h.eachPage(end, func(at uint64) {
			if at < fresh && err == nil {
				err = w.put(at, s.all[at:at+PageSize])
			}
		})
		return cmp.Or(err, w.flush())
	})
	if !began || failed != nil {
		return began, failed
	}
	context, counters := bytes.Clone(s.Context()), bytes.Clone(s.all[sideSize:sideSize+s.counted])
	s.committed = s.committed[:0]
	if _, err := sn.mapInto(s); err != nil {
		return true, err
	}
	copy(s.Context(), context)
	copy(s.all[sideSize:], counters)
	return true, nil
}

// A runWriter collects pages that follow each other.
type runWriter struct {
	write func(at uint64, b []byte) error
	run   []byte
	at    uint64
}

func (w *runWriter) put(at uint64, b []byte) error {
	if n := len(w.run); n == 0 || n >= writtenRun || at != w.at+uint64(n) {
		if err := w.flush(); err != nil {
			return err
		}
		w.at = at
	}
	w.run = append(w.run, b...)
	return nil
}

// writtenRun is how many bytes a runWriter writes at once: what caches hold.
const writtenRun = 256 << 10

func (w *runWriter) flush() (err error) {
	if len(w.run) > 0 {
		err = w.write(w.at, w.run)
	}
	w.run = w.run[:0]
	return err
}
