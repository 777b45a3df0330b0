package chain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	dbm "github.com/cometbft/cometbft-db"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/store"
)

// A network is some nodes in this process.
type network struct {
	t     testing.TB
	dir   string
	port  int
	nodes []*Node
	logs  []*lockedBuffer
	keys  []ed25519.PrivKey
	mu    sync.Mutex
	nonce map[int]uint64
	dbs   map[string]keptDB
}

// A keptDB is a database of CometBFT that outlives its node, as a disk does.
type keptDB struct{ dbm.DB }

func (keptDB) Close() error { return nil }

// A lockedBuffer is the log of a node.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// freePorts returns the first of some ports that nobody uses.
func freePorts(t testing.TB, n int) int {
	t.Helper()
	for port := 30000 + int(time.Now().UnixNano()/1000%20000); ; port += n {
		free := true
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+i))
			if err != nil {
				free = false
				break
			}
			l.Close()
		}
		if free {
			return port
		}
	}
}

// newNetwork makes the files of a network. Its nodes are started one by one.
func newNetwork(t testing.TB, validators, others int, rules func(*Rules)) *network {
	t.Helper()
	n := &network{t: t, dir: t.TempDir(), port: freePorts(t, 10*(validators+others)), nonce: map[int]uint64{}, dbs: map[string]keptDB{}}
	g := testGenesis(t)
	if rules != nil {
		rules(&g.Rules)
	}
	err := WriteNetwork(NetworkConfig{
		Dir: n.dir, Validators: validators, Others: others, ChainID: testChain, Rules: g.Rules, Accounts: 8, Coins: 1_000_000_000_000,
		Host: "127.0.0.1", Port: n.port, Commit: 50 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		key, err := ReadKey(filepath.Join(n.dir, "keys", fmt.Sprintf("key%d.json", i)))
		if err != nil {
			t.Fatal(err)
		}
		n.keys = append(n.keys, key)
	}
	n.nodes = make([]*Node, validators+others)
	n.logs = make([]*lockedBuffer, validators+others)
	t.Cleanup(func() {
		for i := range n.nodes {
			n.stop(i)
		}
		if t.Failed() {
			for i, l := range n.logs {
				if l != nil {
					text := l.String()
					t.Logf("node %d:\n%s", i, text[max(0, len(text)-3000):])
				}
			}
		}
	})
	return n
}

func (n *network) home(i int) string { return filepath.Join(n.dir, fmt.Sprintf("node%d", i)) }

// config reads the configuration of a node, as the command does.
func (n *network) config(i int) *cfg.Config {
	n.t.Helper()
	c, err := ReadConfig(n.home(i))
	if err != nil {
		n.t.Fatal(err)
	}
	return c
}

// tierOf mixes tiers: nodes with an even number interpret.
func tierOf(i int) gyr.Tier {
	if i%2 == 1 && gyr.CheckNative() == nil {
		return gyr.TierNative
	}
	return gyr.TierInterp
}

// start starts a node. change may change its options and configuration; wrap its backend.
func (n *network) start(i int, change func(*Options, *cfg.Config), s *store.Store) *Node {
	n.t.Helper()
	o := Options{Tier: tierOf(i), Cache: cacheDir(), openDB: func(c *cfg.DBContext) (dbm.DB, error) {
		id := fmt.Sprint(i, c.ID)
		if _, ok := n.dbs[id]; !ok {
			n.dbs[id] = keptDB{dbm.NewMemDB()}
		}
		return n.dbs[id], nil
	}}
	c := n.config(i)
	if change != nil {
		change(&o, c)
	}
	var err error
	if s == nil {
		if s, err = OpenStore(c.RootDir); err != nil {
			n.t.Fatal(err)
		}
	}
	n.logs[i] = new(lockedBuffer)
	node, err := NewNode(c, s, o, testLogger(n.logs[i]))
	if err != nil {
		n.t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.nodes[i] = node
	return node
}

func testLogger(w io.Writer) log.Logger { return log.NewFilter(log.NewTMLogger(w), log.AllowError()) }

func (n *network) stop(i int) {
	if n.nodes[i] != nil {
		n.nodes[i].Stop()
		n.nodes[i] = nil
	}
}

// await waits until something holds. The limit is for tests that would hang otherwise.
func (n *network) await(what string, holds func() bool) {
	n.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			n.t.Fatalf("waited three minutes for: %s", what)
		}
	}
}

