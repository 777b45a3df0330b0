package hostnet

import (
	"context"
	"net"
	"runtime/debug"
	"sync"

	"github.com/gyrvm/gyr/api"
)

const (
	// MaxSockets is how many sockets a guest may have, those included that still send what it wrote before it closed them.
	MaxSockets = 1024
	// SocketCost is what a socket counts of the guest's memory limit: two buffers and what is needed around them.
	SocketCost = 2*bufferSize + 16<<10

	// MaxName is how long an address may be that a guest names, in bytes.
	MaxName = 512

	bufferSize = 32 << 10
	backlog    = 16  // connections of a listener that the guest has not accepted
	maxText    = 256 // bytes of an error's text, and of an address that the host tells
)

// A DialFunc connects to an address, as the method DialContext of a net.Dialer does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// A ListenFunc listens at an address, as the method Listen of a net.ListenConfig does.
type ListenFunc func(ctx context.Context, network, address string) (net.Listener, error)

// A Net is the network of one instance. Its methods are called by the goroutine that runs the guest, and
// by whoever ends the instance when no guest runs.
type Net struct {
	dial   DialFunc
	listen ListenFunc

	ctx    context.Context // of all that Dial and Listen do
	cancel context.CancelFunc

	wake chan struct{} // holds one value when there may be an event or a crash

	mu      sync.Mutex
	socks   []*sock        // by handle - 1; nil: free
	all     map[*sock]bool // those too that the guest has closed and that are not over
	freed   int            // sockets that are over and that Freed has not told of
	ready   []event
	crash   *Crash
	shut    bool
	working int           // goroutines
	quiet   chan struct{} // closed when no socket is open, see Quiet; nil: nobody waits
	done    chan struct{} // closed when shut and no goroutine is left
}

// A Crash is a panic of the host's code.
type Crash struct {
	Field string // of the Config, whose code it was
	Err   *api.HostPanicError
}

// New makes a network. A nil function grants nothing of its kind; without both the Net is nil, and
// [Net.Granted] its only method that may be called.
func New(dial DialFunc, listen ListenFunc) *Net {
	if dial == nil && listen == nil {
		return nil
	}
	n := &Net{dial: dial, listen: listen, wake: make(chan struct{}, 1), done: make(chan struct{}),
		all: map[*sock]bool{}}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	return n
}

// Granted reports what the guest may do.
func (n *Net) Granted() (dial, listen bool) {
	return n != nil && n.dial != nil, n != nil && n.listen != nil
}

// An event says that a socket is worth a try.
type event struct {
	s    *sock
	mode int
}

// Modes of events: what is worth a try.
const (
	Readable = iota // to read, or to accept
	Writable        // to write, or to ask for the outcome of Dial and Listen
)

// Next returns the token of a socket and what is worth a try there. It reports false when there is nothing.
func (n *Net) Next() (token uint32, mode int, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for len(n.ready) > 0 {
		e := n.ready[0]
		n.ready[0] = event{}
		n.ready = n.ready[1:]
		e.s.queued[e.mode] = false
		if !e.s.closed {
			return e.s.token, e.mode, true
		}
	}
	n.ready = nil
	return 0, 0, false
}

// Wake returns a channel that has a value when Next or Crash may have changed since the last value was taken.
func (n *Net) Wake() <-chan struct{} { return n.wake }

// Crash returns the first panic of the host's code, nil if there was none.
func (n *Net) Crash() *Crash {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.crash
}

// Freed returns how many sockets are over since the last call: what they count of the guest's memory can be given back.
func (n *Net) Freed() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	f := n.freed
	n.freed = 0
	return f
}

// post makes an event. The lock is held.
func (n *Net) post(s *sock, mode int) {
	if s.closed || s.queued[mode] {
		return
	}
	s.queued[mode] = true
	n.ready = append(n.ready, event{s, mode})
	n.rouse()
}

func (n *Net) rouse() {
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// start runs a function on a goroutine of its own. The lock is held. lost is called if the function does not return: it panicked, or
// the code of the host called runtime.Goexit.
func (n *Net) start(run, lost func()) {
	n.working++
	go func() {
		returned := false
		defer func() {
			if !returned {
				lost()
			}
			n.mu.Lock()
			defer n.mu.Unlock()
			n.working--
			n.finished()
		}()
		run()
		returned = true
	}()
}

// unlocked calls code of the host without the lock, which is held again however that ends.
func (n *Net) unlocked(call func()) {
	n.mu.Unlock()
	defer n.mu.Lock()
	call()
}

// finished closes done when it is time. The lock is held.
func (n *Net) finished() {
	if n.shut && n.working == 0 {
		close(n.done)
		n.working = -1 // once
	}
}

// caught is deferred around calls of the host's code. A panic becomes the Net's crash, and errCrashed.
func (n *Net) caught(field, method string, err *error) {
	if r := recover(); r != nil {
		*err = errCrashed
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.crash == nil && !n.shut {
			n.crash = &Crash{field, &api.HostPanicError{Method: method, Value: r, Stack: debug.Stack()}}
			n.rouse()
		}
	}
}

// over notes that nothing is left of a socket. The lock is held.
func (n *Net) over(s *sock) {
	delete(n.all, s)
	n.freed++
	if s.cancel != nil {
		s.cancel()
	}
	if len(n.all) == 0 && n.quiet != nil {
		close(n.quiet)
		n.quiet = nil
	}
}

// Finish closes all sockets as a program's end does: what was written is still sent. The channel is closed when that is done.
func (n *Net) Finish() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	for s := range n.all {
		s.close(false)
	}
	n.socks = nil
	quiet := make(chan struct{})
	if len(n.all) == 0 {
		close(quiet)
	} else {
		n.quiet = quiet
	}
	return quiet
}

// Shut closes everything at once. No event comes afterwards.
func (n *Net) Shut() {
	n.cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.shut {
		return
	}
	n.shut = true
	for s := range n.all {
		s.close(true)
	}
	n.socks, n.ready = nil, nil
	n.finished()
}

// Idle reports whether there is no socket, and no goroutine of one.
func (n *Net) Idle() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.all) == 0 && n.working <= 0
}

// Done returns a channel that is closed when the network was shut and no code of the host runs any more.
func (n *Net) Done() <-chan struct{} { return n.done }
