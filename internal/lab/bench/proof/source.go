package proof

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/hostfile"
)

// A Benchmark is a benchmark function with the loops that it measures. JSON carries it to another
// process.
type Benchmark struct {
	Func  string // "BenchmarkSum"
	File  string
	Line  int
	Loops []*Loop // in source order; empty: unknown

	// Files are the files of its package. Operations that their functions lose before they are
	// inlined are reported too.
	Files []string
}

// A Loop is a measured loop in the source. Its lines are those of the whole statement.
type Loop struct {
	File        string
	First, Last int
	Sub         string // names of the Run calls around the loop, joined by slashes; "*": not constant

	// RunFirst and RunLast are set for a loop in a function that the benchmark calls within a
	// function passed to Run. They are the lines of the passed function; 0: no such call.
	RunFirst, RunLast int

	// Func is set for a loop that the compiler makes. It is the name of the function that consists
	// of the loop, and the lines are those of its declaration. The function that the loop calls is
	// its body.
	Func string

	Allocs []int // lines of the body that allocate themselves: make, new, literals whose address is taken
}

// Parse finds the benchmarks among the functions of a package, whose files are given by name.
// replace maps files to their contents' places, as load.Settings does. Files that do not parse have
// no benchmarks; the compiler reports their errors.
func Parse(files []string, replace map[string]string) []*Benchmark {
	fset := token.NewFileSet()
	var list []*ast.File
	for _, name := range files {
		src, err := hostfile.Read(cmp.Or(replace[name], name), maxSource)
		if err != nil {
			continue
		}
		if f, _ := parser.ParseFile(fset, name, src, parser.SkipObjectResolution|parser.ParseComments); f != nil {
			list = append(list, f)
		}
	}
	return Benchmarks(fset, list)
}

// maxSource is the size of the largest file that is read.
const maxSource = 1 << 24

// Benchmarks finds the benchmarks among the functions of a package.
func Benchmarks(fset *token.FileSet, files []*ast.File) []*Benchmark {
	s := &source{fset: fset, funcs: map[string][]*ast.FuncDecl{}, found: map[*ast.FuncDecl][]*Loop{}, made: map[string]*Loop{},
		testing: map[*ast.FuncDecl]string{}}
	var names []string
	for _, f := range files {
		testing := Testing(f)
		names = append(names, filepath.Clean(fset.Position(f.Package).Filename))
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			switch {
			case !ok:
			case d.Body != nil:
				s.funcs[d.Name.Name] = append(s.funcs[d.Name.Name], d)
				s.testing[d] = testing
			case d.Recv == nil && isMeasuredLoop(d.Doc):
				at := fset.Position(d.Pos())
				s.made[d.Name.Name] = &Loop{File: filepath.Clean(at.Filename), First: at.Line, Last: fset.Position(d.End()).Line, Func: d.Name.Name}
			}
		}
	}
	var list []*Benchmark
	for _, f := range files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if !ok || d.Body == nil || !IsBenchmark(d, s.testing[d]) {
				continue
			}
			at := fset.Position(d.Pos())
			b := &Benchmark{Func: d.Name.Name, File: at.Filename, Line: at.Line, Files: names}
			s.reach(d, run{}, map[string]bool{}, &b.Loops)
			if slices.ContainsFunc(b.Loops, func(l *Loop) bool { return l.Func != "" }) {
				// Code that calls such a loop for some iterations at a time is a loop over b.N, but
				// not the measured one.
				b.Loops = slices.DeleteFunc(b.Loops, func(l *Loop) bool { return l.Func == "" })
			}
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b *Benchmark) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	return list
}

// Testing is the name under which a file imports the testing package, empty if it does not import
// it.
func Testing(f *ast.File) string {
	for _, im := range f.Imports {
		if im.Path.Value == `"testing"` {
			if im.Name != nil {
				return im.Name.Name
			}
			return "testing"
		}
	}
	return ""
}

// IsBenchmark reports whether the testing package runs a function as a benchmark. testing is that
// package's name in the file.
func IsBenchmark(d *ast.FuncDecl, testing string) bool {
	rest, ok := strings.CutPrefix(d.Name.Name, "Benchmark")
	if !ok || d.Recv != nil || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
		return false
	}
	p := d.Type.Params.List
	return len(p) == 1 && len(p[0].Names) <= 1 && Harness(p[0].Type, testing) == "B"
}

