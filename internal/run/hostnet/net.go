package hostnet

import (
	"context"
	"net"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/gyrvm/gyr/api"
)

const (
	// MaxSockets is how many sockets a guest may have. Closed sockets that still send data count,
	// too.
	MaxSockets = 1024
	// SocketCost is what a socket counts against the guest's memory limit: two buffers and their
	// surroundings.
	SocketCost = 2*bufferSize + 16<<10

	// MaxName is the longest address that a guest may name, in bytes.
	MaxName = 512

	bufferSize = 32 << 10
	backlog    = 16  // connections of a listener that the guest has not accepted
	maxText    = 256 // bytes of an error's text, and of an address from the host
)

// A DialFunc connects to an address, as the method DialContext of a net.Dialer does.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// A ListenFunc listens at an address, as the method Listen of a net.ListenConfig does.
type ListenFunc func(ctx context.Context, network, address string) (net.Listener, error)

// A Net is the network of one instance. The goroutine that runs the guest calls its methods. When
// no guest runs, so does the goroutine that ends the instance.
type Net struct {
	dial   DialFunc
	listen ListenFunc

	ctx    context.Context // parent of all contexts for Dial and Listen
	cancel context.CancelFunc

	wake chan struct{} // holds one value when there may be an event or a crash

	mu      sync.Mutex
	socks   []*sock        // by handle - 1; nil: free
	all     map[*sock]bool // all live sockets, those that the guest has closed included
	freed   int            // sockets that ended since the last call of Freed
	ready   []event
	crash   *Crash
	shut    bool
	working int           // goroutines
	quiet   chan struct{} // closed when no socket is open, see Finish; nil: nothing waits
	done    chan struct{} // closed when the network is shut and all its goroutines have ended
}

// A Crash is a panic of the host's code.
type Crash struct {
	Field string // of the Config, whose code panicked
	Err   *api.HostPanicError
}

// New makes a network. A nil function grants nothing of its kind. If both are nil the Net is nil,
// and only [Net.Granted] may be called.
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

// An event says that an operation on a socket may succeed now.
type event struct {
	s    *sock
	mode int
}

// Modes of events: the operation to try.
const (
	Readable = iota // to read, or to accept
	Writable        // to write, or to ask for the outcome of Dial and Listen
)

// Next returns the token of a socket and the operation to try there. It returns false if there is
// no event.
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

// HasNews reports whether Next would return an event.
func (n *Net) HasNews() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.ready, func(e event) bool { return !e.s.closed })
}

// Wake returns a channel that has a value when the result of Next or Crash may have changed since
// the last value was taken.
func (n *Net) Wake() <-chan struct{} { return n.wake }

// Crash returns the first panic of the host's code, or nil.
func (n *Net) Crash() *Crash {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.crash
}

// Freed returns how many sockets have ended since the last call. The guest's memory limit gets
// their cost back.
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

// start runs a function on a goroutine of its own. The lock is held. If the function panics, or
// code of the host calls runtime.Goexit, lost is called.
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

// unlocked calls code of the host without the lock, and takes the lock again in every case.
func (n *Net) unlocked(call func()) {
	n.mu.Unlock()
	defer n.mu.Lock()
	call()
}

// finished closes done if the network is shut and no goroutine works. The lock is held.
func (n *Net) finished() {
	if n.shut && n.working == 0 {
		close(n.done)
		n.working = -1 // once
	}
}

// caught is deferred around calls of the host's code. It makes a panic the Net's crash, and the
// error errCrashed.
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

// over removes a socket that has ended. The lock is held.
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

// Finish closes all sockets as at a program's end: written data is still sent. The channel is
// closed when that is done.
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

// Done returns a channel that is closed when the network is shut and no code of the host runs any
// more.
func (n *Net) Done() <-chan struct{} { return n.done }
