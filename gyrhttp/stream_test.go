package gyrhttp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrhttp"
)

const streamingGuest = `package app

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"

	"example.com/test"
	"github.com/gyrvm/gyr/gyrhttp/stream"
)

var late chan func()

func Handler() http.Handler {
	late = make(chan func())
	go func() { for f := range late { f() } }()
	mux := http.NewServeMux()
	mux.HandleFunc("/pieces", func(w http.ResponseWriter, r *http.Request) {
		for i := range 3 {
			fmt.Fprintln(w, "piece", i)
			w.(http.Flusher).Flush()
			test.Wait(i)
		}
	})
	mux.HandleFunc("/upload", func(w http.ResponseWriter, r *http.Request) {
		total, sum, p := 0, uint32(0), make([]byte, 32<<10)
		for {
			n, err := r.Body.Read(p)
			for _, c := range p[:n] {
				sum = sum*31 + uint32(c)
			}
			if total += n; n > 0 {
				test.Wait(total)
			}
			if err == io.EOF {
				break
			}
			if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
				http.Error(w, fmt.Sprint("more than ", tooLarge.Limit), http.StatusRequestEntityTooLarge)
				return
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		n, err := r.Body.Read(p)
		r.Body.Close()
		_, closed := r.Body.Read(p)
		fmt.Fprintln(w, total, sum, r.ContentLength, n, err, closed, r.TransferEncoding)
	})
	mux.HandleFunc("/spin", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "begun")
		http.NewResponseController(w).Flush()
		for {}
	})
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "early")
		w.(http.Flusher).Flush()
		io.Copy(w, r.Body)
	})
	mux.HandleFunc("/prints", func(w http.ResponseWriter, r *http.Request) {
		for i := range 10 {
			fmt.Println("line", i)
		}
		io.Copy(io.Discard, r.Body)
		fmt.Fprintln(w, "printed")
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := fmt.Fprint(w, strings.Repeat("x", 10000)); err != nil {
				panic("the run goes on: " + err.Error())
			}
		}
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		w.Header()[q.Get("key")] = []string{strings.Repeat(q.Get("value"), 1000)}
		if q.Get("flush") != "" {
			w.(http.Flusher).Flush()
		}
		fmt.Fprint(w, "body")
	})
	mux.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
		late <- func() {
			for w.Header()["Over"] == nil { test.Wait(0) }
			_, err := fmt.Fprint(w, "late")
			_, read := r.Body.Read(make([]byte, 10))
			test.Tell(fmt.Sprint(err, " ", http.NewResponseController(w).Flush(), " ", read))
		}
		w.Header()["Over"] = []string{"1"}
		fmt.Fprint(w, "in time")
	})
	mux.HandleFunc("/next", func(w http.ResponseWriter, r *http.Request) {
		for range 100 { runtime.Gosched() }
		fmt.Fprint(w, "next")
	})
	mux.HandleFunc("/flushed-panic", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "half")
		w.(http.Flusher).Flush()
		panic("no more")
	})
	mux.HandleFunc("/direct/order", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "direct: ", stream.Write([]byte("x")))
	})
	mux.HandleFunc("/direct/twice", func(w http.ResponseWriter, r *http.Request) {
		stream.Head(200, nil)
		stream.Write([]byte(stream.Head(404, nil).Error()))
	})
	mux.HandleFunc("/direct/long", func(w http.ResponseWriter, r *http.Request) {
		stream.Head(200, nil)
		for range 11 { stream.Write([]byte("0123456789")) }
	})
	mux.HandleFunc("/direct/status", func(w http.ResponseWriter, r *http.Request) { stream.Head(100, nil) })
	mux.HandleFunc("/direct/read", func(w http.ResponseWriter, r *http.Request) {
		b, err := stream.Read(1 << 40)
		fmt.Fprintf(w, "%q %v", b, err)
	})
	return mux
}
`

