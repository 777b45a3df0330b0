package research

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/tools/research/ledger"
	"github.com/gyrvm/gyr/internal/tools/research/probe"
	"github.com/gyrvm/gyr/internal/tools/research/risk"
)

// The checks "mutation" and "differential" call the exported functions of the changed packages,
// the parent's and the candidate's, with the same random inputs (package probe). The first
// refuses a candidate in which memory is shared that the parent's does not share, the second one
// that answers otherwise. Both take the parent for the measure and ask for nothing that is not
// so there: a function may return a part of its input if it did before.
//
// Random inputs are no inputs for a function that removes files, so packages are left alone that
// import, or whose imports other than the standard library import, what reaches beyond the process.

// probeChecks are what refuses a candidate by the reports of a function in both versions.
var probeChecks = map[string]func(before, now *probe.Report) string{
	risk.Mutation:     sharesMore,
	risk.Differential: answersOtherwise,
}

func sharesMore(before, now *probe.Report) string {
	for _, x := range []struct {
		was, is bool
		text    string
	}{
		{before.Input, now.Input, "writes to its input"},
		{before.Later, now.Later, "gives a result that changes when it is called again"},
		{before.Alias, now.Alias, "keeps or returns memory of its input: what the caller writes there later changes it"},
		{before.Back, now.Back, "returns memory of its input: what the caller writes to the result changes the input"},
	} {
		if x.is && !x.was {
			return x.text + ", which the parent's does not"
		}
	}
	return ""
}

func answersOtherwise(before, now *probe.Report) string {
	for i, c := range before.Cases {
		if i < len(now.Cases) && now.Cases[i].Out != c.Out {
			return fmt.Sprintf("of %.200s gives %.200s, the parent's %.200s", c.Args, now.Cases[i].Out, c.Out)
		}
	}
	return ""
}

// A probed is a function with what is known of both versions.
type probed struct {
	name        string // with its directory: hot.Render
	before, now *probe.Report
}

// probes are the functions of a candidate's changed packages.
type probes struct {
	list []probed
	left []string // what was not called, and why
}

// probeCheck is one of probeChecks on the candidate.
func (s *Session) probeCheck(ctx context.Context, c *subject, name string) (ledger.Check, error) {
	start := s.now()
	if c.probes == nil {
		p, err := s.probe(ctx, c)
		if err != nil {
			return ledger.Check{}, err
		}
		c.probes = p
	}
	out := ledger.Check{Name: name, Status: pass, Seconds: s.since(start), Notes: slices.Clone(c.probes.left)}
	var names []string
	for _, p := range c.probes.list {
		names = append(names, p.name)
		why := "does not come to an end with random inputs, where the parent's does"
		if p.now != nil {
			why = probeChecks[name](p.before, p.now)
		}
		if why != "" {
			out.Status, out.Detail = fail, p.name+" "+why
			return out, nil
		}
	}
	if len(names) == 0 {
		out.Status, out.Detail = skip, "there is no function that can be called, and no such check in the battery"
		return out, nil
	}
	out.Notes = append([]string{"called: " + strings.Join(names, ", ")}, out.Notes...)
	changed, err := s.tampered(ctx, c, c.judged)
	if changed != "" {
		out.Status, out.Detail = fail, "the check changed the checkout: "+changed
	}
	return out, err
}

