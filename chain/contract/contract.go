// Package contract is what a contract knows of its chain: who calls it, with how many coins, at
// which height; and what it can do there: send coins, report events, call other contracts.
//
// A contract is a Go package. Its exported functions are what transactions call, and its variables
// are its state. A function that returns an error is undone, like one that panics or runs out of gas.
//
//	package counter
//
//	import "github.com/gyrvm/gyr/chain/contract"
//
//	var count = map[string]int64{}
//
//	func Add(n int64) int64 {
//		count[contract.Caller()] += n
//		return count[contract.Caller()]
//	}
//
// On a chain the node's functions take the place of the bodies in this file. The bodies are a small
// model for the contract's own tests, under gyr test or go test: Set says what the functions return,
// Events and Sent what the contract did.
//
// A failure of one of these functions, such as sending more coins than there are, has no error that
// a contract could handle: it ends the whole transaction, which is undone in every contract that it
// touched. In the model it is a panic.
package contract

import (
	"fmt"
	"time"
)

// A Setting is what the functions of this package return in a test.
type Setting struct {
	Caller string // account, or name of the calling contract
	Self   string // name of this contract
	Height int64
	Time   time.Time
	Paid   int64            // coins that the caller has sent with the call
	Coins  map[string]int64 // of accounts and contracts
	// Contracts are other contracts, by name. A test may check that it is called as it should be.
	Contracts map[string]func(function string, args []any) []any
}

// An Event is what a contract has reported by Emit.
type Event struct {
	Kind  string
	Pairs []string
}

// A Payment is what a contract has sent by Send.
type Payment struct {
	To    string
	Coins int64
}

var (
	setting  Setting
	events   []Event
	payments []Payment
)

// Set begins a test: it says what functions return from now on, and forgets events and payments.
func Set(s Setting) { setting, events, payments = s, nil, nil }

// Events returns what Emit has reported since Set.
func Events() []Event { return events }

// Sent returns what Send has sent since Set.
func Sent() []Payment { return payments }

// Caller returns who calls: an account, 40 hexadecimal digits, or the name of a contract.
func Caller() string { return setting.Caller }

// Self returns the name of this contract, which is also the name of its coins' owner.
func Self() string { return setting.Self }

// Height returns the height of the block.
func Height() int64 { return setting.Height }

// Time returns the time of the block. It is the same on all nodes; time.Now counts gas.
func Time() time.Time { return setting.Time }

// Paid returns how many coins the caller has sent with the call. They belong to the contract.
func Paid() int64 { return setting.Paid }

// Balance returns how many coins an account or a contract has.
func Balance(who string) int64 { return setting.Coins[who] }

// Send sends coins of this contract to an account or a contract.
func Send(to string, coins int64) {
	if coins < 0 || setting.Coins[setting.Self] < coins {
		panic(fmt.Sprintf("contract: %d coins of %d", coins, setting.Coins[setting.Self]))
	}
	setting.Coins[setting.Self] -= coins
	setting.Coins[to] += coins
	payments = append(payments, Payment{to, coins})
}

// Emit reports an event to those who follow the chain: its kind, and pairs of names and values.
func Emit(kind string, pairs ...string) { events = append(events, Event{kind, pairs}) }

// Call calls a function of another contract, with what is left of the gas, and returns its results.
// Arguments have exactly the types of the function's parameters: int64(5), not 5. If the function
// fails in any way, the transaction fails with it. A contract that is waiting for a call to return
// cannot be called.
func Call(contract, function string, args ...any) []any {
	f := setting.Contracts[contract]
	if f == nil {
		panic(fmt.Sprintf("contract: no contract %q", contract))
	}
	return f(function, args)
}
