// Ledger runs a contract over a log, on several nodes as in a chain. The contract is Go source with
// its state in ordinary variables. One node interprets the contract, the next runs it as machine
// code. After each block all nodes must have the same root.
//
//	go run ./examples/ledger -log examples/ledger/testdata/log.jsonl -nodes 2 -restart 2
//
// A contract reports events through a package of the host. The events of transactions that are
// rolled back are dropped.
//
// A line of the log is a block: transactions, or the version of the contract that takes over at
// this point.
//
//	{"transactions": [{"func": "Open", "args": ["ada", 0]}, {"func": "Issue", "args": ["ada", 500], "gas": 20000}]}
//	{"contract": 2}
//
// contracts.go compiles the contract, and node.go applies blocks.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/store"
)

// A block is a line of the log.
type block struct {
	Transactions []transaction
	Contract     int // the version that takes over; 0: none
}

// A transaction is a call of the contract. It takes effect as a whole or not at all.
type transaction struct {
	Func string
	Args []json.RawMessage
	Gas  int64 // limit in units; 0: defaultGas
}

const defaultGas = 1_000_000

func (t transaction) String() string { return fmt.Sprintf("%s%s", t.Func, t.Args) }

// readLog reads blocks.
func readLog(r io.Reader) (log []block, err error) {
	for d := json.NewDecoder(r); ; {
		var b block
		switch err := d.Decode(&b); {
		case err == io.EOF:
			return log, nil
		case err != nil:
			return nil, fmt.Errorf("block %d: %w", len(log)+1, err)
		}
		log = append(log, b)
	}
}

func main() {
	file := flag.String("log", "", "`file` of blocks, one a line")
	count := flag.Int("nodes", 2, "number of nodes that follow the log")
	restart := flag.Uint64("restart", 0, "`block` behind which every node is closed and goes on from its store, in the other tier; 0: none")
	flag.Parse()
	if *file == "" || *count < 1 || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(64)
	}
	log, err := os.ReadFile(*file)
	if err == nil {
		err = run(context.Background(), os.Stdout, log, *count, *restart)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}

// run lets nodes apply a log, and compares their roots.
func run(ctx context.Context, out io.Writer, text []byte, count int, restart uint64) error {
	log, err := readLog(bytes.NewReader(text))
	if err != nil {
		return err
	}
	contracts, err := compile(ctx)
	if err != nil {
		return err
	}
	kept, err := store.New(store.NewMemory()) // one for all nodes: common parts are stored once
	if err != nil {
		return err
	}
	defer kept.Close()
	var nodes []*node
	defer func() {
		for _, n := range nodes {
			n.close()
		}
	}()
	for i := range count {
		n := &node{name: fmt.Sprintf("node %d", i+1), contracts: contracts, version: 1, store: kept}
		nodes = append(nodes, n)
		if err := n.open(ctx, tierOf(i, contracts)); err != nil {
			return err
		}
	}
	for height, b := range log {
		var first result
		for i, n := range nodes {
			r, err := n.apply(ctx, b)
			if err != nil {
				return fmt.Errorf("%s: %w", n.name, err)
			}
			if i == 0 {
				first = r
			}
			if r.root != first.root {
				return fmt.Errorf("block %d: %s has root %v, %s has %v", height+1, n.name, r.root, nodes[0].name, first.root)
			}
			if !slices.Equal(r.events, first.events) {
				return fmt.Errorf("block %d: %s tells of %q, %s of %q", height+1, n.name, r.events, nodes[0].name, first.events)
			}
		}
		fmt.Fprintf(out, "block %d: root %v\n", height+1, first.root)
		for i, o := range first.outcomes {
			fmt.Fprintf(out, "  %v: %v\n", b.Transactions[i], o)
		}
		for _, e := range first.events {
			fmt.Fprintf(out, "  event: %s\n", e)
		}
		if uint64(height+1) != restart {
			continue
		}
		for i, n := range nodes {
			n.close()
			if err := n.open(ctx, tierOf(i+1, contracts)); err != nil {
				return fmt.Errorf("%s: %w", n.name, err)
			}
			fmt.Fprintf(out, "%s goes on from block %d, %s\n", n.name, n.height, n.instance.Tier())
		}
	}
	return nil
}

// tierOf returns the tier of a node: interpreter and machine code in turns, if both are available.
func tierOf(i int, contracts map[int]contract) gyr.Tier {
	if i%2 == 1 && contracts[1].NativeError() == nil {
		return gyr.TierNative
	}
	return gyr.TierInterp
}