// probe calls the functions of both versions.
func (s *Session) probe(ctx context.Context, c *subject) (*probes, error) {
	if err := s.bothSides(ctx, c); err != nil {
		return nil, err
	}
	p := &probes{}
	for _, dir := range c.changedDirs() {
		if err := s.probePackage(ctx, c, dir, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// probeTime is how long the calls of one function may take.
const probeTime = 10 * time.Second

func (s *Session) probePackage(ctx context.Context, c *subject, dir string, p *probes) error {
	leave := func(format string, args ...any) error {
		p.left = append(p.left, dir+": "+fmt.Sprintf(format, args...))
		return nil
	}
	old, now := exportedFunctions(filepath.Join(s.parent.wt.Dir, dir)),
		exportedFunctions(filepath.Join(c.side.wt.Dir, dir))
	var names []string
	for _, name := range sortedKeys(now.functions) {
		if old.functions[name] == now.functions[name] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return leave("no exported function that both versions have")
	}
	var bins [2]string
	for i, d := range []*side{s.parent, c.side} {
		module, reason, err := s.moduleOf(ctx, d, dir)
		if err != nil {
			return err
		}
		if reason != "" {
			return leave("not called with random inputs: %s", reason)
		}
		if bins[i], reason, err = s.probeBinary(ctx, d, dir, now.name, names, module); err != nil {
			return err
		}
		if reason != "" {
			return leave("%s", reason)
		}
	}
	for _, name := range names {
		var reports [3]*probe.Report // the parent's, again, the candidate's
		for i, k := range []int{0, 0, 1} {
			d := []*side{s.parent, c.side}[k]
			r, err := s.probeFunction(ctx, d, bins[k], filepath.Join(d.wt.Dir, dir), name)
			if err != nil {
				return err
			}
			if reports[i] = r; r == nil {
				break
			}
		}
		before := reports[0]
		full := path.Join(dir, now.name) + "." + name
		if dir == "." {
			full = now.name + "." + name
		}
		switch {
		case before == nil:
			leave("%s: the parent's does not come to an end with random inputs", name)
		case before.Unsupported != "":
			leave("%s %s", name, before.Unsupported)
		case reports[1] == nil || !reflect.DeepEqual(before, reports[1]):
			leave("%s: the parent's answers otherwise each time", name)
		default:
			p.list = append(p.list, probed{full, before, reports[2]})
		}
	}
	return nil
}

// A functions is what a package exports to be called: functions and methods as Go expressions
// with their types.
type functions struct {
	name      string // of the package
	functions map[string]string
}

// exportedFunctions reads the package in a directory. What does not parse has none.
func exportedFunctions(dir string) functions {
	out := functions{functions: map[string]string{}}
	names, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is good
	for _, name := range names {
		if ok, err := build.Default.MatchFile(dir, filepath.Base(name)); !ok || err != nil ||
			strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return functions{}
		}
		out.name = f.Name.Name
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() || fn.Type.TypeParams != nil {
				continue
			}
			key := fn.Name.Name
			if fn.Recv != nil {
				recv := types.ExprString(fn.Recv.List[0].Type)
				if !ast.IsExported(strings.TrimPrefix(recv, "*")) || strings.Contains(recv, "[") {
					continue
				}
				key = "(" + recv + ")." + key
			}
			out.functions[key] = signature(fn.Type)
		}
	}
	return out
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

// reaching are the packages, and all below them, by which a program reaches beyond itself.
var reaching = []string{"os", "net", "syscall", "plugin", "io/ioutil", "log/syslog", "golang.org/x/sys"}

// A module is where a package belongs.
type module struct{ path, dir string }

// moduleOf finds the module of a package, or says why its functions are not called.
func (s *Session) moduleOf(ctx context.Context, d *side, dir string) (m module, reason string, err error) {
	const format = `{{if not .Standard}}{{.ImportPath}}|{{with .Module}}{{.Path}}|{{.Dir}}{{else}}|{{end}}|{{range .Imports}}{{.}} {{end}}{{end}}`
	o, err := s.runner.exec(ctx, filepath.Join(d.wt.Dir, dir), nil, checkTimeout, "go", "list", "-deps", "-f", format, ".")
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
		m = module{f[1], f[2]} // the package itself comes last
		for _, name := range strings.Fields(f[3]) {
			if slices.ContainsFunc(reaching, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") }) {
				return m, f[0] + " imports " + name, nil
			}
		}
	}
	if m.path == "" {
		return m, "it belongs to no module", nil
	}
	return m, "", nil
}

//go:embed probe/probe.go
var probeSource []byte

// Names of what the overlay brings into the candidate's module.
const (
	probeDir  = "zz_research_probe"
	probeFile = "zz_research_probe_test.go"
	probeTest = "TestGyrResearchProbe"
)

// probeBinary builds a test binary of a package that calls its functions; reason says why there is
// none.
func (s *Session) probeBinary(ctx context.Context, d *side, dir, pkg string, names []string, m module) (bin,
	reason string, err error) {
	var table strings.Builder
	fmt.Fprintf(&table, "package %s\n\nimport (\n\tresearchTesting \"testing\"\n\n\tresearchProbe %q\n)\n\n", pkg,
		m.path+"/"+probeDir)
	fmt.Fprintf(&table, "func %s(t *researchTesting.T) {\n\tif err := researchProbe.Main(map[string]interface{}{\n",
		probeTest)
	for _, name := range names {
		fmt.Fprintf(&table, "\t\t%q: %s,\n", name, name)
	}
	table.WriteString("\t}); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n")
	flag, err := s.overlay("probe-"+filepath.Base(d.wt.Dir), map[string]string{
		filepath.Join(m.dir, probeDir, "probe.go"): string(probeSource),
		filepath.Join(d.wt.Dir, dir, probeFile):    table.String(),
	})
	if err != nil {
		return "", "", err
	}
	bin = filepath.Join(d.bin, "probe.test")
	if err := os.MkdirAll(d.bin, 0o777); err != nil {
		return "", "", err
	}
	o, err := s.runner.on(ctx, d, filepath.Join(d.wt.Dir, dir), nil, checkTimeout, "go", "test", "-c", "-vet=off", flag,
		"-o", bin, ".")
	if err != nil {
		return "", "", err
	}
	if err := o.Err(); err != nil {
		return "", fmt.Sprintf("go test -c with the calls: %v: %s", err, tail(o)), nil
	}
	return bin, "", nil
}

// overlay writes files that the go command takes for others, and returns the flag that says so.
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

// probeFunction calls one function, in a process of its own: nil if that does not come to a good end.
func (s *Session) probeFunction(ctx context.Context, d *side, bin, dir, name string) (*probe.Report, error) {
	file := filepath.Join(s.work, "probe.json")
	if err := os.RemoveAll(file); err != nil {
		return nil, err
	}
	env := map[string]string{probe.Name: name, probe.File: file}
	o, err := s.runner.on(ctx, d, dir, env, probeTime, bin, "-test.run=^"+probeTest+"$")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if o.Err() != nil || err != nil {
		return nil, nil
	}
	r := &probe.Report{}
	if json.Unmarshal(text, r) != nil {
		return nil, nil
	}
	return r, nil
}
