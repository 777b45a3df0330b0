package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// A node has an instance of the contract. It keeps the state of every block under the node's name
// and the block's height.
type node struct {
	name      string
	contracts map[int]contract
	version   int // of the contract
	store     *store.Store

	instance *gyr.Instance
	height   uint64 // applied blocks
}

// A result is the result of a block. It is the same on every node.
type result struct {
	root     state.Hash
	outcomes []outcome
	events   []string // of the transactions that took effect
}

// An outcome is the result of a transaction.
type outcome struct {
	results []any
	gas     int64 // units used
	err     error // why it was rolled back, or nil
}

func (o outcome) String() string {
	if o.err != nil {
		return fmt.Sprintf("rolled back: %v (%d gas)", o.err, o.gas)
	}
	return fmt.Sprintf("%v (%d gas)", o.results, o.gas)
}

// open starts the contract, or continues from the latest block in the store.
func (n *node) open(ctx context.Context, tier gyr.Tier) error {
	latest, err := n.store.Latest(n.name)
	if errors.As(err, new(*store.NotFoundError)) {
		n.height = 0
		n.instance, err = n.contracts[n.version].NewInstance(ctx, config(tier))
		return err
	}
	if err != nil {
		return err
	}
	kept, err := n.store.Open(n.name, latest.Seq)
	if err != nil {
		return err
	}
	// The state belongs to the latest version that accepts it: an upgrade has given the contract
	// another program.
	for version := len(n.contracts); version > 0; version-- {
		n.instance, err = n.contracts[version].Restore(ctx, config(tier), latest.Root, kept)
		if err == nil {
			n.height, n.version = latest.Seq, version
			return nil
		}
		if wrong := (*gyr.StateError)(nil); !errors.As(err, &wrong) || wrong.What != "program" {
			return err
		}
	}
	return err
}

// config is the same on all nodes except for the tier. Each transaction has its own gas limit.
func config(tier gyr.Tier) gyr.Config { return gyr.Config{Memory: 64 << 20, Seed: 1, Tier: tier} }

func (n *node) close() {
	if n.instance != nil {
		n.instance.Close()
		n.instance = nil
	}
}

// apply applies a block and keeps the state after it. An error concerns this node alone, which must
// then be opened again.
func (n *node) apply(ctx context.Context, b block) (r result, err error) {
	ctx = context.WithValue(ctx, eventsKey{}, &r.events)
	for _, t := range b.Transactions {
		o, err := n.transact(ctx, t)
		if err != nil {
			return r, fmt.Errorf("block %d: %v: %w", n.height+1, t, err)
		}
		r.outcomes = append(r.outcomes, o)
	}
	if b.Contract != 0 {
		if err := n.upgrade(ctx, b.Contract); err != nil {
			return r, fmt.Errorf("block %d: contract %d: %w", n.height+1, b.Contract, err)
		}
	}
	s, err := n.instance.State(ctx)
	if err != nil {
		return r, err
	}
	r.root = s.Root
	if _, err := n.store.Commit(store.Change{Name: n.name, Seq: n.height + 1, Tree: s.Tree, Sections: s.Sections, Page: s.Page}); err != nil {
		return r, err
	}
	n.height++
	return r, nil
}

// transact makes a call in a transaction.
func (n *node) transact(ctx context.Context, t transaction) (o outcome, err error) {
	args, err := arguments(n.contracts[n.version].Program, t)
	if err != nil {
		return outcome{err: err}, nil
	}
	if err := n.instance.Begin(ctx); err != nil {
		return o, err
	}
	limit := gyr.CallOptions{Gas: t.Gas}
	if limit.Gas <= 0 {
		limit.Gas = defaultGas
	}
	results, stats, err := n.instance.CallWith(ctx, limit, t.Func, args...)
	o = outcome{results, stats.Gas, err}
	switch {
	case err == nil:
		return o, n.instance.Commit()
	case errors.As(err, new(*gyr.GuestError)), errors.As(err, new(*gyr.CallError)):
		return o, n.instance.Rollback()
	case gyr.Reproducible(err): // only the contract and its limits ended it, so every node sees that; it is rolled back
		return o, nil
	}
	return o, err // a problem of this node alone, such as the end of a context
}

// arguments converts a transaction's arguments to the types of the function's parameters.
func arguments(p *gyr.Program, t transaction) (args []any, err error) {
	for _, x := range p.Exports() {
		if x.Name != t.Func || t.Func == "Export" || t.Func == "Import" { // only the node calls these
			continue
		}
		if len(t.Args) != len(x.Params) {
			return nil, fmt.Errorf("%d arguments for %v", len(t.Args), x)
		}
		for i, param := range x.Params {
			switch param.Type {
			case "int64":
				var n int64
				err = json.Unmarshal(t.Args[i], &n)
				args = append(args, n)
			case "string":
				var s string
				err = json.Unmarshal(t.Args[i], &s)
				args = append(args, s)
			default:
				err = fmt.Errorf("no transaction has arguments of type %s", param.Type)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", param.Name, err)
			}
		}
		return args, nil
	}
	return nil, fmt.Errorf("no function %q for transactions", t.Func)
}

// upgradeGas is the most gas that exporting and importing may use.
const upgradeGas = 100_000_000

// upgrade makes another version of the contract take over. If it fails, nothing has changed.
func (n *node) upgrade(ctx context.Context, version int) error {
	c, ok := n.contracts[version]
	if !ok {
		return errors.New("there is no such version")
	}
	next, err := n.successor(ctx, c)
	if err != nil {
		return err
	}
	n.close()
	n.instance, n.version = next, version
	return nil
}

// successor returns an instance of another version with the state of the contract. A version with
// the same types continues from the state itself; another imports what the present version exports.
func (n *node) successor(ctx context.Context, c contract) (*gyr.Instance, error) {
	cfg := config(gyr.Tier(n.instance.Tier()))
	if c.upgrades == n.version {
		s, err := n.instance.State(ctx)
		if err != nil {
			return nil, err
		}
		return c.Upgrade(ctx, cfg, s.Root, s.Saved())
	}
	next, err := c.NewInstance(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if _, err := gyr.Migrate(ctx, n.instance, next, gyr.Migration{Export: "Export", Import: "Import", Gas: upgradeGas}); err != nil {
		next.Close()
		return nil, err
	}
	return next, nil
}
