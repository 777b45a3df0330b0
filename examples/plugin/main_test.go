package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr/examples/internal/leaks"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

func post(t *testing.T, url, body string) (status int, text string) {
	t.Helper()
	r, err := http.Post(url, "", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

func TestPlugin(t *testing.T) {
	leaks.Check(t)
	var mu sync.Mutex
	var log bytes.Buffer
	s := newService(slog.New(slog.NewTextHandler(writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(p)
	}), nil)))
	s.limits.Timeout = time.Minute // gas ends runaway rules; the machine may be slow
	server := httptest.NewServer(s.handler())
	discount, err := os.ReadFile("testdata/discount.go")
	if err != nil {
		t.Fatal(err)
	}
	check := func(path, body string, status int, contains string) {
		t.Helper()
		if got, text := post(t, server.URL+path, body); got != status || !strings.Contains(text, contains) {
			t.Errorf("%s %s: status %d, want %d with %q:\n%s", path, body, got, status, contains, text)
		}
	}
	check("/decide/discount", `{}`, 404, "no such rule")
	check("/rules/discount", string(discount), 200, `"Version":1`)
	check("/decide/discount", `{"Customer": "ada", "Total": 12000}`, 200, `"Discount":1200`)
	check("/decide/discount", `{"Customer": "grace", "Total": 12000}`, 200, `"not yet"`)
	check("/decide/discount", `{"Customer": "eve", "Total": 1}`, 200, `"new here"`)
	check("/decide/discount", `{"Customer": "ada", "Total": -1}`, 422, "a negative total")
	if mu.Lock(); !strings.Contains(log.String(), "msg=discount rule=discount") || !strings.Contains(log.String(), "cents=1200") {
		t.Errorf("log:\n%s", log.String())
	}
	mu.Unlock()

	// Errors in a rule are reported when it is uploaded, and the old version stays.
	check("/rules/discount", "package rule\n\nimport \"shop.example/shop\"\n\nfunc Decide() { shop.Lookup(1) }\n", 422, "cannot use 1")
	check("/rules/discount", "package rule\n\nfunc Decide(n int) int { return n }\n", 422, "Decide")
	check("/decide/discount", `{"Customer": "ada", "Total": 100}`, 200, `"Version":1`)

	// Rules are changed while requests run.
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				status, text := post(t, server.URL+"/decide/discount", `{"Customer": "ada", "Total": 100}`)
				if status != 200 || !strings.Contains(text, `"Discount":1`) {
					t.Errorf("request of %d: %d %s", i, status, text)
				}
			}
		})
	}
	for v := range 3 {
		check("/rules/discount", strings.Replace(string(discount), "/ 10", fmt.Sprintf("/ %d", 9-v), 1), 200, `"Version"`)
	}
	wg.Wait()

	// Limits: nothing of a misbehaving rule affects the next request.
	bad := strings.Replace(string(discount), "c, err :=", "if o.Total == 1 { for {} }\n\tif o.Total == 2 { panic(\"two\") }\n\tif o.Total == 3 { big = make([]byte, 64<<20) }\n\tc, err :=", 1)
	check("/rules/bad", bad+"\nvar big []byte\n", 200, `"Version":1`)
	check("/decide/bad", `{"Customer": "ada", "Total": 1}`, 503, "out of gas")
	check("/decide/bad", `{"Customer": "ada", "Total": 2}`, 500, "two")
	check("/decide/bad", `{"Customer": "ada", "Total": 3}`, 503, "memory limit")
	check("/decide/bad", `{"Customer": "ada", "Total": 100}`, 200, `"Discount":10`)

	server.Close()
	s.close()
	http.DefaultClient.CloseIdleConnections()
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestGone: a client that leaves while its rule is compiled or decides does not affect the service.
func TestGone(t *testing.T) {
	leaks.Check(t)
	s := newService(slog.New(slog.DiscardHandler))
	s.limits.Timeout = time.Minute
	defer s.close()
	discount, err := os.ReadFile("testdata/discount.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ path, body, want string }{
		{"/rules/discount", string(discount), `"Version":`}, {"/decide/discount", `{"Customer": "ada", "Total": 12000}`, `"Discount":1200`},
	} {
		last := leaks.Gone(t, s.handler(), func() *http.Request { return httptest.NewRequest("POST", x.path, strings.NewReader(x.body)) })
		if last.Code != 200 || !strings.Contains(last.Body.String(), x.want) {
			t.Errorf("%s: then %d %s", x.path, last.Code, last.Body)
		}
	}
}
