package main

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/crypto/ed25519"
	rpc "github.com/cometbft/cometbft/rpc/client"
	"github.com/cometbft/cometbft/rpc/client/http"
	"github.com/gyrvm/gyr/chain"
)

// A client sends transactions of a key to a node.
type client struct {
	*http.HTTP
	node, keyFile *string
	gas, price    *int64

	key  ed25519.PrivKey
	info chain.Info
}

// clientFlags are the flags of all commands that talk to a node; sender adds those of transactions.
func clientFlags(f *flag.FlagSet, sender bool) *client {
	c := &client{node: f.String("node", cmp.Or(os.Getenv("GYR_CHAIN_NODE"), "http://127.0.0.1:26657"), "`address` of a node for clients; $GYR_CHAIN_NODE is another default")}
	if sender {
		c.keyFile = f.String("key", "net/keys/key0.json", "`file` with the key of the sender")
		c.gas = f.Int64("gas", 0, "`limit` of gas; 0: half as much again as a simulation takes")
		c.price = f.Int64("price", 1, "`coins` for 1000 units of gas")
	}
	return c
}

// connect makes the client, and reads the key.
func (c *client) connect(ctx context.Context) (err error) {
	if c.HTTP, err = http.New(*c.node, "/websocket"); err != nil {
		return err
	}
	if c.keyFile == nil {
		return nil
	}
	if c.key, err = chain.ReadKey(*c.keyFile); err != nil {
		return fmt.Errorf("%w; -key names the file", err)
	}
	return c.query(ctx, 0, chain.QueryInfo, nil, &c.info)
}

// query makes a query, and reads its value.
func (c *client) query(ctx context.Context, height int64, path string, data []byte, into any) error {
	r, err := c.ABCIQueryWithOptions(ctx, path, data, rpc.ABCIQueryOptions{Height: height})
	if err != nil {
		return fmt.Errorf("%w; is a node running at %s? -node names another", err, *c.node)
	}
	if r.Response.Code != 0 {
		return &statusError{exitResult, &chain.Failure{Code: chain.Code(r.Response.Code), Text: r.Response.Log}}
	}
	return json.Unmarshal(r.Response.Value, into)
}

// send signs a transaction, sends it, and prints its result when it is committed.
func (c *client) send(ctx context.Context, t chain.Tx) error {
	if err := c.connect(ctx); err != nil {
		return err
	}
	var account chain.AccountRecord
	if err := c.query(ctx, 0, chain.QueryAccount, []byte(chain.Account(c.key.PubKey())), &account); err != nil {
		return err
	}
	t.Nonce, t.Gas, t.Price = account.Nonce, *c.gas, *c.price
	if t.Gas == 0 {
		t.Gas = c.info.Rules.BlockGas
		raw, err := t.Sign(c.info.ChainID, c.key)
		if err != nil {
			return err
		}
		var s chain.Simulation
		if err := c.query(ctx, 0, chain.QuerySimulate, raw, &s); err != nil {
			return err
		}
		t.Gas = min(s.Gas+s.Gas/2, c.info.Rules.BlockGas)
	}
	raw, err := t.Sign(c.info.ChainID, c.key)
	if err != nil {
		return err
	}
	r, err := c.BroadcastTxCommit(ctx, raw)
	if err != nil {
		return err
	}
	if r.CheckTx.Code != 0 {
		return &statusError{exitResult, &chain.Failure{Code: chain.Code(r.CheckTx.Code), Text: r.CheckTx.Log}}
	}
	return printResult(r.Height, &r.TxResult)
}

// printResult prints the receipt, the results and the events of a transaction.
func printResult(height int64, r *abci.ExecTxResult) error {
	fmt.Printf("height %d: gas %d of %d", height, r.GasUsed, r.GasWanted)
	for _, e := range r.Events {
		if e.Type == "receipt" {
			for _, a := range e.Attributes {
				if a.Key == "fee" {
					fmt.Printf(", fee %s", a.Value)
				}
			}
		}
	}
	fmt.Println()
	for _, e := range r.Events {
		if name, ok := strings.CutPrefix(e.Type, "contract."); ok {
			fmt.Printf("event %s:", name)
			for _, a := range e.Attributes {
				fmt.Printf(" %s=%q", a.Key, a.Value)
			}
			fmt.Println()
		}
	}
	if r.Code != 0 {
		return &statusError{exitResult, &chain.Failure{Code: chain.Code(r.Code), Text: r.Log}}
	}
	if len(r.Data) > 0 {
		fmt.Printf("%s\n", r.Data)
	}
	return nil
}

// callOf makes a call of texts, which must be JSON; @FILE is the account of a key.
func callOf(contract, function string, coins int64, args []string) (*chain.Call, error) {
	c := &chain.Call{Contract: contract, Function: function, Coins: coins}
	for i, a := range args {
		if file, ok := strings.CutPrefix(a, "@"); ok {
			key, err := chain.ReadKey(file)
			if err != nil {
				return nil, err
			}
			a = strconv.Quote(chain.Account(key.PubKey()))
		}
		if !json.Valid([]byte(a)) {
			return nil, &usageError{fmt.Sprintf("argument %d, %s, is not JSON: a text has quotes, as in '\"text\"'", i+1, a)}
		}
		c.Args = append(c.Args, json.RawMessage(a))
	}
	return c, nil
}

