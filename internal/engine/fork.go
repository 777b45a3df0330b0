package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Fork makes a second instance from the present of this one: see package gyr.
func (in *Instance) Fork(ctx context.Context, fc api.ForkConfig) (fork *Instance, err error) {
	began := time.Now()
	u, err := in.use()
	if err != nil {
		return nil, err
	}
	defer u.over(&err)
	refused := func(why string) error { return &api.TransactionError{Op: "Fork", Reason: why} }
	if h := u.past; h != nil && h.open {
		return nil, refused("a transaction is open")
	}
	cfg, err := u.forkConfig(&fc)
	if err != nil {
		return nil, err
	}
	if err := notEnded(ctx); err != nil {
		return nil, err
	}
	if err := u.begin(ctx); err != nil {
		return nil, err
	}
	if h := u.past; h == nil || !h.was {
		if err := u.rememberWhole("Fork"); err != nil {
			return nil, err
		}
	}
	u.forkLimits(&cfg, &fc)
	if fork, err = u.fork(cfg, began); err != nil {
		return nil, err
	}
	u.past.present = true
	return fork, nil
}

// rememberWhole is remember for the sake of forks.
func (u *use) rememberWhole(op string) error {
	h, err := u.history()
	if err != nil {
		return err
	}
	cp := h.moment.Memory()
	cp.Forks = true
	defer func() { cp.Forks = false }()
	return u.remember(op)
}

// fork makes an instance of the instance's moment, which is the present, with a configuration that
// grants the same.
func (u *use) fork(cfg Config, began time.Time) (*Instance, error) {
	fork := &Instance{prog: u.prog, stop: rt.NewStop()}
	c := rt.Config{Config: cfg.Config, Setup: cfg.Setup, Debug: cfg.Debug.Debug}
	c.HostFuncs, c.Types, c.Stop, c.Unsafe = u.prog.hostFuncs, u.prog.crossing, fork.stop, u.prog.usesUnsafe != ""
	c.Env, c.Args, c.Name = u.vm.Config.Env, u.vm.Config.Args, u.vm.Config.Name
	vm, forked, err := u.past.moment.Fork(c)
	if why := rt.Refusal(""); errors.As(err, &why) {
		return nil, &api.TransactionError{Op: "Fork", Reason: string(why)}
	}
	if err != nil {
		return nil, err
	}
	vm.Sentinels = u.prog.sentinels
	m, tier, err := u.prog.machine(vm, &cfg, nil)
	if err != nil {
		vm.Close()
		return nil, err
	}
	m.Resume(u.past.image)
	cfg.Tier = tier
	fork.start(engine{cfg: cfg, vm: vm, m: m, ready: true, told: cfg.Hooks != nil || cfg.Labels != nil,
		began: api.Beginning{Copy: true, Reason: forkReason(forked), Made: time.Since(began)}})
	fork.state.Store(stateReady)
	return fork, nil
}

// forkReason says why a fork shares no memory with the instance that it was made from.
func forkReason(f memory.Forked) string {
	if f.Shared {
		return ""
	}
	return "the system cannot share memory between instances: all of it was copied"
}

// forkConfig returns the configuration of a fork: that of the instance, but for what is not shared.
func (u *use) forkConfig(fc *api.ForkConfig) (Config, error) {
	c := u.cfg
	c.Dirs, c.Mounts = slices.Clone(c.Dirs), slices.Clone(c.Mounts)
	c.Stdin, c.Stdout, c.Stderr = fc.Stdin, fc.Stdout, fc.Stderr
	switch {
	case fc.Gas < 0:
		return c, configError("Gas", errNegative)
	case fc.Output < 0:
		return c, configError("Output", errNegative)
	case fc.Log != nil && c.Log == nil:
		return c, configError("Log", errors.New("the instance was made without one, so its guest does not ask for it"))
	case fc.Log != nil:
		c.Log = fc.Log
	case c.Log != nil:
		c.Log = slog.New(slog.DiscardHandler)
	}
	if fc.Hooks != nil {
		c.Hooks = fc.Hooks
	}
	if fc.Labels != nil {
		c.Labels = fc.Labels
	}
	return c, nil
}

var errNegative = errors.New("it is negative")

// forkLimits sets the limits of a fork: what was used until now counts for it too.
func (u *use) forkLimits(c *Config, fc *api.ForkConfig) {
	c.Gas = u.m.GasLimit() // with what AddGas has added
	if fc.Gas > 0 {
		c.Gas = addLimit(u.m.Elapsed(), fc.Gas)
	}
	if fc.Output > 0 {
		c.Output = addLimit(u.vm.Output(), fc.Output)
	}
}

// addLimit returns a limit of n beyond what was used.
func addLimit(used, n int64) int64 {
	if sum := used + n; sum > used {
		return sum
	}
	return 0 // beyond all that can be counted
}
