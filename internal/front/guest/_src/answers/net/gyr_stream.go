package net

import "syscall"

// A gyrPipe is one direction of a connection: bytes, or packets where sizes has how long each is.
type gyrPipe struct {
	buf    []byte
	start  int // what comes before was read
	limit  int
	sizes  []int
	whole  bool // it carries packets
	ended  bool // nothing more will be written
	closed bool // nobody reads
}

func (p *gyrPipe) len() int { return len(p.buf) - p.start }

// put takes as much of b as there is room for: all or nothing of a packet.
func (p *gyrPipe) put(b []byte) (n int) {
	room := p.limit - p.len()
	if p.whole && (room < len(b) && p.len() > 0) || !p.whole && room <= 0 {
		return -1
	}
	if !p.whole {
		b = b[:min(len(b), room)]
	} else {
		p.sizes = append(p.sizes, len(b))
	}
	if p.start > 0 && len(p.buf)+len(b) > cap(p.buf) {
		p.buf = p.buf[:copy(p.buf, p.buf[p.start:])]
		p.start = 0
	}
	p.buf = append(p.buf, b...)
	return len(b)
}

// take moves what has arrived into b. A packet that is longer loses its end.
func (p *gyrPipe) take(b []byte) (n int) {
	if !p.whole {
		n = copy(b, p.buf[p.start:])
		p.start += n
	} else {
		size := p.sizes[0]
		p.sizes = p.sizes[1:]
		n = copy(b, p.buf[p.start:p.start+size])
		p.start += size
	}
	if p.start == len(p.buf) {
		p.start, p.buf = 0, p.buf[:0]
		if cap(p.buf) > 1<<16 {
			p.buf = nil // a connection that rests keeps little
		}
	}
	return n
}

func (p *gyrPipe) some() bool { return p.len() > 0 || len(p.sizes) > 0 }

// listen makes a socket one that others connect to.
func (s *gyrSocket) listen() { s.listening = true }

// connect connects a socket to a listener. The lock is held.
func (s *gyrSocket) connect(to gyrAddr) error {
	l := s.find(to)
	switch {
	case l == nil:
		return syscall.ECONNREFUSED
	case len(l.queue) >= gyrBacklog:
		l.waiting = append(l.waiting, s)
		return syscall.EAGAIN
	}
	if err := s.source(to); err != nil {
		return err
	}
	if s.family == syscall.AF_UNIX {
		to = l.local // as it was named there
	}
	c := &gyrSocket{net: l.net, family: l.family, sotype: l.sotype, only6: l.only6, accepted: true, local: to, remote: s.local}
	whole := s.sotype == syscall.SOCK_SEQPACKET
	ab, ba := &gyrPipe{limit: gyrStream, whole: whole}, &gyrPipe{limit: gyrStream, whole: whole}
	s.tx, c.rx, c.tx, s.rx = ab, ab, ba, ba
	s.remote, s.peer, c.peer = to, c, s
	l.queue = append(l.queue, c)
	l.ready('r')
	return nil
}

// accept takes the next connection of a listener and gives it a number. The lock is held.
func (s *gyrSocket) accept() (*gyrSocket, error) {
	if !s.listening {
		return nil, syscall.EINVAL
	}
	if len(s.queue) == 0 && s.host != 0 {
		return s.acceptHost()
	}
	if len(s.queue) == 0 {
		return nil, syscall.EAGAIN
	}
	c := s.queue[0]
	s.queue[0], s.queue = nil, s.queue[1:]
	s.wakeAll()
	c.number()
	return c, nil
}

// fault takes the error that a socket owes.
func (s *gyrSocket) fault() error {
	e := s.err
	s.err = 0
	return e
}

// read reads from a connection; nothing, without an error, is its end. The lock is held.
func (s *gyrSocket) read(b []byte) (int, error) {
	switch {
	case s.host != 0 && !s.listening:
		return s.readHost(b)
	case s.rx == nil:
		return 0, syscall.ENOTCONN
	case s.rx.some():
		n := s.rx.take(b)
		if s.peer != nil {
			s.peer.ready('w')
		}
		return n, nil
	case s.rx.ended || s.rx.closed:
		return 0, nil
	case s.err != 0:
		return 0, s.fault()
	case s.broken:
		return 0, nil
	}
	return 0, syscall.EAGAIN
}

// write writes to a connection as much as there is room for. The lock is held.
func (s *gyrSocket) write(b []byte) (int, error) {
	switch {
	case s.host != 0 && !s.listening:
		return s.writeHost(b)
	case s.tx == nil:
		return 0, syscall.ENOTCONN
	case s.err != 0:
		return 0, s.fault()
	case s.tx.ended || s.broken || s.peer == nil && s.family == syscall.AF_UNIX:
		return 0, syscall.EPIPE
	case s.peer == nil:
		s.broken = true // the other machine answers that there is no such connection: the next write knows
		return len(b), nil
	case s.tx.closed:
		return len(b), nil
	}
	n := s.tx.put(b)
	if n < 0 {
		return 0, syscall.EAGAIN
	}
	s.peer.ready('r')
	return n, nil
}

// hangUp ends a connection. If something was not read, or the program asked for it, the other side hears that it broke.
func (s *gyrSocket) hangUp() {
	p := s.peer
	if p == nil {
		return
	}
	if s.abort || s.rx.some() {
		p.err, p.broken = syscall.ECONNRESET, true
	} else {
		s.tx.ended = true
	}
	s.rx.closed, s.rx.buf, s.rx.sizes, s.rx.start = true, nil, nil, 0
	s.peer, p.peer = nil, nil
	p.ready('r')
	p.ready('w')
}

// endRead and gyrEndWrite end one direction.

func (s *gyrSocket) endRead() error {
	if s.host != 0 && !s.listening {
		return s.shutdownHost(0)
	}
	if s.rx == nil {
		return syscall.ENOTCONN
	}
	s.rx.closed = true
	s.ready('r')
	return nil
}

func (s *gyrSocket) endWrite() error {
	if s.host != 0 && !s.listening {
		return s.shutdownHost(1)
	}
	if s.tx == nil {
		return syscall.ENOTCONN
	}
	s.tx.ended = true
	if s.peer != nil {
		s.peer.ready('r')
	}
	s.ready('w')
	return nil
}
