// Package ledger is the guest of the ledger: accounts in a map, and transfers, each of which leaves
// a receipt.
package ledger

import (
	"errors"
	"fmt"
)

// A Book is the accounts by name.
type Book map[string]*account

type account struct {
	coins, transfers int64
	receipt          string // of the last transfer from it
}

var book = Book{}

// Open makes an account in the package's own book.
func Open(name string, coins int64) error { return book.Open(name, coins) }

// Transfer moves coins in the package's own book.
func Transfer(from, to string, coins int64) (string, error) { return book.Transfer(from, to, coins) }

// Coins returns what an account of the package's own book has.
func Coins(name string) (int64, error) { return book.Coins(name) }

// Open makes an account.
func (b Book) Open(name string, coins int64) error {
	if b[name] != nil {
		return fmt.Errorf("there is an account %q", name)
	}
	b[name] = &account{coins: coins}
	return nil
}

// Transfer moves coins and returns a receipt.
func (b Book) Transfer(from, to string, coins int64) (string, error) {
	payer, payee := b[from], b[to]
	switch {
	case payer == nil || payee == nil:
		return "", errors.New("no such account")
	case coins <= 0 || payer.coins < coins:
		return "", fmt.Errorf("%s cannot pay %d", from, coins)
	}
	payer.coins -= coins
	payee.coins += coins
	payer.transfers++
	payer.receipt = fmt.Sprintf("%s, transfer %d: %d coins to %s", from, payer.transfers, coins, to)
	return payer.receipt, nil
}

// Coins returns what an account has.
func (b Book) Coins(name string) (int64, error) {
	a := b[name]
	if a == nil {
		return 0, errors.New("no such account")
	}
	return a.coins, nil
}
