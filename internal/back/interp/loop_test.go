package interp

import (
	"bytes"
	"os"
	"testing"

	"github.com/gyrvm/gyr/internal/back/interp/loop"
)

// TestLoopIsGenerated: the run loop is the one that go generate makes.
func TestLoopIsGenerated(t *testing.T) {
	want, err := loop.Go()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("run_generated.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("run_generated.go is not what loop/*.ops say: go generate ./internal/back/interp")
	}
}
