package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cometbft/cometbft/libs/log"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/chain"
)

func runInit(f *flag.FlagSet, args []string) error {
	dir := f.String("dir", "net", "`directory` of the network; it must be new")
	validators := f.Int("validators", 1, "`number` of validators")
	others := f.Int("others", 0, "`number` of nodes that follow without a vote")
	id := f.String("chain-id", "gyr-local", "`name` of the chain")
	accounts := f.Int("accounts", 4, "`number` of accounts with coins, whose keys are in DIR/keys")
	coins := f.Int64("coins", 1_000_000_000_000, "coins of each `account`")
	host := f.String("host", "127.0.0.1", "`address` that nodes find each other at; %d in it is the node's number")
	listen := f.String("listen", "", "`address` that nodes listen at, if it is not -host")
	port := f.Int("port", 26650, "`port`: node n listens for peers at PORT+10n+6, for clients at PORT+10n+7")
	same := f.Bool("same-ports", false, "all nodes listen at PORT+6 and PORT+7, each on a host of its own")
	commit := f.Duration("commit", 0, "`time` that validators wait after a block; 0: CometBFT's own, a second")
	gas := f.Int64("block-gas", 0, "gas of a `block`; 0: 1000000000")
	if err := parse(f, args, 0, 0); err != nil {
		return err
	}
	if *validators < 1 || *others < 0 || *accounts < 1 || *coins < 1 || *port < 1 || *gas < 0 {
		return &usageError{"a network has at least a validator and an account with coins"}
	}
	if _, err := os.Stat(*dir); err == nil {
		return fmt.Errorf("%s exists already; remove it, or give another -dir", *dir)
	}
	rules, err := chain.DefaultRules()
	if err != nil {
		return err
	}
	if *gas > 0 {
		rules.BlockGas = *gas
	}
	err = chain.WriteNetwork(chain.NetworkConfig{
		Dir: *dir, Validators: *validators, Others: *others, ChainID: *id, Rules: rules, Accounts: *accounts, Coins: *coins,
		Host: *host, Listen: *listen, Port: *port, SamePorts: *same, Commit: *commit,
	})
	if err != nil {
		return err
	}
	fmt.Printf("chain %s: %d validators, %d other nodes, %d accounts in %s\n", *id, *validators, *others, *accounts, filepath.Join(*dir, "keys"))
	fmt.Printf("determinism version %s, %s\n", rules.Determinism, rules.Go)
	return nil
}

func runStart(f *flag.FlagSet, args []string) error {
	home := f.String("home", "net/node0", "`directory` of the node")
	tier := f.String("tier", "", "native or interp: what executes `contracts`; empty: machine code where there is some")
	level := f.String("log", "error", "info, error or none: what the `log` on standard error has")
	var o chain.Options
	f.Uint64Var(&o.Keep, "keep", 1000, "`heights` that can be queried")
	f.Int64Var(&o.KeepBlocks, "keep-blocks", 0, "`blocks` that are kept; 0: all")
	f.Uint64Var(&o.SnapshotEvery, "snapshot-every", 0, "`heights` from one snapshot to the next, for nodes that begin with one; 0: none")
	f.BoolVar(&o.CheckRuns, "check-runs", false, "run calls before their transactions enter the mempool")
	f.DurationVar(&o.BlockTime, "block-time", 0, "the longest `time` that a block may take; then the node halts; 0: any")
	servers := f.String("sync-from", "", "begin with a snapshot; RPC `addresses` of two or more nodes to check it with, as host:port,host:port")
	trustHeight := f.Int64("trust-height", 0, "with -sync-from: a `height` whose hash is known")
	trustHash := f.String("trust-hash", "", "with -sync-from: the `hash` of the block of that height")
	if err := parse(f, args, 0, 0); err != nil {
		return err
	}
	switch o.Tier = gyr.Tier(*tier); o.Tier {
	case "", gyr.TierNative, gyr.TierInterp:
	default:
		return &usageError{fmt.Sprintf("no tier %q: there are native and interp", *tier)}
	}
	c, err := chain.ReadConfig(*home)
	if err != nil {
		return err
	}
	if *servers != "" {
		if err := chain.SyncFrom(c, *servers, *trustHeight, *trustHash); err != nil {
			return err
		}
	}
	logger := log.NewTMLogger(log.NewSyncWriter(os.Stderr))
	switch *level {
	case "info":
		logger = log.NewFilter(logger, log.AllowInfo())
	case "error":
		logger = log.NewFilter(logger, log.AllowError())
	case "none":
		logger = log.NewFilter(logger, log.AllowNone())
	default:
		return &usageError{fmt.Sprintf("no log %q: there are info, error and none", *level)}
	}
	s, err := chain.OpenStore(c.RootDir)
	if err != nil {
		return err
	}
	n, err := chain.NewNode(c, s, o, logger)
	if rules := (*chain.RulesError)(nil); errors.As(err, &rules) {
		return &statusError{exitRules, err}
	}
	if err != nil {
		return err
	}
	if err := n.Start(); err != nil {
		return errors.Join(err, n.App.Close())
	}
	height, hash := n.App.Height()
	fmt.Printf("node %s: height %d, app hash %v, clients at %s\n", n.Address(), height, hash, c.RPC.ListenAddress)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	select {
	case <-signals:
		return n.Stop()
	case <-n.Halted():
	}
	reason := n.Reason()
	if reason == nil {
		return n.Stop()
	}
	// What is committed is on disk. Consensus that has failed does not always stop in order.
	go func() {
		time.Sleep(5 * time.Second)
		fmt.Fprintf(os.Stderr, "gyr-chain start: %v\n", reason)
		os.Exit(exitHalted)
	}()
	n.Stop()
	return &statusError{exitHalted, reason}
}
