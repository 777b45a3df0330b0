package embedding_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/state"
)

// Figures of the heap, by their positions in its section.
const (
	figTop, figReady, figCur, figEnd             = 0, 1, 4, 5
	figChunks, figUsed, figHost                  = 84, 95, 97
	figMade, figSpecials, figIndex, figSpecialsN = 100, 101, 102, 103
)

// edit changes the variable-length numbers of a section.
func (f *forgery) edit(name string, change func(list []uint64) []uint64) {
	s := f.section(name)
	var list []uint64
	for rest := s.Content; len(rest) > 0; {
		v, n := binary.Uvarint(rest)
		list, rest = append(list, v), rest[n:]
	}
	s.Content = nil
	for _, v := range change(list) {
		s.Content = binary.AppendUvarint(s.Content, v)
	}
}

func set(at int, v uint64) func([]uint64) []uint64 {
	return func(list []uint64) []uint64 { list[at] = v; return list }
}

func add(at int, v uint64) func([]uint64) []uint64 {
	return func(list []uint64) []uint64 { list[at] += v; return list }
}

// TestForgedSections: an error in a state whose root the host trusts is reported by a StateError
// with the section, before any of it is used. A correct state can be restored afterwards.
func TestForgedSections(t *testing.T) {
	ctx := t.Context()
	p := compileWithState(t, roomy)
	in := newInstance(t, p, forgedConfig(gyr.TierInterp))
	for _, op := range []int{0, 7, 2, 13, 5, 12, 18} {
		do(t, in, "Do", op, 8)
	}
	truth := copyOf(t, in)
	root, err := truth.root()
	if err != nil {
		t.Fatal(err)
	}
	firstBlock := func(f *forgery) uint32 { // of the heap: the table begins at a page
		table := make([]byte, 1<<18)
		for n, b := range f.pages {
			if at := int(n-blockTable) * state.PageSize; n >= blockTable && at < len(table) {
				copy(table[at:], b)
			}
		}
		i := uint32(0)
		for ; string(table[i*80:(i+1)*80]) == string(make([]byte, 80)); i++ {
		}
		return i
	}
	for _, c := range []struct {
		name  string
		forge func(f *forgery)
		what  string // the subject of the error
	}{
		{"memory that ends within a block", func(f *forgery) { f.edit("heap", add(figReady, 4096)) }, "heap"},
		{"memory beyond all blocks", func(f *forgery) { f.edit("heap", add(figReady, 256<<20)) }, "heap"},
		{"blocks that end below the data", func(f *forgery) { f.edit("heap", set(figTop, 0)) }, "heap"},
		{"a window that ends before it begins", func(f *forgery) { f.edit("heap", set(figEnd, 65536)) }, "heap"},
		{"a window that goes on behind its end", func(f *forgery) { f.edit("heap", add(figCur, 65536)) }, "heap"},
		{"fewer blocks in use than there are", func(f *forgery) { f.edit("heap", add(figUsed, ^uint64(0))) }, "heap"},
		{"files that do not count", func(f *forgery) { f.edit("heap", set(figHost, 4096)) }, "heap"},
		{"an index without end", func(f *forgery) { f.edit("heap", set(figIndex, 2)) }, "heap"},
		{"an index of 3 places", func(f *forgery) { f.edit("heap", set(figIndex, 3)) }, "heap"},
		{"an index that is too large", func(f *forgery) { f.edit("heap", set(figIndex, 1<<31)) }, "heap"},
		{"more specials than there are", func(f *forgery) { f.edit("heap", set(figSpecialsN, 1<<40)) }, "heap"},
		{"a special twice", func(f *forgery) {
			f.edit("heap", func(list []uint64) []uint64 {
				list[figSpecials]++
				list[figSpecialsN]++
				return append(list, list[figSpecialsN+1:figSpecialsN+4]...)
			})
		}, "heap"},
		{"a special far from all memory", func(f *forgery) { f.edit("heap", set(figSpecialsN+1, 0xfffffff8)) }, "heap"},
		{"a layout of nothing", func(f *forgery) {
			f.edit("heap", func(list []uint64) []uint64 {
				list[figMade] = 1
				return slices.Insert(list, figMade+1, 0)
			})
		}, "heap"},
		{"a number that is longer than it need be", func(f *forgery) {
			s := f.section("heap")
			s.Content = slices.Insert(slices.Clone(s.Content), len(s.Content)-1, s.Content[len(s.Content)-1]|0x80)
			s.Content[len(s.Content)-1] = 0
		}, "heap"},
		{"a use that no block has", func(f *forgery) {
			at := firstBlock(f)*80 + 76
			f.page(blockTable + at/state.PageSize)[at%state.PageSize] = 9
		}, "heap"},
		{"a boolean that is neither", func(f *forgery) {
			at := firstBlock(f)*80 + 78
			f.page(blockTable + at/state.PageSize)[at%state.PageSize] = 2
		}, "heap"},
		{"a record of a block that there is not", func(f *forgery) {
			at := firstBlock(f)*80 - 80
			f.page(blockTable + at/state.PageSize)[at%state.PageSize] = 1
		}, "heap"},
		{"an object without room for a header", func(f *forgery) {
			at := firstBlock(f) * (32 << 10 / 512) * 16
			f.page(startTable + at/state.PageSize)[at%state.PageSize] |= 1
		}, "heap"},
		{"an object that is marked", func(f *forgery) {
			at := firstBlock(f)*(32<<10/512)*16 + 8
			f.page(startTable + at/state.PageSize)[at%state.PageSize] |= 4
		}, "heap"},
		{"random numbers that are too many", func(f *forgery) {
			s := f.section("runtime")
			_, n := binary.Varint(s.Content)
			size, k := binary.Uvarint(s.Content[n:])
			text := "readbuf:\x09" + strings.Repeat("x", 50)
			s.Content = slices.Replace(slices.Clone(s.Content), n, n+k+int(size), append(binary.AppendUvarint(nil, uint64(len(text))), text...)...)
		}, "runtime"},
		{"time before the start", func(f *forgery) {
			s := f.section("runtime")
			_, n := binary.Varint(s.Content)
			s.Content = slices.Replace(slices.Clone(s.Content), 0, n, binary.AppendVarint(nil, -1)...)
		}, "runtime"},
		{"more gas than there is", func(f *forgery) { f.edit("machine", set(2, 1<<63)) }, "machine"},
		{"more stacks than fit", func(f *forgery) { f.edit("machine", set(1, 1<<20)) }, "machine"},
		{"a spare chunk that was entered elsewhere", func(f *forgery) {
			f.edit("machine", func(list []uint64) []uint64 {
				at := len(list) - 4 // spare: address, size, limit precede; then no chunks
				if list[at] == 0 {
					t.Fatal("the stack has no spare chunk")
				}
				list[at+2] = 4096
				return list
			})
		}, "machine"},
		{"a right that the host does not give", func(f *forgery) {
			f.edit("files", func([]uint64) []uint64 { return []uint64{1, 1, 1<<64 - 1, 0, 0} })
		}, "files"},
		{"a page behind all memory", func(f *forgery) { f.pages[startTable-5] = truth.pages[16] }, "tree"},
		{"another page of the tables", func(f *forgery) { f.pages[state.Pages-1] = truth.pages[16] }, "tree"},
		{"a program with other types", func(f *forgery) { f.section("types").Content = []byte("type x") }, "types"},
		{"a section more", func(f *forgery) { f.sections = append(f.sections, state.Section{Name: "z"}) }, "sections"},
		{"a section less", func(f *forgery) { f.sections = slices.Delete(f.sections, 1, 2) }, "sections"},
		{"other limits", func(f *forgery) {
			f.section("limits").Content = []byte("memory 1\x1b[2J" + strings.Repeat("x", 1<<16))
		}, "limits"},
	} {
		f := truth.clone()
		c.forge(f)
		forged, err := f.root()
		if err != nil {
			t.Fatal(err)
		}
		for _, tier := range tiers() {
			if tier == gyr.TierNative && p.NativeError() != nil {
				continue
			}
			again, err := p.Restore(ctx, forgedConfig(tier), forged, f)
			wrong := (*gyr.StateError)(nil)
			if again != nil || !errors.As(err, &wrong) || wrong.What != c.what || len(err.Error()) > 1000 || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("%s, %s: %v, want an error about %s", c.name, tier, err, c.what)
			}
			if again, err = p.Restore(ctx, forgedConfig(tier), root, truth); err != nil {
				t.Fatalf("%s: the true state: %v", tier, err)
			}
			do(t, again, "Do", 6, 1)
			again.Close()
		}
	}
}

