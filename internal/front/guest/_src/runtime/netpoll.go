package runtime

import (
	_ "unsafe" // for go:linkname
)

// Package internal/poll: no file can be polled. Reads and writes of files go to the host
// and return when they are done; deadlines are refused by internal/poll itself
// because no descriptor was opened here.
//
// Pipes (answers/syscall) and the sockets of package net (answers/net) can: they live in the guest's memory, and those
// packages say when one is ready. Their numbers are none of the host's descriptors.

const (
	pollNoError     = 0 // internal/poll's names for what a wait ends with
	pollErrClosing  = 1
	pollErrTimeout  = 2
	pollNotPollable = 3

	errnoPERM = 63 // WASI's EPERM, what epoll says of a regular file

	pipeFirst = 1 << 20 // syscall.gyrPipeBase
	procFirst = 1 << 29 // children and pipes to them; rt.firstProcess
	netFirst  = 1 << 30 // net.gyrFirst
)

// A netwait is one direction of a socket.
type netwait struct {
	deadline int64 // on the clock of nanotime; 0: none, below 0: passed
	ready    bool  // package net said so since the last reset
	gp       *g    // who waits
	timer    timer
}

// A netpoll is what the runtime knows of a socket or one end of a pipe. Those of closed ones are kept for the next.
type netpoll struct {
	open    bool
	closing bool
	host    bool       // the host has news of it
	ours    bool       // opened here, not by internal/poll
	dir     [2]netwait // reading, writing
	name    string     // of a socket that waits for others: network and address
}

// netpolls are the sockets, pipepolls the pipes, and procpolls the children and pipes to them, by number.
var netpolls, pipepolls, procpolls []*netpoll

// netsched counts what the scheduler has to ask the host for.
var netsched struct {
	open    int  // sockets of the host
	waiting int  // goroutines that wait for one
	child   bool // a program started this one
}

// netplace returns the list that has a number, and the place in it.
func netplace(fd uintptr) (list *[]*netpoll, i uintptr) {
	if fd >= netFirst {
		return &netpolls, fd - netFirst
	}
	if fd >= procFirst {
		return &procpolls, fd - procFirst
	}
	return &pipepolls, fd - pipeFirst
}

// netpollOf returns what has a number, nil if there is nothing.
func netpollOf(fd uintptr) *netpoll {
	if list, i := netplace(fd); i < uintptr(len(*list)) && (*list)[i].open {
		return (*list)[i]
	}
	return nil
}

// side returns one direction of a socket, by the letter that internal/poll has for it.
func (p *netpoll) side(mode int) *netwait {
	if mode == 'w' {
		return &p.dir[1]
	}
	return &p.dir[0]
}

func (w *netwait) wake() {
	if gp := w.gp; gp != nil {
		w.gp = nil
		goready(gp)
	}
}

// netexpire is the function of the timers of deadlines.
func netexpire(arg any, seq uintptr, delta int64) {
	w := arg.(*netwait)
	w.deadline = -1
	w.wake()
}

// until sets a direction's deadline, in nanoseconds from now; 0 is none.
func (w *netwait) until(d int64) {
	if w.timer.when != 0 {
		w.timer.stop()
	}
	if d > 0 {
		if d += nanotime(); d <= 0 {
			d = maxWhen
		}
		w.timer.f, w.timer.arg = netexpire, w
		w.timer.set(d, 0)
	}
	w.deadline = d
	if d < 0 {
		w.wake()
	}
}

// check returns why nobody may wait, or wait longer.
func (p *netpoll) check(w *netwait) int {
	switch {
	case p.closing:
		return pollErrClosing
	case w.deadline < 0:
		return pollErrTimeout
	}
	return pollNoError
}

//go:linkname net_ready net.gyrNetReady
func net_ready(fd uintptr, mode int) {
	if p := netpollOf(fd); p != nil {
		w := p.side(mode)
		w.ready = true
		w.wake()
	}
}

//go:linkname syscall_ready syscall.gyrReady
func syscall_ready(fd uintptr, mode int) { net_ready(fd, mode) }

//go:linkname net_name net.gyrNetName
func net_name(fd uintptr, name string) {
	if p := netpollOf(fd); p != nil {
		p.name = name
	}
}

// A socket of the host is one that package net says so of. While there are any, the scheduler asks for news of them
// whenever it looks for work, and waits for some when nobody can run but somebody waits for one.

//go:linkname syscall_host syscall.gyrHost
func syscall_host(fd uintptr) {
	if netpollOf(fd) == nil {
		poll_runtime_pollOpen(fd)
		netpollOf(fd).ours = true
	}
	net_host(fd)
}

// The numbers of children and pipes to them are kept while the host may have news of them, whether or not
// internal/poll knows of them.

