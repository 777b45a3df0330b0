package selftest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

//go:embed guest.go.txt
var guest string

const (
	rounds    = 3  // programs, each with memory of its own for code
	instances = 4  // of a program, at the same time: one runs code that another has just made
	functions = 60 // that are called for the first time on the way
)

// source returns the guest's source, with functions that are alike and yet compiled one by one.
func source() string {
	var text, table strings.Builder
	text.WriteString(guest)
	for i := range functions {
		fmt.Fprintf(&text, "\n//go:noinline\nfunc late%d(x uint64) uint64 { return x*%d ^ x>>%d }\n", i, 2*i+3, i%40+1)
		fmt.Fprintf(&table, "late%d, ", i)
	}
	fmt.Fprintf(&text, "\nvar late = [...]func(uint64) uint64{%s}\n", table.String())
	return text.String()
}

// ErrUntested says that the guest does not compile, so nothing was tested.
var ErrUntested = errors.New("the guest does not compile")

// Child runs the guest in both tiers and reports how they differ. compile compiles the program of a file.
func Child(ctx context.Context, compile func(file string) (*engine.Program, error)) error {
	dir, err := os.MkdirTemp("", "gyr-selftest-")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUntested, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "guest.go")
	if err := os.WriteFile(file, []byte(source()), 0o600); err != nil {
		return fmt.Errorf("%w: %w", ErrUntested, err)
	}
	for range rounds {
		p, err := compile(file)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrUntested, err)
		}
		want := run(ctx, p, api.TierInterp)
		if want.err != nil {
			return fmt.Errorf("%w: in the interpreter: %w", ErrUntested, want.err)
		}
		var got [instances]outcome
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() { got[i] = run(ctx, p, api.TierNative) })
		}
		wg.Wait()
		for _, o := range got {
			if err := o.differs(&want); err != nil {
				return err
			}
		}
	}
	return nil
}

// An outcome is what a run has shown.
type outcome struct {
	output string
	gas    int64
	err    error
}

// run runs the program in a tier.
func run(ctx context.Context, p *engine.Program, tier api.Tier) (o outcome) {
	var out bytes.Buffer
	in, err := p.NewInstance(ctx, engine.Config{Config: api.Config{Tier: tier, Stderr: &out, Gas: 1 << 32, Memory: 64 << 20}})
	if err != nil {
		return outcome{err: err}
	}
	defer in.Close()
	err = in.Run(ctx)
	return outcome{out.String(), in.Stats().Gas, err}
}

// differs reports how machine code's outcome differs from the interpreter's.
func (o *outcome) differs(want *outcome) error {
	switch {
	case o.err != nil:
		return fmt.Errorf("machine code fails: %w", o.err)
	case o.output != want.output:
		return fmt.Errorf("machine code prints %q, the interpreter %q", o.output, want.output)
	case o.gas != want.gas:
		return fmt.Errorf("machine code uses %d gas, the interpreter %d", o.gas, want.gas)
	}
	return nil
}
