// Package live serves the report of a research session as a page that follows the log: the report's own page with a
// script that takes the parts anew when the server says, by an event, that the log has grown.
package live

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/report"
)

//go:embed live.js
var script string

// interval is how often the log is looked at.
const interval = 500 * time.Millisecond

// A Source is a session that goes on. Its functions are called by several goroutines.
type Source struct {
	Version func() (string, error) // changes when the log does; is asked for twice a second by each browser
	Session func() (*report.Session, error)
}

// A page is the report of a version, which is made once.
type page struct {
	mu      sync.Mutex
	version string
	text    string
}

// of is the page of the source as it is now.
func (p *page) of(source Source) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	version, err := source.Version()
	if err != nil || p.text != "" && version == p.version {
		return p.text, err
	}
	s, err := source.Session()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := report.HTML(&b, s); err != nil {
		return "", err
	}
	head, rest, _ := strings.Cut(b.String(), "</head>")
	p.version, p.text = version, head+`<script src="live.js" defer></script></head>`+rest
	return p.text, nil
}

// Handler serves the page at /, its script, and the events at /events. It answers requests for this machine only, whatever name
// a browser was told to find it by.
func Handler(source Source) http.Handler {
	mux, now := http.NewServeMux(), &page{}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		text, err := now.of(source)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	})
	mux.HandleFunc("GET /live.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		fmt.Fprint(w, script)
	})
	mux.HandleFunc("GET /events", func(w http.ResponseWriter, r *http.Request) { events(w, r, source) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "only for this machine", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	})
}

// events sends the version whenever it changes, until the browser goes.
func events(w http.ResponseWriter, r *http.Request, source Source) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no events here", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	sent := ""
	for quiet := 0; ; quiet++ {
		version, err := source.Version()
		switch {
		case err != nil: // the file is being moved, or gone: the next look may find it
		case version != sent:
			sent, quiet = version, 0
			fmt.Fprintf(w, "data: %s\n\n", version)
			flusher.Flush()
		case quiet%30 == 29: // so that a browser that went is noticed
			fmt.Fprint(w, ": \n\n")
			flusher.Flush()
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(interval):
		}
	}
}

// Serve serves on an address of this machine until ctx ends, and says where by ready. The address has a port, 0 for any.
func Serve(ctx context.Context, address string, source Source, ready func(url string)) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%s is no address of this machine alone: want 127.0.0.1:PORT", address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	ready("http://" + l.Addr().String() + "/")
	server := &http.Server{Handler: Handler(source), ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return server.Close()
	}
}
