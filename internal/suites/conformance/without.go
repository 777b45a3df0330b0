package conformance

import (
	"context"
	"fmt"

	"github.com/gyrvm/gyr"
)

// compareWithout runs a program with all passes of the optimiser and without a group of
// them. Without phase B everything is the same. Without any pass output and gas are, unless
// the program observes allocations, addresses or limits: phase A decides those.
func compareWithout(ctx context.Context, prog *gyr.Program, src gyr.Source, p program, cfg gyr.Config, group string) (string, error) {
	want, used, err := runIn(ctx, prog, p, cfg)
	if err != nil {
		return want, err
	}
	src.NoPass = []string{group}
	if prog, err = gyr.Compile(ctx, src); err != nil {
		return "", fmt.Errorf("compile without %s: %w", group, err)
	}
	out, less, err := runIn(ctx, prog, p, cfg)
	if group == everyPass {
		used, less = figures{gas: used.gas}, figures{gas: less.gas}
	}
	switch {
	case err != nil:
		return out, fmt.Errorf("without %s: %w", group, err)
	case out != want:
		return out, fmt.Errorf("without %s the output differs: %s", group, firstDiff(out, want))
	case less != used:
		return out, fmt.Errorf("without %s %v, with all passes %v", group, less, used)
	}
	return out, nil
}

// everyPass is the group of all passes, of both phases.
const everyPass = "all"
