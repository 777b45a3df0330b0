package research

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestPlant: the calibration sees the objects and bytes that it plants, and reports that a
// benchmark without a loop has no place for them. A metric with a constant value tests that a blind
// measurement is noticed.
func TestPlant(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.repo, map[string]string{"blind_test.go": `package hot

import "testing"

func BenchmarkBlind(b *testing.B) {
	for range b.N {
	}
	b.ReportMetric(7, "B/op")
}

func BenchmarkHelped(b *testing.B) { helped(b) }

func helped(b *testing.B) {
	for b.Loop() {
	}
}
`})
	b.git("add", "-A")
	b.git("commit", "-qm", "blind")
	c := b.config(func(c map[string]any) {
		metric := func(name, bench, unit string) map[string]any {
			return map[string]any{"name": name, "from": "gobench", "bench": bench, "unit": unit, "goal": "min", "minEffect": "1"}
		}
		c["metrics"] = []any{
			metric("allocs", "BenchmarkRender", "allocs/op"),
			map[string]any{"name": "bytes", "from": "gobench", "unit": "B/op", "guard": map[string]any{"maxRegression": "5%"}},
			metric("blind", "BenchmarkBlind", "B/op"),
			metric("helped", "BenchmarkHelped", "allocs/op"),
		}
		c["battery"] = []any{}
		c["statistics"] = map[string]any{"aaEvery": -1, "calibrate": 2}
	})
	before := b.checkout()
	s := b.open(c)
	if err := s.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range s.Planted() {
		got = append(got, p.String())
	}
	text := strings.Join(got, "\n")
	for i, want := range []string{"allocs: a planted 11 allocs/op is seen (the base is -", "bytes: a planted ", "blind: a planted 2 B/op is not seen (the base is +0 exact)", "helped: no slow-down planted: no loop"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	if !s.Planted()[1].Seen {
		t.Errorf("%s", text)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if b.checkout() != before {
		t.Error("the user's checkout changed")
	}
	list, err := Doctor(t.Context(), b.repo, c)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, d := range list {
		if d.Subject == "planted" {
			found++
		}
	}
	if found != 2 {
		t.Errorf("the doctor says %+v", list)
	}
}

// TestPlantFiles: which loops of a benchmark get the load.
func TestPlantFiles(t *testing.T) {
	b := &bench{t: t}
	dir := t.TempDir()
	b.write(dir, map[string]string{"a_test.go": `package a_test

import "testing"

func BenchmarkA(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for range 3 {
		}
	}
	b.Run("sub", func(b *testing.B) {
		for b.Loop() {
		}
	})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
		}
	})
}

func BenchmarkB(b *testing.B) {}
`})
	files, err := plantFiles(dir, "A/sub", load{allocs: 3, bytes: 5, ns: 7})
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	if text := files[filepath.Join(dir, "a_test.go")]; strings.Count(text, "{ researchPlant();\n") != 3 || strings.Contains(text, "range 3 { r") {
		t.Errorf("%s", text)
	}
	if text := files[filepath.Join(dir, plantedFile)]; !strings.HasPrefix(text, "package a_test\n") || !strings.Contains(text, "i < 3;") || !strings.Contains(text, "n := 5;") || !strings.Contains(text, "int(7 *") {
		t.Errorf("%s", text)
	}
	for _, name := range []string{"B", "BenchmarkC"} {
		if files, err := plantFiles(dir, name, load{}); err != nil || len(files) != 0 {
			t.Errorf("%s: %v, %v", name, files, err)
		}
	}
}

// TestJudgePlanted: a planted load is judged as a gain of the base, for a noisy guard too.
func TestJudgePlanted(t *testing.T) {
	c, err := ParseConfig("research.json", []byte(smallConfig))
	if err != nil {
		t.Fatal(err)
	}
	j := &judgement{classes: map[string]measure.Class{"ns_per_op": measure.Noisy}}
	guard := alone(&c.Metrics[1])
	j.config = &Config{Metrics: []Metric{guard}, Statistics: c.Statistics}
	for _, x := range []struct {
		slow float64
		sees bool
	}{{105, true}, {100, false}} {
		var list []pair
		for i := range 64 {
			wobble := 1 + float64(i%7)/500
			list = append(list, pair{map[string]float64{"ns_per_op": x.slow * wobble}, map[string]float64{"ns_per_op": 100 / wobble}})
		}
		if d := j.decide(pairs{ledger.StageMeasure: list, ledger.StageConfirm: list}); d.want != "" || d.gains != x.sees {
			t.Errorf("%v: %+v", x.slow, d)
		}
	}
}
