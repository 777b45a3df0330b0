package testrun

import (
	"io"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/vet"
)

// Options say what to test and how.
type Options struct {
	Source   engine.Source // Tags, Unsafe, Cache, NoPass: the rest is filled in for each package
	Dir      string        // where relative patterns start; empty: the current directory
	Patterns []string      // as load.List takes them; empty: the package in Dir

	// Filetests are filetests to run besides those of the packages; without patterns, to run
	// instead.
	Filetests []string
	Update    bool // write actual values into the goldens of filetests
	DryRun    bool // with Update: print the changes and write nothing

	// Flags are for the test binary, with their prefix: -test.run=X. Args follow them. The fields
	// below repeat what the runner itself must know of them.
	Flags []string
	Args  []string

	Verbose  bool          // -v: the output of packages that pass is shown
	Bench    bool          // -bench: benchmarks are shown, too
	Fuzz     bool          // -fuzz: Flags name the target, in one package
	List     bool          // -list
	JSON     bool          // events in place of lines
	FailFast bool          // nothing is printed after the first package that fails
	Timeout  time.Duration // of one test binary, in its own time; 0: none
	Wall     time.Duration // of one test binary, by the machine's clock; 0: a minute more than Timeout

	Cover *Cover // nil: no coverage

	// Vet names the analyzers that check packages before their tests run (package vet). Nil: none.
	Vet *vet.ForTest

	// Profile, if not nil, writes the profiles that Config.Profiles names. Its argument is the
	// instance that ran the test binary. Only one package may be tested.
	Profile func(*engine.Instance) error

	Jobs  int   // packages at a time; 0: as many as there are processors
	Shard Shard // of the packages

	// Config has the limits and grants of each instance. Gas, however, limits each test, and
	// separately what runs around the tests. The runner sets Args, Name and the standard files.
	Config engine.Config

	// Grant, if not nil, is called when tests of a package failed that lacked grants, from one
	// goroutine at a time. The package is tested again with those that it returns.
	Grant func(path string, lacked []Grant) []Grant

	// Revision, if not nil, is tested in place of the working tree.
	Revision *Revision

	Stdout, Stderr io.Writer

	// Alone compiles every program by itself. Without it, programs share a part of the standard
	// library (engine.Base).
	Alone bool

	// Progress, if set, is called whenever a package begins or ends.
	Progress func(Progress)
}

// Progress says how far a run is.
type Progress struct {
	Total, Done, Failed int
	Running             []string // import paths, in the order of the packages
	Elapsed             time.Duration
}

// A Summary is the outcome of a run.
type Summary struct {
	Packages int // with tests
	Passed   int
	Failed   int // tests failed, or did not run to their end
	Broken   int // packages that could not be built or found

	Report *Report // what the tests used
	Err    error   // why a profile is not complete
	Stats  Stats   // what building them took

	// CacheNote is one line. It says why the cache was not used although it was requested, or why
	// something could not be written to it.
	CacheNote string
}

// OK reports whether nothing failed.
func (s *Summary) OK() bool { return s.Failed == 0 && s.Broken == 0 }

// showPass reports whether a package that passes shows its output.
func (o *Options) showPass() bool { return o.Verbose || o.List }

// wall is how long a test binary may run by the machine's clock; 0: no limit.
func (o *Options) wall() time.Duration {
	if o.Wall == 0 && o.Timeout > 0 {
		return o.Timeout + grace
	}
	return o.Wall
}

// direct reports whether all output is shown at once: for the package in the current directory, and
// for benchmarks and fuzzing.
func (o *Options) direct() bool {
	return o.Grant == nil && len(o.Patterns) == 0 && len(o.Filetests) == 0 || o.Bench || o.Fuzz
}
