package gyr

import (
	"context"
	"io/fs"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// A Source says where the Go code of a program is, which part of it is the program, and what the
// code may do. [CompileOptions] say how it is compiled.
type Source struct {
	// Dir is where relative patterns start; empty: the current directory.
	Dir string
	// Patterns names one main package in the way of the go command: .go files, a directory, an
	// import path. Empty: the package in Dir.
	Patterns []string
	// FS, if set, holds the files of the main module and replaces the machine's file system; Dir is
	// a path in it.
	FS fs.FS
	// Modules is the directory of the module cache. It holds the modules that go.mod requires;
	// go.sum must list them. Empty: for a program in FS no cache, so that it has only the files in
	// FS, such as a vendor directory; for other programs the user's, as for the go command. Nothing
	// is ever downloaded.
	Modules string

	// Exports compiles the package for calls of its exported functions (see [Instance.Call])
	// instead of its main function. It need not be a main package.
	Exports bool
	// Test compiles the test binary of the package instead of a main package.
	Test bool
	// Cover names packages, by import path. Instances count how often each block of their
	// statements is executed: see [Instance.Coverage]. Counting changes neither output nor gas nor
	// any other figure of Stats except Wall. The cache does not keep such programs.
	Cover []string

	// Unsafe says which of the program's packages may import unsafe; the zero value: none. This is
	// policy, not protection: a program with a package that imports unsafe runs checked.
	Unsafe UnsafePolicy
	// Limits bound what compiling the program may take. The zero value is far above the needs of
	// real programs; [UntrustedLimits] is for untrusted sources. A program over a limit is refused
	// with a [*CompileLimitError], the same on every machine.
	Limits Limits
}

// CompileOptions say how a program is compiled, from a [Source] or from an image, and what the host
// provides to it. A nil pointer stands for the zero value.
type CompileOptions struct {
	// GOROOT is the Go installation whose standard library is used; empty: the one that the go
	// command finds.
	GOROOT string
	// Tags are additional build tags. Each set of tags has a standard library of its own. So an
	// image must be compiled with the tags that it was built for, unless it carries the library.
	Tags []string
	// Base is the precompiled standard library that the program continues, unless a package of it
	// is under test or covered. Nil: one that this process shares and the cache stores. The cache
	// keeps what the program adds.
	Base *Base
	// Cache is a directory that keeps compiled programs for later compilations; empty: none. It
	// must belong to the user and be closed to all others. It is made if it does not exist. An
	// unusable cache, or a damaged or outdated entry, changes only the time of compiling: see
	// [CompileStats]. [CacheDir] has the functions that maintain such a directory.
	Cache string

	// Host are packages that guests import and whose functions are Go functions of the host.
	Host []HostPackage
	// Warm names exported functions that every instance calls once, in this order, after the
	// initialisation of its packages and before the first call of the host: to fill caches, say.
	// They have no parameters, and no result except an error, which ends the instance. They are
	// part of the program: gas, figures and state of an instance include these calls. The first
	// instances pay for them in time, as for initialisation; later instances that begin in the same
	// way do not (see docs/embedding.md).
	Warm []string
	// State makes it possible to keep, restore and compare states of instances ([Instance.State]).
	// Compiling takes a little longer.
	State bool
	// Upgrades is an earlier version of the program, whose states [Program.Upgrade] takes. Both
	// versions are compiled from their sources, with State and Exports. The program differs from
	// one that is compiled without Upgrades, because the parts that both versions have keep their
	// addresses. So all nodes must name the same versions, in the same order. The earlier version
	// may come from Cache; the program itself is always compiled.
	Upgrades *Program

	// Progress, if set, is told how far compilation is.
	Progress func(Progress)
	// Hooks, if set, are told of its end. The Hooks of instances belong to [Config].
	Hooks *Hooks
	// Debug are settings for work on gyr itself.
	Debug CompileDebug
}

// engine returns the engine's source: Go code or an image, with options.
func (o *CompileOptions) engine(src Source, image []byte) engine.Source {
	if o == nil {
		o = &CompileOptions{}
	}
	s := engine.Source{
		Image: image, Dir: src.Dir, Patterns: src.Patterns, FS: src.FS, Modules: src.Modules,
		Exports: src.Exports, Test: src.Test, Cover: src.Cover, Unsafe: src.Unsafe, Limits: src.Limits,
		GOROOT: o.GOROOT, Tags: o.Tags, Cache: o.Cache, Host: o.Host, Warm: o.Warm, State: o.State,
		Upgrades: o.Upgrades.engine(), Progress: o.Progress, Resident: true,
		NoPass: o.Debug.NoPass, Verify: o.Debug.Verify, NoBase: o.Debug.NoBase,
	}
	if o.Base != nil {
		s.Base = o.Base.e
	}
	return s
}

// Compile loads a program and everything that it imports and compiles it. An error in the program
// is a [*CompileError].
func Compile(ctx context.Context, src Source, opts *CompileOptions) (*Program, error) {
	return opts.compile(ctx, src, nil)
}

// CompileImage compiles a portable image, which [Build] made. It needs no sources. It needs no Go
// installation if the options have a Base or the image carries its standard library. An image need
// not be trusted: CompileImage checks it, places the gas and optimises. An [*ImageError] says why
// an image is refused. The bytes must not change while the program is in use.
func CompileImage(ctx context.Context, image []byte, opts *CompileOptions) (*Program, error) {
	if image == nil {
		image = []byte{} // no image, but given: engine.Source takes nil for no image
	}
	return opts.compile(ctx, Source{}, image)
}

// compile compiles source or an image, and tells the hooks.
func (o *CompileOptions) compile(ctx context.Context, src Source, image []byte) (*Program, error) {
	start := time.Now()
	p, err := engine.Compile(ctx, o.engine(src, image))
	if o != nil && o.Hooks != nil && o.Hooks.Compile != nil {
		e := CompileEvent{Start: start, Took: time.Since(start), Err: err}
		if err == nil {
			e.Stats = p.Stats()
		}
		if ctx == nil {
			ctx = context.Background()
		}
		o.Hooks.Compile(ctx, e)
	}
	if err != nil {
		return nil, err
	}
	return &Program{p}, nil
}

// Build compiles a program to a portable image. From this file, [CompileImage] makes the same
// Program as [Compile] makes from the source, with the same output, gas and heap figures. Equal
// sources give equal bytes. Only a gyr of the same determinism version can read the image.
//
// An image does not contain Warm, State and Cache: they are given when it is compiled.
func Build(ctx context.Context, src Source, opts *CompileOptions) ([]byte, error) {
	return engine.Build(ctx, opts.engine(src, nil))
}

// BuildStandalone is [Build] with the lowered standard library in the image, so that the image can
// be compiled on a machine without one.
func BuildStandalone(ctx context.Context, src Source, opts *CompileOptions) ([]byte, error) {
	s := opts.engine(src, nil)
	s.Standalone = true
	return engine.Build(ctx, s)
}

// IsImage reports whether data begins like a portable image, of any version.
func IsImage(data []byte) bool { return engine.IsImage(data) }

// CoverBlocks returns the blocks that a program would have, without compiling it. With Test set
// they are those of the test binary.
func CoverBlocks(ctx context.Context, src Source, opts *CompileOptions) ([]CoverBlock, error) {
	return engine.CoverBlocks(ctx, opts.engine(src, nil))
}

// DefaultLimits returns the limits that apply where the fields of Source.Limits are 0.
func DefaultLimits() Limits { return api.DefaultLimits() }

// UntrustedLimits returns limits for untrusted sources, uploads for instance.
func UntrustedLimits() Limits { return api.UntrustedLimits() }

// Passes lists the passes of the optimiser in the order in which they run, and the names of their
// groups, for CompileDebug.NoPass.
func Passes() (names, groups []string) { return engine.Passes() }