// watch receives what the guest tells the test while it answers.
type watch struct {
	wait func(ctx context.Context, n int)
	told chan string
}

type watchKey struct{}

// streaming is the program of streamingGuest. Its test.Wait calls the wait of the watch in the
// request's context.
var streaming = sync.OnceValues(func() (*gyr.Program, error) {
	src, err := gyrhttp.Source(fstest.MapFS{"app.go": {Data: []byte(streamingGuest)}}, ".")
	if err != nil {
		return nil, err
	}
	watching := gyr.HostPackage{
		Path: "example.com/test", Source: "package test\nfunc Wait(n int)\nfunc Tell(text string)",
		Funcs: map[string]any{
			"Wait": func(ctx context.Context, n int) {
				if w, _ := ctx.Value(watchKey{}).(*watch); w != nil && w.wait != nil {
					w.wait(ctx, n)
				}
			},
			"Tell": func(ctx context.Context, text string) { ctx.Value(watchKey{}).(*watch).told <- text },
		},
	}
	return gyr.Compile(context.Background(), src, &gyr.CompileOptions{Host: []gyr.HostPackage{gyrhttp.Host(), watching}})
})

// A site is a server of a test. Its goroutines are gone when the test ends.
type site struct {
	*httptest.Server
	t      *testing.T
	errors chan error // the errors of Config.Error
	stats  chan gyr.CallStats
	watch  watch
}

func newSite(t *testing.T, c gyrhttp.Config, cfg gyr.Config) *site {
	p, err := streaming()
	if err != nil {
		t.Fatal(err)
	}
	// The first instances prepare the common starting point of all others.
	for range 3 {
		in, err := p.NewInstance(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		in.Run(t.Context())
		in.Close()
	}
	before := runtime.NumGoroutine()
	warm := gyrhttp.NewWarm(p, cfg)
	s := &site{t: t, errors: make(chan error, 100), stats: make(chan gyr.CallStats, 100), watch: watch{told: make(chan string, 10)}}
	c.Instances = warm
	c.Error = func(_ *http.Request, err error) { s.errors <- err }
	c.Stats = func(_ *http.Request, used gyr.CallStats) { s.stats <- used }
	h := gyrhttp.Handler(c)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), watchKey{}, &s.watch)))
	}))
	t.Cleanup(func() {
		s.Close()
		if err := warm.Close(); err != nil {
			t.Error(err)
		}
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
	})
	return s
}

// do makes a request, and returns the status and the body, with "cut off" after an incomplete one.
func (s *site) do(method, path string, body io.Reader) (int, string) {
	s.t.Helper()
	req, err := http.NewRequest(method, s.URL+path, body)
	if err != nil {
		s.t.Fatal(err)
	}
	res, err := s.Client().Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		text = append(text, "cut off"...)
	}
	return res.StatusCode, string(text)
}

// told returns the next error that the host was told, which may be nil.
func (s *site) told() error {
	select {
	case err := <-s.errors:
		return err
	case <-time.After(time.Minute):
		return nil
	}
}

// raw sends a text to the server and returns the answer until the connection ends or a quarter of a
// minute is over.
func (s *site) raw(text string) string {
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(15 * time.Second))
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	answer, _ := io.ReadAll(c)
	return string(answer)
}

// TestFlush: flushed output arrives while the guest's handler goes on.
func TestFlush(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: time.Minute}, gyr.Config{})
	read := make(chan int)
	s.watch.wait = func(ctx context.Context, n int) {
		select {
		case got := <-read:
			if got != n {
				t.Errorf("piece %d was read, the guest waits for %d", got, n)
			}
		case <-ctx.Done():
		}
	}
	res, err := s.Client().Get(s.URL + "/pieces")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	for i := range 3 {
		line, err := lines.ReadString('\n')
		if line != fmt.Sprintf("piece %d\n", i) {
			t.Fatalf("%q, %v", line, err)
		}
		read <- i
	}
	if _, err := lines.ReadByte(); err != io.EOF {
		t.Error(err)
	}
	if used := <-s.stats; used.Gas <= 0 || used.Mallocs == 0 {
		t.Errorf("%+v", used)
	}
}

