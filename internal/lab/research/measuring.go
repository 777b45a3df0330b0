package research

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// A source is one process that samples one or several metrics.
type source struct {
	key     string
	from    string
	metrics []*Metric
	layout  int // of the functions in the benchmark's binary (layout.go)
}

// binary names the source's binary in side.built.
func (s *source) binary() string {
	if s.layout == 0 {
		return s.metrics[0].Pkg
	}
	return fmt.Sprintf("%s layout %d", s.metrics[0].Pkg, s.layout)
}

// sources groups the metrics by the process that samples them, in their order.
func (c *Config) sources() []*source {
	var list []*source
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if m.of != nil {
			continue
		}
		var key string
		switch {
		case m.Bench != "":
			key = fmt.Sprintf("%s %d", m.benchKey(), m.Iterations)
		case m.From == "engine" && m.Test != "":
			key = fmt.Sprintf("test %q %q", m.Pkg, m.Test)
		case m.From == "engine":
			key = fmt.Sprintf("engine %q %q", m.Program, m.Args)
		case m.From == "file":
			key = "file " + m.Path
		default:
			key = fmt.Sprintf("command %q %q", m.Run, m.Env)
		}
		i := slices.IndexFunc(list, func(s *source) bool { return s.key == key })
		if i < 0 {
			i = len(list)
			list = append(list, &source{key: key, from: m.From})
		}
		list[i].metrics = append(list[i].metrics, m)
	}
	for _, s := range list {
		if s.metrics[0].Bench != "" {
			s.from = "gobench"
		} else if s.from == "rusage" {
			s.from = "command"
		}
	}
	return list
}

// benchKey names a metric's benchmark.
func (m *Metric) benchKey() string { return fmt.Sprintf("bench %q %q", m.Pkg, m.Bench) }

// cpuMetric is the name under which the processor time of a benchmark's process is logged, beside
// the benchmark's own times. A metric of a config cannot have a colon in its name.
const cpuMetric = "rusage:cpu"

// names are the metrics of a sample.
func (s *source) names() []string {
	var names []string
	for _, m := range s.metrics {
		names = append(names, m.Name)
		if m.From == "gobench" && m.Unit == "ns/op" && !slices.Contains(names, cpuMetric) {
			names = append(names, cpuMetric)
		}
	}
	return names
}

// A side is one of the two programs that are compared, in a checkout of its own.
type side struct {
	wt    *gitx.Worktree
	tree  string            // tree that is checked out
	bin   string            // directory of the built binaries
	built map[string]binary // by source.binary

	on       string   // machines of its samples in the present pair; kept by workers
	settings settings // for its builds and runs
	box      *box     // around its programs; nil: none
}

// A binary is a test binary with its hash from the build: running code could change the file, or
// the other side's.
type binary struct {
	path string
	sum  [sha256.Size]byte
}

func newBinary(path string) (binary, error) {
	text, err := readWritten(path)
	return binary{path, sha256.Sum256(text)}, err
}

// changed reports whether the file differs from the one that was built.
func (b binary) changed() bool {
	now, err := newBinary(b.path)
	return err != nil || now.sum != b.sum
}

// A sampleError says that a benchmark or command gave no value.
type sampleError struct {
	msg     string
	timeout bool
}

func (e *sampleError) Error() string { return e.msg }

// A parentError says that a candidate's parent gave no value. It says nothing about the candidate.
type parentError struct{ msg string }

func (e *parentError) Error() string { return "the parent cannot be measured: " + e.msg }

// prepare builds what the source needs.
func (r *runner) prepare(ctx context.Context, s *source, d *side) error {
	if s.from != "gobench" {
		return nil
	}
	name := s.binary()
	if b, ok := d.built[name]; ok {
		if b.changed() {
			d.built = map[string]binary{}
			return &sampleError{fmt.Sprintf("the test binary %s was changed after it was built",
				filepath.Join(filepath.Base(d.bin), filepath.Base(b.path))), false}
		}
		return nil
	}
	var env map[string]string
	if s.layout > 0 {
		env = map[string]string{goFlags: layoutFlags(s.layout, d.flagsInUse()...)}
	}
	b, err := r.build(ctx, d, s.metrics[0].Pkg, env)
	if err == nil {
		d.built[name] = b
	}
	return err
}

// build builds a side's test binary of a package, with additional variables and flags of go test.
func (r *runner) build(ctx context.Context, d *side, pkg string, env map[string]string, flags ...string) (b binary, err error) {
	if err := os.MkdirAll(d.bin, 0o777); err != nil {
		return b, err
	}
	out := filepath.Join(d.bin, fmt.Sprintf("%d.test", len(d.built)))
	// -trimpath would build all dependencies again, beside those of the battery. The checkouts of
	// both sides have paths of equal length, which makes binaries equal just as well.
	args := append([]string{"test", "-c", "-o", out}, flags...)
	// In the package's directory, which may be in a module of its own.
	o, err := r.compile(ctx, d, filepath.Join(d.wt.Dir, pkg), env, r.limits.Build.or(checkTimeout), "go", append(args, ".")...)
	if err != nil {
		return b, err
	}
	if err := o.Err(); err != nil {
		return b, &sampleError{fmt.Sprintf("go test -c %s: %v: %s", pkg, err, tail(o)), o.TimedOut}
	}
	if b, err = newBinary(out); err != nil {
		return b, &sampleError{fmt.Sprintf("package %s has no tests", pkg), false}
	}
	return b, nil
}

