package benchvet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Two mistakes need a run to be seen, and no figures: an error that a measured loop ignores and
// that is one each time (BP35), and an input that each iteration makes anew (BP12). Trial finds the
// places where either may be, and puts calls around them that report what happens there.

// A Trial is a package's test files with calls of the reporting functions. Run it and read what it
// prints with [Trial.Read].
type Trial struct {
	Files  map[string][]byte // the new contents, by the name of the file; some are new files
	Places []TrialPlace
}

// A TrialPlace is a statement in a measured loop.
type TrialPlace struct {
	Code    string
	Place   string
	What    string   // the call
	Benches []string // keys of the benchmarks whose loops have it
}

// Rule is the mistake that the place may be.
func (p *TrialPlace) Rule() Rule {
	return TrialRules[slices.IndexFunc(TrialRules, func(r Rule) bool { return r.Code == p.Code })]
}

// IsOf reports whether a place is in the loop of a benchmark, or of one below it.
func (p *TrialPlace) IsOf(key string) bool {
	return slices.ContainsFunc(p.Benches, func(b string) bool { return key == b || strings.HasPrefix(key, b+"/") })
}

// NewTrial prepares the test files of the package with an import path. Imports come from imp, as far
// as it knows them. The result is nil if no place needs a trial.
func NewTrial(importPath string, names []string, imp types.Importer) *Trial {
	t := &Trial{Files: map[string][]byte{}}
	byName := map[string][]*ast.File{}
	fset, sources := token.NewFileSet(), map[*ast.File][]byte{}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if f, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution); err == nil {
			byName[f.Name.Name] = append(byName[f.Name.Name], f)
			sources[f] = src
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		c := newChecker(importPath, fset, byName[name], partly{imp})
		c.trial = &trialEdits{Trial: t}
		c.run()
		files := map[string][]trialEdit{}
		for _, e := range c.trial.edits {
			file := fset.Position(e.from).Filename
			files[file] = append(files[file], e)
		}
		for _, f := range byName[name] {
			file := fset.Position(f.Package).Filename
			if files[file] != nil {
				t.Files[file] = applyEdits(fset, sources[f], files[file])
				helper := filepath.Join(filepath.Dir(file), "gyr_trial_"+name+"_test.go")
				t.Files[helper] = []byte("package " + name + trialFunctions)
			}
		}
	}
	if len(t.Places) == 0 {
		return nil
	}
	return t
}

// A partly is an importer that falls back to packages of which only the path is known.
type partly struct{ types.Importer }

func (p partly) Import(path string) (*types.Package, error) {
	if p.Importer != nil {
		if pkg, err := p.Importer.Import(path); err == nil {
			return pkg, nil
		}
	}
	return unknown{}.Import(path)
}

// trialEdits collects the places of one package clause.
type trialEdits struct {
	*Trial
	edits []trialEdit
}

// A trialEdit replaces a part of a file. No line moves.
type trialEdit struct {
	from, to token.Pos
	text     string
}

// applyEdits puts edits into a source.
func applyEdits(fset *token.FileSet, src []byte, edits []trialEdit) (out []byte) {
	slices.SortStableFunc(edits, func(a, b trialEdit) int { return int(a.from - b.from) })
	at := 0
	for _, e := range edits {
		from, to := fset.Position(e.from).Offset, fset.Position(e.to).Offset
		out = append(append(out, src[at:from]...), e.text...)
		at = to
	}
	return append(out, src[at:]...)
}

// trialPlace notes a place and returns its number. A place in a file that is no test's has none: -1.
func (s *scope) trialPlace(code string, at token.Pos, what string) int {
	if len(s.benches) == 0 || slices.Contains(s.ignore, code) || !strings.HasSuffix(s.fset.Position(at).Filename, "_test.go") {
		return -1
	}
	t := s.trial
	t.Places = append(t.Places, TrialPlace{Code: code, Place: s.place(at), What: what, Benches: slices.Clone(s.benches)})
	return len(t.Places) - 1
}

func (s *scope) edit(from, to token.Pos, format string, args ...any) {
	s.trial.edits = append(s.trial.edits, trialEdit{from, to, fmt.Sprintf(format, args...)})
}

// try finds the places of a function's measured loops.
func (s *scope) try() {
	for _, l := range s.loops {
		inLists(l.body, func(st ast.Stmt, direct bool) {
			if !s.ignores(st) && direct {
				s.makes(l, st)
			}
		})
	}
}

