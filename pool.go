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
//	err = pool.Do(ctx, func(in *gyr.Instance) error {
//		out, err := in.Call(ctx, "Handle", request)
//		…
//	})
//
// [PoolFuncOf] and [Pool.Bind] make functions that take an instance for each call.
//
// Instances share the Config. All of them call its Readers and Writers, possibly at the same time.
//
// # How many instances a pool has
//
// A pool makes an instance only for a Get that finds none: every instance is in use, and no reset
// under way will release one. So it has as many as were in use at the same time, and MaxLive bounds
// them. It closes idle ones above MaxIdle when no Get has needed them for a second.
//
// # Who resets
//
// An instance that comes back waits to be reset. If a Get needs it at once, Get resets it: the
// processor has work to do. Otherwise the pool resets it in the background after a fraction of a
// millisecond, which releases the memory that the guest has used and spares the next Get the work.
type Pool struct {
	p   *Program
	cfg PoolConfig

	mu       sync.Mutex
	clean    []*Instance        // idle and reset; the last one returned is the last
	dirty    []returned         // idle and not reset, likewise
	resets   map[*Instance]bool // being reset in the background
	used     map[*Instance]bool // handed out by Get
	waiting  []chan handed      // waiting calls of Get, the longest wait first
	live     int                // idle, used, being reset, and being made
	stats    PoolStats          // the figures that only grow
	draining bool               // new calls of Get are refused
	closed   bool
	drained  chan struct{} // closed when a draining pool has no user any more, and by Close; nil: it does not drain

	background
}

// A handed instance goes to a Get that waits; the zero value tells Get to look again.
type handed struct {
	in    *Instance
	dirty bool // to be reset
}

// A PoolConfig holds the settings of a Pool.
type PoolConfig struct {
	Config Config // for every instance

	// MaxLive is the largest number of instances at a time, in use and idle; at this number Get
	// waits. 0: no limit.
	MaxLive int
	// MaxIdle is the number of idle instances that the pool keeps for good, with their memory. It
	// closes further ones after a second in which no Get needed them. 0: two for each processor that
	// the process may use.
	MaxIdle int
	// ResetAtGet makes Get alone reset instances; the pool does nothing in the background but close
	// superfluous ones. Memory that a guest has used then stays until its instance is used again.
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
	Waits     uint64        // Gets that waited: for a reset under way, or because of MaxLive
	Waited    time.Duration // total wait of these Gets

	// How the instances made and reset have begun: see Beginning.
	Copies    uint64        // as a copy of one that has initialised its packages
	Afresh    uint64        // otherwise: the next user waits for the initialisation
	Reason    string        // why the last of these was no copy
	MakeTime  time.Duration // total time of making instances
	ResetTime time.Duration // total time of resetting them
}

// count adds how an instance has begun.
func (s *PoolStats) count(b Beginning, total *time.Duration) {
	if *total += b.Made; b.Copy {
		s.Copies++
		return
	}
	s.Afresh++
	s.Reason = b.Reason
}

// errPoolClosed is an ErrClosed that names the pool.
var errPoolClosed = fmt.Errorf("gyr: the pool is closed: %w", ErrClosed)

// errPoolDraining is likewise what Get returns from the beginning of Drain.
var errPoolDraining = fmt.Errorf("gyr: the pool is being drained: %w", ErrClosed)

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
	l := &Pool{p: p, cfg: cfg, clean: []*Instance{in}, live: 1,
		used: map[*Instance]bool{}, resets: map[*Instance]bool{}, stats: PoolStats{Made: 1}}
	l.stats.count(in.e.Beginning(), &l.stats.MakeTime)
	return l, nil
}

// Get returns an instance that nobody else uses. The caller gives it back with Put. Get waits while
// the pool has MaxLive instances; if the context ends first, the error is a [*DeadlineError]. It
// fails with [ErrClosed] when the pool is closed or drained.
func (l *Pool) Get(ctx context.Context) (*Instance, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	for first := true; ; first = false {
		h, w, err := l.take(ctx, first)
		if w != nil {
			h, err = l.wait(ctx, w)
		}
		switch {
		case err != nil:
			return nil, err
		case h.in == nil:
			continue
		case h.dirty && l.reset(h.in) != nil:
			l.discard(h.in)
			continue
		}
		return h.in, nil
	}
}

// Do calls f with an instance that nobody else uses, and gives it back. It returns the error of Get
// or of f.
func (l *Pool) Do(ctx context.Context, f func(*Instance) error) error {
	in, err := l.Get(ctx)
	if err != nil {
		return err
	}
	defer l.Put(in)
	return f(in)
}

// take returns an idle instance, a new one, or a channel that says when to look again. It is the
// first step of a Get, or a later one, which a pool that drains serves.
func (l *Pool) take(ctx context.Context, first bool) (h handed, w chan handed, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return h, nil, errPoolClosed
	case l.draining && first:
		return h, nil, errPoolDraining
	case ctx.Err() != nil:
		return h, nil, &DeadlineError{Err: context.Cause(ctx)}
	case len(l.clean) > 0:
		h.in = pop(&l.clean)
		l.give(h.in)
		return h, nil, nil
	case len(l.dirty) > 0:
		h = handed{pop(&l.dirty).in, true}
		l.give(h.in)
		return h, nil, nil
	case len(l.resets) > len(l.waiting), l.cfg.MaxLive > 0 && l.live >= l.cfg.MaxLive:
		w = make(chan handed, 1)
		l.waiting = append(l.waiting, w)
		return h, w, nil
	}
	l.live++
	l.needed = 0
	l.mu.Unlock()
	in, err := l.p.NewInstance(ctx, l.cfg.Config)
	l.mu.Lock()
	switch {
	case err != nil:
		l.gone()
		return h, nil, err
	case l.closed:
		l.gone()
		in.Close()
		return h, nil, errPoolClosed
	}
	l.stats.Made++
	l.stats.count(in.e.Beginning(), &l.stats.MakeTime)
	l.give(in)
	return handed{in: in}, nil, nil
}

