package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrhttp"
)

// The limits of the hosts.
const (
	timeout  = 100 * time.Millisecond // of a request
	bodySize = 256 << 10              // of requests and answers
)

// A setting describes a host.
type setting struct {
	Tier  gyr.Tier
	Warm  bool // one instance, and a server without its own timeouts
	Cache string
}

func (s setting) String() string {
	if s.Warm {
		return string(s.Tier) + ", one instance"
	}
	return string(s.Tier) + ", pool"
}

// Addresses are the addresses of a host.
type addresses struct {
	Plain string // HTTP/1, and HTTP/2 with prior knowledge
	TLS   string // the same, by ALPN
}

// A state is what a host uses.
type state struct {
	Goroutines int
	Heap       uint64 // bytes after a collection
	Resident   uint64 // bytes of the process; 0: unknown
	Mappings   int    // of the process; 0: unknown
	InUse      int    // instances
	Live       int    // instances, of a pool
	Requests   int64
	Violations []string // events that must not happen
}

// A host serves the tests' clients.
type host interface {
	addresses() addresses
	state() (state, error)
	close() (state, error) // returns what is left then
}

// A local host runs in this process.
type local struct {
	instances  gyrhttp.Instances
	shut       func() error
	plain      *http.Server
	tls        *httptest.Server
	served     chan error
	addrs      addresses
	requests   atomic.Int64
	inUse      atomic.Int32
	mu         sync.Mutex
	violations []string
}

var compiled = map[string]*gyr.Program{}

// compile returns the guest's program, from the cache if possible.
func compile(cache string) (*gyr.Program, error) {
	if p := compiled[cache]; p != nil {
		return p, nil
	}
	base, err := gyr.OpenBase(context.Background(), gyr.BaseConfig{Cache: cache})
	if err != nil {
		return nil, err
	}
	src, err := gyrhttp.Source(fstest.MapFS{"app.go": {Data: []byte(guest)}}, ".")
	if err != nil {
		return nil, err
	}
	p, err := gyr.Compile(context.Background(), src,
		&gyr.CompileOptions{Cache: cache, Base: base, Host: []gyr.HostPackage{gyrhttp.Host()}})
	compiled[cache] = p
	return p, err
}

// quiet is an output that gyr must assume to block.
type quiet struct{}

func (quiet) Write(p []byte) (int, error) { return len(p), nil }

func newLocal(s setting) (*local, error) {
	p, err := compile(s.Cache)
	if err != nil {
		return nil, err
	}
	h := &local{served: make(chan error, 1)}
	cfg := gyr.Config{Memory: 32 << 20, Tier: s.Tier, Stdout: quiet{}, Stderr: quiet{}}
	if s.Warm {
		w := gyrhttp.NewWarm(p, cfg)
		h.instances, h.shut = w, w.Close
	} else {
		pool, err := gyr.NewPool(context.Background(), p, gyr.PoolConfig{Config: cfg, MaxLive: 12})
		if err != nil {
			return nil, err
		}
		h.instances, h.shut = pool, pool.Close
	}
	handler := gyrhttp.Handler(gyrhttp.Config{Instances: counted{h}, Timeout: timeout, RequestBody: bodySize, ResponseBody: bodySize})
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.serve(handler, w, r, s.Warm) })

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := func() *http.Server {
		srv := &http.Server{Handler: serve, ErrorLog: log.New(h, "", 0), Protocols: new(http.Protocols), MaxHeaderBytes: 256 << 10}
		srv.Protocols.SetHTTP1(true)
		srv.Protocols.SetHTTP2(true)
		srv.Protocols.SetUnencryptedHTTP2(true)
		if !s.Warm {
			srv.ReadTimeout, srv.WriteTimeout, srv.IdleTimeout = timeout, 3*timeout, 10*timeout
		}
		return srv
	}
	h.plain = server()
	go func() { h.served <- h.plain.Serve(l) }()
	h.tls = httptest.NewUnstartedServer(nil)
	h.tls.Config, h.tls.EnableHTTP2 = server(), true
	h.tls.StartTLS()
	h.addrs = addresses{l.Addr().String(), h.tls.Listener.Addr().String()}
	return h, nil
}

// Write is the server's log: a panic that is not the guest's is a bug of gyr.
func (h *local) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "panic") {
		h.violation("the server's log: %s", p)
	}
	return len(p), nil
}

func (h *local) violation(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.violations) < 20 {
		h.violations = append(h.violations, fmt.Sprintf(format, args...))
	}
}

// serve answers a request. Its headers say whether to watch the server's half, which hides its
// type, and after how many microseconds the context ends. An instance of a pool must not have
// served a request before.
func (h *local) serve(next http.Handler, w http.ResponseWriter, r *http.Request, warm bool) {
	h.requests.Add(1)
	if us, _ := strconv.Atoi(r.Header.Get("X-Deadline")); us > 0 {
		ctx, cancel := context.WithTimeout(r.Context(), time.Duration(us)*time.Microsecond)
		defer cancel()
		r = r.WithContext(ctx)
	}
	if r.Header.Get("X-Watch") != "" {
		l := &lent{ResponseWriter: w, ctl: http.NewResponseController(w), body: r.Body, h: h}
		defer l.end()
		w, r.Body = l, lentBody{l}
	}
	next.ServeHTTP(w, r)
	if n := w.Header().Get("X-Served"); !warm && n != "" && n != "1" {
		h.violation("an instance of the pool serves its request number %s", n)
	}
}

