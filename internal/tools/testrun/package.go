package testrun

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/tools/buildjson"
)

// test builds the test binary of the package, runs it and prints what go test prints.
func (j *job) test(ctx context.Context) verdict {
	switch {
	case j.Err != nil:
		return j.notBuilt(j.Err, "setup failed")
	case !j.HasTests && len(j.files) == 0:
		if results := j.vet(ctx).wait(); results != nil {
			return j.vetFailed(results)
		}
		return j.without(ctx)
	}
	start := time.Now()
	if !j.HasTests {
		_, verdict := j.execute(ctx, nil)
		j.memory.took(j, time.Since(start))
		return verdict
	}
	src := j.source()
	src.Cover = j.cover()
	if j.o.Fuzz {
		src.Cover = j.fuzzed(ctx)
	}
	if r := j.memory.recall(j, &src); r != nil && len(j.files) == 0 {
		d := newDisplay(j)
		defer d.close()
		d.sink.Write(r.Output)
		j.used = r.Used
		j.stats.remembered()
		return d.pass(0, "(cached)", r)
	}
	vetted := j.vet(ctx)
	p, err := j.compile(ctx, src)
	if err != nil {
		vetted.stop()
		if ctx.Err() != nil {
			return j.interrupted()
		}
		return j.notBuilt(err, "build failed")
	}
	if results := vetted.wait(); results != nil && ctx.Err() == nil {
		return j.vetFailed(results)
	}
	start = time.Now()
	r, verdict := j.execute(ctx, p)
	j.stats.trouble(p.Stats().CacheNote) // of what was compiled meanwhile
	if r != nil && len(j.files) == 0 && j.rounds == 0 {
		j.memory.keep(j, &src, p, r, j.seen, start)
	}
	j.memory.took(j, time.Since(start))
	return verdict
}

// source returns the test binary to compile.
func (j *job) source() engine.Source {
	src := j.o.Source
	src.Dir, src.Patterns, src.Test = j.o.Dir, j.Files, true
	switch {
	case src.Patterns != nil:
	case j.Dep:
		src.Patterns = []string{j.Path}
	default:
		src.Patterns = []string{j.Dir}
	}
	if j.o.Revision != nil {
		src.Moved = j.o.Revision.Moved
	}
	return src
}

// line prints a line of the runner.
func (j *job) line(format string, args ...any) { fmt.Fprintf(&j.out, format, args...) }

// without reports that the package has no tests.
func (j *job) without(ctx context.Context) verdict {
	text, action := j.notCovered(ctx), "pass"
	if text == "" {
		text, action = fmt.Sprintf("?   \t%s\t[no test files]\n", j.Path), "skip"
	}
	if !j.o.JSON {
		j.line("%s", text)
		return noTests
	}
	c := newConverter(&j.out, j.Path)
	c.printf("%s", text)
	c.finish(action, 0, "")
	return noTests
}

// notBuilt says why the test binary does not exist.
func (j *job) notBuilt(err error, what string) verdict {
	events, what := j.failures(err, what)
	return j.buildFailed(events, what, events[0].ImportPath)
}

// buildFailed prints events of a build, and that the package failed by them. what names the failed
// step, unit the package that failed.
func (j *job) buildFailed(events []buildjson.Event, what, unit string) verdict {
	verdict := fmt.Sprintf("FAIL\t%s [%s]\n", j.Path, what)
	if !j.o.JSON {
		for _, e := range events {
			io.WriteString(&j.err, e.Output)
		}
		j.line("%s", verdict)
		return broken
	}
	buildjson.Write(&j.out, events)
	c := newConverter(&j.out, j.Path)
	c.printf("%s", verdict)
	c.finish("fail", 0, unit)
	return broken
}

// failures returns the events for an error that left no test binary, and the failed step. As in go
// test that step is the setup if a package cannot be loaded.
func (j *job) failures(err error, what string) ([]buildjson.Event, string) {
	suffix := " [" + j.Path + ".test]"
	var refused *api.CompileError
	if what == "setup failed" || !errors.As(err, &refused) {
		unit := j.Path
		if what != "setup failed" {
			unit += suffix
		}
		return append([]buildjson.Event{{ImportPath: unit, Action: buildjson.BuildOutput, Output: "# " + unit + "\n"}},
			buildjson.Of(&api.CompileError{Err: errors.New(strings.TrimSpace(err.Error()))},
				func(string) string { return unit })...), what
	}
	var heading []buildjson.Event
	events := buildjson.Of(refused, func(path string) string {
		switch path {
		case j.Path, j.Path + "_test":
			return path + suffix
		}
		return cmp.Or(path, j.Path)
	})
	if first := events[0]; !strings.HasPrefix(first.Output, "# ") {
		what = "setup failed"
		heading = append(heading, buildjson.Event{ImportPath: first.ImportPath, Action: buildjson.BuildOutput,
			Output: "# " + j.Path + "\n"})
	}
	return append(heading, events...), what
}

