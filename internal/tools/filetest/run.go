package filetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/tools/listing"
)

// Options say how filetests run. Directives of a filetest take precedence.
type Options struct {
	Source engine.Source // Dir and Patterns are filled in
	Short  bool
	Update bool // write actual values into goldens, in Result.New

	Config  engine.Config // limits and grants; the rest is filled in
	Timeout time.Duration // of the machine's clock; 0: none

	// Moved, if set, returns the path from which to read a file or directory of the working tree.
	Moved func(name string) string

	// Compile replaces engine.Compile; nil: engine.Compile itself.
	Compile func(ctx context.Context, src engine.Source) (*engine.Program, error)
}

// A Result is the outcome of a filetest.
type Result struct {
	Skipped  bool
	Failed   bool
	Messages []Message
	Old, New []byte // the file before and after an update; New is nil if nothing changes

	Ran   bool // to its end or to a limit
	Stats engine.Stats
}

// A Message is about a line of the file; 0 means no line.
type Message struct {
	Line int
	Text string // may have several lines
}

// Run runs the filetest in a file of the machine. It does not write the file.
func Run(ctx context.Context, name string, o Options) (res Result) {
	r := &run{o: &o, name: name}
	defer func() {
		res = r.Result
		res.Failed = res.Failed || !res.Skipped && res.New == nil && r.bad
	}()
	if err := r.read(); err != nil {
		var list Errors
		if !errors.As(err, &list) {
			r.fail(0, "%v", err)
		}
		for _, e := range list {
			r.fail(e.Line, "%s", e.Msg)
		}
		return
	}
	defer r.close()
	if r.skip() {
		return
	}
	r.run(ctx)
	if r.Failed || len(r.changes) == 0 {
		return
	}
	if r.o.Update {
		r.New = r.source.splice(r.file.rewrite(r.changes))
	}
	return
}

// A run is one run of a filetest.
type run struct {
	Result
	o      *Options
	name   string
	source source
	file   *File
	tmp    string // a directory for this run

	prog    *engine.Program
	trimmer trimmer
	changes []change // of goldens that differ
	bad     bool     // some goldens differ
}

// fail notes an error that an update cannot mend.
func (r *run) fail(line int, format string, args ...any) {
	r.Failed = true
	r.say(line, format, args...)
}

func (r *run) say(line int, format string, args ...any) {
	r.Messages = append(r.Messages, Message{line, strings.TrimRight(fmt.Sprintf(format, args...), "\n")})
}

// read reads and parses the file.
func (r *run) read() (err error) {
	if r.Old, err = os.ReadFile(r.moved(r.name)); err != nil {
		return err
	}
	if r.source, err = open(r.name, r.Old); err != nil {
		return err
	}
	r.file, err = Parse(filepath.Base(r.name), r.source.main())
	if err != nil {
		return r.source.shift(err)
	}
	return nil
}

func (r *run) moved(name string) string {
	if r.o.Moved == nil {
		return name
	}
	return r.o.Moved(name)
}

func (r *run) close() {
	if r.tmp != "" {
		os.RemoveAll(r.tmp)
	}
}

// at is the line of a directive in the file.
func (r *run) at(d *Directive) int {
	if d == nil {
		return 0
	}
	return d.Line + r.source.firstLine()
}

func (r *run) tier() api.Tier {
	t := api.Tier(r.file.Inputs.Tier)
	if t == api.TierAuto {
		t = r.o.Config.Tier
	}
	if t == api.TierAuto {
		t = engine.DefaultTier
	}
	return t
}

// skip evaluates the condition of Skip.
func (r *run) skip() bool {
	in := &r.file.Inputs
	if in.Skip == nil || !in.Skip.Eval(func(tag string) bool {
		switch tag {
		case "short":
			return r.o.Short
		case "always":
			return true
		case "native", "interp":
			return string(r.tier()) == tag
		}
		return tag == runtime.GOOS || tag == runtime.GOARCH
	}) {
		return false
	}
	r.Skipped = true
	why := in.SkipWhy
	if why == "" {
		why = in.Skip.String()
	}
	r.say(r.at(r.file.find("Skip", "")), "%s", why)
	return true
}

