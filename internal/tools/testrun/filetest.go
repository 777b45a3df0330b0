package testrun

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/tools/filetest"
)

// The workers of the packages also run filetests: the worker of their package, and all workers that
// have no package left to begin. Their lines are printed in the order of the files.

// collect notes the filetests of the packages, and the ones named by Options, each once. It leaves
// out filetests for other releases of Go.
func (r *runner) collect() error {
	seen := map[string]bool{}
	goes := sync.OnceValue(func() *release.Release { return filetest.ReleaseOf(&r.o.Source) })
	add := func(j *job, name string) error {
		full, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		real, err := filepath.EvalSymlinks(r.o.Revision.Moved(full))
		if err != nil || seen[real] {
			return err
		}
		seen[real] = true
		if data, err := os.ReadFile(real); err != nil || filetest.For(goes(), full, data) { // an error is reported when it runs
			j.files = append(j.files, full)
		}
		return nil
	}
	for _, j := range r.list {
		for _, name := range j.Filetests {
			if err := add(j, filepath.Join(j.Dir, name)); err != nil {
				return err
			}
		}
	}
	if len(r.o.Filetests) == 0 {
		return nil
	}
	named := &job{runner: r, o: r.o, seen: map[string]bool{}, Listed: load.Listed{Path: "command-line-arguments", Dir: r.o.Dir},
		index: len(r.list), done: make(chan struct{})}
	for _, name := range r.o.Filetests {
		if ext := filepath.Ext(name); ext != ".go" && ext != ".txtar" {
			return fmt.Errorf("-filetest %s: want a .go file or a .txtar archive", name)
		}
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(r.o.Dir, name)
		}
		full, err := filepath.Abs(full)
		if err != nil {
			return err
		}
		if st, err := os.Stat(r.o.Revision.Moved(full)); err != nil || st.IsDir() {
			if r.o.Revision != nil {
				continue
			}
			return fmt.Errorf("-filetest %s: no such file", name)
		}
		if err := add(named, full); err != nil {
			return err
		}
	}
	if len(named.files) > 0 {
		r.list = append(r.list, named)
	}
	return nil
}

// behind runs the filetests, after the test binary. It prints PASS or FAIL for both if the binary
// got to its verdict. It reports whether something failed.
func (j *job) behind(ctx context.Context, d *display, verdict, bad bool, noTests *bool) bool {
	if !bad || !j.o.FailFast {
		set := j.filetests(ctx, d.sink)
		bad = bad || set.failed
		if *noTests = set.ran == 0 && (!j.HasTests || *noTests); *noTests {
			io.WriteString(d.sink, noTestsWarning)
		}
	}
	if !verdict || j.o.List {
		return bad
	}
	word, mark := "PASS", ""
	if bad {
		word = "FAIL"
	}
	if j.o.JSON {
		mark = string(rune(marker))
	}
	fmt.Fprintf(d.sink, "%s%s\n", mark, word)
	return bad
}

// A fileSet is the filetests of one package while they run.
type fileSet struct {
	j    *job
	ctx  context.Context
	w    io.Writer
	list []string // paths, as often as each is run
	wg   sync.WaitGroup
	next int // the first that no worker has taken; guarded by the pool

	mu      sync.Mutex
	results []*fileResult // nil: not finished
	printed int
	stop    bool // no result after the printed ones counts
	failed  bool
	ran     int // or were listed
}

// A fileResult is the outcome of one filetest.
type fileResult struct {
	filetest.Result
	took        time.Duration
	interrupted bool
}

// filetests runs the package's filetests and prints them to w.
func (j *job) filetests(ctx context.Context, w io.Writer) *fileSet {
	s := &fileSet{j: j, ctx: ctx, w: w}
	count := 1
	filter, err := newFilter(j.o)
	if err == nil && j.o.flag("count") != "" {
		count, err = strconv.Atoi(j.o.flag("count"))
	}
	if err != nil {
		s.failed = true
		fmt.Fprintf(w, "%v\n", err)
		return s
	}
	for range count {
		for _, f := range j.files {
			if filter(filepath.Base(f)) {
				s.list = append(s.list, f)
			}
		}
	}
	if j.o.List {
		for _, f := range s.list[:len(s.list)/max(count, 1)] {
			s.ran++
			fmt.Fprintln(w, filepath.Base(f))
		}
		return s
	}
	s.ran = len(s.list)
	s.results = make([]*fileResult, len(s.list))
	j.runner.files.do(s)
	return s
}

