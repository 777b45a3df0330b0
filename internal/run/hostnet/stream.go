package hostnet

import (
	"errors"
	"io"
	"net"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// emptyReads is how often in a row a connection may return nothing before that is an error.
const emptyReads = 100

// read is the goroutine that reads from a connection.
func (s *sock) read() {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	for empty := 0; ; {
		for s.in.full() && !s.closed && !s.deaf {
			s.change.Wait()
		}
		if s.closed || s.deaf {
			return
		}
		p := s.in.space()
		var k int
		var err error
		n.unlocked(func() { k, err = n.callRead(s.field, s.conn, p) })
		switch {
		case k < 0 || k > len(p):
			k, err = 0, errNonsense // not an io.Reader
		case k > 0:
			empty = 0
		case err == nil:
			if empty++; empty >= emptyReads {
				err = errNonsense
			}
		}
		if k > 0 {
			s.in.filled(k)
			n.post(s, Readable)
		}
		if err != nil {
			s.endIn(err)
			return
		}
	}
}

// endIn records that nothing more comes in. The lock is held.
func (s *sock) endIn(err error) {
	s.inOver = true
	if !errors.Is(err, io.EOF) {
		s.inErr = errnoOf(err, wasi.ECONNRESET)
	}
	s.n.post(s, Readable)
}

func (s *sock) readLost() {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	s.endIn(errCrashed)
}

// Readable returns how many bytes can be read, or how many connections a listener can accept. It
// returns 0 at the end of a connection.
func (n *Net) Readable(handle int32) (int, wasi.Errno) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.at(handle)
	if s != nil && s.ln != nil {
		if s.acceptErr != wasi.Success {
			return 1, wasi.Success // Accept returns the error
		}
		if len(s.queue) == 0 {
			return 0, wasi.EAGAIN
		}
		return len(s.queue), wasi.Success
	}
	s, e := n.connAt(handle)
	if e != wasi.Success {
		return 0, e
	}
	return s.readable()
}

// readable is Readable for a connection. The lock is held.
func (s *sock) readable() (int, wasi.Errno) {
	switch {
	case s.deaf:
		return 0, wasi.Success
	case s.in.len() > 0:
		return s.in.len(), wasi.Success
	case !s.inOver:
		return 0, wasi.EAGAIN
	case s.inErr != wasi.Success:
		e := s.inErr
		s.inErr = wasi.Success // reported once; then the connection is at its end
		return 0, e
	}
	return 0, wasi.Success
}

// Read takes incoming bytes; 0 is the end.
func (n *Net) Read(handle int32, p []byte) (int, wasi.Errno) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, e := n.connAt(handle)
	if e != wasi.Success || len(p) == 0 {
		return 0, e
	}
	if k, e := s.readable(); k == 0 {
		return 0, e
	}
	k := s.in.take(p)
	s.change.Broadcast()
	return k, wasi.Success
}

// write is the goroutine that writes to a connection. The first byte starts it.
func (s *sock) write() {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	for {
		for s.out.len() == 0 && !s.ended && !s.closed && !s.hung {
			s.change.Wait()
		}
		if s.hung {
			return
		}
		if s.out.len() == 0 {
			if s.ended && !s.closed {
				n.unlocked(func() { n.callCloseWrite(s.field, s.conn) })
			}
			s.endOut(wasi.EPIPE)
			return
		}
		p := s.out.data()
		var k int
		var err error
		n.unlocked(func() { k, err = n.callWrite(s.field, s.conn, p) })
		switch {
		case k < 0 || k > len(p):
			k, err = 0, errNonsense // not an io.Writer
		case err == nil && k < len(p):
			err = errNonsense
		}
		if k > 0 {
			s.out.emptied(k)
			n.post(s, Writable)
		}
		if err != nil {
			s.endOut(errnoOf(err, wasi.EPIPE))
			return
		}
	}
}

// endOut records that nothing more can be written, and why. The lock is held.
func (s *sock) endOut(e wasi.Errno) {
	s.outErr, s.writing, s.out = e, false, buffer{}
	s.n.post(s, Writable)
	if s.closed {
		s.hangUp()
	}
}

func (s *sock) writeLost() {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	s.endOut(wasi.EIO)
}

