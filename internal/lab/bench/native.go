package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/hot"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// goEngine is native Go. The go command builds its test binaries.
type goEngine struct {
	label   string
	dir     string            // for binaries
	flags   []string          // of go test -c
	replace map[string]string // files of -overlay
	rev     *revision         // revision whose sources are built; nil: the working tree
	bins    map[*pkg]goBinary
	hooks   map[string]map[string]string // the overlay of package testing, by GOROOT; nil: none is possible
}

// A goBinary is a test binary. A hooked one reports what its timers saw.
type goBinary struct {
	name   string
	hooked bool
}

func (e *goEngine) Label() string { return e.label }

func (e *goEngine) Build(ctx context.Context, of *pkg) error {
	p, err := e.rev.of(of)
	if err != nil {
		return err
	}
	bin := filepath.Join(e.dir, fmt.Sprintf("%d-%s.test", len(e.bins), filepath.Base(p.Path)))
	args := []string{"test", "-c", "-o", bin}
	args = append(args, e.flags...)
	hooks := e.hooked(p.Dir)
	out, err := e.build(ctx, p, args, hooks)
	if err != nil && len(hooks) > 0 {
		if plain, perr := e.build(ctx, p, args, nil); perr == nil { // the hooks caused the error
			out, err, hooks = plain, nil, nil
		}
	}
	if err != nil {
		return fmt.Errorf("go test -c %s: %s", p.Path, strings.TrimSpace(string(out)))
	}
	if _, err := os.Stat(bin); err != nil {
		return fmt.Errorf("go test -c %s made no binary: %s", p.Path, strings.TrimSpace(string(out)))
	}
	e.bins[of] = goBinary{bin, len(hooks) > 0}
	return nil
}

// remove removes the binary of a package that is not needed any more.
func (e *goEngine) remove(p *pkg) error { return os.Remove(e.bins[p].name) }

// build runs go test -c, with an overlay of the package's extra files and more.
func (e *goEngine) build(ctx context.Context, p *pkg, args []string, more map[string]string) ([]byte, error) {
	if extra := p.native.Files; len(extra)+len(more)+len(e.replace) > 0 {
		name, err := overlayFile(e.dir, extraFiles(extraFiles(e.replace, p.Dir, extra), "", more))
		if err != nil {
			return nil, err
		}
		args = append(args, "-overlay", name)
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir = p.Dir
	return cmd.CombinedOutput()
}

// hooked returns the overlay that makes package testing report more; nil: none.
func (e *goEngine) hooked(dir string) map[string]string {
	goroot, err := gorootOf(dir)
	if err != nil {
		return nil
	}
	if files, ok := e.hooks[goroot]; ok {
		return files
	}
	files, err := writeHooks(goroot, e.dir)
	if err != nil {
		files = nil
	}
	e.hooks[goroot] = files
	return files
}

func (e *goEngine) Open(ctx context.Context, p *pkg) (session, error) {
	bin := e.bins[p]
	if bin.name == "" {
		return nil, errors.New("it was not built")
	}
	p, err := e.rev.of(p)
	if err != nil {
		return nil, err
	}
	return &goSession{bin, p.Dir}, nil
}

// A goSession starts a process for each order.
type goSession struct {
	bin goBinary
	dir string
}

func (s *goSession) Close() error { return nil }

func (s *goSession) Run(ctx context.Context, o *order) (*reply, error) {
	if o.Profile {
		return s.profile(ctx, o)
	}
	args := testFlags(o)
	env := append(os.Environ(), "PWD="+s.dir)
	if !s.bin.hooked { // a line for each collection takes time from the benchmark
		env = append(env, "GODEBUG="+withTrace(os.Getenv("GODEBUG")))
	}
	p := process.Process{Path: s.bin.name, Args: args, Dir: s.dir, Env: env, Merge: true, Timeout: limit(o)}
	out, err := p.Run(ctx)
	if err != nil {
		return nil, err
	}
	if o.List {
		return &reply{Names: listed(string(out.Stdout))}, out.Err()
	}
	results, rest := scan(out.Stdout)
	r := &reply{Said: said(rest), PeakBytes: out.Peak, CPUNS: float64(out.CPU)}
	total := 0.0
	for _, x := range results {
		ns, ok := x.ns()
		if !ok {
			continue
		}
		total += ns
		b := named{Name: x.Name}
		b.N, b.NS, b.GCs, b.GCNS, b.Metrics = x.N, ns, x.gcs, x.gcNS, x.metrics()
		if h := x.hooked; h != nil {
			b.NS, b.WaitNS, b.GCs, b.GCNS = h.ns, min(h.wait, h.ns), h.gcs, h.gcNS
			b.Exact = map[string]float64{"allocs": h.allocs, "B": h.bytes}
		}
		r.Batches = append(r.Batches, b)
	}
	if len(r.Batches) == 1 {
		// Time outside the benchmark. With several batches this includes their setups.
		r.StartNS = max(0, float64(out.Wall)-total)
	}
	if err := out.Err(); err != nil {
		r.Failed = failure(err.Error(), rest)
	}
	return r, nil
}

// profile samples a process.
func (s *goSession) profile(ctx context.Context, o *order) (*reply, error) {
	ctx, cancel := context.WithTimeout(ctx, limit(o))
	defer cancel()
	r := hot.GoRun{Path: s.bin.name, Args: testFlags(o), Dir: s.dir, Env: append(os.Environ(), "PWD="+s.dir)}
	p, out, err := r.Profile(ctx, o.N, o.Always...)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
	}
	return &reply{Profile: p}, nil
}

// withTrace adds the tracing of collections to a value of GODEBUG.
func withTrace(v string) string {
	if v == "" {
		return "gctrace=1"
	}
	return v + ",gctrace=1"
}

// limit is the time limit for an order.
func limit(o *order) time.Duration {
	if o.Seconds > 0 {
		return time.Duration(o.Seconds * float64(time.Second))
	}
	return time.Hour
}

// testFlags are the arguments of a test binary for an order. It uses one processor, since a guest
// has no more.
func testFlags(o *order) []string {
	if o.List {
		return []string{"-test.list=^Benchmark"}
	}
	return []string{"-test.run=^$", "-test.bench=" + o.Bench, fmt.Sprintf("-test.benchtime=%dx", o.N), fmt.Sprintf("-test.count=%d", o.Count),
		"-test.benchmem", "-test.cpu=1", "-test.v=true", "-test.timeout=0", "-test.paniconexit0"}
}

// listed are the names that -test.list printed.
func listed(out string) (names []string) {
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "Benchmark"); ok {
			names = append(names, name)
		}
	}
	return names
}

// maxFailure is how many bytes of a failed run's output are kept.
const maxFailure = 2 << 10

// failure says why a run failed: the benchmarks' output and how the run ended.
func failure(end string, rest []string) string {
	text := strings.TrimSpace(said(rest))
	if len(text) > maxFailure {
		text = text[:maxFailure] + "…"
	}
	if text == "" {
		return end
	}
	return text + "\n" + end
}

// overlayFile writes the file of -overlay for files that replace others.
func overlayFile(dir string, files map[string]string) (string, error) {
	data, err := json.Marshal(struct{ Replace map[string]string }{files})
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "overlay*.json")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	return f.Name(), errors.Join(err, f.Close())
}
