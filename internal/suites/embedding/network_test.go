package embedding_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// inTiers runs a test for each tier of this machine.
func inTiers(t *testing.T, test func(t *testing.T, tier gyr.Tier)) {
	for _, tier := range tiers() {
		t.Run(string(tier), func(t *testing.T) { test(t, tier) })
	}
}

// dialTo returns a Dial that connects all addresses to one.
func dialTo(addr net.Addr) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, addr.Network(), addr.String())
	}
}

const fetcher = `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	texts := make([]string, 50)
	for i := range texts {
		wg.Go(func() {
			res, err := http.Post(fmt.Sprintf("http://api.example.com/%d", i), "text/plain", strings.NewReader(strings.Repeat("x", 1000*i)))
			if err != nil {
				texts[i] = err.Error()
				return
			}
			defer res.Body.Close()
			b, err := io.ReadAll(res.Body)
			texts[i] = fmt.Sprint(res.StatusCode, string(b), err)
		})
	}
	wg.Wait()
	for i, text := range texts {
		if want := fmt.Sprintf("200/%d %d<nil>", i, 1000*i); text != want {
			fmt.Println(i, text)
			os.Exit(1)
		}
	}
	fmt.Println("ok")
}
`

// TestGuestHTTPClient: a guest's client has fifty concurrent requests with a server of the host.
func TestGuestHTTPClient(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		time.Sleep(time.Millisecond)
		if err != nil || r.Host != "api.example.com" {
			http.Error(w, fmt.Sprint(err, r.Host), 500)
			return
		}
		fmt.Fprintf(w, "%s %d", r.URL.Path, n)
	}))
	defer srv.Close()
	p := compileMain(t, fetcher)
	inTiers(t, func(t *testing.T, tier gyr.Tier) {
		for _, realtime := range []bool{false, true} {
			var out bytes.Buffer
			in := newInstance(t, p, gyr.Config{Tier: tier, Stdout: &out, Stderr: &out, Dial: dialTo(srv.Listener.Addr()), Realtime: realtime})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := in.Run(ctx); err != nil || out.String() != "ok\n" {
				t.Errorf("realtime %v: %v\n%s", realtime, err, &out)
			}
		}
	})
}

const server = `package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	l, err := net.Listen("tcp", ":8080")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(l.Addr())
	served := 0
	own, done := make(chan bool), make(chan bool)
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		time.Sleep(2 * time.Millisecond)
		served++
		fmt.Fprintln(w, len(b), err, served > 0)
	})
	mux.HandleFunc("/quit", func(w http.ResponseWriter, r *http.Request) {
		<-own // that request may take longer than all others
		fmt.Fprint(w, served)
		done <- true
	})
	srv := http.Server{Handler: mux}
	go srv.Serve(l)
	// It is a server within, too.
	res, err := http.Get("http://localhost:8080/echo")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	res.Body.Close()
	close(own)
	<-done
	fmt.Println(srv.Shutdown(context.Background()))
}
`

// TestGuestHTTPServer: a guest's server answers fifty concurrent requests of a client of the host,
// and one of its own.
func TestGuestHTTPServer(t *testing.T) {
	p := compileMain(t, server)
	inTiers(t, func(t *testing.T, tier gyr.Tier) {
		for _, realtime := range []bool{false, true} {
			listening := make(chan net.Addr, 1)
			listen := func(ctx context.Context, network, address string) (net.Listener, error) {
				if network != "tcp" || address != ":8080" {
					return nil, fmt.Errorf("asked for %s %s", network, address)
				}
				l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
				if err == nil {
					listening <- l.Addr()
				}
				return l, err
			}
			var out bytes.Buffer
			in := newInstance(t, p, gyr.Config{Tier: tier, Stdout: &out, Stderr: &out, Listen: listen, Realtime: realtime})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- in.Run(ctx) }()
			var url string
			select {
			case a := <-listening:
				url = "http://" + a.String()
			case err := <-ended:
				t.Fatal(err, out.String())
			}
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50}}
			post := func(path string, n int) (string, error) {
				res, err := client.Post(url+path, "text/plain", strings.NewReader(strings.Repeat("y", n)))
				if err != nil {
					return "", err
				}
				defer res.Body.Close()
				b, err := io.ReadAll(res.Body)
				return string(b), err
			}
			var wg sync.WaitGroup
			for i := range 50 {
				wg.Go(func() {
					if text, err := post("/echo", 5000*i); err != nil || text != fmt.Sprintf("%d <nil> true\n", 5000*i) {
						t.Errorf("request %d: %q, %v", i, text, err)
					}
				})
			}
			wg.Wait()
			if text, err := post("/quit", 0); text != "51" || err != nil {
				t.Errorf("%q, %v", text, err)
			}
			client.CloseIdleConnections()
			if err := <-ended; err != nil || out.String() != "[::]:8080\n<nil>\n" {
				t.Errorf("%v\n%s", err, &out)
			}
		}
	})
}

