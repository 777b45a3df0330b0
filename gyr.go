// Package gyr runs untrusted Go programs inside a Go process: sandboxed by construction,
// deterministic, metered by gas.
//
// [Compile] turns the Go code of a [Source] into a [Program]. A Program is
// immutable, and any number of goroutines may share it. A Program starts [Instance]s, each with its
// own memory, limits, files and clock, given by a [Config]. An Instance belongs to one goroutine at
// a time. If a second goroutine uses it, the second one gets [ErrBusy]; any goroutine may close it.
//
// A run ends with nil, with the program's own exit status ([ExitError]), or with an error that
// names the cause: a limit ([OutOfGasError], [MemoryLimitError], [StackLimitError],
// [OutputLimitError], [DeadlineError]), an access to memory that the program does not have
// ([MemoryFaultError]), or a failure of the host ([HostError]).
//
//	p, err := gyr.Compile(ctx, gyr.Source{Patterns: []string{"./plugin"}}, nil)
//	if err != nil { … }
//	in, err := p.NewInstance(ctx, gyr.Config{Stdout: os.Stdout, Gas: 1_000_000_000})
//	if err != nil { … }
//	defer in.Close()
//	err = in.Run(ctx)
//
// A program may also be a library whose exported functions the host calls with Go values
// ([Source.Exports], [Instance.Call], [Instance.Bind]). It may travel as a portable image that is
// compiled without a Go installation ([Build], [CompileImage]). docs/embedding.md is the guide.
//
// A nil context never ends.
//
// The guest sees only what the Config gives it: no environment, no files, no clock but the virtual
// one, no randomness but that of the seed. The same program with the same Config gives the same
// output, the same gas and the same heap figures, every time and on every machine.
package gyr

//go:generate go run ./internal/cmd/reexport

import (
	"github.com/gyrvm/gyr/internal/engine"
)

// Version is the version of the engine.
const Version = engine.Version

// DeterminismVersion changes whenever the same program may give other output, gas or heap figures
// than before. The causes are the Go release, the lowering, the passes that decide allocations, the
// layout, and the gas table.
const DeterminismVersion = engine.DeterminismVersion

// GasTableVersion is the version of the price list.
const GasTableVersion = engine.GasTableVersion
