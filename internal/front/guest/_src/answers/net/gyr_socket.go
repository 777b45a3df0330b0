package net

import (
	"net/netip"
	"sync"
	"syscall"
)

// The network of a program that has none: sockets in its own memory, which reach each other and nothing else. This file has
// the sockets, their numbers and names; gyr_stream.go and gyr_datagram.go what goes through them, gyr_fd.go how the
// package uses them. All operations return at once, with EAGAIN where a socket would have to wait; waiting, deadlines and
// closing under somebody's hands are internal/poll's, as everywhere, over the runtime's netpoll.go.

const (
	gyrFirst    = 1 << 30 // the first number of a socket: runtime.netFirst
	gyrBacklog  = 4096    // connections that wait to be accepted
	gyrStream   = 1 << 19 // bytes that a connection holds in one direction
	gyrDatagram = 212992  // bytes that a socket for datagrams holds
	gyrPorts    = 32768   // the first port that is given to those who ask for none
)

// A gyrSocket is what a kernel has for a descriptor.
type gyrSocket struct {
	fd     int // 0 if it has none yet, or no more
	net    string
	family int
	sotype int
	only6  bool  // takes no IPv4 connections
	host   int32 // its number in the host; 0: it is in the program's memory alone

	local, remote gyrAddr
	bound         bool // is in gyrNet.places
	listening     bool
	accepted      bool // its port is that of a listener

	queue   []*gyrSocket // of a listener: connections that nobody has accepted
	waiting []*gyrSocket // sockets that wait for room in this one

	peer   *gyrSocket // of a connection; nil as soon as it is closed
	rx, tx *gyrPipe
	abort  bool          // closing it breaks the connection
	broken bool          // the other side broke the connection
	err    syscall.Errno // what the next operation returns

	box      []gyrPacket // datagrams that have arrived
	boxBytes int
	boxLimit int
}

// A gyrPlace is what sockets are found by: a protocol, and a port or a name.
type gyrPlace struct {
	net  string
	port uint16
	name string
}

// gyrNet is the network. Its lock is held for as long as one operation takes, none of which waits.
var gyrNet struct {
	sync.Mutex
	fds    []*gyrSocket // by number, from gyrFirst
	free   int          // no number below is free
	places map[gyrPlace][]*gyrSocket
	next   map[string]uint16 // the next port, by protocol
	names  int               // names that were given to Unix sockets without one
}

// gyrNetReady tells who waits to read ('r') or write ('w') that it is worth a try.
func gyrNetReady(fd uintptr, mode int)

// gyrNetName tells the runtime what others know a waiting socket by.
func gyrNetName(fd uintptr, name string)

// number gives a socket a number. The lock is held.
func (s *gyrSocket) number() {
	for gyrNet.free < len(gyrNet.fds) && gyrNet.fds[gyrNet.free] != nil {
		gyrNet.free++
	}
	if gyrNet.free == len(gyrNet.fds) {
		gyrNet.fds = append(gyrNet.fds, nil)
	}
	gyrNet.fds[gyrNet.free] = s
	s.fd = gyrFirst + gyrNet.free
}

// gyrAt returns the socket of a number. The lock is held.
func gyrAt(fd uintptr) *gyrSocket {
	if i := fd - gyrFirst; i < uintptr(len(gyrNet.fds)) {
		return gyrNet.fds[i]
	}
	return nil
}

func (s *gyrSocket) ready(mode int) {
	if s.fd != 0 {
		gyrNetReady(uintptr(s.fd), mode)
	}
}

// wakeAll tells those who wait for room.
func (s *gyrSocket) wakeAll() {
	for _, w := range s.waiting {
		w.ready('w')
	}
	s.waiting = nil
}

// gyrProtocol is the protocol of a network's name: without the version of IP.
func gyrProtocol(net string) string {
	if n := len(net) - 1; net[n] == '4' || net[n] == '6' {
		return net[:n]
	}
	return net
}

func (s *gyrSocket) place(a gyrAddr) gyrPlace {
	return gyrPlace{gyrProtocol(s.net), a.ip.Port(), gyrUnixName(a.name)}
}

// bind gives a socket its address; the zero one is any. The lock is held.
func (s *gyrSocket) bind(a gyrAddr) error {
	if s.family == syscall.AF_UNIX {
		return s.bindName(a)
	}
	ip := a.ip.Addr()
	if !ip.IsValid() || ip.IsUnspecified() {
		ip = netip.IPv4Unspecified()
		if s.family == syscall.AF_INET6 {
			ip = netip.IPv6Unspecified()
		}
	}
	if !gyrIsLocal(ip) {
		return syscall.EADDRNOTAVAIL
	}
	s.local.ip = netip.AddrPortFrom(ip, a.ip.Port())
	if s.local.ip.Port() == 0 {
		return s.anyPort()
	}
	return s.enter()
}

