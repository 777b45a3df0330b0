package ledger

import (
	"errors"
	"fmt"
)

// An account holds coins.
type account interface {
	add(coins int64) error // takes them away if negative
	holding() Holding
}

// A Holding is an account as data.
type Holding struct {
	Coins int64
	Limit int64 // the most coins that it takes; 0: no limit
}

// A purse takes any number of coins.
type purse struct{ coins int64 }

func (p *purse) add(coins int64) error {
	if p.coins+coins < 0 {
		return errors.New("not enough coins")
	}
	p.coins += coins
	return nil
}

func (p *purse) holding() Holding { return Holding{Coins: p.coins} }

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

func (c *capped) holding() Holding { return Holding{Coins: c.coins, Limit: c.limit} }

func newAccount(h Holding) account {
	p := purse{coins: h.Coins}
	if h.Limit > 0 {
		return &capped{p, h.Limit}
	}
	return &p
}
