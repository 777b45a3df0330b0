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

// A Benchmark is one that a repository has.
type Benchmark struct {
	Pkg  string // as the go command takes it: ./hot
	Name string // BenchmarkRender
}

// initAllow is the scope that init writes.
var initAllow = []string{"**/*.go"}

// ErrNoBenchmarks says that there is nothing to measure by itself.
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

// NewConfig is the text of a research.json that lessens the allocations and the time of one benchmark. The time is that of
// the processor: it is less disturbed by what else the machine does than the time that the benchmark says of itself.
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

// Choose is the benchmark that a name means: the first one for no name, else one with or without "Benchmark" before it
// and with or without the name of a part of it, a sub-benchmark, behind a slash. Only running it shows which
// parts there are.
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
	text, _ := json.Marshal(s) // of a string: no error
	return string(text)
}
