package hostnet

import (
	"context"
	"net"
	"sync"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// A sock is a socket. The Net's lock protects all of it.
type sock struct {
	n      *Net
	field  string // of the Config, whose code serves it
	token  uint32
	queued [2]bool // by mode: an event is queued

	closed bool // by the guest, which has no handle of it any more
	abort  bool // unsent data is dropped
	hung   bool // the host's Close has been called

	pending bool               // Dial or Listen has not returned
	cancel  context.CancelFunc // of the context passed to Dial or Listen; nil: the socket was accepted
	failure *Failure           // why conn and ln are both nil

	conn          net.Conn
	local, remote string // as reported by the host
	in, out       buffer
	inOver        bool       // nothing more comes in
	inErr         wasi.Errno // the reason; 0: the other side has ended
	outErr        wasi.Errno // why nothing can be written any more
	writing       bool       // it has a writing goroutine
	ended         bool       // the guest writes no more
	deaf          bool       // the guest reads no more

	ln        net.Listener
	queue     []accepted
	acceptErr wasi.Errno // for the guest's next accept

	change *sync.Cond // signals changes to the goroutines of the socket
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

// at returns the socket of a handle, or nil. The lock is held.
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

// Dial starts to connect to an address. [Net.Outcome] returns the outcome. The host's Dial gets a
// context with the values of ctx, which ends with the socket or the network.
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

// Listen starts to listen at an address. [Net.Outcome] returns the outcome.
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

// Outcome returns the outcome of Dial or Listen: EAGAIN before there is one, a failure, or the
// addresses of the socket. A listener has only the first address. An accepted socket has an outcome
// too.
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

// Close closes a socket. Written data is still sent unless abort is set. Until then the socket
// keeps its place.
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

// close closes a socket, for the guest or at the end of the network. The lock is held.
func (s *sock) close(abort bool) {
	s.closed, s.abort = true, s.abort || abort
	s.change.Broadcast()
	if s.pending {
		s.cancel() // open continues
		return
	}
	s.settleClose()
}

// settleClose closes the connection or listener of a closed socket. The lock is held.
func (s *sock) settleClose() {
	switch {
	case s.conn == nil && s.ln == nil:
		s.n.over(s)
	case s.writing && !s.abort: // write closes it after all data is sent
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

// discard closes a connection that is not accepted. The lock is held.
func (s *sock) discard(c net.Conn) {
	s.n.start(func() { s.n.callClose(s.field, c) }, func() {})
}