func (r *run) run(ctx context.Context) {
	var err error
	if r.tmp, err = os.MkdirTemp("", "gyr-filetest"); err != nil {
		r.fail(0, "%v", err)
		return
	}
	src := r.o.Source
	dir, pkg, err := r.source.prepare(&src, filepath.Join(r.tmp, "work"))
	if err != nil {
		r.fail(0, "%v", err)
		return
	}
	if r.o.Moved != nil {
		src.Moved = r.o.Moved
	}
	r.trimmer.init(dir, pkg, src.GOROOT)
	if slices.ContainsFunc(r.file.Directives, func(d *Directive) bool { return d.kind.form == function }) {
		src.Cache = "" // the cache may hold a function's code without its body
	}
	compile := r.o.Compile
	if compile == nil {
		compile = engine.Compile
	}
	r.prog, err = compile(ctx, src)
	expected := r.file.find("CompileError", "")
	var refused *api.CompileError
	switch {
	case errors.As(err, &refused):
		text := r.trimmer.messages(refused.Error())
		if expected == nil {
			r.fail(0, "%s", text)
			return
		}
		r.compare("CompileError", "", text)
		return
	case err != nil:
		r.fail(0, "%v", err)
		return
	}
	r.compare("CompileError", "", "")
	if expected != nil && expected.Value != "" && !r.o.Update {
		return // it should not have compiled, so how it runs does not matter
	}
	r.code()
	r.execute(ctx, dir)
}

// compare compares a text with its golden. Without a golden the text must be empty.
func (r *run) compare(name, arg, got string) {
	d, k := r.file.find(name, arg), kindOf(name)
	want := ""
	if d != nil {
		want = d.Value
	}
	if got == want {
		return
	}
	r.differs(d, k, arg, got)
	switch {
	case r.o.Update:
	case d == nil:
		r.say(0, "there is no %s golden for\n%s", heading(name, arg), indent(encode(got)))
	default:
		r.say(r.at(d), "%s differs\n%s", d.Name(), difference(want, got))
	}
}

func indent(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		b.WriteString("    " + l)
	}
	return b.String()
}

// differs notes that a golden has another value than the program gave.
func (r *run) differs(d *Directive, k *kind, arg, got string) {
	r.bad = true
	r.changes = append(r.changes, change{d, k, arg, got})
}

// count compares a number with its golden, if there is one.
func (r *run) count(name string, got uint64) {
	d := r.file.find(name, "")
	if kindOf(name).figure {
		d = r.file.figure(name, cmp.Or(ReleaseOf(&r.o.Source), release.Oldest()))
	}
	if d == nil {
		return
	}
	text := strconv.FormatUint(got, 10)
	if text == d.Value {
		return
	}
	r.differs(d, d.kind, d.Arg, text)
	if r.o.Update {
		return
	}
	name = d.Name()
	if d.empty {
		r.say(r.at(d), "%s has no value: it is %d; -update fills it in", name, got)
		return
	}
	note := ""
	if want, _ := strconv.ParseUint(d.Value, 10, 64); want > 0 {
		note = fmt.Sprintf(" (%+.2f%%)", (float64(got)/float64(want)-1)*100)
	}
	r.say(r.at(d), "%s is %d, want %s%s", name, got, d.Value, note)
}

// code compares the code of functions.
func (r *run) code() {
	view := r.prog.View()
	for _, d := range r.file.Directives {
		if d.kind.form != function {
			continue
		}
		var b bytes.Buffer
		var err error
		if d.kind.name == "IR" {
			err = r.prog.Dump(&b, "ir", regexp.MustCompile("^"+regexp.QuoteMeta(d.Arg)+"$"))
		} else {
			env, src := listing.NewEnv(view), &listing.Sources{GOROOT: view.GOROOT}
			for _, f := range view.Mod.Funcs() {
				if f != nil && f.Name == d.Arg && err == nil {
					err = listing.Asm(&b, view, f, env, src, listing.AsmOptions{Syntax: listing.Syntaxes[0]})
				}
			}
		}
		switch {
		case err != nil:
			r.fail(r.at(d), "%s: %v", d.Name(), err)
		case b.Len() == 0:
			r.fail(r.at(d), "%s: the program has no such function: nothing calls it, or it was inlined everywhere", d.Name())
		default:
			r.compare(d.kind.name, d.Arg, r.trimmer.code(strings.TrimRight(b.String(), "\n")+"\n"))
		}
	}
}

// maxOutput is how much a filetest may print.
const maxOutput = 16 << 20

var errOutput = errors.New("more than 16 MiB of output")

// A timeout is the cause of a context that Timeout ends.
type timeout time.Duration

func (t timeout) Error() string { return fmt.Sprintf("timed out after %v", time.Duration(t)) }

// A capture keeps what is written, up to a limit.
type capture struct {
	bytes.Buffer
	stop func(error)
}

func (c *capture) Write(p []byte) (int, error) {
	if c.Len()+len(p) > maxOutput {
		c.stop(errOutput)
		return 0, errOutput
	}
	return c.Buffer.Write(p)
}

