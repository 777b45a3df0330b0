package chain

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/libs/log"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// Options are what a node decides by itself. None of them changes a result.
type Options struct {
	Tier  gyr.Tier // of all contracts; empty: machine code where there is some
	Cache string   // directory for compiled programs; empty: none

	Keep          uint64 // heights that can be queried; 0: 1000
	KeepBlocks    int64  // blocks that CometBFT keeps; 0: all
	SnapshotEvery uint64 // heights from one snapshot to the next; 0: no snapshots
	SnapshotDir   string // where they are kept; must be set with SnapshotEvery
	ChunkSize     int    // of snapshots, in bytes; 0: 1 MiB
	MaxLive       int    // contracts with an instance; 0: 1000

	// CheckRuns lets CheckTx run the calls of transactions, on forks. Otherwise it checks what needs
	// no contract.
	CheckRuns bool
	// QueryGas is the most that a query may use; 0: a block's.
	QueryGas int64
	// BlockTime is the longest that a block may take. The node halts when it is over: 0: no limit.
	BlockTime time.Duration

	// Logger is told what is wrong with snapshots, which stop no block; nil: nobody is.
	Logger log.Logger

	// change is called before the roots of a height are taken. Tests make a node compute otherwise.
	change func(w *world, height int64)
	// wrap may put something between CometBFT and the application.
	wrap func(*App) abci.Application
	// openDB opens a database of CometBFT; nil: in the node's home.
	openDB cfg.DBProvider
	// native takes the place of the contract token, for Bench.
	native func(x *execution, sender string, c *Call) error
}

// An App is the application that CometBFT replicates: contracts and accounts over a store.
//
// Each method holds for one connection of CometBFT. Those of the consensus connection are serialised
// by mu; checks, queries and snapshots run beside them.
type App struct {
	abci.BaseApplication
	store    *store.Store
	options  Options
	programs *programs

	mu      sync.Mutex // of what follows, and of the instances of world
	info    *Info      // nil: no genesis yet
	genesis *Genesis   // until the first commit
	world   *world     // nil: to be opened at the last height
	height  int64      // that is committed
	appHash state.Hash // at that height
	changes []store.Change
	pending state.Hash // the app hash after FinalizeBlock
	stale   []stale    // versions of contracts that later ones have replaced, in the order of these
	pruned  uint64     // the first height that the store has; 0: not known

	last  atomic.Pointer[committed] // for queries and checks, which do not wait for mu
	check checker
	snaps snapshots
	sync  *restoring // while a state arrives

	haltOnce sync.Once
	haltErr  error
	halted   chan struct{}
}

// A committed height is what queries and checks begin with.
type committed struct {
	info    *Info
	genesis *Genesis
	height  int64
	appHash state.Hash
}

// publish makes the present height that of queries and checks.
func (a *App) publish() {
	a.last.Store(&committed{a.info, a.genesis, a.height, a.appHash})
	a.check.stale.Store(true)
}

// A stale version of a contract is replaced from a height on.
type stale struct {
	entry store.Entry
	until uint64
}

// A HaltError says why a node has stopped, and at which height. Nothing of that height is committed.
type HaltError struct {
	Height int64
	Err    error
}

func (e *HaltError) Error() string {
	return fmt.Sprintf("chain: halted at height %d, after the last one that is committed: %v", e.Height, e.Err)
}
func (e *HaltError) Unwrap() error { return e.Err }

// New returns an application over a store. It refuses a store whose chain has other rules than this
// node.
func New(s *store.Store, options Options) (*App, error) {
	if options.Keep == 0 {
		options.Keep = 1000
	}
	if options.MaxLive == 0 {
		options.MaxLive = 1000
	}
	if options.ChunkSize == 0 {
		options.ChunkSize = 1 << 20
	}
	if options.Logger == nil {
		options.Logger = log.NewNopLogger()
	}
	a := &App{store: s, options: options, halted: make(chan struct{})}
	a.last.Store(&committed{})
	a.check.app, a.snaps.app = a, a
	a.programs = &programs{cache: options.Cache, host: []gyr.HostPackage{hostPackage()}, known: map[string]*gyr.Program{}}
	if err := a.load(); err != nil {
		return nil, err
	}
	return a, a.snaps.open()
}

