package hostnet

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Calls of the host's code. Each has a function that catches its panics.

var (
	errCrashed  = errors.New("the code of the host did not return") // it panicked, or called runtime.Goexit
	errNonsense = errors.New("the code of the host returned what cannot be")
)

func (n *Net) callDial(ctx context.Context, network, address string) (c net.Conn, err error) {
	defer n.caught("Dial", "Dial", &err)
	return n.dial(ctx, network, address)
}

func (n *Net) callListen(ctx context.Context, network, address string) (l net.Listener, err error) {
	defer n.caught("Listen", "Listen", &err)
	return n.listen(ctx, network, address)
}

func (n *Net) callRead(field string, c io.Reader, p []byte) (k int, err error) {
	defer n.caught(field, "Read", &err)
	return c.Read(p)
}

func (n *Net) callWrite(field string, c io.Writer, p []byte) (k int, err error) {
	defer n.caught(field, "Write", &err)
	return c.Write(p)
}

func (n *Net) callAccept(field string, l net.Listener) (c net.Conn, err error) {
	defer n.caught(field, "Accept", &err)
	return l.Accept()
}

func (n *Net) callClose(field string, c io.Closer) (err error) {
	defer n.caught(field, "Close", &err)
	return c.Close()
}

func (n *Net) callCloseWrite(field string, c net.Conn) (err error) {
	defer n.caught(field, "CloseWrite", &err)
	return c.(interface{ CloseWrite() error }).CloseWrite()
}

func (n *Net) callSetLinger(field string, c interface{ SetLinger(sec int) error }) (err error) {
	defer n.caught(field, "SetLinger", &err)
	return c.SetLinger(0)
}

// describe asks a connection for its addresses.
func (n *Net) describe(field string, c net.Conn) accepted {
	return accepted{c, n.addrOf(field, "LocalAddr", c.LocalAddr), n.addrOf(field, "RemoteAddr", c.RemoteAddr)}
}

// addrOf calls a method that returns an address, and returns the address as text. Without an
// address the text is empty.
func (n *Net) addrOf(field, method string, addr func() net.Addr) (text string) {
	var err error
	defer n.caught(field, method, &err)
	if a := addr(); a != nil {
		text = clip(a.String())
	}
	return text
}

// clip makes a text of the host fit for a guest: valid UTF-8, on one line, and of at most maxText
// bytes.
func clip(s string) string {
	s = strings.ToValidUTF8(s[:min(len(s), maxText)], "")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// A Failure is the guest's view of why Dial or Listen failed.
type Failure struct {
	Kind  FailureKind
	Errno wasi.Errno // of ByErrno
	Text  string     // of ByText
}

// A FailureKind is the form in which a guest learns of a failure.
type FailureKind byte

const (
	ByErrno FailureKind = 'e' // an error number
	NoHost  FailureKind = 'n' // the host name does not exist
	Timeout FailureKind = 't'
	ByText  FailureKind = 'x' // the host's own words
)

// failureOf returns the guest's view of an error of Dial or Listen. If the error has a number, the
// guest gets only that: the texts around it may be private to the host.
func failureOf(err error) *Failure {
	if e, ok := wasi.ErrnoOf(err); ok {
		return &Failure{Kind: ByErrno, Errno: e}
	}
	if dns := (*net.DNSError)(nil); errors.As(err, &dns) && dns.IsNotFound {
		return &Failure{Kind: NoHost}
	}
	if timedOut(err) {
		return &Failure{Kind: Timeout}
	}
	if errors.Is(err, fs.ErrPermission) {
		return &Failure{Kind: ByErrno, Errno: wasi.EACCES}
	}
	if err == errCrashed || err == errNonsense {
		return &Failure{Kind: ByErrno, Errno: wasi.EIO}
	}
	return &Failure{Kind: ByText, Text: clip(err.Error())}
}

func timedOut(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// errnoOf returns the guest's number of an error of a connection or listener. closed is the number
// for one that the host has closed.
func errnoOf(err error, closed wasi.Errno) wasi.Errno {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		return closed
	}
	if e, ok := wasi.ErrnoOf(err); ok && e != wasi.EAGAIN {
		return e
	}
	if timedOut(err) {
		return wasi.ETIMEDOUT
	}
	return wasi.EIO
}
