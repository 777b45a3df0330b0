package gyrhttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/gyrhttp"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
)

const guest = `// Package app answers requests.
package app

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

func n(text string) int { i, _ := strconv.Atoi(text); return i }

var served int

var sink [][]byte

func Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /echo/{name}", func(w http.ResponseWriter, r *http.Request) {
		served++
		b, err := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/x-echo")
		w.Header().Add("X-Twice", "a")
		w.Header().Add("X-Twice", "b")
		w.Header().Set("Content-Length", "7") // which it is not
		w.WriteHeader(http.StatusCreated)
		w.Header().Set("X-Late", "x")
		fmt.Fprintln(w, r.PathValue("name"), r.URL.Query().Get("q"), r.Host, r.Header["X-In"], len(b), err, r.ContentLength, r.Proto, strings.HasPrefix(r.RemoteAddr, "127.0.0.1:"))
	})
	mux.HandleFunc("/count", func(w http.ResponseWriter, r *http.Request) { served++; fmt.Fprint(w, served) })
	mux.HandleFunc("/panic", func(http.ResponseWriter, *http.Request) { panic("no answer") })
	mux.HandleFunc("/abort", func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/loop", func(http.ResponseWriter, *http.Request) { for {} })
	mux.HandleFunc("/memory", func(http.ResponseWriter, *http.Request) { for { sink = append(sink, make([]byte, 1<<20)) } })
	mux.HandleFunc("/long", func(w http.ResponseWriter, r *http.Request) { for range n(r.URL.RawQuery) { fmt.Fprint(w, strings.Repeat("x", 1000)) } })
	mux.HandleFunc("/status", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(7000) })
	mux.HandleFunc("/empty", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return mux
}
`

var program = sync.OnceValues(func() (*gyr.Program, error) {
	src, err := gyrhttp.Source(fstest.MapFS{"go.mod": {Data: []byte("module example.com/app\n\ngo 1.26\n")}, "app/app.go": {Data: []byte(guest)}}, "app")
	if err != nil {
		return nil, err
	}
	return gyr.Compile(context.Background(), src, &gyr.CompileOptions{Host: []gyr.HostPackage{gyrhttp.Host()}})
})

// each makes an instance for each request.
type each struct {
	p   *gyr.Program
	cfg gyr.Config
}

func (e each) Get(ctx context.Context) (*gyr.Instance, error) { return e.p.NewInstance(ctx, e.cfg) }
func (e each) Put(in *gyr.Instance) error                     { return in.Close() }

