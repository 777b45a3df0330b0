package runtime

import (
	_ "unsafe" // for go:linkname
)

// A coro is a place in which one goroutine at a time is blocked, for iter.Pull.
// coroswitch changes places with it without passing through the run queue.
type coro struct {
	gp *g // who is blocked here; nil after the body has ended
	f  func(*coro)
}

// newcoro makes a goroutine that is blocked in the new coro, about to run f.
//
//go:linkname newcoro
func newcoro(f func(*coro)) *coro {
	gp := newg(corostart, 0, true)
	inherit(gp)
	host_callers(0, 1, &sched.callerpc, 1)
	gp.gopc = sched.callerpc
	gp.status = gwaiting
	gp.waitreason = waitReasonCoroutine
	if gp.bubble != nil {
		gp.bubble.running--
	}
	c := &coro{gp: gp, f: f}
	gp.coro = c
	return c
}

// corostart is what the goroutine of a coro runs. If f ends in Goexit, goexit0
// calls coroexit.
func corostart() {
	c := getg().coro
	f := c.f
	c.f = nil
	f(c)
	coroexit(c)
}

// coroswitch runs the goroutine that is blocked in c and blocks the current one
// there.
//
//go:linkname coroswitch
func coroswitch(c *coro) {
	gp := getg()
	next := c.enter(gp)
	gp.status = gwaiting
	gp.waitreason = waitReasonCoroutine
	if gp.bubble != nil {
		gp.bubble.idle()
	}
	switchto(next)
	gp.waitreason = waitReasonZero
}

// coroexit ends the current goroutine and runs the one that is blocked in c,
// which can be used no more.
func coroexit(c *coro) {
	gp := getg()
	next := c.enter(nil)
	sched.deadstk = gp.stk
	bury(gp)
	pool(gp)
	switchto(next)
	throw("a finished coroutine ran on")
}

// enter blocks gp in c and returns whom it replaces, marked as running.
func (c *coro) enter(gp *g) *g {
	next := c.gp
	if next == nil {
		throw("coroswitch on exited coro")
	}
	if next == gp {
		throw("coroswitch of a goroutine to itself")
	}
	c.gp = gp
	if next.bubble != nil {
		next.bubble.running++
	}
	next.status = grunning
	return next
}
