package research

import (
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/probe"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// The checks "mutation" and "differential" call the functions of the changed packages, in the
// parent and in the candidate, with the same inputs (package probe), and compare what benchmarks and
// tests compute. "mutation" refuses a candidate that shares memory which the parent does not share.
// "differential" refuses one that answers differently (answers.go). Both compare with the parent's
// behaviour, not with its text. They ignore behaviour that differs between two runs of the parent.
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
	stuck map[string]string        // functions and parts that do not end, or that end the process, with what they do
	fault []string                 // functions and parts in which the probe failed, with its panic

	raced           map[string]string // what the race detector says, by part and function
	endless         []string          // tests and benchmarks that do not end
	tested, benched bool              // the process that came to the end ran the others
}

func newVersion() *version {
	list := func() map[string]*probe.Report { return map[string]*probe.Report{} }
	return &version{calls: list(), tests: list(), bench: list(), parts: list(), stuck: map[string]string{}, raced: map[string]string{}}
}

// A probed is a package with the results of both versions.
type probed struct {
	name           string     // of the package, with its directory
	before, now    []*version // of the parent and of the candidate, one for each run
	surface, inner []string   // called functions and types
	changed        []string
	exported       map[string]bool   // exported functions
	raced          map[string]string // reports of the race detector for the candidate alone, by part and function
	detector       string            // whether the race detector ran
}

// probes are the packages of a candidate that were called.
type probes struct {
	list   []*probed
	left   []string // what was not called, with the reasons
	broken bool     // a package does not build with the calls
	places []string // packages called in gyr's own sandbox, with the reasons
}

// A difference is something that a function of the candidate does and the parent's does not.
type difference struct {
	name   string // of the function or type
	key    string // of the report that shows it: the name, perhaps with the part
	inside bool   // what is exported does not show it
	text   string
}

// probeChecks find differences in the reports of both versions. They refuse a candidate unless they
// are all inside.
var probeChecks = map[string]func(p *probed) []difference{
	risk.Mutation:     sharesMore,
	risk.Differential: answersOtherwise,
}

// refusing are the differences for which a candidate is refused.
func (p *probed) refusing() (list []difference) {
	for _, name := range sortedKeys(probeChecks) {
		list = append(list, slices.DeleteFunc(probeChecks[name](p), func(d difference) bool { return d.inside })...)
	}
	return list
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
				f.Add(g)
				known = true
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
		before.Add(g)
	}
	for i, v := range p.now {
		g, _ := v.flagsOf(name)
		if i == 0 {
			now = g
		}
		now.Input, now.Alias, now.Back = now.Input&g.Input, now.Alias&g.Alias, now.Back&g.Back
		now.Later, now.Own, now.Stay = now.Later && g.Later, now.Own && g.Own, now.Stay && g.Stay
	}
	return before, now, known
}

func sharesMore(p *probed) (list []difference) {
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
			{bit(now.Stay), bit(before.Stay), "leaves goroutines behind"},
			{bit(now.Own), bit(before.Own), "returns memory of its receiver: what the caller writes to the result changes the receiver"},
		} {
			if x.is&^x.was == 0 {
				continue
			}
			text := p.label(name) + " " + x.text + ", which the parent's does not"
			list = append(list, difference{name, name, !p.exported[name] && p.compensated(name), text})
		}
	}
	return list
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
		for _, x := range probeChecks[name](p) {
			if !x.inside {
				out.Status, out.Detail = fail, x.text
				return out, nil
			}
			out.Notes = append(out.Notes, "inside: "+x.text+"; what is exported does not show it")
		}
		if name == risk.Differential {
			out.Notes = append(append(out.Notes, p.changing()...), p.counted()...)
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
		if asked || c.probes.broken {
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

// counted says how many inputs the parts had, and which functions got none of a part, with the
// reason.
func (p *probed) counted() (notes []string) {
	words := map[string]string{probe.Derived: "inputs", probe.Disturbed: "sequences", probe.Failing: "inputs", probe.Concurrent: "calls"}
	reports := p.now[0].parts
	without := map[string][]string{}
	for _, part := range probeParts {
		inputs, functions := 0, 0
		for _, key := range sortedKeys(reports) {
			name, of := strings.CutPrefix(key, part+" ")
			if !of {
				continue
			}
			if r := reports[key]; r.Unsupported != "" {
				reason := part + ", " + r.Unsupported
				without[reason] = append(without[reason], p.label(name))
			} else {
				inputs, functions = inputs+len(r.Cases)+r.Calls, functions+1
			}
		}
		text := fmt.Sprintf("%s: %s: %d %s of %d functions", p.name, part, inputs, words[part], functions)
		if part == probe.Concurrent && p.detector != "" {
			text += ", " + p.detector
		}
		notes = append(notes, text)
	}
	for _, reason := range sortedKeys(without) {
		notes = append(notes, fmt.Sprintf("not %s: %s", reason, strings.Join(without[reason], ", ")))
	}
	return notes
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
