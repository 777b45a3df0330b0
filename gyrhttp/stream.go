package gyrhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr"
)

// hostPath is the import path of the package that the shim calls.
const hostPath = "github.com/gyrvm/gyr/gyrhttp/stream"

// hostSource declares it.
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

// Host returns the package of the host that the shim calls. It has to be in the Host field of the guest's source;
// [Source] puts it there.
func Host() gyr.HostPackage {
	type piece struct{ P []byte }
	return gyr.HostPackage{
		Path: hostPath, Source: hostSource,
		Errors: map[string]error{"ErrTooLarge": errTooLarge},
		Funcs: map[string]any{
			"Read": gyr.Fast(func(ctx context.Context, a *struct{ N int }, r *piece) (err error) {
				s := streamOf(ctx)
				if s == nil {
					return errNoRequest
				}
				r.P, err = s.read(ctx, a.N)
				return err
			}),
			"Head": func(ctx context.Context, status int, h []header) error {
				s := streamOf(ctx)
				if s == nil {
					return errNoRequest
				}
				return s.head(status, h)
			},
			"Write": gyr.HostFunc{Borrows: true, Func: gyr.Fast(func(ctx context.Context, a *piece, _ *struct{}) error {
				s := streamOf(ctx)
				if s == nil {
					return errNoRequest
				}
				return s.write(ctx, a.P)
			})},
			"Flush": func(ctx context.Context) error {
				s := streamOf(ctx)
				if s == nil {
					return errNoRequest
				}
				return s.flush(ctx)
			},
		},
	}
}

// streamKey is the key of the stream in the context of a call.
type streamKey struct{}

// streamOf is the stream of the request that a call of the guest answers, nil if there is none any more.
func streamOf(ctx context.Context) *stream {
	if s, _ := ctx.Value(streamKey{}).(*stream); s != nil && !s.over.Load() {
		return s
	}
	return nil
}

// A stream is a request and its answer, while the guest has them. One goroutine at a time uses it.
type stream struct {
	w    http.ResponseWriter
	ctl  *http.ResponseController
	body io.Reader // nothing larger than allowed comes out of it

	headLeft, bodyLeft int64 // bytes that the answer may still have

	started bool  // status and headers are sent
	failed  error // what is wrong with the answer, the first thing
	gone    error // why nothing can be written: the client has gone
	ended   error // why the call ends, which has ended while the guest waited for the client
	over    atomic.Bool
}

// maxPiece is how much of a body crosses at once.
const maxPiece = 64 << 10

// read returns up to n bytes of the request's body.
func (s *stream) read(ctx context.Context, n int) ([]byte, error) {
	if s.ended != nil {
		return nil, s.ended
	}
	defer s.until(ctx, s.ctl.SetReadDeadline)()
	p := make([]byte, min(max(n, 1), maxPiece))
	for {
		n, err := s.body.Read(p)
		switch {
		case ctx.Err() != nil:
			return nil, s.end(ctx)
		case n > 0:
			return p[:n], nil // what err is, the next call will tell
		case err == io.EOF:
			return nil, nil
		case errors.As(err, new(*http.MaxBytesError)):
			return nil, errTooLarge
		case err != nil:
			return nil, err
		}
	}
}

// until has a deadline end what a connection waits for when ctx ends. What it returns is called when the waiting is over.
func (s *stream) until(ctx context.Context, deadline func(time.Time) error) (stop func() bool) {
	return context.AfterFunc(ctx, func() { deadline(time.Unix(1, 0)) })
}

// end notes that the call ends. The guest would learn it first, as an error of the connection, and must not answer with that.
func (s *stream) end(ctx context.Context) error {
	s.ended = context.Cause(ctx)
	return s.ended
}

// head sends status and headers, if they are what a client can be told.
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
		if k := http.CanonicalHeaderKey(f.Key); !connection[k] {
			h[k] = append(h[k], f.Values...)
		}
	}
	s.started = true
	s.w.WriteHeader(status)
	return nil
}

// write sends a part of the answer's body.
func (s *stream) write(ctx context.Context, p []byte) error {
	switch {
	case s.failed != nil:
		return s.failed
	case !s.started:
		return errOrder
	case s.gone != nil:
		return s.gone
	case int64(len(p)) > s.bodyLeft:
		s.fail("has too long a body")
		return errTooLong
	}
	s.bodyLeft -= int64(len(p))
	defer s.until(ctx, s.ctl.SetWriteDeadline)()
	if _, s.gone = s.w.Write(p); s.gone != nil && ctx.Err() != nil {
		return s.end(ctx)
	}
	return s.gone
}

// flush has what was sent leave.
func (s *stream) flush(ctx context.Context) error {
	switch {
	case s.failed != nil:
		return s.failed
	case !s.started:
		return errOrder
	case s.gone != nil:
		return s.gone
	}
	defer s.until(ctx, s.ctl.SetWriteDeadline)()
	if err := s.ctl.Flush(); !errors.Is(err, http.ErrNotSupported) {
		s.gone = err
	}
	if s.gone != nil && ctx.Err() != nil {
		return s.end(ctx)
	}
	return s.gone
}

// fail notes what is wrong with the answer.
func (s *stream) fail(format string, args ...any) error {
	if s.failed == nil {
		s.failed = &ResponseError{fmt.Sprintf(format, args...)}
	}
	return s.failed
}

// finish sends what the guest has kept until its handler returned, and returns what is wrong with the answer as a whole.
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
		s.write(ctx, res.Body) // an error is the client's, who has gone
	}
	return s.failed
}

// isToken reports whether a text can be the name of a header: RFC 9110, section 5.6.2.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", c))
	})
}
