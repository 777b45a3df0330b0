package engine

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Source says what to compile.
type Source struct {
	// Image is a portable image, made by [Build]. It replaces the source. Of the other fields only
	// these count: NoPass, Verify, State, Progress and Cache, and Base, GOROOT and Tags, which
	// select the standard library that the image continues. Each set of tags has one library: an
	// image for other tags is refused unless it contains the library. The bytes must not change
	// while the program is in use.
	Image []byte
	// Dir is the directory that relative patterns start from; empty: the current directory.
	Dir string
	// Patterns names one main package as the go command does: .go files, a
	// directory, an import path. Empty: the package in Dir.
	Patterns []string
	// Tags are additional build tags.
	Tags []string
	// Unsafe says which of the program's packages may import unsafe. A program with such a package
	// runs checked.
	Unsafe api.UnsafePolicy
	// Settings are flags of the go command: -mod, -modfile, -overlay, -ldflags=-X and -trimpath.
	Settings load.Settings
	// GOROOT is the Go installation whose standard library is used; empty: the one that the go
	// command would use.
	GOROOT string
	// Test compiles the test binary of the package instead of a main package.
	Test bool
	// FS, if set, holds the files of the main module instead of the machine's file
	// system; Dir is a path in it.
	FS fs.FS
	// Modules is the directory of the module cache to read. Empty: the user's, or with FS none.
	Modules string
	// Command, if set, is a command of the Go installation, which is compiled instead of the
	// packages that Patterns names.
	Command *load.Command
	// Exports compiles the package, which need not be a main package, for calls of
	// its exported functions (see [Instance.Call]) instead of its main function.
	Exports bool
	// State makes it possible to keep, restore and compare states of instances ([Instance.State]):
	// the program gets an identity.
	State bool
	// Upgrades is an earlier version of the program, compiled with State: see [Program.Upgrade].
	Upgrades *Program
	// Host are packages whose functions are the host's.
	Host []api.HostPackage
	// Warm names exported functions without parameters that every instance calls once, in this
	// order, after it has initialised its packages: see gyr.Source. The cache keeps nothing of it.
	Warm []string
	// NoPass switches passes of the optimiser off, by name, or "all", "phasea", "phaseb": a
	// debugging aid. "metering" leaves out the gas charges, to measure what they cost; instances
	// then need Config.Realtime and cannot have Config.Gas.
	NoPass []string
	// Verify checks the IR after every pass: a debugging aid.
	Verify bool
	// Cache is a directory that keeps compiled programs for later compilations; empty: none. It
	// must belong to the user and be closed to all others; it is created if it does not exist. An
	// unusable cache, or a damaged or outdated entry, affects only the time that Compile takes: see
	// CompileStats.
	Cache string
	// Cover names packages, by import path. Instances count how often each block of their
	// statements is executed: see Instance.Coverage. Counting changes neither output nor gas nor
	// any other figure of Stats except Instructions and Wall. The cache does not keep such
	// programs.
	Cover []string
	// Base is the precompiled standard library that the program continues, unless a package of it
	// is under test or covered. If it is nil, the program continues one that this process shares
	// and the cache stores. The cache keeps only what the program adds.
	Base *Base
	// NoBase compiles the packages of the standard library that the program needs together with it:
	// a debugging aid. Output and gas are the same, addresses and memory figures are not.
	NoBase bool
	// Shift leaves so many bytes free before the data of a program that is compiled with NoBase: a
	// test finds what observes addresses by moving them.
	Shift int
	// Standalone makes Build put the lowered standard library into the image, so that it runs on
	// machines without one. Compile ignores it.
	Standalone bool
	// Limits bound what compiling the program may take. The zero value is far above the needs of
	// real programs; UntrustedLimits is for untrusted sources. A program over a limit is refused
	// with a CompileLimitError, the same on every machine.
	Limits api.Limits
	// Progress, if set, is told how far compilation is: see Progress.
	Progress func(api.Progress)
	// Native says that instances will run machine code, so that it is prepared early. It changes
	// nothing else.
	Native bool

	// Resident says that the process goes on when the program is compiled. If the cache keeps the
	// program, Compile returns what the cache has: nothing that only compiling needs stays in memory.
	// It changes nothing else.
	Resident bool

	// Rebuild compiles the program although the cache has it, and stores it there.
	Rebuild bool
	// Recompile compiles functions at their first call although the cache has their code, and keeps
	// no code there: for measurements of compiling.
	Recompile bool
	// Plan, if set, is called with the program's own packages before they are compiled. If it
	// returns ErrPlanned, so does Compile, and nothing is compiled.
	Plan func([]load.Step) error

	Moved    func(name string) string // see load.Options; such programs are not cached
	Observer Observer                 // observes the passes, for commands of this module
	BaseOnly bool                     // the cache keeps the standard library and not the program, because a command shows its IR
}

