package gyrhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr"
)

// hostPath is the import path of the package that the shim calls.
const hostPath = "github.com/gyrvm/gyr/gyrhttp/stream"

// hostSource is the declaration of that package.
const hostSource = `// Package stream is the connection with the client, for the file that package gyrhttp adds to a guest. Its functions are
// about the request that the guest answers.
package stream

// ErrTooLarge says that the request's body is larger than the host takes.
var ErrTooLarge error

// A Header is a line of headers.
type Header struct {
	Key    string
	Values []string
}

// Read returns at most n bytes of the request's body, and none at its end.
func Read(n int) ([]byte, error)

// Head sends status and headers.
func Head(status int, h []Header) error

// Write sends a part of the answer's body. Head comes before it.
func Write(p []byte) error

// Flush has what was sent leave for the client.
func Flush() error
`

var (
	errTooLarge  = errors.New("request body too large")
	errTooLong   = errors.New("the answer's body is longer than the host takes")
	errNoRequest = errors.New("there is no request")
	errOrder     = errors.New("status and headers come first, and once")
)

// Host returns the host package that the shim calls. The options that compile a guest must have it
// in [gyr.CompileOptions].Host.
func Host() gyr.HostPackage {
	type piece struct{ P []byte }
	return gyr.HostPackage{
		Path: hostPath, Source: hostSource,
		Errors: map[string]error{"ErrTooLarge": errTooLarge},
		Funcs: map[string]any{
			"Read": gyr.Fast(func(ctx context.Context, a *struct{ N int }, r *piece) error {
				return with(ctx, func(s *stream) (err error) {
					r.P, err = s.read(ctx, a.N)
					return err
				})
			}),
			"Head": func(ctx context.Context, status int, h []header) error {
				return with(ctx, func(s *stream) error { return s.head(status, h) })
			},
			"Write": gyr.HostFunc{Borrows: true, Func: gyr.Fast(func(ctx context.Context, a *piece, _ *struct{}) error {
				return with(ctx, func(s *stream) error { return s.write(ctx, a.P) })
			})},
			"Flush": func(ctx context.Context) error {
				return with(ctx, func(s *stream) error { return s.flush(ctx) })
			},
		},
	}
}

// streamKey is the key of the stream in the context of a call.
type streamKey struct{}

// with calls do with the stream of the request that the guest's call answers. It fails once the
// call is over.
func with(ctx context.Context, do func(s *stream) error) error {
	s, _ := ctx.Value(streamKey{}).(*stream)
	if s == nil {
		return errNoRequest
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errNoRequest
	}
	return do(s)
}

// A stream is a request and its answer. The guest owns it from the beginning of its call until
// leave, then the handler does. Nothing of a stream touches the server's side of either after the
// handler has returned: leave waits for the guest, and join for abandoned waits.
type stream struct {
	w       http.ResponseWriter
	ctl     *http.ResponseController
	body    io.Reader // returns no more than is allowed
	major   int       // version of HTTP
	expects bool      // reading the body may first write that it is welcome (100 Continue)

	mu   sync.Mutex // held by a function of the guest, from its beginning to its end
	over bool       // the guest's call is over

	headLeft, bodyLeft int64 // bytes that the answer may still have

	started bool          // status and headers are sent
	failed  error         // the first error of the answer
	gone    error         // why nothing can be written: the client has gone
	ended   error         // why the request ended while it waited for the client
	left    chan struct{} // closed when the wait that ended then no longer uses the connection; nil: no wait ended so
	piece   []byte        // a copy of the bytes being written
}

// wait calls do, which waits for the client. It returns an error if ctx ends first; later calls of
// wait then fail too.
//
// In an HTTP/1 server a deadline of the connection ends any wait, so wait calls do itself. In an
// HTTP/2 server nothing ends a Write to a connection that takes no bytes, so do runs on a goroutine
// of its own. When ctx ends, the guest goes on without it, and the handler waits for it in join.
func (s *stream) wait(ctx context.Context, writes bool, do func()) error {
	if s.major == 1 {
		s.bounded(ctx, writes, do)
	} else {
		s.aside(ctx, writes, do)
	}
	if ctx.Err() != nil {
		s.ended = context.Cause(ctx)
	}
	return s.ended
}

// bounded calls do, and makes its waits fail when ctx ends.
func (s *stream) bounded(ctx context.Context, writes bool, do func()) {
	if ctx.Done() == nil {
		do()
		return
	}
	set := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(set)
		s.spoil(writes)
	})
	defer func() {
		if !stop() {
			<-set
			s.left = set
		}
	}()
	do()
}

// aside calls do on a goroutine, and abandons it when ctx ends.
func (s *stream) aside(ctx context.Context, writes bool, do func()) {
	done := make(chan struct{})
	var crash any
	returned := false
	go func() {
		defer close(done)
		defer func() {
			if !returned {
				crash = recover()
			}
		}()
		do()
		returned = true
	}()
	select {
	case <-done:
		if !returned {
			panic(crash)
		}
	case <-ctx.Done():
		s.left = done
		s.spoil(writes)
	}
}

