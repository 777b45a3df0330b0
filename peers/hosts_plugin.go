package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/peers/guest/plugin"
	"github.com/gyrvm/gyr/peers/host"
)

// A pluginHost answers requests with a plug-in.
type pluginHost struct {
	name   string
	handle func(ctx context.Context, text string) (string, error)
	made   func() uint64 // instances made since the beginning; nil: there are none
	close  func()

	// The figures of a table.
	samples  []pluginSample
	requests int    // also those before the first sample
	before   uint64 // made
}

// A pluginSample is some requests. Times are those of one request, in nanoseconds.
type pluginSample struct{ cpu, system, median, p99 float64 }

const connections = 8

// plugin is the plug-in host: over HTTP, and without.
func (r *hostRun) plugin() error {
	list, err := r.pluginHosts()
	defer func() {
		for _, h := range list {
			h.close()
		}
	}()
	if err != nil {
		return err
	}
	if err := r.comparePlugins(list); err != nil {
		return err
	}
	server, err := serve(list)
	if err != nil {
		return err
	}
	defer server.close()
	for _, way := range []struct {
		name string
		send func(k, n int) (load, error)
	}{
		{fmt.Sprintf("HTTP, %d connections, processor time of the server", connections), func(k, n int) (load, error) { return server.load(r.ctx, k, n) }},
		{"without HTTP, one goroutine", func(k, n int) (load, error) {
			return send(1, n, func(text string) (string, error) { return list[k].handle(r.ctx, text) })
		}},
		{fmt.Sprintf("without HTTP, %d goroutines", connections), func(k, n int) (load, error) {
			return send(connections, n, func(text string) (string, error) { return list[k].handle(r.ctx, text) })
		}},
	} {
		if err := r.measurePlugins(list, way.send); err != nil {
			return err
		}
		r.header("plug-ins: "+way.name+", one request", "processor time", "of it the system's", "p50", "p99", "instances made")
		for _, h := range list {
			h.write(r)
		}
		fmt.Fprintln(r.out)
	}
	return nil
}

// measurePlugins takes samples of all hosts, in turns.
func (r *hostRun) measurePlugins(list []*pluginHost, send func(k, n int) (load, error)) error {
	counts := make([]int, len(list))
	for round := range r.rounds {
		for k, h := range list {
			if round == 0 {
				h.samples, h.requests = nil, 0
				if h.made != nil {
					h.before = h.made()
				}
				// The first sample is cold, so a longer one says how long the others are to be.
				n := 2 * connections
				for range 2 {
					s, err := h.sample(k, n, send)
					if err != nil {
						return fmt.Errorf("%s: %w", h.name, err)
					}
					fit := int(float64(r.sample.Nanoseconds()) / s.cpu)
					if fit <= n {
						break
					}
					n = min(20_000, fit)
				}
				counts[k] = n
			}
			s, err := h.sample(k, counts[k], send)
			if err != nil {
				return fmt.Errorf("%s: %w", h.name, err)
			}
			h.samples = append(h.samples, s)
		}
	}
	return nil
}

// sample makes n requests. Their answers have to be native Go's.
func (h *pluginHost) sample(k, n int, send func(k, n int) (load, error)) (s pluginSample, err error) {
	runtime.GC() // garbage of others is not part of the sample
	h.requests += n
	user, system := cpuTimes()
	l, err := send(k, n)
	if err != nil {
		return s, err
	}
	after, afterSystem := cpuTimes()
	s.system = float64(afterSystem-system) / float64(n)
	s.cpu = float64(after-user)/float64(n) + s.system
	s.median, s.p99 = float64(l.P50), float64(l.P99)
	if l.Sum != answersSum(n) {
		return s, errors.New("answers differ from native Go's")
	}
	return s, nil
}

// answersSum is the sum of the hashes of native Go's answers to n requests.
func answersSum(n int) (sum uint64) {
	for i, text := range orders {
		if times := (n + len(orders) - 1 - i) / len(orders); times > 0 {
			sum += uint64(times) * answerHash(plugin.Handle(text))
		}
	}
	return sum
}

// write prints the row of a host: medians, and how many instances were made.
func (h *pluginHost) write(r *hostRun) {
	median := func(of func(*pluginSample) float64) string {
		var list []float64
		for i := range h.samples {
			list = append(list, of(&h.samples[i]))
		}
		return span(measure.Median(list))
	}
	made := "–"
	if h.made != nil {
		made = fmt.Sprintf("%s for %s", thousands(h.made()-h.before), thousands(h.requests))
	}
	r.row(h.name,
		median(func(s *pluginSample) float64 { return s.cpu }), median(func(s *pluginSample) float64 { return s.system }),
		median(func(s *pluginSample) float64 { return s.median }), median(func(s *pluginSample) float64 { return s.p99 }), made)
}

// comparePlugins reports a host whose answers differ from native Go's.
func (r *hostRun) comparePlugins(list []*pluginHost) error {
	var wrong []error
	for _, h := range list {
		for _, text := range orders {
			got, err := h.handle(r.ctx, text)
			if want := plugin.Handle(text); err != nil || got != want {
				wrong = append(wrong, fmt.Errorf("%s: %q, %w; native Go: %q", h.name, got, err, want))
				break
			}
		}
	}
	return errors.Join(wrong...)
}

