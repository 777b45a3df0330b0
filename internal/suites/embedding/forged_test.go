package embedding_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/again"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

var (
	forgedCount = flag.Int("forged", 12, "forged states of each kind that TestForgedStates makes")
	forgedFirst = flag.Int("forged.first", 0, "number of the first of each kind")
	forgedKind  = flag.String("forged.kind", "", "the kind of forged states that TestForgedStates makes, and no other")
	forgedHere  = flag.Bool("forged.here", false, "make them in the test's own process, and tell of each")
)

// A forgery is a state that no instance has made, with the correct root.
type forgery struct {
	tree     state.Tree
	sections []state.Section
	pages    map[uint32][]byte
}

func (f *forgery) Tree() state.Tree                   { return f.tree }
func (f *forgery) Sections() ([]state.Section, error) { return f.sections, nil }

func (f *forgery) ReadPage(number uint32, into []byte) error {
	clear(into)
	copy(into, f.pages[number])
	return nil
}

// root makes the tree of the pages and returns the root.
func (f *forgery) root() (state.Hash, error) {
	f.tree = state.Tree{}
	var list []state.Page
	for n, b := range f.pages {
		list = append(list, state.Page{Number: n, Content: b})
	}
	slices.SortFunc(list, func(a, b state.Page) int { return int(a.Number) - int(b.Number) })
	if err := f.tree.Update(list); err != nil {
		return state.Hash{}, err
	}
	hashes, err := state.HashSections(f.sections)
	if err != nil {
		return state.Hash{}, err
	}
	return state.Root(f.tree.Hash(), hashes), nil
}

