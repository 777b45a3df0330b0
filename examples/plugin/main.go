// Plugin is a service whose rules are Go packages that its users upload. A rule decides about
// orders. It may look up customers and write to the service's log through a package of the host,
// and nothing else. A new version replaces the old one between two requests.
//
//	go run ./examples/plugin -addr localhost:8080
//	curl --data-binary @examples/plugin/testdata/discount.go localhost:8080/rules/discount
//	curl -d '{"Customer": "ada", "Total": 12000}' localhost:8080/decide/discount
//
// Each request has an instance of its own from a pool, a limit of gas, memory and time, and pays
// for its calls of the host.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// An order is the subject of a decision.
type order struct {
	Customer string
	Total    int // cents
}

// A decision is the result of a rule.
type decision struct {
	Discount int // cents
	Reason   string
}

// A customer is the service's record of a customer.
type customer struct {
	Name  string
	Since time.Time
	Spent int // cents
}

var errUnknown = errors.New("no such customer")

// hostPackage is the package that rules can import.
const hostPackage = `// Package shop is what rules know of the shop.
package shop

import "time"

// A Customer is somebody who has bought here before.
type Customer struct {
	Name  string
	Since time.Time
	Spent int // cents
}

// ErrUnknown says that nobody of that name has bought here.
var ErrUnknown error

// Lookup finds a customer by name.
func Lookup(name string) (Customer, error)

// Log writes to the log of the service.
func Log(text string, values map[string]any)
`

// A service has the rules.
type service struct {
	customers map[string]customer
	log       *slog.Logger
	limits    gyr.CallOptions // of one decision

	mu    sync.RWMutex
	rules map[string]*rule
}

// A rule is the newest version of an upload. Requests that began with an older version finish with
// it.
type rule struct {
	version int
	pool    *gyr.Pool
	users   sync.WaitGroup
}

func newService(log *slog.Logger) *service {
	limits := gyr.CallOptions{Gas: 5_000_000, Memory: 8 << 20, Timeout: 100 * time.Millisecond}
	return &service{log: log, limits: limits, rules: map[string]*rule{}, customers: map[string]customer{
		"ada":   {"ada", time.Date(2015, 12, 10, 0, 0, 0, 0, time.UTC), 250_000},
		"grace": {"grace", time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), 900},
	}}
}

// shop is the package of the host, for one rule.
func (s *service) shop(name string) gyr.HostPackage {
	return gyr.HostPackage{
		Path: "shop.example/shop", Source: hostPackage,
		Funcs: map[string]any{
			"Lookup": gyr.HostFunc{Gas: 2_000, GasPerByte: 1, Func: func(name string) (customer, error) {
				c, ok := s.customers[name]
				if !ok {
					return c, fmt.Errorf("%q: %w", name, errUnknown)
				}
				return c, nil
			}},
			"Log": gyr.HostFunc{Gas: 1_000, GasPerByte: 10, Func: func(ctx context.Context, text string, values map[string]any) {
				attrs := []slog.Attr{slog.String("rule", name)}
				for k, v := range values {
					attrs = append(attrs, slog.Any(k, v))
				}
				s.log.LogAttrs(ctx, slog.LevelInfo, text, attrs...)
			}},
		},
		Errors: map[string]error{"ErrUnknown": errUnknown},
	}
}

// upload compiles a rule. It replaces the rule of the same name.
func (s *service) upload(ctx context.Context, name, source string) (version int, err error) {
	p, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module rule\n\ngo 1.26\n")}, "rule.go": {Data: []byte(source)}}, Exports: true, Limits: gyr.UntrustedLimits()},
		&gyr.CompileOptions{Host: []gyr.HostPackage{s.shop(name)}})
	if err != nil {
		return 0, err
	}
	pool, err := gyr.NewPool(ctx, p, gyr.PoolConfig{Config: gyr.Config{Gas: 50_000_000, Memory: 32 << 20}, MaxLive: 64})
	if err != nil {
		return 0, err
	}
	// A rule that cannot be called is refused now, and not at the first request.
	in, err := pool.Get(ctx)
	if err == nil {
		err = in.Bind(ctx, "Decide", new(func(order) (decision, error)))
		pool.Put(in)
	}
	if err != nil {
		pool.Close()
		return 0, err
	}
	s.mu.Lock()
	old := s.rules[name]
	r := &rule{version: 1, pool: pool}
	if old != nil {
		r.version = old.version + 1
	}
	s.rules[name] = r
	s.mu.Unlock()
	if old != nil {
		go old.close()
	}
	return r.version, nil
}

func (r *rule) close() {
	r.users.Wait()
	r.pool.Close()
}

// use returns the newest version of a rule; the caller calls done.
func (s *service) use(name string) (r *rule, done func()) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if r = s.rules[name]; r == nil {
		return nil, nil
	}
	r.users.Add(1)
	return r, r.users.Done
}

// close ends all rules.
func (s *service) close() {
	s.mu.Lock()
	rules := s.rules
	s.rules = map[string]*rule{}
	s.mu.Unlock()
	for _, r := range rules {
		r.close()
	}
}

// decide lets a rule decide about an order.
func (s *service) decide(ctx context.Context, name string, o order) (d decision, stats gyr.CallStats, version int, err error) {
	r, done := s.use(name)
	if r == nil {
		return d, stats, 0, errNoRule
	}
	defer done()
	in, err := r.pool.Get(ctx)
	if err != nil {
		return d, stats, r.version, err
	}
	defer r.pool.Put(in)
	var rule func(context.Context, gyr.CallOptions, order) (decision, gyr.CallStats, error)
	if err := in.Bind(ctx, "Decide", &rule); err != nil {
		return d, stats, r.version, err
	}
	d, stats, err = rule(ctx, s.limits, o)
	return d, stats, r.version, err
}

var errNoRule = errors.New("no such rule")

// handler is the service over HTTP.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rules/{name}", func(w http.ResponseWriter, r *http.Request) {
		source, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		version, err := s.upload(r.Context(), r.PathValue("name"), string(source))
		if err != nil {
			http.Error(w, err.Error(), http.StatusUnprocessableEntity)
			return
		}
		reply(w, map[string]any{"Rule": r.PathValue("name"), "Version": version})
	})
	mux.HandleFunc("POST /decide/{name}", func(w http.ResponseWriter, r *http.Request) {
		var o order
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&o); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		d, stats, version, err := s.decide(r.Context(), r.PathValue("name"), o)
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
			return
		}
		reply(w, map[string]any{"Discount": d.Discount, "Reason": d.Reason, "Version": version, "Gas": stats.Gas})
	})
	return mux
}

// statusOf says whether an error is the client's, the rule's or the service's.
func statusOf(err error) int {
	var (
		failed *gyr.GuestError
		gas    *gyr.OutOfGasError
		memory *gyr.MemoryLimitError
		late   *gyr.DeadlineError
	)
	switch {
	case errors.Is(err, errNoRule):
		return http.StatusNotFound
	case errors.As(err, &failed):
		return http.StatusUnprocessableEntity
	case errors.As(err, &gas), errors.As(err, &memory), errors.As(err, &late):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v)
}

func main() {
	addr := flag.String("addr", "localhost:8080", "`address` to listen on")
	flag.Parse()
	s := newService(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	defer s.close()
	fmt.Fprintln(os.Stderr, "listening on", *addr)
	if err := http.ListenAndServe(*addr, s.handler()); err != nil {
		fmt.Fprintln(os.Stderr, "plugin:", err)
		os.Exit(1)
	}
}
