package bench

import (
	"bytes"
	"context"
	"fmt"
	"go/token"
	"go/types"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/gyrvm/gyr/internal/lab/bench/benchvet"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A trial runs the benchmarks of a package for a few iterations with calls put in, which report
// what benchvet.NewTrial asks for. It runs in the first engine that has the package, in native Go if
// that is one. In gyr its clock counts gas.

// A trial has at most this many iterations, or as many as take trialTime nanoseconds.
const (
	trialIterations = 64
	trialTime       = 50e6
)

// An input that is made anew is told if it takes this part of an iteration, and this many
// nanoseconds.
const (
	madeShare = 0.3
	madeLeast = 1000
)

// aboutFailures are parts of the names of benchmarks that measure a failure.
var aboutFailures = []string{"err", "fail", "invalid", "bad", "malformed", "miss", "corrupt", "illegal", "wrong", "notfound", "unknown", "timeout",
	"cancel", "eof", "empty", "reject", "refus", "denied", "panic"}

// try makes the trial of a package. An error of the trial itself is none of the run: it has nothing
// to report then.
func (r *runner) try(ctx context.Context, p *pkg) error {
	i := slices.IndexFunc(r.engines, func(e engine) bool {
		g, isGyr := e.(*gyrEngine)
		n, isGo := e.(*goEngine)
		return r.broken[[2]string{p.Path, e.Label()}] == "" && (isGyr && g.rev == nil || isGo && n.rev == nil)
	})
	if i < 0 || r.NoProof {
		return nil
	}
	e := r.engines[i]
	r.progress("looking at the loops of " + p.Path)
	t := benchvet.NewTrial(p.Path, p.sources.names, imports(ctx, p.Dir, r.Tags))
	if t == nil {
		return ctx.Err()
	}
	with, err := r.with(p, t.Files)
	if err != nil {
		return err
	}
	if err := e.Build(ctx, with); err != nil {
		return ctx.Err()
	}
	s, err := e.Open(ctx, with)
	if err != nil {
		return ctx.Err()
	}
	defer s.Close()
	for _, c := range r.cells(e) {
		if c.pkg != p || !slices.ContainsFunc(t.Places, func(x benchvet.TrialPlace) bool { return x.IsOf(c.bench.Key) }) {
			continue
		}
		r.progress("looking at the loop of " + c.bench.Name)
		n := int(math.Max(2, math.Min(trialIterations, trialTime/math.Max(c.first, 1))))
		rep, err := s.Run(ctx, &order{Bench: pattern(c.bench.Name), N: n, Count: 1, Virtual: true, Seconds: maxVisit})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return nil // nothing of it can be run
		}
		for _, x := range t.Read(rep.Said) {
			st := judged(c.bench, &x)
			if st != nil && !slices.ContainsFunc(r.Log.Record().Statics, func(o *record.Static) bool { // of an earlier part of the run
				return o.Bench == st.Bench && o.Code == st.Code && o.Place == st.Place
			}) {
				if err := r.Log.Write(st); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// judged is the diagnosis of a trial's result; nil: it shows nothing wrong.
func judged(b *record.Bench, x *benchvet.TrialResult) *record.Static {
	rule := x.Rule()
	st := &record.Static{Bench: b.Key, Code: x.Code, Severity: "warning", Place: x.Place, Cure: rule.Cure}
	switch name := strings.ToLower(b.Name); {
	case slices.Contains(b.Ignore, x.Code):
		return nil
	case x.Code == "BP35":
		if x.Errors == 0 || slices.ContainsFunc(aboutFailures, func(word string) bool { return strings.Contains(name, word) }) {
			return nil
		}
		st.Text = fmt.Sprintf("%s (%s: %s)", rule.Cause, x.What, x.Text)
		if x.Errors < x.Calls {
			st.Severity = "info"
			st.Text = fmt.Sprintf("%d of %d calls of %s fail, and their errors are ignored (%s).", x.Errors, x.Calls, x.What, x.Text)
		}
	default:
		share := float64(x.Part) / float64(x.Whole)
		if x.Whole == 0 || share < madeShare || x.Part < madeLeast {
			return nil
		}
		st.Text = fmt.Sprintf("%s (%s takes %.0f %%)", rule.Cause, x.What, 100*share)
	}
	return st
}

// cells are the cells of an engine that run.
func (r *runner) cells(e engine) (list []*cell) {
	for _, b := range r.blocks {
		for _, c := range b.cells {
			if c.engine == e && c.failed == "" {
				list = append(list, c)
			}
		}
	}
	return list
}

// imports imports what the test binary of a directory's package imports, from the export data of the
// go command; nil: there is none.
func imports(ctx context.Context, dir string, tags []string) types.Importer {
	const format = "{{if .Export}}{{.ImportPath}}\t{{.Export}}{{end}}"
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-test", "-export", "-tags="+strings.Join(tags, ","), "-f", format, ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	files := map[string]string{}
	for line := range bytes.Lines(out) {
		name, file, _ := strings.Cut(strings.TrimSpace(string(line)), "\t")
		// The name of a package that was compiled again for the tests ends with theirs.
		path, variant, _ := strings.Cut(name, " ")
		if files[path] == "" || variant != "" {
			files[path] = file
		}
	}
	return &exportData{files, map[string]*types.Package{}}
}

// exportData imports packages from files of export data. The standard library's go/importer would
// bring the reader of gccgo's too.
type exportData struct {
	files map[string]string // by import path
	known map[string]*types.Package
}

// Import implements types.Importer.
func (e *exportData) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := e.known[path]; p != nil && p.Complete() {
		return p, nil
	}
	if e.files[path] == "" {
		return nil, fmt.Errorf("no export data of %s", path)
	}
	f, err := os.Open(e.files[path])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gcexportdata.NewReader(f)
	if err != nil {
		return nil, err
	}
	return gcexportdata.Read(r, token.NewFileSet(), e.known, path)
}