// Harness returns B or PB if an expression is the type *testing.B or *testing.PB, and TB if it is
// testing.TB. testing is that package's name in the file.
func Harness(t ast.Expr, testing string) string {
	star, pointer := t.(*ast.StarExpr)
	if pointer {
		t = star.X
	}
	sel, ok := t.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); !ok || x.Name != testing {
		return ""
	}
	switch name := sel.Sel.Name; {
	case pointer && (name == "B" || name == "PB"), !pointer && name == "TB":
		return name
	}
	return ""
}

// isMeasuredLoop reports whether the compiler makes a function's body: a loop over the function
// that the directive before it names.
func isMeasuredLoop(doc *ast.CommentGroup) bool {
	return doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//gyr:loop ") })
}

type source struct {
	fset  *token.FileSet
	funcs map[string][]*ast.FuncDecl
	found map[*ast.FuncDecl][]*Loop
	made  map[string]*Loop // made by the compiler, by the names of their functions

	testing map[*ast.FuncDecl]string // the name of package testing in the file of a function
}

// A run is the function passed to Run around a call of a function.
type run struct {
	names       []string
	first, last int
}

// reach adds the measured loops of a function and of the functions that it mentions.
func (s *source) reach(d *ast.FuncDecl, in run, seen map[string]bool, list *[]*Loop) {
	key := fmt.Sprint(d.Pos(), in)
	if seen[key] || len(in.names) > maxRuns || len(seen) > maxReached {
		return
	}
	seen[key] = true
	loops, ok := s.found[d]
	if !ok {
		w := &loopFinder{source: s, name: s.testing[d]}
		w.node(d)
		loops, s.found[d] = w.loops, w.loops
	}
	add := func(l *Loop, in run) {
		c := *l
		names := slices.Clone(in.names)
		if l.Sub != "" {
			names = append(names, l.Sub)
		}
		c.Sub, c.RunFirst, c.RunLast = strings.Join(names, "/"), in.first, in.last
		*list = append(*list, &c)
	}
	for _, l := range loops {
		add(l, in)
	}
	var walk func(n ast.Node, in run)
	walk = func(n ast.Node, in run) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" && len(n.Args) == 2 {
					walk(n.Args[0], in)
					walk(n.Args[1], run{append(slices.Clone(in.names), literal(n.Args[0])), s.fset.Position(n.Args[1].Pos()).Line,
						s.fset.Position(n.Args[1].End()).Line})
					return false
				}
			case *ast.Ident:
				if l := s.made[n.Name]; l != nil {
					add(l, in)
				}
				for _, g := range s.funcs[n.Name] {
					if mentionsHarness(g, s.testing[g]) {
						s.reach(g, in, seen, list)
					}
				}
			}
			return true
		})
	}
	walk(d.Body, in)
}

// Limits on how deeply sub-benchmarks nest, and on how many functions with loops a benchmark calls.
const (
	maxRuns    = 8
	maxReached = 1000
)

// A place tells loops of the source apart: several benchmarks may measure one loop.
type place struct {
	file        string
	first, last int
	fn          string
}

func (l *Loop) place() place { return place{l.File, l.First, l.Last, l.Func} }

// mentionsHarness reports whether a function, or a literal in it, has a *testing.B as a parameter.
// A benchmark that another one calls by name counts for both.
func mentionsHarness(d *ast.FuncDecl, testing string) (yes bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if t, ok := n.(*ast.FuncType); ok && t.Params != nil {
			for _, p := range t.Params.List {
				if h := Harness(p.Type, testing); h == "B" || h == "PB" {
					yes = true
				}
			}
		}
		return !yes
	})
	return yes
}

// A loopFinder walks over one function.
type loopFinder struct {
	*source
	name   string // of package testing
	loops  []*Loop
	names  []map[string]bool // of parameters of type *testing.B and *testing.PB, for each enclosing function
	counts map[string]bool   // variables that were set from b.N
	sub    []string
	first  int // loops before this one are not of the innermost function
}

func (w *loopFinder) node(d *ast.FuncDecl) {
	w.counts = map[string]bool{}
	w.enter(d.Type)
	ast.Walk(w, d.Body)
	w.names = w.names[:len(w.names)-1]
}

