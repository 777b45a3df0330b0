package chain

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/store"
)

var transactions = flag.Int("transactions", 2000, "`number` of transactions of TestModel; 100000 is the long form")

// A model is what the contracts token and board should have, and what accounts should.
type model struct {
	balances map[string]int64
	allowed  map[string]int64 // "from to"
	supply   int64
	posts    int64
	coins    map[string]int64
	nonces   map[string]uint64
}

func (m *model) clone() *model {
	c := *m
	c.balances, c.allowed, c.coins, c.nonces = maps.Clone(m.balances), maps.Clone(m.allowed), maps.Clone(m.coins), maps.Clone(m.nonces)
	return &c
}

// do does what a transaction should do, and reports whether it should succeed.
func (m *model) do(sender string, tx *Tx) bool {
	if tx.Send != nil {
		if tx.Send.Coins < 0 || m.coins[sender] < tx.Send.Coins {
			return false
		}
		m.coins[sender] -= tx.Send.Coins
		m.coins[tx.Send.To] += tx.Send.Coins
		return true
	}
	text := func(i int) (s string) { json.Unmarshal(tx.Call.Args[i], &s); return s }
	number := func(i int) (n int64) { json.Unmarshal(tx.Call.Args[i], &n); return n }
	move := func(from, to string, n int64) bool {
		if n <= 0 || m.balances[from] < n {
			return false
		}
		m.balances[from] -= n
		m.balances[to] += n
		return true
	}
	switch tx.Call.Function {
	case "Mint":
		if sender != account(0) || number(1) <= 0 {
			return false
		}
		m.supply += number(1)
		m.balances[text(0)] += number(1)
		return true
	case "Transfer":
		return move(sender, text(0), number(1))
	case "Allow":
		if number(1) < 0 {
			return false
		}
		m.allowed[sender+" "+text(0)] = number(1)
		return true
	case "TransferFrom":
		key := text(0) + " " + sender
		if m.allowed[key] < number(2) || !move(text(0), text(1), number(2)) {
			return false
		}
		m.allowed[key] -= number(2)
		return true
	case "Post":
		key := sender + " board"
		if m.allowed[key] < 5 || !move(sender, "board", 5) {
			return false
		}
		m.allowed[key] -= 5
		m.posts++
		return true
	}
	panic(tx.Call.Function)
}

func randomTx(r *rand.Rand) Tx {
	who := func() string { return account(r.IntN(8)) }
	switch r.IntN(12) {
	case 0, 1:
		return Tx{Call: callOf("token", "Mint", who(), r.Int64N(60)-5)}
	case 2, 3:
		return Tx{Call: callOf("token", "Allow", []string{"board", who()}[r.IntN(2)], r.Int64N(50)-2)}
	case 4, 5:
		return Tx{Call: callOf("token", "TransferFrom", who(), who(), r.Int64N(20)-1)}
	case 6, 7:
		return Tx{Call: callOf("board", "Post", fmt.Sprint("thread", r.IntN(4)), "text")}
	case 8:
		return Tx{Send: &Send{To: who(), Coins: r.Int64N(2_000) - 100}}
	}
	return Tx{Call: callOf("token", "Transfer", who(), r.Int64N(40)-2)}
}

