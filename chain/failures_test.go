package chain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/store"
)

// hostile is a contract that does what it should not.
const hostile = `package hostile

import (
	"errors"
	"os"
	"runtime"
	"time"

	"github.com/gyrvm/gyr/chain/contract"
)

var (
	count int64
	kept  [][]byte
	files []*os.File
	big   []int
)

func Add(n int64) int64 { count += n; return count }
func Count() int64      { return count }
func Fail() error       { count += 1000; return errors.New("no") }
func Panic()            { count += 1000; panic("no") }
func Exit()             { os.Exit(3) }
func Loop()             { for { count++ } }
func Hog()              { for { kept = append(kept, make([]byte, 1<<20)) } }
func Deep(n int64) int64 { if n == 0 { return 0 }; return Deep(n-1) + 1 }
func Index(n int64) int { return big[n] }
func Nil()              { var p *int; *p = 1 }
func Print(n int64)     { for ; n > 0; n-- { print("0123456789") } }

// What these leave behind nobody can undo.
func Go()      { count += 1000; go func() { select {} }(); runtime.Gosched() }
func Open() error {
	count += 1000
	f, err := os.Create("/tmp/x")
	files = append(files, f)
	return err
}
func Timer()   { count += 1000; time.AfterFunc(time.Hour, func() { count++ }) }

// Calls of other contracts.
func Call(to, f string)               { count++; contract.Call(to, f) }
func CallAdd(to string, n int64) any  { count++; return contract.Call(to, "Add", n)[0] }
func Twice(to string, n int64) any    { contract.Call(to, "Add", n); return contract.Call(to, "Add", n)[0] }
func Ring(to string)                  { count++; contract.Call(to, "Ring", contract.Self()) }
func CallLoop(to string)              { count++; contract.Call(to, "Loop") }
func Sleepy(to string)                { time.Sleep(time.Hour); contract.Call(to, "Add", int64(1)) }
func Pay(to string, coins int64)      { count += 1000; contract.Send(to, coins) }
func BadEvent()                       { contract.Emit("no such kind") }
func Who() (string, string, int64)    { return contract.Caller(), contract.Self(), contract.Paid() }
`

// doubled is a source with a constant of 32 MiB.
var doubled = func() string {
	text := "package x\n\nconst S0 = \"" + strings.Repeat("x", 1024) + "\"\n"
	for i := range 15 {
		text += fmt.Sprintf("const S%d = S%d + S%[2]d\n", i+1, i)
	}
	return text + "\nfunc F() int { return len(S15) }\n"
}()

