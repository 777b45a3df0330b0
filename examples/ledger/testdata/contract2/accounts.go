package ledger

import (
	"errors"
	"fmt"

	"ledger.example/chain"
)

// An account holds coins, and knows since version 2 how many it was ever given.
type account interface {
	add(coins int64) error // takes them away if negative
	holding() Holding
}

// A Holding is an account as data.
type Holding struct {
	Coins    int64
	Limit    int64 // the most coins that it takes; 0: no limit
	Received int64 // since version 2: coins that came in; 0 in what version 1 exports
}

// A purse takes any number of coins. It tells of each change, whether the transaction lasts or not.
type purse struct{ coins, received int64 }

func (p *purse) add(coins int64) error {
	if p.coins+coins < 0 {
		return errors.New("not enough coins")
	}
	chain.Event(fmt.Sprintf("a purse of %d coins has %d", p.coins, p.coins+coins))
	p.coins += coins
	p.received += max(coins, 0)
	return nil
}

func (p *purse) holding() Holding { return Holding{Coins: p.coins, Received: p.received} }

// A capped account is a purse with a limit.
type capped struct {
	purse
	limit int64
}

func (c *capped) add(coins int64) error {
	if coins > 0 && c.coins+coins > c.limit {
		return fmt.Errorf("more than %d coins", c.limit)
	}
	return c.purse.add(coins)
}

func (c *capped) holding() Holding {
	h := c.purse.holding()
	h.Limit = c.limit
	return h
}

func newAccount(h Holding) account {
	p := purse{coins: h.Coins, received: h.Received}
	if h.Limit > 0 {
		return &capped{p, h.Limit}
	}
	return &p
}

// Received returns the coins that an account was ever given.
func Received(name string) (int64, error) {
	a, err := find(name)
	if err != nil {
		return 0, err
	}
	return a.holding().Received, nil
}
