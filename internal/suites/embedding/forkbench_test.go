package embedding_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
)

var large = flag.Bool("large", false, "BenchmarkFork, BenchmarkRestore: also an instance of 1,024 MiB")

// BenchmarkFork measures, for instances of several sizes, what a fork costs after the instance has
// written to so many pages since the last one, at random places: the time of Fork and of Close, of
// the fork's first call and its first transaction, and of the instance's next call.
func BenchmarkFork(b *testing.B) {
	p := compileForked(b)
	sizes := []int{1, 64}
	if *large {
		sizes = append(sizes, 1024)
	}
	for _, mib := range sizes {
		for _, pages := range []int{0, 16, 256} {
			b.Run(fmt.Sprintf("MiB=%d/pages=%d", mib, pages), func(b *testing.B) {
				in, err := p.NewInstance(b.Context(), gyr.Config{Memory: uint64(mib)<<20*2 + 64<<20})
				if err != nil {
					b.Fatal(err)
				}
				defer in.Close()
				call := func(in *gyr.Instance, name string, args ...any) {
					if _, err := in.Call(b.Context(), name, args...); err != nil {
						b.Fatal(err)
					}
				}
				call(in, "Grow", mib)
				kinds := []string{"fork", "close", "first-call", "first-Begin", "next-call"}
				times := map[string][]time.Duration{}
				var last time.Time
				lap := func(kind string) {
					now := time.Now()
					times[kind] = append(times[kind], now.Sub(last))
					last = time.Now()
				}
				step := 0
				first := time.Duration(0)
				for b.Loop() {
					if pages > 0 {
						step++
						call(in, "Touch", pages, step*97+1)
					}
					last = time.Now()
					f, err := in.Fork(b.Context(), gyr.ForkConfig{})
					if err != nil {
						b.Fatal(err)
					}
					lap("fork")
					if first == 0 {
						first = times["fork"][0]
					}
					call(in, "Touch", 1, step)
					lap("next-call")
					call(f, "Touch", 1, step)
					lap("first-call")
					if err := f.Begin(b.Context()); err != nil {
						b.Fatal(err)
					}
					lap("first-Begin")
					f.Close()
					lap("close")
				}
				for _, kind := range kinds {
					list := times[kind]
					slices.Sort(list)
					b.ReportMetric(float64(list[len(list)/2].Nanoseconds())/1000, kind+"-µs")
					if kind == "fork" || kind == "next-call" {
						b.ReportMetric(float64(list[len(list)*99/100].Nanoseconds())/1000, kind+"-p99-µs")
					}
				}
				b.ReportMetric(float64(first.Nanoseconds())/1000, "first-fork-µs")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
