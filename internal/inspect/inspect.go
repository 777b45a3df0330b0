// Package inspect lets the commands of this module look into a program as package
// gyr compiles it, without a name of the engine's in the public interface. Package gyr
// fills in the hooks when it is initialised; nothing changes them afterwards.
package inspect

import (
	"github.com/gyrvm/gyr/internal/ir"
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

var (
	// Of returns the inside of a *gyr.Program.
	Of func(program any) View
	// Observe sets who sees the passes of what a *gyr.Source is compiled into.
	Observe func(source any, o Observer)
	// Move has the files of the main module that a *gyr.Source names read where moved says.
	Move func(source any, moved func(name string) string)
	// Account has an instance that a *gyr.Config describes keep accounts.
	Account func(config any, a *rt.Accounts)
)
