package pebble_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
)

var (
	crashes = flag.Int("crashes", 10, "at how many moments TestCrash has the machine crash")
	full    = flag.Int("full", 10, "after how many writes TestDiskFull has the disk full, one after the other")
	flips   = flag.Int("flips", 60, "how many bits TestFlippedBits flips")
	seed    = flag.Uint64("seed", 1, "of what these tests draw")
)

const dir = "db"

// A moment is what a disk could hold after a crash: what was synced, and any part of the rest.
type moment struct {
	disks      []*vfs.MemFS
	done, next uint64 // versions that were committed, and that were begun, then
}

// TestCrash has a machine crash between any two operations of the file system. Of what was not synced any part is on the disk
// afterwards: files, blocks, half blocks, garbage. The database opens with all that was committed.
func TestCrash(t *testing.T) {
	const commits = 12
	run := func(each func(op int, fs *vfs.MemFS, done, begun uint64)) int {
		disk := vfs.NewCrashableMem()
		var mu sync.Mutex
		var done, begun atomic.Uint64
		ops := 0
		s := open(t, dir, errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if op.Kind.ReadOrWrite() == errorfs.OpIsWrite {
				mu.Lock()
				defer mu.Unlock()
				ops++
				each(ops, disk, done.Load(), begun.Load())
			}
			return nil
		})))
		h := newHistory()
		for range commits {
			begun.Add(1)
			if err := h.step(t, s); err != nil {
				t.Fatal(err)
			}
			done.Add(1)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return ops
	}
	ops := run(func(int, *vfs.MemFS, uint64, uint64) {})
	rng := rand.New(rand.NewPCG(*seed, 2))
	// A few moments a run: each keeps several disks in memory.
	for left := *crashes; left > 0; left -= 10 {
		some := min(left, 10)
		at := map[int]bool{}
		for range some {
			at[1+rng.IntN(ops)] = true
		}
		var moments []moment
		run(func(op int, disk *vfs.MemFS, done, begun uint64) {
			if !at[op] {
				return
			}
			synced := disk.CrashClone(vfs.CrashCloneCfg{})
			moments = append(moments, moment{[]*vfs.MemFS{
				synced,
				disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 1 + rng.IntN(99), RNG: rng}),
				torn(t, rng, synced, disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rng})),
			}, done, begun})
		})
		if len(moments) < some/3 {
			t.Errorf("only %d moments of %d operations", len(moments), ops)
		}
		for _, m := range moments {
			for kind, disk := range m.disks {
				s, err := tryOpen(dir, disk)
				if err != nil {
					t.Fatalf("after version %d, disk %d: %v", m.done, kind, err)
				}
				h := newHistory()
				verify(t, s, h, m.done, m.next)
				// It goes on.
				if err := h.step(t, s); err != nil {
					t.Fatal(err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// torn makes a disk of what was synced and what was written: of each sector in which they differ one or the other, now
// and then half of one, or garbage; files end anywhere between, and some that were not synced are there.
func torn(t *testing.T, rng *rand.Rand, synced, written *vfs.MemFS) *vfs.MemFS {
	const sector = 512
	result := vfs.NewCrashableMem()
	if err := result.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	names, err := written.List(dir)
	if err != nil {
		return result
	}
	for _, name := range names {
		path := result.PathJoin(dir, name)
		old, err := contents(synced, path)
		if err != nil && rng.IntN(2) == 0 {
			continue
		}
		now, err := contents(written, path)
		if err != nil {
			t.Fatal(err)
		}
		size := len(old)
		if len(now) > size {
			size += rng.IntN(len(now) - size + 1)
		}
		made := make([]byte, size)
		copy(made, old)
		for at := 0; at < size; at += sector {
			end := min(at+sector, size)
			switch {
			case at >= len(now) || end <= len(old) && bytes.Equal(old[at:end], now[at:min(end, len(now))]):
			case rng.IntN(10) == 0 && at >= len(old):
				for i := at; i < end; i++ {
					made[i] = byte(rng.Uint32())
				}
			case rng.IntN(10) == 0:
				end = at + rng.IntN(end-at)
				fallthrough
			case rng.IntN(2) == 0:
				copy(made[at:end], now[at:])
			}
		}
		write(t, result, path, made)
	}
	// What was synced and is removed since may still be there.
	if names, err = synced.List(dir); err == nil {
		for _, name := range names {
			path := result.PathJoin(dir, name)
			if _, err := result.Stat(path); err != nil {
				old, err := contents(synced, path)
				if err != nil {
					t.Fatal(err)
				}
				write(t, result, path, old)
			}
		}
	}
	d, err := result.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Sync(); err != nil {
		t.Fatal(err)
	}
	return result
}

func contents(fs vfs.FS, path string) ([]byte, error) {
	f, err := fs.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

func write(t *testing.T, fs vfs.FS, path string, content []byte) {
	t.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestDiskFull has each write in turn be the first for which the disk is full. The error says so, the process lives, and
// the database opens again with all that was committed.
func TestDiskFull(t *testing.T) {
	for at := 1; at <= *full; at++ {
		var left atomic.Int64
		left.Store(1 << 62)
		disk := vfs.NewMem()
		s := open(t, dir, errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
			switch op.Kind {
			case errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo, errorfs.OpFilePreallocate, errorfs.OpReuseForWrite, errorfs.OpRename:
				if left.Add(-1) < 0 {
					return syscall.ENOSPC
				}
			}
			return nil
		})))
		h := newHistory()
		for range 2 {
			if err := h.step(t, s); err != nil {
				t.Fatal(err)
			}
		}
		left.Store(int64(at))
		var err error
		done := h.seq
		for range 40 {
			if err = h.step(t, s); err != nil {
				break
			}
			done = h.seq
		}
		var failed *store.BackendError
		var broken *store.BrokenError
		if !errors.As(err, &failed) || !errors.As(err, &broken) || !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("after %d writes: %v", at, err)
		}
		// It stays so, also for readers.
		if _, err := s.Open("a", 1); !errors.As(err, &broken) {
			t.Fatal(err)
		}
		if _, err := s.Commit(h.change()); !errors.As(err, &broken) {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, disk)
		verify(t, s, h, done, h.seq)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNearlyFull: a commit for which there is no room is refused, and when there is some the same store does it. What
// removes is done.
func TestNearlyFull(t *testing.T) {
	disk := vfs.NewMem()
	s := open(t, dir, disk)
	h := newHistory()
	for range 2 {
		if err := h.step(t, s); err != nil {
			t.Fatal(err)
		}
	}
	h.to(t, 3) // a large one
	for _, avail := range []uint64{0, 60 << 20, 64<<20 + 100} {
		disk.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: avail, TotalBytes: 1 << 40})
		_, err := s.Commit(h.change())
		if !errors.As(err, new(*store.BackendError)) || !errors.Is(err, syscall.ENOSPC) || errors.As(err, new(*store.BrokenError)) {
			t.Fatal(err)
		}
		if seq := latest(t, s); seq != 2 {
			t.Fatal(seq)
		}
		e, err := s.Latest("a")
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Open("a", e.Seq)
		if err != nil {
			t.Fatal(err)
		}
		if err := v.ReadPage(0, make([]byte, state.PageSize)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Prune(store.Entry{Name: "a", Seq: 1}); err != nil {
		t.Fatal(err)
	}
	disk.TestingSetDiskUsage(vfs.DiskUsage{AvailBytes: 1 << 30})
	if _, err := s.Commit(h.change()); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if seq := latest(t, s); seq != 3 {
		t.Fatal(seq)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestFlippedBits flips bits in the files of a database that was closed, and of one whose machine crashed. Opening or
// reading tells, or every byte is right.
func TestFlippedBits(t *testing.T) {
	disk := vfs.NewCrashableMem()
	s := open(t, dir, disk)
	h := newHistory()
	h.small = true
	for range 7 {
		if err := h.step(t, s); err != nil {
			t.Fatal(err)
		}
	}
	crashed := disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(1, 1))})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	t.Run("closed", func(t *testing.T) { flippedBits(t, disk, h) })
	t.Run("crashed", func(t *testing.T) { flippedBits(t, crashed, h) })
}

func flippedBits(t *testing.T, disk vfs.FS, h *history) {
	names, err := disk.List(dir)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(*seed, 3))
	outcomes := map[string]int{}
	for i := range *flips {
		name := names[i%len(names)]
		damaged := vfs.NewMem()
		if err := damaged.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		flipped := false
		for _, n := range names {
			path := disk.PathJoin(dir, n)
			content, err := contents(disk, path)
			if err != nil {
				t.Fatal(err)
			}
			if n == name && len(content) > 0 {
				bit := rng.IntN(8 * len(content))
				content[bit/8] ^= 1 << (bit % 8)
				flipped = true
			}
			write(t, damaged, path, content)
		}
		if flipped {
			outcomes[name+" "+flippedBit(t, damaged, h)]++
		}
	}
	t.Log(outcomes)
}

// flippedBit says what becomes of a database in which there is something wrong.
func flippedBit(t *testing.T, disk vfs.FS, h *history) string {
	s, err := tryOpen(dir, disk)
	if err != nil {
		if !errors.As(err, new(*store.BackendError)) && !errors.As(err, new(*store.CorruptError)) {
			t.Errorf("opening: %T: %v", err, err)
		}
		if !errors.As(err, new(*store.CorruptError)) {
			return "not opened"
		}
		// The records before the damage are there, for readers that want them.
		b, err := pebble.Open(dir, &pebble.Options{FS: disk, AcceptLoss: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.New(b)
		if err != nil {
			t.Fatal(err)
		}
		seq := verify(t, s, h, 0, h.seq)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, disk)
		verify(t, s, h, seq, seq)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return "not opened but with loss"
	}
	defer s.Close()
	entries, err := s.Entries("a")
	if err != nil {
		if !errors.As(err, new(*store.CorruptError)) {
			t.Errorf("Entries: %T: %v", err, err)
		}
		return "not listed"
	}
	outcome := "right"
	if n := len(entries); n != 6 || entries[n-1].Seq != h.seq {
		t.Errorf("versions are lost: %v", entries)
	}
	for _, e := range entries {
		if e.Root != h.roots[e.Seq] {
			t.Errorf("version %d has another root", e.Seq)
		}
		v, err := s.Open("a", e.Seq)
		if err != nil {
			if !errors.As(err, new(*store.CorruptError)) {
				t.Errorf("Open: %T: %v", err, err)
			}
			outcome = "told"
			continue
		}
		err = errors.Join(v.Pages(func(number uint32) bool {
			content := make([]byte, state.PageSize)
			err := v.ReadPage(number, content)
			if err == nil {
				if e.Seq == h.seq && !bytes.Equal(content, h.pages[number]) {
					t.Errorf("page %d is wrong", number)
				}
				return true
			}
			outcome = "told"
			corrupt := new(store.CorruptError)
			if !errors.As(err, &corrupt) || corrupt.Entry != e || corrupt.What == "" {
				t.Errorf("page %d: %T: %v", number, err, err)
			}
			return true
		}), func() error { _, err := v.Sections(); return err }())
		if err != nil {
			outcome = "told"
			if !errors.As(err, new(*store.CorruptError)) {
				t.Errorf("%T: %v", err, err)
			}
		}
	}
	return outcome
}
