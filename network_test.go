package gyr_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
