package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr"
)

// An outcome is the result of running a program.
type outcome struct {
	ok     bool
	reason string // first line of the error
	detail string
	wall   time.Duration
}

const programTimeout = 600 * time.Second

// run runs one program of GOROOT/test in the sandbox; see execute for group.
func run(p program, cfg gyr.Config, group string) (o outcome) {
	start := time.Now()
	defer func() {
		if r := recover(); r != nil {
			buf := make([]byte, 8<<10)
			o = outcome{reason: fmt.Sprintf("HOST PANIC: %v", r), detail: string(buf[:runtime.Stack(buf, false)])}
		}
		o.wall = time.Since(start)
	}()
	tmp, err := os.MkdirTemp("", "gyr-conformance")
	if err != nil {
		return outcome{reason: err.Error()}
	}
	defer os.RemoveAll(tmp)
	src := gyr.Source{Unsafe: gyr.UnsafeAll}
	switch p.action {
	case "run", "runoutput":
		src.Patterns = []string{p.path}
		// Leading .go files among the arguments belong to the program.
		for len(p.args) > 0 && strings.HasSuffix(p.args[0], ".go") {
			src.Patterns = append(src.Patterns, filepath.Join(filepath.Dir(p.path), p.args[0]))
			p.args = p.args[1:]
		}
	case "rundir":
		src.Dir, err = layOut(p, tmp)
	case "runindir":
		dir := strings.TrimSuffix(p.path, ".go") + ".dir"
		if err = os.CopyFS(tmp, os.DirFS(dir)); err == nil {
			if _, e := os.Stat(filepath.Join(tmp, "go.mod")); e != nil {
				err = os.WriteFile(filepath.Join(tmp, "go.mod"), []byte("module "+filepath.Base(dir)+"\n\ngo 1.26\n"), 0o666)
			}
		}
		src.Dir = tmp
	}
	if err != nil {
		return outcome{reason: err.Error()}
	}
	opts := &gyr.CompileOptions{}
	for _, f := range p.flags {
		if t, ok := strings.CutPrefix(f, "-tags="); ok {
			opts.Tags = append(opts.Tags, strings.Split(t, ",")...)
		}
	}
	out, err := execute(src, opts, p, cfg, group)
	if p.action == "runoutput" && err == nil {
		// The output is the program to run.
		file := filepath.Join(tmp, "tmp__.go")
		if err := os.WriteFile(file, []byte(out), 0o666); err != nil {
			return outcome{reason: err.Error()}
		}
		src.Patterns = []string{file}
		out, err = execute(src, opts, p, cfg, group)
	}
	if err != nil {
		return outcome{reason: firstLine(err.Error()), detail: err.Error() + "\n" + clip(out)}
	}
	if out != p.want {
		return outcome{reason: "output differs: " + firstDiff(out, p.want), detail: clip(out)}
	}
	return outcome{ok: true}
}

// figures are the figures of a run that depend neither on the tier nor on passes of phase B.
type figures struct {
	gas                               int64
	mallocs, bytes, peak, collections uint64
}

func (f *figures) add(s *gyr.Stats) {
	f.gas += s.Gas
	f.mallocs += s.Mallocs
	f.bytes += s.AllocBytes
	f.peak = max(f.peak, s.HeapPeak)
	f.collections += s.Collections
}

func (f figures) String() string {
	return fmt.Sprintf("%d gas, %d allocations of %d bytes, peak %d, %d collections", f.gas, f.mallocs, f.bytes, f.peak, f.collections)
}

// execute compiles and runs a program and returns its output. Without a tier in cfg it runs in each
// tier, which must give the same output and figures. If group names a group of passes, the program
// also runs without them: see compareWithout.
func execute(src gyr.Source, opts *gyr.CompileOptions, p program, cfg gyr.Config, group string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), programTimeout)
	defer cancel()
	opts.Debug = gyr.CompileDebug{NoBase: group == everyPass}
	prog, err := gyr.Compile(ctx, src, opts)
	if err != nil {
		return "", fmt.Errorf("compile: %w", err)
	}
	setUp(&cfg)
	if group != "" {
		return compareWithout(ctx, prog, src, opts, p, cfg, group)
	}
	if cfg.Tier != gyr.TierAuto || prog.NativeError() != nil {
		out, _, err := runIn(ctx, prog, p, cfg)
		return out, err
	}
	cfg.Tier = gyr.TierInterp
	want, used, err := runIn(ctx, prog, p, cfg)
	if err != nil {
		return want, fmt.Errorf("in the interpreter: %w", err)
	}
	cfg.Tier = gyr.TierNative
	out, used2, err := runIn(ctx, prog, p, cfg)
	switch {
	case err != nil:
		err = fmt.Errorf("in machine code: %w", err)
	case out != want:
		err = fmt.Errorf("in machine code the output differs: %s", firstDiff(out, want))
	case used2 != used:
		err = fmt.Errorf("%v in machine code, %v in the interpreter", used2, used)
	}
	return out, err
}

// setUp gives a program of GOROOT/test the environment that it expects.
func setUp(cfg *gyr.Config) {
	cfg.Env = []string{"PATH=/bin", "GOARCH=wasm", "GOOS=wasip1"}
	if cfg.Memory == 0 {
		cfg.Memory = 2 << 30
	}
}

// runIn runs a program in one tier.
func runIn(ctx context.Context, prog *gyr.Program, p program, cfg gyr.Config) (_ string, used figures, err error) {
	if p.cases > 0 {
		return runCases(ctx, prog, p, cfg)
	}
	var out bytes.Buffer
	cfg.Stdout, cfg.Stderr, cfg.Args = &out, &out, p.args
	err = start(ctx, prog, cfg, &used)
	var exit *gyr.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, firstLine(out.String()))
	}
	return out.String(), used, err
}

// start runs a program in an instance of its own and adds its usage to used.
func start(ctx context.Context, prog *gyr.Program, cfg gyr.Config, used *figures) error {
	in, err := prog.NewInstance(ctx, cfg)
	if err != nil {
		return err
	}
	defer in.Close()
	err = in.Run(ctx)
	stats := in.Stats()
	used.add(&stats)
	return err
}

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '\n'); i >= 0 && strings.HasPrefix(s, "compile: #") {
		s = s[i+1:]
	}
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > 300 {
		s = s[:300]
	}
	return s
}

func firstDiff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			x := "end"
			if i < len(w) {
				x = w[i]
			}
			return fmt.Sprintf("line %d: %.120q, want %.120q", i+1, g[i], x)
		}
	}
	return "it is too short"
}

// clip removes the middle of a long output.
func clip(s string) string {
	const head, tail = 1500, 4000
	if len(s) > head+tail {
		s = s[:head] + "\n…\n" + s[len(s)-tail:]
	}
	return s
}

// runAll runs programs on all processors and calls done for each, one at a time.
func runAll(list []program, cfg gyr.Config, group string, done func(program, outcome)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan program)
	for range runtime.NumCPU() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for p := range work {
				o := run(p, cfg, group)
				mu.Lock()
				done(p, o)
				mu.Unlock()
			}
		}()
	}
	for _, p := range list {
		work <- p
	}
	close(work)
	wg.Wait()
}
