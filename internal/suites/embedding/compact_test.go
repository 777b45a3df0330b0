package embedding_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
)

// churn is a library that leaves much garbage among what lives.
const churn = `package lib

import (
	"fmt"
	"runtime"
)

type entry struct {
	name string
	next *entry
	pad  [5]int
}

var table = map[string]*entry{}

// Churn replaces entries. 500 of them live.
func Churn(from, n int) {
	for i := from; i < from+n; i++ {
		k := fmt.Sprint("key", i*7%500)
		table[k] = &entry{name: fmt.Sprint("value", i), next: &entry{name: k}}
	}
}

func Get(i int) string { e := table[fmt.Sprint("key", i)]; return e.name + e.next.name }

func Collect() { runtime.GC() }

func Big(n int) int { b := make([]byte, n); for i := range b { b[i] = 1 }; return len(b) }
`

// pagesOf counts the pages of a state that are not zeros.
func pagesOf(t testing.TB, in *gyr.Instance) (n int) {
	t.Helper()
	s, err := in.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var none state.Tree
	if err := state.Diff(&none, &s.Tree, func(uint32) bool { n++; return true }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCompact: Compact shrinks a state to what lives, with the same root and gas in every tier, for
// instances that were restored or forked, and is undone with a transaction.
func TestCompact(t *testing.T) {
	p := compileWithState(t, churn)
	var root state.Hash
	var gas int64
	for i, tier := range tiers() {
		cfg := gyr.Config{Tier: tier, Memory: 64 << 20}
		in := newInstance(t, p, cfg)
		call := func(in *gyr.Instance, name string, args ...any) any {
			t.Helper()
			out, err := in.Call(t.Context(), name, args...)
			if err != nil {
				t.Fatal(err)
			}
			if len(out) == 0 {
				return nil
			}
			return out[0]
		}
		call(in, "Churn", 0, 500)
		small := pagesOf(t, in)
		call(in, "Churn", 0, 20_000)
		call(in, "Big", 3<<20)
		before, was := pagesOf(t, in), rootOf(t, in)
		if err := in.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Compact(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := in.Rollback(); err != nil {
			t.Fatal(err)
		}
		if r := rootOf(t, in); r != was {
			t.Errorf("%s: root %v after a rollback, %v before", tier, r, was)
		}
		f := fork(t, in)
		_, saved := kept(t, in)
		restored, err := p.Restore(t.Context(), cfg, was, saved)
		if err != nil {
			t.Fatal(err)
		}
		defer restored.Close()
		st, err := in.Compact(t.Context())
		if err != nil || st.Gas <= 0 {
			t.Fatal(st, err)
		}
		after := pagesOf(t, in)
		if i == 0 {
			root, gas = rootOf(t, in), st.Gas
		}
		for _, other := range []*gyr.Instance{in, f, restored} {
			if other != in {
				if st, err := other.Compact(t.Context()); err != nil || st.Gas != gas {
					t.Errorf("%s: %+v, %v, want %d units", tier, st, err, gas)
				}
			}
			if r := rootOf(t, other); r != root || st.Gas != gas {
				t.Errorf("%s: root %v, %d units; want %v, %d", tier, r, st.Gas, root, gas)
			}
			if got := call(other, "Get", 3); got != "value19929key3" {
				t.Errorf("%s: %v", tier, got)
			}
		}
		t.Logf("%s: %d pages when made, %d after the churn, %d compacted, %d units", tier, small, before, after, gas)
		if after > 2*small {
			t.Errorf("%s: %d pages after Compact, %d of the same entries when they were made; %d before", tier, after, small, before)
		}
		again, err := in.Compact(t.Context())
		if err != nil || again.Gas > gas {
			t.Errorf("%s: %+v, %v", tier, again, err)
		}
		if _, gc, err := in.CallWith(t.Context(), gyr.CallOptions{}, "Collect"); err != nil || again.Gas < gc.Gas*9/10 {
			t.Errorf("%s: runtime.GC costs %d units, Compact %d, with nothing to clear (%v)", tier, gc.Gas, again.Gas, err)
		}
		low := newInstance(t, p, gyr.Config{Tier: tier, Gas: 100_000_000})
		call(low, "Churn", 0, 500)
		if _, _, err := low.CallWith(t.Context(), gyr.CallOptions{}, "Get", 3); err != nil {
			t.Fatal(err)
		}
		if err := low.Reset(gyr.Config{Tier: tier, Gas: low.Stats().Gas + 200_000}); err != nil {
			t.Fatal(err)
		}
		call(low, "Churn", 0, 500)
		var out *gyr.OutOfGasError
		for range 1000 {
			if _, err = low.Compact(t.Context()); err != nil {
				break
			}
		}
		if !errors.As(err, &out) {
			t.Errorf("%s: %v", tier, err)
		}
		if _, err := low.Compact(t.Context()); !errors.Is(err, gyr.ErrEnded) {
			t.Errorf("%s: %v", tier, err)
		}
	}
}

// TestCompactAtRandom: instances in both tiers that do everything, and compact now and then, have equal
// roots, and see nothing of it but the time.
func TestCompactAtRandom(t *testing.T) {
	p := compileForked(t)
	rnd := rand.New(rand.NewPCG(8, 8))
	var steps []int
	for range 80 {
		steps = append(steps, rnd.IntN(1100)-100)
	}
	var roots []string
	for _, tier := range tiers() {
		in := newInstance(t, p, gyr.Config{Tier: tier, Memory: 64 << 20})
		text := ""
		for i, n := range steps {
			if n < 0 {
				if _, err := in.Compact(t.Context()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			out, err := in.Call(t.Context(), "Step", n)
			if err != nil {
				t.Fatal(err)
			}
			text += out[0].(string)
			if i%10 == 0 {
				text += rootOf(t, in).String()
			}
		}
		roots = append(roots, text)
	}
	for _, r := range roots {
		if r != roots[0] {
			t.Error("tiers differ")
		}
	}
	if _, err := (*gyr.Instance)(nil).Compact(t.Context()); !errors.Is(err, gyr.ErrClosed) {
		t.Error(err)
	}
}

// journal is a ledger whose accounts keep their last eight entries.
const journal = `package lib

import "fmt"

type account struct {
	balance uint64
	nonce   uint64
	last    []entry
}

type entry struct {
	other  string
	amount int64
}

var accounts = map[string]*account{}

func of(name string) *account {
	a := accounts[name]
	if a == nil {
		a = &account{}
		accounts[name] = a
	}
	return a
}

func Open(name string, balance uint64) { of(name).balance += balance }

func (a *account) add(other string, amount int64) {
	a.last = append(a.last, entry{other, amount})
	if len(a.last) > 8 {
		a.last = append([]entry(nil), a.last[1:]...)
	}
}

func Transfer(from, to string, amount, nonce uint64) (uint64, error) {
	a, b := of(from), of(to)
	if a.nonce != nonce {
		return 0, fmt.Errorf("nonce: have %d, want %d", nonce, a.nonce)
	}
	a.nonce++
	if a.balance < amount {
		return 0, fmt.Errorf("%s has %d", from, a.balance)
	}
	a.balance -= amount
	b.balance += amount
	a.add(to, -int64(amount))
	b.add(from, int64(amount))
	return a.balance, nil
}
`

var transfers = flag.Int("transfers", 20_000, "TestCompactLedger: how many transfers are made")

// TestCompactLedger: after Compact the file of a ledger's state is in proportion to what lives,
// however many transfers there were.
func TestCompactLedger(t *testing.T) {
	p := compileWithState(t, journal)
	cfg := gyr.Config{Memory: 256 << 20}
	in := newInstance(t, p, cfg)
	type transfer struct {
		From, To      string
		Amount, Nonce uint64
	}
	names, nonces := make([]string, 1000), make([]uint64, 1000)
	for i := range names {
		names[i] = fmt.Sprintf("account%04d", i)
		if _, err := in.Call(t.Context(), "Open", names[i], uint64(1_000_000)); err != nil {
			t.Fatal(err)
		}
	}
	move, err := gyr.FuncOf[transfer, struct{ Left uint64 }](t.Context(), in, "Transfer")
	if err != nil {
		t.Fatal(err)
	}
	for i := range *transfers {
		from := i * 7 % 1000
		if _, err := move.Call(t.Context(), transfer{names[from], names[(i*13+5)%1000], 1, nonces[from]}); err != nil {
			t.Fatal(err)
		}
		nonces[from]++
	}
	file := func() (bytes []byte, lines int) {
		s, err := in.State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := state.Write(&out, nil, &s.Tree, s.Sections, s.Page); err != nil {
			t.Fatal(err)
		}
		var none state.Tree
		if err := state.Diff(&none, &s.Tree, func(n uint32) bool {
			b, _ := s.Page(n)
			for i := 0; i < len(b); i += 256 {
				if strings.Trim(string(b[i:i+256]), "\x00") != "" {
					lines++
				}
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		return []byte(out.String()), lines
	}
	before, linesBefore := file()
	began := cpuTime()
	st, err := in.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	took := cpuTime() - began
	after, lines := file()
	restore := func(b []byte) time.Duration {
		f, err := state.Read(bytes.NewReader(b), nil)
		if err != nil {
			t.Fatal(err)
		}
		began := cpuTime()
		again, err := p.Restore(t.Context(), cfg, f.Root(), f)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		return cpuTime() - began
	}
	t.Logf("%d transfers: file %d KiB with %d lines that are not zero; after Compact (%d units, %v) %d KiB with %d (%d KiB); Restore %v and %v",
		*transfers, len(before)>>10, linesBefore, st.Gas, took, len(after)>>10, lines, lines>>2, restore(before), restore(after))
	if most := lines*256*3/2 + 256<<10; len(after) > most {
		t.Errorf("the file has %d bytes, at most %d", len(after), most)
	}
}
