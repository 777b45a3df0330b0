package instances

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// library is the guest of this package's tests. It has a function that does nothing, and a handler
// of a service that reads and writes JSON.
const library = `package lib

import "encoding/json"

func Nothing() {}

type Request struct {
	User  string            ` + "`json:\"user\"`" + `
	Items []Item            ` + "`json:\"items\"`" + `
	Tags  map[string]string ` + "`json:\"tags\"`" + `
}

type Item struct {
	Name  string  ` + "`json:\"name\"`" + `
	Count int     ` + "`json:\"count\"`" + `
	Price float64 ` + "`json:\"price\"`" + `
}

type Reply struct {
	User  string  ` + "`json:\"user\"`" + `
	Total float64 ` + "`json:\"total\"`" + `
	Lines int     ` + "`json:\"lines\"`" + `
}

func Handle(body []byte) ([]byte, error) {
	var r Request
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	reply := Reply{User: r.User, Lines: len(r.Items)}
	for _, it := range r.Items {
		reply.Total += float64(it.Count) * it.Price
	}
	return json.Marshal(reply)
}
`

// prepare is the library's warm-up call: it handles a request, so that encoding/json learns the
// types.
const prepare = "\nfunc Prepare() { Handle([]byte(`" + request + "`)) }\n"

const request = `{"user":"ada","items":[{"name":"tea","count":2,"price":3.5},{"name":"milk","count":1,"price":1.25},{"name":"bread","count":3,"price":2}],"tags":{"shop":"north","till":"4"}}`

func compile(t testing.TB, src string, warm ...string) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(src)}}, Exports: true},
		&gyr.CompileOptions{Warm: warm})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var tiers = []gyr.Tier{gyr.TierInterp, gyr.TierNative}

// start makes an instance. It skips the test if the machine does not have the tier.
func start(t testing.TB, p *gyr.Program, cfg gyr.Config) *gyr.Instance {
	t.Helper()
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		if cfg.Tier == gyr.TierNative && p.NativeError() != nil {
			t.Skip(p.NativeError())
		}
		t.Fatal(err)
	}
	return in
}

// BenchmarkInstance measures the cost of an instance: made and called once; closed; reset before a
// call; the same with a warm-up call; and the calls alone. Each figure is processor time of the
// thread, the median of single measurements.
func BenchmarkInstance(b *testing.B) {
	p, warmed := compile(b, library), compile(b, library+prepare, "Prepare")
	ctx := context.Background()
	type body struct{ Body []byte }
	for _, tier := range tiers {
		cfg := gyr.Config{Tier: tier}
		b.Run(string(tier)+"/new", func(b *testing.B) {
			start(b, p, cfg).Close()
			runtime.LockOSThread()
			var made, called, closed figures
			b.ReportAllocs()
			for b.Loop() {
				t0 := threadTime()
				in := start(b, p, cfg)
				t1 := threadTime()
				if _, err := in.Call(ctx, "Nothing"); err != nil {
					b.Fatal(err)
				}
				t2 := threadTime()
				in.Close()
				made, called, closed = append(made, t1-t0), append(called, t2-t1), append(closed, threadTime()-t2)
			}
			made.report(b, "new")
			called.report(b, "call")
			closed.report(b, "close")
		})
		for _, c := range []struct {
			name  string
			p     *gyr.Program
			reset bool
		}{{"/warm", p, false}, {"/reset", p, true}, {"/reset-warmed", warmed, true}} {
			reset := c.reset
			b.Run(string(tier)+c.name, func(b *testing.B) {
				for range 3 { // later instances start like the second one, once it has been called
					in := start(b, c.p, cfg)
					if _, err := in.Call(ctx, "Nothing"); err != nil {
						b.Fatal(err)
					}
					in.Close()
				}
				in := start(b, c.p, cfg)
				defer in.Close()
				handle, err := gyr.FuncOf[body, body](ctx, in, "Handle")
				if err != nil {
					b.Fatal(err)
				}
				arg := body{[]byte(request)}
				runtime.LockOSThread()
				b.ReportAllocs()
				var resets, calls figures
				do := func() {
					t0 := threadTime()
					if reset {
						if err := in.Reset(cfg); err != nil {
							b.Fatal(err)
						}
					}
					t1 := threadTime()
					if _, err := handle.Call(ctx, arg); err != nil {
						b.Fatal(err)
					}
					resets, calls = append(resets, t1-t0), append(calls, threadTime()-t1)
				}
				for b.Loop() {
					do()
				}
				if reset {
					resets.report(b, "reset")
				}
				calls.report(b, "call")
			})
		}
	}
}

// figures are single measurements.
type figures []time.Duration

func (f figures) report(b *testing.B, what string) {
	slices.Sort(f)
	b.ReportMetric(float64(f[len(f)/2])/1000, what+"-µs")
}
