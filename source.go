package gyr

import (
	"context"
	"io/fs"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// A Source says what to compile.
type Source struct {
	// Image is a portable image, made by [Build]. It takes the place of the source. Of the other fields only these count:
	// Warm, State, Progress, Debug and Cache; Base, GOROOT and Tags, which say on what standard library the image may
	// continue, of which there is one for each set of tags: an image for others is refused unless it has the library in
	// it. The bytes must not change while the program is in use.
	Image []byte
	// Dir is where relative patterns start; empty: the current directory.
	Dir string
	// Patterns names one main package as the go command does: .go files, a
	// directory, an import path. Empty: the package in Dir.
	Patterns []string
	// Tags are additional build tags.
	Tags []string
	// Unsafe says which of the program's packages may import unsafe; the zero value: none. It is about what the host
	// likes to run, not about safety: a program of which a package imports unsafe runs checked.
	Unsafe UnsafePolicy
	// GOROOT is the Go installation whose standard library is used; empty: found
	// as the go command finds it.
	GOROOT string
	// Test compiles the test binary of the package instead of a main package.
	Test bool
	// FS, if set, holds the files of the main module instead of the machine's file
	// system; Dir is a path in it.
	FS fs.FS
	// Modules is the directory of the module cache in which modules are found that go.mod requires, which go.sum has to
	// name. Empty: the user's, as for the go command; for a program in FS none, so that it has only what is in FS, its
	// vendor directory for one. Nothing is ever downloaded.
	Modules string
	// Exports compiles the package, which need not be a main package, for calls of
	// its exported functions (see [Instance.Call]) instead of its main function.
	Exports bool
	// State says that states of instances can be kept, restored and compared ([Instance.State]). It takes a little longer to compile, and
	// Cache is not used.
	State bool
	// Upgrades is an earlier version of the program, whose states [Program.Upgrade] takes. Both versions are compiled from their sources, with State
	// and Exports. The program is another one than without: what both versions have stands at the same places in memory, so all nodes name the same versions, one behind the other.
	Upgrades *Program
	// Host are packages that guests import and whose functions are Go functions of the host.
	Host []HostPackage
	// Warm names exported functions that every instance calls once, in this order, when it has initialised its packages and
	// before the first call of the host: to fill caches, say. They have no parameters, and no result but an error, which ends the instance. They are
	// part of what the program does: gas, figures and state of an instance are those of one that has made the calls. What they
	// cost in time is paid by the first instances, like initialisation, and not by those that begin as these did (see docs/embedding.md).
	Warm []string
	// Cache is a directory in which compiled programs are kept for the next time;
	// empty: none. It must belong to the user and be closed to all others, and is made if
	// it is not there. A cache that cannot be used, and an entry that is damaged or out of
	// date, change nothing but the time that Compile takes: see CompileStats.
	Cache string
	// Cover names packages, by import path, of which instances count how often each block
	// of statements is executed: see Instance.Coverage. Counting changes nothing else, neither
	// output nor gas nor any other figure of Stats but Wall. Such programs
	// are not kept in the cache.
	Cover []string
	// Base is the precompiled standard library that the program continues, unless a package of it is under test or
	// covered. Nil: one that this process shares, which is kept in the cache. The cache keeps what the program adds.
	Base *Base
	// Standalone has Build put the standard library into the image, as lowered, so that it runs where there is no
	// other. It is ignored by Compile.
	Standalone bool
	// Limits bound what compiling the program may take: the zero value is far above what real
	// programs need, UntrustedLimits is for sources of strangers. A program over a limit is
	// refused with a CompileLimitError, the same on every machine.
	Limits Limits
	// Progress, if set, is told how far compilation is.
	Progress func(Progress)
	// Debug are settings for work on gyr itself.
	Debug SourceDebug
}

// engine is the source as the engine takes it.
func (src *Source) engine() engine.Source {
	s := engine.Source{
		Image: src.Image, Dir: src.Dir, Patterns: src.Patterns, Tags: src.Tags, Unsafe: src.Unsafe, GOROOT: src.GOROOT,
		Test: src.Test, FS: src.FS, Modules: src.Modules, Exports: src.Exports, State: src.State, Upgrades: src.Upgrades.engine(), Host: src.Host, Warm: src.Warm, NoPass: src.Debug.NoPass, Verify: src.Debug.Verify, Cache: src.Cache,
		Cover: src.Cover, NoBase: src.Debug.NoBase, Standalone: src.Standalone, Limits: src.Limits, Progress: src.Progress,
	}
	if src.Base != nil {
		s.Base = src.Base.e
	}
	return s
}

// Compile loads a program and everything that it imports and compiles it. An
// error of type *CompileError is one of the program's; an *ImageError says why
// a portable image is refused.
func Compile(ctx context.Context, src Source) (*Program, error) {
	p, err := engine.Compile(ctx, src.engine())
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// Build compiles a program as far as a portable image: a file that
// [Compile] turns into the same Program as the source, with the same output, gas
// and heap figures, without a Go installation. Equal sources give equal bytes.
//
// An image need not be trusted: whoever compiles it checks it, places the gas
// and optimises. Only a gyr of the same determinism version reads it.
func Build(ctx context.Context, src Source) ([]byte, error) {
	return engine.Build(ctx, src.engine())
}

// IsImage reports whether data begins like a portable image, of any version.
func IsImage(data []byte) bool { return engine.IsImage(data) }

// CoverBlocks returns the blocks that a program would have, without compiling it. With
// Test set they are those of the test binary.
func CoverBlocks(ctx context.Context, src Source) ([]CoverBlock, error) {
	return engine.CoverBlocks(ctx, src.engine())
}

// DefaultLimits returns the limits that Source.Limits has where its fields are 0.
func DefaultLimits() Limits { return api.DefaultLimits() }

// UntrustedLimits returns limits for sources of strangers, uploads for instance.
func UntrustedLimits() Limits { return api.UntrustedLimits() }

// Passes lists the passes of the optimiser in the order in which they run, and the names of groups, for SourceDebug.NoPass.
func Passes() (names, groups []string) { return engine.Passes() }
