package api

import (
	"fmt"
	"time"
)

// An UnsafePolicy says which packages of a program, outside the standard library, may import unsafe and
// have go:linkname directives. All of a guest's memory is in its sandbox, with unsafe and without: the
// policy decides whether the program is compiled, and whether it can be relied on to be the same on other
// versions of gyr (docs/determinism.md). A value that is none of these constants is as NoUnsafe.
type UnsafePolicy uint8

const (
	// NoUnsafe refuses every program with a package that imports unsafe.
	NoUnsafe UnsafePolicy = iota
	// UnsafeDependencies lets packages of other modules than the main ones import unsafe, vendored ones among
	// them.
	UnsafeDependencies
	// UnsafeAll lets all packages import unsafe.
	UnsafeAll
)

// String returns the policy as the flag -unsafe of the command names it: "off", "deps" or "on".
func (u UnsafePolicy) String() string {
	switch u {
	case UnsafeDependencies:
		return "deps"
	case UnsafeAll:
		return "on"
	}
	return "off"
}

// CompileDebug are settings of a compilation for work on gyr itself; they may change with every version. With an
// image, too, all of them count.
type CompileDebug struct {
	// NoPass switches passes of the optimiser off: names and groups that [Passes] lists. Without passes of the
	// group "phasea" programs allocate more; output and gas stay. "metering" leaves out the charges of gas, to
	// measure what they cost; instances then need Config.Realtime and have no Config.Gas.
	NoPass []string
	// Verify checks the program after every pass.
	Verify bool
	// NoBase compiles what the program needs of the standard library together with it, not on the precompiled
	// one. Output and gas are the same, addresses and figures of memory are not.
	NoBase bool
}

// Progress says how far a compilation is. It is told at the beginning of each stage, and while packages are
// loaded whenever one has been type-checked; on several goroutines, but one at a time. Compilation waits until
// the function returns, which must not panic.
type Progress struct {
	// Stage is what the compilation does, as a user may read it: "loading", "lowering", "optimising" and
	// others, and for the first program of a process also "loading the standard library" and so on.
	Stage string
	// Done are the packages that have been type-checked, of Total that have to be. Those that the compiled
	// standard library supplies do not count. Both are 0 in other stages, and until the packages are known.
	Done, Total int
}

// String returns a line for a user: "loading the standard library, 3 of 90 packages".
func (p Progress) String() string {
	if p.Total == 0 {
		return p.Stage
	}
	return fmt.Sprintf("%s, %d of %d packages", p.Stage, p.Done, p.Total)
}

// The ways in which a compilation may have used the cache.
const (
	CacheOff  = "off"  // not asked for, or not usable
	CacheHit  = "hit"  // nothing was compiled
	CacheMiss = "miss" // compiled, and written for the next time
)

// CompileStats tells what a compilation did and how long it took.
type CompileStats struct {
	// Packages whose files were read and parsed, that were type-checked, and those of std
	// among these. Those of the base do not count, nor those of std that an earlier program of
	// this process needed.
	Packages, Checked, CheckedStd int

	// FrontEnd names what lowered the program beside gyr: the release of Go that parsed and type-checked
	// it, and the version of golang.org/x/tools. A portable image may have been built by another one; if it
	// is whole, that changes nothing in how it is compiled here.
	FrontEnd  string
	Functions int  // lowered
	OnBase    bool // the rest of the standard library is in the base
	Load      time.Duration
	Lower     time.Duration
	Optimise  time.Duration
	Cached    string // CacheOff, CacheHit or CacheMiss
	// CacheNote is one line that says why the cache was not used although it was asked for, or why
	// something that was compiled, of the program or of the base, could not be written to it up to now.
	CacheNote string
	Compiled  int // functions compiled up to now, to register code or machine code

	// RunsChecked says in a few words why the program runs checked: machine code of it, and of what it uses
	// of the standard library, does not rely on the types of what is in memory. "" means that it relies on
	// them.
	RunsChecked string
}

// A CoverBlock is a part of a source file whose statements are executed one after the
// other, as in the profiles of go test. Lines and columns begin at 1; the end is exclusive.
type CoverBlock struct {
	Package             string // import path
	File                string // the package's path and the file's name; the file's full name if it belongs to no package
	StartLine, StartCol int
	EndLine, EndCol     int
	Stmts               int    // how many statements begin in it
	Count               uint64 // how often it was executed
}