// sample runs one process and returns the values of the source's metrics. A missing value is a
// sampleError, never a number.
func (r *runner) sample(ctx context.Context, s *source, d *side) (map[string]float64, error) {
	m := s.metrics[0]
	timeout := m.Timeout.or(sampleTimeout)
	values := map[string]float64{}
	if s.from == "file" {
		fi, err := os.Lstat(filepath.Join(d.wt.Dir, m.Path))
		if err != nil || !fi.Mode().IsRegular() {
			return nil, &sampleError{fmt.Sprintf("metric %s: no file %s", m.Name, m.Path), false}
		}
		for _, m := range s.metrics {
			values[m.Name] = float64(fi.Size())
		}
		return values, nil
	}

	var o *process.Outcome
	var err error
	switch s.from {
	case "gobench":
		o, err = r.bench(ctx, s, d, fmt.Sprintf("%dx", m.Iterations))
	case "engine":
		if m.Test != "" {
			o, err = r.on(ctx, d, d.wt.Dir, nil, timeout, r.self, append([]string{"test", "-gasreport=json", "-count=1"}, m.testArgs()...)...)
			break
		}
		o, err = r.on(ctx, d, d.wt.Dir, nil, timeout, r.self, append([]string{"run", "-stats=json", m.Program}, m.Args...)...)
	default:
		o, err = r.on(ctx, d, d.wt.Dir, m.Env, timeout, m.Run[0], m.Run[1:]...)
	}
	if err != nil {
		return nil, err
	}
	if err := o.Err(); err != nil {
		return nil, &sampleError{fmt.Sprintf("metric %s: %v: %s", m.Name, err, tail(o)), o.TimedOut}
	}
	if slices.Contains(s.names(), cpuMetric) {
		values[cpuMetric] = float64(o.CPU)
	}
	if m := s.cpuMetric(); m != nil {
		if values[m.Name], err = r.cpuOf(ctx, s, d, o); err != nil {
			return nil, err
		}
	}
	read := map[string]func([]*Metric, *process.Outcome, map[string]float64) error{
		"gobench": readBench, "engine": readEngine, "command": r.readMetrics, "rusage": readUsage,
	}
	for from, f := range read {
		var mine []*Metric
		for _, m := range s.metrics {
			if m.From == from {
				mine = append(mine, m)
			}
		}
		if len(mine) == 0 {
			continue
		}
		if err := f(mine, o, values); err != nil {
			return nil, &sampleError{err.Error(), false}
		}
	}
	for name, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, &sampleError{fmt.Sprintf("metric %s: %v is no value", name, v), false}
		}
	}
	return values, nil
}

// testArgs are the arguments of gyr test that choose an engine metric's test.
func (m *Metric) testArgs() []string {
	if m.Test == wholePackage {
		return []string{m.Pkg}
	}
	return []string{"-run=^" + regexp.QuoteMeta(m.Test) + "$", m.Pkg}
}

// bench runs a source's benchmark for a time, or, with an x, for a number of iterations.
func (r *runner) bench(ctx context.Context, s *source, d *side, time string) (*process.Outcome, error) {
	m := s.metrics[0]
	return r.on(ctx, d, filepath.Join(d.wt.Dir, m.Pkg), nil, m.Timeout.or(sampleTimeout), d.built[s.binary()].path,
		"-test.run=^$", "-test.bench="+benchPattern(m.Bench), "-test.benchtime="+time, "-test.benchmem", "-test.count=1")
}