// load reads the last height of the store.
func (a *App) load() error {
	latest, err := a.store.Latest(tableName)
	if errors.As(err, new(*store.NotFoundError)) {
		return nil
	}
	if err != nil {
		return err
	}
	v, err := a.store.Open(tableName, latest.Seq)
	if err != nil {
		return err
	}
	sections, err := v.Sections()
	if err != nil {
		return err
	}
	info := new(Info)
	if len(sections) != 1 || json.Unmarshal(sections[0].Content, info) != nil {
		return fmt.Errorf("chain: the store has no chain at height %d", latest.Seq)
	}
	if err := info.Rules.check(); err != nil {
		return err
	}
	a.info, a.height, a.appHash, a.genesis = info, int64(latest.Seq), latest.Root, nil
	a.programs.rules = &info.Rules
	a.publish()
	return a.findStale()
}

// findStale finds the versions of contracts that can be pruned sooner or later.
func (a *App) findStale() error {
	entries, err := a.store.Entries("")
	if err != nil {
		return err
	}
	a.stale = nil
	for i, e := range entries {
		if i+1 < len(entries) && entries[i+1].Name == e.Name && len(e.Name) > len(contractPrefix) && e.Name[:len(contractPrefix)] == contractPrefix {
			a.stale = append(a.stale, stale{e, entries[i+1].Seq})
		}
	}
	slices.SortFunc(a.stale, func(a, b stale) int { return cmp.Compare(a.until, b.until) })
	return nil
}

// Close closes all instances, and the store.
func (a *App) Close() error {
	a.snaps.wait()
	a.check.close()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.world != nil {
		a.world.close()
	}
	return a.store.Close()
}

// Halted is closed when the node has met an error that is its own. Halt then returns it.
func (a *App) Halted() <-chan struct{} { return a.halted }

// Halt returns why the application has stopped; nil: it has not.
func (a *App) Halt() error {
	select {
	case <-a.halted:
		return a.haltErr
	default:
		return nil
	}
}

// halt stops the application: from now on no block is executed.
func (a *App) halt(err error) error {
	a.haltOnce.Do(func() {
		a.haltErr = &HaltError{a.height + 1, err}
		close(a.halted)
	})
	return a.haltErr
}

// Height returns the last height that is committed, and its app hash.
func (a *App) Height() (int64, state.Hash) {
	last := a.last.Load()
	return last.height, last.appHash
}

// Info implements [abci.Application].
func (a *App) Info(context.Context, *abci.RequestInfo) (*abci.ResponseInfo, error) {
	height, hash := a.Height()
	r := &abci.ResponseInfo{Data: "gyr chain", Version: gyr.Version, AppVersion: RulesVersion, LastBlockHeight: height}
	if height > 0 {
		r.LastBlockAppHash = hash[:]
	}
	return r, nil
}