// TestUpload: a guest with little memory reads a large body, each piece on arrival; the client
// sends the next piece when the guest has the one before.
func TestUpload(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: 5 * time.Minute, RequestBody: 64 << 20}, gyr.Config{Memory: 16 << 20})
	const pieces, size = 24, 1 << 20
	got := make(chan int, pieces*size/1000)
	s.watch.wait = func(_ context.Context, n int) { got <- n }
	body, w := io.Pipe()
	sum := uint32(0)
	go func() {
		piece := make([]byte, size)
		for i := range pieces {
			for k := range piece {
				piece[k] = byte(i + k)
				sum = sum*31 + uint32(piece[k])
			}
			w.Write(piece)
			for <-got < (i+1)*size {
			}
		}
		w.Close()
	}()
	status, text := s.do("POST", "/upload", body)
	if want := fmt.Sprintln(pieces*size, sum, -1, 0, io.EOF, http.ErrBodyReadAfterClose, "[chunked]"); status != 200 || text != want {
		t.Errorf("%d %q, want %q", status, text, want)
	}
	// With a length, a body above 64 KiB is a stream as well.
	if status, text := s.do("POST", "/upload", strings.NewReader(strings.Repeat("x", 200_000))); status != 200 || !strings.HasPrefix(text, "200000 ") || !strings.Contains(text, " 200000 0 EOF ") {
		t.Errorf("%d %q", status, text)
	}
}

// TestBadBodies: a body that is too large is refused as soon as its size is known, and a malformed
// one is an error of the guest's Read.
func TestBadBodies(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: time.Minute, RequestBody: 100_000, RequestHeader: 10_000}, gyr.Config{})
	chunked := func(text string) io.Reader { return io.MultiReader(strings.NewReader(text)) } // a reader without a length
	if status, text := s.do("POST", "/upload", chunked(strings.Repeat("x", 100_000))); status != 200 || !strings.HasPrefix(text, "100000 ") {
		t.Errorf("at the limit: %d %q", status, text)
	}
	if status, text := s.do("POST", "/upload", chunked(strings.Repeat("x", 100_001))); status != 413 || text != "more than 100000\n" {
		t.Errorf("above the limit: %d %q", status, text)
	}
	if status, text := s.do("POST", "/upload", strings.NewReader(strings.Repeat("x", 100_001))); status != 413 || text != "Request Entity Too Large\n" || !errors.As(s.told(), new(*http.MaxBytesError)) {
		t.Errorf("with a length above the limit: %d %q", status, text)
	}
	if status, text := s.do("GET", "/upload?"+strings.Repeat("x", 10_000), nil); status != 431 || text != "Request Header Fields Too Large\n" || s.told() == nil {
		t.Errorf("a long header: %d %q", status, text)
	}
	if text := s.raw("POST /upload HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nZZ\r\n"); !strings.HasPrefix(text, "HTTP/1.1 400 ") || !strings.Contains(text, "invalid byte in chunk length") {
		t.Errorf("a body that is no chunk: %q", text)
	}
	if text := s.raw("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: -3\r\n\r\nabc"); !strings.HasPrefix(text, "HTTP/1.1 400 ") {
		t.Errorf("a negative length: %q", text)
	}
	if len(s.errors) != 0 {
		t.Error(<-s.errors)
	}
	none := newSite(t, gyrhttp.Config{RequestBody: -1, ResponseBody: -1}, gyr.Config{})
	if status, _ := none.do("POST", "/upload", strings.NewReader("x")); status != 413 {
		t.Errorf("a body where none is allowed: %d", status)
	}
	if status, text := none.do("GET", "/headers?key=A&value=b", nil); status != 500 {
		t.Errorf("an answer where none is allowed: %d %q", status, text)
	}
}

