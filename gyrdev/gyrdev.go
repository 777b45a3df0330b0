// Package gyrdev has what those need who work on gyr itself, or who look into what it makes of a program: optimiser passes that
// can be left out, checks of the intermediate representation, stress of the collector, listings, counts of instructions.
//
// Hosts need none of it. What it offers follows the inside of gyr and may change with every version; results of a
// program do not depend on it but where a function says so.
package gyrdev

import (
	"io"
	"regexp"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/bridge"
	"github.com/gyrvm/gyr/internal/engine"
)

// Settings are those of a compilation. The zero value is what every host has.
type Settings struct {
	// NoPass switches passes of the optimiser off: names and groups that [Passes] lists. Without passes of the group
	// "phasea" programs allocate more; output and gas stay. "metering" leaves out the charges of gas, to
	// measure what they cost; instances then need Config.Realtime and have no Config.Gas.
	NoPass []string
	// Verify checks the program after every pass.
	Verify bool
	// NoBase compiles what the program needs of the standard library together with it, not on the precompiled one. Output and gas
	// are the same, addresses and figures of memory are not.
	NoBase bool
}

// Source returns src with these settings instead of those that it had. With an image, too, all of them count.
func Source(src gyr.Source, set Settings) gyr.Source {
	*bridge.SourceOf(&src) = bridge.Source(set)
	return src
}

// Config returns cfg with debug settings, by name, instead of those that it had:
//
//	gcstress  collect at every slow path of an allocation; with a number N before every N-th allocation, and when a stack grows
//	poison    fill the memory of dead objects with a pattern
//	count     count instructions of the interpreter, for [Instructions]
//	opstats   count its operations, pairs and triples too, slowly, for [WriteOpStats]
//	blocks    count instructions in machine code too
//	perfmap, jitdump, gdbjit, irlines  as for the flag -d of the command ("gyr help run")
//
// What the values mean is checked when an instance is made: an error is a *gyr.ConfigError of the field Debug. gcstress changes
// when collections happen, and with it figures of memory; the others change nothing that a program does.
func Config(cfg gyr.Config, debug map[string]string) gyr.Config {
	*bridge.DebugOf(&cfg) = debug
	return cfg
}

// Passes lists the passes of the optimiser in the order in which they run, and the names of groups.
func Passes() (names, groups []string) { return engine.Passes() }

// Dump prints the functions of a program whose names match re: their intermediate representation as compiled (form "ir"), or their register
// code ("bytecode"). It may be called at any time, and compiles what has not been compiled yet.
func Dump(w io.Writer, p *gyr.Program, form string, re *regexp.Regexp) error {
	return bridge.ProgramOf(p).Dump(w, form, re)
}

// Instructions returns how many instructions the interpreter has executed, and how many of them before the program's own initialisation. Both are 0
// unless the instance has the debug setting count or opstats, and while it is in use. The count is the same on every run but for a few instructions:
// where the host polls, a charge of gas is made in parts.
func Instructions(in *gyr.Instance) (all, start uint64) {
	s := bridge.InstanceOf(in).Stats()
	return s.Instructions, s.InitInstructions
}

// WriteOpStats writes the operations of the interpreter that were executed most, pairs and triples included. It writes
// nothing unless the instance has the debug setting opstats.
func WriteOpStats(w io.Writer, in *gyr.Instance) error {
	return bridge.InstanceOf(in).WriteOpStats(w)
}
