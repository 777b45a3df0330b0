// Package again starts a test binary again, as another process.
package again

import (
	"context"
	"os"
	"os/exec"
	"strings"
)

// Emulator is the environment variable with the command that runs the test binary on this machine, if the
// binary is for another processor. [strings.Fields] splits it.
const Emulator = "GYR_TEST_EMULATOR"

// Command returns a command that runs the test binary with arguments.
func Command(ctx context.Context, args ...string) *exec.Cmd {
	line := append(append(strings.Fields(os.Getenv(Emulator)), os.Args[0]), args...)
	return exec.CommandContext(ctx, line[0], line[1:]...)
}
