package chain

import (
	"fmt"
	"strings"
	"testing"
)

// TestBenchContracts: all contracts are deployed, called, restored and sent, also when fewer instances
// than contracts stay open, and the bench says what each costs.
func TestBenchContracts(t *testing.T) {
	for _, c := range []BenchConfig{
		{Contracts: 3, Block: 2, Transactions: 6, Accounts: 2, Rounds: 2},
		{Contracts: 3, Block: 4, Transactions: 6, Accounts: 2, Rounds: 1, Live: 1, Distinct: true},
	} {
		c.Dir, c.Token = t.TempDir(), example(t, "token")
		var out strings.Builder
		if err := BenchContracts(t.Context(), c, &out); err != nil {
			t.Fatalf("%+v: %v\n%s", c, err, out.String())
		}
		for _, line := range []string{"deploying one", "an empty block", "a transaction", "a first call after that", "writing a snapshot", "beginning with it"} {
			var value float64
			_, rest, _ := strings.Cut(out.String(), "\n"+line+" ")
			if _, err := fmt.Sscan(rest, &value); err != nil || value <= 0 {
				t.Errorf("%s: %v, %v in\n%s", line, value, err, out.String())
			}
		}
	}
	c := BenchConfig{Contracts: 1, Block: 1, Transactions: 1, Accounts: 2, Rounds: 1, Dir: t.TempDir(), Token: source("package token")}
	if err := BenchContracts(t.Context(), c, new(strings.Builder)); err == nil {
		t.Error("a contract without functions was called")
	}
}
