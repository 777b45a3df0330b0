package gyr

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A Pool keeps instances of one program at hand. Each is handed out in the state in which
// [Program.NewInstance] makes it. Nothing remains of its last use, even if the program ended,
// failed at a limit or still runs goroutines. A Pool is safe for concurrent use.
//
//	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Gas: 1_000_000}, MaxLive: 100})
//	…
//	in, err := pool.Get(ctx)
//	if err != nil { … }
//	defer pool.Put(in)
//	out, err := in.Call(ctx, "Handle", request)
//
// Instances share the Config. All of them call its Readers and Writers, possibly at the same time.
type Pool struct {
	p   *Program
	cfg PoolConfig

	mu      sync.Mutex
	idle    []*Instance        // the last one returned is the last
	used    map[*Instance]bool // handed out by Get
	waiting []chan *Instance   // waiting calls of Get, the longest wait first; nil means to look again
	resets  map[*Instance]bool // being reset in the background
	dirty   map[*Instance]bool // idle ones that Get has to reset
	live    int                // idle, used, being reset, and being made
	stats   PoolStats          // the figures that only grow
	closed  bool
	bg      sync.WaitGroup // resets in the background
}

// A PoolConfig holds the settings of a Pool.
type PoolConfig struct {
	Config Config // for every instance

	// MaxLive is the largest number of instances at a time, in use and idle; at this number Get
	// waits. 0: no limit.
	MaxLive int
	// MaxIdle is the largest number of idle instances that are kept, with their memory; the pool
	// closes further ones. 0: two for each processor that the process may use.
	MaxIdle int
	// ResetAtGet makes Get reset instances. Otherwise a goroutine resets them after Put, so that
	// Get need not wait, and memory that the guest has used is released early.
	ResetAtGet bool
}

// PoolStats are the figures of a Pool.
type PoolStats struct {
	InUse     int // instances handed out by Get
	Idle      int // instances that wait for Get
	Resetting int // instances that are being reset in the background
	Live      int // all instances, including those being made

	Gets      uint64        // instances that were handed out
	Made      uint64        // instances that were made
	Resets    uint64        // resets that succeeded
	Discarded uint64        // instances closed because of MaxIdle, or because their reset failed
	Waits     uint64        // Gets that waited because of MaxLive
	Waited    time.Duration // total wait of these Gets
}

// errPoolClosed is an ErrClosed that names the pool.
var errPoolClosed = fmt.Errorf("gyr: the pool is closed: %w", ErrClosed)

// ErrNotInUse is returned by [Pool.Put] for an instance that [Pool.Get] has not handed out, or that
// has been put back already. Put has no effect on it.
var ErrNotInUse = errors.New("gyr: the pool has not given out this instance, or has got it back already")

// NewPool makes a pool of instances of p, and the first instance, so that an invalid Config is an
// error here: see [Program.NewInstance]. A negative limit is a [*ConfigError].
func NewPool(ctx context.Context, p *Program, cfg PoolConfig) (*Pool, error) {
	for _, f := range []struct {
		name  string
		value int
	}{{"MaxLive", cfg.MaxLive}, {"MaxIdle", cfg.MaxIdle}} {
		if f.value < 0 {
			return nil, &ConfigError{Field: f.name, Err: fmt.Errorf("%d is negative", f.value)}
		}
	}
	if cfg.MaxIdle == 0 {
		cfg.MaxIdle = 2 * runtime.GOMAXPROCS(0)
	}
	in, err := p.NewInstance(ctx, cfg.Config)
	if err != nil {
		return nil, err
	}
	return &Pool{p: p, cfg: cfg, idle: []*Instance{in}, live: 1,
		used: map[*Instance]bool{}, resets: map[*Instance]bool{}, dirty: map[*Instance]bool{}, stats: PoolStats{Made: 1}}, nil
}

// Get returns an instance that nobody else uses. The caller gives it back with Put. Get waits while
// the pool has MaxLive instances; if the context ends first, the error is a [*DeadlineError]. It
// fails with [ErrClosed] when the pool is closed.
func (l *Pool) Get(ctx context.Context) (*Instance, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		in, w, err := l.take(ctx)
		if w != nil {
			in, err = l.wait(ctx, w)
		}
		switch {
		case err != nil:
			return nil, err
		case in == nil:
			continue
		case l.clean(in) != nil:
			continue
		}
		return in, nil
	}
}

// take returns an idle instance, a new one, or a channel that says when to look again.
func (l *Pool) take(ctx context.Context) (in *Instance, w chan *Instance, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, nil, errPoolClosed
	case ctx.Err() != nil:
		return nil, nil, &DeadlineError{Err: context.Cause(ctx)}
	case len(l.idle) > 0:
		in = l.idle[len(l.idle)-1]
		l.idle = l.idle[:len(l.idle)-1]
		l.give(in)
		return in, nil, nil
	case l.cfg.MaxLive > 0 && l.live >= l.cfg.MaxLive:
		w = make(chan *Instance, 1)
		l.waiting = append(l.waiting, w)
		return nil, w, nil
	}
	l.live++
	l.mu.Unlock()
	in, err = l.p.NewInstance(ctx, l.cfg.Config)
	l.mu.Lock()
	switch {
	case err != nil:
		l.gone()
		return nil, nil, err
	case l.closed:
		l.gone()
		in.Close()
		return nil, nil, errPoolClosed
	}
	l.stats.Made++
	l.give(in)
	return in, nil, nil
}

