package gyr

import (
	"context"
	"io/fs"
	"time"

	"github.com/gyrvm/gyr/internal/bridge"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/budget"
)

// A Source says what to compile.
type Source struct {
	// Image is a portable image, made by [Build]. It takes the place of the source. Of the other fields only these count:
	// Warm, State, Progress and Cache; Base, GOROOT and Tags, which say on what standard library the image may
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

	dev bridge.Source // package gyrdev sets it
}

// engine is the source as the engine takes it.
func (src *Source) engine() engine.Source {
	s := engine.Source{
		Image: src.Image, Dir: src.Dir, Patterns: src.Patterns, Tags: src.Tags, Unsafe: engine.UnsafePolicy(src.Unsafe), GOROOT: src.GOROOT,
		Test: src.Test, FS: src.FS, Modules: src.Modules, Exports: src.Exports, State: src.State, Upgrades: src.Upgrades.engine(), Host: hosts(src.Host), Warm: src.Warm, NoPass: src.dev.NoPass, Verify: src.dev.Verify, Cache: src.Cache,
		Cover: src.Cover, NoBase: src.dev.NoBase, Standalone: src.Standalone, Limits: budget.Limits(src.Limits), Progress: told(src.Progress),
	}
	if src.Base != nil {
		s.Base = src.Base.e
	}
	return s
}

// Progress says how far a compilation is. It is told at the beginning of each stage, and while packages are loaded
// whenever one has been type-checked; on several goroutines, but one at a time. Compilation waits until the function
// returns, which must not panic.
type Progress struct {
	// Stage is what the compilation does, as a user may read it: "loading", "lowering", "optimising" and others, and for
	// the first program of a process also "loading the standard library" and so on.
	Stage string
	// Done are the packages that have been type-checked, of Total that have to be. Those that the compiled standard
	// library supplies do not count. Both are 0 in other stages, and until the packages are known.
	Done, Total int
}

// String is a line for a user: "loading the standard library, 3 of 90 packages".
func (p Progress) String() string { return engine.Progress(p).String() }

// told is a Source.Progress as the engine calls it.
func told(progress func(Progress)) func(engine.Progress) {
	if progress == nil {
		return nil
	}
	return func(p engine.Progress) { progress(Progress(p)) }
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
	data, err := engine.Build(ctx, src.engine())
	return data, err
}

// IsImage reports whether data begins like a portable image, of any version.
func IsImage(data []byte) bool { return engine.IsImage(data) }

// CoverBlocks returns the blocks that a program would have, without compiling it. With
// Test set they are those of the test binary.
func CoverBlocks(ctx context.Context, src Source) ([]CoverBlock, error) {
	list, err := engine.CoverBlocks(ctx, src.engine())
	return coverBlocks(list), err
}

// Limits bound what compiling one program may take, see Source.Limits. They count what is
// the program's own: of the standard library only what the program has instantiated and what
// is lowered for it. A field that is 0 has the value of [DefaultLimits].
type Limits struct {
	// SourceBytes are those of all files of the program's own packages. A file counts
	// as 1 KiB at least.
	SourceBytes int64
	// EmbedBytes are those of all files that go:embed names.
	EmbedBytes int64
	// Nesting is how deep syntax may be nested: brackets, operands, blocks. A
	// function literal counts as 16 levels.
	Nesting int64
	// ConstantBytes are those of all constant strings that are made by operators,
	// in one package.
	ConstantBytes int64
	// ConstantWork is the sum over all operations with untyped numbers, in one
	// package, of the bits of their operands, where a constant declaration without
	// values repeats the operations of the one before.
	ConstantWork int64
	// TypeSize are the bytes of a value of one type. The default is that of the language.
	TypeSize int64
	// TypeExpansion is how many parts the types that a package declares have, written out: fields
	// and elements, of types inside of them too, and type arguments.
	TypeExpansion int64
	// CheckWork is an estimate of the steps that type checking a package takes, above all where they grow faster than
	// the source: branches of one function, cases of a type switch with one another, selectors with the fields and
	// methods of the largest type, conversions to the largest interface.
	CheckWork int64
	// Instances are those of generic functions and types.
	Instances int64
	// Functions are those of the program as it is lowered: declared, literals, instances, and what
	// the engine makes for methods and types; those of the base are not counted.
	Functions int64
	// Operations are those of the IR of all these functions.
	Operations int64
}

// DefaultLimits returns the limits that Source.Limits has where its fields are 0.
func DefaultLimits() Limits { return Limits(budget.Default()) }

// UntrustedLimits returns limits for sources of strangers, uploads for instance.
func UntrustedLimits() Limits { return Limits(budget.Untrusted()) }

// CompileStats tells what a compilation did and how long it took.
type CompileStats struct {
	// Packages whose files were read and parsed, that were type-checked, and those of std
	// among these. Those of the base do not count, nor those of std that an earlier program of
	// this process needed.
	Packages, Checked, CheckedStd int

	// FrontEnd names what lowered the program beside gyr: the release of Go that parsed and type-checked it, and the
	// version of golang.org/x/tools. A portable image may have been built by another one; if it is whole, that changes
	// nothing in how it is compiled here.
	FrontEnd  string
	Functions int  // lowered
	OnBase    bool // the rest of the standard library is in the base
	Load      time.Duration
	Lower     time.Duration
	Optimise  time.Duration
	Cached    string // CacheOff, CacheHit or CacheMiss
	// CacheNote is one line that says why the cache was not used although it was asked for, or why something that was
	// compiled, of the program or of the base, could not be written to it up to now.
	CacheNote string
	Compiled  int // functions compiled up to now, to register code or machine code

	// RunsChecked says in a few words why the program runs checked: machine code of it, and of what it uses of the standard
	// library, does not rely on the types of what is in memory. "" means that it relies on them.
	RunsChecked string
}
