package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A machine is an instance's view of a tier.
type machine interface {
	rt.Exec
	Run() rt.Status
	Free() (units int64, instructions uint64)
	Instructions() uint64

	// Image copies the state of a machine that waits for the host's next call, or returns false if
	// it cannot be kept. A machine of the same kind that has not run goes on from there with
	// Resume. over, unless nil, is an image that is no longer needed: its memory may be reused, and
	// it is gone in any case.
	Image(over exec.Waiting) (exec.Waiting, bool)
	Resume(exec.Waiting)
	WithState(exec.Waiting, []byte) (exec.Waiting, error)
	Other() uint32 // an execution stack that is not the current one; 0: none
	Burn(units int64)
}

// nativeTier is a program's machine code, made for the first instance that uses it.
type nativeTier struct {
	once failure.Flight
	code *nativeProgram
	err  error       // why this machine cannot have machine code
	made atomic.Bool // the code exists, without an error

	tellMu sync.Mutex
	told   map[string]bool // the debug settings that were applied
}

// tell applies those of the settings that no earlier instance had.
func (n *nativeTier) tell(debug *Debug) error {
	n.tellMu.Lock()
	defer n.tellMu.Unlock()
	kinds := slices.DeleteFunc(debug.tells(), func(kind string) bool { return n.told[kind] })
	if len(kinds) == 0 {
		return nil
	}
	if err := n.code.tell(kinds, debug.IRLines); err != nil {
		return err
	}
	if n.told == nil {
		n.told = map[string]bool{}
	}
	for _, kind := range kinds {
		n.told[kind] = true
	}
	return nil
}

// make makes the code, once. It keeps the result even if code is impossible; a bug is an error of
// this attempt only.
func (n *nativeTier) make(code func() (*nativeProgram, error)) error {
	err := n.once.Do(func() (err error) {
		defer failure.Recover(&err, "preparing machine code", nil)
		failure.At("machine code of a program")
		c, err := code()
		if errors.As(err, new(*api.InternalError)) {
			return err
		}
		n.code, n.err = c, err
		n.made.Store(err == nil)
		return nil
	})
	return cmp.Or(err, n.err)
}

// compiled returns how many functions were compiled to machine code.
func (n *nativeTier) compiled() int {
	if !n.made.Load() {
		return 0
	}
	return n.code.compiled()
}

// tell applies the debug settings to the code of the program and of the layers of its base.
func (p *Program) tell(debug *Debug) error {
	for l := p.base; l != nil; l = l.below {
		base, err := l.machineCode(p.isChecked())
		if err == nil {
			err = base.tell(debug)
		}
		if err != nil {
			return err
		}
	}
	return p.native.tell(debug)
}

// machine makes an instance's machine, in the tier that the configuration names, from a released
// one if old is not nil.
func (p *Program) machine(vm *rt.VM, cfg *Config, old machine) (machine, api.Tier, error) {
	mc := interp.Options{Options: exec.Options{Hosts: &p.hosts, Steady: cfg.Debug.Blocks}}
	mc.Count, mc.OpStats = cfg.Debug.Count || cfg.Debug.Blocks, cfg.Debug.OpStats
	if mc.Places = cfg.Debug.Blocks && cfg.Debug.OpStats; mc.Places {
		mc.OpStats = false
	}
	mc.GasProfile, mc.MemProfile, mc.CPUProfile = cfg.Profiles&api.GasProfile != 0, cfg.Profiles&api.MemProfile != 0,
		cfg.Profiles&api.CPUProfile != 0
	observed := ""
	switch {
	case mc.OpStats, mc.Places:
		observed = "counting operations"
	case cfg.Profiles != 0:
		observed = "a profile"
	}
	switch cfg.Tier {
	case api.TierAuto, api.TierInterp:
	case api.TierNative:
		if observed != "" {
			return nil, "", configError("Tier", fmt.Errorf("%s needs the interpreter: it is %q", observed, cfg.Tier))
		}
		if err := p.NativeError(); err != nil {
			return nil, "", err
		}
	default:
		return nil, "", configError("Tier", fmt.Errorf("there is no %q: it is %q or %q", cfg.Tier, api.TierInterp, api.TierNative))
	}
	if cfg.Tier == api.TierNative || cfg.Tier == api.TierAuto && DefaultTier == api.TierNative && observed == "" &&
		p.NativeError() == nil {
		if cfg.Debug.Blocks {
			m, err := p.countedMachine(vm, mc.Options, &cfg.Debug)
			return m, api.TierNative, err
		}
		if err := p.tell(&cfg.Debug); err != nil {
			return nil, "", fmt.Errorf("gyr: %w", err)
		}
		m, err := p.native.code.machine(vm, mc.Options, old)
		return m, api.TierNative, err
	}
	if kinds := cfg.Debug.tells(); len(kinds) > 0 {
		return nil, "", configError("Debug", fmt.Errorf("%s is about machine code: it needs Tier %q", kinds[0], api.TierNative))
	}
	code, err := p.program()
	if err != nil {
		return nil, "", err
	}
	if m, ok := old.(*interp.Machine); ok {
		if renewed, err := m.Renew(vm, code, mc); renewed {
			return m, api.TierInterp, err
		}
	}
	m, err := interp.New(vm, code, mc)
	return m, api.TierInterp, err
}

// NativeError reports why the program cannot run as machine code here, or nil if it can. If it
// cannot, instances without a Tier run in the interpreter.
func (p *Program) NativeError() error {
	return p.native.make(func() (*nativeProgram, error) {
		code, err := newNativeProgram(p)
		switch {
		case err != nil:
			err = noNative(err)
		case p.disk != nil:
			p.disk.restore(code)
		}
		return code, err
	})
}

func noNative(err error) error { return fmt.Errorf("gyr: no machine code: %w", err) }