// flag returns the value of a flag of the test binary.
func (o *Options) flag(name string) string {
	for _, f := range o.Flags {
		if v, ok := strings.CutPrefix(f, "-test."+name+"="); ok {
			return v
		}
	}
	return ""
}

// newFilter returns the filter that -run, -skip and -list apply to names. As in package testing, a
// pattern has elements between slashes, and the first is for the test itself.
func newFilter(o *Options) (func(name string) bool, error) {
	compile := func(flag string, all bool) (func(string) bool, error) {
		pattern := o.flag(flag)
		if pattern == "" {
			return nil, nil
		}
		if flag == "list" {
			re, err := regexp.Compile(pattern)
			if err != nil {
				return nil, fmt.Errorf("testing: invalid regexp for -test.%s: %v", flag, err)
			}
			return re.MatchString, nil
		}
		var list []*regexp.Regexp
		for _, p := range splitPattern(pattern, '|') {
			elements := splitPattern(p, '/')
			re, err := regexp.Compile(elements[0])
			if err != nil {
				return nil, fmt.Errorf("testing: invalid regexp for -test.%s: %v", flag, err)
			}
			if all || len(elements) == 1 {
				list = append(list, re)
			}
		}
		return func(name string) bool {
			for _, re := range list {
				if re.MatchString(name) {
					return true
				}
			}
			return false
		}, nil
	}
	run, err := compile("run", true)
	if err != nil {
		return nil, err
	}
	skip, err := compile("skip", false)
	if err != nil {
		return nil, err
	}
	list, err := compile("list", true)
	if err != nil {
		return nil, err
	}
	return func(name string) bool {
		return (run == nil || run(name)) && (skip == nil || !skip(name)) && (list == nil || list(name))
	}, nil
}

// splitPattern splits a regular expression at a character outside brackets and parentheses.
func splitPattern(s string, at byte) (list []string) {
	brackets, parens, start := 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']' && brackets > 0:
			brackets--
		case c == '(' && brackets == 0:
			parens++
		case c == ')' && brackets == 0:
			parens--
		case c == at && brackets == 0 && parens == 0:
			list = append(list, s[start:i])
			start = i + 1
		}
	}
	return append(list, s[start:])
}

// A filePool hands the filetests of all running packages to the workers.
type filePool struct {
	mu       sync.Mutex
	changed  sync.Cond
	packages int // not finished
	sets     []*fileSet
}

// begin prepares the pool, and returns how many workers could be useful.
func (p *filePool) begin(list []*job) (workers int) {
	p.changed.L = &p.mu
	p.packages = len(list)
	for _, j := range list {
		workers += max(1, len(j.files))
	}
	return workers
}

func (p *filePool) packageDone() {
	p.mu.Lock()
	p.packages--
	p.mu.Unlock()
	p.changed.Broadcast()
}

// do runs a set, helped by every idle worker, and returns when it is done.
func (p *filePool) do(s *fileSet) {
	s.wg.Add(len(s.list))
	p.mu.Lock()
	p.sets = append(p.sets, s)
	p.mu.Unlock()
	p.changed.Broadcast()
	for {
		p.mu.Lock()
		i := s.take()
		p.mu.Unlock()
		if i < 0 {
			break
		}
		s.run(i)
	}
	s.wg.Wait()
	p.mu.Lock()
	for i, x := range p.sets {
		if x == s {
			p.sets = append(p.sets[:i:i], p.sets[i+1:]...)
		}
	}
	p.mu.Unlock()
}

