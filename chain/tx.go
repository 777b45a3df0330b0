package chain

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cometbft/cometbft/crypto"
	"github.com/cometbft/cometbft/crypto/ed25519"
)

// A Tx is a transaction: one thing to do, and what its sender pays for it at most. It takes effect as
// a whole or not at all.
type Tx struct {
	Nonce uint64 `json:"nonce"` // how many transactions of the sender were paid for before
	Gas   int64  `json:"gas"`   // units that it may use
	Price int64  `json:"price"` // coins for 1000 units

	Send    *Send    `json:"send,omitempty"`
	Deploy  *Deploy  `json:"deploy,omitempty"`
	Call    *Call    `json:"call,omitempty"`
	Upgrade *Upgrade `json:"upgrade,omitempty"`
}

// Send gives coins to an account.
type Send struct {
	To    string `json:"to"`
	Coins int64  `json:"coins"`
}

// Call calls an exported function of a contract.
type Call struct {
	Contract string            `json:"contract"`
	Function string            `json:"function"`
	Args     []json.RawMessage `json:"args,omitempty"`
	Coins    int64             `json:"coins,omitempty"` // that go to the contract with the call
}

// A Program is the code of a contract: its files, which are one Go package and may have a go.mod and
// packages beside it, or an image of these that was built for this chain (see BuildImage).
type Program struct {
	Files map[string][]byte `json:"files,omitempty"`
	Image []byte            `json:"image,omitempty"`
}

// Deploy makes a contract, which belongs to the sender.
type Deploy struct {
	Name    string  `json:"name"`
	Program Program `json:"program"`
	Init    *Call   `json:"init,omitempty"` // a first call, of the new contract
}

// Upgrade gives a contract new code. The state goes along if the types are the same. With Export and
// Import, the function Import of the new code gets what the function Export of the old one returns.
type Upgrade struct {
	Name    string  `json:"name"`
	Program Program `json:"program"`
	Export  string  `json:"export,omitempty"`
	Import  string  `json:"import,omitempty"`
}

// size is what the price of compiling counts.
func (p Program) size() (n int) {
	n = len(p.Image)
	for name, text := range p.Files {
		n += len(name) + len(text)
	}
	return n
}

// The form of a signed transaction is a byte for the version, key and signature of ed25519, and the
// Tx as JSON. The signature covers the chain's name, so that no chain accepts another's.
const (
	txVersion = 1
	txHead    = 1 + ed25519.PubKeySize + ed25519.SignatureSize
)

func signedBytes(chainID string, body []byte) []byte {
	return append([]byte("gyr chain transaction\x00"+chainID+"\x00"), body...)
}

// Sign returns a transaction as bytes, for a node.
func (t *Tx) Sign(chainID string, key ed25519.PrivKey) ([]byte, error) {
	body, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	signature, err := key.Sign(signedBytes(chainID, body))
	if err != nil {
		return nil, err
	}
	out := append([]byte{txVersion}, key.PubKey().Bytes()...)
	return append(append(out, signature...), body...), nil
}

// Account returns the name of the account of a key.
func Account(key crypto.PubKey) string { return hex.EncodeToString(key.Address()) }

// parse reads a transaction and checks all that no state is needed for.
func (r *Rules) parse(chainID string, raw []byte) (t *Tx, sender string, fail *Failure) {
	if len(raw) > r.TxBytes {
		return nil, "", failure(CodeSize, "a transaction of %d bytes; the most is %d", len(raw), r.TxBytes)
	}
	if len(raw) < txHead || raw[0] != txVersion {
		return nil, "", failure(CodeEncoding, "%d bytes that are no transaction of version %d", len(raw), txVersion)
	}
	key := ed25519.PubKey(raw[1 : 1+ed25519.PubKeySize])
	body := raw[txHead:]
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	t = new(Tx)
	if err := d.Decode(t); err != nil {
		return nil, "", failure(CodeEncoding, "%v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, "", failure(CodeEncoding, "bytes after the transaction")
	}
	if err := t.check(); err != nil {
		return nil, "", failure(CodeEncoding, "%v", err)
	}
	if least := r.intrinsic(t, len(raw)); t.Gas < least || t.Gas > r.BlockGas {
		return nil, "", failure(CodeGasLimit, "gas of %d; a transaction like this takes %d, a block has %d", t.Gas, least, r.BlockGas)
	}
	if t.Price < r.MinPrice || t.Price > maxPrice {
		return nil, "", failure(CodePrice, "a price of %d; the lowest is %d", t.Price, r.MinPrice)
	}
	if !key.VerifySignature(signedBytes(chainID, body), raw[1+ed25519.PubKeySize:txHead]) {
		return nil, "", failure(CodeSignature, "the signature is not that of key %X for chain %q", []byte(key), chainID)
	}
	return t, Account(key), nil
}

// A parsed transaction is one that no state has been asked about.
type parsed struct {
	tx      *Tx
	sender  string
	failure *Failure
}

// parseAll parses the transactions of a block, on all processors: most of the time goes into
// signatures.
func (i *Info) parseAll(txs [][]byte) []parsed {
	list := make([]parsed, len(txs))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(txs)) {
		group.Go(func() {
			for n := int(next.Add(1)) - 1; n < len(txs); n = int(next.Add(1)) - 1 {
				p := &list[n]
				p.tx, p.sender, p.failure = i.Rules.parse(i.ChainID, txs[n])
			}
		})
	}
	group.Wait()
	return list
}

// maxPrice keeps the product of gas and price within an int64.
const maxPrice = 1_000_000

// check reports what is wrong with the form of a transaction.
func (t *Tx) check() error {
	things := 0
	for _, is := range []bool{t.Send != nil, t.Deploy != nil, t.Call != nil, t.Upgrade != nil} {
		if is {
			things++
		}
	}
	if things != 1 {
		return fmt.Errorf("a transaction does one thing; this one does %d", things)
	}
	var p *Program
	if t.Deploy != nil {
		p = &t.Deploy.Program
	}
	if t.Upgrade != nil {
		p = &t.Upgrade.Program
	}
	if p != nil && (len(p.Files) > 0) == (len(p.Image) > 0) {
		return fmt.Errorf("a program has files or an image")
	}
	return nil
}

// intrinsic is the gas that a transaction takes before anything of a contract runs.
func (r *Rules) intrinsic(t *Tx, size int) int64 {
	gas := r.TxGas + int64(size)*r.ByteGas
	if t.Deploy != nil {
		gas += r.CompileGas + int64(t.Deploy.Program.size())*r.CompileByteGas
	}
	if t.Upgrade != nil {
		gas += r.CompileGas + int64(t.Upgrade.Program.size())*r.CompileByteGas
	}
	return gas
}

// cost returns the coins for gas, rounded up.
func cost(gas, price int64) int64 { return (gas/1000)*price + (gas%1000*price+999)/1000 }
