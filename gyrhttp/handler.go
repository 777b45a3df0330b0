package gyrhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/gyrvm/gyr"
)

// The sizes that apply where a Config names none.
const (
	DefaultRequestBody  = 1 << 20
	DefaultResponseBody = 8 << 20
)

// Instances are where a Handler gets an instance for each request: of a program that was compiled with [WithShim] and Exports. Get and Put are
// called by several goroutines at a time; between a Get and its Put the instance is the handler's alone.
type Instances interface {
	Get(ctx context.Context) (*gyr.Instance, error)
	// Put takes an instance back, whatever state it is in: a request may have ended its program.
	Put(in *gyr.Instance) error
}

// A Config says how requests are answered.
type Config struct {
	Instances Instances

	Timeout      time.Duration // for a request, with the wait for an instance; 0: as long as the client waits
	RequestBody  int64         // bytes; larger ones are answered with 413. 0: DefaultRequestBody
	ResponseBody int64         // bytes; a handler that writes more is answered for with 500. 0: DefaultResponseBody

	// Error, if not nil, is told why a request got no answer of the guest's, before the client gets its status: an error of
	// [gyr.Instance.Call], of Instances, or a [*ResponseError]. Several goroutines may call it at a time.
	Error func(r *http.Request, err error)
}

// A ResponseError says what is wrong with a guest's answer.
type ResponseError struct{ Reason string }

func (e *ResponseError) Error() string { return "gyrhttp: the guest's answer " + e.Reason }

// The structs of the shim.
type (
	header struct {
		Key    string
		Values []string
	}
	request struct {
		Method, URI, Proto, Host, Remote string
		Major, Minor                     int
		Header                           []header
		Body                             []byte
		Limit                            int
	}
	response = struct {
		Status int
		Header []struct {
			Key    string
			Values []string
		}
		Body             []byte
		TooLong, Aborted bool
	}
)

// connection are the headers that are the host's to set: they are about its connection with the client.
var connection = map[string]bool{
	"Connection": true, "Content-Length": true, "Keep-Alive": true, "Proxy-Connection": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true,
}

// Handler returns a handler that has a guest answer requests. Where the guest does not, because it panicked or met a
// limit, the answer is 500, or 503 if it was a limit or no instance was to be had; a handler that panics with
// [http.ErrAbortHandler] aborts the request. The guest's instance is ended by anything of that kind but the last.
func Handler(c Config) http.Handler {
	if c.RequestBody == 0 {
		c.RequestBody = DefaultRequestBody
	}
	if c.ResponseBody == 0 {
		c.ResponseBody = DefaultResponseBody
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.RequestBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		h.fail(w, r, http.StatusRequestEntityTooLarge, err)
		return
	}
	if err != nil {
		h.fail(w, r, http.StatusBadRequest, err)
		return
	}
	res, err := h.call(ctx, r, body)
	if err == nil {
		err = check(res)
	}
	if err != nil {
		h.fail(w, r, statusOf(err), err)
		return
	}
	if res.Aborted {
		panic(http.ErrAbortHandler)
	}
	for _, f := range res.Header {
		if k := http.CanonicalHeaderKey(f.Key); !connection[k] {
			w.Header()[k] = append(w.Header()[k], f.Values...)
		}
	}
	w.WriteHeader(res.Status)
	w.Write(res.Body) // an error is the client's, who has gone
}

// call has an instance answer.
func (h *handler) call(ctx context.Context, r *http.Request, body []byte) (res *response, err error) {
	if h.Instances == nil {
		return nil, errNoInstances
	}
	in, err := h.Instances.Get(ctx)
	if err != nil {
		return nil, &unavailableError{err}
	}
	defer func() {
		if e := h.Instances.Put(in); e != nil && err == nil && h.Error != nil {
			h.Error(r, e) // the answer is there all the same
		}
	}()
	q := request{Method: r.Method, URI: r.URL.RequestURI(), Proto: r.Proto, Major: r.ProtoMajor, Minor: r.ProtoMinor, Host: r.Host,
		Remote: r.RemoteAddr, Body: body, Limit: int(h.ResponseBody)}
	for _, k := range slices.Sorted(maps.Keys(r.Header)) { // the same request costs the same gas
		q.Header = append(q.Header, header{k, r.Header[k]})
	}
	out, err := in.Call(ctx, shimFunc, q)
	if err != nil {
		return nil, err
	}
	res = new(response)
	reflect.ValueOf(res).Elem().Set(reflect.ValueOf(out[0]).Convert(reflect.TypeFor[response]()))
	return res, nil
}

// check finds what no client can be told.
func check(res *response) error {
	switch {
	case res.TooLong:
		return &ResponseError{"has too long a body"}
	case !res.Aborted && (res.Status < 200 || res.Status > 999):
		return &ResponseError{fmt.Sprintf("has status %d", res.Status)}
	}
	return nil
}

// unavailableError is why there is no instance.
type unavailableError struct{ err error }

func (e *unavailableError) Error() string { return "gyrhttp: no instance: " + e.err.Error() }
func (e *unavailableError) Unwrap() error { return e.err }

// statusOf is what a client is told of an error.
func statusOf(err error) int {
	if errors.As(err, new(*unavailableError)) || errors.As(err, new(*gyr.OutOfGasError)) || errors.As(err, new(*gyr.MemoryLimitError)) ||
		errors.As(err, new(*gyr.StackLimitError)) || errors.As(err, new(*gyr.DeadlineError)) {
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// fail answers in the guest's stead. The client learns no more than the status.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	if h.Error != nil {
		h.Error(r, err)
	}
	http.Error(w, http.StatusText(status), status)
}
