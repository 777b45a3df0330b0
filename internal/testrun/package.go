package testrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr"
)

// test builds the test binary of the package, runs it and prints what go test prints
// of it.
func (j *job) test(ctx context.Context) verdict {
	switch {
	case j.Err != nil:
		return j.notBuilt(j.Err, "setup failed")
	case !j.HasTests:
		return j.without()
	}
	src := j.o.Source
	src.Dir, src.Patterns, src.Test = j.o.Dir, j.Files, true
	if src.Patterns == nil {
		src.Patterns = []string{j.Dir}
	}
	p, err := gyr.Compile(ctx, src)
	if err != nil {
		if ctx.Err() != nil {
			return j.interrupted()
		}
		return j.notBuilt(err, "build failed")
	}
	return j.execute(ctx, p)
}

// line prints a line of the runner's.
func (j *job) line(format string, args ...any) { fmt.Fprintf(&j.out, format, args...) }

// without says that there are no tests.
func (j *job) without() verdict {
	const text = "?   \t%s\t[no test files]\n"
	if !j.o.JSON {
		j.line(text, j.Path)
		return noTests
	}
	c := newConverter(&j.out, j.Path)
	c.printf(text, j.Path)
	c.finish("skip", 0, "")
	return noTests
}

// notBuilt says why there is no test binary.
func (j *job) notBuilt(err error, what string) verdict {
	text := strings.TrimSpace(err.Error())
	if what == "build failed" {
		_, text, _ = strings.Cut(text, "# "+j.Path+"\n") // CompileError's own heading
		text = fmt.Sprintf("# %s [%s.test]\n%s\n", j.Path, j.Path, text)
	} else {
		text = fmt.Sprintf("# %s\n%s\n", j.Path, text)
	}
	verdict := fmt.Sprintf("FAIL\t%s [%s]\n", j.Path, what)
	if !j.o.JSON {
		io.WriteString(&j.err, text)
		j.line("%s", verdict)
		return broken
	}
	build := j.Path + " [" + j.Path + ".test]"
	c := &converter{w: &j.out, pkg: j.Path, now: time.Now}
	for l := range strings.Lines(text) {
		c.emit(event{ImportPath: build, Action: "build-output", Output: &l})
	}
	c.emit(event{ImportPath: build, Action: "build-fail"})
	c.emit(event{Action: "start"})
	c.printf("%s", verdict)
	c.finish("fail", 0, build)
	return broken
}

// interrupted says that somebody ended the run.
func (j *job) interrupted() verdict {
	j.line("FAIL\t%s [interrupted]\n", j.Path)
	return failed
}

// grace is how much longer than its time-out a test binary may run by the wall clock
// before it is ended from outside.
const grace = time.Minute