// interrupted reports that the user ended the run.
func (j *job) interrupted() verdict {
	text := fmt.Sprintf("FAIL\t%s [interrupted]\n", j.Path)
	if !j.o.JSON {
		j.line("%s", text)
		return failed
	}
	c := newConverter(&j.out, j.Path)
	c.printf("%s", text)
	c.finish("fail", 0, "")
	return failed
}

// execute runs the test binary, if the package has one, and the filetests. If a test takes the
// binary down, execute restarts the binary for the later tests. It returns a result if the package
// passed.
func (j *job) execute(ctx context.Context, p *engine.Program) (*result, verdict) {
	d := newDisplay(j)
	defer d.close()
	outer := ctx                                   // filetests have their own time-outs
	if wall := j.o.wall(); wall > 0 && !j.o.Fuzz { // fuzzing has its own time limit
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, wall, errTooLong)
		defer cancel()
	}
	start := time.Now()
	j.refused, j.used = refusals{}, PackageReport{}
	failed := map[string]bool{}
	var first error
	var tail *tailWriter
	skip := map[string]bool{}
	for n := 0; p != nil; n++ {
		var again spool // of a restart, which may have nothing left to run
		tail = &tailWriter{w: d.sink, keep: j.memory.keeps(), files: len(j.files) > 0, failed: failed}
		if n > 0 {
			tail.w, tail.again = &again, true
		}
		r := j.start(ctx, p, tail, skip)
		if r.notStarted {
			return nil, j.notBuilt(r.err, "setup failed")
		}
		tail.newline()
		if n == 0 {
			first = r.err
		} else {
			if len(r.began) > 0 {
				again.open(d.sink)
			}
			again.close()
		}
		if r.exit != nil && (n == 0 || len(r.began) > 0) && (tail.n == 0 || j.o.direct()) {
			d.reveal()
			d.say("exit status %d\n", r.exit.Code)
		}
		verdict := r.exit != nil && r.exit.Code == 1 && len(r.running) == 0 // the binary reached its verdict
		if r.err == nil || verdict || len(r.began) == 0 || ctx.Err() != nil || n == maxStarts || j.o.Fuzz {
			break
		}
		for _, name := range r.began {
			skip[name] = true
		}
	}
	bad, r := first != nil, &result{}
	if tail != nil {
		r.Output, r.NoTests = tail.all, tail.noTests
	}
	if len(j.files) > 0 {
		bad = j.behind(outer, d, p == nil || tail.held != nil, bad, &r.NoTests)
	}
	took := time.Since(start)
	if bad {
		lacked, tests := j.lacked(failed)
		if outer.Err() == nil && j.again(d, lacked) {
			return j.execute(outer, p)
		}
		return nil, d.fail(took, j.tell(lacked, tests))
	}
	r.Used = j.used
	return r, d.pass(took, fmt.Sprintf("%.3fs", took.Seconds()), r)
}

// A tailWriter passes on a test binary's output and notes what the verdict needs.
type tailWriter struct {
	w       io.Writer
	n       int64
	last    byte
	all     []byte // if keep is set: all output up to a limit
	keep    bool
	noTests bool // it warned that there are no tests to run

	again bool   // of a restarted binary: its last PASS is not the package's
	files bool   // filetests follow: its PASS or FAIL is not the package's, and more tests run
	held  []byte // that PASS or FAIL, if it is the last output

	failed map[string]bool // tests that it reported
}

const noTestsWarning = "testing: warning: no tests to run\n"

func (t *tailWriter) Write(p []byte) (int, error) {
	if t.held != nil {
		t.w.Write(t.held)
		t.held = nil
	}
	switch word := string(bytes.TrimPrefix(p, []byte{marker})); {
	case t.files && word == noTestsWarning:
		t.noTests = true
		return len(p), nil
	case (t.again || t.files) && word == "PASS\n", t.files && word == "FAIL\n":
		t.held = slices.Clone(p)
		return len(p), nil
	}
	t.failures(p)
	if len(p) > 0 {
		t.last = p[len(p)-1]
		t.n += int64(len(p))
		if i := bytes.Index(p, []byte(noTestsWarning)); i == 0 || i > 0 && p[i-1] == '\n' || i > 0 && p[i-1] == marker {
			t.noTests = true
		}
	}
	if t.keep && len(t.all) <= maxOutput {
		t.all = append(t.all, p...)
	}
	return t.w.Write(p)
}

// newline ends an incomplete line.
func (t *tailWriter) newline() {
	if t.n > 0 && t.last != '\n' {
		t.Write([]byte{'\n'})
	}
}
