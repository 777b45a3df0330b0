package hostnet

import (
	"context"
	"net"
	"sync"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// A sock is a socket. Everything in it is guarded by the Net's lock.
type sock struct {
	n      *Net
	field  string // of the Config, whose code is behind it
	token  uint32
	queued [2]bool // by mode: an event is on its way

	closed bool // by the guest, which has no handle of it any more
	abort  bool // what was not sent yet is not sent
	hung   bool // the host's Close has been called

	pending bool               // Dial or Listen has not returned
	cancel  context.CancelFunc // of the context that they were passed; nil: the socket was accepted
	failure *Failure           // why there is neither conn nor ln

	conn          net.Conn
	local, remote string // as the host tells them
	in, out       buffer
	inOver        bool       // nothing more comes in
	inErr         wasi.Errno // why; 0: the other side has ended
	outErr        wasi.Errno // why nothing can be written any more
	writing       bool       // it has a goroutine that writes
	ended         bool       // the guest writes no more
	deaf          bool       // the guest reads no more

	ln        net.Listener
	queue     []accepted
	acceptErr wasi.Errno // for the guest's next accept

	change *sync.Cond // something changed for the goroutines of the socket
}

// An accepted connection has no socket yet.
type accepted struct {
	conn          net.Conn
	local, remote string
}

// add makes a socket and gives it a handle. The lock is held.
func (n *Net) add(field string, token uint32) (s *sock, handle int32, e wasi.Errno) {
	if n.shut || len(n.all) >= MaxSockets {
		return nil, 0, wasi.EMFILE
	}
	s = &sock{n: n, field: field, token: token, change: sync.NewCond(&n.mu)}
	n.all[s] = true
	for i, old := range n.socks {
		if old == nil {
			n.socks[i] = s
			return s, int32(i + 1), wasi.Success
		}
	}
	n.socks = append(n.socks, s)
	return s, int32(len(n.socks)), wasi.Success
}

// at returns the socket of a handle, nil if there is none. The lock is held.
func (n *Net) at(handle int32) *sock {
	if handle <= 0 || int(handle) > len(n.socks) {
		return nil
	}
	return n.socks[handle-1]
}

// connAt returns the socket of a handle if it is connected. The lock is held.
func (n *Net) connAt(handle int32) (*sock, wasi.Errno) {
	switch s := n.at(handle); {
	case s == nil:
		return nil, wasi.EBADF
	case s.conn == nil:
		return nil, wasi.ENOTCONN
	default:
		return s, wasi.Success
	}
}

// Dial begins to connect to an address. The outcome is told by [Net.Outcome]. The values of ctx are
// those of the context that Dial is passed, which ends with the socket or the network.
func (n *Net) Dial(ctx context.Context, token uint32, network, address string) (handle int32, e wasi.Errno) {
	if n == nil || n.dial == nil {
		return 0, wasi.ENETUNREACH
	}
	return n.open(ctx, "Dial", token, network, address, func(ctx context.Context, s *sock) error {
		conn, err := n.callDial(ctx, network, address)
		if err == nil && conn == nil {
			err = errNonsense
		}
		if err != nil {
			return err
		}
		a := n.describe(s.field, conn)
		n.mu.Lock()
		defer n.mu.Unlock()
		s.connected(a)
		return nil
	})
}

// Listen begins to listen at an address. The outcome is told by [Net.Outcome].
func (n *Net) Listen(ctx context.Context, token uint32, network, address string) (handle int32, e wasi.Errno) {
	if n == nil || n.listen == nil {
		return 0, wasi.ENETUNREACH
	}
	return n.open(ctx, "Listen", token, network, address, func(ctx context.Context, s *sock) error {
		ln, err := n.callListen(ctx, network, address)
		if err == nil && ln == nil {
			err = errNonsense
		}
		if err != nil {
			return err
		}
		local := n.addrOf(s.field, "Addr", ln.Addr)
		n.mu.Lock()
		defer n.mu.Unlock()
		s.ln, s.local = ln, local
		if !s.closed {
			n.start(s.accept, s.acceptLost)
		}
		return nil
	})
}

// open makes a socket and calls the host's Dial or Listen for it.
func (n *Net) open(ctx context.Context, field string, token uint32, network, address string,
	call func(context.Context, *sock) error) (handle int32, e wasi.Errno) {
	if len(network) > MaxName || len(address) > MaxName {
		return 0, wasi.EINVAL
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	s, handle, e := n.add(field, token)
	if e != wasi.Success {
		return 0, e
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(n.ctx, cancel)
	s.pending, s.cancel = true, func() {
		forget()
		cancel()
	}
	settle := func(err error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		s.pending = false
		if err != nil {
			s.failure = failureOf(err)
			s.cancel()
		}
		if s.closed {
			s.settleClose()
			return
		}
		n.post(s, Writable)
	}
	n.start(func() { settle(call(ctx, s)) }, func() { settle(errCrashed) })
	return handle, wasi.Success
}

// connected makes a socket one end of a connection. The lock is held.
func (s *sock) connected(a accepted) {
	s.conn, s.local, s.remote = a.conn, a.local, a.remote
	if !s.closed {
		s.n.start(s.read, s.readLost)
	}
}

// Outcome returns what became of Dial or Listen: EAGAIN while nothing did, a failure, or the addresses of the socket, of
// which a listener has the first. A socket that was accepted has an outcome too.
func (n *Net) Outcome(handle int32) (local, remote string, f *Failure, e wasi.Errno) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch s := n.at(handle); {
	case s == nil:
		return "", "", nil, wasi.EBADF
	case s.pending:
		return "", "", nil, wasi.EAGAIN
	case s.failure != nil:
		return "", "", s.failure, wasi.Success
	default:
		return s.local, s.remote, nil, wasi.Success
	}
}

// Close closes a socket. What was written is still sent unless abort is set; its place is taken until that is done.
func (n *Net) Close(handle int32, abort bool) wasi.Errno {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.at(handle)
	if s == nil {
		return wasi.EBADF
	}
	n.socks[handle-1] = nil
	s.close(abort)
	return wasi.Success
}

// close is the guest's close, or what the end of the network does to all sockets. The lock is held.
func (s *sock) close(abort bool) {
	s.closed, s.abort = true, s.abort || abort
	s.change.Broadcast()
	if s.pending {
		s.cancel() // open does the rest
		return
	}
	s.settleClose()
}

// settleClose closes what a socket has that was closed. The lock is held.
func (s *sock) settleClose() {
	switch {
	case s.conn == nil && s.ln == nil:
		s.n.over(s)
	case s.writing && !s.abort: // write does it, when all is sent
	default:
		s.hangUp()
	}
}

// hangUp calls the host's Close. The lock is held.
func (s *sock) hangUp() {
	if s.hung {
		return
	}
	s.hung = true
	s.change.Broadcast()
	queue, abort := s.queue, s.abort
	s.queue = nil
	over := func() {
		s.n.mu.Lock()
		defer s.n.mu.Unlock()
		s.n.over(s)
	}
	s.n.start(func() {
		if s.ln != nil {
			s.n.callClose(s.field, s.ln)
		} else {
			if l, ok := s.conn.(interface{ SetLinger(sec int) error }); ok && abort {
				s.n.callSetLinger(s.field, l)
			}
			s.n.callClose(s.field, s.conn)
		}
		over()
	}, over)
	for _, a := range queue {
		s.discard(a.conn)
	}
}

// discard closes a connection that nobody accepts. The lock is held.
func (s *sock) discard(c net.Conn) {
	s.n.start(func() { s.n.callClose(s.field, c) }, func() {})
}