func runDeploy(f *flag.FlagSet, args []string) error {
	c := clientFlags(f, true)
	init := f.String("init", "", "`function` that is called first, with the arguments")
	upgrade := f.Bool("upgrade", false, "give an existing contract new code; its state goes along if types are the same")
	export := f.String("export", "", "with -upgrade: `function` of the old code whose results go to -import, if types differ")
	imported := f.String("import", "", "with -upgrade: `function` of the new code")
	if err := parse(f, args, 2, -1); err != nil {
		return err
	}
	if *init == "" && f.NArg() > 2 {
		return &usageError{"arguments without -init"}
	}
	if !*upgrade && (*export != "" || *imported != "") || (*export == "") != (*imported == "") {
		return &usageError{"-export and -import go together, with -upgrade"}
	}
	p, err := chain.ReadProgram(f.Arg(1))
	if err != nil {
		return err
	}
	t := chain.Tx{}
	if *upgrade {
		t.Upgrade = &chain.Upgrade{Name: f.Arg(0), Program: p, Export: *export, Import: *imported}
	} else {
		t.Deploy = &chain.Deploy{Name: f.Arg(0), Program: p}
		if *init != "" {
			if t.Deploy.Init, err = callOf("", *init, 0, f.Args()[2:]); err != nil {
				return err
			}
		}
	}
	return c.send(context.Background(), t)
}

func runBuild(f *flag.FlagSet, args []string) error {
	out := f.String("o", "contract.img", "`file` to write")
	if err := parse(f, args, 1, 1); err != nil {
		return err
	}
	p, err := chain.ReadProgram(f.Arg(0))
	if err != nil {
		return err
	}
	rules, err := chain.DefaultRules()
	if err != nil {
		return err
	}
	image, err := chain.BuildImage(context.Background(), &rules, p.Files)
	if err != nil {
		return err
	}
	return os.WriteFile(*out, image, 0o644)
}

func runCall(f *flag.FlagSet, args []string) error {
	c := clientFlags(f, true)
	coins := f.Int64("coins", 0, "`coins` that go to the contract with the call")
	if err := parse(f, args, 2, -1); err != nil {
		return err
	}
	call, err := callOf(f.Arg(0), f.Arg(1), *coins, f.Args()[2:])
	if err != nil {
		return err
	}
	return c.send(context.Background(), chain.Tx{Call: call})
}

func runSend(f *flag.FlagSet, args []string) error {
	c := clientFlags(f, true)
	if err := parse(f, args, 2, 2); err != nil {
		return err
	}
	coins, err := strconv.ParseInt(f.Arg(1), 10, 64)
	if err != nil {
		return &usageError{fmt.Sprintf("%s is no number of coins", f.Arg(1))}
	}
	return c.send(context.Background(), chain.Tx{Send: &chain.Send{To: f.Arg(0), Coins: coins}})
}

func runQuery(f *flag.FlagSet, args []string) error {
	c := clientFlags(f, false)
	height := f.Int64("height", 0, "`height` to ask at; 0: the last one")
	account := f.Bool("account", false, "show an account, or the coins of a contract; the argument is its name, or the file of its key")
	functions := f.Bool("functions", false, "show the functions of a contract")
	record := f.Bool("contract", false, "show what the chain knows of a contract")
	tx := f.String("tx", "", "show the result of the transaction with a `hash`")
	if err := parse(f, args, 0, -1); err != nil {
		return err
	}
	ctx := context.Background()
	if err := c.connect(ctx); err != nil {
		return err
	}
	show := func(path string, data []byte) error {
		var value json.RawMessage
		if err := c.query(ctx, *height, path, data, &value); err != nil {
			return err
		}
		fmt.Printf("%s\n", value)
		return nil
	}
	path := map[bool]string{*account: chain.QueryAccount, *functions: chain.QueryExports, *record: chain.QueryContract}[true]
	switch {
	case *tx != "":
		hash, err := hex.DecodeString(*tx)
		if err != nil {
			return &usageError{fmt.Sprintf("%s is no hash", *tx)}
		}
		r, err := c.Tx(ctx, hash, false)
		if err != nil {
			return err
		}
		return printResult(r.Height, &r.TxResult)
	case path != "" && f.NArg() == 1:
		name := f.Arg(0)
		if key, err := chain.ReadKey(name); err == nil {
			name = chain.Account(key.PubKey())
		}
		return show(path, []byte(name))
	case path != "" || f.NArg() < 2:
		return &usageError{fmt.Sprintf("%d arguments", f.NArg())}
	}
	call, err := callOf(f.Arg(0), f.Arg(1), 0, f.Args()[2:])
	if err != nil {
		return err
	}
	data, err := json.Marshal(call)
	if err != nil {
		return err
	}
	return show(chain.QueryCall, data)
}

func runStatus(f *flag.FlagSet, args []string) error {
	c := clientFlags(f, false)
	wait := f.Bool("wait", false, "wait, for a minute, until the node has a height")
	if err := parse(f, args, 0, 0); err != nil {
		return err
	}
	ctx := context.Background()
	if err := c.connect(ctx); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); *wait && time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if info, err := c.ABCIInfo(ctx); err == nil && info.Response.LastBlockHeight > 0 {
			break
		}
	}
	s, err := c.Status(ctx)
	if err != nil {
		return fmt.Errorf("%w; is a node running at %s? -node names another", err, *c.node)
	}
	info, err := c.ABCIInfo(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s: height %d, app hash %s, catching up %v\n", s.NodeInfo.Moniker, info.Response.LastBlockHeight, hex.EncodeToString(info.Response.LastBlockAppHash), s.SyncInfo.CatchingUp)
	return nil
}
