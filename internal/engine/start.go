package engine

import (
	"cmp"
	"context"
	"reflect"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A start is an instance that others may begin as: it has initialised its packages, made the
// warm-up calls, and waits for its first call or for the beginning of its main function. See
// rt.Start for its content and for the instances that it fits.
type start struct {
	*rt.Start
	tier  api.Tier
	image exec.Waiting
	fresh Stats  // of an instance that has not run
	used  uint64 // time of the last use
}

// starts are the starts of a program. The first instance is not copied: a program that runs once
// need not pay for it.
type starts struct {
	mu     sync.Mutex
	list   []*start
	clock  uint64 // counts uses
	begun  int    // instances that had to initialise their packages
	wasted int    // starts without a use, since the last one that had one
	why    string // why the last watched instance was not copied
}

const (
	// maxStarts is how many starts a program keeps, the most recently used ones.
	maxStarts = 4
	// maxWasted is how many starts may stay unused before no more are made: then every instance has
	// another configuration, and its initialisation asks for what differs.
	maxWasted = 8
)

// Reasons why an instance is no copy, besides those of package rt.
const (
	whyProfiles = "Config.Profiles or Config.Debug observes it"
	whyFirst    = "it is one of the first two instances of its program with such a Config"
)

// plain reports whether the configuration asks for nothing that depends on how an instance comes to
// its first call.
func (c *Config) plain() bool { return c.Profiles == 0 && reflect.ValueOf(c.Debug).IsZero() }

// begin returns a start that fits an instance with the configuration and its form in package rt, or
// why there is none.
func (p *Program) begin(cfg *Config, c *rt.Config) (_ *start, why string) {
	switch {
	case !cfg.plain():
		return nil, whyProfiles
	case c.NotKept() != "":
		return nil, c.NotKept()
	}
	tier := cfg.Tier
	if tier == api.TierAuto {
		if tier = DefaultTier; tier == api.TierNative && p.NativeError() != nil {
			tier = api.TierInterp
		}
	}
	s := &p.starts
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.list {
		if x.tier != tier {
			continue
		}
		if why = x.Misfit(c, x.image.Units()); why == "" {
			s.clock++
			x.used, s.wasted = s.clock, 0
			return x, ""
		}
	}
	return nil, cmp.Or(s.why, why, whyFirst)
}

// watches reports whether an instance that has to initialise its packages is to be copied
// afterwards.
func (p *Program) watches(cfg *Config, c *rt.Config) bool {
	if !cfg.plain() || c.NotKept() != "" {
		return false
	}
	s := &p.starts
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	return s.begun > 1 && s.wasted < maxWasted
}

// keep makes a start of a watched instance that has left its run, if that is possible and none
// exists yet. An error comes from the operating system; then no start exists, and nothing else
// changes.
func (in *Instance) keep() {
	if !in.vm.Config.Watch {
		return
	}
	p := in.prog
	if s, _ := p.begin(&in.cfg, &in.vm.Config); s != nil {
		return // another one was faster
	}
	vm, why, err := in.vm.Start()
	if why != "" {
		p.starts.refuse(why)
	}
	if vm == nil || err != nil {
		return
	}
	image, ok := in.m.Image(nil)
	if !ok {
		return
	}
	s := &p.starts
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.list) == maxStarts {
		oldest := 0
		for i, x := range s.list {
			if x.used < s.list[oldest].used {
				oldest = i
			}
		}
		s.list = append(s.list[:oldest], s.list[oldest+1:]...)
	}
	s.clock++
	s.wasted++
	s.why = ""
	s.list = append(s.list, &start{vm, in.cfg.Tier, image, in.fresh, s.clock})
}

// unwatch ends the watching of an instance whose initialisation is over, or has failed.
func (in *Instance) unwatch() {
	if in.vm.Config.Watch {
		if why := in.vm.Unwatch(); why != "" {
			in.prog.starts.refuse(why)
		}
	}
}

// refuse notes why an instance was not copied.
func (s *starts) refuse(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why = why
}

// replay makes the calls of the host that the initialisation of a copy has made. If a result differs
// the instance does not begin as a copy.
func (in *Instance) replay(ctx context.Context) error {
	name, deadline := in.vm.Replay(in.begins.Start), in.vm.Deadline()
	if name == "" {
		return nil
	}
	e, reused, err := in.prog.engine(context.Background(), in.cfg, in.stop, &in.engine, "the host function "+name+
		", which is Deterministic, gave its initialisation another result")
	if err == nil && !reused {
		in.vm.CloseHandles()
		err = in.drop()
	}
	if err != nil {
		in.broken = true
		return err
	}
	e.began.Made += in.began.Made
	in.start(e)
	in.vm.SetContext(ctx)
	in.vm.SetDeadline(deadline)
	return nil
}
