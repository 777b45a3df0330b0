package clients

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var (
	requests = flag.Int("hostile.requests", 800, "how many requests TestClients makes, or a few more")
	each     = flag.Bool("hostile.each", false, "wait behind each kind of clients, not only behind all of a family, until the host's goroutines are gone")
	only     = flag.String("hostile.kind", "", "a `regular expression`: the kinds of clients that TestClients makes")
	kept     = flag.String("cache", "", "a `directory` that keeps the guest's program for the next time")
	seed     = daily.Seed("seed", "what the clients of TestClients draw with")
)

// atOnce is the number of clients at a time.
const atOnce = 16

// TestClients lets clients of all kinds make requests to hosts with all settings.
func TestClients(t *testing.T) {
	daily.Drawn(t, "seed")
	var kinds []kind
	for _, k := range slices.Concat(http1, http2, library) {
		if ok, err := regexp.MatchString(*only, k.name); err != nil {
			t.Fatal(err)
		} else if ok {
			kinds = append(kinds, k)
		}
	}
	if len(kinds) == 0 {
		t.Fatalf("no kind is called %s", *only)
	}
	tiers := []gyr.Tier{gyr.TierInterp}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		tiers = append(tiers, gyr.TierNative)
	}
	type run struct {
		setting
		inside bool // in this process
	}
	var runs []run
	cache := *kept
	if cache == "" {
		cache = t.TempDir()
	}
	for _, tier := range tiers {
		runs = append(runs, run{setting{tier, false, cache}, tier == gyr.TierInterp}, run{setting{tier, true, cache}, tier != gyr.TierInterp})
	}
	for _, r := range daily.Part(t, runs, len(runs)/2, *only != "" || *each) {
		name := r.setting.String()
		if !r.inside {
			name += ", a process of its own"
		}
		t.Run(name, func(t *testing.T) {
			var h host
			var err error
			if r.inside {
				h, err = newLocal(r.setting)
			} else {
				h, err = newChild(r.setting)
			}
			if err != nil {
				t.Fatal(err)
			}
			a := &assault{t: t, h: h, rand: rand.New(rand.NewPCG(*seed, 0))}
			a.run(kinds, *requests/len(runs))
		})
	}
}

// An assault is a series of requests to one host.
type assault struct {
	t    *testing.T
	h    host
	rand *rand.Rand // seeds the clients
	base state      // before the first client

	mu   sync.Mutex
	made map[string]int // requests by kind
}

func (a *assault) run(kinds []kind, requests int) {
	a.made = map[string]int{}
	honest := library[len(library)-1]
	var all []kind
	for range 40 { // for allocations that hosts and clients make only once
		all = append(all, honest)
	}
	a.send(all)
	a.base = a.rest("honest clients, to begin with", honest.name, true)
	half := requests / 2 / len(kinds)
	for i, k := range kinds {
		for before := a.made[k.name]; a.made[k.name]-before < max(half, 1) && !a.t.Failed(); {
			a.send(slices.Repeat([]kind{k}, min(atOnce, max(1, half-a.made[k.name]+before))))
		}
		family, _, _ := strings.Cut(k.name, " ")
		a.rest(k.name, k.name, *each || i+1 == len(kinds) || !strings.HasPrefix(kinds[i+1].name, family))
	}
	mixed := 0
	for _, n := range a.made {
		mixed -= n
	}
	for a.total()+mixed < requests/2 && !a.t.Failed() {
		all = nil
		for range 4 * atOnce {
			all = append(all, kinds[a.rand.IntN(len(kinds))])
		}
		a.send(all)
	}
	a.made["mixed"] = a.total() + mixed
	a.rest("all kinds, mixed", "mixed", true)
	end, err := a.h.close()
	if err != nil {
		a.t.Fatal(err)
	}
	a.log("closed", end.Requests, end)
	a.violations(end)
	if end.Live != 0 || end.InUse != 0 {
		a.t.Errorf("closed: %+v", end)
	}
}

func (a *assault) total() (n int) {
	for _, k := range a.made {
		n += k
	}
	return n
}

// send lets clients of some kinds make their requests, several at a time.
func (a *assault) send(kinds []kind) {
	var wg sync.WaitGroup
	next := make(chan kind)
	for range min(atOnce, len(kinds)) {
		r := rand.New(rand.NewPCG(a.rand.Uint64(), a.rand.Uint64()))
		wg.Go(func() {
			for k := range next {
				c := &client{Rand: r, at: a.h.addresses()}
				if err := k.do(c); err != nil && !isBusy(err) {
					a.t.Errorf("%s: %v", k.name, err)
				}
				a.mu.Lock()
				a.made[k.name] += max(1, c.requests)
				a.mu.Unlock()
			}
		})
	}
	for _, k := range kinds {
		next <- k
	}
	close(next)
	wg.Wait()
}

