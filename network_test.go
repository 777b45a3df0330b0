package gyr_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
)

// inTiers calls a test for each tier that this machine has.
func inTiers(t *testing.T, test func(t *testing.T, tier gyr.Tier)) {
	for _, tier := range tiers() {
		t.Run(string(tier), func(t *testing.T) { test(t, tier) })
	}
}

// dialTo is a Dial that connects all addresses to one.
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

// TestGuestHTTPClient: a guest's client has fifty requests at a time with a server of the host.
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
	done := make(chan bool)
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		time.Sleep(2 * time.Millisecond)
		served++
		fmt.Fprintln(w, len(b), err, served > 0)
	})
	mux.HandleFunc("/quit", func(w http.ResponseWriter, r *http.Request) {
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
	<-done
	fmt.Println(srv.Shutdown(context.Background()))
}
`

// TestGuestHTTPServer: a guest's server answers fifty requests at a time of a client of the host, and
// one of its own.
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
