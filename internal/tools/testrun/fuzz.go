package testrun

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Fuzzing. The guest makes inputs, executes them and prints (testing/internal/testdeps). This file
// does what the guest cannot do itself: it writes files, and notices an input that takes the guest
// down. New inputs are kept in the cache, failing ones in testdata/fuzz of the package.

// ErrFuzz says that only one package can be fuzzed at a time.
var ErrFuzz = errors.New("cannot use -fuzz flag with multiple packages")

// fuzzCacheGuest is the guest's path of the inputs of earlier runs.
const fuzzCacheGuest = "/fuzzcache"

// maxKept is the largest number of inputs that a run keeps.
const maxKept = 20_000

// FuzzCache returns the directory of inputs in a cache directory.
func FuzzCache(cache string) string { return filepath.Join(cache, "fuzz") }

// fuzzed returns the packages whose coverage guides fuzzing: the packages of the module, or one
// package of the standard library.
func (j *job) fuzzed(ctx context.Context) []string {
	list := []string{j.Path}
	root := j.Dir
	for !j.Std {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(root)
		if parent == root {
			return list
		}
		root = parent
	}
	if j.Std || len(j.Files) > 0 {
		return list
	}
	cfg := load.Options{Dir: root, Patterns: []string{"./..."}, Tags: j.o.Source.Tags,
		Settings: j.o.Source.Settings, GOROOT: j.o.Source.GOROOT}
	found, _, _ := j.o.list(ctx, cfg)
	for _, p := range found {
		if p.HasGo && p.Path != j.Path {
			list = append(list, p.Path)
		}
	}
	return list
}

// A fuzzing is one run of a target.
type fuzzing struct {
	rt.Fuzz
	j       *job
	target  func() string // the name of the fuzz target that runs
	stop    atomic.Bool
	kept    int
	crashes int
	err     error // of writing a file
}

// startFuzzing prepares cfg for fuzzing. target returns the running fuzz target.
func (j *job) startFuzzing(cfg *engine.Config, counters int, target func() string) (*fuzzing, error) {
	z := &fuzzing{j: j, target: target}
	z.Fuzz = rt.Fuzz{Keep: z.keep, Stop: z.stop.Load, Counters: counters}
	if dir := j.fuzzCache(); dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		cfg.Dirs = append(cfg.Dirs, api.Dir{Host: dir, Guest: fuzzCacheGuest, ReadOnly: true})
	}
	out := cfg.Stdout
	cfg.Stdout = writerFunc(func(p []byte) (int, error) {
		if z.Input != nil { // what the target prints
			return len(p), nil
		}
		return out.Write(p)
	})
	return z, nil
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// fuzzCache is the directory of the package's inputs; empty: none is kept.
func (j *job) fuzzCache() string {
	if j.o.Source.Cache == "" {
		return ""
	}
	return filepath.Join(FuzzCache(j.o.Source.Cache), filepath.FromSlash(j.Path))
}

// keep implements rt.Fuzz.Keep.
func (z *fuzzing) keep(crash bool, input []byte) {
	name := z.target()
	if !token.IsIdentifier(name) { // the guest may say anything
		return
	}
	dir := filepath.Join(z.j.Dir, "testdata", "fuzz", name)
	switch {
	case crash:
		if z.crashes++; z.crashes > 1 { // testing ends with the first
			return
		}
	case z.j.fuzzCache() == "":
		return
	default:
		if z.kept++; z.kept > maxKept {
			return
		}
		dir = filepath.Join(z.j.fuzzCache(), name)
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, fuzzName(input)), input, 0o666)
	}
	if z.err == nil {
		z.err = err
	}
}

func fuzzName(input []byte) string { return fmt.Sprintf("%016x", rt.FuzzName(input)) }

// fuzzGrace is how long an input may continue after an interrupt.
const fuzzGrace = 2 * time.Second

// context returns the context of the run. After an interrupt the current input may end and the
// target may report.
func (z *fuzzing) context(ctx context.Context) (context.Context, func()) {
	run, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	off := context.AfterFunc(ctx, func() {
		z.stop.Store(true)
		time.AfterFunc(fuzzGrace, func() { cancel(context.Cause(ctx)) })
	})
	return run, func() {
		off()
		cancel(nil)
	}
}

// down reports an input that ended the run, by a panic of another goroutine, an exit or a limit.
func (z *fuzzing) down(w io.Writer, err error) {
	if z.Input == nil || err == nil {
		return
	}
	input := append([]byte(nil), z.Input...)
	z.Input = nil
	name := z.target()
	z.keep(true, input)
	file := fuzzName(input)
	if exit := (*api.ExitError)(nil); errors.As(err, &exit) {
		err = exit // the report of a panic has been printed
	}
	fmt.Fprintf(w,
		"--- FAIL: %s\n    fuzzing process hung or terminated unexpectedly: %v\n    Failing input written to testdata/fuzz/%s/%s\n    To re-run:\n    go test -run=%s/%s\n",
		name, strings.TrimSpace(err.Error()), name, file, name, file)
}