// TestModel: random transactions, on two nodes of different tiers that are closed and opened again in
// any tier, give equal app hashes and results, and what a model has. One node keeps one instance.
func TestModel(t *testing.T) {
	backends := []store.Backend{keepOpen{store.NewMemory()}, keepOpen{store.NewMemory()}}
	options := func(i int) Options { return Options{Tier: tierOf(i), MaxLive: 1 + 100*i, Keep: 5} }
	g := testGenesis(t)
	g.Rules.CompactEvery = 10
	var nodes []*solo
	for i := range 2 {
		nodes = append(nodes, newSolo(t, g, options(i), backends[i]))
	}
	m := &model{balances: map[string]int64{}, allowed: map[string]int64{}, coins: map[string]int64{}, nonces: map[string]uint64{}}
	for who, c := range g.Accounts {
		m.coins[who] = c
	}
	r := rand.New(rand.NewPCG(42, 1))
	proposer := fmt.Sprintf("%040x", 0)
	ends := map[string]int{}
	var rawBlocks [][]byte
	height := int64(0)
	block := func(raw [][]byte) []*abci.ExecTxResult {
		t.Helper()
		height++
		var first []*abci.ExecTxResult
		for i, n := range nodes {
			results := n.block(raw...)
			if i == 0 {
				first = results
				continue
			}
			if n.appHash != nodes[0].appHash {
				t.Fatalf("height %d: app hashes %v and %v", height, nodes[0].appHash, n.appHash)
			}
			for k := range results {
				if results[k].String() != first[k].String() {
					t.Fatalf("height %d: results\n%v\n%v", height, first[k], results[k])
				}
			}
		}
		return first
	}
	sent := func(key int, tx Tx) (Tx, []byte) {
		tx.Nonce, tx.Price = m.nonces[account(key)], 1+r.Int64N(3)
		if tx.Gas == 0 {
			tx.Gas = 2_000_000
		}
		raw, err := tx.Sign(testChain, testKey(key))
		if err != nil {
			t.Fatal(err)
		}
		return tx, raw
	}
	paid := func(m *model, sender string, tx *Tx, result *abci.ExecTxResult) {
		m.nonces[sender]++
		c := cost(result.GasUsed, tx.Price)
		m.coins[sender] -= c
		m.coins[proposer] += c
	}
	for _, d := range []Tx{
		deployTx("token", example(t, "token"), callOf("", "Init")),
		deployTx("board", example(t, "board"), callOf("", "Init", "token", 5)),
	} {
		tx, raw := sent(0, d)
		result := block([][]byte{raw})[0]
		if result.Code != 0 {
			t.Fatal(result.Log)
		}
		paid(m, account(0), &tx, result)
	}
	for done := 0; done < *transactions; {
		type one struct {
			sender string
			tx     Tx
			short  bool // of gas
			wrong  bool // its nonce
		}
		var list []one
		var raw [][]byte
		ahead := map[string]uint64{}
		for range 1 + r.IntN(40) {
			key := r.IntN(8)
			o := one{sender: account(key), tx: randomTx(r)}
			switch r.IntN(12) {
			case 0:
				o.short = true
				o.tx.Gas = 65_000 + r.Int64N(60_000)
			case 1:
				o.wrong = true
			}
			o.tx.Nonce, o.tx.Price = m.nonces[o.sender]+ahead[o.sender], 1+r.Int64N(3)
			if o.tx.Gas == 0 {
				o.tx.Gas = 2_000_000
			}
			if o.wrong {
				o.tx.Nonce += 5
			} else {
				ahead[o.sender]++
			}
			b, err := o.tx.Sign(testChain, testKey(key))
			if err != nil {
				t.Fatal(err)
			}
			list, raw = append(list, o), append(raw, b)
		}
		rawBlocks = append(rawBlocks, raw[0])
		for i, result := range block(raw) {
			o := list[i]
			done++
			if o.wrong {
				if Code(result.Code) != CodeNonce {
					t.Fatalf("a wrong nonce: %v %s", Code(result.Code), result.Log)
				}
				ends["nonce"]++
				continue
			}
			m.coins[o.sender] -= cost(o.tx.Gas, o.tx.Price) // reserved while it runs
			next := m.clone()
			ok := next.do(o.sender, &o.tx)
			m.coins[o.sender] += cost(o.tx.Gas, o.tx.Price)
			next.coins[o.sender] += cost(o.tx.Gas, o.tx.Price)
			switch code := Code(result.Code); {
			case code == CodeOutOfGas && o.short:
				ends["out of gas"]++
			case code == CodeOK && ok:
				ends["done"]++
				m = next
			case (code == CodeRefused || code == CodeCoins) && !ok:
				ends["refused"]++
			default:
				t.Fatalf("height %d, %+v: %v %s, the model says %v", height, o.tx.Call, code, result.Log, ok)
			}
			paid(m, o.sender, &o.tx, result)
		}
		if i := r.IntN(8); i < len(nodes) {
			ends["restarted"]++
			nodes[i].Close()
			o := options(i)
			o.Tier = tierOf(r.IntN(2))
			nodes[i] = reopen(t, nodes[i], backends[i], o)
		}
	}
	for i, n := range nodes {
		w, err := n.throwaway(0)
		if err != nil {
			t.Fatal(err)
		}
		for who, c := range m.coins {
			a, err := w.account(who)
			if err != nil || a.Coins != c || a.Nonce != m.nonces[who] {
				t.Errorf("node %d, account %s: %+v, %v; the model has %d, nonce %d", i, who, a, err, c, m.nonces[who])
			}
		}
		for key := range 8 {
			if got, want := n.ask(0, "token", "Balance", account(key)), fmt.Sprintf("[%d]", m.balances[account(key)]); got != want {
				t.Errorf("node %d, balance %d: %s, want %s", i, key, got, want)
			}
		}
		if got, want := n.ask(0, "token", "Supply"), fmt.Sprintf("[%d]", m.supply); got != want {
			t.Errorf("node %d: supply %s, want %s", i, got, want)
		}
		if got := n.ask(0, "token", "Balance", "board"); got != fmt.Sprintf("[%d]", m.balances["board"]) || m.posts*5 != m.balances["board"] {
			t.Errorf("node %d: the board has %s for %d posts", i, got, m.posts)
		}
		// Five heights are kept, and no more.
		if entries, err := n.App.store.Entries(tableName); err != nil || len(entries) != 5 {
			t.Errorf("node %d keeps %d heights, %v", i, len(entries), err)
		}
		if err := n.App.store.Check(func(err error) { t.Errorf("node %d: %v", i, err) }); err != nil {
			t.Error(err)
		}
	}
	for _, end := range []string{"done", "refused", "out of gas", "nonce", "restarted"} {
		if ends[end] < 5 {
			t.Errorf("%d were %s", ends[end], end)
		}
	}
	t.Logf("%d heights, %v", height, ends)
}