const networker = `package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

func dial(addr string) net.Conn {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	return c
}

func main() {
	switch os.Args[1] {
	case "deadline": // of reading, of writing, of dialling; others go on meanwhile
		c := dial("silent.test:1")
		ticks := 0
		go func() {
			for range time.Tick(5 * time.Millisecond) {
				ticks++
			}
		}()
		began := time.Now()
		c.SetReadDeadline(began.Add(60 * time.Millisecond))
		_, err := c.Read(make([]byte, 10))
		fmt.Println(errors.Is(err, os.ErrDeadlineExceeded), strings.HasSuffix(err.Error(), "i/o timeout"), ticks > 3, time.Since(began) >= 60*time.Millisecond)
		c.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		_, err = c.Write(make([]byte, 64<<20))
		fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
		_, err = net.DialTimeout("tcp", "hang.test:1", 20*time.Millisecond)
		fmt.Println(err)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(10*time.Millisecond, cancel)
		_, err = new(net.Dialer).DialContext(ctx, "tcp", "192.0.2.1:1")
		fmt.Println(err)
		go func() { time.Sleep(5*time.Millisecond); c.Close() }()
		c.SetDeadline(time.Time{})
		_, err = c.Read(make([]byte, 10))
		fmt.Println(errors.Is(err, net.ErrClosed))
	case "half":
		c := dial("upper.test:1")
		fmt.Fprint(c, "half closed")
		fmt.Println(c.(*net.TCPConn).CloseWrite())
		b, err := io.ReadAll(c)
		fmt.Println(string(b), err)
		_, err = c.Write([]byte("more"))
		fmt.Println(errors.Is(err, syscall.EPIPE))
		fmt.Println(c.Close(), c.RemoteAddr().Network())
	case "errors":
		for _, addr := range []string{"refused.test:1", "none.test:1", "policy.test:1", "localhost:1", "10.1.2.3:70", "[2001:db8::1]:70", "policy.test:https", "bad name:1", "nothing.test:1"} {
			_, err := net.Dial("tcp", addr)
			var dns *net.DNSError
			fmt.Println(err, errors.Is(err, syscall.ECONNREFUSED), errors.As(err, &dns) && dns.IsNotFound)
		}
		_, err := net.Dial("udp", "10.1.2.3:53")
		fmt.Println(err)
		_, err = net.LookupHost("upper.test")
		fmt.Println(err)
		for _, addr := range []string{":80", "192.0.2.1:80"} {
			_, err = net.Listen("tcp", addr)
			fmt.Println(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:80")
		fmt.Println(l.Addr(), err)
	case "get":
		res, err := http.Get(os.Args[2])
		if err != nil {
			var unknown x509.UnknownAuthorityError
			fmt.Println(errors.As(err, &unknown))
			return
		}
		b, err := io.ReadAll(res.Body)
		fmt.Println(string(b), err, res.TLS != nil)
	case "spin": // who never waits lets others hear of the network all the same
		heard := false
		go func() {
			b, err := io.ReadAll(dial("hello.test:1"))
			heard = string(b) == "hello" && err == nil
		}()
		for n := 0; !heard; n++ {
		}
		fmt.Println("heard")
	case "last": // what was written before the end is sent
		fmt.Fprint(dial("upper.test:1"), strings.Repeat("z", 20000))
	case "hang":
		dial("hang.test:1")
	case "read":
		b, err := io.ReadAll(dial("silent.test:1"))
		fmt.Println(len(b), err)
	case "accept":
		l, err := net.Listen("tcp", ":1")
		if err == nil {
			_, err = l.Accept()
		}
		fmt.Println(err)
	case "many":
		var list []net.Conn
		for {
			c, err := net.Dial("tcp", "silent.test:1")
			if err != nil {
				fmt.Println(len(list), err)
				return
			}
			list = append(list, c)
		}
	}
}
`

