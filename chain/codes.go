package chain

import (
	"errors"
	"fmt"

	"github.com/gyrvm/gyr"
)

// Codespace is that of all codes.
const Codespace = "gyr"

// A Code says how a transaction ended. The numbers and words do not change. They follow from the
// transaction and the state alone, so that all nodes give the same one. A problem of one node, such
// as a full disk or the end of a deadline, has no code in a block: the node stops, and answers
// transactions with CodeNode.
type Code uint32

// Codes of transactions. From CodeEncoding to CodeBlockGas the transaction has had no effect; from
// CodeName on its gas is paid, and its nonce used, and everything else is undone.
const (
	CodeOK          Code = 0
	CodeEncoding    Code = 1  // the bytes are no transaction
	CodeSize        Code = 2  // it is larger than the chain allows
	CodeSignature   Code = 3  // the signature is not that of the key, for this chain
	CodeNonce       Code = 4  // the nonce is not the account's next one
	CodeGasLimit    Code = 5  // the gas is not between what a transaction of this size takes and a block's
	CodePrice       Code = 6  // the price is below the chain's lowest
	CodeFunds       Code = 7  // the account has not the coins for the gas
	CodeBlockGas    Code = 8  // the block has no gas left for it
	CodeName        Code = 10 // a contract cannot have this name, or another one has it
	CodeCompile     Code = 11 // the source does not compile
	CodeCompileSize Code = 12 // compiling it exceeds a limit that is counted
	CodeImage       Code = 13 // the image is refused
	CodeUpgrade     Code = 14 // the state does not go along: other types, other initial values
	CodeOwner       Code = 15 // the account is not the contract's owner
	CodeNoContract  Code = 20 // there is no contract of this name
	CodeCall        Code = 21 // there is no such function, or the arguments do not fit
	CodeRefused     Code = 22 // the function returned an error
	CodeOutOfGas    Code = 23 // the gas is used up
	CodePanic       Code = 24 // the contract panicked or ended itself
	CodeLimit       Code = 25 // it reached a limit of memory, stack or output, or touched memory that it has not
	CodeReentrant   Code = 26 // it called a contract that waits for a call to return
	CodeDepth       Code = 27 // too many contracts wait for each other
	CodeCoins       Code = 28 // a payment is negative, or more than there is
	CodeEvent       Code = 29 // an event has no valid kind or names
	CodeOpen        Code = 30 // the contract has goroutines or files open, so that its call cannot be undone
	CodeNode        Code = 40 // in no block: this node cannot check transactions, because it has halted or was stopped
)

var codeWords = map[Code]string{
	CodeOK: "ok", CodeEncoding: "encoding", CodeSize: "size", CodeSignature: "signature", CodeNonce: "nonce", CodeGasLimit: "gas limit",
	CodePrice: "price", CodeFunds: "funds", CodeBlockGas: "block gas", CodeName: "name", CodeCompile: "compile", CodeCompileSize: "compile limit",
	CodeImage: "image", CodeUpgrade: "upgrade", CodeOwner: "owner", CodeNoContract: "no contract", CodeCall: "call", CodeRefused: "refused",
	CodeOutOfGas: "out of gas", CodePanic: "panic", CodeLimit: "limit", CodeReentrant: "reentrant", CodeDepth: "depth", CodeCoins: "coins",
	CodeEvent: "event", CodeOpen: "open", CodeNode: "node",
}

func (c Code) String() string {
	if w := codeWords[c]; w != "" {
		return w
	}
	return fmt.Sprintf("code %d", uint32(c))
}

// A Failure is the result of a transaction that failed, the same on every node.
type Failure struct {
	Code Code
	Text string // for people; no node compares it
}

func (f *Failure) Error() string { return fmt.Sprintf("%v: %s", f.Code, f.Text) }

func failure(c Code, format string, args ...any) *Failure {
	return &Failure{c, fmt.Sprintf(format, args...)}
}

// outcome turns the error of a call or a compilation into a Failure if every node gets the same
// error, and returns any other error as it is.
func outcome(err error) error {
	if err == nil || errors.As(err, new(*Failure)) {
		return err
	}
	code := CodePanic
	switch {
	case errors.As(err, new(*gyr.ImageError)):
		return &Failure{CodeImage, err.Error()} // follows from the image, the engine and its rules
	case errors.As(err, new(*gyr.TransactionError)):
		return &Failure{CodeOpen, err.Error()}
	case !gyr.Reproducible(err):
		return err
	}
	switch gyr.Kind(err) {
	case "guest":
		code = CodeRefused
	case "call", "config":
		code = CodeCall
	case "gas":
		code = CodeOutOfGas
	case "memory", "stack", "output", "fault", "readonly":
		code = CodeLimit
	case "compile":
		code = CodeCompile
	case "limit":
		code = CodeCompileSize
	}
	return &Failure{code, err.Error()}
}
