package research

import (
	"strings"
	"testing"
)

const smallConfig = `{"name": "Block production, allocations",
 "metrics": [
  {"name": "allocs_per_op", "from": "gobench", "bench": "BenchmarkHot", "pkg": "./hot", "unit": "allocs/op", "goal": "min", "minEffect": "1"},
  {"name": "ns_per_op", "from": "gobench", "unit": "ns/op", "guard": {"maxRegression": "2%"}}
 ],
 "proposer": {"kind": "patches", "dir": "patches", "timeout": "90s"},
 "stop": {"cost": "5 USD", "wall": "1h", "target": {"allocs_per_op": 0}}
}`

func TestConfig(t *testing.T) {
	c, err := ParseConfig("research.json", []byte(smallConfig))
	if err != nil {
		t.Fatal(err)
	}
	ns := c.Metrics[1]
	if c.Session != "block-production-allocations" || c.Base != "HEAD" || ns.Bench != "BenchmarkHot" || ns.Pkg != "./hot" || ns.Iterations != 0 {
		t.Errorf("%+v", c)
	}
	if g := ns.Guard.MaxRegression; g.of(50) != 1 || g.part(50) != 0.02 || g.String() != "2%" {
		t.Errorf("guard %+v", g)
	}
	if m := c.Objective(); m.Name != "allocs_per_op" || m.MinEffect.of(50) != 1 || m.MinEffect.part(50) != 0.02 {
		t.Errorf("objective %+v", m)
	}
	if c.Stop.Cost != 5 || c.Stop.Experiments != 25 || c.Battery[2].TestsFrom != "base" {
		t.Errorf("%+v", c)
	}
}

// TestConfigErrors: an error names the place, and for an unknown key the most similar one.
func TestConfigErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`"stop"`, `"stpo"`, "stpo: unknown key; did you mean stop?"},
		{`"maxRegression"`, `"maxRegresion"`, "metrics[1].guard.maxRegresion: unknown key; did you mean maxRegression?"},
		{`"kind": "patches"`, `"kind": "patches", "kind": "range"`, "proposer.kind: appears twice"},
		{`"goal": "min"`, `"goal": "less"`, `metrics[0].goal: "less" is none of`},
		{`"goal": "min", `, ``, "no metric has a goal"},
		{`"2%"`, `"two"`, "is no amount"},
		{`"minEffect": "1"`, `"minEffect": "auto"`, "only a guard can be auto"},
		{`"ns/op", "guard"`, `"ns/op", "minEffect": "auto", "guard"`, "only a guard can be auto"},
		{`"from": "gobench", "unit": "ns/op"`, `"from": "rusage", "run": ["true"], "unit": "cpu-ns/op"`, "cpu-ns/op is of a benchmark"},
		{`"90s"`, `90`, "is no duration"},
		{`"ns_per_op"`, `"allocs_per_op"`, "metrics[1].name: allocs_per_op appears twice"},
		{`"ns_per_op"`, `"ns per op"`, "is no name of a metric"},
		{`{"allocs_per_op": 0}`, `{"allocs": 0}`, "no metric allocs"},
		{`"dir": "patches", `, ``, "proposer.dir: missing"},
		{`"5 USD"`, `"5 EUR"`, "is no cost"},
		{`"pkg": "./hot"`, `"pkg": 5`, "pkg"},
		{`"kind": "patches", "dir": "patches"`, `"kind": "sweep", "params": [{"name": "x.y", "values": ["a b"], "in": "ldflags"}]`, "no blanks and quotes"},
		{`"kind": "patches", "dir": "patches"`, `"kind": "sweep", "params": [{"name": "x", "values": ["a"], "in": "file"}]`, "none of source, env, ldflags"},
		{`"stop"`, `"parallel": {"measure": 2}, "stop"`, "1 is the only value"},
		{`"stop"`, `"parallel": {"propose": 17}, "stop"`, "17 is not between 1 and 16"},
	} {
		text := strings.Replace(smallConfig, c.from, c.to, 1)
		if _, err := ParseConfig("research.json", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.to, err, c.want)
		}
	}
	for _, text := range []string{"", "{", "[]", smallConfig + "{}", `{"name": "n"}`} {
		if _, err := ParseConfig("research.json", []byte(text)); err == nil {
			t.Errorf("%q has no error", text)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"**", "a", true}, {"**", "a/b", true}, {"a/**", "a/b/c", true}, {"a/**", "a", false}, {"a/*.go", "a/b.go", true}, {"a/*.go", "a/b/c.go", false},
		{"**/*_test.go", "x_test.go", true}, {"**/*_test.go", "a/b/x_test.go", true}, {"**/pb/**", "pb/x", true}, {"**/pb/**", "a/pb/x/y", true}, {"**/pb/**", "a/pbx/y", false},
		{"go.mod", "go.mod", true}, {"go.mod", "a/go.mod", false}, {"**/.git*", ".gitattributes", true}, {"**/.git*", "a/.gitignore", true},
	} {
		if got := match(c.pattern, c.name); got != c.want {
			t.Errorf("%s matches %s: %v", c.pattern, c.name, got)
		}
	}
}