// testNet is a network of names.
type testNet struct {
	echo    net.Listener // writes in upper case what it has read until the end
	silent  net.Listener // accepts connections and writes nothing
	got     chan string  // the message that upper.test received, if it is long
	listens func(context.Context, string, string) (net.Listener, error)
}

func newTestNet(t *testing.T) *testNet {
	n := &testNet{got: make(chan string, 10)}
	open := func(serve func(net.Conn)) net.Listener {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go serve(c)
			}
		}()
		return l
	}
	n.echo = open(func(c net.Conn) {
		defer c.Close()
		b, _ := io.ReadAll(c)
		if len(b) > 100 {
			n.got <- string(b)
		}
		c.Write(bytes.ToUpper(b))
	})
	n.silent = open(func(c net.Conn) { t.Cleanup(func() { c.Close() }) })
	return n
}

func (n *testNet) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	switch host {
	case "upper.test":
		return dialTo(n.echo.Addr())(ctx, network, address)
	case "silent.test":
		return dialTo(n.silent.Addr())(ctx, network, address)
	case "hello.test":
		a, b := net.Pipe()
		go func() { time.Sleep(20 * time.Millisecond); b.Write([]byte("hello")); b.Close() }()
		return a, nil
	case "refused.test":
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: n.echo.Addr(), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case "none.test":
		return nil, &net.DNSError{Err: "no such host", Name: "x.internal", Server: "10.0.0.1", IsNotFound: true}
	case "hang.test", "192.0.2.1":
		<-ctx.Done()
		return nil, context.Cause(ctx)
	case "nothing.test":
		return nil, nil
	}
	return nil, fmt.Errorf("%s %s is not allowed", network, address)
}

// TestGuestNetwork: deadlines, half-closed connections, errors, and the last bytes written, in both
// tiers and with both clocks.
func TestGuestNetwork(t *testing.T) {
	daily.Turn(t, 3, false)
	p := compileMain(t, networker)
	n := newTestNet(t)
	listen := func(_ context.Context, network, address string) (net.Listener, error) {
		if address == ":80" {
			return nil, os.NewSyscallError("bind", syscall.EACCES)
		}
		return nil, fmt.Errorf("%s %s is not for listening", network, address)
	}
	for _, c := range []struct{ name, want string }{
		{"deadline", `true true true true
true
dial tcp hang.test:1: i/o timeout
dial tcp 192.0.2.1:1: operation was canceled
true
`},
		{"half", "<nil>\nHALF CLOSED <nil>\ntrue\n<nil> tcp\n"},
		{"errors", `dial tcp refused.test:1: connect: connection refused true false
dial tcp: lookup none.test: no such host false true
dial tcp policy.test:1: tcp policy.test:1 is not allowed false false
dial tcp 127.0.0.1:1: connect: connection refused true false
dial tcp 10.1.2.3:70: tcp 10.1.2.3:70 is not allowed false false
dial tcp [2001:db8::1]:70: tcp [2001:db8::1]:70 is not allowed false false
dial tcp policy.test:443: tcp policy.test:443 is not allowed false false
dial tcp: lookup bad name: no such host false true
dial tcp nothing.test:1: connect: input/output error false false
dial udp 10.1.2.3:53: no network is granted to this program
lookup upper.test: no network is granted to this program
listen tcp :80: bind: permission denied
listen tcp 192.0.2.1:80: tcp 192.0.2.1:80 is not for listening
127.0.0.1:80 <nil>
`},
		{"spin", "heard\n"},
		{"last", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTiers(t, func(t *testing.T, tier gyr.Tier) {
				for _, realtime := range []bool{false, true} {
					var out bytes.Buffer
					in := newInstance(t, p, gyr.Config{Args: []string{c.name}, Tier: tier, Stdout: &out, Stderr: &out,
						Dial: n.dial, Listen: listen, Realtime: realtime, Memory: 512 << 20})
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					if err := in.Run(ctx); err != nil || out.String() != c.want {
						t.Errorf("realtime %v: %v\n%s\nwant\n%s", realtime, err, &out, c.want)
					}
					in.Close()
					if c.name == "last" {
						if got := <-n.got; got != strings.Repeat("z", 20000) {
							t.Errorf("realtime %v: %d bytes were sent", realtime, len(got))
						}
					}
				}
			})
		})
	}
}

