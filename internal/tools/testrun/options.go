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

	// Filetests are filetests besides those of the packages; if there are no patterns, instead.
	Filetests []string
	Update    bool // goldens of filetests become what came
	DryRun    bool // with Update: print what it would change, write nothing

	// Flags are those for the test binary, with their prefix: -test.run=X. Args stand behind
	// them. What the runner has to know of them itself is below.
	Flags []string
	Args  []string

	Verbose  bool          // -v: the output of packages that pass is shown
	Bench    bool          // -bench: it is shown, too
	Fuzz     bool          // -fuzz: Flags say what is looked for, in one package
	List     bool          // -list
	JSON     bool          // events in the place of lines
	FailFast bool          // nothing is printed behind the first package that fails
	Timeout  time.Duration // of one test binary, in its own time; 0: none
	Wall     time.Duration // of one test binary, by the machine's clock; 0: a minute more than Timeout

	Cover *Cover // nil: no coverage

	// Vet says with which analyzers packages are looked at before their tests run: see package vet. Nil: with none.
	Vet *vet.ForTest

	// Profile, if not nil, takes the profiles that Config.Profiles names from the instance that
	// ran the test binary. There must be one package only.
	Profile func(*engine.Instance) error

	Jobs int // packages at a time; 0: as many as there are processors

	// Config has the limits and grants of each instance, but Gas is for each test and for
	// what stands around them. Args, Name and the standard files are the runner's.
	Config engine.Config

	// Revision, if not nil, is tested in the place of the working tree.
	Revision *Revision

	Stdout, Stderr io.Writer

	// Alone has every program compiled for itself, none on the part of the standard library that
	// they could share (engine.Base).
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

// A Summary is what became of a run.
type Summary struct {
	Packages int // with tests
	Passed   int
	Failed   int // tests failed, or did not run to their end
	Broken   int // could not be built or found

	Report *Report // what the tests used
	Err    error   // why a profile is not complete
	Stats  Stats   // what building them took

	// CacheNote is one line that says why the cache was not used although one was requested, or why something could not
	// be written to it.
	CacheNote string
}

// OK reports whether nothing failed.
func (s *Summary) OK() bool { return s.Failed == 0 && s.Broken == 0 }

// showPass reports whether a package that passes shows its output.
func (o *Options) showPass() bool { return o.Verbose || o.List }

// wall is how long a test binary may run by the machine's clock; 0: for ever.
func (o *Options) wall() time.Duration {
	if o.Wall == 0 && o.Timeout > 0 {
		return o.Timeout + grace
	}
	return o.Wall
}

// direct reports whether all output is shown as it comes: for the package in the current
// directory, and for benchmarks.
func (o *Options) direct() bool {
	return len(o.Patterns) == 0 && len(o.Filetests) == 0 || o.Bench || o.Fuzz
}
