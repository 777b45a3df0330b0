package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestHosts: all engines give native Go's answers in each of the three hosts, over HTTP too, and the
// tables have a cell for each figure.
func TestHosts(t *testing.T) {
	var out bytes.Buffer
	r := &hostRun{ctx: t.Context(), dir: ".", out: &out, rounds: 1, sample: time.Millisecond, transfers: 500}
	done, err := r.open()
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for name, run := range hosts {
		if err := run(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	tables, cells := 0, 0
	for line := range strings.Lines(out.String()) {
		switch n := strings.Count(line, "|"); {
		case strings.TrimSpace(line) == "":
			cells = 0
		case cells == 0:
			tables++
			cells = n
		case n != cells:
			t.Errorf("%d cells of %d: %s", n-1, cells-1, line)
		}
	}
	if tables != 6 {
		t.Errorf("%d tables:\n%s", tables, &out)
	}
}

// TestHostsDiffer: an engine with another answer than native Go's, or an error, is found.
func TestHostsDiffer(t *testing.T) {
	r := &hostRun{ctx: t.Context(), rounds: 1, sample: time.Millisecond}
	direct := func(h *pluginHost) func(k, n int) (load, error) {
		return func(_, n int) (load, error) {
			return send(2, n, func(text string) (string, error) { return h.handle(t.Context(), text) })
		}
	}
	for want, h := range map[string]*pluginHost{
		"differ":  {name: "wrong", handle: func(context.Context, string) (string, error) { return "", nil }},
		"refused": {name: "broken", handle: func(context.Context, string) (string, error) { return "", errors.New("refused") }},
	} {
		if err := r.comparePlugins([]*pluginHost{h}); err == nil || !strings.Contains(err.Error(), h.name) {
			t.Errorf("%v", err)
		}
		if err := r.measurePlugins([]*pluginHost{h}, direct(h)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// TestHostsUsage: wrong arguments are refused before anything is built.
func TestHostsUsage(t *testing.T) {
	for _, args := range [][]string{{"-only", "bank"}, {"-rounds", "0"}, {"-sample", "0s"}, {"-transfers", "-1"}, {"more"}} {
		if err := runHosts(args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	for _, args := range [][]string{{}, {"http://127.0.0.1:1/", "0", "1"}, {"http://127.0.0.1:1/", "1", "x"}} {
		if err := runLoad(args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
