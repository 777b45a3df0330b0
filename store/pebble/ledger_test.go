package pebble_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	cockroach "github.com/cockroachdb/pebble/v2"
	"github.com/gyrvm/gyr"
	contract "github.com/gyrvm/gyr/examples/ledger/testdata/contract"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
)

const (
	ledgerAccounts = 1000
	ledgerRounds   = 15 // of samples: the ways are measured in turns
)

// accountNames are made before the measurement.
var accountNames = func() (list [ledgerAccounts]string) {
	for i := range list {
		list[i] = fmt.Sprint("account", i)
	}
	return list
}()

// A way makes the i-th transfer of the benchmark, with everything that belongs to it.
type way struct {
	name     string
	transfer func(i int) error
	calls    int // in a sample
	samples  []float64
	wall     []float64
}

// BenchmarkLedger measures a transfer in the contract of examples/ledger with 1000 accounts: as
// plain Go, which is the same source, as plain Go that can undo a call and hash its changes, and in
// gyr. It prints the median of samples that are taken in turns, in µs of the process's time, and in
// brackets by the clock. Run it with -benchtime 1x.
func BenchmarkLedger(b *testing.B) {
	for b.Loop() {
		ways := append(nativeWays(b), gyrWays(b)...)
		for range ledgerRounds {
			for i := range ways {
				w := &ways[i]
				cpu, start := processorTime(), time.Now()
				for n := range w.calls {
					if err := w.transfer(n); err != nil {
						b.Fatal(w.name, ": ", err)
					}
				}
				w.wall = append(w.wall, float64(time.Since(start).Nanoseconds())/1e3/float64(w.calls))
				w.samples = append(w.samples, float64((processorTime()-cpu).Nanoseconds())/1e3/float64(w.calls))
			}
		}
		for _, w := range ways {
			slices.Sort(w.samples)
			slices.Sort(w.wall)
			// Standard output, because b.Logf prints ten lines.
			fmt.Printf("%-60s %9.2f µs (%.2f µs)\n", w.name, w.samples[len(w.samples)/2], w.wall[len(w.wall)/2])
		}
	}
	b.ReportMetric(0, "ns/op")
}