// reach waits until nodes have a height.
func (n *network) reach(height int64, nodes ...int) {
	n.t.Helper()
	for _, i := range nodes {
		n.await(fmt.Sprintf("node %d at height %d", i, height), func() bool {
			if err := n.nodes[i].Reason(); err != nil {
				n.t.Fatal(err)
			}
			h, _ := n.nodes[i].App.Height()
			return h >= height
		})
	}
}

// sign signs a transaction with the next nonce of a key.
func (n *network) sign(key int, tx Tx) []byte {
	n.t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	tx.Nonce, tx.Price = n.nonce[key], 1
	if tx.Gas == 0 {
		tx.Gas = 1_000_000
	}
	raw, err := tx.Sign(testChain, n.keys[key])
	if err != nil {
		n.t.Fatal(err)
	}
	n.nonce[key]++
	return raw
}

// do sends a transaction to a node and waits until it is committed there.
func (n *network) do(node, key int, tx Tx) (code Code, text string) {
	n.t.Helper()
	r, err := n.nodes[node].Client().BroadcastTxCommit(context.Background(), n.sign(key, tx))
	if err != nil {
		n.t.Fatal(err)
	}
	if r.CheckTx.Code != 0 {
		return Code(r.CheckTx.Code), r.CheckTx.Log
	}
	return Code(r.TxResult.Code), r.TxResult.Log
}

func (n *network) must(node, key int, tx Tx) {
	n.t.Helper()
	if code, text := n.do(node, key, tx); code != CodeOK {
		n.t.Fatalf("%v: %s", code, text)
	}
}

func (n *network) account(key int) string { return Account(n.keys[key].PubKey()) }

// ask calls a function of a contract at the last height of a node.
func (n *network) ask(node int, contract, function string, args ...any) string {
	n.t.Helper()
	data, err := json.Marshal(callOf(contract, function, args...))
	if err != nil {
		n.t.Fatal(err)
	}
	r, err := n.nodes[node].Client().ABCIQuery(context.Background(), QueryCall, data)
	if err != nil {
		n.t.Fatal(err)
	}
	return string(r.Response.Value) + r.Response.Log
}

// equal compares app hashes of nodes over all heights that they have.
func (n *network) equal(nodes ...int) int64 {
	n.t.Helper()
	height := int64(1 << 60)
	for _, i := range nodes {
		h, _ := n.nodes[i].App.Height()
		height = min(height, h)
	}
	for h := int64(1); h <= height; h++ {
		hashes := map[string]string{}
		for _, i := range nodes {
			v, err := n.nodes[i].App.store.Open(tableName, uint64(h))
			if err == nil {
				hashes[v.Entry().Root.String()] += fmt.Sprint(" ", i)
			}
		}
		if len(hashes) > 1 {
			n.t.Fatalf("height %d: app hashes by nodes %v", h, hashes)
		}
	}
	return height
}

// TestFourValidators: four validators with tiers mixed have equal app hashes.
func TestFourValidators(t *testing.T) {
	n := newNetwork(t, 4, 0, nil)
	for i := range 4 {
		n.start(i, nil, nil)
	}
	n.must(0, 0, deployTx("token", example(t, "token"), callOf("", "Init")))
	n.must(1, 1, deployTx("board", example(t, "board"), callOf("", "Init", "token", 5)))
	for key := range 4 {
		n.must(key, 0, Tx{Call: callOf("token", "Mint", n.account(key), 100)})
	}
	for round := range 5 {
		for key := range 4 {
			if _, err := n.nodes[key].Client().BroadcastTxSync(context.Background(), n.sign(key, Tx{Call: callOf("token", "Transfer", n.account((key+1)%4), 1+round)})); err != nil {
				t.Fatal(err)
			}
		}
	}
	for key := range 4 {
		n.must(key, key, Tx{Call: callOf("token", "Allow", "board", 1000)})
		n.must(key, key, Tx{Call: callOf("board", "Post", "news", fmt.Sprint("by ", key))})
	}
	for i := range 4 {
		h, _ := n.nodes[i].App.Height()
		n.reach(h, 0, 1, 2, 3)
	}
	heights := n.equal(0, 1, 2, 3)
	for i := range 4 {
		if got := n.ask(i, "token", "Supply"); got != "[400]" {
			t.Errorf("node %d: supply %s", i, got)
		}
		if got := n.ask(i, "board", "Read", "news"); strings.Count(got, "by ") != 4 {
			t.Errorf("node %d: %s", i, got)
		}
	}
	t.Logf("%d heights, 4 nodes, equal app hashes", heights)
}
