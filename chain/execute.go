package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr"
)

// An execution is a transaction while it runs. Contracts that it touches have an open transaction of
// their instances, and accounts that it changes are kept here, until all is kept or all undone.
type execution struct {
	w      *world
	height int64
	time   time.Time

	accounts map[string]AccountRecord
	touched  []*live
	stack    []string // names of the contracts that wait for each other
	events   []abci.Event
	replaced map[*live]*live // by upgrades: the new one, and the old one
	begun    []func() error  // what becomes of the table when the transaction is kept

	lost int64 // gas of calls between contracts that failed, which no caller was charged for

	failure *Failure // why the transaction fails
	fatal   error    // why this node cannot go on
}

func (w *world) begin(height int64, now time.Time) *execution {
	return &execution{w: w, height: height, time: now, accounts: map[string]AccountRecord{}, replaced: map[*live]*live{}}
}

// account returns an account as the transaction sees it.
func (x *execution) account(who string) (AccountRecord, error) {
	if a, ok := x.accounts[who]; ok {
		return a, nil
	}
	return x.w.account(who)
}

// send moves coins.
func (x *execution) send(from, to string, coins int64) error {
	if !validAccount(to) && !validName(to) {
		return failure(CodeCoins, "%.60q is neither an account nor a contract", to)
	}
	a, err := x.account(from)
	if err != nil {
		return err
	}
	if coins < 0 || a.Coins < coins {
		return failure(CodeCoins, "%s sends %d coins of %d", from, coins, a.Coins)
	}
	a.Coins -= coins
	x.accounts[from] = a
	b, err := x.account(to)
	if err != nil {
		return err
	}
	if b.Coins > math.MaxInt64-coins {
		return failure(CodeCoins, "%s cannot have %d coins more", to, coins)
	}
	b.Coins += coins
	x.accounts[to] = b
	return nil
}

// touch makes sure that what a contract does from now on can be undone.
func (x *execution) touch(ctx context.Context, l *live) error {
	if slices.Contains(x.touched, l) {
		return nil
	}
	if !l.open {
		if err := l.in.Begin(ctx); err != nil {
			return nodeError(err)
		}
		l.open = true
	}
	x.touched = append(x.touched, l)
	return nil
}

