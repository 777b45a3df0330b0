package token

import (
	"testing"

	"github.com/gyrvm/gyr/chain/contract"
)

// as makes an account the caller.
func as(who string) { contract.Set(contract.Setting{Caller: who, Self: "token"}) }

func start(t *testing.T) {
	t.Helper()
	owner, supply, balances, allowed = "", 0, map[string]int64{}, map[string]map[string]int64{}
	as("ada")
	if err := Init(); err != nil {
		t.Fatal(err)
	}
	if err := Mint("ada", 100); err != nil {
		t.Fatal(err)
	}
}

func TestTransfer(t *testing.T) {
	start(t)
	if err := Transfer("bob", 30); err != nil {
		t.Fatal(err)
	}
	if Balance("ada") != 70 || Balance("bob") != 30 || Supply() != 100 {
		t.Errorf("ada has %d, bob %d, together %d", Balance("ada"), Balance("bob"), Supply())
	}
	if e := contract.Events(); len(e) != 2 || e[1].Kind != "transfer" || e[1].Pairs[5] != "30" {
		t.Errorf("events %v", e)
	}
	for _, units := range []int64{-1, 0, 71} {
		if err := Transfer("bob", units); err == nil {
			t.Errorf("%d units were transferred", units)
		}
	}
}

func TestOnlyTheOwnerMints(t *testing.T) {
	start(t)
	as("bob")
	if err := Mint("bob", 1); err == nil || Supply() != 100 {
		t.Errorf("bob minted: %v, %d", err, Supply())
	}
	if err := Init(); err == nil {
		t.Error("bob became the owner")
	}
}

func TestAllowance(t *testing.T) {
	start(t)
	if err := Allow("shop", 40); err != nil {
		t.Fatal(err)
	}
	as("shop")
	if err := TransferFrom("ada", "shop", 25); err != nil {
		t.Fatal(err)
	}
	if err := TransferFrom("ada", "shop", 25); err == nil {
		t.Error("more was moved than allowed")
	}
	if Allowance("ada", "shop") != 15 || Balance("shop") != 25 {
		t.Errorf("left %d, shop has %d", Allowance("ada", "shop"), Balance("shop"))
	}
}