// inLists visits the statements that stand in lists, where one can become several. direct: each
// iteration executes it once.
func inLists(body *ast.BlockStmt, visit func(st ast.Stmt, direct bool)) {
	ast.Inspect(body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, st := range list {
			visit(st, n == ast.Node(body))
		}
		return true
	})
}

// # BP35

// ignores prepares a statement that ignores an error of a call.
func (s *scope) ignores(st ast.Stmt) bool {
	switch st := st.(type) {
	case *ast.ExprStmt:
		call, ok := st.X.(*ast.CallExpr)
		if !ok || s.method(call) != "" || !s.known(call) || len(s.errorsOf(call)) == 0 {
			return false
		}
		if id := s.trialPlace("BP35", st.Pos(), types.ExprString(call.Fun)); id >= 0 {
			s.edit(st.Pos(), st.Pos(), "gyrTrialErrors(%d)(", id)
			s.edit(st.End(), st.End(), ")")
		}
		return true
	case *ast.AssignStmt:
		call, ok := ast.Unparen(st.Rhs[0]).(*ast.CallExpr)
		if !ok || len(st.Rhs) != 1 || s.isType(call) || s.isBuiltin(call) {
			return false
		}
		errs := s.errorsOf(call)
		var blank []int
		for i, x := range st.Lhs {
			// What has no known type may be an error.
			if isBlank(x) && (!s.known(call) || slices.Contains(errs, i)) {
				blank = append(blank, i)
			}
		}
		if len(blank) == 0 {
			return false
		}
		if id := s.trialPlace("BP35", st.Pos(), types.ExprString(call.Fun)); id >= 0 {
			s.catch(st, id)
		}
		return true
	}
	return false
}

// catch gives the results that an assignment drops to the reporting function.
func (s *scope) catch(st *ast.AssignStmt, id int) {
	var names, dropped []string
	var assigned strings.Builder
	for i, x := range st.Lhs {
		switch name := fmt.Sprintf("gyrTrial%d_%d", id, i); {
		case isBlank(x):
			names, dropped = append(names, name), append(dropped, name)
		case st.Tok == token.DEFINE:
			names = append(names, types.ExprString(x))
		default:
			names = append(names, name)
			fmt.Fprintf(&assigned, "; %s = %s", types.ExprString(x), name)
		}
	}
	s.edit(st.Lhs[0].Pos(), st.TokPos+token.Pos(len(st.Tok.String())), "%s :=", strings.Join(names, ", "))
	s.edit(st.End(), st.End(), "%s; gyrTrialErrors(%d)(%s)", assigned.String(), id, strings.Join(dropped, ", "))
}

// known reports whether the types of a call's results are known.
func (s *scope) known(call *ast.CallExpr) bool {
	t := s.info.Types[call].Type
	return t != nil && t != types.Typ[types.Invalid]
}

// errorsOf are the results of a call that are errors.
func (s *scope) errorsOf(call *ast.CallExpr) (list []int) {
	isError := func(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
	switch t := s.info.Types[call].Type.(type) {
	case nil:
	case *types.Tuple:
		for i := range t.Len() {
			if isError(t.At(i).Type()) {
				list = append(list, i)
			}
		}
	default:
		if isError(t) {
			list = append(list, 0)
		}
	}
	return list
}

// # BP12

// makes prepares a statement that makes an input anew: a variable is defined by a call of constants
// alone, is a slice, a map or a string, and is the argument of another call. A benchmark that is
// named for the function measures just that.
func (s *scope) makes(l *measuredLoop, st ast.Stmt) {
	as, ok := st.(*ast.AssignStmt)
	if !ok || as.Tok != token.DEFINE || len(as.Lhs) != 1 || len(as.Rhs) != 1 {
		return
	}
	call, ok := as.Rhs[0].(*ast.CallExpr)
	id, isIdent := as.Lhs[0].(*ast.Ident)
	if !ok || !isIdent || s.isType(call) || s.isBuiltin(call) || s.method(call) != "" || s.info.Defs[id] == nil || len(call.Args) == 0 {
		return
	}
	if slices.ContainsFunc(call.Args, func(x ast.Expr) bool { return s.info.Types[x].Value == nil }) {
		return
	}
	switch t := s.info.Defs[id].Type().Underlying().(type) {
	case *types.Slice, *types.Map:
	case *types.Basic:
		if t.Info()&types.IsString == 0 {
			return
		}
	default:
		return
	}
	_, maker, _ := s.callee(call)
	if strings.Contains(strings.ToLower(s.decl.Name.Name), strings.ToLower(maker)) || !s.isArgument(l.body, s.info.Defs[id], as) {
		return
	}
	if n := s.trialPlace("BP12", st.Pos(), types.ExprString(call)); n >= 0 {
		s.edit(st.Pos(), st.Pos(), "gyrTrialFrom(%d); ", n)
		s.edit(st.End(), st.End(), "; gyrTrialTo(%d)", n)
		s.edit(l.body.Lbrace+1, l.body.Lbrace+1, " gyrTrialIteration(%d);", n)
	}
}

// isArgument reports whether a call gets a variable, besides the statement that makes it.
func (s *scope) isArgument(body ast.Node, v types.Object, makes ast.Node) (yes bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && n != makes && !s.isType(call) && !s.isBuiltin(call) {
			yes = yes || slices.ContainsFunc(call.Args, func(x ast.Expr) bool { return mentionsObject(s, x, v) })
		}
		return !yes && n != makes
	})
	return yes
}