func (r *run) execute(ctx context.Context, dir string) {
	in := &r.file.Inputs
	limit := r.o.Timeout
	if in.Timeout > 0 {
		limit = in.Timeout
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, timeout(limit))
		defer cancel()
	}
	stdout, stderr := &capture{stop: stop}, &capture{stop: stop}
	report := -1 // offset of the report in stderr
	var calls capture
	calls.stop = stop
	watch := &rt.Observer{Report: func() { report = stderr.Len() }}
	if r.file.find("Host", "") != nil {
		watch.Call = func(text string) { fmt.Fprintln(&calls, text) }
	}
	cfg := r.config(dir)
	cfg.Stdout, cfg.Stderr = stdout, stderr
	cfg.Observer = watch
	inst, err := r.prog.NewInstance(context.WithoutCancel(ctx), cfg) // Run reports a context that has ended
	if err != nil {
		r.fail(0, "%v", err)
		return
	}
	defer inst.Close()
	if want := in.Tier; want != "" && inst.Tier() != want {
		r.fail(r.at(r.file.find("Tier", "")), "%v", r.prog.NativeError())
		return
	}
	err = inst.Run(ctx)
	text, trace := "", ""
	if report >= 0 {
		text, trace, _ = strings.Cut(stderr.String()[report:], "\n\n")
		text = strings.TrimRight(text, "\n") + "\n"
		stderr.Truncate(report)
	}
	status := 0
	var exit *api.ExitError
	if errors.As(err, &exit) {
		status = exit.Code
	} else if err != nil {
		if text, trace = r.stopped(ctx, inst, err); text == "" {
			return
		}
	}
	r.compare("Output", "", stdout.String())
	r.compare("Stderr", "", stderr.String())
	r.compare("Error", "", r.trimmer.report(text))
	if r.file.find("Stacktrace", "") != nil {
		r.compare("Stacktrace", "", r.trimmer.trace(trace))
	}
	r.exit(status, text != "")
	s := inst.Stats()
	r.Ran, r.Stats = true, s
	r.count("Gas", uint64(s.Gas))
	mallocs, _, peak := s.Own()
	r.count("Allocs", mallocs)
	r.count("MaxHeap", peak)
	if r.file.find("Host", "") != nil {
		r.compare("Host", "", calls.String())
	}
}

// exit compares the exit code. A code other than 0 needs a golden, unless Error explains it.
func (r *run) exit(status int, explained bool) {
	if r.file.find("ExitCode", "") != nil || status == 0 || explained {
		r.count("ExitCode", uint64(status))
		return
	}
	r.differs(nil, kindOf("ExitCode"), "", strconv.Itoa(status))
	if !r.o.Update {
		r.say(0, "exit status %d, and there is no ExitCode golden", status)
	}
}

// bottom are the functions that start a goroutine.
var bottom = []string{"runtime.goexit", "runtime.main", "runtime.rt0"}

// stopped returns Error and Stacktrace for a run that a limit ended. It returns no text and fails
// the test if no golden can expect such an end.
func (r *run) stopped(ctx context.Context, inst *engine.Instance, err error) (text, trace string) {
	var b strings.Builder
	if frames := inst.Traceback(); len(frames) > 0 {
		fmt.Fprint(&b, "goroutine [running]:\n")
		for _, f := range frames {
			if !slices.Contains(bottom, f.Func) { // Go does not show them
				fmt.Fprintf(&b, "%s(...)\n\t%s:%d\n", f.Func, f.File, f.Line)
			}
		}
	}
	trace = b.String()
	text = err.Error() + "\n"
	asked := r.file.find("Error", "") != nil
	var host *api.HostError
	switch cause := context.Cause(ctx); {
	case errors.As(err, &host) || errors.Is(cause, errOutput):
		asked = false
		if cause != nil {
			text = cause.Error() + "\n"
		}
	case errors.As(cause, new(timeout)):
		text = cause.Error() + "\n"
		asked = asked || r.file.Inputs.Timeout > 0
	case cause != nil:
		r.fail(0, "interrupted")
		return "", ""
	default:
		asked = asked || r.file.Inputs.Gas > 0 || r.file.Inputs.Memory > 0
	}
	if !asked {
		r.fail(0, "%s%s", r.trimmer.report(text), r.trimmer.trace(trace))
		return "", ""
	}
	return text, trace
}

// work is the filetest's directory in the guest.
const work = "/work"

func (r *run) config(dir string) engine.Config {
	in, cfg := &r.file.Inputs, r.o.Config
	base := filepath.Base(r.name)
	cfg.Name, cfg.Args, cfg.Stdin = strings.TrimSuffix(base, filepath.Ext(base)), in.Args, strings.NewReader(in.Stdin)
	cfg.Env = slices.Concat([]string{"PWD=" + work, "TMPDIR=/tmp", "HOME=/tmp"}, cfg.Env, in.Env)
	cfg.Dirs = slices.Concat([]api.Dir{{Host: r.moved(dir), Guest: work, ReadOnly: true}}, cfg.Dirs)
	if in.Tier != "" {
		cfg.Tier = api.Tier(in.Tier)
	}
	if in.Gas > 0 {
		cfg.Gas = in.Gas
	}
	if in.Memory > 0 {
		cfg.Memory = in.Memory
	}
	if r.file.find("Seed", "") != nil {
		cfg.Seed = in.Seed
	}
	return cfg
}