// help runs filetests of other workers' packages until no more will come.
func (p *filePool) help() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.packages > 0 {
		var set *fileSet
		i := -1
		for _, s := range p.sets {
			if i = s.take(); i >= 0 {
				set = s
				break
			}
		}
		if set == nil {
			p.changed.Wait()
			continue
		}
		p.mu.Unlock()
		set.run(i)
		p.mu.Lock()
	}
}

// take returns the next filetest to run, or -1. The pool is locked.
func (s *fileSet) take() int {
	if s.next == len(s.list) {
		return -1
	}
	s.next++
	return s.next - 1
}

// run runs a filetest and prints what can be printed.
func (s *fileSet) run(i int) {
	defer s.wg.Done()
	s.mu.Lock()
	stop := s.stop
	s.mu.Unlock()
	r := &fileResult{interrupted: true}
	if !stop && s.ctx.Err() == nil {
		start := time.Now()
		r.Result = filetest.Run(s.ctx, s.list[i], s.j.fileOptions())
		r.took = time.Since(start)
		r.interrupted = s.ctx.Err() != nil && r.Failed
		if r.New != nil && !r.interrupted && !s.j.o.DryRun {
			if err := filetest.Replace(s.list[i], r.Old, r.New); err != nil {
				r.Failed = true
				r.Messages = append(r.Messages, filetest.Message{Text: err.Error()})
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[i] = r
	for s.printed < len(s.list) && s.results[s.printed] != nil && !s.stop {
		name, r := filepath.Base(s.list[s.printed]), s.results[s.printed]
		s.print(name, r)
		if r.Ran {
			mallocs, bytes, peak := r.Stats.Own()
			s.j.used.addTest(name, Usage{r.Stats.Gas, mallocs, bytes, peak})
		}
		s.results[s.printed] = &fileResult{} // frees what has been printed
		s.printed++
	}
}

func (j *job) fileOptions() filetest.Options {
	o := j.o
	short, _ := strconv.ParseBool(o.flag("short"))
	fo := filetest.Options{Source: o.Source, Short: short, Update: o.Update && o.Revision == nil, Config: o.Config,
		Timeout: cmp.Or(o.Wall, o.Timeout), Compile: j.compile}
	if o.Revision != nil {
		fo.Moved = o.Revision.Moved
	}
	return fo
}

// shown is the name of the file to print, as a diff has it.
func (s *fileSet) shown() string {
	full := s.list[s.printed]
	if dir, err := filepath.Abs(s.j.o.Dir); err == nil {
		if rel, err := filepath.Rel(dir, full); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(full)
}

// print prints a result as go test prints a test's.
func (s *fileSet) print(name string, r *fileResult) {
	o := s.j.o
	if r.interrupted {
		s.failed, s.stop = true, true
		fmt.Fprintf(s.w, "*** Test interrupted.\n")
		return
	}
	mark := ""
	if o.JSON {
		mark = string(rune(marker))
	}
	var log, b bytes.Buffer
	for _, m := range r.Messages {
		where := name
		if m.Line > 0 {
			where = fmt.Sprintf("%s:%d", name, m.Line)
		}
		fmt.Fprintf(&log, "    %s: %s\n", where, strings.ReplaceAll(m.Text, "\n", "\n        "))
	}
	word := "PASS"
	switch {
	case r.Failed:
		word = "FAIL"
	case r.Skipped:
		word = "SKIP"
	}
	diff := ""
	if r.New != nil {
		if o.DryRun {
			diff = filetest.Diff(s.shown(), r.Old, r.New)
		} else if !r.Failed {
			fmt.Fprintf(&log, "    %s: updated\n", name)
		}
	}
	verdict := fmt.Sprintf("%s--- %s: %s (%.2fs)\n", mark, word, name, r.took.Seconds())
	if !o.JSON {
		io.WriteString(&s.j.out, diff) // even where other output is hidden
		diff = ""
	}
	switch {
	case o.Verbose || o.JSON:
		fmt.Fprintf(&b, "%s=== RUN   %s\n%s%s%s", mark, name, diff, log.String(), verdict)
	case r.Failed:
		b.WriteString(verdict + log.String())
	}
	s.w.Write(b.Bytes())
	if r.Failed {
		s.failed = true
		s.stop = o.FailFast
	}
}
