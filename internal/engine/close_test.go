package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// TestCloseWaitsForTheRun: Close waits for a run even if the machine does not schedule it for long.
// The test simulates that by a pause at the poll where the run would learn that it has to stop.
func TestCloseWaitsForTheRun(t *testing.T) {
	p, err := Compile(context.Background(), Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module g\n\ngo 1.26\n")},
		"g.go": {Data: []byte("package g\n\nfunc Loop() { for {} }\n")}}, Exports: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range tiersOf(p) {
		var polls, shutting, late atomic.Bool
		in, err := p.NewInstance(context.Background(), Config{Config: api.Config{Tier: tier}})
		if err != nil {
			t.Fatal(err)
		}
		ctx := rt.WithPolls(context.Background(), func() {
			polls.Store(true)
			for shutting.Load() && in.state.Load()&closing == 0 {
			}
			if shutting.Load() {
				time.Sleep(20 * closeWait)
				late.Store(true)
			}
		})
		ended := make(chan error)
		go func() {
			_, err := in.Call(ctx, "Loop")
			ended <- err
		}()
		for !polls.Load() {
			time.Sleep(time.Millisecond)
		}
		shutting.Store(true)
		if err := in.Close(); err != nil || !late.Load() {
			t.Errorf("%s: Close: %v, before the run had stopped: %t", tier, err, !late.Load())
		}
		if err := <-ended; err != api.ErrClosed {
			t.Errorf("%s: %v", tier, err)
		}
	}
}
