package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/report"
	"github.com/gyrvm/gyr/internal/tools/headless"
)

// growing is a session that has one more row whenever its number is raised, and a count of how often it is asked for.
func growing(rows *atomic.Int64) (source Source, read *atomic.Int64) {
	read = &atomic.Int64{}
	version := func() (string, error) {
		n := rows.Load()
		if n < 0 {
			return "", errors.New("gone")
		}
		return fmt.Sprintf("%d rows", n), nil
	}
	return Source{version, func() (*report.Session, error) {
		read.Add(1)
		s := &report.Session{Lines: []ledger.Line{{Config: &ledger.Config{Name: "live", MetricName: "allocs"}}}}
		for i := range rows.Load() {
			v := float64(100 - i)
			s.Lines = append(s.Lines, ledger.Line{Row: &ledger.Row{Run: int(i + 1), Status: ledger.Keep, Verdict: ledger.VerdictKeep, Metric: &v, Description: fmt.Sprintf("change <%d>", i+1)}})
		}
		return s, nil
	}}, read
}

// TestEvents: the page is the report's, an event comes at once and when the log grows, a version is read once, a log that cannot be read is an error of the page and no
// end of the events, and who asks for another host gets nothing.
func TestEvents(t *testing.T) {
	var rows atomic.Int64
	rows.Store(2)
	source, read := growing(&rows)
	server := httptest.NewServer(Handler(source))
	defer server.Close()
	get := func(path, host string) (int, string, http.Header) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text), resp.Header
	}
	status, page, header := get("/", "")
	if status != 200 || !strings.Contains(page, "change &lt;2&gt;") || !strings.Contains(page, `class="chart"`) || !strings.Contains(page, "live.js") ||
		!strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d %v\n%s", status, header, page)
	}
	for _, host := range []string{"evil.example", "evil.example:80", "10.0.0.1"} {
		if status, _, _ := get("/", host); status != http.StatusForbidden {
			t.Errorf("%s gets %d", host, status)
		}
	}
	if status, _, _ := get("/other", ""); status != http.StatusNotFound {
		t.Errorf("status %d", status)
	}
	resp, err := http.Get(server.URL + "/events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	r := bufio.NewScanner(resp.Body)
	next := func() string {
		for r.Scan() {
			if data, ok := strings.CutPrefix(r.Text(), "data: "); ok {
				return data
			}
		}
		return ""
	}
	if got := next(); got != "2 rows" {
		t.Errorf("%q", got)
	}
	if _, again, _ := get("/", ""); again != page || read.Load() != 1 {
		t.Errorf("the log was read %d times for one version", read.Load())
	}
	rows.Store(-1)
	if status, text, _ := get("/", ""); status != 500 || !strings.Contains(text, "gone") {
		t.Errorf("%d %s", status, text)
	}
	rows.Store(3)
	if got := next(); got != "3 rows" {
		t.Errorf("%q", got)
	}
	if _, page, _ := get("/", ""); !strings.Contains(page, "change &lt;3&gt;") || read.Load() != 2 {
		t.Errorf("the log was read %d times for two versions", read.Load())
	}
}

// TestServe: it listens on this machine only, says where, and ends with its context.
func TestServe(t *testing.T) {
	var rows atomic.Int64
	source, _ := growing(&rows)
	for _, bad := range []string{"0.0.0.0:0", ":0", "nowhere", "192.0.2.1:80"} {
		if err := Serve(t.Context(), bad, source, func(string) { t.Errorf("%s is served", bad) }); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	url := make(chan string, 1)
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, "127.0.0.1:0", source, func(u string) { url <- u }) }()
	resp, err := http.Get(<-url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestBrowser opens the page in a browser while the log grows: the row that comes later is on it, without a message of the console.
func TestBrowser(t *testing.T) {
	var rows atomic.Int64
	rows.Store(1)
	source, _ := growing(&rows)
	server := httptest.NewServer(Handler(source))
	defer server.Close()
	// The second row comes while the page listens. The stream ends then, and is not taken up again: the browser's clock stands
	// still as long as something is being loaded.
	inner, streams := server.Config.Handler, atomic.Int64{}
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
			if streams.Add(1) > 1 {
				w.WriteHeader(http.StatusNoContent)
				return
			}
			time.AfterFunc(interval, func() { rows.Store(2) })
			ctx, cancel := context.WithTimeout(r.Context(), 4*interval)
			defer cancel()
			r = r.WithContext(ctx)
		}
		inner.ServeHTTP(w, r)
	})
	got := headless.Open(t, headless.Page{URL: server.URL + "/", Width: 1000, Height: 800, Time: 8 * time.Second})
	if !strings.Contains(got.DOM, `id="live"`) || !strings.Contains(got.DOM, "change &lt;2&gt;") {
		t.Errorf("the page has no second row:\n%.3000s", got.DOM)
	}
	if len(got.Console) > 0 {
		t.Errorf("%q", got.Console)
	}
}
