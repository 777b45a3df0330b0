package chain

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// Names of states in the store.
const (
	tableName = "chain"

	contractPrefix = "contract/"
	codePrefix     = "code/"
)

// sectionGenesis is the section of the table's state with the chain's name and rules.
const sectionGenesis = "genesis"

// An Info is what a chain is, beside its records. It never changes.
type Info struct {
	ChainID string `json:"chain_id"`
	Rules   Rules  `json:"rules"`
}

func (i *Info) sections() ([]state.Section, error) {
	content, err := json.Marshal(i)
	return []state.Section{{Name: sectionGenesis, Content: content}}, err
}

// An AccountRecord is what the table has about an account, or about the coins of a contract.
type AccountRecord struct {
	Nonce uint64 `json:"nonce"`
	Coins int64  `json:"coins"`
}

func (a AccountRecord) encode() []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, a.Nonce), uint64(a.Coins))
}

func decodeAccount(b []byte) (a AccountRecord, err error) {
	if b == nil {
		return a, nil
	}
	nonce, n := binary.Uvarint(b)
	coins, m := binary.Uvarint(b[max(n, 0):])
	if n <= 0 || m <= 0 {
		return a, errTable
	}
	return AccountRecord{nonce, int64(coins)}, nil
}

// A ContractRecord is what the table has about a contract.
type ContractRecord struct {
	Owner    string     `json:"owner"`
	Versions int        `json:"versions"` // of its code; version n is the record codeKey(name, n)
	Base     int        `json:"base"`     // the version that began the present lineage: the others upgrade each other
	Root     state.Hash `json:"root"`     // of its state
	Seq      uint64     `json:"seq"`      // the height at which it has changed last, its number in the store
}

func accountKey(who string) string            { return "a/" + who }
func contractKey(name string) string          { return "c/" + name }
func codeKey(name string, version int) string { return fmt.Sprintf("v/%s/%d", name, version) }

// A world is the contracts and accounts of a height, and what has changed since. The block executor
// has one that goes on from height to height. Queries, simulations and checks of the mempool have
// worlds of their own, which they throw away. A world belongs to one goroutine at a time.
type world struct {
	info     *Info
	programs *programs
	store    *store.Store
	tier     gyr.Tier
	table    *table
	live     map[string]*live
	codes    map[state.Hash]code // that are not in the store yet
	height   int64               // of the next block
	maxLive  int
	clock    uint64 // of uses, for the least recent one

	native func(x *execution, sender string, c *Call) error // see Options.native

	// fork returns a fork of an instance of the executor; nil: it has none that is idle in this state.
	fork func(ctx context.Context, name string, record *ContractRecord) (*gyr.Instance, error)
}

// A live contract has an instance.
type live struct {
	name     string
	in       *gyr.Instance
	prog     *gyr.Program
	record   ContractRecord
	open     bool // a transaction of the instance is open, and nothing has happened in it
	changed  bool // since the last root
	lastUsed uint64
	stored   uint64 // its latest number in the store; 0: none
}

// config is that of all instances of a contract, on all nodes.
func (w *world) config(name string) gyr.Config {
	seed := fnv.New64a()
	fmt.Fprintf(seed, "%s\x00%s", w.info.ChainID, name)
	r := &w.info.Rules
	return gyr.Config{Name: name, Memory: r.Memory, Stack: r.Stack, Output: r.Output, Seed: seed.Sum64(), Tier: w.tier}
}

// contract returns a contract with an instance. The error is a *Failure if there is none.
func (w *world) contract(ctx context.Context, name string) (*live, error) {
	w.clock++
	if l := w.live[name]; l != nil {
		l.lastUsed = w.clock
		return l, nil
	}
	record, err := w.record(name)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return nil, failure(CodeNoContract, "no contract %.40q", name)
	}
	prog, err := w.program(ctx, name, record)
	if err != nil {
		return nil, nodeError(err) // it compiled when it was deployed
	}
	in, err := w.instance(ctx, name, prog, record)
	if err != nil {
		return nil, fmt.Errorf("chain: contract %s at height %d: %w", name, record.Seq, err)
	}
	l := &live{name: name, in: in, prog: prog, record: *record, lastUsed: w.clock, stored: record.Seq}
	w.live[name] = l
	return l, nil
}

