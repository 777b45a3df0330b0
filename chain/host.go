package chain

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/gyrvm/gyr"
)

// ContractPackage is the import path of the package that contracts know the chain by.
const ContractPackage = "github.com/gyrvm/gyr/chain/contract"

// Prices of the functions of package contract, in units of gas. They are part of every contract's
// code: another price is another program. RulesVersion changes with them.
const (
	gasRead  = 500    // what the node knows without looking it up
	gasTable = 5_000  // a record of the table of accounts
	gasEvent = 1_000  // and gasByte for each byte
	gasCall  = 30_000 // a transaction of another instance, and its root at the end of the block
	gasByte  = 10
	// burnUnit is what a byte of burn's result costs. The engine charges a caller for what it called
	// in these units, rounded up.
	burnUnit = 1 << 10
)

// hostPath is the import path of the functions of the host. Only contractSource may import it.
const hostPath = ContractPackage + "/host"

// contractSource takes the place of package contract on a chain. A function of the host does not see
// how much gas its caller has used so far, and can charge only by the bytes that cross. So Call says
// what the clock of the contract shows, which counts gas, and Burn makes as many bytes as the called
// contract has used units of burnUnit.
const contractSource = `// Package contract is what a contract knows of its chain.
package contract

import (
	"time"

	"github.com/gyrvm/gyr/chain/contract/host"
)

func Caller() string                     { return host.Caller() }
func Self() string                       { return host.Self() }
func Height() int64                      { return host.Height() }
func Time() time.Time                    { return host.Time() }
func Paid() int64                        { return host.Paid() }
func Balance(who string) int64           { return host.Balance(who) }
func Send(to string, coins int64)        { host.Send(to, coins) }
func Emit(kind string, pairs ...string)  { host.Emit(kind, pairs) }

func Call(contract, function string, args ...any) []any {
	results, used := host.Call(time.Now().UnixNano(), contract, function, args)
	host.Burn(used)
	return results
}
`

// hostPackage returns the functions of the host.
func hostPackage() gyr.HostPackage {
	return gyr.HostPackage{
		Path: hostPath,
		Source: `// Package host is what package contract asks the node.
package host

import "time"

func Caller() string
func Self() string
func Height() int64
func Time() time.Time
func Paid() int64
func Balance(who string) int64
func Send(to string, coins int64)
func Emit(kind string, pairs []string)
func Call(now int64, contract, function string, args []any) ([]any, int64)
func Burn(units int64) string
`,
		Funcs: map[string]any{
			"Caller": hostFunc(gasRead, func(ctx context.Context) string { return frameOf(ctx).caller }),
			"Self":   hostFunc(gasRead, func(ctx context.Context) string { return frameOf(ctx).self }),
			"Height": hostFunc(gasRead, func(ctx context.Context) int64 { return frameOf(ctx).x.height }),
			"Time":   hostFunc(gasRead, func(ctx context.Context) time.Time { return frameOf(ctx).x.time }),
			"Paid":   hostFunc(gasRead, func(ctx context.Context) int64 { return frameOf(ctx).paid }),
			"Balance": hostFunc(gasTable, func(ctx context.Context, who string) (int64, error) {
				x := frameOf(ctx).x
				a, err := x.account(who)
				return a.Coins, x.failed(err)
			}),
			"Send": hostFunc(2*gasTable, func(ctx context.Context, to string, coins int64) error {
				f := frameOf(ctx)
				return f.x.failed(f.x.send(f.self, to, coins))
			}),
			"Emit": hostFunc(gasEvent, func(ctx context.Context, kind string, pairs []string) error {
				f := frameOf(ctx)
				return f.x.failed(f.x.emit(f.self, kind, pairs))
			}),
			"Call": hostFunc(gasCall, func(ctx context.Context, now int64, contract, function string, args []any) ([]any, int64, error) {
				f := frameOf(ctx)
				results, used, err := f.call(ctx, now, contract, function, args)
				return results, used, f.x.failed(err)
			}),
			"Burn": gyr.HostFunc{Gas: 1, GasPerByte: burnUnit, Deterministic: true, Func: func(units int64) string {
				return strings.Repeat("\x00", int((units+burnUnit-1)/burnUnit))
			}},
		},
	}
}

func hostFunc(gas int64, f any) gyr.HostFunc {
	return gyr.HostFunc{Gas: gas, GasPerByte: gasByte, Deterministic: true, Func: f}
}

// A frame is a call of a contract.
type frame struct {
	x            *execution
	self, caller string
	paid         int64
	limit        int64 // gas of the call
	begin        int64 // what the clock of the contract showed when the call began
}

type frameKey struct{}

func frameOf(ctx context.Context) *frame { return ctx.Value(frameKey{}).(*frame) }

// call calls another contract with what this call has left of its gas.
func (f *frame) call(ctx context.Context, now int64, contract, function string, args []any) ([]any, int64, error) {
	left := f.limit - (now - f.begin)
	if left <= burnUnit {
		return nil, 0, failure(CodeOutOfGas, "%s has no gas left for a call of %s.%s", f.self, contract, function)
	}
	// What is burnt is rounded up, and is not more than what is left.
	results, used, err := f.x.call(ctx, f.self, contract, function, args, 0, min(left, f.limit)-burnUnit)
	if err != nil {
		f.x.lost += used
	}
	return results, used, err
}

// failed notes why a transaction fails. The caller ends with an error of the host, which does not
// tell a failure that all nodes see from a problem of this node.
func (x *execution) failed(err error) error {
	if err == nil {
		return nil
	}
	if f := (*Failure)(nil); errors.As(err, &f) {
		if x.failure == nil {
			x.failure = f
		}
	} else if x.fatal == nil {
		x.fatal = err
	}
	return err
}

// emit adds an event of a contract.
func (x *execution) emit(self, kind string, pairs []string) error {
	if !validKind(kind) {
		return failure(CodeEvent, "%s reports an event of kind %.40q: a kind has 1 to 40 letters, digits, '.', '-' or '_'", self, kind)
	}
	if len(pairs)%2 != 0 {
		return failure(CodeEvent, "%s reports event %s with %d strings, which are no pairs", self, kind, len(pairs))
	}
	e := abci.Event{Type: "contract." + kind, Attributes: []abci.EventAttribute{{Key: "contract", Value: self, Index: true}}}
	for i := 0; i < len(pairs); i += 2 {
		if !validKind(pairs[i]) {
			return failure(CodeEvent, "%s reports event %s with the name %.40q: a name has 1 to 40 letters, digits, '.', '-' or '_'", self, kind, pairs[i])
		}
		e.Attributes = append(e.Attributes, abci.EventAttribute{Key: pairs[i], Value: strings.ToValidUTF8(pairs[i+1], "\ufffd"), Index: true})
	}
	x.events = append(x.events, e)
	return nil
}

func validKind(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// clockSource is a function that every contract gets, so that a call knows what the contract's clock
// shows when it begins.
func clockSource(pkg string) []byte {
	return fmt.Appendf(nil, "package %s\n\nimport \"time\"\n\n// %s is called by the chain.\nfunc %[2]s() int64 { return time.Now().UnixNano() }\n", pkg, clockFunction)
}

const (
	clockFunction = "XChainClock"
	clockFile     = "xchainclock.go"
)
