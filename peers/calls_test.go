package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// made makes the engines for a test.
func made(tb testing.TB) []*embedder {
	list, err := embedders(tb.Context(), ".")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		for _, e := range list {
			e.close()
		}
	})
	return list
}

// TestCalls: all engines have the results of native Go, or say why they do not do a work; the table
// has a cell for each.
func TestCalls(t *testing.T) {
	list := made(t)
	if err := compare(list); err != nil {
		t.Error(err)
	}
	table := make([][]float64, len(works))
	for i, w := range works {
		table[i] = make([]float64, len(list))
		for k, e := range list {
			if e.doers[w] != nil {
				table[i][k] = float64(k+1) * 100
			}
		}
	}
	var out bytes.Buffer
	writeTable(&out, list, table)
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != len(list)+2 {
			t.Errorf("line %d has other cells: %s", i, line)
		}
	}
}

// TestCompare finds a result that differs, an unexplained work that no peer does, and an error.
func TestCompare(t *testing.T) {
	answer := func(text string, err error) doer { return func(int) (string, error) { return text, err } }
	all := func(do doer) *embedder {
		e := &embedder{doers: map[string]doer{}}
		for _, w := range works {
			e.doers[w] = do
		}
		return e
	}
	right, wrong, broken, idle := all(answer("1", nil)), all(answer("2", nil)), all(answer("", fmt.Errorf("no"))), &embedder{}
	if err := compare([]*embedder{right, right}); err != nil {
		t.Error(err)
	}
	for _, e := range []*embedder{wrong, broken, idle} {
		if err := compare([]*embedder{right, e}); err == nil || strings.Count(err.Error(), "\n") < len(works)-1 {
			t.Errorf("%v", err)
		}
	}
}

// BenchmarkCalls measures each work in each engine: cpu-ns/op is processor time.
func BenchmarkCalls(b *testing.B) {
	list := made(b)
	for _, w := range works {
		for _, e := range list {
			do := e.doers[w]
			if do == nil {
				continue
			}
			b.Run(strings.ReplaceAll(w, " ", "-")+"/"+strings.ReplaceAll(e.name, " ", "-"), func(b *testing.B) {
				b.ReportAllocs()
				before := cpuTime()
				if _, err := do(b.N); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
			})
		}
	}
}