// trialMark begins the lines that a trial prints.
const trialMark = "gyr-trial "

// trialFunctions are the functions that the calls of a trial call. They print at first, and then when
// the number of calls is a power of two. So the last lines tell the most.
const trialFunctions = `

import (
	"fmt"
	"sync"
	"time"
)

type gyrTrialState struct {
	calls, errors int
	text          string
	began, from   time.Time
	each, all     time.Duration // the least of an iteration's part, and of a whole one
}

var (
	gyrTrialLock sync.Mutex
	gyrTrials    = map[int]*gyrTrialState{}
)

func gyrTrial(id int) *gyrTrialState {
	if gyrTrials[id] == nil {
		gyrTrials[id] = &gyrTrialState{}
	}
	return gyrTrials[id]
}

func gyrTrialErrors(id int) func(results ...any) {
	return func(results ...any) {
		gyrTrialLock.Lock()
		defer gyrTrialLock.Unlock()
		s := gyrTrial(id)
		s.calls++
		for _, x := range results {
			if err, ok := x.(error); ok && err != nil {
				if s.errors == 0 {
					s.text = err.Error()
				}
				s.errors++
				break
			}
		}
		if s.calls <= 64 || s.calls&(s.calls-1) == 0 {
			fmt.Printf("\ngyr-trial %d %d %d %q\n", id, s.calls, s.errors, s.text)
		}
	}
}

func gyrTrialIteration(id int) {
	s := gyrTrial(id)
	if took := time.Since(s.began); s.calls > 0 && (took < s.all || s.all == 0) {
		s.all = took
	}
	if s.calls > 0 && s.calls&(s.calls-1) == 0 {
		fmt.Printf("\ngyr-trial %d %d %d %d\n", id, s.calls, s.each, s.all)
	}
	s.calls++
	s.began = time.Now()
}

func gyrTrialFrom(id int) { gyrTrial(id).from = time.Now() }

func gyrTrialTo(id int) {
	s := gyrTrial(id)
	if took := time.Since(s.from); took < s.each || s.each == 0 {
		s.each = took
	}
}
`

// A TrialResult is what a trial found out about a place.
type TrialResult struct {
	TrialPlace
	Calls, Errors int
	Text          string // of the first error
	Part, Whole   int64  // nanoseconds of what is made, and of an iteration with it; 0: unknown
}

// Read finds the results in what a trial printed.
func (t *Trial) Read(output string) (list []TrialResult) {
	found := map[int]TrialResult{}
	for line := range strings.Lines(output) {
		rest, ok := strings.CutPrefix(line, trialMark)
		if !ok {
			continue
		}
		var id int
		var r TrialResult
		if _, err := fmt.Sscan(rest, &id); err != nil || id < 0 || id >= len(t.Places) {
			continue
		}
		r.TrialPlace = t.Places[id]
		var err error
		if r.Code == "BP35" {
			_, err = fmt.Sscanf(rest, "%d %d %d %q", &id, &r.Calls, &r.Errors, &r.Text)
		} else {
			_, err = fmt.Sscan(rest, &id, &r.Calls, &r.Part, &r.Whole)
		}
		if err == nil {
			found[id] = r
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		list = append(list, found[id])
	}
	return list
}
