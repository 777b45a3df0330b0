package testrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// maxStarts bounds how often a test binary is restarted.
const maxStarts = 100

// grace is how much longer than its time-out a test binary may run by the wall clock before it is
// killed, if Options.Wall is not set.
const grace = time.Minute

var errTooLong = errors.New("the tests ran too long")

// An outcome is how one run of a test binary ended.
type outcome struct {
	err        error          // nil: exit status 0
	exit       *api.ExitError // if err is one
	notStarted bool           // it did not run: err says why

	began   []string // tests, in their order
	running []string // the tests among them that did not end
}

// start runs the test binary once, without the tests in skip.
func (j *job) start(ctx context.Context, p *engine.Program, tail *tailWriter, skip map[string]bool) (r outcome) {
	cfg, err := j.config()
	if err != nil {
		return outcome{err: err, notStarted: true}
	}
	accounts := &rt.Accounts{Skip: skip, Limit: j.o.Config.Gas, Refused: j.refused.note}
	cfg.Stdout, cfg.Stderr = tail, tail
	cfg.Accounts = accounts
	cfg.Seen = func(name string) {
		if abs, err := filepath.Abs(name); err == nil {
			j.seen[abs] = true
		}
	}
	var fuzz *fuzzing
	if j.o.Fuzz {
		if fuzz, err = j.startFuzzing(&cfg, p.View().Mod.Counters, accounts.Current); err != nil {
			return outcome{err: err, notStarted: true}
		}
		cfg.Fuzz = &fuzz.Fuzz
		var end func()
		ctx, end = fuzz.context(ctx)
		defer end()
	}
	var in *engine.Instance
	if j.o.Cover != nil && len(skip) == 0 { // the coverage of a restarted binary is incomplete
		accounts.Over = func() {
			j.covers = j.coverage(in.CoveredWithin())
			fmt.Fprintln(tail, j.covers)
		}
	}
	in, err = p.NewInstance(context.WithoutCancel(ctx), cfg) // Run reports a context that has ended
	if err != nil {
		return outcome{err: err, notStarted: true}
	}
	defer in.Close()
	r.err = in.Run(ctx)
	if j.o.Profile != nil && len(skip) == 0 {
		j.profileErr = j.o.Profile(in)
	}
	j.used.add(accounts.List)
	for _, a := range accounts.List {
		if a.Begun > 0 {
			r.began = append(r.began, a.Name)
		}
		if a.Begun > a.Ended {
			r.running = append(r.running, a.Name)
		}
	}
	if fuzz != nil {
		if fuzz.Input != nil {
			tail.newline()
		}
		defer fuzz.down(tail, r.err)
		if fuzz.err != nil {
			fmt.Fprintf(tail, "gyr: keeping an input: %v\n", fuzz.err)
		}
	}
	if r.err == nil || errors.As(r.err, &r.exit) {
		return r
	}
	// A limit or the host ended the run, so the binary could not report it.
	tail.newline()
	if n := len(r.running); n > 0 && ctx.Err() == nil {
		mark := ""
		if j.o.JSON {
			mark = string(rune(marker))
		}
		fmt.Fprintf(tail, "%s--- FAIL: %s (0.00s)\n", mark, r.running[n-1])
	}
	switch {
	case errors.Is(context.Cause(ctx), errTooLong):
		fmt.Fprintf(tail, "*** Test killed: ran too long (%v).\n", j.o.wall())
	case ctx.Err() != nil:
		fmt.Fprintf(tail, "*** Test interrupted.\n")
		return r
	default:
		fmt.Fprintf(tail, "%s\n", printable.Text(r.err.Error()))
		for _, h := range in.Hints() {
			fmt.Fprintf(tail, "gyr: %s\n", printable.Line(h.ForCommand()))
		}
	}
	trace(tail, in.Traceback())
	return r
}

// trace prints frames as Go does.
func trace(w io.Writer, frames []api.Position) {
	if len(frames) == 0 {
		return
	}
	fmt.Fprint(w, "\ngoroutine [running]:\n")
	for _, f := range frames {
		if f.Func == "runtime.goexit" {
			continue // as Go's own traces
		}
		fmt.Fprintf(w, "%s(...)\n\t%s:%d\n", printable.Line(f.Func), printable.Line(f.File), f.Line)
	}
}

// config returns the configuration of the test binary.
func (j *job) config() (cfg engine.Config, err error) {
	o := j.o
	cfg, err = Guest(o.Config, j.Path, j.Dir)
	if err != nil {
		return cfg, err
	}
	cfg.Gas = 0 // see rt.Accounts
	if own := &cfg.Dirs[len(cfg.Dirs)-1]; len(cfg.Dirs) > len(o.Config.Dirs) {
		own.Host = o.Revision.Moved(own.Host)
		if o.Source.FS != nil {
			cfg.Dirs = cfg.Dirs[:len(cfg.Dirs)-1]
		}
	}
	cfg.Args = []string{"-test.paniconexit0", fmt.Sprintf("-test.timeout=%v", o.Timeout)}
	if o.JSON {
		cfg.Args = append(cfg.Args, "-test.v=test2json")
	} else if o.Verbose {
		cfg.Args = append(cfg.Args, "-test.v=true")
	}
	if o.Fuzz {
		cfg.Args = append(cfg.Args, "-test.fuzzcachedir="+fuzzCacheGuest)
	}
	cfg.Args = append(append(cfg.Args, o.Flags...), o.Args...)
	return cfg, nil
}

// Guest completes the configuration for the test binary of a package: its name, a temporary
// directory of its own in its memory, and the package's directory, read-only, after all other
// directories. It leaves the package's directory out if the user has granted it.
func Guest(cfg engine.Config, path, dir string) (engine.Config, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return cfg, err
	}
	cfg.Name = "/tmp/" + path[strings.LastIndex(path, "/")+1:] + ".test"
	cfg.Env = append([]string{"PWD=" + filepath.ToSlash(dir), "TMPDIR=/tmp", "HOME=/tmp"}, cfg.Env...)
	if own := filepath.ToSlash(dir); !granted(cfg.Dirs, dir) {
		cfg.Dirs = append(slices.Clone(cfg.Dirs), api.Dir{Host: dir, Guest: own, ReadOnly: true})
	}
	if cfg.Memory == 0 {
		cfg.Memory = defaultMemory
	}
	return cfg, nil
}

// granted reports whether the user has granted the directory of a package, or one around it, under
// the path that it has here. The test then gets what the user says: write access, or a copy.
func granted(dirs []api.Dir, dir string) bool {
	for _, d := range dirs {
		host, err := filepath.Abs(d.Host)
		if err != nil {
			continue
		}
		if d.Guest != "" && filepath.ToSlash(dir) == path.Clean("/"+d.Guest) {
			return true
		}
		rel, err := filepath.Rel(host, dir)
		if err == nil && filepath.IsLocal(rel) && (d.Guest == "" || path.Clean("/"+d.Guest) == filepath.ToSlash(host)) {
			return true
		}
	}
	return false
}

// defaultMemory is the memory limit of a test binary. Tests of the standard
// library need more than the 256 MiB of a program.
const defaultMemory = 2 << 30