// TestBadTransactions: what is no transaction, or asks for too much, has a code and no effect.
func TestBadTransactions(t *testing.T) {
	s := newSolo(t, testGenesis(t), Options{}, nil)
	tx := Tx{Send: &Send{To: account(2), Coins: 1}, Gas: 100_000, Price: 1}
	signed := func(chain string, tx Tx) []byte {
		raw, err := tx.Sign(chain, testKey(1))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	with := func(change func(*Tx)) []byte {
		tx := tx
		change(&tx)
		return signed(testChain, tx)
	}
	good := signed(testChain, tx)
	flipped := bytes.Clone(good)
	flipped[len(flipped)-3] ^= 1
	poor, err := tx.Sign(testChain, testKey(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		raw  []byte
		want Code
	}{
		{"nothing", nil, CodeEncoding},
		{"garbage", bytes.Repeat([]byte{0xab}, 300), CodeEncoding},
		{"garbage of the version", append([]byte{1}, bytes.Repeat([]byte{0xab}, 300)...), CodeEncoding},
		{"10 MB", make([]byte, 10<<20), CodeSize},
		{"a flipped bit", flipped, CodeSignature},
		{"another chain's", signed("other", tx), CodeSignature},
		{"gas above the block's", with(func(t *Tx) { t.Gas = 1 << 60 }), CodeGasLimit},
		{"negative gas", with(func(t *Tx) { t.Gas = -1 }), CodeGasLimit},
		{"too little gas", with(func(t *Tx) { t.Gas = 1000 }), CodeGasLimit},
		{"no price", with(func(t *Tx) { t.Price = 0 }), CodePrice},
		{"a price above all coins", with(func(t *Tx) { t.Price = 1 << 60 }), CodePrice},
		{"the nonce after next", with(func(t *Tx) { t.Nonce = 1 }), CodeNonce},
		{"two things", with(func(t *Tx) { t.Call = callOf("x", "F") }), CodeEncoding},
		{"nothing to do", with(func(t *Tx) { t.Send = nil }), CodeEncoding},
		{"no program", with(func(t *Tx) { t.Send, t.Deploy, t.Gas = nil, &Deploy{Name: "x"}, 1e8 }), CodeEncoding},
		{"no coins for gas", poor, CodeFunds},
	} {
		before, err := s.Query(t.Context(), &abci.RequestQuery{Path: QueryAccount, Data: []byte(account(1))})
		if err != nil {
			t.Fatal(err)
		}
		check, err := s.CheckTx(t.Context(), &abci.RequestCheckTx{Tx: c.raw})
		if err != nil {
			t.Fatal(err)
		}
		if Code(check.Code) != c.want {
			t.Errorf("%s: CheckTx has %v: %s, want %v", c.name, Code(check.Code), check.Log, c.want)
		}
		if got := s.block(c.raw)[0]; Code(got.Code) != c.want || got.GasUsed != 0 {
			t.Errorf("%s: %v: %s, want %v", c.name, Code(got.Code), got.Log, c.want)
		}
		after, err := s.Query(t.Context(), &abci.RequestQuery{Path: QueryAccount, Data: []byte(account(1))})
		if err != nil || string(after.Value) != string(before.Value) {
			t.Errorf("%s: the account was %s and is %s", c.name, before.Value, after.Value)
		}
	}
	if r := s.block(good)[0]; r.Code != 0 {
		t.Errorf("the good one: %s", r.Log)
	}
	if r := s.block(good)[0]; Code(r.Code) != CodeNonce {
		t.Errorf("the good one again: %v", Code(r.Code))
	}
	// A block has its gas: what does not fit is refused, and can come again.
	s.nonces[1]++
	full := Tx{Send: &Send{To: account(2), Coins: 1}, Gas: 600_000_000}
	a, b := s.sign(1, full), s.sign(2, full)
	if r := s.block(a, b); Code(r[0].Code) != CodeOK || Code(r[1].Code) != CodeBlockGas {
		t.Errorf("%v, %v", Code(r[0].Code), Code(r[1].Code))
	}
	if r := s.block(b)[0]; r.Code != 0 {
		t.Error(r.Log)
	}
}

// TestFailures: whatever a contract does, its transaction has a code, and everything else goes on.
// Both tiers agree about codes, gas and app hashes.
func TestFailures(t *testing.T) {
	nodes := []*solo{newSolo(t, testGenesis(t), Options{Tier: gyr.TierInterp}, nil)}
	if gyr.CheckNative() == nil {
		nodes = append(nodes, newSolo(t, testGenesis(t), Options{Tier: gyr.TierNative, CheckRuns: true}, nil))
	}
	last := nodes[len(nodes)-1]
	do := func(want Code, key int, tx Tx) {
		t.Helper()
		var first *abci.ExecTxResult
		for _, s := range nodes {
			r := s.do(want, key, tx)
			if first == nil {
				first = r
			}
			if r.GasUsed != first.GasUsed || s.appHash != nodes[0].appHash {
				t.Fatalf("gas %d and %d, app hashes %v and %v: %s", first.GasUsed, r.GasUsed, nodes[0].appHash, s.appHash, r.Log)
			}
			if r.GasUsed > r.GasWanted || r.GasUsed <= 0 {
				t.Fatalf("gas %d of %d", r.GasUsed, r.GasWanted)
			}
		}
	}
	call := func(contract, f string, args ...any) Tx { return Tx{Call: callOf(contract, f, args...)} }
	for _, name := range []string{"a", "b", "c"} {
		do(CodeOK, 0, deployTx(name, source(hostile), nil))
	}
	for _, c := range []struct {
		want Code
		tx   Tx
	}{
		{CodeName, deployTx("a", source(hostile), nil)},
		{CodeName, deployTx("No Name", source(hostile), nil)},
		{CodeCompile, deployTx("x", source("package x\nfunc F() { return 1 }"), nil)},
		{CodeCompile, deployTx("x", source("this is no Go"), nil)},
		{CodeCompile, deployTx("x", source("package x\nimport \"unsafe\"\nvar P unsafe.Pointer"), nil)},
		{CodeCompile, deployTx("x", source("package x\nimport \"example.com/y\"\nvar _ = y.Z"), nil)},
		{CodeCompile, deployTx("x", source("package x\nimport \"github.com/gyrvm/gyr/chain/contract/host\"\nfunc F() { host.Burn(1) }"), nil)},
		{CodeCompile, deployTx("x", Program{Files: map[string][]byte{"../x.go": []byte("package x")}}, nil)},
		{CodeCompile, deployTx("x", Program{Files: map[string][]byte{"README": []byte("x")}}, nil)},
		{CodeCompileSize, deployTx("x", source("package x\nvar X [1 << 40]byte\nfunc F() byte { return X[5] }"), nil)},
		{CodeCompileSize, deployTx("x", source(doubled), nil)},
		{CodeImage, deployTx("x", Program{Image: []byte("no image")}, nil)},
		{CodeOutOfGas, deployTx("x", source("package x\nvar X = f()\nfunc f() int { for {} }"), nil)},
		{CodePanic, deployTx("x", source("package x\nvar X = f()\nfunc f() int { panic(1) }"), nil)},
		{CodeOpen, deployTx("x", source("package x\nimport \"runtime\"\nfunc init() { go func() { select {} }(); runtime.Gosched() }"), nil)},
		{CodeRefused, deployTx("x", source("package x\nimport \"errors\"\nfunc Init() error { return errors.New(\"no\") }"), callOf("", "Init"))},
		{CodeNoContract, call("x", "F")},
		{CodeCall, call("a", "NoSuch")},
		{CodeCall, call("a", clockFunction)},
		{CodeCall, call("a", "Add")},
		{CodeCall, call("a", "Add", "text")},
		{CodeRefused, call("a", "Fail")},
		{CodePanic, call("a", "Panic")},
		{CodePanic, call("a", "Exit")},
		{CodePanic, call("a", "Index", 7)},
		{CodePanic, call("a", "Nil")},
		{CodeOutOfGas, call("a", "Loop")},
		{CodeLimit, Tx{Gas: 500_000_000, Call: callOf("a", "Hog")}},
		{CodeLimit, Tx{Gas: 500_000_000, Call: callOf("a", "Deep", 100_000_000)}},
		{CodeLimit, Tx{Gas: 500_000_000, Call: callOf("a", "Print", 200_000)}},
		{CodeOpen, call("a", "Go")},
		{CodeOpen, call("b", "Open")},
		{CodeNoContract, call("a", "Call", "x", "F")},
		{CodeCall, call("a", "Call", "b", "NoSuch")},
		{CodeRefused, call("a", "Call", "b", "Fail")},
		{CodePanic, call("a", "Call", "b", "Panic")},
		{CodeReentrant, call("a", "Ring", "a")},
		{CodeReentrant, call("a", "Ring", "b")},
		{CodeOutOfGas, call("a", "CallLoop", "b")},
		{CodeOutOfGas, call("a", "Sleepy", "b")},
		{CodeCoins, call("a", "Pay", account(3), 1)},
		{CodeCoins, call("a", "Pay", account(3), -1)},
		{CodeCoins, call("a", "Pay", "no account", 0)},
		{CodeEvent, call("a", "BadEvent")},
		{CodeCoins, Tx{Send: &Send{To: account(3), Coins: 1 << 60}}},
		{CodeCoins, Tx{Send: &Send{To: account(3), Coins: -5}}},
		{CodeOwner, Tx{Upgrade: &Upgrade{Name: "a", Program: source(hostile)}, Gas: 1e8}},
	} {
		do(c.want, 1, c.tx)
		if got := last.ask(0, "a", "Count") + last.ask(0, "b", "Count"); got != "[0][0]" {
			t.Fatalf("%v: the counts are %s", c.want, got)
		}
	}
	// Everything goes on, and calls of calls are paid for.
	do(CodeOK, 1, call("a", "CallAdd", "b", 5))
	do(CodeOK, 1, call("a", "Twice", "c", 5))
	do(CodeOK, 1, Tx{Call: &Call{Contract: "a", Function: "Add", Args: callOf("", "", 1).Args, Coins: 7}})
	do(CodeOK, 1, call("a", "Pay", account(3), 7))
	if got := last.ask(0, "a", "Count") + last.ask(0, "b", "Count") + last.ask(0, "c", "Count"); got != "[1002][5][10]" {
		t.Errorf("the counts are %s", got)
	}
	if got := last.ask(0, "a", "Loop"); !strings.HasPrefix(got, "out of gas") {
		t.Errorf("a query that loops: %s", got)
	}
	if got := last.ask(0, "a", "Fail"); !strings.HasPrefix(got, "refused") {
		t.Errorf("a query that fails: %s", got)
	}
	if got := last.ask(0, "a", "Add", 7) + last.ask(0, "a", "Count"); got != "[1009][1002]" {
		t.Errorf("a query that changes something: %s", got)
	}
	for _, s := range nodes {
		if sum := coins(t, s); sum != 20*1_000_000_000_000 {
			t.Errorf("there are %d coins", sum)
		}
	}
}

// coins returns the sum of all coins.
func coins(t *testing.T, s *solo) (sum int64) {
	t.Helper()
	w, err := s.throwaway(0)
	if err != nil {
		t.Fatal(err)
	}
	err = w.table.all("a/", func(_ string, value []byte) error {
		a, err := decodeAccount(value)
		sum += a.Coins
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestLeftovers: a block in which one call leaves a goroutine behind has the results of all its other
// transactions, also those of the same contract, before and after.
func TestLeftovers(t *testing.T) {
	s := newSolo(t, testGenesis(t), Options{}, nil)
	s.do(CodeOK, 0, deployTx("a", source(hostile), nil))
	s.do(CodeOK, 0, deployTx("b", source(hostile), nil))
	var txs [][]byte
	want := []Code{CodeOK, CodeOpen, CodeOK, CodeOK, CodeOK, CodeRefused, CodeOK}
	for i, c := range []*Call{
		callOf("a", "Add", 1), callOf("b", "Call", "a", "Go"), callOf("b", "CallAdd", "a", 10), callOf("a", "Timer"), // a timer is part of the state
		callOf("a", "Add", 100), callOf("a", "Fail"), callOf("b", "Add", 1),
	} {
		txs = append(txs, s.sign(1+i%3, Tx{Call: c}))
	}
	for i, r := range s.block(txs...) {
		if Code(r.Code) != want[i] {
			t.Errorf("transaction %d: %v: %s", i, Code(r.Code), r.Log)
		}
	}
	if got := s.ask(0, "b", "Count"); got != "[2]" {
		t.Errorf("b has %s", got)
	}
	if got := s.ask(0, "a", "Count"); got != "[1111]" {
		t.Errorf("a has %s", got)
	}
}

// TestDeadline: the end of a deadline halts the node and is no result. The block is executed again by
// a node with more time, and nothing is lost.
func TestDeadline(t *testing.T) {
	backend := store.NewMemory()
	s := newSolo(t, testGenesis(t), Options{}, keepOpen{backend})
	s.do(CodeOK, 0, deployTx("a", source(hostile), nil))
	hash := s.appHash
	raw := s.sign(1, Tx{Gas: 900_000_000, Call: callOf("a", "Loop")})
	s.options.BlockTime = time.Microsecond
	_, err := s.FinalizeBlock(context.Background(), &abci.RequestFinalizeBlock{Height: 2, Txs: [][]byte{raw}, ProposerAddress: make([]byte, 20)})
	if halt := (*HaltError)(nil); !errors.As(err, &halt) || halt.Height != 2 || !strings.Contains(err.Error(), "the node's own limit") {
		t.Fatalf("the deadline: %v", err)
	}
	for _, again := range []func() error{
		func() error { _, err := s.Commit(context.Background(), nil); return err },
		s.Halt,
	} {
		if err := again(); !errors.As(err, new(*HaltError)) {
			t.Errorf("after the halt: %v", err)
		}
	}
	// An error of CheckTx would make CometBFT's mempool panic.
	refuses := func(when, reason string) {
		t.Helper()
		r, err := s.CheckTx(context.Background(), &abci.RequestCheckTx{Tx: raw})
		if err != nil || Code(r.Code) != CodeNode || !strings.Contains(r.Log, reason) {
			t.Errorf("CheckTx after the %s: %v, %v", when, r, err)
		}
	}
	refuses("halt", "the node's own limit")
	s.Close()
	next := reopen(t, s, keepOpen{backend}, Options{})
	if next.appHash != hash || next.height != 1 {
		t.Fatalf("height %d, app hash %v", next.height, next.appHash)
	}
	if r := next.block(raw)[0]; Code(r.Code) != CodeOutOfGas {
		t.Error(r.Log)
	}
	next.Close()
	s = next
	refuses("close", "closed")
}

// keepOpen is a backend that another application opens again.
type keepOpen struct{ store.Backend }

func (keepOpen) Close() error { return nil }

// reopen returns an application over the backend of an earlier one.
func reopen(t testing.TB, before *solo, b store.Backend, o Options) *solo {
	t.Helper()
	s, err := store.New(b)
	if err != nil {
		t.Fatal(err)
	}
	o.Cache = cacheDir()
	a, err := New(s, o)
	if err != nil {
		t.Fatal(err)
	}
	*before.last = a
	return &solo{App: a, last: before.last, t: t, store: s, nonces: before.nonces, price: before.price, height: a.height}
}

// A fullDisk refuses writes from some point on.
type fullDisk struct {
	keepOpen
	full *bool
}

func (f fullDisk) Write(w []store.Write, durable bool) error {
	if *f.full {
		return syscall.ENOSPC
	}
	return f.keepOpen.Write(w, durable)
}

// TestFullDisk: a disk that is full halts the node with an error that says so, and nothing that was
// committed is lost.
func TestFullDisk(t *testing.T) {
	full := false
	backend := fullDisk{keepOpen{store.NewMemory()}, &full}
	s := newSolo(t, testGenesis(t), Options{}, backend)
	s.do(CodeOK, 0, deployTx("a", source(hostile), nil))
	s.do(CodeOK, 1, Tx{Call: callOf("a", "Add", 5)})
	hash := s.appHash
	full = true
	raw := s.sign(1, Tx{Call: callOf("a", "Add", 1)})
	req := &abci.RequestFinalizeBlock{Height: 3, Txs: [][]byte{raw}, ProposerAddress: make([]byte, 20)}
	if _, err := s.FinalizeBlock(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	_, err := s.Commit(context.Background(), nil)
	if !errors.As(err, new(*HaltError)) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "height 3") {
		t.Fatalf("a full disk: %v", err)
	}
	s.Close()
	full = false
	next := reopen(t, s, backend, Options{})
	if next.height != 2 || next.appHash != hash {
		t.Fatalf("height %d, app hash %v, want 2 and %v", next.height, next.appHash, hash)
	}
	if r := next.block(raw)[0]; string(r.Data) != "[6]" {
		t.Errorf("%s %s", r.Data, r.Log)
	}
}

// TestRules: a node with another version, release or limits does not follow a chain, neither from the
// genesis nor from a store.
func TestRules(t *testing.T) {
	for _, change := range []func(*Rules){
		func(r *Rules) { r.Determinism = "1" },
		func(r *Rules) { r.Go = "go1.25.0" },
		func(r *Rules) { r.Chain = 99 },
		func(r *Rules) { r.Memory = 0 },
		func(r *Rules) { r.BlockGas = -1 },
	} {
		g := testGenesis(t)
		change(&g.Rules)
		if _, err := parseGenesis([]byte(jsonText(g))); err == nil {
			t.Errorf("a genesis with %+v is accepted", g.Rules)
		}
	}
	backend := store.NewMemory()
	s := newSolo(t, testGenesis(t), Options{}, keepOpen{backend})
	s.info.Rules.Go = "go1.25.0"
	s.block()
	s.Close()
	again, err := store.New(keepOpen{backend})
	if err != nil {
		t.Fatal(err)
	}
	var wrong *RulesError
	if _, err := New(again, Options{}); !errors.As(err, &wrong) || wrong.What != "Go release" || wrong.Chain != "go1.25.0" {
		t.Errorf("a store of another release: %v", err)
	}
}

// TestTable: the table has the records of a map, and the same tree if it is read from the store again
// and again.
func TestTable(t *testing.T) {
	model := map[string]string{}
	a := newSolo(t, testGenesis(t), Options{}, nil)
	w, err := a.openLocked()
	if err != nil {
		t.Fatal(err)
	}
	tab := w.table
	r := rand.New(rand.NewPCG(1, 2))
	key := func() string {
		n := r.IntN(3000)
		if n < 300 { // many in one bucket
			for i := 0; ; i++ {
				if k := "x/" + strings.Repeat("k", n) + jsonText(i); bucket(k) == 7 {
					return k[:min(len(k), 255)]
				}
			}
		}
		return "x/" + jsonText(n)
	}
	for range 4000 {
		k, v := key(), strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(60))
		if err := tab.set(k, []byte(v)); err != nil {
			t.Fatal(err)
		}
		model[k] = v
		if r.IntN(500) == 0 {
			a.height++
			if _, err := a.FinalizeBlock(context.Background(), &abci.RequestFinalizeBlock{Height: a.height, ProposerAddress: make([]byte, 20)}); err != nil {
				t.Fatal(err)
			}
			if _, err := a.Commit(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			clear(tab.pages)
		}
	}
	if len(tab.dirty) == 0 || len(model) < 1000 {
		t.Error("the test does too little")
	}
	for k, v := range model {
		if got, err := tab.get(k); err != nil || string(got) != v {
			t.Fatalf("%q is %q, %v, want %q", k, got, err, v)
		}
	}
	n := 0
	if err := tab.all("x/", func(k string, v []byte) error {
		n++
		if model[k] != string(v) {
			t.Errorf("%q is %q", k, v)
		}
		return nil
	}); err != nil || n != len(model) {
		t.Errorf("%d records of %d, %v", n, len(model), err)
	}
	if got, err := tab.get("x/none"); got != nil || err != nil {
		t.Error(got, err)
	}
}