func (w *loopFinder) enter(t *ast.FuncType) {
	m := map[string]bool{}
	if t.Params != nil {
		for _, p := range t.Params.List {
			h := Harness(p.Type, w.name)
			for _, id := range p.Names {
				m[id.Name] = h == "B" || h == "PB"
			}
		}
	}
	w.names = append(w.names, m)
}

// harness reports whether a name denotes a *testing.B or *testing.PB.
func (w *loopFinder) harness(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	for _, m := range slices.Backward(w.names) {
		if is, ok := m[id.Name]; ok {
			return is
		}
	}
	return false
}

// Visit implements ast.Visitor.
func (w *loopFinder) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncLit:
		first := w.first
		w.first = len(w.loops)
		w.enter(n.Type)
		ast.Walk(w, n.Body)
		w.names, w.first = w.names[:len(w.names)-1], first
		return nil
	case *ast.CallExpr:
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" && w.harness(sel.X) && len(n.Args) == 2 {
			ast.Walk(w, n.Args[0])
			w.sub = append(w.sub, literal(n.Args[0]))
			ast.Walk(w, n.Args[1])
			w.sub = w.sub[:len(w.sub)-1]
			return nil
		} else if ok && (sel.Sel.Name == "ResetTimer" || sel.Sel.Name == "StartTimer") && w.harness(sel.X) {
			w.loops = w.loops[:w.first] // earlier loops were not timed
		}
	case *ast.AssignStmt:
		for i, x := range n.Lhs {
			if id, ok := x.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && w.counted(n.Rhs[i]) {
				w.counts[id.Name] = true
			}
		}
	case *ast.ForStmt:
		if w.counted(n.Init, n.Cond, n.Post) || n.Cond != nil && w.asks(n.Cond) {
			w.add(n, n.Body)
			return nil
		}
	case *ast.RangeStmt:
		if w.counted(n.X) {
			w.add(n, n.Body)
			return nil
		}
	}
	return w
}

// counted reports whether nodes mention the number of iterations.
func (w *loopFinder) counted(nodes ...ast.Node) (yes bool) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				yes = yes || n.Sel.Name == "N" && w.harness(n.X)
			case *ast.Ident:
				yes = yes || w.counts[n.Name]
			case *ast.FuncLit:
				return false
			case *ast.CallExpr:
				id, ok := n.Fun.(*ast.Ident)
				// A conversion. An object made with this many elements is not a number.
				return ok && strings.Contains(id.Name, "int")
			}
			return !yes
		})
	}
	return yes
}

// asks reports whether an expression calls Loop or Next.
func (w *loopFinder) asks(x ast.Expr) (yes bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 0 {
			sel, ok := call.Fun.(*ast.SelectorExpr)
			yes = yes || ok && (sel.Sel.Name == "Loop" || sel.Sel.Name == "Next") && w.harness(sel.X)
		}
		return !yes
	})
	return yes
}

func (w *loopFinder) add(n ast.Node, body *ast.BlockStmt) {
	first, last := w.fset.Position(n.Pos()), w.fset.Position(n.End())
	l := &Loop{File: filepath.Clean(first.Filename), First: first.Line, Last: last.Line, Sub: strings.Join(w.sub, "/")}
	ast.Inspect(body, func(n ast.Node) bool {
		alloc := false
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			id, ok := n.Fun.(*ast.Ident)
			alloc = ok && (id.Name == "make" || id.Name == "new")
		case *ast.UnaryExpr:
			_, lit := n.X.(*ast.CompositeLit)
			alloc = n.Op == token.AND && lit
		case *ast.CompositeLit:
			switch t := n.Type.(type) {
			case *ast.ArrayType:
				alloc = t.Len == nil
			case *ast.MapType:
				alloc = true
			}
		}
		if alloc {
			l.Allocs = append(l.Allocs, w.fset.Position(n.Pos()).Line)
		}
		return true
	})
	w.loops = append(w.loops, l)
}

// literal is the name of a sub-benchmark as the testing package rewrites it, "*" if it is not
// constant.
func literal(x ast.Expr) string {
	if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if s, err := strconv.Unquote(lit.Value); err == nil {
			return strings.ReplaceAll(s, " ", "_")
		}
	}
	return "*"
}