const (
	shop1 = "package shop\n\ntype Item struct { Price int64 }\n\nvar items = map[string]*Item{}\n\nfunc Set(name string, price int64) { items[name] = &Item{price} }\nfunc Price(name string) int64 { return items[name].Price }\n"
	// The same types, another function.
	shop2 = shop1 + "\nfunc Count() int64 { return int64(len(items)) }\n"
	// A field more, and functions that take the data along.
	shop3 = "package shop\n\ntype Item struct { Price, Sold int64 }\n\nvar items = map[string]*Item{}\n\nfunc Set(name string, price int64) { items[name] = &Item{Price: price} }\nfunc Price(name string) int64 { return items[name].Price }\n" +
		"func Sell(name string) int64 { items[name].Sold++; return items[name].Sold }\n" +
		"func Import(prices map[string]int64) { for n, p := range prices { items[n] = &Item{Price: p} } }\n"
	shopExport = "\nfunc Export() map[string]int64 { m := map[string]int64{}; for n, i := range items { m[n] = i.Price }; return m }\n"
)

// TestUpgrade: a contract gets new code with its state, or with what the old code exports; what does
// not fit is a code and changes nothing. A node that is opened again compiles the same versions.
func TestUpgrade(t *testing.T) {
	for _, tier := range []gyr.Tier{tierOf(0), tierOf(1)} {
		backend := keepOpen{store.NewMemory()}
		s := newSolo(t, testGenesis(t), Options{Tier: tier}, backend)
		upgrade := func(want Code, key int, text, export string) *abci.ExecTxResult {
			t.Helper()
			u := &Upgrade{Name: "shop", Program: source(text)}
			if export != "" {
				u.Export, u.Import = export, "Import"
			}
			return s.do(want, key, Tx{Gas: 900_000_000, Upgrade: u})
		}
		s.do(CodeOK, 0, deployTx("shop", source(shop1), nil))
		s.do(CodeOK, 1, Tx{Call: callOf("shop", "Set", "tea", 7)})
		upgrade(CodeOwner, 1, shop2, "")
		upgrade(CodeUpgrade, 0, shop3, "") // another type
		upgrade(CodeCompile, 0, "package shop\nfunc", "")
		if got := s.ask(0, "shop", "Count"); got != `call: no function "Count"` {
			t.Error(got)
		}
		r := upgrade(CodeOK, 0, shop2+shopExport, "")
		if got := s.ask(0, "shop", "Count") + s.ask(0, "shop", "Price", "tea"); got != "[1][7]" {
			t.Errorf("after an upgrade: %s", got)
		}
		if got := s.ask(s.height-1, "shop", "Count"); got != `call: no function "Count"` {
			t.Errorf("before it: %s", got)
		}
		s.Close()
		s = reopen(t, s, backend, Options{Tier: tier})
		s.do(CodeOK, 1, Tx{Call: callOf("shop", "Set", "salt", 3)})
		upgrade(CodeCall, 0, shop3, "NoSuch")
		s.do(CodeOutOfGas, 0, Tx{Gas: 8_000_000, Upgrade: &Upgrade{Name: "shop", Program: source(shop3 + "\nvar x = f()\nfunc f() int { for {} }\n"), Export: "Export", Import: "Import"}})
		m := upgrade(CodeOK, 0, shop3, "Export")
		s.do(CodeOK, 1, Tx{Call: callOf("shop", "Sell", "tea")})
		if got := s.ask(0, "shop", "Price", "salt") + s.ask(0, "shop", "Sell", "tea"); got != "[3][2]" {
			t.Errorf("after a migration: %s", got)
		}
		s.Close()
		s = reopen(t, s, backend, Options{Tier: tier})
		s.do(CodeOK, 1, Tx{Call: callOf("shop", "Sell", "tea")})
		t.Logf("%s: app hash %v; an upgrade takes %d units, a migration %d", tier, s.appHash, r.GasUsed, m.GasUsed)
	}
}

