// Package engine is the driver below package gyr. It makes a [Program] from a [Source], and an
// [Instance] from a program and its [Config].
//
// Package gyr is the facade for embedders. Its Source, Program and Instance stand for the types
// here and have fewer fields and methods. Settings, figures and errors are the types of package api
// in both. The commands and tools of this module use package engine, since it shows more: the
// inside of a program ([Program.View]), passes at work ([Observer]), and the gas and memory of each
// test ([rt.Accounts]).
//
// # From a source to code
//
// [Compile] looks for the program in the cache first. If it is not there the stages are: package
// load makes SSA of the source, package lower makes IR of that (or package image reads it from a
// portable image), package gas places the charges, and phase A of package opt decides allocations.
// The program is then written to the cache. None of its functions has been compiled to code yet.
//
// A program usually continues a base, the precompiled standard library. A base consists of layers,
// made in this way when a program first needs them. A program, or a layer, is a unit: a module with
// its code. When a function is first called, its unit runs phase B over it, once for both tiers,
// and the tier of the instance compiles it.
//
// # A run
//
// An instance is one run of a program. It begins with memory in which parts of the standard library
// are initialised (a snapshot) or, if an earlier instance has initialised the program's own
// packages too, with a copy of that state (a start). An ordinary program runs until it ends. A
// library, whose exported functions the host calls ([Source.Exports]), waits between calls. While
// it waits its state can be kept, restored, written as data, and moved to a new version of the
// program.
//
// # Where things are
//
//   - Compiling: program.go (Source and Program), compilation.go (the stages), hostpkg.go (host
//     packages), exports.go (exported functions), progress.go; check.go and units.go only load.
//   - What is kept: cache.go (entries on disk), identity.go (the hash by which images and states
//     name a layer), image.go (portable images), standalone.go (images that contain the standard
//     library).
//   - The standard library: base.go, layers.go (which packages a layer has), basestats.go, std.go
//     (the library in one file, for machines without a Go installation), shared.go (layers that
//     test binaries share).
//   - Code: unit.go; tier.go, with tier_native.go where there is machine code and tier_other.go
//     elsewhere.
//   - Running: instance.go, config.go, state.go (who may use an instance when), ended.go,
//     snapshot.go, start.go, warm.go (calls that every instance makes first).
//   - Calls of exported functions: call.go (by reflection), func.go (cheap calls with structs),
//     bind.go (as Go functions), callwith.go (limits of one call), buffer.go (lent memory).
//   - States: transaction.go (begin and roll back), fork.go (a second instance), compact.go, roots.go
//     (a state as data, named by its root hash), readahead.go (its pages), restored.go (states that
//     stay open), upgrade.go (a state for a new version), version.go (what a new version must know
//     of the old one), meaning.go (a hash of a program).
//   - For commands: inspect.go, within.go (for observers inside a run), debug.go (the flag -d),
//     profile.go, cover.go, executed.go (counted instructions), where.go (addresses of machine
//     code).
//
// The package is large because nearly all of its files work on unexported parts of Program and
// Instance.
package engine

import (
	"context"

	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Version is the version of the engine.
const Version = "0.2.0"

// DeterminismVersion changes whenever the same program may give other output, gas or heap figures
// than before. That happens with changes of the Go release, the lowering, the passes that decide
// allocations, the layout, and the gas table. A change of prices raises it through gas.Version; any
// other change raises the number here.
const DeterminismVersion = 29 + gas.Version

// GasTableVersion is the version of the price list.
const GasTableVersion = gas.Version

// orBackground replaces a nil context with one that never ends. The whole package treats nil that
// way.
func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// These limits apply where a Config sets none. The default for the stack is half of the memory
// limit.
const (
	DefaultMemory = rt.DefaultMemory
	DefaultStack  = DefaultMemory / 2
)

// FindGo returns the Go installation that a compilation would use, and its release.
func FindGo(goroot string) (dir, release string, err error) { return gomod.FindGo(goroot) }

// ModuleCache returns the directory of the user's module cache.
func ModuleCache() string { return gomod.ModuleCache() }

// SourceFile returns the path on this machine of a file that positions name. The Go installation is
// in a directory or, if that is empty, the one that FindGo finds. Files of the standard library
// have names like $GOROOT/src/fmt/print.go in positions, whichever installation they came from.
func SourceFile(name, goroot string) string {
	if !gomod.IsStdFile(name) {
		return name
	}
	root, _, err := gomod.FindGo(goroot)
	if err != nil {
		return name
	}
	return gomod.OnMachine(name, root)
}
