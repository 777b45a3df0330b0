// Package token is a contract: a token with balances and allowances, and its supply.
//
//	gyr-chain deploy token ./examples/token
//	gyr-chain call token Mint '"<account>"' 1000
package token

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/gyrvm/gyr/chain/contract"
)

// The state of a contract is its variables.
var (
	owner    string
	supply   int64
	balances = map[string]int64{}
	allowed  = map[string]map[string]int64{} // of an account, to a spender
)

// Init makes the caller the owner. It is the first call of a new contract.
func Init() error {
	if owner != "" {
		return errors.New("the token has an owner")
	}
	owner = contract.Caller()
	return nil
}

// Mint makes new units for an account. Only the owner may.
func Mint(to string, units int64) error {
	if contract.Caller() != owner {
		return fmt.Errorf("only the owner mints")
	}
	if units <= 0 || supply+units < supply {
		return fmt.Errorf("mint %d units", units)
	}
	supply += units
	balances[to] += units
	tell("", to, units)
	return nil
}

// Transfer moves units of the caller.
func Transfer(to string, units int64) error { return move(contract.Caller(), to, units) }

// Allow lets a spender move units of the caller, in the place of what was allowed before.
func Allow(spender string, units int64) error {
	if units < 0 {
		return fmt.Errorf("allow %d units", units)
	}
	from := contract.Caller()
	if allowed[from] == nil {
		allowed[from] = map[string]int64{}
	}
	allowed[from][spender] = units
	return nil
}

// TransferFrom moves units of another account, which has allowed it. Contracts are paid so.
func TransferFrom(from, to string, units int64) error {
	spender := contract.Caller()
	if allowed[from][spender] < units {
		return fmt.Errorf("%s allows %s %d units, not %d", from, spender, allowed[from][spender], units)
	}
	if err := move(from, to, units); err != nil {
		return err
	}
	allowed[from][spender] -= units
	return nil
}

// Balance returns the units of an account.
func Balance(of string) int64 { return balances[of] }

// Allowance returns what an account still allows a spender.
func Allowance(of, spender string) int64 { return allowed[of][spender] }

// Supply returns all units that there are.
func Supply() int64 { return supply }

func move(from, to string, units int64) error {
	if units <= 0 || balances[from] < units {
		return fmt.Errorf("%s has %d units, not %d", from, balances[from], units)
	}
	if balances[from] -= units; balances[from] == 0 {
		delete(balances, from)
	}
	balances[to] += units
	tell(from, to, units)
	return nil
}

func tell(from, to string, units int64) {
	contract.Emit("transfer", "from", from, "to", to, "units", strconv.FormatInt(units, 10))
}
