package net

import (
	"net/netip"
	"syscall"
)

// A gyrPacket is a datagram that has arrived.
type gyrPacket struct {
	data []byte
	from gyrAddr
}

const gyrMaxDatagram = 65507

// send sends a datagram. One to a port that nobody has is lost, and a connected socket hears of it later. The lock is held.
func (s *gyrSocket) send(b []byte, to gyrAddr) error {
	unix := s.family == syscall.AF_UNIX
	switch {
	case s.err != 0:
		return s.fault()
	case !unix && !gyrIsLocal(to.ip.Addr()):
		return gyrNetworkError{}
	case !unix && len(b) > gyrMaxDatagram:
		return syscall.EMSGSIZE
	}
	if !unix && to.ip.Addr().IsUnspecified() {
		to.ip = netip.AddrPortFrom(gyrLoopback(to.ip.Addr()), to.ip.Port())
	}
	t := s.find(to)
	from := s.from(to)
	switch {
	case t == nil && unix:
		if !gyrHasFile(to.name) {
			return syscall.ENOENT
		}
		return syscall.ECONNREFUSED
	case t == nil && s.remote != (gyrAddr{}):
		s.err = syscall.ECONNREFUSED
		s.ready('r')
		return nil
	case t == nil, t.remote != (gyrAddr{}) && t.remote != from:
		return nil
	case t.boxBytes+len(b) > t.boxLimit && t.boxBytes > 0:
		if unix {
			t.waiting = append(t.waiting, s)
			return syscall.EAGAIN
		}
		return nil
	}
	t.box = append(t.box, gyrPacket{append([]byte(nil), b...), from})
	t.boxBytes += len(b)
	t.ready('r')
	return nil
}

// from is the address that the receiver sees.
func (s *gyrSocket) from(to gyrAddr) gyrAddr {
	from := s.local
	if ip := from.ip.Addr(); ip.IsValid() && ip.IsUnspecified() {
		from.ip = netip.AddrPortFrom(gyrLoopback(to.ip.Addr()), from.ip.Port())
	}
	return from
}

// receive takes the next datagram. The lock is held.
func (s *gyrSocket) receive(b []byte) (n int, from gyrAddr, err error) {
	switch {
	case s.err != 0:
		return 0, gyrAddr{}, s.fault()
	case len(s.box) == 0:
		return 0, gyrAddr{}, syscall.EAGAIN
	}
	p := s.box[0]
	s.box[0], s.box = gyrPacket{}, s.box[1:]
	s.boxBytes -= len(p.data)
	s.wakeAll()
	return copy(b, p.data), p.from, nil
}