// A slowState takes arbitrarily long to read pages and sections. It ends a context at some page.
type slowState struct {
	gyr.Saved
	end   context.CancelFunc
	after int
	ended time.Time
}

func (s *slowState) ReadPage(number uint32, into []byte) error {
	if s.after--; s.after == 0 {
		s.ended = time.Now()
		s.end()
	}
	return s.Saved.ReadPage(number, into)
}

// TestRestoreEnds: Restore of a large state ends soon after its context, with a deadline error,
// wherever it is.
func TestRestoreEnds(t *testing.T) {
	daily.Turn(t, 3, false)
	p := compileWithState(t, `package lib

var all [][]byte

func Fill(n int) {
	for range n {
		b := make([]byte, 1<<20)
		for i := range b {
			b[i] = byte(len(all) + i + i>>12)
		}
		all = append(all, b)
	}
}
`)
	cfg := gyr.Config{Memory: 512 << 20}
	in := newInstance(t, p, cfg)
	do(t, in, "Fill", 200)
	s, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	state.Diff(&state.Tree{}, &s.Tree, func(uint32) bool { pages++; return true })
	for _, after := range []int{1, 100, pages / 2, pages - 1, pages} {
		ctx, cancel := context.WithCancel(t.Context())
		slow := &slowState{Saved: s.Saved(), end: cancel, after: after}
		again, err := p.Restore(ctx, cfg, s.Root, slow)
		took := time.Since(slow.ended)
		if again != nil || !errors.As(err, new(*gyr.DeadlineError)) || !errors.Is(err, context.Canceled) {
			t.Errorf("the context ends with page %d of %d: %v", after, pages, err)
		}
		t.Logf("page %d of %d: %v later", after, pages, took)
		if took > 2*time.Second {
			t.Errorf("the context ends with page %d of %d, Restore %v later", after, pages, took)
		}
		cancel()
	}
}