// TestSlowClients: a client that does not send, or does not read, gets the request's time and no
// more.
func TestSlowClients(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: 300 * time.Millisecond, ResponseBody: 1 << 40}, gyr.Config{})
	if text := s.raw("POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"); !strings.HasPrefix(text, "HTTP/1.1 408 ") || !errors.As(s.told(), new(*gyr.DeadlineError)) {
		t.Errorf("half of a small body: %q", text)
	}
	if len(s.stats) != 0 {
		t.Error("the guest was called without the body")
	}
	for _, head := range []string{"Content-Length: 1000000", "Transfer-Encoding: chunked"} {
		if text := s.raw("POST /upload HTTP/1.1\r\nHost: x\r\n" + head + "\r\n\r\n3\r\nabc\r\n"); !strings.HasPrefix(text, "HTTP/1.1 503 ") || !errors.As(s.told(), new(*gyr.DeadlineError)) {
			t.Errorf("%s: %q", head, text)
		}
	}
	c, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n") // and reads nothing
	if err := s.told(); !errors.As(err, new(*gyr.DeadlineError)) {
		t.Errorf("a client that does not read: %v", err)
	}
	if status, text := s.do("GET", "/nowhere", nil); status != 404 {
		t.Errorf("then: %d %q", status, text)
	}
}

// TestClientGoesAway: the guest's call ends when its client has gone, both while it computes and
// while it waits for the client.
func TestClientGoesAway(t *testing.T) {
	s := newSite(t, gyrhttp.Config{ResponseBody: 1 << 40}, gyr.Config{})
	for _, path := range []string{"/spin", "/endless", "/upload"} {
		ctx, cancel := context.WithCancel(t.Context())
		body, w := io.Pipe()
		reading := make(chan int, 10)
		s.watch.wait = func(_ context.Context, n int) { reading <- n }
		var sent io.Reader
		if path == "/upload" {
			sent = body
			go w.Write([]byte("abc"))
			go func() { <-reading; cancel(); w.CloseWithError(context.Canceled) }() // the guest waits for more
		}
		req, err := http.NewRequestWithContext(ctx, "POST", s.URL+path, sent)
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Client().Do(req)
		if err == nil {
			io.ReadFull(res.Body, make([]byte, 6))
			cancel()
			res.Body.Close()
		}
		if err := s.told(); !errors.As(err, new(*gyr.DeadlineError)) || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", path, err)
		}
		cancel()
		w.Close()
	}
	s.watch.wait = nil
	if status, _ := s.do("GET", "/nowhere", nil); status != 404 {
		t.Errorf("then: %d", status)
	}
}

// TestHeaders: invalid headers are the guest's mistake, whether it flushes them or not.
func TestHeaders(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: time.Minute, ResponseHeader: 5000}, gyr.Config{})
	for _, c := range []struct {
		query  string
		status int
		reason string
	}{
		{"key=A&value=b", 200, ""},
		{"key=A&value=abcde", 500, "too many headers"},
		{"key=A+B&value=b", 500, `a header with the name "A B"`},
		{"key=&value=b", 500, `a header with the name ""`},
		{"key=A&value=b%0d%0aSet-Cookie:+x", 500, "a header A with the value"},
		{"key=A&value=%00", 500, "a header A with the value"},
	} {
		for _, flush := range []string{"", "&flush=1"} {
			status, text := s.do("GET", "/headers?"+c.query+flush, nil)
			var bad *gyrhttp.ResponseError
			if status != c.status || (status == 200) != (text == "body") {
				t.Errorf("%s%s: %d %q", c.query, flush, status, text)
			} else if status != 200 && (!errors.As(s.told(), &bad) || !strings.Contains(bad.Reason, c.reason)) {
				t.Errorf("%s%s: %v", c.query, flush, bad)
			}
		}
	}
}

