package main

import (
	"context"
	"flag"
	"os"

	"github.com/gyrvm/gyr/chain"
)

func runBench(f *flag.FlagSet, args []string) error {
	var c chain.BenchConfig
	f.IntVar(&c.Transactions, "n", 10_000, "`number` of transfers in a round")
	f.IntVar(&c.Block, "block", 500, "`number` of transactions in a block")
	f.IntVar(&c.Accounts, "accounts", 1000, "`number` of accounts")
	f.IntVar(&c.Rounds, "rounds", 5, "`number` of rounds; the median counts")
	f.StringVar(&c.Dir, "dir", "", "`directory` for the databases; empty: that for temporary files")
	f.IntVar(&c.Contracts, "contracts", 0, "`number` of contracts: measures what each costs a node, as machine code alone; 0: compares transfers of one")
	f.BoolVar(&c.Distinct, "distinct", false, "with -contracts: each has a program of its own")
	f.IntVar(&c.Live, "live", 0, "with -contracts: `number` of instances that stay open; 0: 1000")
	token := f.String("token", "examples/token", "`directory` of the contract token")
	if err := parse(f, args, 0, 0); err != nil {
		return err
	}
	if c.Transactions < 1 || c.Block < 1 || c.Accounts < 2 || c.Rounds < 1 || c.Contracts < 0 || c.Live < 0 {
		return &usageError{"there is nothing to measure"}
	}
	var err error
	if c.Token, err = chain.ReadProgram(*token); err != nil {
		return err
	}
	if c.Contracts > 0 {
		return chain.BenchContracts(context.Background(), c, os.Stdout)
	}
	return chain.Bench(context.Background(), c, os.Stdout)
}
