package chain

import (
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	rpchttp "github.com/cometbft/cometbft/rpc/client/http"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/store"
)

var (
	kills      = flag.Int("kills", 2, "`number` of kills of one validator, and of all, of TestKill; 50 is the long form")
	partitions = flag.Int("partitions", 1, "`number` of partitions of TestPartition; 10 is the long form")
)

// load sends transfers to some nodes until it is stopped or the test ends, and returns how many were
// accepted.
func (n *network) load(stop *atomic.Bool, nodes ...int) (accepted *atomic.Int64, done chan struct{}) {
	accepted, done = new(atomic.Int64), make(chan struct{})
	n.t.Cleanup(func() { stop.Store(true); <-done })
	go func() {
		defer close(done)
		for i := 0; !stop.Load(); i++ {
			key := 4 + i%4
			n.mu.Lock()
			node := n.nodes[nodes[i%len(nodes)]]
			if node == nil {
				n.mu.Unlock()
				continue
			}
			tx := Tx{Nonce: n.nonce[key], Price: 1, Gas: 1_000_000, Call: callOf("token", "Allow", fmt.Sprint("spender", i%50), i)}
			raw, err := tx.Sign(testChain, n.keys[key])
			if err == nil {
				var r, broadcast = node.Client().BroadcastTxSync(context.Background(), raw)
				if broadcast == nil && r.Code == 0 {
					n.nonce[key]++
					accepted.Add(1)
				}
			}
			n.mu.Unlock()
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return accepted, done
}

// TestDivergence: a validator that computes otherwise halts and names its app hash. The others go on.
// So does a validator whose disk is full, until it has room and is started again; nothing is lost.
func TestDivergence(t *testing.T) {
	n := newNetwork(t, 4, 0, nil)
	full := new(bool)
	for i := range 4 {
		var s *store.Store
		if i == 2 {
			b, err := OpenBackend(n.home(i))
			if err != nil {
				t.Fatal(err)
			}
			if s, err = store.New(diskOf{b, full}); err != nil {
				t.Fatal(err)
			}
		}
		n.start(i, func(o *Options, _ *cfg.Config) {
			if i == 3 {
				o.change = func(w *world, height int64) {
					if height == 5 {
						w.setAccount(n.account(0), AccountRecord{Coins: 1})
					}
				}
			}
		}, s)
	}
	n.await("node 3 to halt", func() bool { return n.nodes[3].Reason() != nil })
	reason := n.nodes[3].Reason()
	_, hash := n.nodes[3].App.Height()
	if !errors.As(reason, new(*HaltError)) || !strings.Contains(reason.Error(), strings.ToUpper(hash.String())) {
		t.Errorf("node 3 halts with: %v", reason)
	}
	h, _ := n.nodes[3].App.Height()
	n.reach(h+3, 0, 1, 2)
	n.equal(0, 1, 2)
	t.Logf("node 3 halted: %v", reason)

	// The other three are just enough, so that a full disk stops the chain, and room lets it go on.
	*full = true
	n.await("node 2 to halt", func() bool { return n.nodes[2].Reason() != nil })
	if reason := n.nodes[2].Reason(); !errors.Is(reason, syscall.ENOSPC) || !strings.Contains(reason.Error(), "halted at height") {
		t.Errorf("node 2 halts with: %v", reason)
	}
	committed, before := n.nodes[2].App.Height()
	n.stop(2)
	*full = false
	n.start(2, nil, nil)
	if v, err := n.nodes[2].App.store.Open(tableName, uint64(committed)); err != nil || v.Entry().Root != before {
		t.Errorf("height %d, which was committed, is %v, %v", committed, v, err)
	}
	n.reach(committed+3, 0, 1, 2)
	n.equal(0, 1, 2)
}

// A diskOf is a backend with a disk that may be full.
type diskOf struct {
	store.Backend
	full *bool
}

func (d diskOf) Write(w []store.Write, durable bool) error {
	if *d.full {
		return syscall.ENOSPC
	}
	return d.Backend.Write(w, durable)
}

// TestPartition: two validators and two others do not hear each other for a while. No height is
// decided twice, and all go on when they do.
func TestPartition(t *testing.T) {
	n := newNetwork(t, 4, 0, nil)
	for i := range 4 {
		n.start(i, nil, nil)
	}
	n.must(0, 0, deployTx("token", example(t, "token"), callOf("", "Init")))
	var stop atomic.Bool
	accepted, done := n.load(&stop, 0, 1, 2, 3)
	for range *partitions {
		// Nodes 2 and 3 start again with each other as their only peers.
		for _, i := range []int{2, 3} {
			n.stopLocked(i)
		}
		for _, i := range []int{2, 3} {
			n.startLocked(i, func(_ *Options, c *cfg.Config) {
				c.P2P.PersistentPeers = n.peer(5 - i)
				c.P2P.PexReactor = false
				// The others dial, and are refused.
				c.P2P.MaxNumInboundPeers = 0
				c.P2P.UnconditionalPeerIDs = strings.Split(n.peer(5-i), "@")[0]
			})
		}
		n.await("two sides of two", func() bool {
			return len(n.nodes[0].Comet.Switch().Peers().List()) == 1 && len(n.nodes[2].Comet.Switch().Peers().List()) == 1
		})
		a, _ := n.nodes[0].App.Height()
		b, _ := n.nodes[2].App.Height()
		time.Sleep(2 * time.Second)
		a2, _ := n.nodes[0].App.Height()
		b2, _ := n.nodes[2].App.Height()
		if a2 > a+1 || b2 > b+1 {
			t.Errorf("half of the validators decide heights: %d to %d, and %d to %d", a, a2, b, b2)
		}
		for _, i := range []int{2, 3} {
			n.stopLocked(i)
			n.startLocked(i, nil)
		}
		n.reach(max(a2, b2)+3, 0, 1, 2, 3)
	}
	stop.Store(true)
	<-done
	n.reach(2, 0, 1, 2, 3)
	heights := n.equal(0, 1, 2, 3)
	t.Logf("%d partitions, %d heights, %d transactions accepted, no height twice", *partitions, heights, accepted.Load())
}

func (n *network) stopLocked(i int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stop(i)
}

func (n *network) startLocked(i int, change func(*Options, *cfg.Config)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.start(i, change, nil)
}

// peer returns the address of a node.
func (n *network) peer(i int) string {
	for _, p := range strings.Split(n.config((i+1)%len(n.nodes)).P2P.PersistentPeers, ",") {
		if strings.HasSuffix(p, fmt.Sprintf(":%d", n.port+10*i+6)) {
			return p
		}
	}
	panic(i)
}

// A liar is an application that sends garbage in place of chunks.
type liar struct {
	*App
	sent atomic.Int64
}

func (l *liar) LoadSnapshotChunk(ctx context.Context, req *abci.RequestLoadSnapshotChunk) (*abci.ResponseLoadSnapshotChunk, error) {
	r, err := l.App.LoadSnapshotChunk(ctx, req)
	if err == nil && len(r.Chunk) > 0 {
		l.sent.Add(1)
		r.Chunk = append([]byte("garbage"), r.Chunk[7:]...)
	}
	return r, err
}

// TestStateSync: a fresh node begins with a snapshot, by CometBFT's own syncer, and a peer that sends
// garbage. A contract is upgraded meanwhile, under load.
func TestStateSync(t *testing.T) {
	n := newNetwork(t, 4, 1, nil)
	var lies *liar
	for i := range 4 {
		n.start(i, func(o *Options, c *cfg.Config) {
			o.SnapshotEvery, o.ChunkSize = 10, 16<<10
			o.SnapshotDir = filepath.Join(c.RootDir, "data", "snapshots")
			if i == 3 {
				o.wrap = func(a *App) abci.Application {
					lies = &liar{App: a}
					return lies
				}
			}
		}, nil)
	}
	n.must(0, 0, deployTx("token", example(t, "token"), callOf("", "Init")))
	n.must(0, 0, deployTx("shop", source(shop1), nil))
	var stop atomic.Bool
	accepted, done := n.load(&stop, 0, 1, 2)
	n.must(0, 1, Tx{Call: callOf("shop", "Set", "tea", 7)})
	n.must(1, 0, Tx{Gas: 100_000_000, Upgrade: &Upgrade{Name: "shop", Program: source(shop2)}})
	h, _ := n.nodes[0].App.Height()
	n.reach(h+12, 0, 1, 2, 3)
	trusted := int64(2)
	b, err := n.nodes[0].Client().Block(context.Background(), &trusted)
	if err != nil {
		t.Fatal(err)
	}
	server := n.nodes[0].Config.RPC.ListenAddress
	begin := time.Now()
	fresh := n.start(4, func(_ *Options, c *cfg.Config) {
		if err := SyncFrom(c, strings.TrimPrefix(server, "tcp://")+","+strings.TrimPrefix(n.nodes[1].Config.RPC.ListenAddress, "tcp://"), trusted, hex.EncodeToString(b.BlockID.Hash)); err != nil {
			t.Fatal(err)
		}
		c.StateSync.ChunkFetchers = 4
	}, nil)
	n.await("the fresh node to have a state", func() bool { h, _ := fresh.App.Height(); return h > 0 })
	took := time.Since(begin)
	synced, _ := fresh.App.Height()
	n.must(2, 0, Tx{Gas: 100_000_000, Upgrade: &Upgrade{Name: "shop", Program: source(shop2 + shopExport)}})
	h, _ = n.nodes[0].App.Height()
	n.reach(h+3, 0, 1, 2, 3, 4)
	stop.Store(true)
	<-done
	heights := n.equal(0, 1, 2, 3, 4)
	entries, err := fresh.App.store.Entries(tableName)
	if err != nil || len(entries) == 0 || entries[0].Seq < 10 {
		t.Errorf("the fresh node has the heights %v, %v: it did not begin with a snapshot", entries, err)
	}
	if got := n.ask(4, "shop", "Export"); got != `[{"tea":7}]` {
		t.Error(got)
	}
	t.Logf("a state of height %d in %v; %d chunks were garbage; %d heights, %d transactions, two upgrades under load", synced, took.Round(time.Millisecond), lies.sent.Load(), heights, accepted.Load())
}

// TestKill: kill -9 of one validator, and of all, at random heights. All heights that were committed
// are there when they are started again, and all go on with equal app hashes.
func TestKill(t *testing.T) {
	if home := os.Getenv("GYR_CHAIN_TEST_NODE"); home != "" {
		childNode(t, home)
		return
	}
	n := newNetwork(t, 4, 0, nil)
	r := rand.New(rand.NewPCG(7, uint64(*kills)))
	children := make([]*exec.Cmd, 4)
	start := func(i int) {
		c := exec.Command(os.Args[0], "-test.run=^TestKill$", "-test.timeout=0")
		c.Env = append(os.Environ(), "GYR_CHAIN_TEST_NODE="+n.home(i), "GYR_CHAIN_TEST_TIER="+string(tierOf(i)))
		n.logs[i] = new(lockedBuffer)
		c.Stdout, c.Stderr = n.logs[i], n.logs[i]
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children[i] = c
	}
	kill := func(i int) {
		children[i].Process.Kill()
		children[i].Wait()
	}
	client := func(i int) *rpchttp.HTTP {
		c, err := rpchttp.NewWithClient("http://"+fmt.Sprintf("127.0.0.1:%d", n.port+10*i+7), "/websocket", &http.Client{Timeout: 30 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	height := func(i int) int64 {
		info, err := client(i).ABCIInfo(context.Background())
		if err != nil {
			return 0
		}
		return info.Response.LastBlockHeight
	}
	reach := func(h int64) {
		t.Helper()
		for i := range 4 {
			n.await(fmt.Sprintf("node %d at height %d", i, h), func() bool { return height(i) >= h })
		}
	}
	for i := range 4 {
		start(i)
	}
	defer func() {
		for i := range 4 {
			kill(i)
		}
	}()
	reach(1)
	sent := 0
	nonce := uint64(0)
	send := func(tx Tx) {
		t.Helper()
		n.nonce[0] = nonce
		raw := n.sign(0, tx)
		n.await("a transaction", func() bool {
			res, err := client(sent%4).BroadcastTxCommit(context.Background(), raw)
			if err == nil && res.CheckTx.Code == 0 && res.TxResult.Code != 0 {
				t.Fatalf("%v: %s", Code(res.TxResult.Code), res.TxResult.Log)
			}
			if err == nil && res.CheckTx.Code == 0 {
				return true
			}
			// It may have been committed although nobody said so.
			q, err := client(0).ABCIQuery(context.Background(), QueryAccount, []byte(n.account(0)))
			return err == nil && strings.Contains(string(q.Response.Value), fmt.Sprintf(`"nonce":%d,`, nonce+1))
		})
		nonce++
		sent++
	}
	send(deployTx("token", example(t, "token"), callOf("", "Init")))
	minted := 0
	for round := range *kills {
		send(Tx{Call: callOf("token", "Mint", n.account(0), 1)})
		minted++
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		one := r.IntN(4)
		before := height(one)
		kill(one)
		start(one)
		reach(before + 1)
		send(Tx{Call: callOf("token", "Mint", n.account(0), 1)})
		minted++
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond)
		highest := int64(0)
		for i := range 4 {
			highest = max(highest, height(i))
		}
		for i := range 4 {
			children[i].Process.Kill()
		}
		for i := range 4 {
			children[i].Wait()
			start(i)
		}
		reach(highest + 1)
		_ = round
	}
	for i := range 4 {
		data := []byte(jsonText(callOf("token", "Supply")))
		n.await("the supply", func() bool {
			q, err := client(i).ABCIQuery(context.Background(), QueryCall, data)
			return err == nil && string(q.Response.Value) == fmt.Sprintf("[%d]", minted)
		})
	}
	for i := range 4 {
		kill(i)
	}
	// The stores have equal roots at all heights that they share.
	hashes := map[uint64]string{}
	heights := 0
	for i := range 4 {
		s, err := OpenStore(n.home(i))
		if err != nil {
			t.Fatal(err)
		}
		entries, err := s.Entries(tableName)
		if err != nil {
			t.Fatal(err)
		}
		for k, e := range entries {
			if k > 0 && e.Seq != entries[k-1].Seq+1 {
				t.Errorf("node %d has lost heights between %d and %d", i, entries[k-1].Seq, e.Seq)
			}
			if h := hashes[e.Seq]; h != "" && h != e.Root.String() {
				t.Errorf("height %d: %s and %v", e.Seq, h, e.Root)
			}
			hashes[e.Seq] = e.Root.String()
		}
		heights = max(heights, len(entries))
		if err := s.Check(func(err error) { t.Errorf("node %d: %v", i, err) }); err != nil {
			t.Error(err)
		}
		s.Close()
	}
	t.Logf("%d kills of one and %d of all, %d heights, %d transactions; lost 0, doubled 0, forks 0", *kills, *kills, heights, sent)
	for i := range 4 {
		start(i) // for the deferred kills
	}
}

// childNode is a node in a process that is killed.
func childNode(t *testing.T, home string) {
	c, err := ReadConfig(home)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(home)
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewNode(c, s, Options{Cache: cacheDir(), Tier: gyr.Tier(os.Getenv("GYR_CHAIN_TEST_TIER")), Keep: 1 << 40}, testLogger(os.Stderr))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Start(); err != nil {
		t.Fatal(err)
	}
	<-n.Halted()
	t.Fatal(n.Reason())
}