// benchPattern is the -test.bench that matches one benchmark: each part between
// slashes is a pattern of its own.
func benchPattern(name string) string {
	parts := strings.Split(name, "/")
	if !strings.HasPrefix(parts[0], "Benchmark") {
		parts[0] = "Benchmark" + parts[0]
	}
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// oneResult is the only line of a metric's benchmark. A second line with its name would not be the
// testing package's.
func oneResult(m *Metric, o *process.Outcome) (*measure.BenchResult, error) {
	if err := o.Err(); err != nil {
		return nil, &sampleError{fmt.Sprintf("metric %s: %v: %s", m.Name, err, tail(o)), o.TimedOut}
	}
	out, err := measure.ReadBench(strings.NewReader(string(o.Stdout)))
	if err != nil {
		return nil, err
	}
	if !out.Passed {
		return nil, errors.New("the test binary did not end with PASS")
	}
	result, err := out.One(m.Bench)
	if err == nil {
		return result, nil
	}
	var subs []string
	for _, r := range out.Results {
		if sub, ok := strings.CutPrefix("Benchmark"+r.Base(), m.Bench+"/"); ok {
			subs = append(subs, strconv.Quote(sub))
		}
	}
	if len(subs) > 0 {
		return result, fmt.Errorf("%w; it has sub-benchmarks: name one, or several by \"subs\": [%s]", err, strings.Join(subs, ", "))
	}
	return result, err
}

// readBench reads values from a benchmark's line.
func readBench(metrics []*Metric, o *process.Outcome, values map[string]float64) error {
	for _, m := range metrics {
		result, err := oneResult(m, o)
		if err != nil {
			return err
		}
		if result.N != m.Iterations {
			return fmt.Errorf("benchmark %s ran %d times, not %d", m.Bench, result.N, m.Iterations)
		}
		v, ok := result.Value(m.Unit)
		if !ok {
			return fmt.Errorf("metric %s: benchmark %s prints no %s, or twice", m.Name, m.Bench, m.Unit)
		}
		values[m.Name] = v
	}
	return nil
}

// readMetrics reads values from METRIC lines. Several lines with one name are samples, and their
// median counts. Their number must be the same in every process; otherwise another program prints
// such lines too.
func (r *runner) readMetrics(metrics []*Metric, o *process.Outcome, values map[string]float64) error {
	printed, err := measure.ReadMetrics(o.Stdout)
	if err != nil {
		return err
	}
	for _, m := range metrics {
		i := slices.IndexFunc(printed, func(p measure.Printed) bool { return p.Name == m.Name })
		if i < 0 {
			return fmt.Errorf("metric %s: no line METRIC %s=…", m.Name, m.Name)
		}
		p := printed[i]
		if p.Unit != "" && m.Unit != "" && p.Unit != m.Unit {
			return fmt.Errorf("metric %s is printed in %s, not %s", m.Name, p.Unit, m.Unit)
		}
		if n := r.counts[m.Name]; n != 0 && n != len(p.Samples) {
			return fmt.Errorf("metric %s is printed %d times, before %d times", m.Name, len(p.Samples), n)
		}
		r.counts[m.Name] = len(p.Samples)
		values[m.Name] = measure.Median(p.Samples)
	}
	return nil
}

// readEngine reads the figures of gyr run -stats=json from the last line of standard error.
func readEngine(metrics []*Metric, o *process.Outcome, values map[string]float64) error {
	if metrics[0].Test != "" {
		return readReport(metrics, o, values)
	}
	text := strings.TrimSpace(string(o.Stderr))
	text = text[strings.LastIndexByte(text, '\n')+1:]
	var figures map[string]any
	if err := json.Unmarshal([]byte(text), &figures); err != nil {
		return fmt.Errorf("no figures of the engine: %w", err)
	}
	for _, m := range metrics {
		unit := m.Unit
		if unit == "" {
			unit = m.Name
		}
		v, ok := figures[unit].(float64)
		if !ok {
			return fmt.Errorf("metric %s: the engine has no figure %s", m.Name, unit)
		}
		values[m.Name] = v
	}
	return nil
}

// reportFigures are the figures of gyr test -gasreport. wholePackage stands for all tests of a
// package.
var reportFigures = []string{"gas", "allocations", "bytes", "peak"}

const wholePackage = "all"

// readReport reads the figures of one test, or of the package, from the output of gyr test
// -gasreport=json.
func readReport(metrics []*Metric, o *process.Outcome, values map[string]float64) error {
	var report struct {
		Packages []map[string]any `json:"packages"`
	}
	if err := json.Unmarshal(o.Stdout, &report); err != nil {
		return fmt.Errorf("no report of gyr test: %w", err)
	}
	if len(report.Packages) != 1 {
		return fmt.Errorf("the report of gyr test has %d packages, not one", len(report.Packages))
	}
	m := metrics[0]
	figures := report.Packages[0]
	if m.Test != wholePackage {
		tests, _ := figures["tests"].([]any)
		figures = nil
		for _, t := range tests {
			if t, ok := t.(map[string]any); ok && t["test"] == m.Test {
				figures = t
			}
		}
		if figures == nil {
			return fmt.Errorf("metric %s: package %s has no test %s", m.Name, m.Pkg, m.Test)
		}
	}
	for _, m := range metrics {
		v, ok := figures[m.Unit].(float64)
		if !ok {
			return fmt.Errorf("metric %s: the report of gyr test has no figure %s", m.Name, m.Unit)
		}
		values[m.Name] = v
	}
	return nil
}

// readUsage reads the kernel's account of the process. The time of an iteration has another source
// (cpuOf).
func readUsage(metrics []*Metric, o *process.Outcome, values map[string]float64) error {
	for _, m := range metrics {
		switch m.Unit {
		case "cpu-ns":
			values[m.Name] = float64(o.CPU)
		case "wall-ns":
			values[m.Name] = float64(o.Wall)
		case "peak-bytes":
			values[m.Name] = float64(o.Peak)
		}
	}
	return nil
}

// tail is the end of a process's output, for a message.
func tail(o *process.Outcome) string {
	text := strings.TrimSpace(string(o.Stderr))
	if text == "" {
		text = strings.TrimSpace(string(o.Stdout))
	}
	const most = 400
	if len(text) > most {
		text = "…" + strings.ToValidUTF8(text[len(text)-most:], "")
	}
	return text
}
