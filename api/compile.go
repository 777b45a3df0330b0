package api

import (
	"fmt"
	"time"
)

// An UnsafePolicy says which packages of a program, outside the standard library, may import unsafe
// and have go:linkname directives. The guest's memory is inside its sandbox with or without unsafe.
// The policy decides whether the program is compiled, and whether other versions of gyr are sure to
// run it the same way (docs/determinism.md). A value that is none of these constants means
// NoUnsafe.
type UnsafePolicy uint8

const (
	// NoUnsafe refuses every program with a package that imports unsafe.
	NoUnsafe UnsafePolicy = iota
	// UnsafeDependencies lets packages outside the main modules import unsafe, including vendored
	// ones.
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

// CompileDebug holds settings of a compilation for work on gyr itself. They may change with every
// version. All of them apply to images too.
type CompileDebug struct {
	// NoPass switches passes of the optimiser off, by the names and groups that [Passes] lists.
	// Without the group "phasea" programs allocate more; output and gas stay the same. "metering"
	// leaves out the gas charges, to measure what they cost; instances then need Config.Realtime
	// and cannot have Config.Gas.
	NoPass []string
	// Verify checks the program after every pass.
	Verify bool
	// NoBase compiles the needed part of the standard library together with the program, without
	// the precompiled one. Output and gas are the same; addresses and memory figures are not.
	NoBase bool
}

// Progress says how far a compilation is. The function is called at the beginning of each stage
// and, while packages are loaded, after each one has been type-checked. Several goroutines may call
// it, one at a time. Compilation waits until the function returns. It must not panic.
type Progress struct {
	// Stage is what the compilation is doing, in words for a user: "loading", "lowering",
	// "optimising" and others. The first program of a process also has stages such as "loading the
	// standard library".
	Stage string
	// Done is how many packages have been type-checked, of the Total that have to be. Packages that
	// the compiled standard library supplies do not count. Both are 0 in other stages, and until
	// the packages are known.
	Done, Total int
}

// String returns a line for a user: "loading the standard library, 3 of 90 packages".
func (p Progress) String() string {
	if p.Total == 0 {
		return p.Stage
	}
	return fmt.Sprintf("%s, %d of %d packages", p.Stage, p.Done, p.Total)
}

// These are the values of Cached.
const (
	CacheOff  = "off"  // not asked for, or not usable
	CacheHit  = "hit"  // nothing was compiled
	CacheMiss = "miss" // compiled, and written to the cache
)

// CompileStats tells what a compilation did and how long it took.
type CompileStats struct {
	// Packages is how many packages were read and parsed, Checked how many of them were
	// type-checked, and CheckedStd how many of these belong to std. Packages of the base do not
	// count, nor packages of std that an earlier program of this process needed.
	Packages, Checked, CheckedStd int

	// FrontEnd names what lowered the program besides gyr: the Go release that parsed and
	// type-checked it, and the version of golang.org/x/tools. Another front end may have built a
	// portable image; an intact image compiles here in the same way.
	FrontEnd  string
	Functions int  // functions lowered
	OnBase    bool // the rest of the standard library is in the base
	Load      time.Duration
	Lower     time.Duration
	Optimise  time.Duration
	Cached    string // CacheOff, CacheHit or CacheMiss
	// CacheNote is one line that says why a cache was asked for and not used, or why something that
	// was compiled for the program or the base could not be written to it so far.
	CacheNote string
	// Measured is what the program took of Source.Limits. Fields that bound a package, a type or
	// nesting have the largest figure of all packages. It is zero for a program from the cache or
	// from an image.
	Measured Limits
	Compiled int // functions compiled so far, to register code or machine code

	// RunsChecked says in a few words why the program runs checked: its machine code, and that of
	// the parts of the standard library that it uses, does not rely on the types of memory
	// contents. "" means that it does.
	RunsChecked string
}

// A CoverBlock is a part of a source file whose statements execute one after the other, as in the
// profiles of go test. Lines and columns begin at 1; the end is exclusive.
type CoverBlock struct {
	Package             string // import path
	File                string // the package's path and the file's name; for a file of no package, its full name
	StartLine, StartCol int
	EndLine, EndCol     int
	Stmts               int    // statements that begin in it
	Count               uint64 // executions
}
