package pebble_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
)

var large = flag.Bool("large", false, "measure BenchmarkCosts with 1 GiB, too")

// BenchmarkCosts prints what keeping a state costs: its first commit, commits of 4 pages and their pruning, opening and
// reading. Run it with -benchtime 1x.
func BenchmarkCosts(b *testing.B) {
	sizes := []int{64}
	if *large {
		sizes = append(sizes, 1024)
	}
	for _, mib := range sizes {
		b.Run(fmt.Sprintf("%dMiB", mib), func(b *testing.B) {
			for b.Loop() {
				costs(b, mib)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func costs(b *testing.B, mib int) {
	dir := b.TempDir()
	pages := mib << 20 / state.PageSize
	memory := make([]byte, pages*state.PageSize)
	rng := rand.New(rand.NewPCG(1, 1))
	for i := 0; i < len(memory); i += 8 {
		binary.LittleEndian.PutUint64(memory[i:], rng.Uint64()>>32) // half zeros
	}
	page := func(number uint32) []byte {
		return memory[int(number)*state.PageSize : int(number+1)*state.PageSize]
	}
	measured := func(name string, unit time.Duration, times int, do func()) {
		cpu, start := processorTime(), time.Now()
		do()
		b.ReportMetric(float64(time.Since(start))/float64(unit)/float64(times), name)
		b.ReportMetric(float64(processorTime()-cpu)/float64(unit)/float64(times), name+"-cpu")
	}
	fail := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	var tree state.Tree
	var all []state.Page
	for i := range pages {
		all = append(all, state.Page{Number: uint32(i), Content: page(uint32(i))})
	}
	measured("tree-ms", time.Millisecond, 1, func() { fail(tree.Update(all)) })
	written := &counted{}
	openAgain := func() *store.Store {
		backend, err := pebble.Open(dir, nil)
		fail(err)
		written.Backend = backend
		s, err := store.New(written)
		fail(err)
		return s
	}
	s := openAgain()
	commit := func(seq uint64) {
		_, err := s.Commit(store.Change{Name: "a", Seq: seq, Tree: tree, Sections: []state.Section{{Name: "clock", Content: fmt.Append(nil, seq)}},
			Page: func(number uint32) ([]byte, error) { return page(number), nil }})
		fail(err)
	}
	measured("first-ms", time.Millisecond, 1, func() { commit(1) })
	const commits = 200
	touch := func() {
		var touched []state.Page
		numbers := map[uint32]bool{}
		for len(numbers) < 4 {
			numbers[rng.Uint32N(uint32(pages))] = true
		}
		for number := range numbers {
			binary.LittleEndian.PutUint64(page(number), rng.Uint64())
			touched = append(touched, state.Page{Number: number, Content: page(number)})
		}
		slices.SortFunc(touched, func(a, b state.Page) int { return int(a.Number) - int(b.Number) })
		fail(tree.Update(touched))
	}
	written.bytes = 0
	seq := uint64(1)
	measured("commit4-µs", time.Microsecond, commits, func() {
		for range commits {
			touch()
			seq++
			commit(seq)
		}
	})
	b.ReportMetric(float64(written.bytes)/commits, "commit4-bytes")
	written.bytes = 0
	measured("prune-µs", time.Microsecond, commits/2, func() {
		for i := range uint64(commits / 2) {
			fail(s.Prune(store.Entry{Name: "a", Seq: i + 2}))
		}
	})
	b.ReportMetric(float64(written.bytes)/(commits/2), "prune-bytes")
	measured("close-ms", time.Millisecond, 1, func() { fail(s.Close()) })
	var size int64
	fail(filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error { size += info.Size(); return err }))
	b.ReportMetric(float64(size)/float64(len(memory)), "disk/state")
	var v *store.Version
	measured("reopen-ms", time.Millisecond, 1, func() {
		s = openAgain()
		e, err := s.Latest("a")
		fail(err)
		v, err = s.Open(e.Name, e.Seq)
		fail(err)
		_, err = v.Sections()
		fail(err)
	})
	buffer := make([]byte, state.PageSize)
	read := func(number uint32) { fail(v.ReadPage(number, buffer)) }
	measured("read-1000-random-µs", time.Microsecond, 1000, func() {
		for range 1000 {
			read(rng.Uint32N(uint32(pages)))
		}
	})
	measured("read-all-ms", time.Millisecond, 1, func() {
		for i := range pages {
			read(uint32(i))
		}
	})
	v, err := s.Open("a", seq)
	fail(err)
	w, err := s.Open("a", seq-50)
	fail(err)
	measured("diff-50-µs", time.Microsecond, 1, func() { fail(store.Diff(w, v, func(uint32) bool { return true })) })
	fail(s.Close())
}

// A counted backend counts the written bytes.
type counted struct {
	store.Backend
	bytes int
}

func (c *counted) Write(writes []store.Write, durable bool) error {
	for _, w := range writes {
		c.bytes += len(w.Key) + len(w.Value)
	}
	return c.Backend.Write(writes, durable)
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
