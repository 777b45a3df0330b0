package gyrhttp

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/gyrvm/gyr"
)

// The sizes of a Config that sets none.
const (
	DefaultRequestHeader  = 64 << 10
	DefaultRequestBody    = 1 << 20
	DefaultResponseHeader = 64 << 10
	DefaultResponseBody   = 8 << 20
)

// Instances supply a Handler with an instance for each request, of a program that was compiled from
// a [Source]. Several goroutines may call Get and Put at a time. Between a Get and its Put the
// instance belongs to the handler.
type Instances interface {
	Get(ctx context.Context) (*gyr.Instance, error)
	// Put takes an instance back in any state: a request may have ended its program.
	Put(in *gyr.Instance) error
}

// A Config holds the settings of a Handler. Sizes are in bytes; a negative one allows none.
type Config struct {
	Instances Instances

	// Timeout bounds a request as a whole: the wait for its body and for an instance, and the
	// answer. 0: as long as the client waits.
	Timeout time.Duration
	// Limits bound the guest's part of each request: gas, memory and time. The guest's wait for the
	// client counts as time.
	Limits gyr.CallOptions

	RequestHeader  int64 // names and values; a larger one gets status 431. 0: DefaultRequestHeader
	RequestBody    int64 // a larger one gets status 413, or an error of the guest's Read. 0: DefaultRequestBody
	ResponseHeader int64 // a larger one gets status 500. 0: DefaultResponseHeader
	ResponseBody   int64 // a larger one cuts the connection off, or gets status 500 if nothing was sent. 0: DefaultResponseBody

	// Error, if not nil, gets the reason why the guest's answer is missing or incomplete, before
	// the client gets its status: an error of [gyr.Instance.CallWith], of Instances, of reading the
	// body, or a [*ResponseError]. Several goroutines may call it at a time.
	Error func(r *http.Request, err error)

	// Stats, if not nil, gets the guest's figures for each request, whatever its end, before the
	// answer is complete. Several goroutines may call it at a time.
	Stats func(r *http.Request, used gyr.CallStats)
}

// A ResponseError says what is wrong with a guest's answer.
type ResponseError struct{ Reason string }

func (e *ResponseError) Error() string { return "gyrhttp: the guest's answer " + e.Reason }

// These structs mirror those of the shim.
type (
	header = struct {
		Key    string
		Values []string
	}
	request struct {
		Method, URI, Proto, Host, Remote string
		Major, Minor                     int
		Header                           []header
		Body                             []byte
		More                             bool
		Length, Limit                    int64
	}
	response = struct {
		Status  int
		Header  []header
		Body    []byte
		Aborted bool
	}
)

// connection has the headers that only the host sets: they concern its connection with the client.
var connection = map[string]bool{
	"Connection": true, "Content-Length": true, "Keep-Alive": true, "Proxy-Connection": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true,
}

// Handler returns a handler whose requests a guest answers. If the guest fails to answer, the
// status is 503 for a limit or a missing instance, and 500 for a panic and everything else. If a
// part of the answer has been sent by then, the connection is cut off instead, so that no client
// takes the part for the whole. A guest's handler that panics with [http.ErrAbortHandler] aborts
// the request. Each of these failures except the last ends the guest's instance.
func Handler(c Config) http.Handler {
	for _, size := range []struct {
		of    *int64
		zeros int64
	}{
		{&c.RequestHeader, DefaultRequestHeader}, {&c.RequestBody, DefaultRequestBody},
		{&c.ResponseHeader, DefaultResponseHeader}, {&c.ResponseBody, DefaultResponseBody},
	} {
		if *size.of == 0 {
			*size.of = size.zeros
		}
		*size.of = max(*size.of, 0)
	}
	return &handler{c}
}

type handler struct{ Config }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if h.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, h.Timeout)
		defer cancel()
	}
	s := &stream{w: w, ctl: http.NewResponseController(w), body: http.NoBody, major: r.ProtoMajor, headLeft: h.ResponseHeader, bodyLeft: h.ResponseBody}
	defer s.join()
	q, status, err := h.request(ctx, s, r)
	if err != nil {
		h.fail(s, r, status, err)
		return
	}
	res, err := h.call(ctx, s, r, q)
	if err == nil && !res.Aborted {
		err = s.finish(ctx, res)
	}
	if s.ended != nil && !errors.As(err, new(*gyr.DeadlineError)) {
		err = &gyr.DeadlineError{Err: s.ended}
	}
	switch {
	case err != nil:
		h.fail(s, r, statusOf(err), err)
	case res.Aborted:
		panic(http.ErrAbortHandler)
	}
}

