package proof

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// An ending is the visible result of a run that may have reached a limit.
type ending struct {
	Err    string
	Output string
	Stats  gyr.Stats
}

func (e ending) String() string {
	return fmt.Sprintf("%q %+v %q", e.Err, e.Stats, tail(e.Output))
}

func endingOf(p *gyr.Program, cfg gyr.Config) (e ending) {
	var out bytes.Buffer
	cfg.Stdout, cfg.Stderr, cfg.Seed = &out, &out, 42
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		e.Err = err.Error()
		return e
	}
	defer in.Close()
	if err := in.Run(context.Background()); err != nil {
		e.Err = err.Error()
	}
	e.Output, e.Stats = out.String(), in.Stats()
	e.Stats = e.Stats.Repeatable()
	return e
}

// TestEndings: a run that ends at a limit of gas, memory or stack ends in the same place and with
// the same figures in both tiers, with and without the passes of phase B, wherever the limit is.
func TestEndings(t *testing.T) {
	src := gyr.Source{Patterns: []string{"testdata/endings/main.go"}}
	first := compile(t, src, nil)
	if err := first.NativeError(); err != nil {
		t.Skip(err)
	}
	bare := &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: []string{"phaseb"}}}
	programs := []struct {
		name string
		p    *gyr.Program
		tier gyr.Tier
	}{
		{"the interpreter", first, gyr.TierInterp},
		{"native code", first, gyr.TierNative},
		{"the interpreter without phase B", compile(t, src, bare), gyr.TierInterp},
	}
	steps := uint64(12)
	if *full {
		steps = 300
	}
	for _, name := range []string{"deep", "goroutines", "heap", "types", "defers"} {
		t.Run(name, func(t *testing.T) {
			free := endingOf(first, gyr.Config{Args: []string{name}})
			if free.Err != "" {
				t.Fatal(free.Err)
			}
			met := map[string]int{}
			for _, limit := range []struct {
				kind string
				most uint64
				set  func(*gyr.Config, uint64)
			}{
				{"gas", uint64(free.Stats.Gas), func(c *gyr.Config, n uint64) { c.Gas = int64(n) }},
				{"memory", free.Stats.HeapPeak, func(c *gyr.Config, n uint64) { c.Memory = n }},
				{"stack", free.Stats.HeapPeak / 2, func(c *gyr.Config, n uint64) { c.Stack = n }},
			} {
				for i := range steps {
					var want ending
					n := limit.most*(i+1)/steps - i*17
					for k, p := range programs {
						cfg := gyr.Config{Args: []string{name}, Tier: p.tier}
						limit.set(&cfg, n)
						got := endingOf(p.p, cfg)
						switch {
						case k == 0:
							want = got
							if strings.Contains(got.Err, "limit") || strings.Contains(got.Err, "out of gas") {
								met[limit.kind]++
							}
						case got != want:
							t.Errorf("%s %d: %s: %v\nwant %v", limit.kind, n, p.name, got, want)
						}
					}
				}
			}
			t.Log(met)
			if met["gas"] < int(steps)/2 || met["memory"]+met["stack"] == 0 {
				t.Errorf("limits met: %v", met)
			}
		})
	}
}