// spoil ends all reading from the client, and all writing if writes.
func (s *stream) spoil(writes bool) {
	past := time.Unix(1, 0)
	s.ctl.SetReadDeadline(past) // before it writes, an HTTP/1 server reads the rest of the body
	if writes {
		s.ctl.SetWriteDeadline(past)
	}
}

// leave takes the stream from the guest. A function of an abandoned call may still hold it; leave
// waits for that function, which has ended or is about to.
func (s *stream) leave() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
}

// join waits for what was abandoned.
func (s *stream) join() {
	if s.left != nil {
		<-s.left
	}
}

// maxPiece is the size of a piece of a body that crosses.
const maxPiece = 64 << 10

// read returns up to n bytes of the request's body.
func (s *stream) read(ctx context.Context, n int) ([]byte, error) {
	if s.ended != nil {
		return nil, s.ended
	}
	p := make([]byte, min(max(n, 1), maxPiece))
	got, err := s.receive(ctx, func() (got []byte, err error) {
		for n := 0; n == 0 && err == nil; {
			n, err = s.body.Read(p)
			got = p[:n]
		}
		return got, err
	})
	switch {
	case len(got) > 0:
		return got, nil // the next call returns err
	case err == io.EOF:
		return nil, nil
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, errTooLarge
	}
	return nil, err
}

// receive calls do, which reads.
func (s *stream) receive(ctx context.Context, do func() ([]byte, error)) ([]byte, error) {
	var p []byte
	var err error
	if ended := s.wait(ctx, s.expects, func() { p, err = do() }); ended != nil {
		return nil, ended // p and err may not be set yet
	}
	return p, err
}

// head sends status and headers, if they are valid for a client.
func (s *stream) head(status int, list []header) error {
	switch {
	case s.failed != nil:
		return s.failed
	case s.ended != nil:
		return s.ended
	case s.started:
		return errOrder
	case status < 200 || status > 999:
		return s.fail("has status %d", status)
	}
	for _, f := range list {
		if !isToken(f.Key) {
			return s.fail("has a header with the name %.40q", f.Key)
		}
		for _, v := range f.Values {
			if strings.ContainsFunc(v, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
				return s.fail("has a header %s with the value %.40q", f.Key, v)
			}
			s.headLeft -= int64(len(f.Key) + len(v) + len(": \r\n"))
		}
	}
	if s.headLeft < 0 {
		return s.fail("has too many headers")
	}
	h := s.w.Header()
	for _, f := range list {
		if k := http.CanonicalHeaderKey(f.Key); !connection[k] && len(f.Values) > 0 {
			h[k] = append(h[k], f.Values...)
		}
	}
	s.started = true
	s.w.WriteHeader(status)
	return nil
}

// write sends a part of the answer's body.
func (s *stream) write(ctx context.Context, p []byte) error {
	if err := s.writable(); err != nil {
		return err
	}
	if int64(len(p)) > s.bodyLeft {
		s.fail("has too long a body")
		return errTooLong
	}
	s.bodyLeft -= int64(len(p))
	if s.major != 1 {
		s.piece = append(s.piece[:0], p...) // p belongs to the guest, which does not wait as long as Write may
		p = s.piece
	}
	return s.send(ctx, func() error {
		_, err := s.w.Write(p)
		return err
	})
}

// flush sends what was written so far.
func (s *stream) flush(ctx context.Context) error {
	if err := s.writable(); err != nil {
		return err
	}
	return s.send(ctx, func() error {
		if err := s.ctl.Flush(); !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		return nil
	})
}

// writable returns why no part of the body can be sent.
func (s *stream) writable() error {
	switch {
	case s.failed != nil:
		return s.failed
	case s.ended != nil:
		return s.ended
	case !s.started:
		return errOrder
	}
	return s.gone
}

// send calls do, which writes.
func (s *stream) send(ctx context.Context, do func() error) error {
	var err error
	if ended := s.wait(ctx, true, func() { err = do() }); ended != nil {
		return ended
	}
	s.gone = err
	return err
}

// fail notes the first error of the answer.
func (s *stream) fail(format string, args ...any) error {
	if s.failed == nil {
		s.failed = &ResponseError{fmt.Sprintf(format, args...)}
	}
	return s.failed
}

// finish sends what the guest has kept until its handler returned, and returns the error of the
// answer as a whole.
func (s *stream) finish(ctx context.Context, res *response) error {
	if !s.started && s.failed == nil {
		if int64(len(res.Body)) > s.bodyLeft {
			return s.fail("has too long a body")
		}
		list := make([]header, len(res.Header))
		for i, f := range res.Header {
			list[i] = f
		}
		s.head(res.Status, list)
	}
	if len(res.Body) > 0 && s.failed == nil {
		s.write(ctx, res.Body) // an error means that the client has gone, or is s.ended
	}
	return s.failed
}

// isToken reports whether a text can be the name of a header: RFC 9110, section 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c))
	})
}
