package research

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestSuspicious: a time that contradicts the processor time, and an excessive gain of any metric,
// go to a human.
func TestSuspicious(t *testing.T) {
	const allocs = `{"name": "allocs", "from": "gobench", "bench": "BenchmarkX", "unit": "allocs/op", "goal": "min"}`
	for _, x := range []struct {
		name                string
		metric              string // beside the allocations
		parent, candidate   float64
		cpuParent, cpuAfter float64
		reason              string
	}{
		{"half of both", `"unit": "ns/op", "goal": "min"`, 1e6, 5e5, 2e8, 1e8, ""},
		{"half the time, all the work", `"unit": "ns/op", "goal": "min"`, 1e6, 5e5, 2e8, 2e8, "the time is not believed"},
		{"too short to tell", `"unit": "ns/op", "goal": "min"`, 1e4, 5e3, 2e6, 2e6, ""},
		{"a hundredth", `"unit": "ns/op", "goal": "min"`, 1e6, 1e4, 2e8, 2e6, "more than 20 times"},
		{"a hundredth without a goal", `"unit": "ns/op"`, 1e6, 1e4, 2e8, 2e6, "more than 20 times"},
		{"a hundredth of a guard", `"unit": "ns/op", "guard": {"maxRegression": "5%"}`, 1e6, 1e4, 2e8, 2e6, "more than 20 times"},
		{"a factor of its own", `"unit": "ns/op", "suspectFactor": 1000`, 1e6, 1e4, 2e8, 2e6, ""},
		{"a smaller one", `"unit": "ns/op", "suspectFactor": 1.5`, 1e6, 5e5, 2e8, 1e8, "more than 1.5 times"},
		{"a hundred times slower", `"unit": "ns/op"`, 1e4, 1e6, 2e6, 2e8, ""},
		{"nothing left", `"unit": "ns/op"`, 1e6, 0, 2e8, 2e6, "no work takes no time"},
		{"a rate", `"unit": "MB/s"`, 10, 1000, 2e8, 2e6, "more than 20 times"},
		{"the last bytes", `"unit": "B/op"`, 4096, 0, 2e8, 2e8, ""},
		{"the last bytes as a goal", `"unit": "B/op", "goal": "min"`, 4096, 0, 2e8, 2e8, "more than 20 times"},
	} {
		c, err := ParseConfig("research.json", fmt.Appendf(nil, `{"name": "x", "metrics": [%s, {"name": "y", "from": "gobench", "iterations": 100, %s}]}`, allocs, x.metric))
		if err != nil {
			t.Fatal(err)
		}
		s := &Session{config: c, state: &state{pairs: pairs{ledger.StageMeasure: {{map[string]float64{cpuMetric: x.cpuParent}, map[string]float64{cpuMetric: x.cpuAfter}}}}}}
		got := s.suspicious(map[string]ledger.Stat{"y": {Parent: &x.parent, Candidate: &x.candidate}})
		if (got != "") != (x.reason != "") || !strings.Contains(got, x.reason) {
			t.Errorf("%s: %q", x.name, got)
		}
	}
}

// TestCPUPerOp: a process that takes long to start, or whose benchmark sets up much, has the time of
// its iterations alone.
func TestCPUPerOp(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	spin := func(times string) string { return "for i := 0; i < " + times + "; i++ { sink += i * sink }" }
	b.write(b.repo, map[string]string{"spin_test.go": `package hot

import "testing"

var sink = 3

func init() { ` + spin("100_000_000") + ` }

func BenchmarkSpin(b *testing.B) {
	` + spin("20_000_000") + `
	b.ResetTimer()
	for n := 0; n < b.N; n++ { ` + spin("1000") + ` }
}

func BenchmarkLong(b *testing.B) {
	for b.Loop() { ` + spin("100_000") + ` }
}
`})
	b.git("add", "-A")
	b.git("commit", "-qm", "spin")
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{
			map[string]any{"name": "short", "from": "rusage", "bench": "BenchmarkSpin", "unit": "cpu-ns/op", "goal": "min", "iterations": 1000},
			map[string]any{"name": "long", "from": "rusage", "bench": "BenchmarkLong", "unit": "cpu-ns/op", "iterations": 1000}}
		c["battery"] = []any{}
	})
	s := b.open(c)
	defer s.Close()
	if err := s.setUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.parent.checkout(t.Context(), s.state.tip, s.parentTree); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, src := range c.sources() {
		if err := s.runner.prepare(t.Context(), src, s.parent); err != nil {
			t.Fatal(err)
		}
		v, err := s.runner.sample(t.Context(), src, s.parent)
		if err != nil {
			t.Fatal(err)
		}
		for name, x := range v {
			got[name] = x
		}
	}
	// 1000 turns take a hundredth of 100,000. The start and the setup would make it about the same.
	if ratio := got["long"] / got["short"]; ratio < 20 || ratio > 500 {
		t.Errorf("a ratio of %.1f: %v", ratio, got)
	}
}

// TestBelowFloor: a time in which nothing reads the input is no gain, whatever the checks say. A
// faster way of reading it is one.
func TestBelowFloor(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	const sum = `package hot

// Sum adds numbers.
func Sum(x []int) (s int) {
	for i := 0; i < len(x); i++ {
		s += x[i] % 7
	}
	return s
}
`
	b.write(b.repo, map[string]string{"sum.go": sum, "sum_test.go": `package hot

import "testing"

var sink int

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{10, 100_000} {
		b.Run(map[bool]string{false: "small", true: "large"}[n > 10], func(b *testing.B) {
			x := make([]int, n)
			for i := range x {
				x[i] = i
			}
			for b.Loop() {
				sink = Sum(x)
			}
		})
	}
}
`})
	b.git("add", "-A")
	b.git("commit", "-qm", "sum")
	change := func(name, old, new string) {
		b.write(b.side, map[string]string{"patches/" + name: filePatch(t, name, "sum.go", sum, strings.Replace(sum, old, new, 1))})
	}
	change("1.patch", "\tfor i :=", "\tif len(x) == 100_000 {\n\t\treturn 299_997\n\t}\n\tfor i :=")
	change("2.patch", "x[i] % 7", "x[i] & 7")
	c := b.config(func(c map[string]any) {
		c["battery"] = []any{}
		c["risk"] = map[string]any{"off": []string{"differential", "mutation", "cache"}}
		c["statistics"].(map[string]any)["suspectFactor"] = 1e9
		c["metrics"] = []any{map[string]any{"name": "ns", "from": "gobench", "bench": "BenchmarkSum/large", "unit": "ns/op", "goal": "min", "minEffect": "5%"}}
	})
	_, rows := b.run(c)
	if r := rows[0]; r.Verdict != ledger.VerdictQuarantined || !strings.Contains(r.Reason, "the work is not done") || !strings.Contains(r.Reason, "hot.Sum 7") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	if r := rows[1]; r.Verdict == ledger.VerdictQuarantined {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}