// pop removes the last element of a list.
func pop[T any](list *[]T) T {
	n := len(*list) - 1
	x := (*list)[n]
	clear((*list)[n:])
	*list = (*list)[:n]
	return x
}

// wait waits for the channel of take.
func (l *Pool) wait(ctx context.Context, w chan handed) (handed, error) {
	began := time.Now()
	var h handed
	var err error
	select {
	case h = <-w:
	case <-ctx.Done():
		err = &DeadlineError{Err: context.Cause(ctx)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Waits++
	l.stats.Waited += time.Since(began)
	if err == nil {
		return h, nil
	}
	if i := slices.Index(l.waiting, w); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
	} else if h = <-w; h.in == nil { // an instance or a wake-up arrived after all: pass it on
		l.wake(handed{})
	} else if l.used[h.in] {
		delete(l.used, h.in)
		l.stats.Gets--
		l.offer(h)
	}
	l.settle()
	return handed{}, err
}

// give marks an instance as handed out.
func (l *Pool) give(in *Instance) {
	l.used[in] = true
	l.stats.Gets++
	l.needed = min(l.needed, l.idle())
}

// wake passes an instance to the Get that has waited longest, or tells it to look again. It reports
// whether any Get waits.
func (l *Pool) wake(h handed) bool {
	if len(l.waiting) == 0 {
		return false
	}
	w := l.waiting[0]
	l.waiting = slices.Delete(l.waiting, 0, 1)
	if h.in != nil {
		l.give(h.in)
	}
	w <- h
	return true
}

// gone counts an instance less.
func (l *Pool) gone() {
	l.live--
	l.wake(handed{})
	l.settle()
}

// offer passes an instance to the next waiting Get, or makes it idle. The pool is not closed.
func (l *Pool) offer(h handed) {
	switch {
	case l.wake(h):
	case h.dirty:
		l.dirty = append(l.dirty, returned{h.in, time.Now()})
	default:
		l.clean = append(l.clean, h.in)
	}
	l.arm()
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
	l.offer(handed{in, true})
	l.settle()
	return nil
}

// reset brings an instance into the state in which NewInstance returns it. It closes an instance
// whose reset fails.
func (l *Pool) reset(in *Instance) error {
	err := in.Reset(l.cfg.Config)
	if err != nil {
		in.Close()
		return err
	}
	began := in.e.Beginning()
	l.mu.Lock()
	l.stats.Resets++
	l.stats.count(began, &l.stats.ResetTime)
	l.mu.Unlock()
	return nil
}

// discard forgets an instance that Get was about to hand out, and could not reset.
func (l *Pool) discard(in *Instance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used[in] {
		delete(l.used, in)
		l.stats.Gets--
		l.stats.Discarded++
		l.gone()
	}
}

// idle returns the number of instances that wait for a Get, or will.
func (l *Pool) idle() int { return len(l.clean) + len(l.dirty) + len(l.resets) }

// Stats returns the present figures.
func (l *Pool) Stats() PoolStats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.InUse, s.Idle, s.Resetting, s.Live = len(l.used), len(l.clean)+len(l.dirty), len(l.resets), l.live
	return s
}

// settle tells Drain that the last user has gone.
func (l *Pool) settle() {
	if l.draining && !l.closed && len(l.waiting) == 0 && l.live == l.idle() {
		select {
		case <-l.drained:
		default:
			close(l.drained)
		}
	}
}

// Drain closes the pool when nobody uses it any more: from now on Get fails with [ErrClosed], calls
// of Get that wait are served, and Drain waits for every instance to come back. It returns what
// [Pool.Close] returns. If the context ends first, the error is a [*DeadlineError] that names the
// number of instances in use; the pool stays as it is, still refuses Get, and can be drained again
// or closed. A pool that is closed cannot be drained: [ErrClosed].
func (l *Pool) Drain(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return errPoolClosed
	}
	if l.draining = true; l.drained == nil {
		l.drained = make(chan struct{})
	}
	l.settle()
	drained := l.drained
	l.mu.Unlock()
	select {
	case <-drained:
		return l.Close()
	case <-ctx.Done():
		return &DeadlineError{Err: fmt.Errorf("draining a pool with %d instances in use: %w", l.Stats().InUse, context.Cause(ctx))}
	}
}

// Close closes the pool and all of its instances, even those in use, as [Instance.Close] does.
// Waiting calls of Get return [ErrClosed]. When Close has returned, no goroutine of the pool is
// running. The error joins those of Instance.Close. If a Reader or Writer of an instance is still
// being called, the error says that the instance's memory is released later.
func (l *Pool) Close() error {
	l.mu.Lock()
	list := l.clean
	for _, d := range l.dirty {
		list = append(list, d.in)
	}
	for in := range l.used {
		list = append(list, in)
	}
	l.live -= len(list)
	for in := range l.resets {
		list = append(list, in)
	}
	l.closed, l.clean, l.dirty = true, nil, nil
	clear(l.used)
	for l.wake(handed{}) {
	}
	if l.drained != nil {
		select {
		case <-l.drained:
		default:
			close(l.drained)
		}
	}
	l.stop()
	l.mu.Unlock()
	var errs []error
	for _, in := range list {
		errs = append(errs, in.Close())
	}
	l.working.Wait()
	return errors.Join(errs...)
}
