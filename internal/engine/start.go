package engine

import (
	"reflect"
	"sync"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A start is what instances may begin with: one that has initialised its packages, made the warm-up calls, and waits for its
// first call or is to begin its main function. See rt.Start for what it holds and for whom it is.
type start struct {
	*rt.Start
	tier  api.Tier
	image exec.Waiting
	fresh Stats  // of an instance that has not run
	used  uint64 // when it was used last
}

// starts are those of a program. The first instance is not copied: a program that runs once need not pay for it.
type starts struct {
	mu     sync.Mutex
	list   []*start
	clock  uint64 // counts uses
	begun  int    // instances that were to initialise their packages
	wasted int    // starts that nobody used, since the last one that somebody did
}

const (
	// maxStarts is how many starts a program keeps: the ones that were used last.
	maxStarts = 4
	// maxWasted is how many starts may be made in vain before no more are: every instance has another
	// configuration, and its initialisation asks for what differs.
	maxWasted = 8
)

// plain reports whether the configuration asks for nothing that depends on how an instance comes to its first call.
func (c *Config) plain() bool { return c.Profiles == 0 && reflect.ValueOf(c.Debug).IsZero() }

// begin returns what an instance with the configuration, and what becomes of it for package rt, can begin with; nil if
// there is nothing.
func (p *Program) begin(cfg *Config, c *rt.Config) *start {
	if !cfg.plain() {
		return nil
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
		if x.tier == tier && x.Fits(c, x.image.Units()) {
			s.clock++
			x.used, s.wasted = s.clock, 0
			return x
		}
	}
	return nil
}

// watches reports whether an instance that has to initialise its packages is to be copied when it has.
func (p *Program) watches(cfg *Config, c *rt.Config) bool {
	if !cfg.plain() || !c.Keepable() {
		return false
	}
	s := &p.starts
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
	return s.begun > 1 && s.wasted < maxWasted
}

// keep makes a start of an instance that has left its run, if that can be done and there is none yet. An error is that
// of the operating system; then there is no start, and nothing else is different.
func (in *Instance) keep() {
	p := in.prog
	if p.begin(&in.cfg, &in.vm.Config) != nil {
		return // another one was faster
	}
	vm, err := in.vm.Start()
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
	s.list = append(s.list, &start{vm, in.cfg.Tier, image, in.fresh, s.clock})
}
