package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/examples/internal/leaks"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// baseOf opens the standard library once for all tests.
var baseOf = sync.OnceValues(func() (*gyr.Base, error) { return gyr.OpenBase(context.Background(), gyr.BaseConfig{}) })

// testGas is the gas of test programs: enough for every program that must end otherwise.
const testGas = 20_000_000

// start serves the playground until the end of the test. No goroutine of it may be left then.
func start(t *testing.T, change func(*limits)) *httptest.Server {
	t.Helper()
	base, err := baseOf()
	if err != nil {
		t.Fatal(err)
	}
	leaks.Check(t)
	l := defaultLimits()
	l.Gas, l.Run, l.Compile = testGas, 10*time.Minute, 10*time.Minute // gas ends runaway programs; the machine may be slow
	if change != nil {
		change(&l)
	}
	s := httptest.NewServer(newServer(base, l, memoryStore()))
	t.Cleanup(func() {
		s.Client().CloseIdleConnections()
		s.Close()
	})
	return s
}

// post sends a program and reads the answer, which must have the given status.
func post[T any](t *testing.T, s *httptest.Server, path, source string, status int) (answer T) {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"source": source})
	r, err := s.Client().Post(s.URL+path, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status {
		t.Fatalf("%s: status %d, want %d: %s %v", path, r.StatusCode, status, text, err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return answer
}

// written returns what a program wrote to a stream.
func (r *result) written(stream int) string {
	var b strings.Builder
	for _, e := range r.Events {
		if e.Stream == stream {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

func TestOutcomes(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		name, source     string
		outcome, message string
		line             int
		out, err         string // beginning of the output
	}{
		{"hello", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n", "ok", "", 0, "hello\n", ""},
		{"exit", "package main\n\nimport \"os\"\n\nfunc main() { os.Exit(3) }\n", "exit", "exit status 3", 0, "", ""},
		{"endless loop", "package main\n\nfunc main() {\n\tfor i := 0; ; i++ {\n\t}\n}\n", "gas",
			"out of gas: limit of 20000000 units reached in main.main (main.go:4)", 4, "", ""},
		{"endless sleep", "package main\n\nimport \"time\"\n\nfunc main() {\n\tfor {\n\t\ttime.Sleep(time.Hour)\n\t}\n}\n", "gas", "out of gas: limit", -1, "", ""},
		{"flood", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfor {\n\t\tfmt.Println(\"flood\")\n\t}\n}\n", "output",
			"output limit of 64 KiB reached in main.main (main.go:7)", 7, "flood\nflood\n", ""},
		{"memory", "package main\n\nvar keep [][]byte\n\nfunc main() {\n\tfor {\n\t\tkeep = append(keep, make([]byte, 1<<20))\n\t}\n}\n", "memory",
			"memory limit of 64 MiB reached in main.main (main.go:7)", 7, "", ""},
		{"recursion", "package main\n\nfunc f(n int) int {\n\treturn f(n+1) + 1\n}\n\nfunc main() { println(f(0)) }\n", "stack", "stack limit", 3, "", ""},
		{"panic", "package main\n\nfunc main() {\n\tvar m map[string]int\n\tm[\"a\"] = 1\n}\n", "exit", "panic: assignment to entry in nil map in main.main (main.go:5)", 5, "",
			"panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\n"},
		{"deadlock", "package main\n\nfunc main() { <-make(chan int) }\n", "exit", "fatal error: all goroutines are asleep - deadlock!", -1, "",
			"fatal error: all goroutines are asleep - deadlock!"},
		{"no files, no network, no environment", "package main\n\nimport (\"fmt\"; \"os\")\n\nfunc main() {\n\t_, err := os.ReadFile(\"/etc/passwd\")\n\tfmt.Println(err, os.Environ())\n}\n",
			"ok", "", 0, "open /etc/passwd: no such file or directory []\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := post[result](t, s, "/api/run", c.source, 200)
			if r.Outcome != c.outcome || !strings.HasPrefix(r.Message, c.message) || c.line >= 0 && r.Line != c.line || r.Errors != nil {
				t.Errorf("%+v", r)
			}
			if out, err := r.written(1), r.written(2); !strings.HasPrefix(out, c.out) || !strings.HasPrefix(err, c.err) ||
				c.out == "" && out != "" || c.err == "" && err != "" {
				t.Errorf("output %.200q, errors %.200q", out, err)
			}
			if n := len(r.written(1)) + len(r.written(2)); n > 64<<10 || c.outcome == "output" && n != 64<<10 {
				t.Errorf("%d bytes of output", n)
			}
			if r.Gas <= 0 || r.Gas > testGas {
				t.Errorf("gas %d", r.Gas)
			}
			// A second run gives the same, without the host's times.
			again := post[result](t, s, "/api/run", c.source, 200)
			again.RunMS, again.CompileMS = r.RunMS, r.CompileMS
			if fmt.Sprint(again) != fmt.Sprint(r) {
				t.Errorf("then %.300v", again)
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	s := start(t, nil)
	r := post[result](t, s, "/api/run", "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tx := 1\n\tréel := \"é\" + 1\n}\n", 200)
	want := []message{
		{3, 8, 3, 13, `"fmt" imported and not used`}, {6, 2, 6, 3, "declared and not used: x"}, {7, 2, 7, 7, "declared and not used: réel"},
	}
	if r.Outcome != "compile" || len(r.Errors) < len(want) || r.Events != nil {
		t.Fatalf("%+v", r)
	}
	for i, m := range want {
		if r.Errors[i] != m {
			t.Errorf("message %d: %+v, want %+v", i, r.Errors[i], m)
		}
	}
	for name, source := range map[string]string{
		"no package": "hello", "nothing": "", "another package": "package lib\n", "unsafe": "package main\n\nimport _ \"unsafe\"\n\nfunc main() {}\n",
		"a module": "package main\n\nimport _ \"example.com/m\"\n\nfunc main() {}\n",
	} {
		if r := post[result](t, s, "/api/run", source, 200); r.Outcome != "compile" || len(r.Errors) == 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	r = post[result](t, s, "/api/run", "package main\n\nvar x = "+strings.Repeat("(", 5000)+"1"+strings.Repeat(")", 5000)+"\n\nfunc main() {}\n", 200)
	if r.Outcome != "source" || r.Line != 3 || !strings.Contains(r.Message, "nested too deep") {
		t.Errorf("%+v", r)
	}
}

// TestReplay: output has the times of the program's clock, on both streams, and a program that
// sleeps does not take that long.
func TestReplay(t *testing.T) {
	s := start(t, nil)
	r := post[result](t, s, "/api/run", `package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

func main() {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			for n := range 3 {
				time.Sleep(time.Duration(20+10*i) * time.Hour)
				fmt.Fprintln([]*os.File{os.Stdout, os.Stderr}[i], i, n)
			}
		})
	}
	wg.Wait()
	fmt.Print("the ")
	fmt.Print("end\n")
}
`, 200)
	const hour = 3600_000
	want := []event{{20 * hour, 1, "0 0\n"}, {30 * hour, 2, "1 0\n"}, {40 * hour, 1, "0 1\n"}, {60 * hour, 2, "1 1\n"}, {60 * hour, 1, "0 2\n"}, {90 * hour, 2, "1 2\n"}, {90 * hour, 1, "the end\n"}}
	if r.Outcome != "ok" || len(r.Events) != len(want) {
		t.Fatalf("%+v", r)
	}
	for i, e := range r.Events {
		if d := e.AtMS - want[i].AtMS; d < 0 || d > 10 || e.Stream != want[i].Stream || e.Text != want[i].Text {
			t.Errorf("event %d: %+v, want %+v", i, e, want[i])
		}
	}
	// However often a program writes, the page gets a limited number of events, and the whole text.
	r = post[result](t, s, "/api/run", "package main\n\nimport (\"fmt\"; \"time\")\n\nfunc main() {\n\tfor range 6000 {\n\t\tfmt.Print(\"x\")\n\t\ttime.Sleep(time.Second)\n\t}\n}\n", 200)
	if len(r.Events) != maxEvents || r.written(1) != strings.Repeat("x", 6000) {
		t.Errorf("%s: %d events of %d bytes", r.Outcome, len(r.Events), len(r.written(1)))
	}
}

// TestHot: a profile names the function that used most gas, and the gas of each line.
func TestHot(t *testing.T) {
	s := start(t, nil)
	const source = `package main

import (
	"fmt"
	"strings"
)

func work(n int) (sum int) {
	for i := range n {
		sum += i % 7
	}
	return sum
}

func main() {
	fmt.Println(work(100_000))
	fmt.Println(len(strings.Repeat("ab", 1000)))
}
`
	h := post[hot](t, s, "/api/hot", source, 200)
	sum, line := int64(0), map[int]int64{}
	for _, l := range h.Lines {
		sum += l.Gas
		line[l.Line] = l.Gas
	}
	if h.Outcome != "ok" || h.Func != "main.work" || h.FnGas < h.Gas/2 || h.FnGas > h.Gas || sum > h.Gas || sum < h.Gas*9/10 || line[10] < h.Gas/2 || line[16] == 0 {
		t.Errorf("%+v", h)
	}
	if !strings.Contains(h.IR, "main.work") {
		t.Errorf("IR: %q", h.IR)
	}
	if r := post[result](t, s, "/api/run", source, 200); r.Gas != h.Gas {
		t.Errorf("gas %d, with a profile %d", r.Gas, h.Gas)
	}
	s = start(t, func(l *limits) { l.Gas = 1_000_000 })
	if h := post[hot](t, s, "/api/hot", "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n", 200); h.Outcome != "gas" || h.Func != "main.main" {
		t.Errorf("%+v", h)
	}
	if h := post[hot](t, s, "/api/hot", "package main\n\nfunc main() { x }\n", 200); h.Outcome != "compile" || len(h.Errors) != 1 || h.Func != "" {
		t.Errorf("%+v", h)
	}
}

// TestGone: a client that leaves, at any moment, ends its request and nothing else.
func TestGone(t *testing.T) {
	base, err := baseOf()
	if err != nil {
		t.Fatal(err)
	}
	leaks.Check(t)
	l := defaultLimits()
	l.Gas, l.Run, l.Compile = testGas/10, 10*time.Minute, 10*time.Minute
	h := newServer(base, l, memoryStore())
	body, _ := json.Marshal(map[string]string{"source": "package main\n\nfunc main() {\n\tfor i := 0; ; i++ {\n\t}\n}\n"})
	for _, path := range []string{"/api/run", "/api/hot"} {
		last := leaks.Gone(t, h, func() *http.Request {
			r := httptest.NewRequest("POST", path, bytes.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			return r
		})
		if last.Code != 200 || !strings.Contains(last.Body.String(), `"outcome":"gas"`) {
			t.Errorf("%s: then %d %s", path, last.Code, last.Body)
		}
	}
	// A client that certainly leaves during compilation: its context has ended before.
	s := &server{base: base, limits: l}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.run(ended, "package main\n\nfunc main() {}\n"); !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
	if _, err := s.profile(ended, "package main\n\nfunc main() {}\n"); !errors.Is(err, context.Canceled) {
		t.Errorf("profile: %v", err)
	}
}

func TestShare(t *testing.T) {
	s := start(t, nil)
	const source = "package main\n\nfunc main() { println(\"é <b>\") }\n"
	id := post[map[string]string](t, s, "/api/share", source, 200)["id"]
	if !isID(id) || post[map[string]string](t, s, "/api/share", source, 200)["id"] != id {
		t.Errorf("ID %q", id)
	}
	get := func(path string) (int, string, http.Header) {
		r, err := s.Client().Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text), r.Header
	}
	if status, text, h := get("/api/p/" + id); status != 200 || text != source || h.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Errorf("%d %q %v", status, text, h)
	}
	for _, id := range []string{"AAAAAAAAAAAAAAAA", "x", "..%2F..%2Fetc%2Fpasswd", "%00"} {
		if status, text, _ := get("/api/p/" + id); status != 404 || !strings.Contains(text, "no such program") {
			t.Errorf("%s: %d %q", id, status, text)
		}
	}
	for _, path := range []string{"/", "/p/" + id} {
		if status, text, h := get(path); status != 200 || text != string(page) || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %v", path, status, h)
		}
	}
	if status, _, _ := get("/other"); status != 404 {
		t.Errorf("status %d", status)
	}
}

func TestStores(t *testing.T) {
	dir := t.TempDir()
	onDisk, err := directoryStore(dir + "/shared")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]store{"memory": memoryStore(), "directory": onDisk} {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				source := fmt.Sprint("program ", i%5)
				id, err := s.put(source)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if got, err := s.get(id); got != source || err != nil {
					t.Errorf("%s: %q, %v", name, got, err)
				}
			})
		}
		wg.Wait()
		for _, id := range []string{"", "../stores", idOf("none")} {
			if _, err := s.get(id); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %q: %v", name, id, err)
			}
		}
	}
	if files, err := os.ReadDir(dir + "/shared"); err != nil || len(files) != 5 {
		t.Errorf("%v, %v", files, err)
	}
	small := memoryStore()
	for i := range maxShared + 2 {
		small.put(fmt.Sprint(i))
	}
	if _, err := small.get(idOf("1")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the oldest programs: %v", err)
	}
	if got, err := small.get(idOf("2")); got != "2" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestRefused: invalid, too large and too many requests have different errors.
func TestRefused(t *testing.T) {
	s := start(t, func(l *limits) { l.Source = 1000 })
	for _, c := range []struct {
		typ, origin, body string
		status            int
	}{
		{"application/json", "", `{"source": "package main\n\nfunc main() {}\n"}`, 200},
		{"application/json; charset=utf-8", "", `{"source": ""}`, 200},
		{"text/plain", "", `{"source": ""}`, 400},
		{"", "", `{"source": ""}`, 400},
		{"application/json", "", `{"source": 1}`, 400},
		{"application/json", "", `{`, 400},
		{"application/json", "", ``, 400},
		{"application/json", "", `{"source": "` + strings.Repeat("x", 1001) + `"}`, 413},
		{"application/json", "", `{"source": "` + strings.Repeat("x", 100_000) + `"}`, 413},
		{"application/json", "http://example.com", `{"source": ""}`, 403},
	} {
		req, err := http.NewRequest("POST", s.URL+"/api/run", strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", c.typ)
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		r, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if r.StatusCode != c.status {
			t.Errorf("%s, %.40q: status %d, want %d: %s", c.typ, c.body, r.StatusCode, c.status, text)
		}
	}
}

// TestCrowd: only as many programs run at a time as there are places. Others wait for some time,
// and a client that leaves frees its place.
func TestCrowd(t *testing.T) {
	s := start(t, func(l *limits) { l.Runs, l.Wait, l.Gas = 1, time.Millisecond, 1<<60 })
	const endless = "package main\n\nfunc main() {\n\tfor {\n\t}\n}\n"
	ctx, leave := context.WithCancel(t.Context())
	body, _ := json.Marshal(map[string]string{"source": endless})
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/api/run", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	left := make(chan error)
	go func() {
		for { // until it has the place
			req.Body = io.NopCloser(bytes.NewReader(body))
			r, err := s.Client().Do(req)
			if err != nil {
				left <- err
				return
			}
			r.Body.Close()
		}
	}()
	const hello = "package main\n\nfunc main() { println(1) }\n"
	status := func() int {
		body, _ := json.Marshal(map[string]string{"source": hello})
		r, err := s.Client().Post(s.URL+"/api/run", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	until := func(want int) {
		t.Helper()
		for range 10_000 {
			if status() == want {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Fatalf("never status %d", want)
	}
	until(503) // the other one has the place
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	until(200)
}

// TestTime: a run and a compilation that take too long by the host's clock end.
func TestTime(t *testing.T) {
	s := start(t, func(l *limits) { l.Run, l.Gas = 50*time.Millisecond, 1<<60 })
	r := post[result](t, s, "/api/run", "package main\n\nfunc main() {\n\tprintln(1)\n\tfor i := 0; ; i++ {\n\t}\n}\n", 200)
	if r.Outcome != "time" || r.written(2) != "1\n" || r.Line != 5 {
		t.Errorf("%+v", r)
	}
	s = start(t, func(l *limits) { l.Compile = time.Nanosecond })
	if r := post[result](t, s, "/api/run", "package main\n\nfunc main() {}\n", 200); r.Outcome != "time" {
		t.Errorf("%+v", r)
	}
}
