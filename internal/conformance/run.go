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

// An outcome is what became of a program.
type outcome struct {
	ok     bool
	reason string // first line of what went wrong
	detail string
	wall   time.Duration
}

const programTimeout = 600 * time.Second

// run runs one program of GOROOT/test in the sandbox.
func run(p program, cfg gyr.Config) (o outcome) {
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
	src := gyr.Source{Unsafe: true}
	switch p.action {
	case "run", "runoutput":
		src.Patterns = []string{p.path}
		// Further .go files belong to the program.
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
	for _, f := range p.flags {
		if t, ok := strings.CutPrefix(f, "-tags="); ok {
			src.Tags = append(src.Tags, strings.Split(t, ",")...)
		}
	}
	out, err := execute(src, p, cfg)
	if p.action == "runoutput" && err == nil {
		// The output is the program to run.
		file := filepath.Join(tmp, "tmp__.go")
		if err := os.WriteFile(file, []byte(out), 0o666); err != nil {
			return outcome{reason: err.Error()}
		}
		src.Patterns = []string{file}
		out, err = execute(src, p, cfg)
	}
	if err != nil {
		return outcome{reason: firstLine(err.Error()), detail: err.Error() + "\n" + clip(out)}
	}
	if out != p.want {
		return outcome{reason: "output differs: " + firstDiff(out, p.want), detail: clip(out)}
	}
	return outcome{ok: true}
}

// execute compiles and runs a program and returns its output. Without a tier in cfg it
// runs in each, with the same output and gas.
func execute(src gyr.Source, p program, cfg gyr.Config) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), programTimeout)
	defer cancel()
	prog, err := gyr.Compile(ctx, src)
	if err != nil {
		return "", fmt.Errorf("compile: %w", err)
	}
	cfg.Env = []string{"PATH=/bin", "GOARCH=wasm", "GOOS=wasip1"}
	if cfg.Memory == 0 {
		cfg.Memory = 2 << 30
	}
	if cfg.Tier != gyr.TierAuto || prog.NativeError() != nil {
		out, _, err := runIn(ctx, prog, p, cfg)
		return out, err
	}
	cfg.Tier = gyr.TierInterp
	want, gas, err := runIn(ctx, prog, p, cfg)
	if err != nil {
		return want, fmt.Errorf("in the interpreter: %w", err)
	}
	cfg.Tier = gyr.TierNative
	out, gas2, err := runIn(ctx, prog, p, cfg)
	switch {
	case err != nil:
		err = fmt.Errorf("in machine code: %w", err)
	case out != want:
		err = fmt.Errorf("in machine code the output differs: %s", firstDiff(out, want))
	case gas2 != gas:
		err = fmt.Errorf("%d gas in machine code, %d in the interpreter", gas2, gas)
	}
	return out, err
}

// runIn runs a program in one tier.
func runIn(ctx context.Context, prog *gyr.Program, p program, cfg gyr.Config) (_ string, gas int64, err error) {
	if p.cases > 0 {
		return runCases(ctx, prog, p, cfg)
	}
	var out bytes.Buffer
	cfg.Stdout, cfg.Stderr, cfg.Args = &out, &out, p.args
	gas, err = start(ctx, prog, cfg)
	var exit *gyr.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, firstLine(out.String()))
	}
	return out.String(), gas, err
}

// start runs a program in an instance of its own. It returns the gas used.
func start(ctx context.Context, prog *gyr.Program, cfg gyr.Config) (gas int64, err error) {
	in, err := prog.NewInstance(cfg)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	err = in.Run(ctx)
	return in.Stats().Gas, err
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

// clip leaves out the middle of a long output.
func clip(s string) string {
	const head, tail = 1500, 4000
	if len(s) > head+tail {
		s = s[:head] + "\n…\n" + s[len(s)-tail:]
	}
	return s
}

// runAll runs programs on all processors and calls done for each, one at a time.
func runAll(list []program, cfg gyr.Config, done func(program, outcome)) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan program)
	for range runtime.NumCPU() {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for p := range work {
				o := run(p, cfg)
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
