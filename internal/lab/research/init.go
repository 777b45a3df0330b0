package research

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// A Benchmark is a benchmark of the repository.
type Benchmark struct {
	Pkg    string // as the go command takes it: ./hot
	Name   string // BenchmarkRender
	Module string // directory of its module; empty: the top
	Alone  bool   // the top is no module
}

// initAllow is the scope that init writes.
var initAllow = []string{"**/*.go"}

// ErrNoBenchmarks says that the repository has nothing that init could measure.
var ErrNoBenchmarks = errors.New("the repository has no benchmarks; write research.json by hand with a metric of another source")

// Benchmarks lists the benchmarks of the repository's HEAD. Those of nested modules come last.
func Benchmarks(ctx context.Context, repo *gitx.Repo) ([]Benchmark, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	files, err := repo.Files(ctx, head)
	if err != nil {
		return nil, err
	}
	var list []Benchmark
	for _, name := range sortedKeys(files) {
		if !strings.HasSuffix(name, "_test.go") || matchAny([]string{"**/testdata/**", "**/vendor/**"}, name) {
			continue
		}
		text, err := repo.File(ctx, head, name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Benchmark") && len(fn.Type.Params.List) == 1 {
				list = append(list, Benchmark{"./" + path.Dir(name), fn.Name.Name, moduleDir(files, name), files["go.mod"] == ""})
			}
		}
	}
	for i := range list {
		if list[i].Pkg == "./." {
			list[i].Pkg = "."
		}
	}
	slices.SortStableFunc(list, func(a, b Benchmark) int { return min(len(a.Module), 1) - min(len(b.Module), 1) })
	return list, nil
}

// moduleDir is the directory of the nearest go.mod above a file; empty for the top.
func moduleDir(files map[string]string, name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if files[dir+"/go.mod"] != "" {
			return dir
		}
	}
	return ""
}

// Init makes the text of a research.json for a benchmark. It tries on HEAD what a session would run,
// leaves out a go vet that fails there, and tells what else fails.
func Init(ctx context.Context, repo *gitx.Repo, b Benchmark) (text []byte, told []string, err error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, nil, err
	}
	text, err = NewConfig(b)
	if err != nil {
		return nil, nil, err
	}
	c, err := ParseConfig("research.json", text)
	if err != nil {
		return nil, nil, err
	}
	c.Dir = repo.Top
	t, err := tryBase(ctx, repo, c, head)
	if err != nil {
		return nil, nil, err
	}
	var without []string
	for _, k := range t.failed() {
		what := "a session does not begin before the base passes it"
		switch {
		case t.unboxed:
			what = "only in the sandbox, so the session has none"
		case strings.HasPrefix(k.Name, "vet"):
			what = "left out"
			without = append(without, k.Name)
		}
		told = append(told, fmt.Sprintf("HEAD fails %s: %s: %s", k.Name, what, k.Detail))
	}
	for _, err := range t.metrics {
		told = append(told, "HEAD cannot be measured: "+err.Error())
	}
	text, err = NewConfig(b, without...)
	return text, told, err
}

// NewConfig is the text of a research.json that reduces the allocations and the time of one
// benchmark. The time is processor time, which other load on the machine disturbs less than the
// benchmark's own time.
//
// Checks named in without are left out. A benchmark of a nested module has that module's checks too.
func NewConfig(b Benchmark, without ...string) ([]byte, error) {
	var checks []string
	dirs := []string{"", b.Module}
	if b.Module == "" {
		dirs = dirs[:1]
	} else if b.Alone {
		dirs = dirs[1:]
	}
	for _, dir := range dirs {
		in, at := "", ""
		if dir != "" {
			in, at = " in "+dir, fmt.Sprintf(`, "dir": %s`, quote(dir))
		}
		for _, k := range []struct{ name, run, when string }{
			{"build", `"build"`, ""},
			{"vet", `"vet"`, ""},
			{"test", `"test"`, ""},
			{"shuffle", `"test", "-shuffle=on", "-count=3"`, `, "when": "keep"`},
		} {
			if name := k.name + in; !slices.Contains(without, name) {
				checks = append(checks, fmt.Sprintf(`    {"name": %s, "run": ["go", %s, "./..."]%s%s}`, quote(name), k.run, at, k.when))
			}
		}
	}
	text := fmt.Sprintf(`{
  "name": %s,
  "base": "HEAD",
  "scope": {"allow": ["**/*.go"], "maxDiffLines": 400},
  "metrics": [
    {"name": "allocs_per_op", "from": "gobench", "bench": %s, "pkg": %s, "unit": "allocs/op", "goal": "min", "minEffect": "1"},
    {"name": "cpu_per_op", "from": "rusage", "unit": "cpu-ns/op", "goal": "min", "minEffect": "3%%", "guard": {"maxRegression": "auto"}},
    {"name": "bytes_per_op", "from": "gobench", "unit": "B/op"},
    {"name": "ns_per_op", "from": "gobench", "unit": "ns/op"}
  ],
  "battery": [
%s
  ],
  "proposer": {"kind": "manual"},
  "stop": {"experiments": 25, "wall": "2h", "plateau": 12}
}
`, quote("allocations and time of "+b.Name), quote(b.Name), quote(b.Pkg), strings.Join(checks, ",\n"))
	_, err := ParseConfig("research.json", []byte(text))
	return bytes.TrimLeft([]byte(text), "\n"), err
}

// Choose finds the benchmark with a name, of several the one in the package nearest to the top. Without a
// name it takes the first one. The name may lack
// "Benchmark", and a sub-benchmark's name may follow after a slash. Only running the benchmark
// shows which sub-benchmarks exist.
func Choose(list []Benchmark, name string) (Benchmark, error) {
	if len(list) == 0 {
		return Benchmark{}, ErrNoBenchmarks
	}
	if name == "" {
		return list[0], nil
	}
	top, part, parts := strings.Cut(strings.TrimPrefix(name, "Benchmark"), "/")
	list = slices.DeleteFunc(slices.Clone(list), func(b Benchmark) bool { return b.Name != "Benchmark"+top })
	if len(list) == 0 {
		return Benchmark{}, fmt.Errorf("no benchmark %s", name)
	}
	depth := func(b Benchmark) int { return strings.Count(path.Join(b.Pkg, "x"), "/") }
	b := slices.MinFunc(list, func(a, b Benchmark) int { return depth(a) - depth(b) })
	if parts {
		b.Name += "/" + part
	}
	return b, nil
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string cannot fail
	return string(text)
}
