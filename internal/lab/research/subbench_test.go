package research

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/report"
)

// TestExpand: a metric with sub-benchmarks gets parts with its guard, and is their geometric mean.
func TestExpand(t *testing.T) {
	parse := func(metrics string) (*Config, error) {
		return ParseConfig("research.json", fmt.Appendf(nil, `{"name": "x", "metrics": [%s]}`, metrics))
	}
	c, err := parse(`{"name": "allocs", "from": "gobench", "bench": "BenchmarkX", "subs": ["n=1", "n-2/a"], "unit": "allocs/op", "goal": "min", "guard": {"maxRegression": "1", "max": 9}},
		{"name": "cpu", "from": "rusage", "unit": "cpu-ns/op"}, {"name": "ns", "from": "gobench", "bench": "BenchmarkY", "unit": "ns/op"}`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range c.Metrics {
		got = append(got, fmt.Sprint(m.Name, " ", m.From, " ", m.Bench, " ", m.Goal, " ", m.Guard != nil && m.Guard.Max != nil, m.Guard != nil && m.Guard.MaxRegression != nil))
	}
	if want := `allocs geomean  min true false
allocs/n_1 gobench BenchmarkX/n=1  false true
allocs/n-2/a gobench BenchmarkX/n-2/a  false true
cpu geomean   false false
cpu/n_1 rusage BenchmarkX/n=1  false false
cpu/n-2/a rusage BenchmarkX/n-2/a  false false
ns gobench BenchmarkY  false false`; strings.Join(got, "\n") != want {
		t.Error(strings.Join(got, "\n"))
	}
	if n := len(c.sources()); n != 3 {
		t.Errorf("%d sources", n)
	}
	if got := c.Metrics[0].mean(map[string]float64{"allocs/n_1": 0, "allocs/n-2/a": 8}); math.Abs(got-2) > 1e-9 {
		t.Errorf("allocations %v", got)
	}
	if got := c.Metrics[3].mean(map[string]float64{"cpu/n_1": 2, "cpu/n-2/a": 8}); math.Abs(got-4) > 1e-9 {
		t.Errorf("time %v", got)
	}
	for metrics, want := range map[string]string{
		`{"name": "x", "from": "gobench", "bench": "BenchmarkX", "subs": ["a"], "unit": "ns/op", "goal": "min"}`:                                                    "metrics[0].subs: a benchmark has two",
		`{"name": "x", "from": "gobench", "bench": "BenchmarkX", "subs": ["a=b", "a:b"], "unit": "ns/op", "goal": "min"}`:                                           `metrics[0].subs: "a:b" appears twice`,
		`{"name": "x", "from": "command", "run": ["true"], "subs": ["a", "b"], "goal": "min"}`:                                                                      "metrics[0].subs: a benchmark",
		`{"name": "x/a", "from": "file", "path": "x"}, {"name": "x", "from": "gobench", "bench": "BenchmarkX", "subs": ["a", "b"], "unit": "ns/op", "goal": "min"}`: `metrics[1].subs: "a" appears twice`,
	} {
		if _, err := parse(metrics); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", metrics, err)
		}
	}
}

// TestSubBenchmarks: the geometric mean decides, each part has its guard, and the report has a table
// by row.
func TestSubBenchmarks(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.repo, map[string]string{"subs_test.go": `package hot

import "testing"

func BenchmarkSubs(b *testing.B) {
	for name, n := range map[string]int{"one": 1, "ten": 10} {
		b.Run(name, func(b *testing.B) {
			rs := records(n)
			for b.Loop() {
				Render(rs)
			}
		})
	}
}
`})
	b.git("add", "-A")
	b.git("commit", "-qm", "subs")
	render := fixture["render.go"]
	b.write(b.side, map[string]string{"patches/1.patch": fixturePatches[2].patch(t),
		"patches/2.patch": filePatch(t, "many but one", "render.go", render, strings.NewReplacer("\tvar out []byte\n", `	var out []byte
	if len(rs) == 1 {
		kept = make([]byte, 9)
	}
`, "out = append(out, number(r.ID)...)", `if len(rs) > 1 {
			out = strconv.AppendInt(out, int64(r.ID), 10)
		} else {
			out = append(out, number(r.ID)...)
		}`, "package hot\n", "package hot\n\nimport \"strconv\"\n\nvar kept []byte\n").Replace(render))})
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "allocs", "from": "gobench", "bench": "BenchmarkSubs", "subs": []string{"one", "ten"}, "unit": "allocs/op", "goal": "min", "guard": map[string]any{"maxRegression": "0"}}}
		c["battery"] = []any{}
		c["risk"] = map[string]any{"off": []string{"differential", "mutation"}}
		c["statistics"].(map[string]any)["plant"] = "5%"
	})
	_, rows := b.run(c)
	r := rows[0]
	if r.Verdict != ledger.VerdictKeep || r.Stats["allocs/one"].Word != "better" || r.Stats["allocs/ten"].Word != "better" || *r.Metric <= r.Metrics["allocs/one"] || *r.Metric >= r.Metrics["allocs/ten"] {
		t.Errorf("%s %s: %+v", r.Verdict, r.Reason, r.Stats)
	}
	if r := rows[1]; r.Verdict != ledger.VerdictGuardFailed || !strings.Contains(r.Reason, "allocs/one") || r.Stats["allocs"].Word != "better" {
		t.Errorf("%s %s", r.Verdict, r.Reason)
	}
	lines, err := ledger.ReadFile(filepath.Join(b.repo, ".git/research/fixture/log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	planted := ""
	for _, l := range lines {
		if l.Event != nil && l.Event.Event == "planted" {
			planted = string(l.Event.Data)
		}
	}
	for _, part := range []string{`"metric":"allocs/one"`, `"metric":"allocs/ten"`, `"seen":true`} {
		if !strings.Contains(planted, part) || strings.Contains(planted, `"seen":false`) {
			t.Errorf("planted: %s", planted)
		}
	}
	var text strings.Builder
	if err := report.Markdown(&text, &report.Session{Lines: lines}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "allocs/op by sub-benchmark:\n\n| # | geometric mean | one | ten |") || strings.Contains(text.String(), "allocs/one") {
		t.Error(text.String())
	}
}

// TestIterationsOfOthers: a metric takes what it leaves out from the one before it, but not the
// iterations of another benchmark.
func TestIterationsOfOthers(t *testing.T) {
	c := &Config{Metrics: []Metric{
		{Name: "a", From: "gobench", Bench: "BenchmarkA", Unit: "allocs/op", Iterations: 2000},
		{Name: "b", From: "rusage", Unit: cpuPerOp},
		{Name: "c", From: "rusage", Bench: "BenchmarkC", Unit: cpuPerOp},
	}}
	c.setDefaults()
	if b, d := c.Metrics[1], c.Metrics[2]; b.Bench != "BenchmarkA" || b.Iterations != 2000 || d.Iterations != 0 {
		t.Errorf("%s %d, %s %d", b.Bench, b.Iterations, d.Bench, d.Iterations)
	}
}
