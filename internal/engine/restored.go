package engine

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/state"
)

// States that the program has opened.
//
// To restore a state takes time for all of its pages: each is read, held against the root, and
// written. The first Restore of a root keeps the result, an instance that nobody uses, and gives its
// caller a fork of it. Restores of the same root that follow are forks, too. The instance has no
// memory of its own but an image, which it shares with its forks.

// restored are the states that the program keeps.
type restored struct {
	mu   sync.Mutex
	list []*openState // those used last at the end
}

// An openState is a state that was held against its root.
type openState struct {
	root state.Hash
	size uint64 // bytes of its image

	mu sync.Mutex // held while a fork is made
	in *Instance  // which nobody else has
}

const (
	// maxOpen is how many states a program keeps, and maxOpenBytes how many bytes they may have
	// together, unless one alone has more than half.
	maxOpen      = 4
	maxOpenBytes = 512 << 20
)

// sharable reports whether instances with a configuration may be forks of one that has been
// restored: they need no more of their host than forks can get.
func (c *Config) sharable() bool {
	return c.plain() && c.Dial == nil && c.Listen == nil && !c.Realtime && !c.RealRandom && len(c.Mounts) == 0 && c.Accounts == nil && c.Fuzz == nil && c.Observer == nil && c.Seen == nil
}

// shared returns a configuration without what belongs to one instance.
func (c Config) shared() Config {
	c.Stdin, c.Stdout, c.Stderr, c.Hooks, c.Labels = nil, nil, nil, nil, nil
	c.Gas, c.Output = 0, 0
	if c.Log != nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// like reports whether two configurations are the same but for what shared removes, and a fork with
// the one can be made of an instance with the other.
func (c *Config) like(d *Config, tier api.Tier) bool {
	return c.sharable() && (c.Tier == d.Tier || c.Tier == api.TierAuto && d.Tier == tier) && c.Name == d.Name && c.Memory == d.Memory && c.Stack == d.Stack && c.MaxFiles == d.MaxFiles &&
		slices.Equal(c.Args, d.Args) && slices.Equal(c.Env, d.Env) && slices.Equal(c.Dirs, d.Dirs) && bytes.Equal(c.Roots, d.Roots) &&
		(c.Log != nil) == (d.Log != nil)
}

// reopen returns an instance with a state that the program keeps; nil: it keeps none that fits.
func (p *Program) reopen(ctx context.Context, cfg *Config, root state.Hash) (*Instance, error) {
	began := time.Now()
	r := &p.restored
	r.mu.Lock()
	i := slices.IndexFunc(r.list, func(o *openState) bool { return o.root == root })
	if i < 0 {
		r.mu.Unlock()
		return nil, nil
	}
	o := r.list[i]
	r.list = append(slices.Delete(r.list, i, i+1), o)
	r.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := notEnded(ctx); err != nil || o.in == nil {
		return nil, err
	}
	u, err := o.in.use()
	if err != nil {
		return nil, nil // it was never to happen, and the state can be read again
	}
	defer u.over(&err)
	tier := DefaultTier
	if tier == api.TierNative && p.NativeError() != nil {
		tier = api.TierInterp
	}
	if !cfg.like(&u.cfg, tier) {
		return nil, nil
	}
	if err := cfg.check(p); err != nil {
		return nil, err
	}
	c := *cfg
	c.Tier = u.cfg.Tier
	in, err := u.fork(c, began)
	return in, err
}

// keepOpen keeps an instance that was just restored, and returns a fork of it with the
// configuration that its caller wants.
func (p *Program) keepOpen(cfg *Config, root state.Hash, in *Instance, began time.Time) (*Instance, error) {
	u, err := in.use()
	if err != nil {
		return nil, err
	}
	size, ok := u.past.moment.Memory().Share()
	c := *cfg
	c.Tier = u.cfg.Tier
	fork, err := u.fork(c, began)
	u.over(&err)
	if err != nil || !ok || size > maxOpenBytes/2 {
		in.Close()
		return fork, err
	}
	r := &p.restored
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, &openState{root: root, size: size, in: in})
	total := uint64(0)
	for i := len(r.list) - 1; i >= 0; i-- {
		if total += r.list[i].size; total > maxOpenBytes || len(r.list)-i > maxOpen || i < len(r.list)-1 && r.list[i].root == root {
			total -= r.list[i].size
			go r.list[i].close()
			r.list = slices.Delete(r.list, i, i+1)
		}
	}
	return fork, nil
}

// close releases a state that the program keeps no more.
func (o *openState) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.in.Close()
	o.in = nil
}