// TestGuestNetworkEnds: a wait for the network ends with its context, with Close and at the memory
// limit; a panic of a connection ends the run. Nothing of it remains.
func TestGuestNetworkEnds(t *testing.T) {
	p := compileMain(t, networker)
	n := newTestNet(t)
	var lib gyr.Config
	boom := errors.New("boom")
	panics := func(context.Context, string, string) (net.Conn, error) {
		a, b := net.Pipe()
		b.Close()
		return panicConn{a, boom}, nil
	}
	quiet := func(context.Context, string, string) (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	lib = gyr.Config{Dial: n.dial, Listen: quiet}
	run := func(ctx context.Context, t *testing.T, cfg gyr.Config, args ...string) (*gyr.Instance, error) {
		cfg.Args = args
		in := newInstance(t, p, cfg)
		return in, in.Run(ctx)
	}
	run(t.Context(), t, lib, "none") // the first run starts things that remain
	before := runtime.NumGoroutine()
	inTiers(t, func(t *testing.T, tier gyr.Tier) {
		lib := lib
		lib.Tier = tier
		for _, what := range []string{"hang", "read", "accept"} {
			for _, realtime := range []bool{false, true} {
				cfg := lib
				cfg.Realtime, cfg.Args = realtime, []string{what}
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				in, err := run(ctx, t, cfg, what)
				cancel()
				if deadline := (*gyr.DeadlineError)(nil); !errors.As(err, &deadline) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s with a deadline: %v", what, err)
				}
				if err := in.Reset(cfg); err != nil {
					t.Errorf("%s: Reset: %v", what, err)
				}
				ended := make(chan error)
				go func() { ended <- in.Run(context.Background()) }()
				time.Sleep(20 * time.Millisecond)
				if err := in.Close(); err != nil && !errors.Is(err, gyr.ErrBusy) {
					t.Errorf("%s: Close: %v", what, err)
				}
				if err := <-ended; !errors.Is(err, gyr.ErrClosed) {
					t.Errorf("%s, closed: %v", what, err)
				}
			}
		}
		cfg := lib
		cfg.Dial = panics
		_, err := run(t.Context(), t, cfg, "read")
		host := (*gyr.HostError)(nil)
		if !errors.As(err, &host) || !strings.Contains(err.Error(), "Read panicked: boom") || !errors.Is(err, boom) || host.Op != "Config.Dial" {
			t.Errorf("a panic of Read: %v", err)
		}
		cfg.Dial = func(context.Context, string, string) (net.Conn, error) { panic(boom) }
		if _, err := run(t.Context(), t, cfg, "read"); err == nil || !strings.Contains(err.Error(), "Dial panicked: boom") || !errors.Is(err, boom) {
			t.Errorf("a panic of Dial: %v", err)
		}
		cfg = lib
		cfg.Memory = 48 << 20
		if _, err := run(t.Context(), t, cfg, "many"); !errors.As(err, new(*gyr.MemoryLimitError)) {
			t.Errorf("many connections: %v", err)
		}
	})
	for range 1000 { // connections that the host closes end once the other side notices
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
}

// panicConn is a connection whose Read panics.
type panicConn struct {
	net.Conn
	err error
}

func (c panicConn) Read([]byte) (int, error) { panic(c.err) }

// TestGuestTLS: a guest's client trusts only servers with certificates that the host has given it.
func TestGuestTLS(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) }))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer srv.Close()
	roots := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	p := compileMain(t, networker)
	inTiers(t, func(t *testing.T, tier gyr.Tier) {
		for _, c := range []struct {
			roots []byte
			want  string
		}{{roots, "example.com <nil> true\n"}, {nil, "true\n"}} {
			var out bytes.Buffer
			in := newInstance(t, p, gyr.Config{Args: []string{"get", "https://example.com/"}, Tier: tier, Stdout: &out, Stderr: &out,
				Dial: dialTo(srv.Listener.Addr()), Realtime: true, Roots: c.roots})
			if err := in.Run(t.Context()); err != nil || out.String() != c.want {
				t.Errorf("%v\n%s\nwant %s", err, &out, c.want)
			}
		}
	})
	_, err := p.NewInstance(t.Context(), gyr.Config{Roots: []byte("no certificate")})
	if wrong := (*gyr.ConfigError)(nil); !errors.As(err, &wrong) || wrong.Field != "Roots" {
		t.Errorf("roots that are none: %v", err)
	}
}

