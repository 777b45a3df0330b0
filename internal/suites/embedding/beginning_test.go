package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

// beginner is a library whose initialisation does what the host's function What says.
const beginner = `package lib

import (
	"crypto/rand"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"time"

	"example.com/host"
)

var got string

func Warm() {
	switch what := os.Getenv("WHAT"); what {
	case "log":
		log.Print("a message")
	case "slog":
		slog.Info("a message", "n", 1)
	case "stdout":
		fmt.Println("text")
	case "stderr":
		println("text")
	case "dial":
		_, err := net.Dial("tcp", "example.com:80")
		got = fmt.Sprint(err)
	case "file":
		_, err := os.ReadFile("/data/file")
		got = fmt.Sprint(err)
	case "stdin":
		_, err := os.Stdin.Read(make([]byte, 1))
		got = fmt.Sprint(err)
	case "clock":
		got = fmt.Sprint(time.Now().Year() > 1)
	case "random":
		rand.Read(make([]byte, 8))
	case "free":
		got = fmt.Sprint(host.Free(1))
	case "pure":
		got = fmt.Sprint(host.Pure("k", []byte("b"), []string{"x", "y"}, map[string]int{"a": 1}, &host.Point{X: 1, Y: host.NaN()}))
	case "fails":
		_, err := host.Fails("k")
		got = fmt.Sprint(err, err == host.ErrMissing)
	case "count":
		host.Count()
		got = fmt.Sprint(host.Count())
	case "drift":
		got = fmt.Sprint(host.Drift())
	case "back":
		got = fmt.Sprint(host.Back(func(n int) int { return n + 1 }))
	case "handle":
		got = fmt.Sprint(host.Open() != 0)
	case "many":
		for range 2000 { host.Count() }
	case "large":
		host.Pure("k", make([]byte, 2<<20), nil, nil, nil)
	}
}

func Got() string { return got }

func Log() { log.Print("later"); fmt.Println("later") }

func Dial() string { _, err := net.Dial("tcp", "example.com:80"); return fmt.Sprint(err) }

func Read() string { b, err := os.ReadFile("/data/file"); return fmt.Sprint(string(b), err) }

func Count() int { return host.Count() }
`

const beginnerHost = `package host

type Point struct{ X int; Y float64 }
type File uint64

var ErrMissing error

func Free(n int) int
func Pure(k string, b []byte, list []string, m map[string]int, p *Point) string
func NaN() float64
func Fails(k string) (int, error)
func Count() int
func Drift() int
func Back(f func(int) int) int
func Open() File
`

