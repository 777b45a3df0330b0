package hostnet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// patience is how long a test waits for an expected event.
const patience = 30 * time.Second

// await calls try, again after each event of the network, until the result is not EAGAIN.
func await(t *testing.T, n *Net, try func() wasi.Errno) wasi.Errno {
	t.Helper()
	limit := time.After(patience)
	for {
		for _, _, ok := n.Next(); ok; _, _, ok = n.Next() {
		}
		if e := try(); e != wasi.EAGAIN {
			return e
		}
		if n.Crash() != nil {
			return wasi.EAGAIN
		}
		select {
		case <-n.Wake():
		case <-limit:
			t.Fatal("nothing happens")
		}
	}
}

// opened dials or listens, and waits for the outcome.
func opened(t *testing.T, n *Net, open func(*Net, context.Context, uint32, string, string) (int32, wasi.Errno)) (h int32, f *Failure) {
	t.Helper()
	h, e := open(n, t.Context(), 7, "tcp", "example.com:80")
	if e != wasi.Success {
		t.Fatal(e)
	}
	e = await(t, n, func() (e wasi.Errno) {
		_, _, f, e = n.Outcome(h)
		return e
	})
	if e != wasi.Success && n.Crash() == nil {
		t.Fatal(e)
	}
	return h, f
}

// over shuts a network, and waits until all its goroutines have ended.
func over(t *testing.T, n *Net) {
	t.Helper()
	n.Shut()
	select {
	case <-n.Done():
	case <-time.After(patience):
		buf := make([]byte, 1<<20)
		t.Fatalf("goroutines are left:\n%s", buf[:runtime.Stack(buf, true)])
	}
}

// dials makes a network whose Dial returns a connection.
func dials(c net.Conn) *Net {
	return New(func(context.Context, string, string) (net.Conn, error) { return c, nil }, nil)
}

// writeAll and readAll move all bytes, and wait where they have to.

func writeAll(t *testing.T, n *Net, h int32, p []byte) wasi.Errno {
	t.Helper()
	for len(p) > 0 {
		k := 0
		if e := await(t, n, func() (e wasi.Errno) { k, e = n.Write(h, p); return e }); e != wasi.Success {
			return e
		}
		p = p[k:]
	}
	return wasi.Success
}

func readAll(t *testing.T, n *Net, h int32) ([]byte, wasi.Errno) {
	t.Helper()
	var all []byte
	p := make([]byte, 10000)
	for {
		k := 0
		e := await(t, n, func() (e wasi.Errno) { k, e = n.Readable(h); return e })
		if e != wasi.Success || k == 0 {
			return all, e
		}
		if k, e = n.Read(h, p); e != wasi.Success || k == 0 {
			t.Fatalf("%d, %d of what is readable", k, e)
		}
		all = append(all, p[:k]...)
	}
}

// tcpPair returns the two ends of a connection.
func tcpPair(t *testing.T) (a, b net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if b, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return a, b
}

// TestStream: bytes arrive in order in both directions, even with much smaller buffers, and each
// side ends on its own.
func TestStream(t *testing.T) {
	a, b := tcpPair(t)
	n := dials(a)
	defer over(t, n)
	h, f := opened(t, n, (*Net).Dial)
	if f != nil {
		t.Fatal(f)
	}
	if local, remote, _, _ := n.Outcome(h); local != a.LocalAddr().String() || remote != b.LocalAddr().String() {
		t.Errorf("addresses %s, %s", local, remote)
	}
	data := make([]byte, 10*bufferSize+17)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	go func() {
		got, err := io.ReadAll(b)
		if err == nil && bytes.Equal(got, data) {
			b.Write(got)
		}
		b.Close()
	}()
	if e := writeAll(t, n, h, data); e != wasi.Success {
		t.Fatal(e)
	}
	if e := n.Shutdown(h, true); e != wasi.Success {
		t.Fatal(e)
	}
	if _, e := n.Write(h, data); e != wasi.EPIPE {
		t.Errorf("a write behind the end: %d", e)
	}
	if got, e := readAll(t, n, h); e != wasi.Success || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %d", len(got), e)
	}
	if k, e := n.Read(h, make([]byte, 9)); k != 0 || e != wasi.Success {
		t.Errorf("behind the end: %d, %d", k, e)
	}
}

