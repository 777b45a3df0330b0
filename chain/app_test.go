package chain

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/types"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/store"
)

const testChain = "test-chain"

// cacheDir is shared by all tests of a run.
var cacheDir = sync.OnceValue(func() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		panic(err)
	}
	return filepath.Join(dir, "gyr-chain-test")
})

func testKey(n int) ed25519.PrivKey {
	return ed25519.GenPrivKeyFromSecret(fmt.Appendf(nil, "key %d", n))
}

func testGenesis(t testing.TB) Genesis {
	t.Helper()
	rules, err := DefaultRules()
	if err != nil {
		t.Fatal(err)
	}
	g := Genesis{Rules: rules, Accounts: map[string]int64{}}
	for n := range 20 {
		g.Accounts[Account(testKey(n).PubKey())] = 1_000_000_000_000
	}
	return g
}

// A solo is an application without CometBFT: blocks are what the test says.
type solo struct {
	*App
	last   **App // the one to close: reopen replaces it, so that a test of many can forget the others
	t      testing.TB
	store  *store.Store
	nonces map[int]uint64
	height int64
	price  int64
}

func newSolo(t testing.TB, g Genesis, o Options, backend store.Backend) *solo {
	t.Helper()
	if backend == nil {
		backend = store.NewMemory()
	}
	s, err := store.New(backend)
	if err != nil {
		t.Fatal(err)
	}
	if o.Cache == "" {
		o.Cache = cacheDir()
	}
	a, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	last := &a
	t.Cleanup(func() { (*last).Close() })
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	params := types.DefaultConsensusParams().ToProto()
	if _, err := a.InitChain(t.Context(), &abci.RequestInitChain{ChainId: testChain, AppStateBytes: text, InitialHeight: 1, ConsensusParams: &params}); err != nil {
		t.Fatal(err)
	}
	return &solo{App: a, last: last, t: t, store: s, nonces: map[int]uint64{}, price: 1}
}

// sign signs a transaction of a key with its next nonce.
func (s *solo) sign(key int, tx Tx) []byte {
	s.t.Helper()
	tx.Nonce, tx.Price = s.nonces[key], s.price
	if tx.Gas == 0 {
		tx.Gas = 20_000_000
	}
	s.nonces[key]++
	raw, err := tx.Sign(testChain, testKey(key))
	if err != nil {
		s.t.Fatal(err)
	}
	return raw
}

// block makes a block, and returns the results.
func (s *solo) block(txs ...[]byte) []*abci.ExecTxResult {
	s.t.Helper()
	s.height++
	r, err := s.FinalizeBlock(context.Background(), &abci.RequestFinalizeBlock{
		Height: s.height, Txs: txs, Time: time.Unix(1_700_000_000+s.height, 0).UTC(), ProposerAddress: make([]byte, 20),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.Commit(context.Background(), nil); err != nil {
		s.t.Fatal(err)
	}
	return r.TxResults
}

// do makes a block of one transaction, whose code must be the given one.
func (s *solo) do(want Code, key int, tx Tx) *abci.ExecTxResult {
	s.t.Helper()
	r := s.block(s.sign(key, tx))[0]
	if Code(r.Code) != want {
		s.t.Fatalf("code %v, want %v: %s", Code(r.Code), want, r.Log)
	}
	return r
}

// ask makes a query that calls a contract.
func (s *solo) ask(height int64, contract, function string, args ...any) string {
	s.t.Helper()
	data, err := json.Marshal(callOf(contract, function, args...))
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := s.Query(s.t.Context(), &abci.RequestQuery{Path: QueryCall, Data: data, Height: height})
	if err != nil {
		s.t.Fatal(err)
	}
	if r.Code != 0 {
		return fmt.Sprintf("%v: %s", Code(r.Code), r.Log)
	}
	return string(r.Value)
}

func callOf(contract, function string, args ...any) *Call {
	c := &Call{Contract: contract, Function: function}
	for _, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		c.Args = append(c.Args, text)
	}
	return c
}

func source(text string) Program { return Program{Files: map[string][]byte{"c.go": []byte(text)}} }

// example returns the files of a contract of the directory examples.
func example(t testing.TB, name string) Program {
	t.Helper()
	p, err := ReadProgram(filepath.Join("examples", name))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func account(key int) string { return Account(testKey(key).PubKey()) }

func deployTx(name string, p Program, init *Call) Tx {
	return Tx{Gas: 100_000_000, Deploy: &Deploy{Name: name, Program: p, Init: init}}
}

// TestContracts: the examples are deployed, called and queried, also at an earlier height; a
// transaction over both is done as a whole or not at all.
func TestContracts(t *testing.T) {
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		t.Run(string(tier), func(t *testing.T) {
			if tier == gyr.TierNative && gyr.CheckNative() != nil {
				t.Skip(gyr.CheckNative())
			}
			s := newSolo(t, testGenesis(t), Options{Tier: tier}, nil)
			s.do(CodeOK, 0, deployTx("token", example(t, "token"), callOf("", "Init")))
			s.do(CodeOK, 1, deployTx("board", example(t, "board"), callOf("", "Init", "token", 5)))
			s.do(CodeOK, 0, Tx{Call: callOf("token", "Mint", account(1), 12)})
			s.do(CodeRefused, 1, Tx{Call: callOf("token", "Mint", account(1), 12)})
			s.do(CodeRefused, 1, Tx{Call: callOf("board", "Post", "news", "not allowed yet")})
			s.do(CodeOK, 1, Tx{Call: callOf("token", "Allow", "board", 1000)})
			r := s.do(CodeOK, 1, Tx{Call: callOf("board", "Post", "news", "first")})
			if string(r.Data) != "[1]" { // the refused post has not counted
				t.Errorf("post %s", r.Data)
			}
			if len(r.Events) != 3 || r.Events[0].Type != "contract.transfer" || r.Events[1].Type != "contract.post" || r.Events[2].Type != "receipt" {
				t.Errorf("events %v", r.Events)
			}
			before := s.height
			s.do(CodeOK, 1, Tx{Call: callOf("board", "Post", "news", "second")})
			s.do(CodeRefused, 1, Tx{Call: callOf("board", "Post", "news", "too poor")})
			for height, want := range map[int64]string{0: "[2]", s.height: "[2]", before: "[7]"} {
				if got := s.ask(height, "token", "Balance", account(1)); got != want {
					t.Errorf("balance at height %d: %s, want %s", height, got, want)
				}
			}
			if got := s.ask(0, "board", "Threads"); got != `[["news"]]` {
				t.Error(got)
			}
			if got := s.ask(0, "board", "Read", "news"); !strings.Contains(got, "second") || strings.Contains(got, "poor") {
				t.Error(got)
			}
			if got := s.ask(1, "board", "Threads"); !strings.Contains(got, "no contract") {
				t.Error(got)
			}
			t.Log(hex.EncodeToString(s.appHash[:]), r.GasUsed)
		})
	}
}