// serve makes a server. It returns a function that makes a request and returns the answer and the
// error that the host was told.
func serve(t *testing.T, c gyrhttp.Config) func(method, path, body string) (text string, told error) {
	var mu sync.Mutex
	var told error
	c.Error = func(r *http.Request, err error) {
		mu.Lock()
		defer mu.Unlock()
		told = err
	}
	srv := httptest.NewServer(gyrhttp.Handler(c))
	t.Cleanup(srv.Close)
	return func(method, path, body string) (string, error) {
		mu.Lock()
		told = nil
		mu.Unlock()
		req, err := http.NewRequest(method, srv.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "app.example.com"
		req.Header["X-In"] = []string{"1", "2"}
		res, err := srv.Client().Do(req)
		if err != nil {
			return "aborted", nil
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			return "cut off", told
		}
		return fmt.Sprintln(res.StatusCode, res.Header.Get("Content-Type"), res.Header["X-Twice"], res.Header["X-Late"], res.ContentLength) + string(b), told
	}
}

func compiled(t testing.TB) *gyr.Program {
	p, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestHandler: requests and answers cross unchanged, and the host answers for a guest's mistakes.
func TestHandler(t *testing.T) {
	p := compiled(t)
	warm := gyrhttp.NewWarm(p, gyr.Config{Memory: 64 << 20})
	t.Cleanup(func() {
		if err := warm.Close(); err != nil {
			t.Error(err)
		}
	})
	const plain = "text/plain; charset=utf-8 [] []"
	var exit *gyr.ExitError
	for name, instances := range map[string]gyrhttp.Instances{"warm": warm, "each": each{p, gyr.Config{Memory: 64 << 20}}} {
		t.Run(name, func(t *testing.T) {
			ask := serve(t, gyrhttp.Config{Instances: instances, Timeout: 20 * time.Second, RequestBody: 5000, ResponseBody: 50000})
			for _, c := range []struct {
				method, path, body string
				want               string
				told               func(error) bool
			}{
				{"POST", "/echo/tea?q=a%20b", strings.Repeat("b", 5000), "201 text/x-echo [a b] [] 60\ntea a b app.example.com [1 2] 5000 <nil> 5000 HTTP/1.1 true\n", nil},
				{"POST", "/echo/tea", strings.Repeat("b", 5001), "413 " + plain + " 25\nRequest Entity Too Large\n", func(err error) bool { return errors.As(err, new(*http.MaxBytesError)) }},
				{"GET", "/nowhere", "", "404 " + plain + " 19\n404 page not found\n", nil},
				{"GET", "/empty", "", "204  [] [] 0\n", nil},
				{"GET", "/panic", "", "500 " + plain + " 22\nInternal Server Error\n", func(err error) bool { return errors.As(err, &exit) && exit.Code == 2 }},
				{"GET", "/memory", "", "503 " + plain + " 20\nService Unavailable\n", func(err error) bool { return errors.As(err, new(*gyr.MemoryLimitError)) }},
				{"GET", "/long?40", "", "200 " + plain + " -1\n" + strings.Repeat("x", 40000), nil},
				{"GET", "/long?100", "", "cut off", func(err error) bool { return errors.As(err, new(*gyrhttp.ResponseError)) }},
				{"GET", "/status", "", "500 " + plain + " 22\nInternal Server Error\n", func(err error) bool { return errors.As(err, new(*gyrhttp.ResponseError)) }},
				{"GET", "/abort", "", "aborted", nil},
				{"GET", "/nowhere", "", "404 " + plain + " 19\n404 page not found\n", nil},
			} {
				got, told := ask(c.method, c.path, c.body)
				if got != c.want || (told == nil) != (c.told == nil) || c.told != nil && !c.told(told) {
					t.Errorf("%s %s: %q, error %v\nwant %q", c.method, c.path, got, told, c.want)
				}
			}
		})
	}
}

// TestTimeout: the answer is 503 if a request takes too long, including the wait for the instance;
// gas is a limit too.
func TestTimeout(t *testing.T) {
	p := compiled(t)
	warm := gyrhttp.NewWarm(p, gyr.Config{})
	defer warm.Close()
	ask := serve(t, gyrhttp.Config{Instances: warm, Timeout: 100 * time.Millisecond})
	if got, told := ask("GET", "/loop", ""); !strings.HasPrefix(got, "503 ") || !errors.As(told, new(*gyr.DeadlineError)) {
		t.Errorf("%q, %v", got, told)
	}
	in, err := warm.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, told := ask("GET", "/count", ""); !strings.HasPrefix(got, "503 ") || !errors.Is(told, context.DeadlineExceeded) {
		t.Errorf("while nobody gives the instance back: %q, %v", got, told)
	}
	warm.Put(in)
	ask = serve(t, gyrhttp.Config{Instances: each{p, gyr.Config{Gas: 5_000_000}}})
	if got, told := ask("GET", "/loop", ""); !strings.HasPrefix(got, "503 ") || !errors.As(told, new(*gyr.OutOfGasError)) {
		t.Errorf("%q, %v", got, told)
	}
	if got, told := serve(t, gyrhttp.Config{})("GET", "/", ""); !strings.HasPrefix(got, "500 ") || told == nil {
		t.Errorf("without instances: %q, %v", got, told)
	}
}

// TestState: a warm instance keeps variables until its program ends; each of fifty concurrent
// requests gets its turn.
func TestState(t *testing.T) {
	p := compiled(t)
	warm := gyrhttp.NewWarm(p, gyr.Config{})
	defer warm.Close()
	ask := serve(t, gyrhttp.Config{Instances: warm})
	seen := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			text, _ := ask("GET", "/count", "")
			mu.Lock()
			defer mu.Unlock()
			seen[text[strings.IndexByte(text, '\n')+1:]] = true
		})
	}
	wg.Wait()
	for i := range 50 {
		if !seen[fmt.Sprint(i+1)] {
			t.Errorf("nobody was number %d: %v", i+1, seen)
			break
		}
	}
	ask("GET", "/panic", "")
	if text, _ := ask("GET", "/count", ""); !strings.HasSuffix(text, "\n1") {
		t.Errorf("after a reset: %q", text)
	}
	ask = serve(t, gyrhttp.Config{Instances: each{p, gyr.Config{}}})
	for range 2 {
		if text, _ := ask("GET", "/count", ""); !strings.HasSuffix(text, "\n1") {
			t.Errorf("an instance a request: %q", text)
		}
	}
}

// TestSource: a package that cannot have a shim is refused, and the file system with the shim
// passes fstest.
func TestSource(t *testing.T) {
	app := fstest.MapFS{"a/app.go": {Data: []byte(guest)}, "a/zz.txt": {}, "b/b.go": {Data: []byte("package")}, "c/gyrhttp_shim.go": {}, "d/d_test.go": {Data: []byte("package d")}}
	for dir, want := range map[string]string{
		"nowhere": "open nowhere: file does not exist", "b": "expected 'IDENT'", "c": "there is a c/gyrhttp_shim.go already", "d": "no Go files in d",
	} {
		if _, err := gyrhttp.Source(app, dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", dir, err, want)
		}
	}
	src, err := gyrhttp.Source(app, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(src.FS, "a/app.go", "a/gyrhttp_shim.go", "a/zz.txt", "b/b.go"); err != nil {
		t.Error(err)
	}
}