const pinger = `package ping

import (
	"io"
	"net"
	"net/http"
)

var conn net.Conn

// Dial connects to a host that returns what it gets.
func Dial() (err error) {
	conn, err = net.Dial("tcp", "echo.test:1")
	return err
}

// Echo sends n bytes, size at a time, and waits for their return each time.
func Echo(n, size int) error {
	b := make([]byte, size)
	for ; n > 0; n -= size {
		if _, err := conn.Write(b); err != nil {
			return err
		}
		if _, err := io.ReadFull(conn, b); err != nil {
			return err
		}
	}
	return nil
}

// Get has n requests with a server, one after the other on one connection.
func Get(n int) error {
	for range n {
		res, err := http.Get("http://web.test/")
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			return err
		}
		res.Body.Close()
	}
	return nil
}
`

// BenchmarkGuestNetwork measures the cost of a host connection for a guest: round trips of one byte
// and of 32 KiB, and a request over HTTP. The other side is the same process; native is the host
// doing the same with itself.
func BenchmarkGuestNetwork(b *testing.B) {
	p := compileLibrary(b, pinger)
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go io.Copy(c, c)
		}
	}()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
	defer web.Close()
	in := newInstance(b, p, gyr.Config{Realtime: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "web.test:80" {
			return dialTo(web.Listener.Addr())(ctx, network, address)
		}
		return dialTo(echo.Addr())(ctx, network, address)
	}})
	call := func(b *testing.B, name string, args ...any) {
		if _, err := in.Call(b.Context(), name, args...); err != nil {
			b.Fatal(err)
		}
	}
	call(b, "Dial")
	conn, err := net.Dial("tcp", echo.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	for _, size := range []int{1, 32 << 10} {
		b.Run(fmt.Sprintf("echo/%d/guest", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			call(b, "Echo", b.N*size, size)
		})
		b.Run(fmt.Sprintf("echo/%d/native", size), func(b *testing.B) {
			b.SetBytes(int64(size))
			p := make([]byte, size)
			for range b.N {
				if _, err := conn.Write(p); err != nil {
					b.Fatal(err)
				}
				if _, err := io.ReadFull(conn, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("http/guest", func(b *testing.B) { call(b, "Get", b.N) })
	b.Run("http/native", func(b *testing.B) {
		for range b.N {
			res, err := http.Get(web.URL)
			if err != nil {
				b.Fatal(err)
			}
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
}