// execute runs the test binary. When a test takes it down, it is started again for the
// tests behind that one.
func (j *job) execute(ctx context.Context, p *gyr.Program) verdict {
	o := j.o
	var kept spool // what is shown only if the package fails
	defer kept.close()
	var conv *converter
	sink := io.Writer(&kept)
	switch {
	case o.JSON:
		conv = newConverter(&j.out, j.Path)
		sink = conv
	case o.direct() || o.showPass():
		sink = &j.out
	}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Timeout+grace, errTooLong)
		defer cancel()
	}
	say := func(format string, args ...any) {
		if conv != nil {
			conv.printf(format, args...)
		} else {
			j.line(format, args...)
		}
	}
	start := time.Now()
	var first error
	var tail *tailWriter
	var done []string
	for n := 0; ; n++ {
		var again spool // of another start, which may have nothing left to run
		tail = &tailWriter{w: sink}
		if n > 0 {
			tail.w, tail.again = &again, true
		}
		began, ended, err := j.start(ctx, p, tail, done)
		if err != nil && began == nil && ended == nil && n == 0 && !ran(err) {
			return j.notBuilt(err, "setup failed")
		}
		tail.newline()
		if n > 0 {
			if len(began) > 0 {
				again.open(sink)
			}
			again.close()
		} else {
			first = err
		}
		var exit *gyr.ExitError
		errors.As(err, &exit)
		running := slices.DeleteFunc(began, func(t string) bool { return slices.Contains(ended, t) })
		if err != nil && exit != nil && (n == 0 || len(began) > 0) && (tail.n == 0 || o.direct()) {
			if conv == nil {
				kept.open(&j.out)
			}
			say("exit status %d\n", exit.Code)
		}
		over := exit != nil && exit.Code == 1 && len(running) == 0 // a verdict, not an accident
		if err == nil || over || len(began) == 0 || ctx.Err() != nil || n == maxStarts {
			break
		}
		done = append(append(done, ended...), running...)
	}
	took := time.Since(start)
	if first != nil {
		if conv == nil {
			kept.open(&j.out)
		}
		say("FAIL\t%s\t%.3fs\n", j.Path, took.Seconds())
		if conv != nil {
			conv.finish("fail", took, "")
		}
		return failed
	}
	note := ""
	if tail.noTests {
		note = " [no tests to run]"
	}
	say("ok  \t%s\t%.3fs%s\n", j.Path, took.Seconds(), note)
	if conv != nil {
		action := "pass"
		if conv.verdict == "skip" {
			action = "skip"
		}
		conv.finish(action, took, "")
	}
	return passed
}

// maxStarts bounds how often a test binary is started again.
const maxStarts = 100

var errTooLong = errors.New("the tests ran too long")

// A startError says that an instance could not be made.
type startError struct{ error }

// ran reports whether an error is the end of a run.
func ran(err error) bool { return !errors.As(err, new(startError)) }

// start runs the test binary once, without the tests in done, and returns which began
// and which ended.
func (j *job) start(ctx context.Context, p *gyr.Program, tail *tailWriter, done []string) (began, ended []string, err error) {
	cfg, tmp, err := j.config()
	defer os.RemoveAll(tmp)
	if err != nil {
		return nil, nil, startError{err}
	}
	if done != nil {
		cfg.Args = append([]string{"-gyr.done=" + strings.Join(done, ",")}, cfg.Args...)
	}
	cfg.Stdout, cfg.Stderr = tail, tail
	in, err := p.NewInstance(cfg)
	if err != nil {
		return nil, nil, startError{err}
	}
	defer in.Close()
	err = in.Run(ctx)
	notes, _ := os.ReadFile(filepath.Join(tmp, "gyr", notesFile))
	for l := range strings.Lines(string(notes)) {
		event, name, _ := strings.Cut(strings.TrimSpace(l), " ")
		if event == "begin" {
			began = append(began, name)
		} else {
			ended = append(ended, name)
		}
	}
	if exit := (*gyr.ExitError)(nil); err == nil || errors.As(err, &exit) {
		return began, ended, err
	}
	// A limit, or the host's doing: the binary could not say so itself.
	tail.newline()
	if i := len(began) - 1; i >= 0 && !slices.Contains(ended, began[i]) && ctx.Err() == nil {
		mark := ""
		if j.o.JSON {
			mark = string(rune(marker))
		}
		fmt.Fprintf(tail, "%s--- FAIL: %s (0.00s)\n", mark, began[i])
	}
	switch {
	case errors.Is(context.Cause(ctx), errTooLong):
		fmt.Fprintf(tail, "*** Test killed: ran too long (%v).\n", j.o.Timeout+grace)
	case ctx.Err() != nil:
		fmt.Fprintf(tail, "*** Test interrupted.\n")
		return began, ended, err
	default:
		fmt.Fprintf(tail, "%s\n", err)
		for _, h := range in.Hints() {
			fmt.Fprintf(tail, "gyr: %s\n", h)
		}
	}
	trace(tail, in.Traceback())
	return began, ended, err
}

// The directory that the test binary notes in which tests begin and end, as it
// sees it, and the file.
const (
	notesDir  = "/.gyr"
	notesFile = "tests"
)

