// A server and its clients in one program: HTTP, TLS, a hijacked connection, a reverse proxy, errors and deadlines.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

func get(c *http.Client, url string) {
	resp, err := c.Get(url)
	if err != nil {
		fmt.Println(strings.ReplaceAll(err.Error(), port(url), "PORT"))
		return
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	fmt.Println(resp.Status, resp.Proto, len(b), strings.TrimSpace(string(b[:min(len(b), 40)])), err)
}

func port(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "none"
	}
	return u.Port()
}

func main() {
	log.SetOutput(io.Discard) // it has the time and ports
	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello/{name}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello, %s at %s", r.PathValue("name"), r.URL.Path)
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) {
		for i := range 2000 {
			fmt.Fprintf(w, "%01000d\n", i)
		}
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(500 * time.Millisecond):
			fmt.Fprintln(w, "slow")
		}
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			fmt.Println(err)
			return
		}
		defer c.Close()
		fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		rw.Flush()
		for {
			line, err := rw.ReadString('\n')
			if err != nil {
				return
			}
			fmt.Fprintf(rw, "echo %s", line)
			rw.Flush()
		}
	})
	mux.HandleFunc("/panic", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })

	srv := &http.Server{Addr: "localhost:18080", Handler: mux}
	l, err := net.Listen("tcp", srv.Addr)
	if err != nil {
		fmt.Println(err)
		return
	}
	served := make(chan error)
	go func() { served <- srv.Serve(l) }()
	c := &http.Client{}
	get(c, "http://localhost:18080/hello/gyr")
	get(c, "http://127.0.0.1:18080/big")
	get(c, "http://localhost:18080/nowhere")
	get(c, "http://localhost:18080/panic")
	get(&http.Client{Timeout: 20 * time.Millisecond}, "http://localhost:18080/slow")
	get(c, "http://localhost:18080/slow")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	req, _ := http.NewRequestWithContext(ctx, "GET", "http://localhost:18080/slow", nil)
	_, err = c.Do(req)
	fmt.Println(errors.Is(err, context.Canceled))

	// A request with a body that is larger than any buffer.
	resp, err := c.Post("http://localhost:18080/hello/x", "text/plain", strings.NewReader(strings.Repeat("x", 3<<20)))
	fmt.Println(err == nil && resp.StatusCode == http.StatusMethodNotAllowed || err != nil)
	if err == nil {
		resp.Body.Close()
	}

	conn, err := net.Dial("tcp", "localhost:18080")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Fprintf(conn, "GET /echo HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
	br := bufio.NewReader(conn)
	resp, err = http.ReadResponse(br, nil)
	fmt.Println(resp.Status, err)
	for i := range 3 {
		fmt.Fprintf(conn, "message %d\n", i)
		line, err := br.ReadString('\n')
		fmt.Printf("%q %v\n", line, err)
	}
	conn.Close()

	ts := httptest.NewTLSServer(mux)
	get(ts.Client(), ts.URL+"/hello/tls")
	_, err = http.Get(ts.URL)
	var ce *tls.CertificateVerificationError
	fmt.Println(errors.As(err, &ce))
	ts2 := httptest.NewUnstartedServer(mux)
	ts2.EnableHTTP2 = true
	ts2.StartTLS()
	get(ts2.Client(), ts2.URL+"/hello/http2")
	get(ts2.Client(), ts2.URL+"/big")

	back, _ := url.Parse("http://localhost:18080")
	proxy := httptest.NewServer(httputil.NewSingleHostReverseProxy(back))
	get(c, proxy.URL+"/hello/proxy")
	get(c, proxy.URL+"/big")

	var wg sync.WaitGroup
	var mu sync.Mutex
	ok := 0
	for i := range 100 {
		wg.Go(func() {
			resp, err := c.Get(fmt.Sprintf("http://localhost:18080/hello/%d", i))
			if err != nil {
				return
			}
			b, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err == nil && strings.HasPrefix(string(b), fmt.Sprintf("hello, %d ", i)) {
				mu.Lock()
				ok++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Println(ok, "of 100")
	proxy.Close()
	ts.Close()
	ts2.Close()
	fmt.Println(srv.Shutdown(context.Background()), <-served)
	get(c, "http://127.0.0.1:18080/")

	sock := "/tmp/gyr-test-http.sock"
	os.Remove(sock)
	ul, err := net.Listen("unix", sock)
	if err != nil {
		fmt.Println(err)
		return
	}
	go http.Serve(ul, mux)
	uc := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", sock)
	}}}
	get(uc, "http://unix/hello/unix")
	ul.Close()
}
