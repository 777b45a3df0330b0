package engine

import (
	"fmt"
	"io"

	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/run/profile"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Profile is a kind of profile, or a set of kinds.
//
// All are written in the format that go tool pprof reads, with the function, file and line of the
// guest's source; functions that were inlined are shown. docs/profiling.md says what each is good for
// and what it costs.
type Profile uint8

const (
	// GasProfile is the gas that each line was charged, by call stack. The values
	// add up to Stats.Gas; the profile is the same bytes on every run.
	GasProfile Profile = 1 << iota
	// MemProfile is the objects and bytes that each line allocated, by call stack, and how many of
	// them no collection has freed. The allocations add up to Stats.Mallocs and Stats.AllocBytes; the
	// profile is the same bytes on every run.
	MemProfile
	// CPUProfile is the processor time of the thread in Run, sampled every millisecond, by call
	// stack. The label share says who used the time: guest, runtime, collector, compiler or kernel.
	CPUProfile
)

// profileNames are the names of the kinds, for errors.
var profileNames = map[Profile]string{GasProfile: "GasProfile", MemProfile: "MemProfile", CPUProfile: "CPUProfile"}

// WriteProfile writes one profile of the run so far, of a kind that Config.Profiles named.
func (in *Instance) WriteProfile(kind Profile, w io.Writer) error {
	return in.profiled(kind, func(m *interp.Machine) error {
		switch kind {
		case GasProfile:
			return m.WriteGasProfile(w)
		case MemProfile:
			return m.WriteMemProfile(w)
		}
		return m.WriteCPUProfile(w)
	})
}

// A LineGas is the gas that was used for one line of the source.
type LineGas = profile.LineGas

// GasLines returns the lines of the program's own source that the gas of the run so far was used for, those of most gas
// first. It needs GasProfile.
func (in *Instance) GasLines() (list []LineGas, err error) {
	err = in.profiled(GasProfile, func(m *interp.Machine) error {
		list = m.GasLines()
		return nil
	})
	return list, err
}

// profiled takes the instance and calls f if a kind of profile was recorded.
func (in *Instance) profiled(kind Profile, f func(*interp.Machine) error) error {
	was, err := in.take()
	if err != nil {
		return err
	}
	defer in.put(was, was)
	switch {
	case profileNames[kind] == "":
		return fmt.Errorf("gyr: no kind of profile: %d", kind)
	case in.cfg.Profiles&kind == 0:
		return fmt.Errorf("gyr: %s was not recorded: Config.Profiles does not name it", profileNames[kind])
	}
	defer in.stop.Enter(in.stop.Enter(rt.InProfile))
	return f(in.m.(*interp.Machine)) // see Program.machine
}
