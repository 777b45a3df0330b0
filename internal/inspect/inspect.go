// Package inspect lets the commands of this module look into a program as package
// gyr compiles it, without a name of the engine's in the public interface. Package gyr
// fills in the hooks when it is initialised; nothing changes them afterwards.
package inspect

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/load"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/rt"
)

// A View is a compiled program from the inside.
type View struct {
	Mod *ir.Module
	// Prepare optimises a function, which happens once, before it is compiled. Its
	// body may be on disk until then.
	Prepare func(*ir.Func) error
	// Checked says that guest memory may hold anything: what machine code has to check.
	Checked bool
}

// An Observer sees passes at work; see opt.Config.
type Observer struct {
	Dump  func(pass string, f *ir.Func)
	Log   func(opt.Event)
	Watch func(*ir.Func) bool
}

// A Watch follows a run; what it does not ask for is nil.
type Watch struct {
	Accounts *rt.Accounts      // for one run: who used what
	Fuzz     *rt.Fuzz          // for one run
	Seen     func(name string) // called with each path of the host that the guest asks for
	Observer *rt.Observer      // of calls of the system
}

var (
	// Of returns the inside of a *gyr.Program.
	Of func(program any) View
	// Observe sets who sees the passes of what a *gyr.Source is compiled into.
	Observe func(source any, o Observer)
	// Move has the files of the main module that a *gyr.Source names read where moved says.
	Move func(source any, moved func(name string) string)
	// Run sets who watches the runs of instances that a *gyr.Config describes.
	Run func(config any, w Watch)
	// Covered is the coverage, a []gyr.CoverBlock, of a *gyr.Instance in whose run it is called: by Accounts.Over.
	Covered func(instance any) any
	// Identity is all that decides what a *gyr.Source is compiled into but for what is read.
	Identity func(source any) ([]string, error)
	// Inputs is what was read for a *gyr.Program that is in a cache; nil if it is in none.
	Inputs func(program any) []load.Input
)