// TestImage: a contract is deployed as an image, and calls others.
func TestImage(t *testing.T) {
	g := testGenesis(t)
	s := newSolo(t, g, Options{}, nil)
	image, err := BuildImage(t.Context(), &g.Rules, example(t, "board").Files)
	if err != nil {
		t.Fatal(err)
	}
	s.do(CodeOK, 0, deployTx("token", example(t, "token"), callOf("", "Init")))
	s.do(CodeOK, 0, Tx{Gas: 900_000_000, Deploy: &Deploy{Name: "board", Program: Program{Image: image}, Init: callOf("", "Init", "token", 5)}})
	s.do(CodeOK, 0, Tx{Call: callOf("token", "Mint", account(0), 5)})
	s.do(CodeOK, 0, Tx{Call: callOf("token", "Allow", "board", 5)})
	s.do(CodeOK, 0, Tx{Call: callOf("board", "Post", "a", "b")})
	for i := range 20 {
		damaged := append([]byte{}, image...)
		damaged[len(damaged)*(i+1)/21] ^= 0x10
		r := s.block(s.sign(1, Tx{Gas: 900_000_000, Deploy: &Deploy{Name: fmt.Sprint("d", i), Program: Program{Image: damaged}}}))[0]
		if code := Code(r.Code); code != CodeImage && code != CodeOK && code != CodePanic && code != CodeOutOfGas && code != CodeLimit {
			t.Errorf("a damaged image: %v: %s", code, r.Log)
		}
	}
	t.Logf("an image of %d bytes", len(image))
}
