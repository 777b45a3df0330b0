package research

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// TestInit: a benchmark is found by its name, and a sub-benchmark after a slash, and the doctor
// accepts what init wrote.
func TestInit(t *testing.T) {
	b := newBench(t)
	repo, err := gitx.Open(t.Context(), b.repo)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Benchmarks(t.Context(), repo)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	for name, want := range map[string]string{"": "BenchmarkRender", "Render": "BenchmarkRender", "BenchmarkRender": "BenchmarkRender",
		"Render/10": "BenchmarkRender/10", "BenchmarkRender/a/b": "BenchmarkRender/a/b", "Rend": "", "Rend/10": ""} {
		got, err := Choose(list, name)
		if got.Name != want || (err == nil) != (want != "") || want != "" && got.Pkg != "." {
			t.Errorf("%q is %+v, %v", name, got, err)
		}
	}
	two := []Benchmark{{Name: "BenchmarkRender", Pkg: "./deep/er"}, {Name: "BenchmarkRender", Pkg: "."}, {Name: "BenchmarkRender", Pkg: "./deep"}}
	if got, err := Choose(two, "Render/10"); got.Pkg != "." || err != nil {
		t.Errorf("of several packages %+v, %v", got, err)
	}
	if _, err := Choose(nil, ""); err != ErrNoBenchmarks {
		t.Error(err)
	}
	text, told, err := Init(t.Context(), repo, list[0])
	if err != nil || len(told) != 1 || !strings.HasPrefix(told[0], "HEAD fails vet: left out") {
		t.Fatalf("%v, told %q", err, told)
	}
	b.write(b.repo, map[string]string{"research.json": string(text)})
	c, err := LoadConfig(filepath.Join(b.repo, "research.json"))
	if err != nil {
		t.Fatal(err)
	}
	dirty := func() (warned bool) {
		list, err := Doctor(t.Context(), b.repo, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			warned = warned || d.Subject == "checkout"
			if d.Level == LevelError {
				t.Errorf("%+v", d)
			}
		}
		return warned
	}
	if dirty() {
		t.Error("the doctor warns of research.json")
	}
	b.write(b.repo, map[string]string{"new.go": "package hot\n"})
	if !dirty() {
		t.Error("the doctor does not warn of a new file")
	}
}

// TestResolve: iterations take a tenth of a second on the branch's tip, and a guard that is auto is
// as wide as the noise requires.
func TestResolve(t *testing.T) {
	text, err := NewConfig(Benchmark{Pkg: ".", Name: "BenchmarkRender"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseConfig("research.json", text)
	if err != nil {
		t.Fatal(err)
	}
	st := &state{calibration: &calibration{PerOp: map[string]float64{c.Metrics[0].benchKey(): 1000},
		Held: map[string]float64{"cpu_per_op": 0.07}, Values: map[string]float64{"ns_per_op": 1000}}}
	s := &Session{config: c, state: st}
	s.resolve()
	for _, m := range s.config.Metrics {
		if m.Iterations != 100_000 {
			t.Errorf("%s: %d iterations", m.Name, m.Iterations)
		}
	}
	if g := s.config.Metrics[1].Guard; g.MaxRegression.Auto || g.MaxRegression.part(50) < 0.0699 || g.MaxRegression.part(50) > 0.0701 {
		t.Errorf("guard %v", g)
	}
	st.calibration.Values["ns_per_op"] = 250 // as after some keeps
	s.resolve()
	if n := s.config.Metrics[0].Iterations; n != 400_000 {
		t.Errorf("%d iterations of a faster tip", n)
	}
	if c.Metrics[0].Iterations != 0 || !c.Metrics[1].Guard.MaxRegression.Auto || !strings.Contains(c.Metrics[1].Guard.String(), "noise") {
		t.Errorf("the config has changed: %+v, %v", c.Metrics[0], c.Metrics[1].Guard)
	}
	for perOp, want := range map[float64]int{1e6: 100, 5e7: 10, 3e8: 7, 1e10: 1, 0.05: 1e9} {
		if n := iterations(perOp); n != want {
			t.Errorf("%d iterations of %v ns, want %d", n, perOp, want)
		}
	}
	st.calibration.Held = map[string]float64{}
	if h := s.held(0.04); h < 0.02 || h > 0.04 {
		t.Errorf("noise of 4 %% hides losses of %v", h)
	}
}

// TestInitNested: benchmarks of nested modules come last and get their module's checks. What HEAD
// fails is told by init and by the doctor.
func TestInitNested(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.repo, map[string]string{
		"bench/go.mod":    "module benchmarks\n\ngo 1.13\n",
		"bench/b_test.go": "package benchmarks\n\nimport \"testing\"\n\nfunc BenchmarkOther(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n",
		"more_test.go":    "package hot\n\nimport \"testing\"\n\nfunc TestWrong(t *testing.T) { t.Error(\"as always\") }\n",
	})
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "nested")
	repo := mustOpen(t, b.repo)
	list, err := Benchmarks(t.Context(), repo)
	if err != nil || len(list) != 2 || list[0].Name != "BenchmarkRender" || list[1].Module != "bench" {
		t.Fatalf("%+v, %v", list, err)
	}
	text, told, err := Init(t.Context(), repo, list[1])
	if err != nil {
		t.Fatal(err)
	}
	t.Log(strings.Join(told, "\n"))
	for _, want := range []string{"HEAD fails vet: left out", "HEAD fails test: a session does not begin before the base passes it: TestWrong of example.com/hot", "HEAD fails shuffle"} {
		if !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("not told: %s", want)
		}
	}
	c, err := ParseConfig("research.json", text)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range c.Battery {
		names = append(names, k.Dir+":"+k.Name)
	}
	if got := strings.Join(names, ", "); got != ":build, :test, :shuffle, bench:build in bench, bench:vet in bench, bench:test in bench, bench:shuffle in bench" {
		t.Error(got)
	}
	b.write(b.repo, map[string]string{"research.json": strings.ReplaceAll(string(text), "BenchmarkOther", "BenchmarkNone")})
	if c, err = LoadConfig(filepath.Join(b.repo, "research.json")); err != nil {
		t.Fatal(err)
	}
	diagnoses, err := Doctor(t.Context(), b.repo, c)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, d := range diagnoses {
		if d.Level == LevelError {
			words = append(words, d.Subject+": "+d.Text)
		}
	}
	for _, want := range []string{"battery: the base fails its own check test: TestWrong of example.com/hot", "metric: the base cannot be measured: BenchmarkNone of ./bench"} {
		if !strings.Contains(strings.Join(words, "\n"), want) {
			t.Errorf("the doctor does not say %q in\n%s", want, strings.Join(words, "\n"))
		}
	}
}