// A lent is the server's half of a request and its answer while a handler has them.
type lent struct {
	http.ResponseWriter
	ctl  *http.ResponseController
	body io.ReadCloser
	h    *local
	uses atomic.Int32
	over atomic.Bool
}

func (l *lent) use(what string) func() {
	if l.uses.Add(1); l.over.Load() {
		l.h.violation("%s behind the handler's end", what)
	}
	return func() { l.uses.Add(-1) }
}

func (l *lent) end() {
	l.over.Store(true)
	if n := l.uses.Load(); n != 0 {
		l.h.violation("%d uses go on behind the handler's end", n)
	}
}

func (l *lent) Write(p []byte) (int, error) {
	defer l.use("Write")()
	return l.ResponseWriter.Write(p)
}

func (l *lent) WriteHeader(status int) {
	defer l.use("WriteHeader")()
	l.ResponseWriter.WriteHeader(status)
}

func (l *lent) FlushError() error {
	defer l.use("Flush")()
	return l.ctl.Flush()
}

func (l *lent) SetReadDeadline(t time.Time) error {
	defer l.use("SetReadDeadline")()
	return l.ctl.SetReadDeadline(t)
}

func (l *lent) SetWriteDeadline(t time.Time) error {
	defer l.use("SetWriteDeadline")()
	return l.ctl.SetWriteDeadline(t)
}

type lentBody struct{ l *lent }

func (b lentBody) Read(p []byte) (int, error) {
	defer b.l.use("Read")()
	return b.l.body.Read(p)
}

func (b lentBody) Close() error { return b.l.body.Close() }

// counted are the instances of a host with the number of those in use.
type counted struct{ h *local }

func (c counted) Get(ctx context.Context) (*gyr.Instance, error) {
	in, err := c.h.instances.Get(ctx)
	if err == nil {
		c.h.inUse.Add(1)
	}
	return in, err
}

func (c counted) Put(in *gyr.Instance) error {
	err := c.h.instances.Put(in)
	c.h.inUse.Add(-1)
	if err != nil {
		c.h.violation("Put: %v", err)
	}
	return err
}

func (h *local) addresses() addresses { return h.addrs }

func (h *local) state() (state, error) {
	runtime.GC()
	runtime.GC() // collects what the first collection has finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := state{Goroutines: runtime.NumGoroutine(), Heap: m.HeapAlloc, InUse: int(h.inUse.Load()), Requests: h.requests.Load(), Violations: h.violations}
	if pool, ok := h.instances.(*gyr.Pool); ok {
		s.Live = pool.Stats().Live
	}
	s.Resident, s.Mappings = process()
	return s, nil
}

// process returns the resident bytes and the mappings of this process, if the system tells them.
func process() (resident uint64, mappings int) {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size uint64
		fmt.Sscan(string(text), &size, &resident)
		resident *= uint64(os.Getpagesize())
	}
	if text, err := os.ReadFile("/proc/self/maps"); err == nil {
		mappings = strings.Count(string(text), "\n")
	}
	return resident, mappings
}

func (h *local) close() (state, error) {
	h.plain.Close()
	h.tls.Close()
	if err := <-h.served; !errors.Is(err, http.ErrServerClosed) {
		return state{}, err
	}
	if err := h.shut(); err != nil {
		return state{}, err
	}
	return h.state()
}

// A child is a host in its own process: the test binary running TestChild.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	addrs addresses
	text  lockedText // its standard error
}

type lockedText struct {
	mu sync.Mutex
	b  []byte
}

func (t *lockedText) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p[:min(len(p), max(0, 20_000-len(t.b)))]...)
	return len(p), nil
}

func (t *lockedText) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

// mark begins a line from a child to its parent.
const mark = "host: "

func newChild(s setting) (*child, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(os.Args[0], "-test.run=^TestChild$", "-test.timeout=0")}
	c.cmd.Env = append(os.Environ(), "GYR_CLIENTS_HOST="+string(text))
	c.cmd.Stderr = &c.text
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	c.out = bufio.NewScanner(out)
	return c, c.answer(&c.addrs)
}

// TestChild is a host for the test that started this process.
func TestChild(t *testing.T) {
	text := os.Getenv("GYR_CLIENTS_HOST")
	if text == "" {
		t.Skip("for TestClients, which starts it")
	}
	var s setting
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	h, err := newLocal(s)
	if err != nil {
		t.Fatal(err)
	}
	tell := func(v any, err error) {
		text, e := json.Marshal(v)
		if err != nil || e != nil {
			t.Error(err, e)
		}
		fmt.Printf("%s%s\n", mark, text)
	}
	tell(h.addrs, nil)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		tell(h.state())
	}
	tell(h.close())
}

// answer reads the next line from the child.
func (c *child) answer(v any) error {
	for c.out.Scan() {
		if text, ok := strings.CutPrefix(c.out.Text(), mark); ok {
			return json.Unmarshal([]byte(text), v)
		}
	}
	c.in.Close()
	return fmt.Errorf("the host has ended: %v\n%s", c.cmd.Wait(), &c.text)
}

func (c *child) addresses() addresses { return c.addrs }

func (c *child) state() (s state, err error) {
	fmt.Fprintln(c.in)
	return s, c.answer(&s)
}

func (c *child) close() (s state, err error) {
	c.in.Close()
	if err := c.answer(&s); err != nil {
		return s, err
	}
	for c.out.Scan() {
	}
	if err := c.cmd.Wait(); err != nil {
		return s, fmt.Errorf("the host's end: %v\n%s", err, &c.text)
	}
	return s, nil
}
