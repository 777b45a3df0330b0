// Package engine is the driver below package gyr. It makes a [Program] from a source, an image, a
// cache entry or a precompiled standard library, and an [Instance] from a program and its [Config].
//
// Package gyr is the facade: the same five nouns for embedders. Settings, figures and errors are
// those of package api on both sides. The commands and tools of this module use package engine,
// which shows more: the inside of a program ([Program.View]), passes at work ([Observer]), and the
// use of each account ([rt.Accounts]).
//
//	compilation.go, program.go  the stages of a compilation, and what a program is
//	image.go     portable images; cache.go, entries on disk; base.go, the precompiled standard library
//	unit.go      a module with its code; bodies of functions are made ready once for both tiers
//	instance.go  one run; state.go says who may use it when; call.go and func.go, calls of exported functions
//	tier.go      what executes the code
//	transaction.go, roots.go, upgrade.go, version.go  transactions, states, and their upgrades
//
// The package has 45 files because nearly all of them work on unexported parts of Program and
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
const DeterminismVersion = 19 + gas.Version

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
