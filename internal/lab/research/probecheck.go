package research

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/probe"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// The checks "mutation" and "differential" call the functions of the changed packages, in the
// parent and in the candidate, with the same inputs (package probe), and compare what benchmarks and
// tests compute. "mutation" refuses a candidate that shares memory which the parent does not share.
// "differential" refuses one that answers differently (answers.go). Both compare with the parent's behaviour, not with its text. They ignore behaviour
// that differs between two runs of the parent.
//
// # The surface
//
// A package promises its exported functions, and the types with exported methods. Both are called
// with inputs from tests and with random ones. They also judge an internal function, if they reach
// it with enough inputs: its result may have changed together with its callers. An internal
// function that they do not reach is called itself. What the package's own tests expect of it
// always counts.
//
// Random inputs are dangerous for a function that removes files. So a package with imports that
// reach beyond the process is called in a sandbox: in bubblewrap if candidates run in it, else in
// gyr's own, which has no files to remove. If gyr cannot compile the package, it is not called.

// A version holds the results of calling one version of a package.
type version struct {
	calls map[string]*probe.Report // by function, or "type T"
	tests map[string]*probe.Report // calls by the package's tests, by function
	bench map[string]*probe.Report // calls by its benchmarks
	parts map[string]*probe.Report // calls with derived inputs and disturbed memory, by part and function
	stuck map[string]bool          // functions that do not end
}

// A probed is a package with the results of both versions.
type probed struct {
	name           string     // of the package, with its directory
	before, now    []*version // of the parent and of the candidate, one for each run
	surface, inner []string   // called functions and types
	changed        []string
	exported       map[string]bool // exported functions
}

// probes are the packages of a candidate that were called.
type probes struct {
	list   []*probed
	left   []string // what was not called, with the reasons
	places []string // packages called in gyr's own sandbox, with the reasons
}

// probeChecks refuse a candidate by the reports of both versions.
var probeChecks = map[string]func(p *probed) (refusal string, notes []string){
	risk.Mutation:     sharesMore,
	risk.Differential: answersOtherwise,
}

// surfaceReach is the number of inputs with which the surface must reach an internal function to
// judge it.
const surfaceReach = 24

// compensated reports whether the surface judges a function.
func (p *probed) compensated(name string) bool {
	n := 0
	for _, s := range p.surface {
		if r := p.now[0].calls[s]; r != nil && r.Unsupported == "" {
			n += r.Reached[name]
		}
	}
	return n >= surfaceReach
}

// flagsOf are the flags of a function in a run, from direct calls and from tests.
func (v *version) flagsOf(name string) (f probe.Flags, known bool) {
	for _, list := range []map[string]*probe.Report{v.calls, v.tests, v.bench} {
		for _, key := range sortedKeys(list) {
			if g, ok := list[key].Flags[name]; ok {
				f.Input, f.Alias, f.Back = f.Input|g.Input, f.Alias|g.Alias, f.Back|g.Back
				f.Later, f.Own, known = f.Later || g.Later, f.Own || g.Own, true
			}
		}
	}
	return f, known
}

// flags are the flags that any run of the parent has, and those that every run of the candidate
// has.
func (p *probed) flags(name string) (before, now probe.Flags, known bool) {
	for _, v := range p.before {
		g, ok := v.flagsOf(name)
		known = known || ok
		before.Input, before.Alias, before.Back = before.Input|g.Input, before.Alias|g.Alias, before.Back|g.Back
		before.Later, before.Own = before.Later || g.Later, before.Own || g.Own
	}
	for i, v := range p.now {
		g, _ := v.flagsOf(name)
		if i == 0 {
			now = g
		}
		now.Input, now.Alias, now.Back = now.Input&g.Input, now.Alias&g.Alias, now.Back&g.Back
		now.Later, now.Own = now.Later && g.Later, now.Own && g.Own
	}
	return before, now, known
}