// request converts a request to the form that crosses, with the body if it is small and its length
// is known. An error comes with the status for the client.
func (h *handler) request(ctx context.Context, s *stream, r *http.Request) (q *request, status int, err error) {
	q = &request{Method: r.Method, URI: r.URL.RequestURI(), Proto: r.Proto, Major: r.ProtoMajor, Minor: r.ProtoMinor, Host: r.Host,
		Remote: r.RemoteAddr, Length: r.ContentLength, Limit: h.RequestBody}
	size := int64(len(q.Method) + len(q.URI) + len(q.Host))
	for _, k := range slices.Sorted(maps.Keys(r.Header)) { // in order: the same request costs the same gas
		q.Header = append(q.Header, header{k, r.Header[k]})
		for _, v := range r.Header[k] {
			size += int64(len(k) + len(v))
		}
	}
	switch {
	case size > h.RequestHeader:
		return nil, http.StatusRequestHeaderFieldsTooLarge, errLargeHeader
	case r.ContentLength > h.RequestBody:
		return nil, http.StatusRequestEntityTooLarge, &http.MaxBytesError{Limit: h.RequestBody}
	case r.Body == nil || r.Body == http.NoBody:
		q.Length = 0
		return q, 0, nil
	}
	s.body = http.MaxBytesReader(s.w, r.Body, h.RequestBody)
	s.expects = r.Header.Get("Expect") != ""
	if r.ContentLength < 0 || r.ContentLength > maxPiece {
		q.More = true
		return q, 0, nil
	}
	q.Body, err = s.receive(ctx, func() ([]byte, error) { return io.ReadAll(s.body) })
	switch {
	case s.ended != nil:
		return nil, http.StatusRequestTimeout, &gyr.DeadlineError{Err: s.ended}
	case errors.As(err, new(*http.MaxBytesError)): // only in a request that no server made: its length is not that of its body
		return nil, http.StatusRequestEntityTooLarge, err
	case err != nil:
		return nil, http.StatusBadRequest, err
	}
	q.Length = int64(len(q.Body))
	return q, 0, nil
}

// call makes an instance answer the request.
func (h *handler) call(ctx context.Context, s *stream, r *http.Request, q *request) (res *response, err error) {
	if h.Instances == nil {
		return nil, errNoInstances
	}
	in, err := h.Instances.Get(ctx)
	if err != nil {
		return nil, &unavailableError{err}
	}
	defer func() {
		if e := h.Instances.Put(in); e != nil && err == nil && h.Error != nil {
			h.Error(r, e) // the answer is complete all the same
		}
	}()
	defer s.leave() // before the Put
	out, used, err := in.CallWith(context.WithValue(ctx, streamKey{}, s), h.Limits, shimFunc, *q)
	if h.Stats != nil {
		h.Stats(r, used)
	}
	if err != nil {
		return nil, err
	}
	res = new(response)
	reflect.ValueOf(res).Elem().Set(reflect.ValueOf(out[0]).Convert(reflect.TypeFor[response]()))
	return res, nil
}

// unavailableError is the reason why no instance was available.
type unavailableError struct{ err error }

func (e *unavailableError) Error() string { return "gyrhttp: no instance: " + e.err.Error() }
func (e *unavailableError) Unwrap() error { return e.err }

var (
	errNoInstances = errors.New("gyrhttp: Config.Instances is nil")
	errLargeHeader = errors.New("gyrhttp: the request's headers are larger than Config.RequestHeader")
)

// statusOf returns the status that tells a client of an error.
func statusOf(err error) int {
	if errors.As(err, new(*unavailableError)) || errors.As(err, new(*gyr.OutOfGasError)) || errors.As(err, new(*gyr.MemoryLimitError)) ||
		errors.As(err, new(*gyr.StackLimitError)) || errors.As(err, new(*gyr.OutputLimitError)) || errors.As(err, new(*gyr.DeadlineError)) {
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// fail answers for the guest. The client learns only the status.
func (h *handler) fail(s *stream, r *http.Request, status int, err error) {
	if h.Error != nil {
		h.Error(r, err)
	}
	s.join()
	if s.started {
		panic(http.ErrAbortHandler)
	}
	if s.left != nil && r.ProtoMajor == 1 {
		s.w.Header().Set("Connection", "close") // nothing more can be read from it
	}
	http.Error(s.w, http.StatusText(status), status)
}