// pluginHosts makes all rows, native Go first.
func (r *hostRun) pluginHosts() ([]*pluginHost, error) {
	list := []*pluginHost{{
		name:   "native Go",
		handle: func(_ context.Context, text string) (string, error) { return plugin.Handle(text), nil },
		close:  func() {},
	}}
	for _, more := range []func() ([]*pluginHost, error){r.gyrPlugins, r.wazeroPlugins} {
		hosts, err := more()
		list = append(list, hosts...)
		if err != nil {
			return list, err
		}
	}
	return list, nil
}

// gyrPlugins are hosts with a fresh instance for each request, in all settings that could make a
// difference, and one with a single instance that keeps its state. All requests have limits.
func (r *hostRun) gyrPlugins() (list []*pluginHost, err error) {
	declared := gyr.HostPackage{
		Path: "github.com/gyrvm/gyr/peers/host", Source: "package host\n\nfunc Tier(customer string) int64\n",
		Funcs: map[string]any{"Tier": gyr.HostFunc{Func: host.Tier, Deterministic: true}},
	}
	programs := map[bool]*gyr.Program{} // by whether the warm-up call asks the host
	for _, warm := range []string{"Prepare", "PrepareAsking"} {
		if programs[warm == "PrepareAsking"], err = r.compile("plugin", gyr.CompileOptions{Host: []gyr.HostPackage{declared}, Warm: []string{warm}}); err != nil {
			return nil, err
		}
	}
	limits := gyr.CallOptions{Gas: 50_000_000, Memory: 16 << 20, Timeout: time.Second}
	for _, atGet := range []bool{false, true} {
		for _, asking := range []bool{false, true} {
			for _, log := range []bool{false, true} {
				h := &pluginHost{name: "gyr, a fresh instance a request, default Pool"}
				cfg := gyr.PoolConfig{Config: gyr.Config{Memory: 64 << 20}, MaxLive: 100, ResetAtGet: atGet}
				var with []string
				if atGet {
					with = append(with, "ResetAtGet")
				}
				if log {
					with = append(with, "Log")
					cfg.Config.Log = slog.New(slog.NewJSONHandler(io.Discard, nil))
				}
				if asking {
					with = append(with, "a host call in Warm")
				}
				if with != nil {
					h.name = "the same with " + strings.Join(with, ", ")
				}
				pool, err := gyr.NewPool(r.ctx, programs[asking], cfg)
				if err != nil {
					return list, err
				}
				h.close = func() { pool.Close() }
				list = append(list, h)
				f, err := gyr.PoolFuncOf[text, text](r.ctx, pool, "Handle")
				if err != nil {
					return list, err
				}
				h.handle = func(ctx context.Context, s string) (string, error) {
					answer, _, err := f.CallWith(ctx, limits, text{s})
					return answer.Text, err
				}
				h.made = func() uint64 { return pool.Stats().Made }
			}
		}
	}
	in, err := programs[false].NewInstance(r.ctx, gyr.Config{Memory: 64 << 20})
	if err != nil {
		return list, err
	}
	h := &pluginHost{name: "gyr, one instance for all requests, never reset", close: func() { in.Close() }, made: func() uint64 { return 0 }}
	list = append(list, h)
	f, err := gyr.FuncOf[text, text](r.ctx, in, "Handle")
	var mu sync.Mutex
	h.handle = func(ctx context.Context, s string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		answer, _, err := f.CallWith(ctx, limits, text{s})
		return answer.Text, err
	}
	return list, err
}

// wazeroPlugins are a host with one instance, and one with an instance for each request.
func (r *hostRun) wazeroPlugins() (list []*pluginHost, err error) {
	m, err := r.guest()
	if err != nil {
		return nil, err
	}
	one := &pluginHost{name: "wazero, one instance for all requests, never reset", close: func() { m.Close(r.ctx) }, made: func() uint64 { return 0 }}
	list = append(list, one)
	f, err := r.wazero.texts(m, "handle")
	if err != nil {
		return list, err
	}
	var mu sync.Mutex
	one.handle = func(_ context.Context, text string) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		return f(text)
	}
	var made atomic.Uint64
	return append(list, &pluginHost{
		name: "wazero, an instance a request", close: func() {}, made: made.Load,
		handle: func(_ context.Context, text string) (string, error) {
			made.Add(1)
			m, err := r.guest()
			if err != nil {
				return "", err
			}
			defer m.Close(r.ctx)
			f, err := r.wazero.texts(m, "handle")
			if err != nil {
				return "", err
			}
			return f(text)
		},
	}), nil
}

// A pluginServer serves the host k at /k.
type pluginServer struct {
	http.Server
	url, self string
}

// serve begins to serve hosts over HTTP.
func serve(list []*pluginHost) (*pluginServer, error) {
	s := &pluginServer{}
	mux := http.NewServeMux()
	for k, h := range list {
		mux.HandleFunc("POST /"+strconv.Itoa(k), func(w http.ResponseWriter, q *http.Request) {
			body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, 64<<10))
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			answer, err := h.handle(q.Context(), string(body))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answer)
		})
	}
	s.Handler = mux
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.self, s.url = self, "http://"+l.Addr().String()+"/"
	go s.Serve(l)
	return s, nil
}

// load sends n requests to the host k, from another process.
func (s *pluginServer) load(ctx context.Context, k, n int) (l load, err error) {
	cmd := exec.CommandContext(ctx, s.self, "load", s.url+strconv.Itoa(k), strconv.Itoa(connections), strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return l, fmt.Errorf("peers load: %w", err)
	}
	return l, json.Unmarshal(out, &l)
}

// close ends the server.
func (s *pluginServer) close() { s.Server.Close() }
