package chain

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	cfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/types"
	cmttime "github.com/cometbft/cometbft/types/time"
)

// A NetworkConfig says how the files of a network are made.
type NetworkConfig struct {
	Dir        string // each node gets the directory node0, node1, … in it
	Validators int
	Others     int // nodes that follow, without a vote
	ChainID    string
	Rules      Rules
	Accounts   int   // keys with coins, in the directory keys
	Coins      int64 // of each
	// Host and Port say where node n listens: for peers at Port+10n+6, for clients at Port+10n+7. A %d
	// in Host is n.
	Host   string
	Port   int
	Commit time.Duration // how long a validator waits after a block; 0: CometBFT's own
	// Listen is the address that a node listens at; empty: Host.
	Listen string
	// SamePorts makes all nodes listen at Port+6 and Port+7, on hosts of their own.
	SamePorts bool
}

func (c *NetworkConfig) host(n int) string {
	if strings.Contains(c.Host, "%d") {
		return fmt.Sprintf(c.Host, n)
	}
	return c.Host
}

func (c *NetworkConfig) port(n int) int {
	if c.SamePorts {
		n = 0
	}
	return c.Port + 10*n
}

// A KeyFile is the key of an account, in a file that only its owner reads.
type KeyFile struct {
	Account string          `json:"account"`
	Key     ed25519.PrivKey `json:"key"`
}

// WriteKey writes the key of an account.
func WriteKey(file string, key ed25519.PrivKey) error {
	text, err := json.MarshalIndent(KeyFile{Account(key.PubKey()), key}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}

// ReadKey reads the key of an account.
func ReadKey(file string) (ed25519.PrivKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var k KeyFile
	if err := json.Unmarshal(text, &k); err != nil || len(k.Key) != ed25519.PrivateKeySize || Account(k.Key.PubKey()) != k.Account {
		return nil, fmt.Errorf("chain: %s is not the key of an account", file)
	}
	return k.Key, nil
}

// WriteNetwork makes the files of a network: of each node its keys, its configuration and the genesis.
func WriteNetwork(n NetworkConfig) error {
	genesis := Genesis{Rules: n.Rules, Accounts: map[string]int64{}}
	keys := filepath.Join(n.Dir, "keys")
	if err := os.MkdirAll(keys, 0o700); err != nil {
		return err
	}
	for i := range n.Accounts {
		key := ed25519.GenPrivKey()
		if err := WriteKey(filepath.Join(keys, fmt.Sprintf("key%d.json", i)), key); err != nil {
			return err
		}
		genesis.Accounts[Account(key.PubKey())] = n.Coins
	}
	state, err := json.Marshal(genesis)
	if err != nil {
		return err
	}
	doc := types.GenesisDoc{GenesisTime: cmttime.Now(), ChainID: n.ChainID, ConsensusParams: types.DefaultConsensusParams(), AppState: state}
	doc.ConsensusParams.Block.MaxBytes = 4 << 20
	var configs []*cfg.Config
	var peers []string
	for i := range n.Validators + n.Others {
		c := NodeConfig(filepath.Join(n.Dir, fmt.Sprintf("node%d", i)))
		cfg.EnsureRoot(c.RootDir)
		c.Moniker = fmt.Sprintf("node%d", i)
		listen := n.Listen
		if listen == "" {
			listen = n.host(i)
		}
		c.P2P.ListenAddress = fmt.Sprintf("tcp://%s", net.JoinHostPort(listen, fmt.Sprint(n.port(i)+6)))
		c.RPC.ListenAddress = fmt.Sprintf("tcp://%s", net.JoinHostPort(listen, fmt.Sprint(n.port(i)+7)))
		c.P2P.AddrBookStrict = false
		c.P2P.AllowDuplicateIP = true
		c.RPC.MaxBodyBytes = 4 << 20
		if n.Commit > 0 {
			fast(c.Consensus, n.Commit)
		}
		pv := privval.LoadOrGenFilePV(c.PrivValidatorKeyFile(), c.PrivValidatorStateFile())
		nodeKey, err := p2p.LoadOrGenNodeKey(c.NodeKeyFile())
		if err != nil {
			return err
		}
		if i < n.Validators {
			doc.Validators = append(doc.Validators, types.GenesisValidator{Address: pv.Key.Address, PubKey: pv.Key.PubKey, Power: 10, Name: c.Moniker})
		}
		peers = append(peers, fmt.Sprintf("%s@%s", nodeKey.ID(), net.JoinHostPort(n.host(i), fmt.Sprint(n.port(i)+6))))
		configs = append(configs, c)
	}
	for i, c := range configs {
		c.P2P.PersistentPeers = strings.Join(append(append([]string{}, peers[:i]...), peers[i+1:]...), ",")
		if err := doc.ValidateAndComplete(); err != nil {
			return err
		}
		if err := doc.SaveAs(c.GenesisFile()); err != nil {
			return err
		}
		cfg.WriteConfigFile(filepath.Join(c.RootDir, "config", "config.toml"), c)
	}
	return nil
}
