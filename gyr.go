// Package gyr runs Go programs that nobody trusts inside a Go process:
// sandboxed by construction, deterministic, metered by gas.
//
// Five nouns are enough. [Compile] turns Go source into a [Program], which is
// immutable and may be shared by any number of goroutines. A Program starts
// [Instance]s, each with its own memory, limits, files and clock, given by a
// [Config]; an Instance belongs to one goroutine at a time and says so ([ErrBusy]) when it is used
// by a second one, but any may close it. Running ends with
// nil, with the program's own exit status ([ExitError]), or with one of the
// errors that name a limit ([OutOfGasError], [MemoryLimitError],
// [StackLimitError], [OutputLimitError], [DeadlineError]), an access to memory that it does not have ([MemoryFaultError]) or a failure of the host ([HostError]).
//
//	p, err := gyr.Compile(ctx, gyr.Source{Patterns: []string{"./plugin"}}, nil)
//	if err != nil { … }
//	in, err := p.NewInstance(ctx, gyr.Config{Stdout: os.Stdout, Gas: 1_000_000_000})
//	if err != nil { … }
//	defer in.Close()
//	err = in.Run(ctx)
//
// A program may also be a library whose exported functions the host calls with
// Go values ([Source.Exports], [Instance.Call], [Instance.Bind]), and travel as a
// portable image that is compiled without a Go installation ([Build], [CompileImage]).
// docs/embedding.md is the guide.
//
// A nil context is one that never ends.
//
// The guest sees nothing of the machine but what the Config gives it: no
// environment, no files, no clock but the virtual one, no randomness but what
// follows from the seed. The same program with the same Config gives the same
// output, the same gas and the same heap figures, every time and everywhere.
package gyr

//go:generate go run ./internal/cmd/reexport

import (
	"github.com/gyrvm/gyr/internal/engine"
)

// Version is the version of the engine.
const Version = engine.Version

// DeterminismVersion changes whenever the same program may give other output,
// gas or heap figures than before: with the Go release, the lowering, the passes
// that decide allocations, the layout, and the gas table.
const DeterminismVersion = engine.DeterminismVersion

// GasTableVersion is the version of the price list.
const GasTableVersion = engine.GasTableVersion