// anyPort takes the next port of the protocol that nobody has.
func (s *gyrSocket) anyPort() error {
	net := gyrProtocol(s.net)
	if gyrNet.next == nil {
		gyrNet.next = map[string]uint16{"tcp": gyrPorts, "udp": gyrPorts}
	}
	for range 1 << 16 {
		port := gyrNet.next[net]
		gyrNet.next[net] = port + 1
		if port != 0 && len(gyrNet.places[gyrPlace{net: net, port: port}]) == 0 {
			s.local.ip = netip.AddrPortFrom(s.local.ip.Addr(), port)
			return s.enter()
		}
	}
	return syscall.EADDRINUSE
}

// bindName gives a Unix socket its name. Who else has that of a file has lost the file, which was made just now.
func (s *gyrSocket) bindName(a gyrAddr) error {
	for s.local = a; s.local.name == ""; {
		gyrNet.names++
		name := "@" + gyrHex(gyrNet.names)
		if gyrNet.places[s.place(gyrAddr{name: name})] == nil {
			s.local.name = name
		}
	}
	if s.local.name[0] != '@' {
		for _, o := range gyrNet.places[s.place(s.local)] {
			o.bound = false
		}
		delete(gyrNet.places, s.place(s.local))
	}
	return s.enter()
}

// gyrHex has five digits, as the names that Linux gives.
func gyrHex(n int) string {
	b := []byte("00000")
	for i := 4; i >= 0; i-- {
		b[i] = "0123456789abcdef"[n&15]
		n >>= 4
	}
	return string(b)
}

// enter makes a socket one that others find, if none is in its way.
func (s *gyrSocket) enter() error {
	p := s.place(s.local)
	for _, o := range gyrNet.places[p] {
		if s.inWay(o) {
			return syscall.EADDRINUSE
		}
	}
	if gyrNet.places == nil {
		gyrNet.places = map[gyrPlace][]*gyrSocket{}
	}
	gyrNet.places[p] = append(gyrNet.places[p], s)
	s.bound = true
	return nil
}

// inWay reports whether two sockets with one port cannot both be.
func (s *gyrSocket) inWay(o *gyrSocket) bool {
	if s.family == syscall.AF_UNIX {
		return true
	}
	a, b := s.local.ip.Addr(), o.local.ip.Addr()
	return a == b || s.covers(b) || o.covers(a)
}

// covers reports whether a socket takes what is sent to an address because its own is any.
func (s *gyrSocket) covers(ip netip.Addr) bool {
	own := s.local.ip.Addr()
	return own.IsUnspecified() && (own.Is4() == ip.Is4() || own.Is6() && !s.only6)
}

// find returns the socket that takes what is sent to an address. The lock is held.
func (s *gyrSocket) find(to gyrAddr) (found *gyrSocket) {
	stream := s.sotype != syscall.SOCK_DGRAM
	for _, o := range gyrNet.places[s.place(to)] {
		switch {
		case stream && !o.listening:
		case s.family == syscall.AF_UNIX || o.local.ip.Addr() == to.ip.Addr():
			return o
		case o.covers(to.ip.Addr()) && (found == nil || found.local.ip.Addr().Is6()):
			found = o
		}
	}
	return found
}

// source binds a socket that is about to send to an address and has none of its own.
func (s *gyrSocket) source(to gyrAddr) error {
	if s.bound || s.family == syscall.AF_UNIX {
		return nil
	}
	return s.bind(gyrAddr{ip: netip.AddrPortFrom(gyrLoopback(to.ip.Addr()), 0)})
}

// leave takes a socket out of the network.
func (s *gyrSocket) leave() {
	if s.bound {
		p := s.place(s.local)
		rest := gyrNet.places[p][:0]
		for _, o := range gyrNet.places[p] {
			if o != s {
				rest = append(rest, o)
			}
		}
		if gyrNet.places[p] = rest; len(rest) == 0 {
			delete(gyrNet.places, p)
		}
	}
	if s.fd != 0 {
		gyrNet.fds[s.fd-gyrFirst] = nil
		gyrNet.free = min(gyrNet.free, s.fd-gyrFirst)
	}
	s.bound, s.listening, s.fd = false, false, 0
}

// close ends a socket, and what others expect of it.
func (s *gyrSocket) close() {
	s.leave()
	s.closeHost()
	for _, c := range s.queue {
		c.abort = true
		c.close()
	}
	s.queue, s.box = nil, nil
	s.hangUp()
	s.wakeAll()
}
