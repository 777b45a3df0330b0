package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestPlantedPanics plants a panic at each point of each stage while three hosts compile and run
// programs on one base and one cache. One of the three gets an InternalError. The others do not
// notice, and all three succeed afterwards.
func TestPlantedPanics(t *testing.T) {
	daily.Turn(t, 3, false)
	h := newPlantedHost(t)
	for _, point := range failure.Points {
		t.Run(point, func(t *testing.T) {
			if (point == "compiling machine code" || point == "machine code of a program") && gyr.CheckNative() != nil {
				t.Skip("no machine code here")
			}
			if point == "making a base" && testing.Short() {
				t.Skip("makes a base, which takes seconds")
			}
			var hit atomic.Bool
			remove := failure.Plant(func(p string) {
				if p == point && hit.CompareAndSwap(false, true) {
					panic("planted at " + p)
				}
			})
			var base *gyr.Base
			errs := make([]error, 3)
			switch point {
			case "making a base", "reading a base":
				cfg := gyr.BaseConfig{Cache: h.cache}
				if point == "making a base" {
					cfg.Cache = ""
				}
				_, errs[0] = gyr.OpenBase(t.Context(), cfg)
			default:
				base = h.open(t)
				h.all(t, base, errs)
			}
			remove()
			failed := 0
			for _, err := range errs {
				if err == nil {
					continue
				}
				failed++
				var bug *gyr.InternalError
				if !errors.As(err, &bug) {
					t.Fatalf("%T: %v", err, err)
				}
				if bug.Value != "planted at "+point || bug.Stage == "" || !bytes.Contains(bug.Stack, []byte("TestPlantedPanics")) {
					t.Errorf("%v: stage %q, value %v, stack\n%s", err, bug.Stage, bug.Value, bug.Stack)
				}
				t.Log(err)
			}
			if !hit.Load() || failed != 1 {
				t.Errorf("the point was reached: %t; %d of 3 failed", hit.Load(), failed)
			}
			if base == nil {
				base = h.open(t)
			}
			clear(errs)
			h.all(t, base, errs)
			if err := errors.Join(errs...); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// A plantedHost has the shared parts of the programs of TestPlantedPanics.
type plantedHost struct {
	cache string
	src   fstest.MapFS
	image []byte
}

func newPlantedHost(t *testing.T) *plantedHost {
	h := &plantedHost{cache: t.TempDir() + "/cache", src: fstest.MapFS{"main.go": {Data: []byte(`package main

func main() { println("hello", len(append([]int{1}, 2))) }
`)}}}
	var err error
	if h.image, err = gyr.Build(t.Context(), h.source(), nil); err != nil {
		t.Fatal(err)
	}
	// Writes the entry that is read later.
	if _, err := gyr.Compile(t.Context(), h.source(), &gyr.CompileOptions{Base: h.open(t), Cache: h.cache}); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *plantedHost) source() gyr.Source {
	return gyr.Source{FS: h.src, Patterns: []string{"main.go"}}
}

func (h *plantedHost) open(t *testing.T) *gyr.Base {
	base, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{Cache: h.cache})
	if err != nil {
		t.Fatal(err)
	}
	return base
}

// all takes three ways at a time: a program from the cache and a program from its source, both on
// the base, and a program from an image. Each runs in both tiers. The second is written to its own
// cache.
func (h *plantedHost) all(t *testing.T, base *gyr.Base, errs []error) {
	var wg sync.WaitGroup
	for i, given := range []given{
		{Source: h.source(), CompileOptions: gyr.CompileOptions{Base: base, Cache: h.cache}},
		{Source: h.source(), CompileOptions: gyr.CompileOptions{Base: base, Cache: t.TempDir() + "/cache"}},
		{image: h.image},
	} {
		wg.Go(func() { errs[i] = compileAndRun(t.Context(), given) })
	}
	wg.Wait()
}

func compileAndRun(ctx context.Context, given given) error {
	p, err := given.compile(ctx)
	if err != nil {
		return err
	}
	tiers := []gyr.Tier{gyr.TierInterp}
	if gyr.CheckNative() == nil {
		tiers = append(tiers, gyr.TierNative)
	}
	for _, tier := range tiers {
		var out strings.Builder
		in, err := p.NewInstance(ctx, gyr.Config{Stderr: &out, Tier: tier, Gas: 1 << 30})
		if err != nil {
			return err
		}
		err = in.Run(ctx)
		in.Close()
		if err != nil {
			return err
		}
		if out.String() != "hello 2\n" {
			return fmt.Errorf("%s wrote %q", tier, out.String())
		}
	}
	return nil
}