// TestBeginnings: what initialisation did not use prevents no copy, what it did is told, and what
// deterministic functions of the host have answered is asked again for each copy.
func TestBeginnings(t *testing.T) {
	type point struct {
		X int
		Y float64
	}
	type perInstance struct{ counts, pures atomic.Int64 }
	var now perInstance
	var drift atomic.Int64
	missing := errors.New("missing")
	pure := func(f any) gyr.HostFunc { return gyr.HostFunc{Func: f, Deterministic: true} }
	host := gyr.HostPackage{Path: "example.com/host", Source: beginnerHost, Errors: map[string]error{"ErrMissing": missing}, Funcs: map[string]any{
		"Free": func(n int) int { return n },
		"Pure": pure(func(k string, b []byte, list []string, m map[string]int, p *point) string {
			now.pures.Add(1)
			s := fmt.Sprint(k, len(b), list, m)
			if p != nil {
				s += fmt.Sprint(*p)
				p.X = 7
			}
			if len(b) > 0 {
				b[0] = 'z' // what is recorded must not change
			}
			if len(list) > 0 {
				list[0] = "changed"
				m["a"] = 9
			}
			return s
		}),
		"NaN":   pure(func() float64 { return math.Inf(1) }),
		"Fails": pure(func(k string) (int, error) { return 0, fmt.Errorf("%s: %w", k, missing) }),
		"Count": pure(func() int { return int(now.counts.Add(1)) }),
		"Drift": pure(func() int { return int(drift.Add(1)) }),
		"Back":  pure(func(f func(int) int) int { return f(1) }),
		"Open":  pure(func() gyr.Handle[*int] { return gyr.NewHandle(new(int)) }),
	}}
	p, err := gyr.Compile(t.Context(), gyr.Source{FS: fstest.MapFS{"lib.go": {Data: []byte(beginner)}}, Exports: true},
		&gyr.CompileOptions{Warm: []string{"Warm"}, Host: []gyr.HostPackage{host}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/file", []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	refuse := errors.New("refused")
	full := func(cfg gyr.Config) gyr.Config {
		cfg.Log = slog.New(slog.NewTextHandler(&logged, nil))
		cfg.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, refuse }
		cfg.Listen = func(context.Context, string, string) (net.Listener, error) { return nil, refuse }
		cfg.Dirs = []gyr.Dir{{Host: dir, Guest: "/data", ReadOnly: true}}
		return cfg
	}
	const calls = "its initialisation calls the host function "
	for _, c := range []struct{ what, why, plainly string }{ // plainly: without Log, Dial, Listen and Dirs
		{"nothing", "", ""},
		{"log", "its initialisation uses Config.Log", "its initialisation writes to Config.Stderr"},
		{"slog", "its initialisation uses Config.Log", "its initialisation writes to Config.Stderr"},
		{"stdout", "its initialisation writes to Config.Stdout", "="},
		{"stderr", "its initialisation writes to Config.Stderr", "="},
		{"dial", "its initialisation uses the network", "="},
		{"file", "its initialisation uses the file system", "="},
		{"stdin", "its initialisation reads a file or the standard input", "="},
		{"clock", "", ""},
		{"random", "", ""},
		{"free", calls + "host.Free, which is not Deterministic", "="},
		{"pure", "", ""},
		{"fails", "", ""},
		{"count", "", ""},
		{"drift", "the host function host.Drift, which is Deterministic, gave its initialisation another result", "="},
		{"back", calls + "host.Back, which has callbacks", "="},
		{"handle", calls + "host.Open with a value that belongs to one instance (a Handle, a Buffer)", "="},
		{"many", "its initialisation calls host functions more than 1,000 times", "="},
		{"large", "what its initialisation passes to host functions is more than 1 MiB", "="},
	} {
		for _, tier := range tiers() {
			for _, with := range []bool{true, false} {
				why := c.why
				cfg := gyr.Config{Tier: tier, Env: []string{"WHAT=" + c.what}, Memory: 64 << 20}
				if with {
					cfg = full(cfg)
				} else if c.plainly != "=" {
					why = c.plainly
				}
				t.Run(fmt.Sprint(c.what, "/", tier, "/", with), func(t *testing.T) {
					var got []string
					var last gyr.Stats
					look := func(in *gyr.Instance) {
						t.Helper()
						now = perInstance{}
						out, err := in.Call(t.Context(), "Got")
						if err != nil {
							t.Fatal(err)
						}
						last = in.Stats()
						if c.what != "drift" {
							got = append(got, out[0].(string))
							if got[len(got)-1] != got[0] {
								t.Errorf("%q", got)
							}
						}
						if n, err := in.Call(t.Context(), "Count"); c.what == "count" && (err != nil || n[0] != 3) {
							t.Errorf("the host's own state of the instance: %v, %v", n, err)
						}
						if c.what == "pure" && now.pures.Load() != 1 {
							t.Errorf("%d calls", now.pures.Load())
						}
					}
					check := func(when string) {
						t.Helper()
						if b := last.Began; b.Copy != (why == "") || b.Reason != why || b.Made <= 0 || !b.Copy && b.Init <= 0 {
							t.Errorf("%s: %+v, want %q", when, b, why)
						}
					}
					for range 4 {
						in := newInstance(t, p, cfg)
						look(in)
						defer in.Close()
					}
					check("made")
					in := newInstance(t, p, cfg)
					for range 3 {
						look(in)
						check("used")
						if with { // what was granted works in copies
							out, err := in.Call(t.Context(), "Dial")
							if err != nil || !strings.Contains(out[0].(string), "refused") {
								t.Errorf("%v, %v", out, err)
							}
							if out, err := in.Call(t.Context(), "Read"); err != nil || out[0] != "text<nil>" {
								t.Errorf("%v, %v", out, err)
							}
							before := logged.Len()
							if _, err := in.Call(t.Context(), "Log"); err != nil || !strings.Contains(logged.String()[before:], "msg=later") {
								t.Errorf("%v, %q", err, logged.String()[before:])
							}
						}
						if err := in.Reset(cfg); err != nil {
							t.Fatal(err)
						}
					}
					in.Close()
				})
			}
		}
	}
}

// TestBeginningsDocumented: the documentation has each reason.
func TestBeginningsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/embedding.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, why := range []string{"Config.Log", "Config.Stdout", "not Deterministic", "has callbacks", "another result", "more than 1,000 times", "has not come to rest", "the network", "observes it", "the environment, its directories", "collection is due"} {
		if !strings.Contains(string(text), why) {
			t.Errorf("docs/embedding.md does not tell of %q", why)
		}
	}
}
