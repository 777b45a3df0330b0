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

// A Pool has instances of one program at hand, each of which is given out as [Program.NewInstance] makes it: whatever the one who
// had it before has done to it is gone, be it that the program ended, failed at a limit or still runs goroutines. A Pool is safe for
// concurrent use.
//
//	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Gas: 1_000_000}, MaxLive: 100})
//	…
//	in, err := pool.Get(ctx)
//	if err != nil { … }
//	defer pool.Put(in)
//	out, err := in.Call(ctx, "Handle", request)
//
// What instances share is the Config: Readers and Writers in it are called by all of them, at the same time too.
type Pool struct {
	p   *Program
	cfg PoolConfig

	mu      sync.Mutex
	idle    []*Instance        // the one that was given back last is the last
	used    map[*Instance]bool // that Get has given out
	waiting []chan *Instance   // of Get, the one that waits longest first: nil means to look again
	resets  map[*Instance]bool // that are being reset in the background
	dirty   map[*Instance]bool // idle ones that Get has to reset
	live    int                // idle, used, being reset, and being made
	stats   PoolStats          // the figures that only grow
	closed  bool
	bg      sync.WaitGroup // resets in the background
}

// A PoolConfig is what a Pool is given.
type PoolConfig struct {
	Config Config // of every instance

	// MaxLive is how many instances there may be at a time, in use and idle; Get waits when there are so many. 0: no limit.
	MaxLive int
	// MaxIdle is how many that nobody uses are kept, with the memory that they have; what is given back beyond is closed. 0: two for each
	// processor that the process may use.
	MaxIdle int
	// ResetAtGet has Get reset instances. Otherwise a goroutine does so behind Put, so that Get need not wait, and
	// memory that the guest has used goes early.
	ResetAtGet bool
}

// PoolStats are the figures of a Pool.
type PoolStats struct {
	InUse     int // instances that Get has given out
	Idle      int // that wait for Get
	Resetting int // that are being reset in the background
	Live      int // all that there are, those that are being made too

	Gets      uint64        // instances that were given out
	Made      uint64        // instances that were made
	Resets    uint64        // resets that succeeded
	Discarded uint64        // instances that were closed because of MaxIdle, or because they could not be reset
	Waits     uint64        // Gets that waited because of MaxLive
	Waited    time.Duration // all of them together
}

// errPoolClosed is an ErrClosed that says what is.
var errPoolClosed = fmt.Errorf("gyr: the pool is closed: %w", ErrClosed)

// ErrNotInUse is returned by [Pool.Put] for what [Pool.Get] has not given out, or what has been given back already. Nothing has
// happened to it.
var ErrNotInUse = errors.New("gyr: the pool has not given out this instance, or has got it back already")

// NewPool makes a pool of instances of p, and the first one, so that a Config that cannot be followed is an error here: see
// [Program.NewInstance]. A negative limit is a [*ConfigError].
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

// Get returns an instance that nobody else uses, for the caller to give back with Put. It waits while there are MaxLive; a context
// that ends first is a [*DeadlineError]. It fails with [ErrClosed] when the pool is closed.
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

// take returns an idle instance or makes one; or else a channel that says when to look again.
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

// wait waits for what take told of.
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
	// Somebody was faster: it is for the next one.
	if in = <-w; in == nil {
		l.wake(nil)
	} else if l.used[in] {
		delete(l.used, in)
		l.stats.Gets--
		l.offer(in)
	}
	return nil, err
}

// give notes that an instance is given out.
func (l *Pool) give(in *Instance) {
	l.used[in] = true
	l.stats.Gets++
}

// wake tells the one who waits longest of an instance, or with nil that it may look again; it reports whether there is anyone.
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

// gone notes that there is an instance less.
func (l *Pool) gone() {
	l.live--
	l.wake(nil)
}

// offer gives an instance to the next one who waits, or makes it idle. The pool is not closed.
func (l *Pool) offer(in *Instance) {
	if !l.wake(in) {
		l.idle = append(l.idle, in)
	}
}

// Put gives an instance back that Get has given out; the caller must not use it any more. One whose method has not returned is
// closed, which ends what it does. Put fails with [ErrNotInUse] for other instances, and never because of the state of the instance.
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

// reset makes an instance what NewInstance returns.
func (l *Pool) reset(in *Instance) error {
	err := in.Reset(l.cfg.Config)
	if err == nil {
		l.mu.Lock()
		l.stats.Resets++
		l.mu.Unlock()
	}
	return err
}

// clean resets an instance that Get is to give out, if that is due; one that cannot be reset is closed.
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

// Stats returns the figures of the moment.
func (l *Pool) Stats() PoolStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.InUse, s.Idle, s.Resetting, s.Live = len(l.used), len(l.idle), len(l.resets), l.live
	return s
}

// Close closes the pool and all of its instances, those too that are in use, as [Instance.Close] does. Who waits in Get
// gets [ErrClosed]. When Close has returned no goroutine of the pool runs on. Its error joins those of Instance.Close, which says of
// an instance whose Reader or Writer is being called that its memory is given back later.
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