// instance returns an instance of a contract at the world's height: a fork of the executor's, if that
// is idle at the same state, or one from the store.
func (w *world) instance(ctx context.Context, name string, prog *gyr.Program, record *ContractRecord) (*gyr.Instance, error) {
	if w.fork != nil {
		if in, err := w.fork(ctx, name, record); in != nil || err != nil {
			return in, err
		}
	}
	version, err := w.store.Open(contractPrefix+name, record.Seq)
	if err != nil {
		return nil, err
	}
	return prog.Restore(ctx, w.config(name), record.Root, version)
}

// nodeError makes sure that an error does not become the result of a transaction.
func nodeError(err error) error {
	if errors.As(err, new(*Failure)) {
		return fmt.Errorf("chain: %v", err)
	}
	return err
}

// record returns what the table has about a contract; nil: nothing.
func (w *world) record(name string) (*ContractRecord, error) {
	b, err := w.table.get(contractKey(name))
	if b == nil || err != nil {
		return nil, err
	}
	r := new(ContractRecord)
	if err := json.Unmarshal(b, r); err != nil {
		return nil, errTable
	}
	return r, nil
}

func (w *world) setRecord(name string, r *ContractRecord) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return w.table.set(contractKey(name), b)
}

// program returns the program of a contract's present version.
func (w *world) program(ctx context.Context, name string, r *ContractRecord) (*gyr.Program, error) {
	var codes []code
	for version := r.Base; version < r.Versions; version++ {
		c, err := w.code(name, version)
		if err != nil {
			return nil, err
		}
		codes = append(codes, c)
	}
	return w.programs.compile(ctx, codes)
}

// code returns the code of a version of a contract.
func (w *world) code(name string, version int) (code, error) {
	b, err := w.table.get(codeKey(name, version))
	if err != nil || len(b) != len(state.Hash{}) {
		return nil, errors.Join(err, fmt.Errorf("chain: contract %s has no version %d", name, version))
	}
	hash := state.Hash(b)
	if c, ok := w.codes[hash]; ok {
		return c, nil
	}
	return readCode(w.store, hash)
}

func readCode(s *store.Store, hash state.Hash) (code, error) {
	v, err := s.Open(codePrefix+hash.String(), 1)
	if err != nil {
		return nil, err
	}
	sections, err := v.Sections()
	if err != nil {
		return nil, err
	}
	if v.Entry().Root != hash || len(sections) != 1 {
		return nil, fmt.Errorf("chain: code %v is damaged", hash)
	}
	return code(sections[0].Content), nil
}

// account returns an account.
func (w *world) account(who string) (AccountRecord, error) {
	b, err := w.table.get(accountKey(who))
	if err != nil {
		return AccountRecord{}, err
	}
	return decodeAccount(b)
}

func (w *world) setAccount(who string, a AccountRecord) error {
	return w.table.set(accountKey(who), a.encode())
}

// close releases all instances.
func (w *world) close() {
	for _, l := range w.live {
		l.close()
	}
	clear(w.live)
}

func (l *live) close() { l.in.Close() }

// evict closes the instances that were not used for longest, beyond maxLive.
func (w *world) evict() {
	for len(w.live) > w.maxLive {
		var oldest *live
		for _, l := range w.live {
			if oldest == nil || l.lastUsed < oldest.lastUsed {
				oldest = l
			}
		}
		oldest.close()
		delete(w.live, oldest.name)
	}
}

// openWorld returns the world behind a height that the store has.
func openWorld(info *Info, p *programs, s *store.Store, tier gyr.Tier, height uint64, maxLive int) (*world, error) {
	v, err := s.Open(tableName, height)
	if err != nil {
		return nil, err
	}
	return &world{
		info: info, programs: p, store: s, tier: tier, table: newTable(v.Tree(), v.ReadPage), live: map[string]*live{},
		codes: map[state.Hash]code{}, height: int64(height) + 1, maxLive: maxLive,
	}, nil
}