// wait waits for the channel of take.
func (l *Pool) wait(ctx context.Context, w chan *Instance) (*Instance, error) {
	began := time.Now()
	var in *Instance
	var err error
	select {
	case in = <-w:
	case <-ctx.Done():
		err = &DeadlineError{Err: context.Cause(ctx)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Waits++
	l.stats.Waited += time.Since(began)
	if err == nil {
		return in, nil
	}
	if i := slices.Index(l.waiting, w); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		return nil, err
	}
	// An instance or a wake-up arrived after all: pass it on.
	if in = <-w; in == nil {
		l.wake(nil)
	} else if l.used[in] {
		delete(l.used, in)
		l.stats.Gets--
		l.offer(in)
	}
	return nil, err
}

// give marks an instance as handed out.
func (l *Pool) give(in *Instance) {
	l.used[in] = true
	l.stats.Gets++
}

// wake passes an instance to the Get that has waited longest, or with nil tells it to look again.
// It reports whether any Get waits.
func (l *Pool) wake(in *Instance) bool {
	if len(l.waiting) == 0 {
		return false
	}
	w := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	if in != nil {
		l.give(in)
	}
	w <- in
	return true
}

// gone counts an instance less.
func (l *Pool) gone() {
	l.live--
	l.wake(nil)
}

// offer passes an instance to the next waiting Get, or makes it idle. The pool is not closed.
func (l *Pool) offer(in *Instance) {
	if !l.wake(in) {
		l.idle = append(l.idle, in)
	}
}

// Put gives back an instance that Get has handed out; the caller must not use it any more. An
// instance with an active method is closed, which ends the method. Put fails with [ErrNotInUse] for
// other instances, and never because of the state of the instance.
func (l *Pool) Put(in *Instance) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.used[in] {
		return ErrNotInUse
	}
	delete(l.used, in)
	switch {
	case len(l.waiting) == 0 && len(l.idle)+len(l.resets) >= l.cfg.MaxIdle:
		l.mu.Unlock()
		in.Close()
		l.mu.Lock()
		l.stats.Discarded++
		l.gone()
	case l.cfg.ResetAtGet:
		l.dirty[in] = true
		l.offer(in)
	default:
		l.resets[in] = true
		l.bg.Go(func() { l.renew(in) })
	}
	return nil
}

// renew resets an instance in the background.
func (l *Pool) renew(in *Instance) {
	err := l.reset(in)
	if err != nil {
		in.Close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.resets, in)
	switch {
	case err != nil:
		l.stats.Discarded++
		l.gone()
	case l.closed: // Close closes it
		l.gone()
	default:
		l.offer(in)
	}
}

// reset brings an instance into the state in which NewInstance returns it.
func (l *Pool) reset(in *Instance) error {
	err := in.Reset(l.cfg.Config)
	if err == nil {
		l.mu.Lock()
		l.stats.Resets++
		l.mu.Unlock()
	}
	return err
}

// clean resets an instance that Get is about to hand out, if that is due. It closes an instance
// whose reset fails.
func (l *Pool) clean(in *Instance) error {
	l.mu.Lock()
	dirty := l.dirty[in]
	delete(l.dirty, in)
	l.mu.Unlock()
	if !dirty {
		return nil
	}
	err := l.reset(in)
	if err == nil {
		return nil
	}
	in.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used[in] {
		delete(l.used, in)
		l.stats.Gets--
		l.stats.Discarded++
		l.gone()
	}
	return err
}

// Stats returns the present figures.
func (l *Pool) Stats() PoolStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.InUse, s.Idle, s.Resetting, s.Live = len(l.used), len(l.idle), len(l.resets), l.live
	return s
}

// Close closes the pool and all of its instances, even those in use, as [Instance.Close] does.
// Waiting calls of Get return [ErrClosed]. When Close has returned, no goroutine of the pool is
// running. The error joins those of Instance.Close. If a Reader or Writer of an instance is still
// being called, the error says that the instance's memory is released later.
func (l *Pool) Close() error {
	l.mu.Lock()
	list := l.idle
	for in := range l.used {
		list = append(list, in)
	}
	for in := range l.resets {
		list = append(list, in)
	}
	l.live -= len(l.idle) + len(l.used)
	l.closed, l.idle = true, nil
	clear(l.used)
	clear(l.dirty)
	for l.wake(nil) {
	}
	l.mu.Unlock()
	var errs []error
	for _, in := range list {
		errs = append(errs, in.Close())
	}
	l.bg.Wait()
	return errors.Join(errs...)
}
