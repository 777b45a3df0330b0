package benchvet

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/bounds"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// Files checks the files of the package with an import path. Hints are by the benchmark's key.
func Files(importPath string, names []string) (list []record.Static, hints map[string][]record.Hint) {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if f, _ := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution); f != nil {
			files = append(files, f)
		}
	}
	return Check(importPath, fset, files)
}

// Check checks files. They may have several package clauses: external tests are a package of their
// own. Findings are in source order. Bench is the key of the benchmark that a finding is about. A
// finding in a helper is reported for each benchmark that calls it, and without Bench if none does.
func Check(importPath string, fset *token.FileSet, files []*ast.File) (list []record.Static, hints map[string][]record.Hint) {
	hints = map[string][]record.Hint{}
	byName := map[string][]*ast.File{}
	for _, f := range files {
		byName[f.Name.Name] = append(byName[f.Name.Name], f)
	}
	for _, files := range byName {
		c := newChecker(importPath, fset, files, unknown{})
		c.run()
		list = append(list, c.list...)
		maps.Copy(hints, c.hints)
	}
	slices.SortStableFunc(list, func(a, b record.Static) int {
		return cmp.Or(comparePlaces(a.Place, b.Place), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(list), hints
}

// comparePlaces orders places by file, then line.
func comparePlaces(a, b string) int {
	fa, la := cutLast(a)
	fb, lb := cutLast(b)
	return cmp.Or(cmp.Compare(fa, fb), len(la)-len(lb), cmp.Compare(la, lb))
}

func cutLast(s string) (before, after string) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i+1:]
}

// A checker checks the files of one package clause.
type checker struct {
	path  string
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
	funcs map[types.Object]*ast.FuncDecl
	pure  map[*ast.FuncDecl]purity
	list  []record.Static
	hints map[string][]record.Hint
	trial *trialEdits // nil: the sources are checked; else prepared for a trial

	testing string   // the name of package testing in the current file
	benches []string // keys of the benchmarks that the current code belongs to
	ignore  []string
}

func newChecker(importPath string, fset *token.FileSet, files []*ast.File, imp types.Importer) *checker {
	c := &checker{path: importPath, fset: fset, files: files, funcs: map[types.Object]*ast.FuncDecl{}, hints: map[string][]record.Hint{}, pure: map[*ast.FuncDecl]purity{},
		info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}}
	conf := types.Config{Importer: imp, Error: func(error) {}, FakeImportC: true, DisableUnusedImportCheck: true}
	bounds.TypeCheck(&conf, importPath, fset, files, c.info)
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				if obj := c.info.Defs[d.Name]; obj != nil {
					c.funcs[obj] = d
				}
			}
		}
	}
	return c
}

// unknown is an importer that knows only the paths of packages.
type unknown struct{}

func (unknown) Import(p string) (*types.Package, error) {
	pkg := types.NewPackage(p, path.Base(p))
	pkg.MarkComplete()
	return pkg, nil
}

// run checks all functions that have a *testing.B.
func (c *checker) run() {
	of := c.callers()
	for _, f := range c.files {
		c.testing = proof.Testing(f)
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil {
				continue
			}
			c.benches, c.ignore = of[d], ignored(d.Doc)
			if proof.IsBenchmark(d, c.testing) {
				c.benches = []string{c.key(d)}
			}
			c.function(d, d.Type, d.Body, d.Name.Pos(), nil)
		}
	}
}

// key is the key of a benchmark in a record.
func (c *checker) key(d *ast.FuncDecl) string {
	return c.path + "." + strings.TrimPrefix(d.Name.Name, "Benchmark")
}

// callers finds for each function the benchmarks that reach it, by names alone.
func (c *checker) callers() map[*ast.FuncDecl][]string {
	of := map[*ast.FuncDecl][]string{}
	for _, f := range c.files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil && proof.IsBenchmark(d, proof.Testing(f)) {
				key, seen := c.key(d), map[*ast.FuncDecl]bool{}
				var reach func(d *ast.FuncDecl)
				reach = func(d *ast.FuncDecl) {
					seen[d] = true
					of[d] = append(of[d], key)
					ast.Inspect(d.Body, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							if g := c.funcs[c.info.Uses[id]]; g != nil && !seen[g] {
								reach(g)
							}
						}
						return true
					})
				}
				reach(d)
			}
		}
	}
	return of
}

// ignored are the codes that the comment before a function silences.
func ignored(doc *ast.CommentGroup) (codes []string) {
	if doc == nil {
		return nil
	}
	for _, line := range doc.List {
		if rest, ok := strings.CutPrefix(line.Text, "//gyr:ignore "); ok {
			if words := strings.Fields(rest); len(words) > 0 {
				codes = append(codes, strings.Split(words[0], ",")...)
			}
		} else if rest, ok := strings.CutPrefix(line.Text, "//gyr:bench "); ok {
			for _, word := range strings.Fields(rest) {
				if list, ok := strings.CutPrefix(word, "ignore="); ok {
					codes = append(codes, strings.Split(list, ",")...)
				}
			}
		}
	}
	return codes
}

// place names a position's file and line.
func (c *checker) place(at token.Pos) string {
	p := c.fset.Position(at)
	return fmt.Sprintf("%s:%d", filepath.Clean(p.Filename), p.Line)
}

// hint notes what a diagnosis that figures make needs of the source, unless the source says to
// ignore its code.
func (c *checker) hint(code, kind string, at token.Pos) {
	h := record.Hint{Kind: kind, Place: c.place(at)}
	for _, key := range c.benches {
		if !slices.Contains(c.ignore, code) && !slices.Contains(c.hints[key], h) {
			c.hints[key] = append(c.hints[key], h)
		}
	}
}

// report notes a finding, unless the source says to ignore it.
func (c *checker) report(code string, at token.Pos, format string, args ...any) {
	if slices.Contains(c.ignore, code) {
		return
	}
	x := record.Static{Code: code, Place: c.place(at), Text: fmt.Sprintf(format, args...)}
	if len(c.benches) == 0 {
		c.list = append(c.list, x)
	}
	for _, key := range c.benches {
		x.Bench = key
		c.list = append(c.list, x)
	}
}
