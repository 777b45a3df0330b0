package gyr

import (
	"context"
	"io/fs"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// A Source says where the Go code of a program is, which part of it the program is, and what the code may do.
// [CompileOptions] say how it is compiled.
type Source struct {
	// Dir is where relative patterns start; empty: the current directory.
	Dir string
	// Patterns names one main package as the go command does: .go files, a directory, an import path. Empty: the
	// package in Dir.
	Patterns []string
	// FS, if set, holds the files of the main module instead of the machine's file system; Dir is a path in it.
	FS fs.FS
	// Modules is the directory of the module cache, which holds the modules that go.mod requires; go.sum has to name
	// them. Empty: the user's, as for the go command; for a program in FS none, so that it has only what is in FS, its
	// vendor directory for one. Nothing is ever downloaded.
	Modules string

	// Exports compiles the package, which need not be a main package, for calls of its exported functions (see
	// [Instance.Call]) instead of its main function.
	Exports bool
	// Test compiles the test binary of the package instead of a main package.
	Test bool
	// Cover names packages, by import path. Instances count how often each block of their statements is executed: see
	// [Instance.Coverage]. Counting changes nothing else, neither output nor gas nor any other figure of Stats but
	// Wall. Such programs are not kept in the cache.
	Cover []string

	// Unsafe says which of the program's packages may import unsafe; the zero value: none. This is policy, not
	// protection: a program with a package that imports unsafe runs checked.
	Unsafe UnsafePolicy
	// Limits bound what compiling the program may take: the zero value is far above what real programs need,
	// [UntrustedLimits] is for sources of strangers. A program over a limit is refused with a [*CompileLimitError],
	// the same on every machine.
	Limits Limits
}

// CompileOptions say how a program is compiled, from a [Source] or from an image, and what the host gives to it. A nil
// pointer stands for the zero value.
type CompileOptions struct {
	// GOROOT is the Go installation whose standard library is used; empty: found as the go command finds it.
	GOROOT string
	// Tags are additional build tags. Each set of tags has a standard library of its own, so an image has to be
	// compiled with the tags that it was built for, unless it carries the library.
	Tags []string
	// Base is the precompiled standard library that the program continues, unless a package of it is under test or
	// covered. Nil: one that this process shares, which is kept in the cache. The cache keeps what the program adds.
	Base *Base
	// Cache is a directory in which compiled programs are kept for the next time; empty: none. It must belong to the
	// user and be closed to all others, and is made if it is not there. A cache that cannot be used, and an entry that
	// is damaged or out of date, change nothing but the time that compiling takes: see [CompileStats]. [CacheDir] has
	// what looks after such a directory.
	Cache string

	// Host are packages that guests import and whose functions are Go functions of the host.
	Host []HostPackage
	// Warm names exported functions that every instance calls once, in this order, after it has initialised its
	// packages and before the first call of the host: to fill caches, say. They have no parameters, and no result but
	// an error, which ends the instance. They are part of what the program does: gas, figures and state of an instance
	// are those of one that has made the calls. The first instances pay for them in time, as for initialisation; those
	// that begin as these did do not (see docs/embedding.md).
	Warm []string
	// State says that states of instances can be kept, restored and compared ([Instance.State]). It takes a little
	// longer to compile, and Cache is not used.
	State bool
	// Upgrades is an earlier version of the program, whose states [Program.Upgrade] takes. Both versions are compiled
	// from their sources, with State and Exports. The program differs from one that is compiled without: what both
	// versions have stands at the same addresses, so all nodes name the same versions, in the same order.
	Upgrades *Program

	// Progress, if set, is told how far compilation is.
	Progress func(Progress)
	// Debug are settings for work on gyr itself.
	Debug CompileDebug
}

// engine returns what the engine compiles: sources, or else an image, with options.
func (o *CompileOptions) engine(src Source, image []byte) engine.Source {
	if o == nil {
		o = &CompileOptions{}
	}
	s := engine.Source{
		Image: image, Dir: src.Dir, Patterns: src.Patterns, FS: src.FS, Modules: src.Modules,
		Exports: src.Exports, Test: src.Test, Cover: src.Cover, Unsafe: src.Unsafe, Limits: src.Limits,
		GOROOT: o.GOROOT, Tags: o.Tags, Cache: o.Cache, Host: o.Host, Warm: o.Warm, State: o.State,
		Upgrades: o.Upgrades.engine(), Progress: o.Progress,
		NoPass: o.Debug.NoPass, Verify: o.Debug.Verify, NoBase: o.Debug.NoBase,
	}
	if o.Base != nil {
		s.Base = o.Base.e
	}
	return s
}

// Compile loads a program and everything that it imports and compiles it. An error in the program is a
// [*CompileError].
func Compile(ctx context.Context, src Source, opts *CompileOptions) (*Program, error) {
	return compile(ctx, opts.engine(src, nil))
}

// CompileImage compiles a portable image, which [Build] made. It needs no sources and, if the options have a Base or the
// image carries its standard library, no Go installation. An image need not be trusted: CompileImage checks it, places
// the gas and optimises. An [*ImageError] says why an image is refused. The bytes must not change while the program is
// in use.
func CompileImage(ctx context.Context, image []byte, opts *CompileOptions) (*Program, error) {
	if image == nil {
		image = []byte{} // which is no image, but not the absence of one either
	}
	return compile(ctx, opts.engine(Source{}, image))
}

func compile(ctx context.Context, src engine.Source) (*Program, error) {
	p, err := engine.Compile(ctx, src)
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// Build compiles a program as far as a portable image: a file from which [CompileImage] makes the Program that
// [Compile] makes from the source, with the same output, gas and heap figures. Equal sources give equal bytes. Only a
// gyr of the same determinism version reads it.
//
// An image says nothing of Warm, State and Cache: those are given when it is compiled.
func Build(ctx context.Context, src Source, opts *CompileOptions) ([]byte, error) {
	return engine.Build(ctx, opts.engine(src, nil))
}

// BuildStandalone is [Build] with the standard library in the image, as lowered, so that the image can be compiled
// where there is no other.
func BuildStandalone(ctx context.Context, src Source, opts *CompileOptions) ([]byte, error) {
	s := opts.engine(src, nil)
	s.Standalone = true
	return engine.Build(ctx, s)
}

// IsImage reports whether data begins like a portable image, of any version.
func IsImage(data []byte) bool { return engine.IsImage(data) }

// CoverBlocks returns the blocks that a program would have, without compiling it. With Test set they are those of the
// test binary.
func CoverBlocks(ctx context.Context, src Source, opts *CompileOptions) ([]CoverBlock, error) {
	return engine.CoverBlocks(ctx, opts.engine(src, nil))
}

// DefaultLimits returns the limits that Source.Limits has where its fields are 0.
func DefaultLimits() Limits { return api.DefaultLimits() }

// UntrustedLimits returns limits for sources of strangers, uploads for instance.
func UntrustedLimits() Limits { return api.UntrustedLimits() }

// Passes lists the passes of the optimiser in the order in which they run, and the names of groups, for
// CompileDebug.NoPass.
func Passes() (names, groups []string) { return engine.Passes() }