// TestBackpressure: if the other side does not read, writes take only what the buffers hold.
func TestBackpressure(t *testing.T) {
	a, b := net.Pipe() // has no buffer of its own
	defer b.Close()
	n := dials(a)
	defer over(t, n)
	h, _ := opened(t, n, (*Net).Dial)
	total := 0
	for {
		k, e := n.Write(h, make([]byte, 5000))
		if total += k; e == wasi.EAGAIN {
			break
		}
	}
	if total != bufferSize {
		t.Errorf("%d bytes", total)
	}
	go b.Write(make([]byte, 4*bufferSize))
	for k := 0; k < bufferSize; k, _ = n.Readable(h) {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(10 * time.Millisecond)
	if k, _ := n.Readable(h); k != bufferSize {
		t.Errorf("%d bytes have come in", k)
	}
	if e := n.Shutdown(h, true); e != wasi.ENOTSUP {
		t.Errorf("a pipe's half: %d", e)
	}
}

// TestCloseSends: data written before a close is sent, and Finish waits for it. Nothing waits for
// data of an aborted connection.
func TestCloseSends(t *testing.T) {
	for _, end := range []string{"close", "finish"} {
		a, b := net.Pipe()
		n := dials(a)
		h, _ := opened(t, n, (*Net).Dial)
		if k, e := n.Write(h, make([]byte, 3000)); k != 3000 || e != wasi.Success {
			t.Fatal(k, e)
		}
		if end == "close" {
			n.Close(h, false)
		}
		quiet := n.Finish()
		select {
		case <-quiet:
			t.Errorf("%s: all is sent before anybody reads", end)
		default:
		}
		if got, err := io.ReadAll(b); len(got) != 3000 || err != nil {
			t.Errorf("%s: %d bytes, %v", end, len(got), err)
		}
		<-quiet
		if f := n.Freed(); f != 1 {
			t.Errorf("%s: %d sockets are over", end, f)
		}
		over(t, n)
	}
	a, b := net.Pipe()
	n := dials(a)
	h, _ := opened(t, n, (*Net).Dial)
	n.Write(h, make([]byte, 3000))
	n.Close(h, true)
	over(t, n)
	if got, _ := io.ReadAll(b); len(got) != 0 {
		t.Errorf("%d bytes of an abort", len(got))
	}
}

// A conn does what its functions do. The methods of nil functions wait until it is closed.
type conn struct {
	net.Conn // nil
	read     func(p []byte) (int, error)
	write    func(p []byte) (int, error)
	close    func() error
	closed   chan struct{}
}

func newConn() *conn { return &conn{closed: make(chan struct{})} }

func (c *conn) Read(p []byte) (int, error) {
	if c.read == nil {
		<-c.closed
		return 0, net.ErrClosed
	}
	return c.read(p)
}

func (c *conn) Write(p []byte) (int, error) {
	if c.write == nil {
		<-c.closed
		return 0, net.ErrClosed
	}
	return c.write(p)
}

func (c *conn) Close() error {
	close(c.closed)
	if c.close == nil {
		return nil
	}
	return c.close()
}

func (c *conn) LocalAddr() net.Addr  { return nil }
func (c *conn) RemoteAddr() net.Addr { return nil }

// TestMisbehaviour: whatever the methods of a connection return, the guest sees an error number. A
// panic is a crash.
func TestMisbehaviour(t *testing.T) {
	boom := errors.New("boom")
	for name, do := range map[string]struct {
		f     func(p []byte) (int, error)
		read  wasi.Errno
		write wasi.Errno
		crash bool
	}{
		"negative": {func(p []byte) (int, error) { return -1, nil }, wasi.EIO, wasi.EIO, false},
		"too much": {func(p []byte) (int, error) { return len(p) + 1, nil }, wasi.EIO, wasi.EIO, false},
		"huge":     {func(p []byte) (int, error) { return 1 << 62, nil }, wasi.EIO, wasi.EIO, false},
		"nothing":  {func(p []byte) (int, error) { return 0, nil }, wasi.EIO, wasi.EIO, false},
		"error":    {func(p []byte) (int, error) { return 0, errors.New("x") }, wasi.EIO, wasi.EIO, false},
		"reset": {func(p []byte) (int, error) {
			return 0, &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
		}, wasi.ECONNRESET, wasi.ECONNRESET, false},
		"again":         {func(p []byte) (int, error) { return 0, syscall.EAGAIN }, wasi.ETIMEDOUT, wasi.ETIMEDOUT, false},
		"closed":        {func(p []byte) (int, error) { return 0, net.ErrClosed }, wasi.ECONNRESET, wasi.EPIPE, false},
		"deadline":      {func(p []byte) (int, error) { return 0, os.ErrDeadlineExceeded }, wasi.ETIMEDOUT, wasi.ETIMEDOUT, false},
		"goexit":        {func(p []byte) (int, error) { runtime.Goexit(); return 0, nil }, wasi.EIO, wasi.EIO, false},
		"panic":         {func(p []byte) (int, error) { panic(boom) }, wasi.EIO, wasi.EIO, true},
		"keeps and end": {func(p []byte) (int, error) { clear(p[:cap(p)]); return 0, io.EOF }, wasi.Success, wasi.EIO, false},
	} {
		for _, side := range []string{"Read", "Write"} {
			c := newConn()
			var e, want wasi.Errno
			if side == "Read" {
				c.read, want = do.f, do.read
			} else {
				c.write, want = do.f, do.write
			}
			n := dials(c)
			h, _ := opened(t, n, (*Net).Dial)
			if side == "Read" {
				_, e = readAll(t, n, h)
			} else {
				e = writeAll(t, n, h, make([]byte, 3*bufferSize))
			}
			if crash := n.Crash(); do.crash {
				if crash == nil || crash.Field != "Dial" || crash.Err.Method != side || !errors.Is(crash.Err, boom) || len(crash.Err.Stack) == 0 {
					t.Errorf("%s of %s: crash %v", name, side, crash)
				}
			} else if crash != nil || e != want {
				t.Errorf("%s of %s: %d, want %d; crash %v", name, side, e, want, crash)
			}
			over(t, n)
		}
	}
}

// TestFailures: the guest gets Dial's errors in its own terms.
func TestFailures(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range []struct {
		err  error
		want Failure
	}{
		{&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, Failure{Kind: ByErrno, Errno: wasi.ECONNREFUSED}},
		{&net.DNSError{Name: "secret.internal", Err: "no such host", IsNotFound: true}, Failure{Kind: NoHost}},
		{context.DeadlineExceeded, Failure{Kind: Timeout}},
		{&net.DNSError{IsTimeout: true}, Failure{Kind: Timeout}},
		{fs.ErrPermission, Failure{Kind: ByErrno, Errno: wasi.EACCES}},
		{fmt.Errorf("only api.example.com may be\ndialled\xff"), Failure{Kind: ByText, Text: "only api.example.com may be dialled"}},
		{errors.New(long), Failure{Kind: ByText, Text: long[:maxText]}},
		{nil, Failure{Kind: ByErrno, Errno: wasi.EIO}}, // without a connection
	} {
		n := New(func(context.Context, string, string) (net.Conn, error) { return nil, c.err },
			func(context.Context, string, string) (net.Listener, error) { return nil, c.err })
		for _, open := range []func(*Net, context.Context, uint32, string, string) (int32, wasi.Errno){(*Net).Dial, (*Net).Listen} {
			h, f := opened(t, n, open)
			if f == nil || *f != c.want {
				t.Errorf("%v: %+v", c.err, f)
			}
			if _, e := n.Read(h, make([]byte, 1)); e != wasi.ENOTCONN {
				t.Errorf("%v: read %d", c.err, e)
			}
		}
		over(t, n)
	}
}

// TestPanicsOfDial: a panic of Dial or Listen is a crash, and a Goexit is a failure.
func TestPanicsOfDial(t *testing.T) {
	n := New(func(context.Context, string, string) (net.Conn, error) { panic("dial") },
		func(context.Context, string, string) (net.Listener, error) { runtime.Goexit(); return nil, nil })
	if _, f := opened(t, n, (*Net).Listen); f == nil || f.Errno != wasi.EIO {
		t.Errorf("%+v", f)
	}
	opened(t, n, (*Net).Dial)
	for n.Crash() == nil {
		<-n.Wake()
	}
	if c := n.Crash(); c.Field != "Dial" || c.Err.Value != "dial" {
		t.Errorf("%+v", c)
	}
	over(t, n)
}

// TestHangs: a Dial that hangs ends with its socket. A Dial that ignores its context keeps its
// place, and its connection is closed when it returns.
func TestHangs(t *testing.T) {
	begun := make(chan struct{}, 2)
	n := New(func(ctx context.Context, _, _ string) (net.Conn, error) {
		begun <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}, nil)
	h, _ := n.Dial(t.Context(), 1, "tcp", "x:1")
	<-begun
	n.Close(h, false)
	<-n.Finish()
	over(t, n)

	late, release := newConn(), make(chan struct{})
	n = New(func(ctx context.Context, _, _ string) (net.Conn, error) {
		begun <- struct{}{}
		<-release
		return late, nil
	}, nil)
	n.Dial(t.Context(), 1, "tcp", "x:1")
	<-begun
	n.Shut()
	select {
	case <-n.Done():
		t.Error("done while Dial runs")
	default:
	}
	close(release)
	over(t, n)
	select {
	case <-late.closed:
	default:
		t.Error("what a late Dial returned was not closed")
	}
}

// A listener accepts the contents of its channel.
type listener struct {
	accept func() (net.Conn, error)
	closed chan struct{}
}

func (l *listener) Accept() (net.Conn, error) { return l.accept() }
func (l *listener) Addr() net.Addr            { return &net.TCPAddr{IP: net.IPv4zero, Port: 99} }
func (l *listener) Close() error              { close(l.closed); return nil }

// TestListener: connections wait to be accepted, errors are reported one by one, and connections
// that were not accepted are closed.
func TestListener(t *testing.T) {
	conns := make(chan *conn)
	l := &listener{closed: make(chan struct{})}
	l.accept = func() (net.Conn, error) {
		select {
		case c := <-conns:
			if c == nil {
				return nil, syscall.EMFILE
			}
			return c, nil
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}
	n := New(nil, func(context.Context, string, string) (net.Listener, error) { return l, nil })
	h, f := opened(t, n, (*Net).Listen)
	if local, _, _, _ := n.Outcome(h); f != nil || local != "0.0.0.0:99" {
		t.Fatal(f, local)
	}
	accept := func() (c int32, e wasi.Errno) {
		e = await(t, n, func() (e wasi.Errno) {
			if _, e = n.Readable(h); e == wasi.Success {
				c, e = n.Accept(h, 9)
			}
			return e
		})
		return c, e
	}
	if _, e := n.Accept(h, 9); e != wasi.EAGAIN {
		t.Error(e)
	}
	first, other := newConn(), newConn()
	conns <- first
	c, e := accept()
	if e != wasi.Success || c == h {
		t.Fatal(c, e)
	}
	conns <- nil
	if _, e := accept(); e != wasi.EMFILE {
		t.Error(e)
	}
	conns <- other
	if e := await(t, n, func() (e wasi.Errno) { _, e = n.Readable(h); return e }); e != wasi.Success {
		t.Error(e)
	}
	n.Close(h, false)
	<-other.closed
	if _, e := n.Readable(c); e != wasi.EAGAIN {
		t.Errorf("the connection that was accepted: %d", e)
	}
	over(t, n)
	<-first.closed
}

// TestHandles: invalid numbers, too many sockets, names that are too long.
func TestHandles(t *testing.T) {
	n := New(func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }, nil)
	defer over(t, n)
	for _, h := range []int32{0, -1, 1, 1 << 30, -1 << 31} {
		_, e1 := n.Read(h, make([]byte, 1))
		_, e2 := n.Write(h, make([]byte, 1))
		_, e3 := n.Accept(h, 0)
		_, e4 := n.Readable(h)
		_, _, _, e5 := n.Outcome(h)
		if e6, e7 := n.Shutdown(h, true), n.Close(h, true); e1 != wasi.EBADF || e2 != e1 || e3 != e1 || e4 != e1 || e5 != e1 || e6 != e1 || e7 != e1 {
			t.Error(h, e1, e2, e3, e4, e5, e6, e7)
		}
	}
	if _, e := n.Dial(t.Context(), 0, "tcp", strings.Repeat("x", MaxName+1)); e != wasi.EINVAL {
		t.Error(e)
	}
	if _, e := n.Listen(t.Context(), 0, "tcp", ":1"); e != wasi.ENETUNREACH {
		t.Error(e)
	}
	for i := range MaxSockets {
		if h, e := n.Dial(t.Context(), 0, "tcp", "x:1"); e != wasi.Success || h != int32(i+1) {
			t.Fatal(i, h, e)
		}
	}
	if _, e := n.Dial(t.Context(), 0, "tcp", "x:1"); e != wasi.EMFILE {
		t.Error(e)
	}
	n.Close(5, false)
	e := await(t, n, func() wasi.Errno {
		if n.Freed() == 0 {
			time.Sleep(time.Millisecond)
			n.rouse()
			return wasi.EAGAIN
		}
		return wasi.Success
	})
	if h, e2 := n.Dial(t.Context(), 0, "tcp", "x:1"); e != wasi.Success || e2 != wasi.Success || h != 5 {
		t.Error(h, e, e2)
	}
}
