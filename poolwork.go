package gyr

import (
	"sync"
	"time"
)

// This file is the work of a pool in the background. One timer does it, on a goroutine that runs
// while there is something to do.

// background is the part of a Pool that this file owns. The pool's lock guards it.
type background struct {
	timer   *time.Timer    // calls tick
	next    time.Time      // when the timer fires; zero: it does not run
	active  bool           // tick runs
	working sync.WaitGroup // calls of tick

	trimming bool      // more instances are idle than MaxIdle
	since    time.Time // when the present period of trimming began
	needed   int       // the smallest number of idle instances in the period
}

// A returned instance has come back by Put and is not reset.
type returned struct {
	in *Instance
	at time.Time // of its return
}

const (
	// resetDelay is how long an instance waits for a Get before the background resets it. On a busy
	// host the next request comes sooner, and waking a goroutine for each would cost as much as a
	// small reset.
	resetDelay = 200 * time.Microsecond
	// trimPeriod is how long an idle instance above MaxIdle has to be superfluous before it is closed.
	trimPeriod = time.Second
)

// arm sets the timer for the next thing that is due.
func (l *Pool) arm() {
	if l.active || l.closed {
		return // tick sets it
	}
	var due time.Time
	if len(l.dirty) > 0 && !l.cfg.ResetAtGet {
		due = l.dirty[0].at.Add(resetDelay)
	}
	switch over := l.idle() > l.cfg.MaxIdle; {
	case over && !l.trimming:
		l.since, l.needed = time.Now(), l.idle()
		fallthrough
	case over:
		if t := l.since.Add(trimPeriod); due.IsZero() || t.Before(due) {
			due = t
		}
		fallthrough
	default:
		l.trimming = over
	}
	if due.IsZero() || !l.next.IsZero() && !due.Before(l.next) {
		return
	}
	l.next = due
	if d := time.Until(due); l.timer == nil {
		l.timer = time.AfterFunc(d, l.tick)
	} else {
		l.timer.Reset(d)
	}
}

// stop stops the timer for good. The pool is closed.
func (l *Pool) stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
}

// tick does what is due: it resets instances, and closes superfluous ones.
func (l *Pool) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next = (time.Time{}); l.closed || l.active {
		return
	}
	l.active = true
	l.working.Add(1)
	for !l.closed && !l.cfg.ResetAtGet && len(l.dirty) > 0 && time.Since(l.dirty[0].at) >= resetDelay {
		in := l.dirty[0].in
		l.dirty = append(l.dirty[:0], l.dirty[1:]...)
		l.renew(in)
	}
	if !l.closed && l.trimming && time.Since(l.since) >= trimPeriod {
		l.trim()
	}
	l.active = false
	l.arm()
	l.working.Done()
}

// renew resets an idle instance.
func (l *Pool) renew(in *Instance) {
	l.resets[in] = true
	l.mu.Unlock()
	err := l.reset(in)
	l.mu.Lock()
	delete(l.resets, in)
	switch {
	case err != nil:
		l.stats.Discarded++
		l.gone()
	case l.closed: // Close closes it
		l.gone()
	default:
		l.offer(handed{in: in})
	}
}

// trim closes the instances above MaxIdle that no Get has needed in the period, those that have
// been idle longest first, and begins the next one.
func (l *Pool) trim() {
	var list []*Instance
	for n := min(l.needed, l.idle()-l.cfg.MaxIdle); n > 0; n-- {
		switch {
		case len(l.clean) > 0:
			list = append(list, l.clean[0])
			l.clean = append(l.clean[:0], l.clean[1:]...)
		case len(l.dirty) > 0:
			list = append(list, l.dirty[0].in)
			l.dirty = append(l.dirty[:0], l.dirty[1:]...)
		}
	}
	l.since, l.needed = time.Now(), l.idle()
	l.mu.Unlock()
	for _, in := range list {
		in.Close()
	}
	l.mu.Lock()
	for range list {
		l.stats.Discarded++
		l.gone()
	}
}
