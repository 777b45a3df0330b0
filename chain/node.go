package chain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/proxy"
	"github.com/cometbft/cometbft/rpc/client/local"
	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
	"github.com/spf13/viper"
)

// A Node is CometBFT with an App, in this process.
type Node struct {
	App    *App
	Comet  *node.Node
	Config *cfg.Config

	failed chan error // of consensus
	halted chan struct{}
	reason error
}

// ReadConfig reads the configuration of a node, which WriteNetwork has written.
func ReadConfig(home string) (*cfg.Config, error) {
	c := NodeConfig(home)
	v := viper.New()
	v.SetConfigFile(filepath.Join(home, "config", "config.toml"))
	if err := v.ReadInConfig(); err != nil {
		return nil, fmt.Errorf("chain: %w; gyr-chain init makes the files of a node", err)
	}
	if err := v.Unmarshal(c); err != nil {
		return nil, fmt.Errorf("chain: %s: %w", v.ConfigFileUsed(), err)
	}
	c.SetRoot(home)
	return c, c.ValidateBasic()
}

// NodeConfig returns the configuration of a node whose files are in a directory, as CometBFT has it,
// with the settings that differ for this application.
func NodeConfig(home string) *cfg.Config {
	c := cfg.DefaultConfig().SetRoot(home)
	c.Mempool.MaxTxBytes = 1 << 20
	c.TxIndex.Indexer = "kv"
	c.RPC.TimeoutBroadcastTxCommit = 50 * time.Second // a block with a deployment may take long
	return c
}

// OpenStore opens the database of a node.
func OpenStore(home string) (*store.Store, error) {
	b, err := OpenBackend(home)
	if err != nil {
		return nil, err
	}
	s, err := store.New(b)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return s, nil
}

// OpenBackend opens the database of a node as a backend.
func OpenBackend(home string) (store.Backend, error) {
	return pebble.Open(filepath.Join(home, "data", "gyr"), nil)
}

// NewNode makes a node, without starting it. The store belongs to the node from then on. An empty
// Options.Cache or SnapshotDir means directories of the node's home.
func NewNode(c *cfg.Config, s *store.Store, o Options, logger log.Logger) (*Node, error) {
	if o.Cache == "" {
		o.Cache = filepath.Join(c.RootDir, "data", "programs")
	}
	if o.SnapshotDir == "" {
		o.SnapshotDir = filepath.Join(c.RootDir, "data", "snapshots")
	}
	if o.Logger == nil {
		o.Logger = logger.With("module", "gyr")
	}
	if err := os.MkdirAll(o.Cache, 0o700); err != nil {
		return nil, err
	}
	app, err := New(s, o)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	fail := func(err error) (*Node, error) { return nil, errors.Join(err, app.Close()) }
	nodeKey, err := p2p.LoadNodeKey(c.NodeKeyFile())
	if err != nil {
		return fail(fmt.Errorf("%w: gyr-chain init makes the files of a node", err))
	}
	for _, file := range []string{c.PrivValidatorKeyFile(), c.GenesisFile()} {
		if _, err := os.Stat(file); err != nil {
			return fail(fmt.Errorf("%w: gyr-chain init makes the files of a node", err))
		}
	}
	openDB := o.openDB
	if openDB == nil {
		openDB = cfg.DefaultDBProvider
	}
	var connected abci.Application = app
	if o.wrap != nil {
		connected = o.wrap(app)
	}
	n := &Node{App: app, Config: c, failed: make(chan error, 1), halted: make(chan struct{})}
	n.Comet, err = node.NewNode(c, privval.LoadOrGenFilePV(c.PrivValidatorKeyFile(), c.PrivValidatorStateFile()), nodeKey,
		proxy.NewConnSyncLocalClientCreator(connected), node.DefaultGenesisDocProviderFunc(c), openDB,
		node.DefaultMetricsProvider(c.Instrumentation), watcher{logger, n.failed})
	if err != nil {
		return fail(err)
	}
	return n, nil
}

// Start starts the node.
func (n *Node) Start() error {
	if err := n.Comet.Start(); err != nil {
		return err
	}
	go func() {
		select {
		case <-n.App.Halted():
			n.reason = n.App.Halt()
		case err := <-n.failed:
			if n.reason = n.App.Halt(); n.reason == nil {
				height, hash := n.App.Height()
				n.reason = &HaltError{height + 1, fmt.Errorf("the app hash of this node is %X: %w", hash[:], err)}
			}
		case <-n.Comet.Quit():
		}
		close(n.halted)
	}()
	return nil
}

// A watcher is a logger that notices that consensus has failed. CometBFT tells it nobody else: its
// goroutine of consensus ends, and everything else goes on.
type watcher struct {
	log.Logger
	failed chan error
}

func (w watcher) Error(text string, values ...any) {
	w.Logger.Error(text, values...)
	if !strings.HasPrefix(text, "CONSENSUS FAILURE") {
		return
	}
	err := errors.New("consensus has failed")
	for i := 0; i+1 < len(values); i += 2 {
		if values[i] == "err" {
			err = fmt.Errorf("consensus has failed: %v", values[i+1])
		}
	}
	select {
	case w.failed <- err:
	default:
	}
}

func (w watcher) With(values ...any) log.Logger { return watcher{w.Logger.With(values...), w.failed} }

// Halted is closed when the node has stopped by itself: its application has halted, or consensus has
// failed because the others have another app hash. Reason returns why.
func (n *Node) Halted() <-chan struct{} { return n.halted }

// Reason returns why the node has stopped; nil: Stop was called, or it has not.
func (n *Node) Reason() error {
	select {
	case <-n.halted:
		return n.reason
	default:
		return nil
	}
}

// Stop stops the node and closes its store. CometBFT leaves some of its own databases open, so that
// only another process can start the node again.
func (n *Node) Stop() error {
	err := n.Comet.Stop()
	n.Comet.Wait()
	return errors.Join(err, n.App.Close())
}

// Client returns a client of the node in this process.
func (n *Node) Client() *local.Local { return local.New(n.Comet) }

// Address returns the node's address for its peers.
func (n *Node) Address() string {
	return string(n.Comet.NodeInfo().ID()) + "@" + strings.TrimPrefix(n.Config.P2P.ListenAddress, "tcp://")
}

// fast sets the times of consensus for one machine: a block takes some 50 ms, in place of a second.
func fast(c *cfg.ConsensusConfig, commit time.Duration) {
	c.TimeoutCommit = commit
	c.SkipTimeoutCommit = commit == 0
}
