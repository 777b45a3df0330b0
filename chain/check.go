package chain

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// A checker decides which transactions enter the mempool. It goes on from the last committed height:
// the nonces and coins of accounts are those after the transactions that it has let in, so that an
// account may send several at a time. With Options.CheckRuns the calls run too, on forks.
type checker struct {
	app *App

	stale atomic.Bool // there is a later height than that of world

	mu     sync.Mutex
	world  *world // nil: to be made
	closed bool
}

// close ends the checker: it lets no more transactions in.
func (c *checker) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.world != nil {
		c.world.close()
		c.world = nil
	}
}

// CheckTx implements [abci.Application]. A problem of this node, such as a halt or a closed store, is
// CodeNode and no error: after an error CometBFT's mempool panics, which ends the process.
func (a *App) CheckTx(ctx context.Context, req *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	r, err := a.checkTx(ctx, req)
	if err != nil {
		r = &abci.ResponseCheckTx{Codespace: Codespace, Code: uint32(CodeNode), Log: err.Error()}
	}
	return r, nil
}

func (a *App) checkTx(ctx context.Context, req *abci.RequestCheckTx) (*abci.ResponseCheckTx, error) {
	if err := a.Halt(); err != nil {
		return nil, err
	}
	c := &a.check
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, store.ErrClosed
	}
	if c.stale.Swap(false) && c.world != nil {
		c.world.close()
		c.world = nil
	}
	if c.world == nil {
		w, err := a.throwaway(0)
		if err != nil {
			return nil, err
		}
		c.world = w
	}
	w := c.world
	r := &abci.ResponseCheckTx{Codespace: Codespace}
	t, sender, f := w.info.Rules.parse(w.info.ChainID, req.Tx)
	if f == nil {
		r.GasWanted = t.Gas
		account, err := w.account(sender)
		if err != nil {
			return nil, err
		}
		if f = payable(t, account); f == nil && a.options.CheckRuns && req.Type == abci.CheckTxType_New {
			f, err = w.try(ctx, t, sender, len(req.Tx))
		}
		if f == nil && err == nil {
			account.Nonce++
			account.Coins -= cost(t.Gas, t.Price)
			err = w.setAccount(sender, account)
		}
		if err != nil {
			return nil, err
		}
	}
	if f != nil {
		r.Code, r.Log = uint32(f.Code), f.Text
	}
	return r, nil
}

// try runs a transaction in a world of its own that is undone afterwards.
func (w *world) try(ctx context.Context, t *Tx, sender string, size int) (*Failure, error) {
	x := w.begin(w.height, time.Time{})
	_, _, err := x.run(ctx, sender, t, t.Gas-w.info.Rules.intrinsic(t, size))
	if undone := x.undo(); undone != nil {
		return nil, undone
	}
	f := (*Failure)(nil)
	if errors.As(err, &f) {
		return f, nil
	}
	return nil, err
}

// throwaway returns a world at a committed height, whose contracts are forks of the executor's where
// possible. 0 is the last height.
func (a *App) throwaway(height int64) (*world, error) {
	last := a.last.Load()
	if height == 0 {
		height = last.height
	}
	w, err := a.newWorld(last, height)
	if err == nil {
		w.fork = a.fork
	}
	return w, err
}

// fork returns a fork of an instance of the executor, if that has the state of a record.
func (a *App) fork(ctx context.Context, name string, record *ContractRecord) (*gyr.Instance, error) {
	if !a.mu.TryLock() { // it executes a block
		return nil, nil
	}
	defer a.mu.Unlock()
	if a.world == nil || a.changes != nil || record.Root == (state.Hash{}) {
		return nil, nil
	}
	l := a.world.live[name]
	if l == nil || l.changed || l.record.Root != record.Root {
		return nil, nil
	}
	if err := l.settle(); err != nil {
		return nil, err
	}
	in, err := l.in.Fork(ctx, gyr.ForkConfig{})
	if errors.As(err, new(*gyr.TransactionError)) {
		return nil, nil
	}
	return in, err
}
