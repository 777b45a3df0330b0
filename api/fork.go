package api

import (
	"io"
	"log/slog"
)

// A ForkConfig holds what a fork does not share with the instance that it is made from. The zero
// value gives it no input, discards its output and its log, and lets it use as much gas and output as
// the instance might.
//
// Everything else is that of the instance: its limits of memory, stack and files, directories and
// mounts, which are opened anew, tier, and functions of the host.
type ForkConfig struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	// Log receives the log of the fork, if the instance has a Config.Log. With one for an instance
	// without, Fork fails with a ConfigError.
	Log *slog.Logger

	Gas    int64 // units that the fork may use from now on; 0: what the instance has left
	Output int64 // bytes that it may write from now on; 0: what the instance has left

	Hooks  *Hooks            // nil: those of the instance
	Labels map[string]string // likewise
}