// copyOf returns a forgery that equals the state of an instance.
func copyOf(t testing.TB, in *gyr.Instance) *forgery {
	t.Helper()
	s, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := &forgery{pages: map[uint32][]byte{}}
	for _, x := range s.Sections {
		f.sections = append(f.sections, state.Section{Name: x.Name, Content: slices.Clone(x.Content)})
	}
	if err := state.Diff(&state.Tree{}, &s.Tree, func(n uint32) bool {
		b, err := s.Page(n)
		if err != nil {
			t.Fatal(err)
		}
		f.pages[n] = slices.Clone(b)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return f
}

// clone returns a copy whose sections, pages and bytes can be changed; pages with [forgery.page].
func (f *forgery) clone() *forgery {
	c := &forgery{sections: slices.Clone(f.sections), // contents are replaced, never overwritten
		pages: make(map[uint32][]byte, len(f.pages))}
	for n, b := range f.pages {
		c.pages[n] = b
	}
	return c
}

// numbers returns the numbers of the pages from lo to hi, in ascending order.
func (f *forgery) numbers(lo, hi uint32) (list []uint32) {
	for n := range f.pages {
		if n >= lo && n < hi {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list
}

// page replaces a page with a copy and returns the copy.
func (f *forgery) page(n uint32) []byte {
	b := make([]byte, state.PageSize)
	copy(b, f.pages[n])
	f.pages[n] = b
	return b
}

// section returns a section.
func (f *forgery) section(name string) *state.Section {
	for i := range f.sections {
		if f.sections[i].Name == name {
			return &f.sections[i]
		}
	}
	return &state.Section{}
}

// Pages of the tables at the upper end of the address space: start bits, and records of 80 bytes
// for blocks of 32 KiB, both by address.
const (
	blockTable = state.Pages - 4<<30/(32<<10)*80/state.PageSize
	startTable = blockTable - 4<<30/512*16/state.PageSize
)

// oddWords are typical boundary values of off-by-one errors and overflows.
var oddWords = []uint64{0, 1, 2, 3, 7, 8, 63, 64, 255, 256, 4095, 4096, 32767, 32768, 32769, 65536, 1 << 20, 1<<31 - 1, 1 << 31, 1<<32 - 8, 1<<32 - 1, 1 << 32, 1 << 40, 1<<61 - 1, 1 << 61, 1<<63 - 1, 1 << 63, 1<<64 - 256, 1<<64 - 1}

// odd returns another value in place of v.
func odd(r *rand.Rand, v uint64) uint64 {
	switch r.IntN(6) {
	case 0:
		return oddWords[r.IntN(len(oddWords))]
	case 1:
		return v ^ 1<<r.IntN(64)
	case 2, 3:
		step := []uint64{1, 2, 8, 16, 256, 4096, 32768, 1 << 20}[r.IntN(8)]
		if r.IntN(2) == 0 {
			step = -step
		}
		return v + step
	case 4:
		return v ^ 1<<r.IntN(20)
	}
	return r.Uint64() >> r.IntN(64)
}

// pokes changes words in pages.
func pokes(r *rand.Rand, f *forgery, numbers []uint32, most int) {
	if len(numbers) == 0 {
		return
	}
	for range 1 + r.IntN(most) {
		b := f.page(numbers[r.IntN(len(numbers))])
		at := r.IntN(len(b)/8) * 8
		was := binary.LittleEndian.Uint64(b[at:])
		switch r.IntN(8) {
		case 0: // a byte
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		case 1: // a word from another place
			other := f.pages[numbers[r.IntN(len(numbers))]]
			copy(b[at:at+8], other[r.IntN(len(other)/8)*8:])
		case 2: // a plausible address
			binary.LittleEndian.PutUint64(b[at:], uint64(r.IntN(24<<20)))
		default:
			binary.LittleEndian.PutUint64(b[at:], odd(r, was))
		}
	}
}

// rewrites changes one of the variable-length numbers of a section, between two relative positions;
// signed says that they have signs.
func rewrites(r *rand.Rand, content []byte, from, to float64, signed bool) []byte {
	var list []uint64
	for rest := content; len(rest) > 0; {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			break
		}
		list, rest = append(list, v), rest[n:]
	}
	lo, hi := int(from*float64(len(list))), int(to*float64(len(list)))
	if hi > lo {
		for range 1 + r.IntN(3) {
			i := lo + r.IntN(hi-lo)
			switch v := list[i]; {
			case r.IntN(6) == 0:
				list[i] = list[lo+r.IntN(hi-lo)]
			case signed:
				x := odd(r, v>>1^-(v&1))
				list[i] = x<<1 ^ uint64(int64(x)>>63)
			default:
				list[i] = odd(r, v)
			}
		}
	}
	var b []byte
	for _, v := range list {
		b = binary.AppendUvarint(b, v)
	}
	if r.IntN(8) == 0 {
		b = bend(r, b)
	}
	return b
}

// bend changes bytes of a section of any form.
func bend(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(2) {
		if len(b) == 0 {
			b = append(b, byte(r.IntN(256)))
		}
		i := r.IntN(len(b))
		if len(b) > 64 && r.IntN(2) == 0 {
			i = r.IntN(64)
		}
		j := min(len(b), i+1+r.IntN(1+r.IntN(40)))
		switch r.IntN(8) {
		case 0:
			b = b[:i]
		case 1:
			b = slices.Insert(b, i, b[i:j]...)
		case 2:
			b = slices.Delete(b, i, j)
		case 3:
			b = slices.Replace(b, i, i+1, binary.AppendUvarint(nil, odd(r, uint64(b[i])))...)
		case 4:
			b[i] = byte(r.IntN(6))
		default:
			b[i] ^= 1 << r.IntN(8)
		}
	}
	return b
}

// forgedKinds are the ways to forge a state. A figure, a table and a page stay at their positions
// in the state.
var forgedKinds = []struct {
	name  string
	forge func(r *rand.Rand, f *forgery, w *forgers)
}{
	{"figures", func(r *rand.Rand, f *forgery, _ *forgers) {
		s := f.section("heap")
		s.Content = rewrites(r, s.Content, 0, 0.9, false)
	}},
	{"lists", func(r *rand.Rand, f *forgery, _ *forgers) {
		s := f.section("heap")
		if s.Content = rewrites(r, s.Content, 0.85, 1, false); r.IntN(4) == 0 {
			s.Content = bend(r, s.Content)
		}
	}},
	{"blocks", func(r *rand.Rand, f *forgery, _ *forgers) { pokes(r, f, f.numbers(blockTable, state.Pages), 3) }},
	{"starts", func(r *rand.Rand, f *forgery, _ *forgers) { pokes(r, f, f.numbers(startTable, blockTable), 3) }},
	{"machine", func(r *rand.Rand, f *forgery, _ *forgers) {
		s := f.section("machine")
		s.Content = rewrites(r, s.Content, 0, 1, true)
	}},
	{"runtime", func(r *rand.Rand, f *forgery, _ *forgers) {
		s := f.section("runtime")
		s.Content = bend(r, s.Content)
	}},
	{"files", func(r *rand.Rand, f *forgery, _ *forgers) {
		s := f.section("files")
		s.Content = bend(r, s.Content)
	}},
	{"texts", func(r *rand.Rand, f *forgery, _ *forgers) {
		s := f.section([]string{"limits", "host", "program", "types"}[r.IntN(4)])
		if s.Content = bend(r, s.Content); s.Name == "types" && r.IntN(2) == 0 {
			s.Content = []byte([]string{"", "\n\t\n\tx", "type ", "var [[[ \ntype x\n\t", "type a struct\n\tF\ntype a struct"}[r.IntN(5)])
			id := f.section("program") // it decides which types are examined
			id.Content = bend(r, id.Content)
		}
	}},
	{"sections", func(r *rand.Rand, f *forgery, w *forgers) {
		i, j := r.IntN(len(f.sections)), r.IntN(len(f.sections))
		switch r.IntN(6) {
		case 0:
			f.sections = slices.Delete(f.sections, i, i+1)
		case 1:
			f.sections[i].Content, f.sections[j].Content = f.sections[j].Content, f.sections[i].Content
		case 2:
			f.sections = append(f.sections, state.Section{Name: "z"})
		case 3:
			f.sections[i].Content = nil
		default: // a section from another time
			f.sections[i] = *w.bases[r.IntN(len(w.bases))].f.section(f.sections[i].Name)
		}
	}},
	{"tree", func(r *rand.Rand, f *forgery, w *forgers) {
		numbers := f.numbers(0, state.Pages)
		n, m := numbers[r.IntN(len(numbers))], numbers[r.IntN(len(numbers))]
		switch r.IntN(6) {
		case 0:
			delete(f.pages, n)
		case 1:
			f.pages[uint32(r.IntN(state.Pages))] = f.pages[n]
		case 2:
			f.pages[n], f.pages[m] = f.pages[m], f.pages[n]
		case 3:
			f.pages[n+uint32(r.IntN(3))-1&(state.Pages-1)] = f.pages[m]
		case 4:
			for range 200 {
				f.pages[startTable-uint32(r.IntN(1<<18))] = f.pages[n]
			}
		default: // pages from another time
			other := w.bases[r.IntN(len(w.bases))].f
			for range 1 + r.IntN(20) {
				n := numbers[r.IntN(len(numbers))]
				f.pages[n] = other.pages[n]
			}
		}
		delete(f.pages, state.Pages)
		for n, b := range f.pages {
			if b == nil {
				delete(f.pages, n)
			}
		}
	}},
	{"data", func(r *rand.Rand, f *forgery, _ *forgers) { pokes(r, f, f.numbers(0, 1000), 60) }},
	{"objects", func(r *rand.Rand, f *forgery, w *forgers) { pokes(r, f, f.numbers(w.heap(f), startTable), 200) }},
}

// heap returns the number of the first page of the heap of a state. The first window's blocks start
// somewhere after it.
func (w *forgers) heap(f *forgery) uint32 {
	list := f.numbers(startTable, blockTable) // the first page describes the first blocks: 128 KiB
	return (list[0] - startTable) * 32
}

// forgers has the material of forged states.
type forgers struct {
	t        testing.TB
	programs []*gyr.Program
	upgrades []*gyr.Program // by program; nil: none
	bases    []base
	tiers    []gyr.Tier
	counts   map[string]int
}

// A base is a correct state.
type base struct {
	f       *forgery
	root    state.Hash
	program int
}

func forgedConfig(tier gyr.Tier) gyr.Config {
	return gyr.Config{Tier: tier, Memory: 32 << 20, Gas: 2_000_000_000, Seed: 3}
}

func newForgers(t testing.TB) *forgers {
	w := &forgers{t: t, counts: map[string]int{}}
	one := compileVersion(t, nil, roomy)
	two := compileVersion(t, one, strings.Replace(roomy, `"recovered "`, `"mended "`, 1))
	w.programs, w.upgrades = append(w.programs, one), append(w.upgrades, two)
	w.programs, w.upgrades = append(w.programs, compileWithState(t, bank)), append(w.upgrades, nil)
	for _, tier := range tiers() {
		if tier != gyr.TierNative || one.NativeError() == nil {
			w.tiers = append(w.tiers, tier)
		}
	}
	// A finalizer or cleanup starts another goroutine, after which there may be no state.
	for n, never := range [][]int{{7}, {5, 6}, {7}, {5, 6, 10}, {}} {
		in := newInstance(t, one, forgedConfig(gyr.TierInterp))
		r := rand.New(rand.NewPCG(uint64(n), 1))
		for range 30 + 50*n {
			op := r.IntN(20)
			if slices.Contains(never, op) {
				continue
			}
			if _, err := in.Call(t.Context(), "Do", op, r.IntN(60)); err != nil && !errors.As(err, new(*gyr.GuestError)) {
				t.Fatal(err)
			}
		}
		w.add(in, 0)
	}
	if len(w.bases) < 4 {
		t.Fatalf("there are %d states to make others of", len(w.bases))
	}
	in := newInstance(t, w.programs[1], forgedConfig(gyr.TierInterp))
	w.add(in, 1)
	return w
}

// add adds the state of an instance, unless the instance has none at the moment.
func (w *forgers) add(in *gyr.Instance, program int) {
	if _, err := in.State(w.t.Context()); errors.As(err, new(*gyr.TransactionError)) {
		return
	}
	b := base{f: copyOf(w.t, in), program: program}
	root, err := b.f.root()
	if err != nil {
		w.t.Fatal(err)
	}
	b.root = root
	w.bases = append(w.bases, b)
	in.Close()
}

// one makes the state with a kind and number, and uses it in each tier. It returns the outcome.
func (w *forgers) one(ctx context.Context, kind, number int) (outcome string, err error) {
	r := rand.New(rand.NewPCG(uint64(number), uint64(kind)))
	b := &w.bases[r.IntN(len(w.bases))]
	f := b.f.clone()
	forgedKinds[kind].forge(r, f, w)
	if r.IntN(5) == 0 { // also change something else
		forgedKinds[r.IntN(len(forgedKinds))].forge(r, f, w)
	}
	if *forgedHere {
		for i, s := range f.sections {
			if was := b.f.section(s.Name).Content; string(was) != string(s.Content) && i < len(b.f.sections) {
				w.t.Logf("%s:\n%x, was\n%x", s.Name, s.Content, was)
			}
		}
	}
	root, err := f.root()
	if err != nil {
		return "no root", nil
	}
	var saved gyr.Saved = f
	p := w.programs[b.program]
	if root != b.root {
		if in, err := p.Restore(ctx, forgedConfig(gyr.TierInterp), b.root, f); err == nil {
			in.Close()
			return "", errors.New("it was taken for the true state")
		}
	}
	from := p.Restore
	upgraded := w.upgrades[b.program] != nil && r.IntN(4) == 0
	if upgraded {
		from = w.upgrades[b.program].Upgrade
	}
	way := r.IntN(8)
	if way == 0 { // through a store
		s, err := store.New(store.NewMemory())
		if err != nil {
			return "", err
		}
		defer s.Close()
		page := func(n uint32) ([]byte, error) { return f.pages[n], nil }
		if _, err := s.Commit(store.Change{Name: "a", Seq: 1, Tree: f.tree, Sections: f.sections, Page: page}); err != nil {
			return "", err
		}
		if saved, err = s.Open("a", 1); err != nil {
			return "", err
		}
	}
	if way == 1 { // through a file
		var text bytes.Buffer
		if err := state.Write(&text, nil, &f.tree, f.sections, func(n uint32) ([]byte, error) { return f.pages[n], nil }); err != nil {
			return "", err
		}
		if saved, err = state.Read(&text, nil); err != nil {
			return "", err
		}
	}
	var told string
	for i, tier := range w.tiers {
		use := &forgedUse{w: w, ctx: ctx, tier: tier, p: p, r: rand.New(rand.NewPCG(uint64(number), 7))}
		if upgraded {
			use.p = w.upgrades[b.program]
		}
		short, cancel := context.WithTimeout(ctx, 10*time.Second)
		in, err := from(short, forgedConfig(tier), root, saved)
		cancel()
		switch {
		case err != nil:
			if !errors.As(err, new(*gyr.StateError)) && !upgraded {
				return "", fmt.Errorf("%s: %T: %w", tier, err, err)
			}
			use.note("refused", err)
			use.outcome = "refused"
			if !errors.As(err, new(*gyr.StateError)) {
				use.outcome = "ended"
			}
		default:
			use.run(in, root, upgraded, b.program)
		}
		if use.wrong != nil {
			return "", fmt.Errorf("%s: %w", tier, use.wrong)
		}
		if i == 0 {
			told, outcome = use.told.String(), use.outcome
		} else if use.told.String() != told && !use.late {
			return "", fmt.Errorf("tiers differ:\n%s: %s\n%s: %s", w.tiers[0], told, tier, use.told.String())
		}
	}
	return outcome, nil
}

// A forgedUse is a use of an instance restored from a forged state.
type forgedUse struct {
	w       *forgers
	ctx     context.Context
	tier    gyr.Tier
	p       *gyr.Program
	r       *rand.Rand
	told    strings.Builder
	outcome string
	late    bool // a deadline ended it, at a different point on each machine
	wrong   error
}

// note records how something ended.
func (u *forgedUse) note(what string, err error) {
	fmt.Fprintf(&u.told, "%s: %v\n", what, err)
	if errors.As(err, new(*gyr.InternalError)) && u.wrong == nil {
		u.wrong = fmt.Errorf("%s: %w", what, err)
	}
	if errors.As(err, new(*gyr.DeadlineError)) {
		u.late = true
	}
}

// run calls functions of an instance until it has ended, or a number of times.
func (u *forgedUse) run(in *gyr.Instance, root state.Hash, upgraded bool, program int) {
	defer func() {
		if err := in.Close(); err != nil && u.wrong == nil {
			u.wrong = fmt.Errorf("Close: %w", err)
		}
	}()
	u.outcome = "ran"
	if s, err := in.State(u.ctx); err == nil && s.Root != root && !upgraded {
		u.wrong = errors.New("its state has another root")
		return
	}
	for range 12 {
		if u.r.IntN(4) == 0 {
			u.note("Begin", in.Begin(u.ctx))
		}
		name, args := "Do", []any{u.r.IntN(20), u.r.IntN(60)}
		switch {
		case program == 1:
			name, args = "Total", nil
		case u.r.IntN(5) == 0:
			args[0] = 6
		case u.r.IntN(8) == 0:
			name, args = "Figures", nil
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(u.ctx, 5*time.Second)
		out, stats, err := in.CallWith(ctx, gyr.CallOptions{Gas: 20_000_000}, name, args...)
		cancel()
		if d := time.Since(began); d > 20*time.Second {
			u.wrong = fmt.Errorf("a call with a deadline of 5 s took %v", d)
		}
		u.note(fmt.Sprint(name, args, out, stats.Gas), err)
		if err != nil && !errors.As(err, new(*gyr.GuestError)) {
			u.outcome = "ended"
		}
		switch u.r.IntN(6) {
		case 0:
			u.note("Rollback", in.Rollback())
		case 1, 2:
			u.note("Commit", in.Commit())
		case 3:
			s, err := in.State(u.ctx)
			u.note("State", err)
			if err != nil {
				break
			}
			fmt.Fprintln(&u.told, s.Root)
			again, err := u.p.Restore(u.ctx, forgedConfig(u.tier), s.Root, s.Saved())
			u.note("Restore", err)
			if err == nil {
				again.Close()
			}
		case 4:
			if program == 0 && u.r.IntN(4) == 0 {
				u.migrate(in)
			}
		}
		if u.wrong != nil || errors.Is(err, gyr.ErrEnded) {
			return
		}
	}
}

// migrate moves the instance's exported data to a new one.
func (u *forgedUse) migrate(in *gyr.Instance) {
	next, err := u.p.NewInstance(u.ctx, forgedConfig(u.tier))
	if err != nil {
		u.wrong = err
		return
	}
	defer next.Close()
	ctx, cancel := context.WithTimeout(u.ctx, 5*time.Second)
	defer cancel()
	_, err = gyr.Migrate(ctx, in, next, gyr.Migration{Export: "Export", Import: "Import", Gas: 20_000_000})
	u.note("Migrate", err)
}

// A forgedReport is a line from the process that makes the states.
type forgedReport struct {
	Kind, Number int
	Begins       bool   // it begins with this state
	Outcome      string // what happened to it
	Wrong        string
	Memory       uint64 // at the end: bytes of the Go heap, and of all resident memory
	Resident     uint64
	Goroutines   int // more than at the beginning
	Done         bool
}

// TestForgedStates makes states that no instance was in, each with its correct root, as if the host
// had taken the root from an untrusted sender. Each state is refused with a StateError, or calls in
// both tiers use it with equal results. They succeed, or end with an error of a documented type.
// The host survives, without additional memory and goroutines. With the root of the original state
// every forged state is refused.
//
// Child processes make the states, so that a state that kills a process is known by its number. To
// see one state:
//
//	go test ./internal/suites/embedding -run TestForgedStates -forged.here -forged.kind KIND -forged.first NUMBER -forged 1
func TestForgedStates(t *testing.T) {
	daily.Turn(t, 3, false)
	const worker = "GYR_FORGED_FROM"
	switch from := os.Getenv(worker); {
	case *forgedHere:
		makeForged(t, 0, *forgedFirst, func(r forgedReport) {
			if !r.Begins && !r.Done {
				t.Log(forgedKinds[r.Kind].name, r.Number, r.Outcome, r.Wrong)
			}
			if r.Wrong != "" {
				t.Fail()
			}
		})
		return
	case from != "":
		kind, number, _ := strings.Cut(from, " ")
		k, _ := strconv.Atoi(kind)
		n, _ := strconv.Atoi(number)
		out := json.NewEncoder(os.Stdout)
		makeForged(t, k, n, func(r forgedReport) { out.Encode(r) })
		return
	}
	outcomes := map[int]map[string]int{}
	var last forgedReport
	kind, number, deaths := 0, *forgedFirst, 0
	for !last.Done {
		cmd := again.Command(t.Context(), "-test.run=^TestForgedStates$", "-test.timeout=0", fmt.Sprint("-forged=", *forgedCount), fmt.Sprint("-forged.first=", *forgedFirst), "-forged.kind="+*forgedKind)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", worker, kind, number))
		var trace bytes.Buffer
		cmd.Stderr = &trace
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// A state that takes minutes will never end. The trace says where it is.
		watch := time.AfterFunc(2*time.Minute, func() { cmd.Process.Signal(syscall.SIGQUIT) })
		in := json.NewDecoder(out)
		for {
			var r forgedReport
			if err := in.Decode(&r); err != nil {
				break
			}
			watch.Reset(2 * time.Minute)
			last = r
			if r.Outcome != "" {
				if outcomes[r.Kind] == nil {
					outcomes[r.Kind] = map[string]int{}
				}
				outcomes[r.Kind][r.Outcome]++
			}
			if r.Wrong != "" {
				t.Errorf("%s %d: %s", forgedKinds[r.Kind].name, r.Number, r.Wrong)
			}
			if r.Done {
				break
			}
		}
		io.Copy(io.Discard, out)
		err = cmd.Wait()
		watch.Stop()
		if last.Done {
			break
		}
		text := trace.String()
		t.Errorf("%s %d: the process ends: %v\n%s", forgedKinds[last.Kind].name, last.Number, err, text[:min(len(text), 3000)])
		if deaths++; deaths > 20 || !last.Begins {
			t.FailNow()
		}
		kind, number = last.Kind, last.Number+1
	}
	for k, m := range outcomes {
		t.Logf("%-9s %v", forgedKinds[k].name, m)
	}
	t.Logf("at the end %d KiB of Go heap more, %d KiB resident more, %d goroutines more", int64(last.Memory)>>10, int64(last.Resident)>>10, last.Goroutines)
	resident := int64(last.Resident) // an emulator's own memory is in it
	if last.Goroutines > 2 || int64(last.Memory) > 64<<20 || resident > 256<<20 && os.Getenv(again.Emulator) == "" {
		t.Error("forged states leave something behind")
	}
}

// makeForged makes states of a kind from a number on, and reports each.
func makeForged(t *testing.T, kind, number int, tell func(forgedReport)) {
	w := newForgers(t)
	w.one(t.Context(), 0, -1) // for allocations that a process makes once
	heap, resident := hostMemory()
	goroutines := runtime.NumGoroutine()
	for ; kind < len(forgedKinds); kind++ {
		for ; number < *forgedFirst+*forgedCount; number++ {
			if *forgedKind != "" && forgedKinds[kind].name != *forgedKind {
				break
			}
			tell(forgedReport{Kind: kind, Number: number, Begins: true})
			outcome, err := w.one(t.Context(), kind, number)
			r := forgedReport{Kind: kind, Number: number, Outcome: outcome}
			if err != nil {
				r.Wrong = fmt.Sprintf("%.2000v", err)
			}
			tell(r)
		}
		number = *forgedFirst
	}
	h, res := hostMemory()
	tell(forgedReport{Done: true, Memory: h - heap, Resident: res - resident, Goroutines: runtime.NumGoroutine() - goroutines})
}

// hostMemory returns the bytes of Go's heap in use, and the resident bytes if the system tells
// them.
func hostMemory() (heap, resident uint64) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size, pages uint64
		fmt.Sscan(string(b), &size, &pages)
		resident = pages * uint64(os.Getpagesize())
	}
	return m.HeapAlloc, resident
}
