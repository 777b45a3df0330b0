package bench

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// A resultLine is one line of a benchmark, and the events while it ran.
type resultLine struct {
	measure.BenchResult
	gcs    int     // collections that the benchmark caused
	gcNS   float64 // processor time of those collections
	hooked *hooked // a hooked test binary's report; nil: not hooked
}

// ns is the time of all iterations, as printed with four digits.
func (r *resultLine) ns() (float64, bool) {
	v, ok := r.Value("ns/op")
	return v * float64(r.N), ok
}

// metrics are the values by unit, without the time.
func (r *resultLine) metrics() map[string]float64 {
	m := map[string]float64{}
	for _, v := range r.Values {
		if v.Unit != "ns/op" {
			m[v.Unit] = v.Value
		}
	}
	return m
}

// parseLine reads a line of a test binary's output; nil: not a result.
func parseLine(line string) *measure.BenchResult {
	if !strings.HasPrefix(line, "Benchmark") {
		return nil
	}
	out, err := measure.ReadBench(strings.NewReader(line + "\n"))
	if err != nil || len(out.Results) != 1 {
		return nil
	}
	return &out.Results[0]
}

// gcTrace is a line of GODEBUG=gctrace=1: the three phases' wall and processor times, and whether
// the program asked for the collection.
var gcTrace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^gc \d+ @[0-9.]+s \d+%: [0-9.+]+ ms clock, ([0-9.+/]+) ms cpu, .* P( \(forced\))?$`)
})

// gcTime is the processor time of a traced collection in nanoseconds. In the concurrent phase,
// assist/background/idle, the idle part used a processor that was free anyway and does not count.
func gcTime(cpu string) float64 {
	sum := 0.0
	for _, phase := range strings.Split(cpu, "+") {
		for i, s := range strings.Split(phase, "/") {
			if v, err := strconv.ParseFloat(s, 64); err == nil && i < 2 {
				sum += v
			}
		}
	}
	return sum * 1e6
}

// scan reads the output of a native test binary, including the lines of gctrace. rest is the
// benchmarks' own output.
func scan(output []byte) (results []resultLine, rest []string) {
	gcs, gcNS := 0, 0.0
	var said *hooked
	for line := range bytes.Lines(output) {
		text := strings.TrimRight(string(line), "\r\n")
		if m := gcTrace().FindStringSubmatch(text); m != nil {
			if m[2] != "" { // package testing's collection before a run
				gcs, gcNS = 0, 0
				continue
			}
			gcs, gcNS = gcs+1, gcNS+gcTime(m[1])
			continue
		}
		if h, ok := parseHook(text); ok {
			said = &h
			continue
		}
		if r := parseLine(text); r != nil {
			results = append(results, resultLine{*r, gcs, gcNS, said})
			gcs, gcNS, said = 0, 0, nil
			continue
		}
		rest = append(rest, text)
	}
	return results, rest
}

// boilerplate are lines of package testing that say nothing about a benchmark.
var boilerplate = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(goos|goarch|pkg|cpu): |^(PASS|FAIL|ok)\b|^Benchmark\S*$|^=== |^testing: `)
})

// said is the benchmarks' own output, to be compared between engines.
func said(rest []string) string {
	var b strings.Builder
	for _, line := range rest {
		if !boilerplate().MatchString(line) && strings.TrimSpace(line) != "" {
			fmt.Fprintln(&b, line)
		}
	}
	return b.String()
}

// pattern is the -test.bench for one benchmark, "Sum/n=8".
func pattern(name string) string {
	parts := strings.Split("Benchmark"+name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
