package proof

import (
	"context"
	"flag"
	"testing"

	"github.com/gyrvm/gyr"
)

var full = flag.Bool("full", false, "the programs' own sizes and every subset of the passes")

// compile compiles or fails the test.
func compile(t testing.TB, src gyr.Source) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
