package gyrhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrhttp"
)

// A lender is the server's side of a request and its answer. It counts uses until they return.
type lender struct {
	http.ResponseWriter
	t     *testing.T
	uses  atomic.Int32
	over  atomic.Bool                        // the handler has returned
	read  func(*lender, []byte) (int, error) // reads the body
	spoil chan struct{}                      // gets a value when a deadline is set
}

func (l *lender) use(what string) func() {
	if l.uses.Add(1); l.over.Load() {
		l.t.Errorf("%s behind the handler's end", what)
	}
	return func() {
		if l.over.Load() {
			l.t.Errorf("%s goes on behind the handler's end", what)
		}
		l.uses.Add(-1)
	}
}

func (l *lender) Read(p []byte) (int, error) {
	defer l.use("Read")()
	return l.read(l, p)
}
func (l *lender) Close() error { return nil }

func (l *lender) Write(p []byte) (int, error) {
	defer l.use("Write")()
	return l.ResponseWriter.Write(p)
}

func (l *lender) SetReadDeadline(time.Time) error {
	defer l.use("SetReadDeadline")()
	select {
	case l.spoil <- struct{}{}:
	default:
	}
	time.Sleep(50 * time.Millisecond)
	return nil
}

func (l *lender) SetWriteDeadline(t time.Time) error { return l.SetReadDeadline(t) }