// trace prints frames as Go does.
func trace(w io.Writer, frames []gyr.Position) {
	if len(frames) == 0 {
		return
	}
	fmt.Fprint(w, "\ngoroutine [running]:\n")
	for _, f := range frames {
		if f.Func == "runtime.goexit" {
			continue // as in Go's own
		}
		fmt.Fprintf(w, "%s(...)\n\t%s:%d\n", f.Func, f.File, f.Line)
	}
}

// config is what the test binary is given. Its directories are below tmp, which the
// caller removes.
func (j *job) config() (cfg gyr.Config, tmp string, err error) {
	o := j.o
	if tmp, err = os.MkdirTemp("", "gyr-test"); err != nil {
		return cfg, "", err
	}
	dir, err := filepath.Abs(j.Dir)
	if err != nil {
		return cfg, tmp, err
	}
	for _, d := range []string{"tmp", "gyr"} {
		if err := os.Mkdir(filepath.Join(tmp, d), 0o777); err != nil {
			return cfg, tmp, err
		}
	}
	name := j.Path[strings.LastIndex(j.Path, "/")+1:] + ".test"
	cfg = gyr.Config{
		Name: "/tmp/" + name, Tier: o.Tier, Gas: o.Gas, Memory: o.Memory, Seed: o.Seed, Realtime: o.Realtime, RealRandom: o.RealRandom,
		Env:  append([]string{"PWD=" + filepath.ToSlash(dir), "TMPDIR=/tmp", "HOME=/tmp"}, o.Env...),
		Dirs: append([]gyr.Dir{{Host: filepath.Join(tmp, "tmp"), Guest: "/tmp"}, {Host: filepath.Join(tmp, "gyr"), Guest: notesDir}}, o.Dirs...),
	}
	if cfg.Memory == 0 {
		cfg.Memory = defaultMemory
	}
	if o.Source.FS == nil {
		cfg.Dirs = append(cfg.Dirs, gyr.Dir{Host: dir, Guest: filepath.ToSlash(dir), ReadOnly: true})
	}
	cfg.Args = append(cfg.Args, "-gyr.watch="+notesDir+"/"+notesFile, "-test.paniconexit0", fmt.Sprintf("-test.timeout=%v", o.Timeout))
	if o.JSON {
		cfg.Args = append(cfg.Args, "-test.v=test2json")
	} else if o.Verbose {
		cfg.Args = append(cfg.Args, "-test.v=true")
	}
	cfg.Args = append(append(cfg.Args, o.Flags...), o.Args...)
	return cfg, tmp, nil
}

// defaultMemory is the memory limit of a test binary. Tests of the standard
// library need more than the 256 MiB of a program.
const defaultMemory = 2 << 30

// A tailWriter passes on what a test binary prints and notes what the verdict needs.
type tailWriter struct {
	w       io.Writer
	n       int64
	last    byte
	head    []byte // of the output
	noTests bool   // it warned that there are no tests to run

	again bool   // of a binary that was started again: its last PASS is not the package's
	held  []byte // that PASS, if it is the last
}

const noTestsWarning = "testing: warning: no tests to run\n"

func (t *tailWriter) Write(p []byte) (int, error) {
	if t.held != nil {
		t.w.Write(t.held)
		t.held = nil
	}
	if t.again && string(bytes.TrimPrefix(p, []byte{marker})) == "PASS\n" {
		t.held = slices.Clone(p)
		return len(p), nil
	}
	if len(p) > 0 {
		t.last = p[len(p)-1]
		t.n += int64(len(p))
		if i := bytes.Index(p, []byte(noTestsWarning)); i == 0 || i > 0 && p[i-1] == '\n' || i > 0 && p[i-1] == marker {
			t.noTests = true
		}
	}
	return t.w.Write(p)
}

// newline ends a line that was begun.
func (t *tailWriter) newline() {
	if t.n > 0 && t.last != '\n' {
		t.Write([]byte{'\n'})
	}
}
