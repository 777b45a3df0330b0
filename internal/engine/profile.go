package engine

import (
	"fmt"
	"io"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// profileNames are the names of the kinds, for errors.
var profileNames = map[api.Profile]string{api.GasProfile: "GasProfile", api.MemProfile: "MemProfile", api.CPUProfile: "CPUProfile"}

// WriteProfile writes one profile of the run so far, of a kind that Config.Profiles named.
func (in *Instance) WriteProfile(kind api.Profile, w io.Writer) error {
	return in.profiled(kind, func(m *interp.Machine) error {
		switch kind {
		case api.GasProfile:
			return m.WriteGasProfile(w)
		case api.MemProfile:
			return m.WriteMemProfile(w)
		}
		return m.WriteCPUProfile(w)
	})
}

// GasLines returns the lines of the program's own source that used the gas of the run so far,
// largest first. It needs GasProfile.
func (in *Instance) GasLines() (list []api.LineGas, err error) {
	err = in.profiled(api.GasProfile, func(m *interp.Machine) error {
		list = m.GasLines()
		return nil
	})
	return list, err
}

// profiled takes the instance and calls f if a kind of profile was recorded.
func (in *Instance) profiled(kind api.Profile, f func(*interp.Machine) error) error {
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
