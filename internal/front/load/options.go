package load

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"io/fs"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
)

// Options say what to load and where it is.
type Options struct {
	// Dir is the base of relative patterns and of printed file names. Empty: the current directory,
	// or the root of FS.
	Dir string

	// Patterns names one main package: a list of .go files of one directory, a
	// directory, an import path, or a pattern with "..." that matches exactly one
	// main package. Empty: the package in Dir.
	Patterns []string

	// Tags are additional build tags.
	Tags []string

	// Unsafe says which packages outside the standard library may import unsafe.
	Unsafe api.UnsafePolicy

	// Settings are flags of the go command.
	Settings Settings

	// Any also loads a package that is not a main package, to see whether it compiles.
	Any bool

	// Plan, if set, is called with the program's own packages before they are type-checked. If it
	// returns an error, the load ends with that error.
	Plan func([]Step) error

	// Test makes the program the test binary of the package that Patterns names,
	// of the standard library or not: its _test.go files, internal and external,
	// and a generated main package that calls testing.MainStart.
	Test bool

	// Exports makes a program whose exported functions the host calls: see exports.go. The package
	// need not be a main package.
	Exports bool

	// Host are packages whose functions are the host's: see hostpackages.go.
	Host []HostPackage

	// Cover names the packages, by import path, whose blocks are counted: see cover.go.
	// Packages of the overlay are not counted, nor are _test.go files.
	Cover map[string]bool

	// Command, if set, is a command of the Go installation. It is loaded instead of the packages
	// that Patterns name.
	Command *Command

	// Limits apply to the program's own packages. Zero: api.DefaultLimits.
	Limits api.Limits

	// GOROOT is the Go installation. If it is empty, the loader finds the installation as the go
	// command does.
	GOROOT string

	// Std, if set, replaces the Go installation, and the loader looks for none. The program
	// continues Base, or a base of Library, that was opened with its sources. A load that needs
	// other sources ends with a SourcesError.
	Std *Std

	// Getenv reads the environment: GOROOT, PATH, and EnvVars. Nil: os.Getenv.
	Getenv func(string) string

	// Overlay holds the sources of the packages that are replaced as a whole, with a directory for
	// each import path. Nil: guest.Source.
	Overlay fs.FS

	// FS, if set, holds the files of the main module (or the files named by
	// Patterns) instead of the file system of the machine; Dir is a path in it.
	FS fs.FS

	// Modules is the directory of the module cache to read. Empty: the user's, or with FS none.
	Modules string

	// TreeSums, if set, spares later processes from reading whole modules to verify them.
	TreeSums gomod.TreeSums

	// KeepNames are the link symbols of functions and variables that the engine calls, which
	// pruning must keep: "runtime.gopanic", "reflect.callReflect",
	// "internal/runtime/maps.(*Map).Clear", or "path.*" for a whole package.
	// Nil: DefaultKeepNames.
	KeepNames []string

	// Internals lets a main package given as files import internal packages of the standard
	// library, to make a Base.
	Internals bool

	// NoPrune keeps all bodies. It is a debugging aid, and the reference of the tests of pruning.
	NoPrune bool

	// NoCache parses every file anew instead of sharing parsed files of the
	// standard library between the programs that this process loads.
	NoCache bool

	// Base, if set, supplies packages of the standard library that were compiled before: see
	// base.go. It is ignored if it does not fit the program (Program.OnBase). Of the files that the
	// base was made from, only the sources of generic functions are among the Inputs.
	Base *Base

	// Library, if set, replaces Base: it supplies a base once the program's imports are known.
	Library Library

	cacheOverlay bool // tests: use the cache for any Overlay
	keepVars     bool // tests: prune bodies only

	// Inputs, if set, records what is read. If std's files were read for an earlier program of this
	// process, it gets the earlier record.
	Inputs *filetree.Inputs
	// Moved, if set, returns the file that is really read for a file of the main module, if it
	// differs from the name.
	Moved func(name string) string

	// Checked, if set, is called before packages are type-checked and after each of them, with the
	// number of checked packages and of all. Several goroutines call it, one at a time.
	Checked func(done, total int)

	// Stats, if set, is called once with the figures of a successful load.
	Stats func(Stats)
}

// A Library is a standard library that was compiled before, or is compiled in parts when they are
// needed.
type Library interface {
	// Has reports whether programs can import the package with a path from the library.
	Has(path string) bool
	// Base returns a base that has the packages with these paths. The paths are sorted.
	Base(ctx context.Context, paths []string) (*Base, error)
}

