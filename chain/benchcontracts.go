package chain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr"
)

// BenchContracts measures what a number of contracts costs a node, as far as that is the application:
// deploying them, memory with an instance of each, blocks that call them in turn, the first calls after
// a start, a snapshot, and beginning with it. Times are those of processors.
func BenchContracts(ctx context.Context, c BenchConfig, out io.Writer) error {
	tier := gyr.TierNative
	if gyr.CheckNative() != nil {
		tier = gyr.TierInterp
	}
	r, err := newBenchRun(ctx, c, string(tier))
	if err != nil {
		return err
	}
	defer r.close()
	n := c.Contracts
	programs := "one program"
	if c.Distinct {
		programs = "a program each"
	}
	fmt.Fprintf(out, "%d contracts with %s, %s, at most %d instances, blocks of %d, %d accounts, %d rounds of %d; %s, %d processors\n",
		n, programs, tier, r.app.options.MaxLive, c.Block, c.Accounts, c.Rounds, c.Transactions, runtime.Version(), runtime.NumCPU())
	line := func(what string, value float64, unit string, total string) {
		fmt.Fprintf(out, "%-28s  %12.1f %-3s %s\n", what, value, unit, total)
	}
	each := func(what string, d time.Duration, of int) {
		line(what, float64(d.Microseconds())/float64(of), "µs", fmt.Sprint("of ", d.Round(time.Millisecond)))
	}

	before := memoryOf()
	written := r.written
	d, err := r.spent(ctx, n, r.deployment)
	if err != nil {
		return err
	}
	each("deploying one", d, n)
	line("written for it", float64(r.written-written)/float64(n)/1e3, "KB", fmt.Sprint("of ", (r.written-written)/1e6, " MB"))
	after := memoryOf()
	line("memory", float64(after.bytes-before.bytes)/1024/float64(n), "KiB", fmt.Sprint("of ", (after.bytes-before.bytes)>>20, " MiB; ", before.bytes>>20, " MiB before"))
	line("mappings", float64(after.mappings-before.mappings)/float64(n), "", fmt.Sprint("of ", after.mappings-before.mappings))
	line("database, files", float64(sizeOf(filepath.Join(r.dir, "gyr")))/float64(n)/1e3, "KB", "")
	line("compiled programs, files", float64(sizeOf(filepath.Join(r.dir, "programs")))/float64(n)/1e3, "KB", "")

	if d, err = spent(func() error { return r.execute(ctx, make([][][]byte, emptyBlocks)) }); err != nil {
		return err
	}
	each("an empty block", d, emptyBlocks)
	written = r.written
	for range c.Rounds {
		if err := r.measure(ctx, r.signed(c.Transactions, r.minting)); err != nil {
			return err
		}
	}
	line("a transaction", median(r.cpu), "µs", fmt.Sprintf("%.1f µs by the clock", median(r.wall)))
	line("written for it", float64(r.written-written)/float64(r.done)/1e3, "KB", "")
	raw := r.sign(r.minting(0))
	r.nonces[0]--
	d, err = spent(func() error {
		for range 1000 {
			if _, _, f := r.app.info.Rules.parse("bench", raw); f != nil {
				return f
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	each(fmt.Sprint("its signature and ", len(raw), " bytes"), d, 1000)

	if err := r.app.Close(); err != nil {
		return err
	}
	if d, err = spent(func() error { return r.open("gyr") }); err != nil {
		return err
	}
	each("opening the store", d, 1)
	if d, err = r.spent(ctx, n, r.minting); err != nil {
		return err
	}
	each("a first call after that", d, n)

	var snap *snapshot
	d, err = spent(func() (err error) { snap, err = r.app.snaps.write(r.height); return err })
	if err != nil {
		return err
	}
	r.app.snaps.list = append(r.app.snaps.list, *snap)
	size := sizeOf(r.app.snaps.dir(r.height))
	each("writing a snapshot", d, n)
	line("its size", float64(size)/float64(n)/1e3, "KB", fmt.Sprintf("of %d MB in %d chunks", size/1e6, snap.chunks()))
	from := r.app
	defer from.Close()
	if err := r.open("synced"); err != nil {
		return err
	}
	if d, err = spent(func() error { return synchronise(ctx, from, r.app) }); err != nil {
		return err
	}
	if r.app.appHash != from.appHash {
		return fmt.Errorf("height %d has the app hash %v, after beginning with its snapshot %v", r.height, from.appHash, r.app.appHash)
	}
	each("beginning with it", d, n)
	return nil
}

// deployment is a transaction that makes contract n, minting one that calls it. Its owner sends them.
func (r *benchRun) deployment(n int) (sender int, t Tx) {
	p := r.Token
	if r.Distinct {
		p.Files = maps.Clone(p.Files)
		p.Files["number.go"] = fmt.Appendf(nil, "package token\n\nfunc Number() int { return %d }\n", n)
	}
	return n % r.Accounts, Tx{Gas: 1 << 32, Deploy: &Deploy{Name: fmt.Sprint("token-", n), Program: p, Init: benchCall("", "Init")}}
}

func (r *benchRun) minting(n int) (sender int, t Tx) {
	to, n := (n*104729+1)%r.Accounts, n%r.Contracts
	return n % r.Accounts, Tx{Gas: 4_000_000, Call: benchCall(fmt.Sprint("token-", n), "Mint", Account(r.keys[to].PubKey()), 1)}
}

// spent returns the processor time of executing transactions, without signing them.
func (r *benchRun) spent(ctx context.Context, n int, tx func(n int) (int, Tx)) (time.Duration, error) {
	blocks := r.signed(n, tx)
	return spent(func() error { return r.execute(ctx, blocks) })
}

func spent(do func() error) (time.Duration, error) {
	began := processorTime()
	err := do()
	return processorTime() - began, err
}

// synchronise gives an application the last snapshot of another one.
func synchronise(ctx context.Context, from, to *App) error {
	snaps, err := from.ListSnapshots(ctx, nil)
	if err != nil {
		return err
	}
	s := snaps.Snapshots[0]
	offer, err := to.OfferSnapshot(ctx, &abci.RequestOfferSnapshot{Snapshot: s, AppHash: s.Hash})
	if err != nil || offer.Result != abci.ResponseOfferSnapshot_ACCEPT {
		return fmt.Errorf("the snapshot of height %d: %v %w", s.Height, offer, err)
	}
	for i := range s.Chunks {
		chunk, err := from.LoadSnapshotChunk(ctx, &abci.RequestLoadSnapshotChunk{Height: s.Height, Format: s.Format, Chunk: i})
		if err != nil {
			return err
		}
		done, err := to.ApplySnapshotChunk(ctx, &abci.RequestApplySnapshotChunk{Index: i, Chunk: chunk.Chunk})
		if err != nil || done.Result != abci.ResponseApplySnapshotChunk_ACCEPT {
			return fmt.Errorf("chunk %d of %d: %v %w", i, s.Chunks, done, err)
		}
	}
	return nil
}

// A memory is what a process takes.
type memory struct {
	bytes    int64
	mappings int
}

// memoryOf returns the memory of this process as Linux tells it; elsewhere it is unknown, and 0. It is
// the pages of its own, those of files, page tables, and the files in memory from which instances of a
// program begin, which all of them share.
func memoryOf() (m memory) {
	debug.FreeOSMemory()
	text, _ := os.ReadFile("/proc/self/status")
	for line := range bytes.Lines(text) {
		var name string
		var kib int64
		if _, err := fmt.Sscan(string(line), &name, &kib); err == nil && (name == "RssAnon:" || name == "RssFile:" || name == "VmPTE:") {
			m.bytes += kib << 10
		}
	}
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		var s syscall.Stat_t
		if name, err := os.Readlink(fd); err == nil && strings.HasPrefix(name, "/memfd:") && syscall.Stat(fd, &s) == nil {
			m.bytes += s.Blocks * 512
		}
	}
	text, _ = os.ReadFile("/proc/self/maps")
	m.mappings = bytes.Count(text, []byte("\n"))
	return m
}

// sizeOf returns the bytes of the files of a directory.
func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if i, err := d.Info(); err == nil {
				n += i.Size()
			}
		}
		return nil
	})
	return n
}
