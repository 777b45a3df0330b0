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
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// A Benchmark is a benchmark of the repository.
type Benchmark struct {
	Pkg  string // as the go command takes it: ./hot
	Name string // BenchmarkRender
}

// initAllow is the scope that init writes.
var initAllow = []string{"**/*.go"}

// ErrNoBenchmarks says that the repository has nothing that init could measure.
var ErrNoBenchmarks = errors.New("the repository has no benchmarks; write research.json by hand with a metric of another source")

// Benchmarks lists the benchmarks of the repository's HEAD.
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
				list = append(list, Benchmark{"./" + path.Dir(name), fn.Name.Name})
			}
		}
	}
	for i := range list {
		if list[i].Pkg == "./." {
			list[i].Pkg = "."
		}
	}
	return list, nil
}

// NewConfig is the text of a research.json that reduces the allocations and the time of one
// benchmark. The time is processor time, which other load on the machine disturbs less than the
// benchmark's own time.
func NewConfig(b Benchmark) ([]byte, error) {
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
    {"name": "build", "run": ["go", "build", "./..."]},
    {"name": "vet", "run": ["go", "vet", "./..."]},
    {"name": "test", "run": ["go", "test", "./..."]},
    {"name": "shuffle", "run": ["go", "test", "-shuffle=on", "-count=3", "./..."], "when": "keep"}
  ],
  "proposer": {"kind": "manual"},
  "stop": {"experiments": 25, "wall": "2h", "plateau": 12}
}
`, quote("allocations and time of "+b.Name), quote(b.Name), quote(b.Pkg))
	_, err := ParseConfig("research.json", []byte(text))
	return bytes.TrimLeft([]byte(text), "\n"), err
}

// Choose finds the benchmark with a name. Without a name it takes the first one. The name may lack
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
	for _, b := range list {
		if b.Name == "Benchmark"+top {
			if parts {
				b.Name += "/" + part
			}
			return b, nil
		}
	}
	return Benchmark{}, fmt.Errorf("no benchmark %s", name)
}

func quote(s string) string {
	text, _ := json.Marshal(s) // a string cannot fail
	return string(text)
}