// nativeWays are the methods of a program without gyr.
func nativeWays(b *testing.B) []way {
	l := newUndoLedger()
	for _, name := range accountNames {
		if err := cmp.Or(contract.Open(name, 0), contract.Issue(name, 1000)); err != nil {
			b.Fatal(err)
		}
		l.open(name, 1000)
	}
	l.root()
	db, err := cockroach.Open(b.TempDir(), &cockroach.Options{Logger: quiet{}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	keep := func() error { // stores accounts that have changed since the last call, and the root
		batch := db.NewBatch()
		defer batch.Close()
		for _, leaf := range l.changed {
			a := l.list[leaf]
			if err := batch.Set([]byte(a.name), binary.LittleEndian.AppendUint64(nil, uint64(a.coins)), nil); err != nil {
				return err
			}
		}
		root := l.root()
		if err := batch.Set([]byte("root"), root[:], nil); err != nil {
			return err
		}
		return batch.Commit(cockroach.Sync)
	}
	return []way{
		{name: "Go: the call", calls: 20000, transfer: func(i int) error {
			return contract.Transfer(accountNames[i%ledgerAccounts], accountNames[(i*7+1)%ledgerAccounts], 1)
		}},
		{name: "Go: with a log to undo it", calls: 20000, transfer: func(i int) error {
			return l.transact(accountNames[i%ledgerAccounts], accountNames[(i*7+1)%ledgerAccounts], 1)
		}},
		{name: "Go: that, undone", calls: 20000, transfer: func(i int) error {
			err := l.transact(accountNames[i%ledgerAccounts], "nobody", 1)
			if err == nil {
				return errors.New("it was done")
			}
			return nil
		}},
		{name: "Go: with a log, and a hash of all accounts", calls: 2000, transfer: func(i int) error {
			err := l.transact(accountNames[i%ledgerAccounts], accountNames[(i*7+1)%ledgerAccounts], 1)
			l.root()
			return err
		}},
		{name: "Go: with a log, hash and Pebble", calls: 20, transfer: func(i int) error {
			return cmp.Or(l.transact(accountNames[i%ledgerAccounts], accountNames[(i*7+1)%ledgerAccounts], 1), keep())
		}},
		{name: "Go: a block of 100, hash and Pebble; one of them", calls: 500, transfer: func(i int) error {
			err := l.transact(accountNames[i%ledgerAccounts], accountNames[(i*7+1)%ledgerAccounts], 1)
			if err == nil && i%100 == 99 {
				err = keep()
			}
			return err
		}},
	}
}

// quiet is a logger for Pebble that discards everything.
type quiet struct{}

func (quiet) Infof(string, ...any)      {}
func (quiet) Errorf(string, ...any)     {}
func (quiet) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

// An undoLedger is a ledger in plain Go that can undo a transfer, by a log of old balances, and
// keeps a hash tree over the accounts. Unlike gyr it knows what to undo and to hash, because every
// write to an account reports itself.
type undoLedger struct {
	accounts map[string]*undoAccount
	list     []*undoAccount // by leaf
	log      []undoEntry
	changed  []int // leaves since root was called
	tree     [][sha256.Size]byte
	leaves   int
}

type undoAccount struct {
	name  string
	coins int64
	leaf  int
}

type undoEntry struct {
	a   *undoAccount
	was int64
}

func newUndoLedger() *undoLedger { return &undoLedger{accounts: map[string]*undoAccount{}} }

func (l *undoLedger) open(name string, coins int64) {
	a := &undoAccount{name, coins, len(l.list)}
	l.accounts[name] = a
	l.list = append(l.list, a)
	l.changed = append(l.changed, a.leaf)
}

func (l *undoLedger) add(a *undoAccount, coins int64) error {
	if a.coins+coins < 0 {
		return errors.New("not enough coins")
	}
	l.log = append(l.log, undoEntry{a, a.coins})
	a.coins += coins
	return nil
}

func (l *undoLedger) transfer(from, to string, coins int64) error {
	a := l.accounts[from]
	if a == nil {
		return fmt.Errorf("no account %q", from)
	}
	if err := l.add(a, -coins); err != nil {
		return err
	}
	b := l.accounts[to]
	if b == nil {
		return fmt.Errorf("no account %q", to)
	}
	return l.add(b, coins)
}

func (l *undoLedger) transact(from, to string, coins int64) error {
	l.log = l.log[:0]
	err := l.transfer(from, to, coins)
	for _, e := range slices.Backward(l.log) {
		if err != nil {
			e.a.coins = e.was
		} else {
			l.changed = append(l.changed, e.a.leaf)
		}
	}
	return err
}

// root hashes the accounts that have changed, and the nodes above them in a binary tree.
func (l *undoLedger) root() [sha256.Size]byte {
	if l.leaves < len(l.list) {
		for l.leaves = 1; l.leaves < len(l.list); l.leaves *= 2 {
		}
		l.tree = make([][sha256.Size]byte, 2*l.leaves)
	}
	var buf [64]byte
	level := l.changed
	for i, leaf := range level {
		a := l.list[leaf]
		l.tree[l.leaves+leaf] = sha256.Sum256(binary.LittleEndian.AppendUint64(append(buf[:0], a.name...), uint64(a.coins)))
		level[i] = l.leaves + leaf
	}
	for len(level) > 0 && level[0] > 1 {
		slices.Sort(level)
		for i := range level {
			level[i] /= 2
		}
		level = slices.Compact(level)
		for _, n := range level {
			copy(buf[copy(buf[:], l.tree[2*n][:]):], l.tree[2*n+1][:])
			l.tree[n] = sha256.Sum256(buf[:])
		}
	}
	l.changed = l.changed[:0]
	return l.tree[1]
}

func gyrWays(b *testing.B) (ways []way) {
	ctx := context.Background()
	files := fstest.MapFS{"go.mod": {Data: []byte("module ledger\n\ngo 1.26\n")}}
	list, err := filepath.Glob("../../examples/ledger/testdata/contract/*.go")
	if err != nil || len(list) == 0 {
		b.Fatal("no contract", err)
	}
	for _, file := range list {
		text, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		files[filepath.Base(file)] = &fstest.MapFile{Data: text}
	}
	p, err := gyr.Compile(ctx, gyr.Source{FS: files, Exports: true}, &gyr.CompileOptions{State: true})
	if err != nil {
		b.Fatal(err)
	}
	for _, tier := range []gyr.Tier{gyr.TierNative, gyr.TierInterp} {
		if tier == gyr.TierNative && p.NativeError() != nil {
			continue
		}
		in, err := p.NewInstance(ctx, gyr.Config{Tier: tier, Memory: 64 << 20})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { in.Close() })
		for _, name := range accountNames {
			if _, err := in.Call(ctx, "Open", name, int64(0)); err != nil {
				b.Fatal(err)
			}
			if _, err := in.Call(ctx, "Issue", name, int64(1000)); err != nil {
				b.Fatal(err)
			}
		}
		var call func(from, to string, coins int64) error
		if err := in.Bind(ctx, "Transfer", &call); err != nil {
			b.Fatal(err)
		}
		transfer := func(i int) error {
			return call(accountNames[i%ledgerAccounts], accountNames[(i*7+1)%ledgerAccounts], 1)
		}
		commit := func(i int) error {
			if err := in.Begin(ctx); err != nil {
				return err
			}
			if err := transfer(i); err != nil {
				return err
			}
			return in.Commit()
		}
		backend, err := pebble.Open(b.TempDir(), nil)
		if err != nil {
			b.Fatal(err)
		}
		kept, err := store.New(backend)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { kept.Close() })
		height := uint64(0)
		keep := func() error {
			s, err := in.State(ctx)
			if err != nil {
				return err
			}
			height++
			_, err = kept.Commit(store.Change{Name: "ledger", Seq: height, Tree: s.Tree, Sections: s.Sections, Page: s.Page})
			return err
		}
		first, err := in.State(ctx)
		if err != nil {
			b.Fatal(err)
		}
		changed, pages := 0, map[uint32]bool{}
		for i := range ledgerAccounts {
			if err := commit(i); err != nil {
				b.Fatal(err)
			}
			s, err := in.State(ctx)
			if err != nil {
				b.Fatal(err)
			}
			state.Diff(&first.Tree, &s.Tree, func(page uint32) bool { changed++; pages[page] = true; return true })
			first = s
		}
		fmt.Printf("gyr, %s: a transfer changes %.1f pages, all together %d\n", tier, float64(changed)/ledgerAccounts, len(pages))
		name := func(s string) string { return fmt.Sprintf("gyr, %s: %s", tier, s) }
		ways = append(ways,
			way{name: name("the call"), calls: 20000, transfer: transfer},
			way{name: name("in a transaction"), calls: 5000, transfer: commit},
			way{name: name("in a transaction, rolled back"), calls: 5000, transfer: func(i int) error {
				if err := in.Begin(ctx); err != nil {
					return err
				}
				if err := transfer(i); err != nil {
					return err
				}
				return in.Rollback()
			}},
			way{name: name("in a transaction, and the root"), calls: 2000, transfer: func(i int) error {
				if err := commit(i); err != nil {
					return err
				}
				_, err := in.State(ctx)
				return err
			}},
			way{name: name("in a transaction, root and Pebble"), calls: 20, transfer: func(i int) error {
				if err := commit(i); err != nil {
					return err
				}
				return keep()
			}},
			way{name: name("a block of 100, root and Pebble; one of them"), calls: 500, transfer: func(i int) error {
				err := commit(i)
				if err == nil && i%100 == 99 {
					err = keep()
				}
				return err
			}})
	}
	return ways
}