// Stats are figures of one load.
type Stats struct {
	Packages, Bytes     int
	Parsed              int // packages whose files this load parsed
	Checked, CheckedStd int // packages that this load type-checked, and how many of them are std's
	FromBase            int // packages that came from the base
	DroppedVars         int // package-level variables of std that were removed
}

// DefaultKeepNames are the symbols that the lowered code of any program may call.
var DefaultKeepNames = []string{
	"runtime.*",
	"internal/runtime/maps.*",
	"internal/abi.*",
	"reflect.callReflect",
	"reflect.callMethod",
}

// Overlay lists the packages of the standard library that Options.Overlay
// replaces.
var Overlay = []string{
	"runtime",
	"runtime/metrics",
	"runtime/pprof",
	"runtime/trace",
	"testing/internal/testdeps",
}

// Packages is a loaded program with everything that it imports. It is immutable.
type Packages struct {
	SSA       *ssa.Program
	Fset      *token.FileSet
	Main      *ssa.Package
	Packages  []*Package       // in the order of initialisation
	GoVersion string           // of the standard library: "go1.26.8"
	Release   *release.Release // of GoVersion
	GODEBUG   string           // default settings: "panicnil=1,randautoseed=0"
	Shift     int              // bytes that stay free before the data: see engine.Source
	BuildInfo string           // for runtime/debug: modules and settings; "" for programs that do not ask
	Exports   []ir.Export      // with Options.Exports, by their numbers
	Host      []string         // import paths of Options.Host that the program imports, sorted
	Cover     []CoverBlock     // with Options.Cover, by their numbers
	OnBase    bool             // Options.Base was used
	Unsafe    string           // a package outside the standard library that imports unsafe, the first by path; "": none does

	Limits api.Limits   // limits for later stages: Functions, Operations
	Ended  func() error // why later stages must end, or nil

	base  *Base
	whole bool     // nothing was pruned
	tags  []string // Options.Tags, sorted

	byPath  map[string]*Package
	std     map[string]*Package // of the standard library, by path
	bySSA   map[*ssa.Package]*Package
	byTypes map[*types.Package]*Package
	funcs   map[types.Object]*funcInfo // functions with directives, pruned, or without body
	globals map[types.Object]string    // link symbols of variables with a linkname
	bodies  map[string]*ssa.Function   // functions with a body, by symbol, where the symbol is not the name
	vars    map[string]*ssa.Global     // defined variables, by symbol, where the symbol is not the name
	trimmed map[string]string

	// From the program's own linknames (see linkname.go):
	answered   map[types.Object]string        // functions that the standard library answers: the symbol of the answer
	pulled     map[types.Object]*ssa.Function // functions without a body, and the functions that supply it
	pulledVars map[types.Object]*ssa.Global   // variables that share the memory of another
	refused    map[types.Object]*diag.Error   // objects that nothing may reach

	// From loops over testing.B, in all packages (see bloop.go):
	keptExprs map[ast.Expr]bool
	keptCalls map[token.Pos]bool
	trim      bool // Settings.TrimPath
}

// A Package is one package of a program.
type Package struct {
	Path    string       // as in link symbols; "main" for the main package
	Import  string       // as imports name it; "command-line-arguments" for a list of files
	Std     bool         // of the standard library
	Test    bool         // with its tests, or depends on the package under test
	Overlay bool         // of our own sources
	Base    bool         // from Options.Base
	SSA     *ssa.Package // nil if the package is in the base and no package outside the base imports it
	Types   *types.Package
	Info    *types.Info // nil if the types are from export data
	Files   []*ast.File // of packages of the base: only generic functions have bodies
	Imports []*Package  // direct imports, sorted by path

	// Embeds holds the files of variables with a go:embed directive.
	Embeds map[*types.Var]*Embed

	// GoVersion is the language version of the package's module: "go1.26".
	GoVersion string

	loops map[types.Object]measured // the functions that its measured loops call
	kept  *kept                     // by its loops over testing.B

	init  bool    // it has something to initialise
	files []*file // its source files
}

// An Embed is the initial value of a variable with a go:embed directive.
type Embed struct {
	Kind  EmbedKind
	Files []EmbedFile // EmbedFS: in the order of embed.FS, directories included; else one file
}

// EmbedKind is the kind of type of an embedding variable.
type EmbedKind int

const (
	EmbedString EmbedKind = iota
	EmbedBytes
	EmbedFS
)

// An EmbedFile is a file or directory in an embedding. The name of a directory
// ends with a slash.
type EmbedFile struct {
	Name string
	Data []byte
	Hash [16]byte // the first bytes of the SHA-256 of Data
}
