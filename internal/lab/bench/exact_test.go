package bench

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gyr "github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var exactRuns = flag.Int("exact", 3, "how many times TestExact counts; more than 3: in both tiers each day")

// writeModule writes the files of a module m and returns its directory.
func writeModule(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module m\n\ngo 1.26\n"
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exactModule has benchmarks whose figures could depend on map order, collections, the heap or the
// clock.
var exactModule = map[string]string{"m.go": `package m

//gyr:bench n=10,1000
func sum(n int) int {
	s := 0
	for i := range n {
		s += i * i
	}
	return s
}

//gyr:bench n=3
func words(n int) map[string]int {
	m := map[string]int{}
	for i := range 20 {
		m[string(rune('a'+(i+n)%26))]++
	}
	return m
}
`, "m_test.go": `package m

import (
	"runtime"
	"sort"
	"strings"
	"testing"
	"time"
)

var (
	sink      any
	sinkBytes []byte
)

func BenchmarkMap(b *testing.B) {
	m := map[int]string{}
	for i := 0; i < b.N; i++ {
		m[i%100] = strings.Repeat("x", i%7)
		n := 0
		for k := range m {
			n += k
			if n > 300 {
				break
			}
		}
		sink = n
	}
}

func BenchmarkGarbage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sinkBytes = make([]byte, 100_000)
	}
}

func BenchmarkTimers(b *testing.B) {
	list := make([]int, 100)
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		for k := range list {
			list[k] = k * 7919 % 101
		}
		b.StartTimer()
		sort.Ints(list)
	}
}

func BenchmarkGoroutines(b *testing.B) {
	c := make(chan int)
	go func() {
		for range b.N {
			c <- len(c)
		}
	}()
	for range b.N {
		sink = <-c
	}
}

func BenchmarkCollects(b *testing.B) {
	for range b.N {
		sink = new(int)
		runtime.GC()
	}
}

func BenchmarkClock(b *testing.B) {
	for range b.N {
		sink = time.Now()
	}
}
`}

// TestExact counts the same benchmarks several times, in new processes. Gas, allocations, bytes and
// instructions of an iteration are the same to the last byte of the record.
func TestExact(t *testing.T) {
	dir := writeModule(t, exactModule)
	for _, tier := range daily.Part(t, []string{"native", "interp"}, 1, *exactRuns > 3) {
		if tier == "native" && gyr.CheckNative() != nil {
			t.Logf("no machine code here: %v", gyr.CheckNative())
			continue
		}
		var first map[string]string
		for i := range *exactRuns {
			rec, err := testRun(t, dir, "m", ".", record.Plan{BatchNS: 1e6, Seed: uint64(i + 1)}, tier)
			if err != nil {
				t.Fatal(err)
			}
			if len(rec.Counts) != 9 {
				t.Errorf("%s: %d benchmarks were counted, want 9", tier, len(rec.Counts))
			}
			got := map[string]string{}
			for _, c := range rec.Counts {
				x := record.Count{Cell: c.Cell, N: c.N, Mean: c.Mean, PerOp: c.PerOp, First: c.First, Again: c.Again, Result: c.Result, Failed: c.Failed}
				text, err := json.Marshal(x)
				if err != nil {
					t.Fatal(err)
				}
				got[c.Bench] = string(text)
				if c.Failed != "" || c.PerOp["gas/op"] <= 0 || c.PerOp[instructionUnits[tier]+"/op"] <= 0 {
					t.Errorf("%s in %s: %s", c.Bench, tier, text)
				}
				if want, ok := map[string]float64{"m.Garbage": 1, "m.Collects": 1}[c.Bench]; ok && c.PerOp["allocs/op"] != want {
					t.Errorf("%s in %s allocates %v times an iteration, not %v", c.Bench, tier, c.PerOp["allocs/op"], want)
				}
			}
			if first == nil {
				first = got
				if small, large := gasIn(rec, "m.sum/n=10"), gasIn(rec, "m.sum/n=1000"); large < 50*small {
					t.Errorf("%s: a thousand squares take %v gas and ten %v", tier, large, small)
				}
				continue
			}
			for name, text := range got {
				if text != first[name] {
					t.Errorf("%s in %s: run %d has other figures:\n%s\n%s", name, tier, i+1, first[name], text)
				}
			}
		}
	}
}

func gasIn(rec *record.Record, bench string) float64 {
	for _, c := range rec.Counts {
		if strings.EqualFold(c.Bench, bench) {
			return c.PerOp["gas/op"]
		}
	}
	return 0
}
