package poll

import (
	"sync"
	"syscall"
	"time"
	_ "unsafe" // for go:linkname
)

// Waiting for the ends of pipes, the only descriptors for which anybody waits: package syscall tells when there is something
// to read, or room to write. All of it is the guest's own code; the host has no part in it.

//go:linkname gyrWatch syscall.gyrWatch
func gyrWatch(fd int, f func()) bool

// A gyrPoller waits for one end of a pipe. An end is read or written, never both.
type gyrPoller struct {
	mu      sync.Mutex
	changed sync.Cond
	ready   bool // since the last reset or wait
	closing bool
	expired bool
	timer   *time.Timer
	set     int // how often a deadline was set
}

var gyrPollers struct {
	sync.Mutex
	byCtx map[uintptr]*gyrPoller
	last  uintptr
}

// gyrPoller returns the state behind a descriptor that can be waited for.
func (pd *pollDesc) gyrPoller() *gyrPoller {
	gyrPollers.Lock()
	defer gyrPollers.Unlock()
	return gyrPollers.byCtx[pd.runtimeCtx]
}

// update changes the state under its lock, and wakes who waits.
func (p *gyrPoller) gyrUpdate(f func()) {
	p.mu.Lock()
	f()
	p.changed.Broadcast()
	p.mu.Unlock()
}

func (pd *pollDesc) init(fd *FD) error {
	p := &gyrPoller{}
	p.changed.L = &p.mu
	if !gyrWatch(fd.Sysfd, func() { p.gyrUpdate(func() { p.ready = true }) }) {
		return syscall.EPERM
	}
	gyrPollers.Lock()
	defer gyrPollers.Unlock()
	if gyrPollers.byCtx == nil {
		gyrPollers.byCtx = map[uintptr]*gyrPoller{}
	}
	gyrPollers.last++
	pd.runtimeCtx = gyrPollers.last
	gyrPollers.byCtx[pd.runtimeCtx] = p
	return nil
}

func (pd *pollDesc) close() {
	if pd.runtimeCtx == 0 {
		return
	}
	if p := pd.gyrPoller(); p.timer != nil {
		p.timer.Stop()
	}
	gyrPollers.Lock()
	delete(gyrPollers.byCtx, pd.runtimeCtx)
	gyrPollers.Unlock()
	pd.runtimeCtx = 0
}

// evict ends all waiting: the descriptor is being closed.
func (pd *pollDesc) evict() {
	if pd.runtimeCtx != 0 {
		p := pd.gyrPoller()
		p.gyrUpdate(func() { p.closing = true })
	}
}

// gyrState is what there is to say without waiting.
func (p *gyrPoller) gyrState() int {
	switch {
	case p.closing:
		return pollErrClosing
	case p.expired:
		return pollErrTimeout
	}
	return pollNoError
}

func (pd *pollDesc) prepare(mode int, isFile bool) error {
	if pd.runtimeCtx == 0 {
		return nil
	}
	p := pd.gyrPoller()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ready = false
	return convertErr(p.gyrState(), isFile)
}

func (pd *pollDesc) wait(mode int, isFile bool) error {
	if pd.runtimeCtx == 0 {
		return ErrNotPollable
	}
	p := pd.gyrPoller()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.ready && p.gyrState() == pollNoError {
		p.changed.Wait()
	}
	p.ready = false
	return convertErr(p.gyrState(), isFile)
}

func (pd *pollDesc) waitCanceled(mode int) {}

func setDeadlineImpl(fd *FD, t time.Time, mode int) error {
	if err := fd.incref(); err != nil {
		return err
	}
	defer fd.decref()
	if fd.pd.runtimeCtx == 0 {
		return ErrNoDeadline
	}
	p := fd.pd.gyrPoller()
	p.gyrUpdate(func() {
		if p.timer != nil {
			p.timer.Stop()
			p.timer = nil
		}
		p.set++
		d := time.Until(t)
		p.expired = !t.IsZero() && d <= 0
		if !t.IsZero() && d > 0 {
			set := p.set
			p.timer = time.AfterFunc(d, func() {
				p.gyrUpdate(func() { p.expired = p.expired || set == p.set })
			})
		}
	})
	return nil
}
