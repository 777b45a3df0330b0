package chain

import (
	"fmt"
	"strings"
	"time"

	cfg "github.com/cometbft/cometbft/config"
)

// SyncFrom makes a node begin with a snapshot of its peers, if it has no blocks yet. CometBFT's light
// client verifies the app hash of the snapshot, from the hash of a block that the operator knows and
// with the blocks of two or more servers.
func SyncFrom(c *cfg.Config, servers string, trustHeight int64, trustHash string) error {
	list := strings.Split(servers, ",")
	if len(list) < 2 || trustHeight <= 0 || trustHash == "" {
		return fmt.Errorf("chain: a node that begins with a snapshot needs two servers and the height and hash of a block, not %q, %d and %q", servers, trustHeight, trustHash)
	}
	c.StateSync.Enable = true
	c.StateSync.RPCServers = list
	c.StateSync.TrustHeight, c.StateSync.TrustHash = trustHeight, trustHash
	c.StateSync.TrustPeriod = 168 * time.Hour
	c.StateSync.DiscoveryTime = 5 * time.Second
	return c.StateSync.ValidateBasic()
}
