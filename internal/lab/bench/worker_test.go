package bench

import (
	"context"
	"runtime"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// TestSystemCallsUnwatched: a system call of a benchmark costs what it costs in a program. Nobody reads a
// description of it, so the host makes none.
func TestSystemCallsUnwatched(t *testing.T) {
	dir := writeModule(t, map[string]string{"m_test.go": `package m

import (
	"crypto/rand"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	var buf [8]byte
	for i := 0; i < b.N; i++ {
		rand.Read(buf[:])
	}
}
`})
	cache, err := testCache()
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []api.Tier{api.TierInterp, api.TierNative} {
		w := &worker{opening: opening{Path: "m", Dir: dir, Tier: string(tier)}}
		w.setup.Source.Cache = cache
		if err := w.open(context.Background()); err != nil {
			t.Fatal(err)
		}
		mallocs := func(n int) uint64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := w.run(context.Background(), &order{Bench: "^BenchmarkRead$", N: n, Count: 1})
			if err != nil || r.Failed != "" || len(r.Batches) != 1 {
				t.Fatal(err, r)
			}
			runtime.ReadMemStats(&after)
			return after.Mallocs - before.Mallocs
		}
		mallocs(10)
		const calls = 20_000
		if few, many := mallocs(10), mallocs(10+calls); many > few+calls/10 {
			t.Errorf("%s: %d allocations for 10 calls, %d for %d more", tier, few, many-few, calls)
		}
	}
}