// call calls a function of a contract with Go values. It returns the gas that was used, whatever the
// error. The error is a *Failure, or one of this node.
func (x *execution) call(ctx context.Context, caller, name, function string, args []any, coins, gas int64) (results []any, used int64, err error) {
	if slices.Contains(x.stack, name) {
		return nil, 0, failure(CodeReentrant, "%s calls %s.%s, which waits for a call to return: %v", caller, name, function, x.stack)
	}
	if len(x.stack) >= x.w.info.Rules.Depth {
		return nil, 0, failure(CodeDepth, "%d contracts wait for each other: %v", len(x.stack), x.stack)
	}
	l, err := x.w.contract(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	if err := x.touch(ctx, l); err != nil {
		return nil, 0, err
	}
	if coins != 0 {
		if err := x.send(caller, name, coins); err != nil {
			return nil, 0, err
		}
	}
	x.stack = append(x.stack, name)
	defer func() { x.stack = x.stack[:len(x.stack)-1] }()
	f := &frame{x: x, self: name, caller: caller, paid: coins, limit: gas}
	ctx = context.WithValue(ctx, frameKey{}, f)
	if l.usesClock() {
		shows, err := l.in.Call(ctx, clockFunction)
		if err != nil {
			return nil, 0, x.ended(l, err)
		}
		f.begin, _ = shows[0].(int64)
	}
	if function == clockFunction {
		return nil, 0, failure(CodeCall, "%s is the chain's own", clockFunction)
	}
	l.changed = true
	results, stats, err := l.in.CallWith(ctx, gyr.CallOptions{Gas: max(gas, 1)}, function, args...)
	return results, min(stats.Gas, max(gas, 1)), x.ended(l, err)
}

// usesClock reports whether a contract has the chain's function. An image might not.
func (l *live) usesClock() bool {
	for _, e := range l.prog.Exports() {
		if e.Name == clockFunction {
			return len(e.Params) == 0 && slices.Equal(e.Results, []string{"int64"}) && !e.Fails
		}
	}
	return false
}

// ended turns the error of a call into that of the transaction.
func (x *execution) ended(l *live, err error) error {
	if err == nil {
		return nil
	}
	if x.fatal != nil {
		return x.fatal
	}
	if x.failure != nil {
		return x.failure
	}
	return outcome(err)
}

// callJSON is call with the arguments of a transaction, and the results as JSON.
func (x *execution) callJSON(ctx context.Context, caller string, c *Call, gas int64) (results []byte, used int64, err error) {
	l, err := x.w.contract(ctx, c.Contract)
	if err != nil {
		return nil, 0, err
	}
	args, err := arguments(l.prog, c.Function, c.Args)
	if err != nil {
		return nil, 0, err
	}
	values, used, err := x.call(ctx, caller, c.Contract, c.Function, args, c.Coins, gas)
	if err != nil {
		return nil, used, err
	}
	if values == nil {
		values = []any{}
	}
	out, err := json.Marshal(values)
	if err != nil { // a channel of a struct, a NaN: the program's choice
		return nil, used, failure(CodeCall, "the results of %s.%s: %v", c.Contract, c.Function, err)
	}
	return out, used, nil
}

// run does what a transaction says, with an amount of gas. The results are JSON.
func (x *execution) run(ctx context.Context, sender string, t *Tx, gas int64) (results []byte, used int64, err error) {
	switch {
	case t.Send != nil:
		return nil, 0, x.send(sender, t.Send.To, t.Send.Coins)
	case t.Deploy != nil && x.w.native != nil:
		return nil, 0, x.w.native(x, sender, t.Deploy.Init)
	case t.Deploy != nil:
		return x.deploy(ctx, sender, t.Deploy, gas)
	case t.Upgrade != nil:
		used, err = x.upgrade(ctx, sender, t.Upgrade, gas)
		return nil, used, err
	}
	if x.w.native != nil {
		return []byte("[]"), 0, x.w.native(x, sender, t.Call)
	}
	return x.callJSON(ctx, sender, t.Call, gas)
}

// keep keeps what the transaction has done, in all contracts, or nothing of it: it fails with CodeOpen if
// one has left goroutines or files behind.
func (x *execution) keep(ctx context.Context) error {
	for _, l := range x.touched {
		err := l.in.Quiescent(ctx)
		if refused := (*gyr.TransactionError)(nil); errors.As(err, &refused) {
			return errors.Join(x.undo(), failure(CodeOpen, "%s: %s", l.name, refused.Reason))
		}
		if err != nil {
			return nodeError(err)
		}
	}
	for _, l := range x.touched {
		if err := l.in.Commit(); err != nil {
			return err
		}
		l.open = false
	}
	for _, before := range x.replaced {
		if before != nil {
			before.close()
		}
	}
	for _, who := range slices.Sorted(maps.Keys(x.accounts)) {
		if err := x.w.setAccount(who, x.accounts[who]); err != nil {
			return err
		}
	}
	for _, do := range x.begun {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// undo undoes what the transaction has done in all contracts.
func (x *execution) undo() error {
	for _, l := range x.touched {
		// A call that ended the program has rolled its transaction back already.
		if err := l.in.Rollback(); err != nil && !errors.As(err, new(*gyr.TransactionError)) {
			return err
		}
		l.open = false
	}
	for next, before := range x.replaced {
		next.close()
		if before == nil {
			delete(x.w.live, next.name)
		} else {
			x.w.live[next.name] = before
		}
	}
	x.touched = nil
	return nil
}

// transact executes a transaction of a block, and returns its result. An error is one of this node.
func (w *world) transact(ctx context.Context, x *execution, t *Tx, sender string, size int, proposer string) (*abci.ExecTxResult, error) {
	result := &abci.ExecTxResult{GasWanted: t.Gas, Codespace: Codespace}
	fail := func(f *Failure) { result.Code, result.Log = uint32(f.Code), f.Text }
	account, err := w.account(sender)
	if err != nil {
		return nil, err
	}
	if f := payable(t, account); f != nil {
		fail(f)
		return result, nil
	}
	account.Nonce++
	account.Coins -= cost(t.Gas, t.Price)
	if err := w.setAccount(sender, account); err != nil {
		return nil, err
	}
	base := w.info.Rules.intrinsic(t, size)
	var used int64
	result.Data, used, err = x.run(ctx, sender, t, t.Gas-base)
	if err == nil {
		err = x.keep(ctx)
	} else if undone := x.undo(); undone != nil {
		err = undone
	}
	if x.fatal != nil {
		return nil, x.fatal
	}
	if f := (*Failure)(nil); errors.As(err, &f) {
		result.Data = nil
		fail(f)
	} else if err != nil {
		return nil, err
	} else {
		result.Events = x.events
	}
	result.GasUsed = min(base+used+x.lost, t.Gas)
	paid := cost(result.GasUsed, t.Price)
	if account, err = w.account(sender); err != nil {
		return nil, err
	}
	account.Coins += cost(t.Gas, t.Price) - paid
	if err := w.setAccount(sender, account); err != nil {
		return nil, err
	}
	if account, err = w.account(proposer); err != nil {
		return nil, err
	}
	account.Coins += paid
	if err := w.setAccount(proposer, account); err != nil {
		return nil, err
	}
	result.Events = append(result.Events, receipt(t, sender, result, paid))
	return result, nil
}

// settle ends the transaction that is open for the next call, in which nothing has happened.
func (l *live) settle() error {
	if !l.open {
		return nil
	}
	l.open = false
	return l.in.Commit()
}

// payable reports why an account cannot send a transaction.
func payable(t *Tx, a AccountRecord) *Failure {
	if t.Nonce != a.Nonce {
		return failure(CodeNonce, "nonce %d; the account's next one is %d", t.Nonce, a.Nonce)
	}
	if c := cost(t.Gas, t.Price); a.Coins < c {
		return failure(CodeFunds, "%d units of gas cost up to %d coins; the account has %d", t.Gas, c, a.Coins)
	}
	return nil
}

// receipt is the event that every transaction has that was paid for.
func receipt(t *Tx, sender string, r *abci.ExecTxResult, paid int64) abci.Event {
	attribute := func(key string, value any, index bool) abci.EventAttribute {
		return abci.EventAttribute{Key: key, Value: fmt.Sprint(value), Index: index}
	}
	return abci.Event{Type: "receipt", Attributes: []abci.EventAttribute{
		attribute("sender", sender, true), attribute("nonce", t.Nonce, false), attribute("used", r.GasUsed, false),
		attribute("limit", t.Gas, false), attribute("price", t.Price, false), attribute("fee", paid, false),
	}}
}