// TestNothingBehindTheEnd: when the handler returns, nothing that waits for the client uses the
// server's side any more. The wait may be the host's for a small body or the guest's. The guest's
// call may run on the handler's goroutine or, with outputs that may block, on an abandoned one.
func TestNothingBehindTheEnd(t *testing.T) {
	p, err := streaming()
	if err != nil {
		t.Fatal(err)
	}
	out, w := io.Pipe()
	go io.Copy(io.Discard, out)
	defer w.Close()
	for name, cfg := range map[string]gyr.Config{"in place": {}, "attended": {Stdout: w, Stderr: w}} {
		for _, length := range []int64{10, 1 << 20} {
			warm := gyrhttp.NewWarm(p, cfg)
			h := gyrhttp.Handler(gyrhttp.Config{Instances: warm, RequestBody: 1 << 30})
			ask := func(path string, ctx context.Context, read func(*lender, []byte) (int, error)) (status int) {
				l := &lender{ResponseWriter: httptest.NewRecorder(), t: t, read: read, spoil: make(chan struct{}, 1)}
				r := httptest.NewRequestWithContext(ctx, "POST", path, l)
				r.ContentLength = length
				func() {
					defer func() { recover() }() // http.ErrAbortHandler
					h.ServeHTTP(l, r)
				}()
				if n := l.uses.Load(); n != 0 {
					t.Errorf("%s, %d bytes: %d uses go on when the handler has returned", name, length, n)
				}
				l.over.Store(true)
				time.Sleep(100 * time.Millisecond) // for late uses
				return l.ResponseWriter.(*httptest.ResponseRecorder).Code
			}
			// A guest that prints a lot has its next call attended.
			if status := ask("/prints", t.Context(), func(*lender, []byte) (int, error) { return 0, io.EOF }); status != 200 {
				t.Errorf("%s: %d", name, status)
			}
			for what, read := range map[string]func(cancel func()) func(*lender, []byte) (int, error){
				"ends as the context does": func(cancel func()) func(*lender, []byte) (int, error) {
					return func(l *lender, _ []byte) (int, error) { cancel(); return 0, io.EOF }
				},
				"is slow to end": func(cancel func()) func(*lender, []byte) (int, error) {
					return func(l *lender, _ []byte) (int, error) {
						cancel()
						<-l.spoil
						time.Sleep(50 * time.Millisecond)
						return 0, errors.New("deadline")
					}
				},
			} {
				ctx, cancel := context.WithCancel(t.Context())
				want := http.StatusServiceUnavailable
				if length == 10 {
					want = http.StatusRequestTimeout
				}
				if status := ask("/prints", ctx, read(cancel)); status != want {
					t.Errorf("%s, %d bytes, a body that %s: %d, want %d", name, length, what, status, want)
				}
			}
			if err := warm.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestUnbegun: an instance that is given back before it has begun does not begin then, because no
// limit of a request would apply.
func TestUnbegun(t *testing.T) {
	src, err := gyrhttp.Source(fstest.MapFS{"app.go": {Data: []byte("package app\n\nimport \"net/http\"\n\nfunc Handler() http.Handler {\n\tfor {\n\t}\n}\n")}}, ".")
	if err != nil {
		t.Fatal(err)
	}
	p, err := gyr.Compile(t.Context(), src, &gyr.CompileOptions{Host: []gyr.HostPackage{gyrhttp.Host()}})
	if err != nil {
		t.Fatal(err)
	}
	warm := gyrhttp.NewWarm(p, gyr.Config{})
	in, err := warm.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put := make(chan error, 1)
	go func() { put <- warm.Put(in) }()
	select {
	case err := <-put:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		in.Close()
		t.Fatal("Put runs the guest")
	}
	w := httptest.NewRecorder()
	gyrhttp.Handler(gyrhttp.Config{Instances: warm, Timeout: 50 * time.Millisecond}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != http.StatusServiceUnavailable {
		t.Error(w.Code)
	}
	if err := warm.Close(); err != nil {
		t.Error(err)
	}
}

// A pipes is a listener whose connections have no buffers: a writer waits until the other side has
// read.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }
func (p *pipes) dial() net.Conn {
	client, server := net.Pipe()
	p.conns <- server
	return client
}

// TestStubbornClients: a client that reads nothing, or withholds a part of the body, gets the
// request's time and no more. Then the instance serves others. The server has no timeouts of its
// own.
func TestStubbornClients(t *testing.T) {
	frame := func(kind, flags byte, stream uint32, payload string) string {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
		return string(binary.BigEndian.AppendUint32(append(b, flags), stream)) + payload
	}
	h2 := func(path string) string { // with windows that hold everything
		return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "\x00\x04\x7f\xff\xff\xff") + frame(8, 0, 0, "\x7f\x00\x00\x00") +
			frame(1, 5, 1, "\x82\x86\x04"+string(rune(len(path)))+path+"\x01\x01x")
	}
	for _, c := range []struct {
		name, text string
	}{
		{"HTTP/2, takes nothing", h2("/endless")},
		{"takes nothing", "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n"},
		{"owes a part of the body", "POST /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"},
		{"does not hear that its body is welcome", "POST /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"does not hear that its small body is welcome", "POST /upload HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t, gyrhttp.Config{Timeout: 300 * time.Millisecond, ResponseBody: 1 << 40}, gyr.Config{})
			l := &pipes{make(chan net.Conn), make(chan struct{})}
			srv := &http.Server{Handler: s.Config.Handler, Protocols: new(http.Protocols)}
			srv.Protocols.SetHTTP1(true)
			srv.Protocols.SetUnencryptedHTTP2(true)
			served := make(chan error)
			go func() { served <- srv.Serve(l) }()
			client := l.dial()
			defer func() {
				client.Close()
				srv.Close()
				<-served
			}()
			go client.Write([]byte(c.text))
			if strings.HasPrefix(c.text, "PRI") { // it reads the settings and the beginning of the answer
				var b bytes.Buffer
				io.CopyN(&b, bufio.NewReader(client), 100)
			}
			if err := s.told(); !errors.As(err, new(*gyr.DeadlineError)) {
				t.Errorf("the host was told %v", err)
			}
			if status, text := s.do("GET", "/nowhere", nil); status != 404 {
				t.Errorf("then: %d %q", status, text)
			}
		})
	}
}

// A lingering is a body whose end arrives late.
type lingering struct {
	io.ReadCloser
	time.Duration
}

func (l *lingering) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if err != nil {
		time.Sleep(l.Duration)
	}
	return n, err
}

// TestSpoiledConnection: a connection whose reading was ended carries no other request, even if the
// body was complete.
func TestSpoiledConnection(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: 100 * time.Millisecond}, gyr.Config{})
	h := s.Config.Handler
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = &lingering{r.Body, 300 * time.Millisecond}
		h.ServeHTTP(w, r)
	}))
	defer srv.Close()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	answers := bufio.NewReader(c)
	io.WriteString(c, "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
	res, err := http.ReadResponse(answers, nil)
	if err != nil || res.StatusCode != http.StatusRequestTimeout {
		t.Fatal(res, err)
	}
	if !res.Close {
		t.Error("the connection is kept")
	}
}