// InitChain implements [abci.Application]: it takes the rules and the first accounts of the genesis.
func (a *App) InitChain(_ context.Context, req *abci.RequestInitChain) (*abci.ResponseInitChain, error) {
	g, err := parseGenesis(req.AppStateBytes)
	if err != nil {
		return nil, err
	}
	if req.InitialHeight != 1 {
		return nil, fmt.Errorf("chain: the genesis begins at height %d, not 1", req.InitialHeight)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.info, a.genesis = &Info{req.ChainId, g.Rules}, g
	a.programs.rules = &a.info.Rules
	a.publish()
	w, err := a.openLocked()
	if err != nil {
		return nil, err
	}
	hash, _, err := w.hash()
	if err != nil {
		return nil, err
	}
	params := req.ConsensusParams
	if params == nil || params.Block == nil {
		return nil, errors.New("chain: the genesis has no consensus parameters for blocks")
	}
	if params.Block.MaxBytes >= 0 && params.Block.MaxBytes < int64(g.Rules.TxBytes)+1<<16 {
		return nil, fmt.Errorf("chain: the genesis has blocks of %d bytes, too few for a transaction of %d", params.Block.MaxBytes, g.Rules.TxBytes)
	}
	block := *params.Block
	block.MaxGas = g.Rules.BlockGas
	return &abci.ResponseInitChain{AppHash: hash[:], ConsensusParams: &cmtproto.ConsensusParams{
		Block: &block, Evidence: params.Evidence, Validator: params.Validator, Version: &cmtproto.VersionParams{App: RulesVersion}, Abci: params.Abci,
	}}, nil
}

// openLocked returns the world of the executor.
func (a *App) openLocked() (*world, error) {
	if a.world != nil {
		return a.world, nil
	}
	w, err := a.newWorld(&committed{a.info, a.genesis, a.height, a.appHash}, a.height)
	if err == nil {
		a.world = w
	}
	return w, err
}

// newWorld returns a world at a committed height. Height 0 is the genesis.
func (a *App) newWorld(last *committed, height int64) (*world, error) {
	if last.info == nil {
		return nil, errors.New("chain: there is no genesis yet")
	}
	if height > 0 {
		w, err := openWorld(last.info, a.programs, a.store, a.options.Tier, uint64(height), a.options.MaxLive)
		if err == nil {
			w.native = a.options.native
		}
		return w, err
	}
	if last.genesis == nil {
		return nil, &store.NotFoundError{Name: tableName}
	}
	w := &world{
		info: last.info, programs: a.programs, store: a.store, tier: a.options.Tier, table: newTable(state.Tree{}, nil), live: map[string]*live{},
		codes: map[state.Hash]code{}, height: 1, maxLive: a.options.MaxLive, native: a.options.native,
	}
	for _, who := range slices.Sorted(maps.Keys(last.genesis.Accounts)) {
		if err := w.setAccount(who, AccountRecord{Coins: last.genesis.Accounts[who]}); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// hash returns the root of the table, which is the app hash.
func (w *world) hash() (state.Hash, []state.Section, error) {
	if err := w.table.update(); err != nil {
		return state.Hash{}, nil, err
	}
	sections, err := w.info.sections()
	if err != nil {
		return state.Hash{}, nil, err
	}
	hashes, err := state.HashSections(sections)
	if err != nil {
		return state.Hash{}, nil, err
	}
	return state.Root(w.table.tree.Hash(), hashes), sections, nil
}

// FinalizeBlock implements [abci.Application]: it executes a block. An error is a halt: it belongs to
// this node.
func (a *App) FinalizeBlock(ctx context.Context, req *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	if err := a.Halt(); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.options.BlockTime > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, a.options.BlockTime, fmt.Errorf("the block took longer than %v, the node's own limit", a.options.BlockTime))
		defer cancel()
	}
	response, err := a.finalize(ctx, req)
	if err != nil {
		return nil, a.halt(err)
	}
	return response, nil
}

func (a *App) finalize(ctx context.Context, req *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	if req.Height != a.height+1 {
		return nil, fmt.Errorf("block %d comes after height %d", req.Height, a.height)
	}
	if a.changes != nil { // executed, and not committed
		a.drop()
	}
	w, err := a.openLocked()
	if err != nil {
		return nil, err
	}
	results := make([]*abci.ExecTxResult, len(req.Txs))
	parsed := w.info.parseAll(req.Txs)
	left := w.info.Rules.BlockGas
	for i, raw := range req.Txs {
		result, err := w.execute(ctx, &parsed[i], len(raw), req, &left)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		results[i] = result
	}
	if err := w.compact(ctx); err != nil {
		return nil, err
	}
	if a.options.change != nil {
		a.options.change(w, req.Height)
	}
	if a.pending, a.changes, err = w.finish(ctx); err != nil {
		return nil, err
	}
	return &abci.ResponseFinalizeBlock{TxResults: results, AppHash: a.pending[:]}, nil
}

// drop throws away what is not committed.
func (a *App) drop() {
	if a.world != nil {
		a.world.close()
	}
	a.world, a.changes = nil, nil
}

// execute executes one transaction of a block.
func (w *world) execute(ctx context.Context, p *parsed, size int, req *abci.RequestFinalizeBlock, left *int64) (*abci.ExecTxResult, error) {
	t, f := p.tx, p.failure
	if f == nil && t.Gas > *left {
		f = failure(CodeBlockGas, "the block has %d units of gas left, the transaction asks for %d", *left, t.Gas)
	}
	if f != nil {
		return &abci.ExecTxResult{Code: uint32(f.Code), Log: f.Text, Codespace: Codespace}, nil
	}
	*left -= t.Gas
	x := w.begin(req.Height, req.Time)
	return w.transact(ctx, x, t, p.sender, size, hex.EncodeToString(req.ProposerAddress))
}

// compact compacts contracts, at the heights that the rules name.
func (w *world) compact(ctx context.Context) error {
	every := w.info.Rules.CompactEvery
	if every == 0 || w.height%every != 0 {
		return nil
	}
	var names []string
	err := w.table.all(contractKey(""), func(key string, value []byte) error {
		var r ContractRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return errTable
		}
		name := key[len(contractKey("")):]
		if int64(r.Seq) > w.height-every || w.live[name] != nil && w.live[name].changed {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		l, err := w.contract(ctx, name)
		if err != nil {
			return nodeError(err)
		}
		if err := l.settle(); err != nil {
			return err
		}
		if _, err := l.in.Compact(ctx); err != nil {
			return nodeError(err)
		}
		l.changed = true
	}
	return nil
}

// finish takes the roots of the contracts that have changed into the table, and returns the app hash
// and what is to be committed.
func (w *world) finish(ctx context.Context) (hash state.Hash, changes []store.Change, err error) {
	for _, name := range slices.Sorted(maps.Keys(w.live)) {
		l := w.live[name]
		if !l.changed {
			continue
		}
		l.changed = false
		if err := l.settle(); err != nil {
			return hash, nil, err
		}
		s, err := l.in.State(ctx)
		if err != nil {
			return hash, nil, fmt.Errorf("chain: contract %s: %w", name, err)
		}
		if s.Root != l.record.Root {
			l.record.Root, l.record.Seq = s.Root, uint64(w.height)
			changes = append(changes, store.Change{Name: contractPrefix + name, Seq: l.record.Seq, Tree: s.Tree, Sections: s.Sections, Page: s.Page})
		}
		if err := w.setRecord(name, &l.record); err != nil {
			return hash, nil, err
		}
	}
	for _, h := range slices.SortedFunc(maps.Keys(w.codes), func(a, b state.Hash) int { return slices.Compare(a[:], b[:]) }) {
		name := codePrefix + h.String()
		if _, err := w.store.Latest(name); errors.As(err, new(*store.NotFoundError)) {
			changes = append(changes, store.Change{Name: name, Seq: 1, Sections: w.codes[h].sections(), Page: noPage})
		} else if err != nil {
			return hash, nil, err
		}
	}
	hash, sections, err := w.hash()
	table := w.table
	changes = append(changes, store.Change{Name: tableName, Seq: uint64(w.height), Tree: table.tree, Sections: sections, Page: table.page})
	return hash, changes, err
}

func noPage(number uint32) ([]byte, error) {
	return nil, fmt.Errorf("chain: code has no page %d", number)
}

// Commit implements [abci.Application]: what FinalizeBlock has computed is on disk when it returns.
func (a *App) Commit(context.Context, *abci.RequestCommit) (*abci.ResponseCommit, error) {
	if err := a.Halt(); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changes == nil {
		return nil, a.halt(errors.New("a commit without a block"))
	}
	if _, err := a.store.Commit(a.changes...); err != nil {
		return nil, a.halt(err)
	}
	for _, c := range a.changes {
		if l := a.world.live[c.Name[min(len(contractPrefix), len(c.Name)):]]; l != nil && c.Name == contractPrefix+l.name {
			if l.stored != 0 {
				a.stale = append(a.stale, stale{store.Entry{Name: c.Name, Seq: l.stored}, c.Seq})
			}
			l.stored = c.Seq
		}
	}
	w := a.world
	a.changes, a.height, a.appHash, a.genesis = nil, w.height, a.pending, nil
	w.height++
	clear(w.codes)
	if len(w.table.pages) > 1<<14 {
		clear(w.table.pages)
	}
	v, err := a.store.Open(tableName, uint64(a.height))
	if err != nil {
		return nil, a.halt(err)
	}
	w.table.read = v.ReadPage
	w.evict()
	a.publish()
	a.snaps.take(a.height)
	if err := a.prune(); err != nil {
		return nil, a.halt(err)
	}
	r := &abci.ResponseCommit{}
	if a.options.KeepBlocks > 0 {
		r.RetainHeight = max(a.height-a.options.KeepBlocks, 0)
	}
	return r, nil
}

// prune drops what no query and no snapshot needs any more.
func (a *App) prune() error {
	oldest := uint64(max(a.height-int64(a.options.Keep)+1, 1))
	oldest = min(oldest, a.snaps.oldest(oldest))
	var drop []store.Entry
	for len(a.stale) > 0 && a.stale[0].until <= oldest {
		drop = append(drop, a.stale[0].entry)
		a.stale = a.stale[1:]
	}
	if a.pruned == 0 {
		entries, err := a.store.Entries(tableName)
		if err != nil {
			return err
		}
		a.pruned = entries[0].Seq
	}
	for ; a.pruned < oldest; a.pruned++ {
		drop = append(drop, store.Entry{Name: tableName, Seq: a.pruned})
	}
	if len(drop) == 0 {
		return nil
	}
	return a.store.Prune(drop...)
}
