package chain

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/types"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/chain/contract"
	"github.com/gyrvm/gyr/chain/examples/token"
	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
)

// A BenchConfig says what Bench measures.
type BenchConfig struct {
	Transactions int // in a round of each
	Block        int // transactions in a block
	Accounts     int
	Rounds       int
	Dir          string // for the databases; they are removed
	Token        Program

	// For BenchContracts.
	Contracts int
	Distinct  bool // each has a program of its own
	Live      int  // Options.MaxLive
}

// Bench measures transfers of the token: the application alone, without consensus, with signatures,
// accounts, fees, events, receipts and a database on disk. It compares contracts as machine code,
// interpreted, and as native Go: the same source, compiled into this process. What is native knows
// which balances a transfer changes, and keeps them as records of the table; it cannot undo a call
// that fails halfway, has no gas, and never stops.
func Bench(ctx context.Context, c BenchConfig, out io.Writer) error {
	kinds := []string{"native Go", string(gyr.TierNative), string(gyr.TierInterp)}
	if gyr.CheckNative() != nil {
		kinds = slices.Delete(kinds, 1, 2)
	}
	fmt.Fprintf(out, "%d transfers a round, blocks of %d, %d accounts, %d rounds; %s, %d processors\n", c.Transactions, c.Block, c.Accounts, c.Rounds, runtime.Version(), runtime.NumCPU())
	var runs []*benchRun
	for _, kind := range kinds {
		r, err := newBenchRun(ctx, c, kind)
		if err != nil {
			return err
		}
		defer r.close()
		if err := r.mint(ctx); err != nil {
			return err
		}
		runs = append(runs, r)
	}
	for range c.Rounds {
		for _, r := range runs {
			if err := r.round(ctx); err != nil {
				return fmt.Errorf("%s: %w", r.kind, err)
			}
		}
	}
	for _, r := range runs {
		r.full = r.written
		for range emptyBlocks {
			if err := r.block(ctx, nil); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(out, "%-10s  %12s  %12s  %14s  %12s  %12s  %10s\n", "contracts", "CPU a tx", "wall a tx", "tx a second", "state a tx", "empty block", "gas a tx")
	for _, r := range runs {
		cpu, wall := median(r.cpu), median(r.wall)
		fmt.Fprintf(out, "%-10s  %9.1f µs  %9.1f µs  %14.0f  %10d B  %10d B  %10d\n", r.kind, cpu, wall, 1e6/wall, r.full/int64(max(r.done, 1)), (r.written-r.full)/emptyBlocks, r.gas/int64(max(r.done, 1)))
	}
	return nil
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// A benchRun is an application that is measured.
type benchRun struct {
	BenchConfig
	kind      string
	app       *App
	dir       string
	keys      []ed25519.PrivKey
	nonces    []uint64
	height    int64
	cpu, wall []float64 // µs a transaction, by round
	done      int
	gas       int64
	written   int64 // bytes, and how many at the end of the rounds
	full      int64
}

// emptyBlocks are made to see what a block writes by itself.
const emptyBlocks = 20

func newBenchRun(ctx context.Context, c BenchConfig, kind string) (*benchRun, error) {
	dir, err := os.MkdirTemp(c.Dir, "gyr-chain-bench-")
	if err != nil {
		return nil, err
	}
	r := &benchRun{BenchConfig: c, kind: kind, dir: dir, nonces: make([]uint64, c.Accounts)}
	if err := r.open("gyr"); err != nil {
		return nil, err
	}
	rules, err := DefaultRules()
	if err != nil {
		return nil, err
	}
	rules.BlockGas = 1 << 50
	g := Genesis{Rules: rules, Accounts: map[string]int64{}}
	for n := range c.Accounts {
		key := ed25519.GenPrivKeyFromSecret(fmt.Appendf(nil, "bench %d", n))
		r.keys = append(r.keys, key)
		g.Accounts[Account(key.PubKey())] = 1 << 40
	}
	state, err := json.Marshal(g)
	if err != nil {
		return nil, err
	}
	params := types.DefaultConsensusParams().ToProto()
	if _, err := r.app.InitChain(ctx, &abci.RequestInitChain{ChainId: "bench", AppStateBytes: state, InitialHeight: 1, ConsensusParams: &params}); err != nil {
		return nil, err
	}
	return r, nil
}

// open opens the application over a database in a directory.
func (r *benchRun) open(name string) error {
	b, err := pebble.Open(filepath.Join(r.dir, name), nil)
	if err != nil {
		return err
	}
	s, err := store.New(countWrites{b, &r.written})
	if err != nil {
		return err
	}
	o := Options{Keep: 100, Tier: gyr.Tier(r.kind), MaxLive: r.Live, SnapshotEvery: math.MaxUint64, SnapshotDir: filepath.Join(r.dir, "snapshots")}
	if r.kind == "native Go" {
		o.Tier, o.native = "", nativeToken
	}
	if r.Contracts > 0 {
		o.Cache = filepath.Join(r.dir, "programs")
		if err := os.MkdirAll(o.Cache, 0o700); err != nil {
			return err
		}
	}
	a, err := New(s, o)
	if err == nil {
		r.app = a
	}
	return err
}

// mint deploys the token and gives each account some of it.
func (r *benchRun) mint(ctx context.Context) error {
	txs := [][]byte{r.sign(0, Tx{Gas: 1 << 32, Deploy: &Deploy{Name: "token", Program: r.Token, Init: benchCall("token", "Init")}})}
	for n := range r.Accounts {
		txs = append(txs, r.sign(0, Tx{Gas: 4_000_000, Call: benchCall("token", "Mint", Account(r.keys[n].PubKey()), 1_000_000)}))
	}
	return r.block(ctx, txs)
}

func benchCall(contract, function string, args ...any) *Call {
	c := &Call{Contract: contract, Function: function}
	for _, a := range args {
		c.Args = append(c.Args, json.RawMessage(jsonText(a)))
	}
	return c
}

func (r *benchRun) close() {
	r.app.Close()
	os.RemoveAll(r.dir)
}

func (r *benchRun) sign(n int, t Tx) []byte {
	t.Nonce, t.Price = r.nonces[n], 1
	r.nonces[n]++
	raw, err := t.Sign("bench", r.keys[n])
	if err != nil {
		panic(err) // JSON of a Tx does not fail
	}
	return raw
}

func (r *benchRun) block(ctx context.Context, txs [][]byte) error {
	r.height++
	f, err := r.app.FinalizeBlock(ctx, &abci.RequestFinalizeBlock{Height: r.height, Txs: txs, Time: time.Unix(r.height, 0), ProposerAddress: make([]byte, 20)})
	if err != nil {
		return err
	}
	for _, result := range f.TxResults {
		if result.Code != 0 {
			return &Failure{Code(result.Code), result.Log}
		}
		r.gas += result.GasUsed
	}
	_, err = r.app.Commit(ctx, nil)
	return err
}

// round makes the transfers of a round. Signing them does not count, checking signatures does.
func (r *benchRun) round(ctx context.Context) error {
	blocks := r.signed(r.Transactions, func(n int) (int, Tx) {
		from, to := (n*7919)%r.Accounts, (n*104729+1)%r.Accounts
		return from, Tx{Gas: 500_000, Call: benchCall("token", "Transfer", Account(r.keys[to].PubKey()), 1+n%3)}
	})
	if r.done == 0 {
		r.gas, r.written = 0, 0
	}
	return r.measure(ctx, blocks)
}

// measure executes blocks of a round.
func (r *benchRun) measure(ctx context.Context, blocks [][][]byte) error {
	cpu, wall := processorTime(), time.Now()
	if err := r.execute(ctx, blocks); err != nil {
		return err
	}
	n := float64(r.Transactions)
	r.cpu = append(r.cpu, float64(processorTime()-cpu)/1e3/n)
	r.wall = append(r.wall, float64(time.Since(wall))/1e3/n)
	r.done += r.Transactions
	return nil
}

func (r *benchRun) execute(ctx context.Context, blocks [][][]byte) error {
	for _, txs := range blocks {
		if err := r.block(ctx, txs); err != nil {
			return err
		}
	}
	return nil
}

// signed returns transactions in blocks.
func (r *benchRun) signed(n int, tx func(n int) (sender int, t Tx)) (blocks [][][]byte) {
	for i := range n {
		if i%r.Block == 0 {
			blocks = append(blocks, nil)
		}
		last := &blocks[len(blocks)-1]
		*last = append(*last, r.sign(tx(i)))
	}
	return blocks
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// countWrites counts the bytes that a store writes, without what the database makes of them.
type countWrites struct {
	store.Backend
	bytes *int64
}

func (c countWrites) Write(writes []store.Write, durable bool) error {
	for _, w := range writes {
		*c.bytes += int64(len(w.Key) + len(w.Value))
	}
	return c.Backend.Write(writes, durable)
}

// nativeToken is the token as a part of this process.
func nativeToken(x *execution, sender string, c *Call) error {
	contract.Set(contract.Setting{Caller: sender, Self: "token", Height: x.height, Time: x.time})
	text := func(i int) (s string) { json.Unmarshal(c.Args[i], &s); return s }
	number := func(i int) (n int64) { json.Unmarshal(c.Args[i], &n); return n }
	var err error
	switch c.Function {
	case "Init":
		err = token.Init()
	case "Mint":
		err = token.Mint(text(0), number(1))
	case "Transfer":
		err = token.Transfer(text(0), number(1))
	default:
		return failure(CodeCall, "no function %s", c.Function)
	}
	if err != nil {
		return &Failure{CodeRefused, err.Error()}
	}
	for _, e := range contract.Events() {
		if err := x.emit("token", e.Kind, e.Pairs); err != nil {
			return err
		}
		for _, i := range []int{1, 3} { // from, to
			who := e.Pairs[i]
			x.begun = append(x.begun, func() error {
				return x.w.table.set("t/"+who, binary.AppendUvarint(nil, uint64(token.Balance(who))))
			})
		}
	}
	return nil
}
