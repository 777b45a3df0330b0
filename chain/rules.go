package chain

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/gyrvm/gyr"
)

// RulesVersion changes whenever the same transaction may have another result for a reason in this
// module.
const RulesVersion = 1

// Rules are what all nodes of a chain agree on: what decides the result of a transaction besides the
// state. They are part of the genesis, and of every state.
type Rules struct {
	Chain       int    `json:"chain"`       // RulesVersion
	Determinism string `json:"determinism"` // version of the engine's results
	Go          string `json:"go"`          // release of the standard library of contracts

	BlockGas int64 `json:"block_gas"` // units of all transactions of a block
	TxBytes  int   `json:"tx_bytes"`  // size of a transaction
	TxGas    int64 `json:"tx_gas"`    // price of a transaction by itself: its signature, its account
	ByteGas  int64 `json:"byte_gas"`  // price of a byte of it
	// Compiling a program costs CompileGas, and CompileByteGas for each byte of its code.
	CompileGas     int64 `json:"compile_gas"`
	CompileByteGas int64 `json:"compile_byte_gas"`
	MinPrice       int64 `json:"min_price"` // lowest price of 1000 units, in coins
	Depth          int   `json:"depth"`     // how many contracts may wait for each other

	Memory uint64     `json:"memory"` // of a contract
	Stack  uint64     `json:"stack"`  // of a goroutine of it
	Output int64      `json:"output"` // bytes that a contract may print in its life; nobody reads them
	Limits gyr.Limits `json:"limits"` // of compiling one

	// CompactEvery is after how many blocks the contracts that have changed since are compacted;
	// 0: never.
	CompactEvery int64 `json:"compact_every"`
}

// Genesis is the state of the application in a genesis file.
type Genesis struct {
	Rules    Rules            `json:"rules"`
	Accounts map[string]int64 `json:"accounts"` // coins at the beginning
}

// DefaultRules returns rules for contracts that nobody has looked at, with the versions of this node.
func DefaultRules() (Rules, error) {
	go_, err := gyr.FindGo("")
	if err != nil {
		return Rules{}, err
	}
	limits := gyr.UntrustedLimits()
	limits.SourceBytes = 512 << 10
	limits.EmbedBytes = 512 << 10
	return Rules{
		Chain: RulesVersion, Determinism: strconv.Itoa(gyr.DeterminismVersion), Go: go_.Release,
		BlockGas: 1_000_000_000, TxBytes: 1 << 20, TxGas: 50_000, ByteGas: 20, CompileGas: 5_000_000, CompileByteGas: 3_000, MinPrice: 1, Depth: 8,
		Memory: 64 << 20, Stack: 1 << 20, Output: 1 << 20, Limits: limits, CompactEvery: 1000,
	}, nil
}

// A RulesError says that this node cannot follow a chain, because it would compute other results.
type RulesError struct {
	What        string // "determinism version", "Go release", …
	Chain, Node string // what the chain's genesis says, and what this node has
	Cure        string
}

func (e *RulesError) Error() string {
	return fmt.Sprintf("chain: the genesis has %s %s, this node %s: %s", e.What, e.Chain, e.Node, e.Cure)
}

// check reports whether this node computes what the rules say.
func (r *Rules) check() error {
	if r.Chain != RulesVersion {
		return &RulesError{"rules version", strconv.Itoa(r.Chain), strconv.Itoa(RulesVersion), "run the gyr-chain of this chain"}
	}
	if have := strconv.Itoa(gyr.DeterminismVersion); r.Determinism != have {
		return &RulesError{"determinism version", r.Determinism, have, "run a gyr-chain that was built with that version of gyr"}
	}
	installed, err := gyr.FindGo("")
	if err != nil {
		return err
	}
	if r.Go != installed.Release {
		return &RulesError{"Go release", r.Go, installed.Release, "install that release, or let GOROOT name it"}
	}
	for _, field := range []struct {
		name  string
		value int64
		least int64
	}{
		{"block_gas", r.BlockGas, 1}, {"tx_bytes", int64(r.TxBytes), 1024}, {"tx_gas", r.TxGas, 1}, {"byte_gas", r.ByteGas, 1},
		{"compile_gas", r.CompileGas, 1}, {"compile_byte_gas", r.CompileByteGas, 1}, {"min_price", r.MinPrice, 0}, {"depth", int64(r.Depth), 1},
		{"memory", int64(r.Memory), 1 << 20}, {"stack", int64(r.Stack), gyr.MinStack}, {"output", r.Output, 1},
		{"compact_every", r.CompactEvery, 0}, {"limits.SourceBytes", r.Limits.SourceBytes, 1}, {"limits.CheckWork", r.Limits.CheckWork, 1},
	} {
		if field.value < field.least {
			return fmt.Errorf("chain: the genesis has %s %d, the least is %d", field.name, field.value, field.least)
		}
	}
	return nil
}

// parseGenesis reads the application's part of a genesis file.
func parseGenesis(data []byte) (*Genesis, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	g := new(Genesis)
	if err := d.Decode(g); err != nil {
		return nil, fmt.Errorf("chain: the app_state of the genesis: %w", err)
	}
	sum := int64(0)
	for who, coins := range g.Accounts {
		if sum += coins; sum < 0 {
			return nil, errors.New("chain: the genesis has more than 2^63-1 coins")
		}
		if !validAccount(who) || coins < 0 {
			return nil, fmt.Errorf("chain: the genesis gives %d coins to %q; accounts have 40 hexadecimal digits", coins, who)
		}
	}
	return g, g.Rules.check()
}

func validAccount(who string) bool {
	if len(who) != 40 {
		return false
	}
	for _, c := range []byte(who) {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// validName reports whether a contract may have a name: 1 to 32 small letters, digits and dashes, a
// letter first.
func validName(name string) bool {
	if len(name) == 0 || len(name) > 32 || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-') {
			return false
		}
	}
	return true
}