// A Program is a compiled program. It is immutable and safe for concurrent use.
type Program struct {
	unit
	native     nativeTier
	counted    nativeTier // machine code that counts what is executed (Debug.Blocks), never kept on disk
	checked    string     // why memory contents may not match their types: see Source.untrusted; "": they do
	usesUnsafe string     // see load.Packages.Unsafe

	opt   *opt.Options
	stats api.CompileStats
	cover []load.CoverBlock // in the order of their counters

	crossing  *guesttype.Types // types of values that cross
	goroot    string           // Source.GOROOT
	hostFuncs []*rt.HostFunc   // functions of the host packages that the program imports, by number
	sentinels []error          // likewise

	types []byte     // for a future layer of a base: types for programs that are loaded on it
	base  *layer     // the layer that the program continues, nil if it stands alone
	disk  *diskCache // nil: the program is not kept on disk

	// The snapshot that all instances start from, made for the first one.
	snapMade failure.Flight
	hosts    exec.Hosts
	snap     *rt.Snapshot

	starts   starts // copies that instances of a library begin as instead
	restored restored
	warm     []int // numbers of the exported functions that are called after initialisation

	identity    []byte      // identity of the program in states; nil: it has none, see Source.State
	plan        *lower.Plan // for a program with an identity that comes from its source
	version     *version    // made from it; nil: not yet, see asVersion
	versionMade failure.Flight
	transition  *transition // from the version that Source.Upgrades names; nil: none
	tracks      sync.Once   // makes tracked, for the first transaction
	tracked     *memory.Tracker
}

// noteUnsafe makes the program run checked because of a package outside the standard library that
// imports unsafe; "" means no package.
func (p *Program) noteUnsafe(pkg string) {
	if p.usesUnsafe = pkg; pkg != "" && p.checked == "" {
		p.checked = "unsafe in " + pkg
	}
}

// isChecked reports whether machine code of the program is checked.
func (p *Program) isChecked() bool { return p.checked != "" }

// program returns the program's register code. Only where no access to memory ends a run may a tier run
// loops otherwise than the other: such an end shows the gas of several rounds.
func (p *Program) program() (*bytecode.Module, error) {
	return p.programWith(bytecode.Options{Lowered: !p.isChecked()})
}

// setBase makes the program continue a base, if b is not nil.
func (p *Program) setBase(b *layer) {
	if b != nil {
		p.base, p.stats.OnBase = b, true
	}
}

// readyOf returns the readiness that prepares a function of the program for compilation.
func (p *Program) readyOf(f *ir.Func) *readiness {
	if p.mod.InBase(f) {
		return &p.base.of(f).ready
	}
	return &p.ready
}

// bodyOf reads the body of a function if it is still on disk.
func (p *Program) bodyOf(f *ir.Func) error { return p.readyOf(f).body(f) }

// Passes lists the passes of the optimiser that NoPass may name, in the order in which they run,
// and the names of the groups.
func Passes() (names, groups []string) {
	return append(opt.Passes("phasea"), opt.Passes("phaseb")...), []string{"phasea", "phaseb", "all"}
}

// Stats returns the figures of the compilation.
func (p *Program) Stats() api.CompileStats {
	s := p.stats
	s.Compiled += p.register.compiled() + p.native.compiled()
	s.RunsChecked = p.checked
	if p.disk != nil {
		s.CacheNote = cmp.Or(s.CacheNote, p.disk.trouble.first())
	}
	if p.base != nil {
		s.CacheNote = cmp.Or(s.CacheNote, p.base.base.cacheNote())
	}
	return s
}

var dumpMu sync.Mutex // functions are prepared once; a dump prepares them eagerly

// Dump prints the functions whose names match re: their IR as compiled
// (form "ir"), or their register code ("bytecode").
func (p *Program) Dump(w io.Writer, form string, re *regexp.Regexp) error {
	dumpMu.Lock()
	defer dumpMu.Unlock()
	code, err := p.program()
	if err != nil {
		return err
	}
	for _, f := range p.mod.Funcs() {
		if f == nil || re != nil && !re.MatchString(f.Name) {
			continue
		}
		switch form {
		case "ir":
			if _, err = code.Compile(f.Index); err == nil {
				_, err = io.WriteString(w, f.String()+"\n")
			}
		case "lowered":
			_, err = io.WriteString(w, f.String()+"\n")
		case "bytecode":
			var fc *bytecode.FuncCode
			if fc, err = code.Compile(f.Index); err == nil {
				if err = fc.Print(w); err == nil {
					_, err = io.WriteString(w, "\n")
				}
			}
		default:
			err = fmt.Errorf("gyr: no form %q of code", form)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
