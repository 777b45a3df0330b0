package embedding_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gyrvm/gyr"
)

// A program whose variables alone exceed the default limit runs under a limit that has room for
// them, and under no smaller one.
func TestLargeVariables(t *testing.T) {
	p := compileText(t, `package main

var large [300 << 20]byte

func main() { large[len(large)-1]++ }
`)
	for _, c := range []struct {
		memory uint64
		fits   bool
	}{{0, false}, {320 << 20, true}} {
		in, err := p.NewInstance(context.Background(), gyr.Config{Memory: c.memory})
		if err == nil {
			err = in.Run(context.Background())
			in.Close()
		}
		var limit *gyr.MemoryLimitError
		if c.fits && err != nil || !c.fits && !errors.As(err, &limit) {
			t.Errorf("under %d MiB: %v", c.memory>>20, err)
		}
	}
}
