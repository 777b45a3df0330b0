package opt

import (
	"bytes"
	"os"
	"testing"

	"github.com/gyrvm/gyr/internal/opt/rules"
)

// TestRulesAreGenerated: the matcher is the one that go generate makes.
func TestRulesAreGenerated(t *testing.T) {
	list, err := rules.All()
	if err != nil {
		t.Fatal(err)
	}
	want, err := rules.Go(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("rules_generated.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("rules_generated.go is not what the rules say: go generate ./internal/opt")
	}
}