// rest makes the host serve honest clients. Then it waits until no instance is in use and, with
// quiet, no goroutine of a connection is left, and returns the host's state. It logs the number of
// requests of the kind name.
func (a *assault) rest(after, name string, quiet bool) state {
	a.t.Helper()
	if a.t.Failed() {
		if s, err := a.h.state(); err != nil {
			a.t.Fatalf("after %s: %v", after, err)
		} else {
			a.violations(s)
		}
		a.t.FailNow()
	}
	c := &client{Rand: a.rand, at: a.h.addresses()}
	for range 6 {
		cl, url := c.transport()
		err := ask(cl, url, c.honest(2000))
		for end := time.Now().Add(2 * time.Minute); isBusy(err) && time.Now().Before(end); { // a loaded machine is slow
			if _, err := a.h.state(); err != nil {
				a.t.Fatalf("after %s: %v", after, err)
			}
			time.Sleep(20 * time.Millisecond)
			err = ask(cl, url, c.honest(2000))
		}
		cl.CloseIdleConnections()
		if err != nil {
			a.t.Errorf("after %s, an honest client: %v", after, err)
		}
	}
	var s state
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var err error
		if s, err = a.h.state(); err != nil {
			a.t.Fatalf("after %s: %v", after, err)
		}
		if a.base.Goroutines == 0 { // the first time, goroutines are at rest when their number does not change
			again, err := a.h.state()
			if err == nil && again.Goroutines == s.Goroutines && s.InUse == 0 {
				time.Sleep(12 * timeout) // idle connections have ended
				s, _ = a.h.state()
				break
			}
		} else if s.InUse == 0 && (!quiet || s.Goroutines <= a.base.Goroutines) {
			break
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			a.t.Errorf("after %s: %d instances in use, %d goroutines, %d to begin with\n%s", after, s.InUse, s.Goroutines, a.base.Goroutines, stacks[:runtime.Stack(stacks, true)])
			break
		}
	}
	a.log(after, int64(a.made[name]), s)
	a.violations(s)
	// The remaining memory is of the kind of reused buffers; a leak of requests is larger.
	if limit := a.base.Heap + 64<<20; a.base.Heap > 0 && s.Heap > limit {
		a.t.Errorf("after %s: the heap has %d bytes, %d to begin with", after, s.Heap, a.base.Heap)
	}
	return s
}

func (a *assault) log(after string, n int64, s state) {
	a.t.Log(fmt.Sprintf("%-48s %7d requests %4d goroutines %5.1f MiB heap %6.1f MiB resident %5d mappings", after, n, s.Goroutines, float64(s.Heap)/(1<<20), float64(s.Resident)/(1<<20), s.Mappings))
}

func (a *assault) violations(s state) {
	for _, v := range s.Violations {
		a.t.Error(v)
	}
}

// TestChecks: the tests' own checks find what is wrong with an answer.
func TestChecks(t *testing.T) {
	w := &wish{method: "POST", path: "answer", nonce: "N000000000000001", n: 20}
	other := []byte("N000000000000002\nN00")
	for _, c := range []struct {
		name string
		a    answer
		path string
		ok   bool
	}{
		{"right", answer{200, w.nonce, lines(w.nonce, 20), true}, "answer", true},
		{"a part", answer{200, w.nonce, lines(w.nonce, 10), false}, "answer", true},
		{"a part that looks whole", answer{200, w.nonce, lines(w.nonce, 10), true}, "answer", false},
		{"another's", answer{200, w.nonce, other, true}, "answer", false},
		{"another's header", answer{200, "N000000000000002", lines(w.nonce, 20), true}, "answer", false},
		{"another's bytes in a refusal", answer{503, "", other, true}, "answer", false},
		{"a refusal", answer{503, "", []byte(http.StatusText(503)), true}, "answer", true},
		{"an end where there is none", answer{200, w.nonce, lines(w.nonce, 20), true}, "panic", false},
		{"a beginning", answer{200, w.nonce, lines(w.nonce, 20), false}, "panic", true},
	} {
		w.path = c.path
		if err := w.check(c.a); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