// writable returns why nothing can be written now. The lock is held.
func (s *sock) writable() wasi.Errno {
	switch {
	case s.ended:
		return wasi.EPIPE
	case s.outErr != wasi.Success:
		return s.outErr
	case s.out.full():
		return wasi.EAGAIN
	}
	return wasi.Success
}

// Writable returns how many bytes can be written.
func (n *Net) Writable(handle int32) (int, wasi.Errno) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, e := n.connAt(handle)
	if e == wasi.Success {
		e = s.writable()
	}
	if e != wasi.Success {
		return 0, e
	}
	return s.out.room(), wasi.Success
}

// Write takes as much of p as fits.
func (n *Net) Write(handle int32, p []byte) (int, wasi.Errno) {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, e := n.connAt(handle)
	if e != wasi.Success || len(p) == 0 {
		return 0, e
	}
	if e := s.writable(); e != wasi.Success {
		return 0, e
	}
	k := s.out.put(p)
	s.wantWriter()
	return k, wasi.Success
}

// wantWriter makes sure that the writing goroutine runs. The lock is held.
func (s *sock) wantWriter() {
	if !s.writing {
		s.writing = true
		s.n.start(s.write, s.writeLost)
	}
	s.change.Broadcast()
}

// Shutdown ends one direction of a connection: the incoming one, or with write the outgoing one
// after its data is sent.
func (n *Net) Shutdown(handle int32, write bool) wasi.Errno {
	n.mu.Lock()
	defer n.mu.Unlock()
	s, e := n.connAt(handle)
	if e != wasi.Success {
		return e
	}
	if !write {
		s.deaf = true
		s.change.Broadcast()
		n.post(s, Readable)
		return wasi.Success
	}
	if _, ok := s.conn.(interface{ CloseWrite() error }); !ok {
		return wasi.ENOTSUP
	}
	if !s.ended && s.outErr == wasi.Success {
		s.ended = true
		s.wantWriter()
	}
	return wasi.Success
}

// accept is the goroutine that accepts connections of a listener.
func (s *sock) accept() {
	n := s.n
	n.mu.Lock()
	defer n.mu.Unlock()
	for {
		for (len(s.queue) >= backlog || s.acceptErr != wasi.Success) && !s.closed {
			s.change.Wait()
		}
		if s.closed {
			return
		}
		var c net.Conn
		var a accepted
		var err error
		n.unlocked(func() {
			if c, err = n.callAccept(s.field, s.ln); err == nil && c == nil {
				err = errNonsense
			}
			if err == nil {
				a = n.describe(s.field, c)
			}
		})
		switch {
		case err != nil:
			s.failAccept(err)
			if errors.Is(err, net.ErrClosed) {
				return
			}
		case s.hung:
			s.discard(c)
		default:
			s.queue = append(s.queue, a)
			n.post(s, Readable)
		}
	}
}

// failAccept gives the guest's next accept an error. The lock is held.
func (s *sock) failAccept(err error) {
	s.acceptErr = errnoOf(err, wasi.EINVAL)
	s.n.post(s, Readable)
}

func (s *sock) acceptLost() {
	s.n.mu.Lock()
	defer s.n.mu.Unlock()
	s.failAccept(net.ErrClosed)
}

// Accept takes the next connection of a listener, as a socket with the given token.
func (n *Net) Accept(handle int32, token uint32) (int32, wasi.Errno) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := n.at(handle)
	switch {
	case l == nil:
		return 0, wasi.EBADF
	case l.ln == nil:
		return 0, wasi.EINVAL
	case l.acceptErr != wasi.Success:
		e := l.acceptErr
		if e != wasi.EINVAL { // EINVAL stays: the listener was closed
			l.acceptErr = wasi.Success
		}
		l.change.Broadcast()
		return 0, e
	case len(l.queue) == 0:
		return 0, wasi.EAGAIN
	}
	s, h, e := n.add(l.field, token)
	if e != wasi.Success {
		return 0, e
	}
	a := l.queue[0]
	l.queue[0], l.queue = accepted{}, l.queue[1:]
	l.change.Broadcast()
	s.connected(a)
	return h, wasi.Success
}