//go:linkname syscall_unhost syscall.gyrUnhost
func syscall_unhost(fd uintptr) {
	if p := netpollOf(fd); p != nil && p.host {
		p.host = false
		netsched.open--
		if p.ours {
			p.ours = false
			poll_runtime_pollClose(fd)
		}
	}
}

//go:linkname syscall_await syscall.gyrAwait
func syscall_await(fd uintptr, mode int) { poll_runtime_pollWait(fd, mode) }

//go:linkname net_host net.gyrNetHost
func net_host(fd uintptr) {
	if p := netpollOf(fd); p != nil && !p.host {
		p.host = true
		netsched.open++
		gyr_others = 1
	}
}

// nethost takes all news of sockets, and waits for some until the clock shows until.
func nethost(until int64) {
	for {
		fd, mode := host_netpoll(until)
		switch {
		case fd == 0:
			return
		case fd == -1: // nothing can ever happen
			deadlock()
		case fd < 64: // a signal from the program that started this one
			if sig := uint32(fd); !syscall_raise(sig) {
				host_exit(128 + int32(sig))
			}
		default:
			net_ready(uintptr(fd), mode)
		}
		until = 0
	}
}

// netwaiting returns the first socket that waits for others to begin.
func netwaiting() *netpoll {
	for _, p := range netpolls {
		if p.open && p.name != "" && p.dir[0].gp != nil {
			return p
		}
	}
	return nil
}

//go:linkname poll_runtime_pollServerInit internal/poll.runtime_pollServerInit
func poll_runtime_pollServerInit() {}

//go:linkname poll_runtime_isPollServerDescriptor internal/poll.runtime_isPollServerDescriptor
func poll_runtime_isPollServerDescriptor(fd uintptr) bool { return false }

//go:linkname poll_runtime_pollOpen internal/poll.runtime_pollOpen
func poll_runtime_pollOpen(fd uintptr) (ctx uintptr, errno int) {
	if p := netpollOf(fd); p != nil && p.ours { // from now on internal/poll closes it
		p.ours = false
		return fd, 0
	}
	if fd < pipeFirst || netpollOf(fd) != nil {
		return 0, errnoPERM
	}
	list, i := netplace(fd)
	for i >= uintptr(len(*list)) { // the numbers are the first that are free
		*list = append(*list, new(netpoll))
	}
	(*list)[i].open = true
	return fd, 0
}

//go:linkname poll_runtime_pollClose internal/poll.runtime_pollClose
func poll_runtime_pollClose(ctx uintptr) {
	p := netpollOf(ctx)
	if p == nil {
		return
	}
	if p.host {
		netsched.open--
	}
	p.open, p.closing, p.host, p.ours, p.name = false, false, false, false, ""
	for i := range p.dir {
		w := &p.dir[i]
		w.until(0)
		w.ready = false
	}
}

//go:linkname poll_runtime_pollReset internal/poll.runtime_pollReset
func poll_runtime_pollReset(ctx uintptr, mode int) int {
	p := netpollOf(ctx)
	if p == nil {
		return pollNotPollable
	}
	w := p.side(mode)
	if e := p.check(w); e != pollNoError {
		return e
	}
	w.ready = false
	return pollNoError
}

//go:linkname poll_runtime_pollWait internal/poll.runtime_pollWait
func poll_runtime_pollWait(ctx uintptr, mode int) int {
	p := netpollOf(ctx)
	if p == nil {
		return pollNotPollable
	}
	w := p.side(mode)
	for {
		if e := p.check(w); e != pollNoError {
			return e
		}
		if w.ready {
			w.ready = false
			return pollNoError
		}
		w.gp = getg()
		host := p.host // it stays open for as long as somebody waits
		if host {
			netsched.waiting++
		}
		gopark(waitReasonIOWait)
		if host {
			netsched.waiting--
		}
	}
}

//go:linkname poll_runtime_pollWaitCanceled internal/poll.runtime_pollWaitCanceled
func poll_runtime_pollWaitCanceled(ctx uintptr, mode int) {}

//go:linkname poll_runtime_pollSetDeadline internal/poll.runtime_pollSetDeadline
func poll_runtime_pollSetDeadline(ctx uintptr, d int64, mode int) {
	p := netpollOf(ctx)
	if p == nil || p.closing {
		return
	}
	if mode != 'w' {
		p.dir[0].until(d)
	}
	if mode != 'r' {
		p.dir[1].until(d)
	}
}

//go:linkname poll_runtime_pollUnblock internal/poll.runtime_pollUnblock
func poll_runtime_pollUnblock(ctx uintptr) {
	p := netpollOf(ctx)
	if p == nil {
		return
	}
	p.closing = true
	for i := range p.dir {
		p.dir[i].until(0)
		p.dir[i].wake()
	}
}
