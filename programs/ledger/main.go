// Command ledger keeps the accounts of a token as a contract would: transfers that fail
// with errors, allowances, events, a journal that is rolled back when a batch panics. The
// size is the number of thousand batches.
//
// Usage: ledger [size]
package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
)

type address [20]byte

func (a address) String() string { return fmt.Sprintf("0x%x", a[:4]) }

type event struct {
	kind     string
	from, to address
	amount   uint64
}

type change struct {
	of     address
	before uint64
}

var (
	errFunds     = errors.New("insufficient funds")
	errAllowance = errors.New("insufficient allowance")
)

type transferError struct {
	from, to address
	amount   uint64
	err      error
}

func (e *transferError) Error() string {
	return fmt.Sprintf("transfer of %d from %v to %v: %v", e.amount, e.from, e.to, e.err)
}
func (e *transferError) Unwrap() error { return e.err }

type pair struct{ owner, spender address }

type token struct {
	balances   map[address]uint64
	allowances map[pair]uint64
	journal    []change
	events     []event
}

func (t *token) set(a address, amount uint64) {
	t.journal = append(t.journal, change{a, t.balances[a]})
	t.balances[a] = amount
}

func (t *token) transfer(from, to address, amount uint64) error {
	if t.balances[from] < amount {
		return &transferError{from, to, amount, errFunds}
	}
	t.set(from, t.balances[from]-amount)
	t.set(to, t.balances[to]+amount)
	t.events = append(t.events, event{"transfer", from, to, amount})
	return nil
}

func (t *token) transferFrom(spender, from, to address, amount uint64) error {
	p := pair{from, spender}
	if t.allowances[p] < amount {
		return &transferError{from, to, amount, errAllowance}
	}
	if err := t.transfer(from, to, amount); err != nil {
		return fmt.Errorf("on behalf: %w", err)
	}
	t.allowances[p] -= amount
	return nil
}

type operation func(t *token) error

// batch does all operations or none.
func (t *token) batch(ops []operation) (err error) {
	events := len(t.events)
	t.journal = t.journal[:0]
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("batch: %v", r)
		}
		if err != nil {
			for i := len(t.journal) - 1; i >= 0; i-- {
				t.balances[t.journal[i].of] = t.journal[i].before
			}
			t.events = t.events[:events]
		}
	}()
	for i, op := range ops {
		if err := op(t); err != nil {
			var te *transferError
			if errors.As(err, &te) && errors.Is(err, errAllowance) {
				continue // skipped, not fatal
			}
			return fmt.Errorf("operation %d: %w", i, err)
		}
	}
	return nil
}

func main() {
	n := size(50)
	t := &token{balances: map[address]uint64{}, allowances: map[pair]uint64{}}
	var users [100]address
	for i := range users {
		binary.BigEndian.PutUint64(users[i][:], uint64(i+1)*0x9e3779b97f4a7c15)
		t.balances[users[i]] = 10000
		if i > 0 {
			t.allowances[pair{users[i], users[i-1]}] = 1 << 20
		}
	}
	x := uint64(88172645463325252)
	next := func(n uint64) uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x % n
	}
	failed, panicked, text := 0, 0, 0
	h := uint64(0)
	for range n * 1000 {
		var ops []operation
		for range 3 {
			a, b, amount := users[next(100)], users[next(100)], next(900)
			switch next(20) {
			case 0:
				ops = append(ops, func(t *token) error { return t.transfer(a, b, amount*50) })
			case 1, 2, 3, 4:
				i := next(99)
				ops = append(ops, func(t *token) error { return t.transferFrom(users[i], users[i+1], b, amount) })
			case 5:
				ops = append(ops, func(t *token) error { return t.transferFrom(a, b, a, amount) })
			case 6:
				if next(10) == 0 {
					ops = append(ops, func(t *token) error { _ = users[amount]; return nil }) // mostly out of range
				}
			default:
				ops = append(ops, func(t *token) error { return t.transfer(a, b, amount%50) })
			}
		}
		err := t.batch(ops)
		if err != nil {
			failed++
			text += len(err.Error())
			if !errors.Is(err, errFunds) {
				panicked++
			}
		}
		if len(t.events) > 1000 {
			for _, e := range t.events {
				h = h*31 + e.amount + uint64(e.from[7]^e.to[6])
			}
			t.events = t.events[:0]
		}
	}
	sum := uint64(0)
	for i, u := range users {
		sum += t.balances[u]
		h = h*31 + t.balances[u]*uint64(i)
	}
	fmt.Printf("%d %d %d %d %016x\n", failed, panicked, text, sum, h)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