// TestHalfAnAnswer: an incomplete answer is cut off, so that no client takes it for the whole.
func TestHalfAnAnswer(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Limits: gyr.CallOptions{Gas: 5_000_000}}, gyr.Config{})
	if status, text := s.do("GET", "/flushed-panic", nil); status != 200 || text != "halfcut off" || !errors.As(s.told(), new(*gyr.PanicError)) {
		t.Errorf("%d %q", status, text)
	}
	if status, text := s.do("GET", "/spin", nil); status != 200 || text != "begun\ncut off" || !errors.As(s.told(), new(*gyr.OutOfGasError)) {
		t.Errorf("%d %q", status, text)
	}
}

// TestLateGoroutines: a goroutine that keeps a request's ResponseWriter gets errors, and no access
// to other requests.
func TestLateGoroutines(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: time.Minute}, gyr.Config{})
	if status, text := s.do("POST", "/late", strings.NewReader("body")); status != 200 || text != "in time" {
		t.Errorf("%d %q", status, text)
	}
	if status, text := s.do("POST", "/next", strings.NewReader("its body")); status != 200 || text != "next" {
		t.Errorf("%d %q", status, text)
	}
	want := fmt.Sprint(http.ErrHandlerTimeout, " ", http.ErrHandlerTimeout, " ", http.ErrBodyReadAfterClose)
	select {
	case got := <-s.watch.told:
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	case <-time.After(time.Minute):
		t.Error("the goroutine had no turn")
	}
}

// TestDirectCalls: a guest that bypasses the shim and calls the host itself can do no more than any
// handler.
func TestDirectCalls(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Timeout: time.Minute, ResponseBody: 100}, gyr.Config{})
	for path, want := range map[string]string{
		"/direct/order": "200 direct: status and headers come first, and once",
		"/direct/twice": "200 status and headers come first, and once", "/direct/long": "0 cut off", "/direct/status": "500 Internal Server Error\n",
		"/direct/read": "200 \"\" <nil>",
	} {
		status, text := s.do("GET", path, nil)
		got := fmt.Sprint(status, " ", text)
		if status == 0 || strings.Contains(text, "cut off") {
			got = "0 cut off"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestLimits: each request has its own limits, and the host is told its figures.
func TestLimits(t *testing.T) {
	s := newSite(t, gyrhttp.Config{Limits: gyr.CallOptions{Gas: 5_000_000, Memory: 4 << 20, Timeout: time.Minute}}, gyr.Config{})
	for range 3 {
		if status, _ := s.do("GET", "/nowhere", nil); status != 404 {
			t.Error(status)
		}
		if used := <-s.stats; used.Gas <= 0 || used.Gas >= 5_000_000 {
			t.Errorf("%+v", used)
		}
	}
	status, _ := s.do("GET", "/spin", nil)
	var gas *gyr.OutOfGasError
	if err := s.told(); status != 200 || !errors.As(err, &gas) || !gas.Call {
		t.Errorf("%d %v", status, err)
	}
	if used := <-s.stats; used.Gas != 5_000_000 {
		t.Errorf("%+v", used)
	}
	quick := newSite(t, gyrhttp.Config{Limits: gyr.CallOptions{Timeout: 50 * time.Millisecond}}, gyr.Config{})
	quick.do("GET", "/spin", nil)
	var over *gyr.DeadlineError
	if err := quick.told(); !errors.As(err, &over) || !over.Call {
		t.Errorf("%v", err)
	}
	wrong := newSite(t, gyrhttp.Config{Limits: gyr.CallOptions{Gas: -1}}, gyr.Config{})
	if status, _ := wrong.do("GET", "/nowhere", nil); status != 500 || !errors.As(wrong.told(), new(*gyr.ConfigError)) {
		t.Errorf("a negative limit: %d", status)
	}
}