func sharesMore(p *probed) (refusal string, notes []string) {
	names := map[string]bool{}
	for _, list := range []map[string]*probe.Report{p.now[0].calls, p.now[0].tests, p.now[0].bench} {
		for _, r := range list {
			for name := range r.Flags {
				names[name] = true
			}
		}
	}
	for _, name := range sortedKeys(names) {
		before, now, known := p.flags(name)
		if !known {
			continue
		}
		for _, x := range []struct {
			is, was uint64
			text    string
		}{
			{now.Input, before.Input, "writes to its input"},
			{bit(now.Later), bit(before.Later), "gives a result that changes when it is called again"},
			{now.Alias, before.Alias, "keeps or returns memory of its input: what the caller writes there later changes it"},
			{now.Back, before.Back, "returns memory of its input: what the caller writes to the result changes the input"},
			{bit(now.Own), bit(before.Own), "returns memory of its receiver: what the caller writes to the result changes the receiver"},
		} {
			if x.is&^x.was == 0 {
				continue
			}
			text := p.label(name) + " " + x.text + ", which the parent's does not"
			if p.exported[name] || !p.compensated(name) {
				return text, notes
			}
			notes = append(notes, "inside: "+text+"; what is exported does not show it")
		}
	}
	return "", notes
}

func bit(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// label is a function's name with its package's: hot.Render.
func (p *probed) label(name string) string { return p.name + "." + strings.TrimPrefix(name, "type ") }

// probeCheck runs one of probeChecks on the candidate. asked says that one of the change's risks
// asks for it.
func (s *Session) probeCheck(ctx context.Context, c *subject, name string, asked bool) (ledger.Check, error) {
	start := s.now()
	if err := s.probeOnce(ctx, c); err != nil {
		return ledger.Check{}, err
	}
	out := ledger.Check{Name: name, Status: pass, Seconds: s.since(start), Notes: slices.Clone(c.probes.places)}
	var called, missed []string
	for _, p := range c.probes.list {
		refusal, notes := probeChecks[name](p)
		out.Notes = append(out.Notes, notes...)
		if refusal != "" {
			out.Status, out.Detail = fail, refusal
			return out, nil
		}
		called = append(called, p.called()...)
		for _, f := range p.changed {
			if !p.reached(f) {
				missed = append(missed, p.label(f))
			}
		}
	}
	if len(called) > 0 {
		out.Notes = append([]string{"called: " + strings.Join(called, ", ")}, out.Notes...)
	}
	if len(missed) > 0 {
		out.Notes = append(out.Notes, "changed and not reached: "+strings.Join(missed, ", "))
	}
	out.Notes = append(out.Notes, c.probes.left...)
	changed := 0
	for _, p := range c.probes.list {
		changed += len(p.changed)
	}
	if len(called) == 0 || changed > 0 && len(missed) == changed {
		out.Status, out.Detail = nothingToDo, "no function that changed can be called"
		if len(c.probes.left) > 0 {
			out.Detail += ": " + c.probes.left[0]
		}
		if asked {
			out.Status = skip
		}
		return out, nil
	}
	tampered, err := s.tampered(ctx, c, c.judged)
	if tampered != "" {
		out.Status, out.Detail = fail, "the check changed the checkout: "+tampered
	}
	return out, err
}

// called are the functions that were called in both versions.
func (p *probed) called() (names []string) {
	for _, name := range append(slices.Clone(p.surface), p.inner...) {
		if r, b := p.now[0].calls[name], p.before[0].calls[name]; r != nil && b != nil && r.Unsupported == "" && b.Unsupported == "" {
			names = append(names, p.label(name))
		}
	}
	return names
}

// reached reports whether a function ran with some input, directly or through another one.
func (p *probed) reached(name string) bool {
	if p.now[0].tests[name] != nil || p.now[0].bench[name] != nil {
		return true
	}
	for _, r := range p.now[0].calls {
		if r.Unsupported == "" && (r.Name == name && len(r.Cases) > 0 || r.Reached[name] > 0) {
			return true
		}
		if _, ok := r.Flags[name]; ok && len(r.Cases) > 0 {
			return true
		}
	}
	return false
}

// probeOnce calls the functions of both versions, unless another check has done so.
func (s *Session) probeOnce(ctx context.Context, c *subject) error {
	if c.probes != nil {
		return nil
	}
	if err := s.bothSides(ctx, c); err != nil {
		return err
	}
	p := &probes{}
	for _, dir := range c.changedDirs() {
		if err := s.probePackage(ctx, c, dir, p); err != nil {
			return err
		}
	}
	c.probes = p
	return nil
}

// probeTime limits the calls of one version of a package, with room for a busy machine.
const probeTime = 6 * time.Minute

func (s *Session) probePackage(ctx context.Context, c *subject, dir string, p *probes) error {
	leave := func(format string, args ...any) error {
		p.left = append(p.left, dir+": "+fmt.Sprintf(format, args...))
		return nil
	}
	old, now := readSourcePackage(filepath.Join(s.parent.wt.Dir, dir)), readSourcePackage(filepath.Join(c.side.wt.Dir, dir))
	if now.name == "" || old.name != now.name {
		return nil // no package, or a different one
	}
	x := &probed{name: path.Join(dir, now.name), exported: map[string]bool{}}
	common := x.targets(old, now)
	if len(x.surface)+len(x.inner) == 0 {
		return leave("no function that both versions have")
	}
	words, numbers := dictionary(old, now)
	order := probe.Order{Functions: append(slices.Clone(x.surface), x.inner...), Tests: len(now.tests)+len(now.outer) > 0,
		Benches: len(now.benches[0])+len(now.benches[1]) > 0,
		Strings: words, Ints: numbers}
	order.Changed = changedFunctions(old, now)
	order.News, order.Floats, order.Words = differentLiterals(old, now)
	state := c.state[dir]
	var modules [2]module
	for i, d := range []*side{s.parent, c.side} {
		var reason string
		var err error
		if modules[i], reason, err = s.moduleOf(ctx, d, dir); err != nil {
			return err
		}
		if reason != "" {
			return leave("not called: %s", reason)
		}
	}
	reaches := cmp.Or(modules[1].reaches, modules[0].reaches)
	inEngine := reaches != "" && s.box == nil
	var bins [2]*calls
	for i, d := range []*side{s.parent, c.side} {
		var reason string
		var err error
		if bins[i], reason, err = s.probeBinary(ctx, d, dir, []*sourcePackage{old, now}[i], common, state, modules[i], inEngine); err != nil {
			return err
		}
		if reason != "" && inEngine {
			return leave("not called with random inputs: %s, there is no bubblewrap: %s; and gyr's sandbox does not do: %s", reaches, s.boxReason, reason)
		}
		if reason != "" {
			return leave("%s", reason)
		}
	}
	if inEngine {
		p.places = append(p.places, fmt.Sprintf("%s: called in gyr's sandbox: %s, and there is no bubblewrap: %s", dir, reaches, s.boxReason))
	}
	run := func(d *side, bin *calls, again bool) (*version, error) {
		return s.callAll(ctx, d, bin, dir, order, again)
	}
	before, err := run(s.parent, bins[0], false)
	if err != nil {
		return err
	}
	// The candidate is not asked for calls that do not end in the parent, or that take long there.
	order.Limits = map[string]int{}
	for _, list := range []map[string]*probe.Report{before.calls, before.parts} {
		for name, r := range list {
			order.Limits[name] = len(r.Cases)
		}
	}
	for _, name := range sortedKeys(before.stuck) {
		order.Skip = append(order.Skip, name)
		leave("%s: the parent's does not come to an end", name)
	}
	again, err := run(s.parent, bins[0], true)
	if err != nil {
		return err
	}
	order.State = state
	first, err := run(c.side, bins[1], false)
	if err != nil {
		return err
	}
	x.before, x.now = []*version{before, again}, []*version{first}
	for n := 0; n < confirmRuns && x.refused(); n++ {
		again, err := run(s.parent, bins[0], false)
		if err != nil {
			return err
		}
		next, err := run(c.side, bins[1], n == 0)
		if err != nil {
			return err
		}
		x.before, x.now = append(x.before, again), append(x.now, next)
		maps.DeleteFunc(x.now[0].stuck, func(name string, _ bool) bool {
			return !next.stuck[name] && !strings.HasPrefix(name, probe.Concurrent+" ") // which may have luck
		})
	}
	for _, name := range sortedKeys(first.calls) {
		if r := first.calls[name]; r.Unsupported != "" {
			leave("%s %s", name, r.Unsupported)
		}
	}
	p.list = append(p.list, x)
	return nil
}

// confirmRuns is how often both versions are called again before a candidate is refused. A result
// that a busy machine or the order of goroutines caused must not count.
const confirmRuns = 2

// refused reports whether one of the checks refuses.
func (p *probed) refused() bool {
	for _, check := range probeChecks {
		if refusal, _ := check(p); refusal != "" {
			return true
		}
	}
	return false
}

// targets chooses what is called: functions that both versions have with the same signature. It
// returns the functions of the table.
func (x *probed) targets(old, now *sourcePackage) (common []string) {
	made := map[string]bool{} // types that exported functions return
	for _, f := range now.functions {
		if f.exported && f.decl.Recv == nil && f.decl.Type.Results != nil {
			for _, r := range f.decl.Type.Results.List {
				made[strings.TrimPrefix(types.ExprString(r.Type), "*")] = true
			}
		}
	}
	surface, inner := map[string]bool{}, map[string]bool{}
	for _, name := range sortedKeys(now.functions) {
		f, was := now.functions[name], old.functions[name]
		if was == nil || was.signature != f.signature {
			continue
		}
		common = append(common, name)
		changed := was.text != f.text
		if changed {
			x.changed = append(x.changed, name)
		}
		exported := f.exported || f.recv != "" && ast.IsExported(f.decl.Name.Name) && made[f.recv]
		x.exported[name] = exported
		if exported {
			surface[name] = true
			if f.recv != "" {
				surface["type "+f.recv] = true
			}
		} else if changed {
			inner[name] = true
			if f.recv != "" && ast.IsExported(f.decl.Name.Name) {
				inner["type "+f.recv] = true
			}
		}
	}
	x.surface, x.inner = sortedKeys(surface), sortedKeys(inner)
	// Changed functions come first, in case time runs out.
	first := func(a, b string) int {
		return int(bit(slices.Contains(x.changed, b))) - int(bit(slices.Contains(x.changed, a)))
	}
	slices.SortStableFunc(x.surface, first)
	slices.SortStableFunc(x.inner, first)
	return common
}

// signature writes a function's type without the names of its parameters.
func signature(t *ast.FuncType) string {
	var words []string
	for _, list := range []*ast.FieldList{t.Params, t.Results} {
		words = append(words, "|")
		if list == nil {
			continue
		}
		for _, f := range list.List {
			for range max(1, len(f.Names)) {
				words = append(words, types.ExprString(f.Type))
			}
		}
	}
	return strings.Join(words, " ")
}

// reaching are the packages, including all below them, by which a program reaches beyond itself.
var reaching = []string{"os", "net", "syscall", "plugin", "io/ioutil", "log/syslog", "golang.org/x/sys"}

// A module is the module of a package.
type module struct {
	path, dir string
	reaches   string // the import by which the package reaches beyond the process; empty: none
}

// moduleOf finds the module of a package, or the reason not to call its functions.
func (s *Session) moduleOf(ctx context.Context, d *side, dir string) (m module, reason string, err error) {
	const format = `{{if not .Standard}}{{.ImportPath}}|{{with .Module}}{{.Path}}|{{.Dir}}{{else}}|{{end}}|{{range .Imports}}{{.}} {{end}}{{end}}`
	o, err := s.runner.compile(ctx, d, filepath.Join(d.wt.Dir, dir), nil, s.config.Limits.Build.or(checkTimeout), "go", "list", "-deps", "-f", format, ".")
	if err != nil {
		return m, "", err
	}
	if o.Err() != nil {
		return m, "go list: " + tail(o), nil
	}
	for line := range strings.Lines(string(o.Stdout)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(f) != 4 {
			continue
		}
		m.path, m.dir = f[1], f[2] // the last line is the package itself
		for _, name := range strings.Fields(f[3]) {
			if slices.ContainsFunc(reaching, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") }) {
				m.reaches = f[0] + " imports " + name
			}
		}
	}
	if m.path == "" {
		return m, "it belongs to no module", nil
	}
	return m, "", nil
}

//go:embed probe/*.go
var probeSources embed.FS

// Names of files that the overlay adds to the candidate's module.
const (
	probeDir       = "zz_research_probe"
	probeFile      = "zz_research_probe_test.go"
	probeOuterFile = "zz_research_probe_outer_test.go"
	probeTest      = "TestGyrResearchProbe"
)

// probeFiles are the sources of package probe, by name.
func probeFiles() (map[string]string, error) {
	files := map[string]string{}
	entries, err := probeSources.ReadDir("probe")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := probeSources.ReadFile("probe/" + e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = string(text)
	}
	return files, nil
}

// A calls is a program that calls a package's functions: a test binary with the probe's sources.
type calls struct {
	file    string // a binary, or an image of gyr
	overlay string // the flag with which gyr compiles it; empty: not an image
}

// command is the command that runs the program with files in a directory. Behaviour that depends on
// chance or time should differ in the second kind of run, again. For a binary that is the order of
// goroutines, which then run on one processor. In gyr's sandbox everything else repeats, so the
// seed and the clock differ.
func (b *calls) command(self, desk string, set settings, files map[string]string, again bool) (env map[string]string, name string, args []string) {
	if b.overlay == "" {
		env = maps.Clone(files)
		if again {
			env["GOMAXPROCS"] = "1"
		}
		return env, b.file, []string{"-test.run=^" + probeTest + "$", "-test.short", "-test.timeout=0"}
	}
	args = []string{"test", b.overlay, "-vet=off", "-run=^" + probeTest + "$", "-short", "-timeout=0", "-dir=" + desk}
	for _, list := range []map[string]string{files, set.environ()} {
		for _, name := range sortedKeys(list) {
			if name != goFlags {
				args = append(args, "-env="+name+"="+list[name])
			}
		}
	}
	if again {
		args = append(args, "-realtime", "-seed=2")
	}
	return nil, self, append(args, ".")
}

// probeBinary builds a program that calls a package's functions. reason says why that is
// impossible. The parent's program is kept for the next candidate.
func (s *Session) probeBinary(ctx context.Context, d *side, dir string, p *sourcePackage, functions, state []string,
	m module, inEngine bool) (bin *calls, reason string, err error) {
	sources, err := probeFiles()
	if err != nil {
		return nil, "", err
	}
	probePath := m.path + "/" + probeDir
	common := map[string]string{}
	for name, text := range sources {
		common[filepath.Join(m.dir, probeDir, name)] = text
	}
	common[filepath.Join(d.wt.Dir, dir, probeFile)] = p.table(probePath, functions, state)
	if len(p.outer)+len(p.benches[1]) > 0 {
		common[filepath.Join(d.wt.Dir, dir, probeOuterFile)] = p.outerTable(probePath)
	}
	watched := maps.Clone(common)
	for name, text := range p.instrument(probePath) {
		watched[filepath.Join(d.wt.Dir, dir, name)] = text
	}
	bare := map[string]string{}
	for name, text := range common {
		if filepath.Base(name) != probeOuterFile {
			bare[name] = text
		}
	}
	if err := os.MkdirAll(d.bin, 0o777); err != nil {
		return nil, "", err
	}
	// A package whose functions cannot be watched is called all the same.
	for _, files := range []map[string]string{watched, bare} {
		h := sha256.New()
		fmt.Fprintln(h, d.tree, dir, d.settings)
		for _, name := range sortedKeys(files) {
			fmt.Fprintln(h, name, files[name])
		}
		flag, err := s.overlay("probe-"+filepath.Base(d.wt.Dir), files)
		if err != nil {
			return nil, "", err
		}
		bin := &calls{file: filepath.Join(d.bin, fmt.Sprintf("probe-%x.test", h.Sum(nil)[:8]))}
		build := []string{"go", "test", "-c", "-vet=off", flag, "-o", bin.file, "."}
		if inEngine {
			bin.file, bin.overlay = bin.file+".gyr", flag
			build[0], build[6] = s.runner.self, bin.file
		}
		if _, err := os.Lstat(bin.file); err == nil {
			return bin, "", nil
		}
		o, err := s.runner.compile(ctx, d, filepath.Join(d.wt.Dir, dir), nil, s.config.Limits.Build.or(checkTimeout), build[0], build[1:]...)
		if err != nil {
			return nil, "", err
		}
		if o.Err() == nil {
			return bin, "", nil
		}
		if reason == "" {
			reason = fmt.Sprintf("%s test -c with the calls: %v: %s", filepath.Base(build[0]), o.Err(), tail(o))
		}
	}
	return nil, reason, nil
}

// overlay writes files that replace others for the go command, and returns the flag for it.
func (s *Session) overlay(name string, files map[string]string) (flag string, err error) {
	root := filepath.Join(s.work, name)
	if err := errors.Join(os.RemoveAll(root), os.MkdirAll(root, 0o777)); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for i, file := range sortedKeys(files) {
		replace[file] = filepath.Join(root, fmt.Sprintf("%d-%s", i, filepath.Base(file)))
		if err := os.WriteFile(replace[file], []byte(files[file]), 0o666); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(root, "overlay.json")
	return "-overlay=" + file, os.WriteFile(file, text, 0o666)
}

// mostRestarts bounds how often the calls restart after one that does not end.
const mostRestarts = 6

// callAll calls the functions of a version of a package. It notes calls that do not end, and makes
// the remaining ones in another process.
func (s *Session) callAll(ctx context.Context, d *side, bin *calls, dir string, order probe.Order, again bool) (*version, error) {
	v := &version{map[string]*probe.Report{}, map[string]*probe.Report{}, map[string]*probe.Report{}, map[string]*probe.Report{}, map[string]bool{}}
	desk := filepath.Join(s.work, "probe")
	for range mostRestarts {
		text, err := json.Marshal(order)
		if err != nil {
			return nil, err
		}
		orderFile, reportFile := filepath.Join(desk, "order.json"), filepath.Join(desk, "report.jsonl")
		if err := errors.Join(os.RemoveAll(desk), os.MkdirAll(desk, 0o777), os.WriteFile(orderFile, text, 0o666)); err != nil {
			return nil, err
		}
		env, name, args := bin.command(s.runner.self, desk, d.settings, map[string]string{probe.OrderFile: orderFile, probe.ReportFile: reportFile}, again)
		if _, err = s.runner.boxed(ctx, d, false, []string{desk}, filepath.Join(d.wt.Dir, dir), env, probeTime, name, args...); err != nil {
			return nil, err
		}
		at, ended := "", false
		text, _ = readWritten(reportFile) // a process that wrote nothing ended earlier
		for line := range strings.Lines(string(text)) {
			r := &probe.Report{}
			if json.Unmarshal([]byte(line), r) != nil {
				break
			}
			kind, name, _ := strings.Cut(r.Name, " ")
			switch {
			case r.Name == "end":
				ended = true
			case r.Stuck, r.Begins:
				at = r.Name
				continue
			case kind == "test":
				v.tests[name] = r
			case kind == "bench":
				v.bench[name] = r
			case slices.Contains(probeParts, kind):
				v.parts[r.Name] = r
			default:
				v.calls[r.Name] = r
			}
			at = ""
		}
		if ended {
			return v, nil
		}
		i := slices.IndexFunc(order.Functions, func(name string) bool { return v.calls[name] == nil && !slices.Contains(order.Skip, name) })
		switch {
		case at == probe.Tests:
			order.Tests = false
		case at == probe.Benches:
			order.Benches = false
		case slices.ContainsFunc(probeParts, func(part string) bool { return strings.HasPrefix(at, part+" ") }):
			v.stuck[at] = true
			order.Skip = append(order.Skip, at)
			if i < 0 {
				return v, nil
			}
			order.Functions = order.Functions[i:]
		case at != "" && !slices.Contains(order.Functions, at):
			order.Skip = append(order.Skip, at) // a test or benchmark did not end: the others run again
		case i < 0:
			return v, nil
		default:
			v.stuck[order.Functions[i]] = true
			order.Skip = append(order.Skip, order.Functions[i])
			order.Functions = order.Functions[i+1:]
		}
	}
	for _, name := range order.Functions {
		if v.calls[name] == nil {
			v.stuck[name] = true
		}
	}
	return v, nil
}
