package hostile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestVariables finds the package-level variables of the module that code other than initialisation
// may write. It compares them with testdata/variables.txt, which says why no result can depend on
// them (DESIGN, invariant 11).
//
// A write is an assignment to the variable or to a part of it, taking its address, and calling a
// method that takes its address, in any function but init. The test does not see what a function
// does to a map or slice that was passed to it.
func TestVariables(t *testing.T) {
	const allowFile = "testdata/variables.txt"
	allowed, err := readAllowed(allowFile)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	pkgs, err := module(fset)
	if err != nil {
		t.Fatal(err)
	}
	if len(pkgs) < 15 {
		t.Fatalf("only %d packages", len(pkgs))
	}
	written := map[string]string{}
	for _, p := range pkgs {
		w := writes{info: p.info, found: func(v *types.Var, at token.Pos) {
			name := v.Pkg().Path() + "." + v.Name()
			if written[name] == "" {
				written[name] = fset.Position(at).String()
			}
		}}
		for _, f := range p.files {
			w.file(f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if allowed[name] == "" {
			t.Errorf("%s: %s is written after initialisation: do without, or give the reason in %s", written[name], name, allowFile)
		}
	}
	for name := range allowed {
		if written[name] == "" {
			t.Errorf("%s lists %s, which nobody writes", allowFile, name)
		}
	}
}

// A checked is a package of the module without its tests.
type checked struct {
	files []*ast.File
	info  *types.Info
}

// module type-checks the packages of the module. Their imports come from the go command's export
// data.
func module(fset *token.FileSet) ([]checked, error) {
	const path = "github.com/gyrvm/gyr"
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export", path+"/...")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
	}
	var ours []listed
	export := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		export[p.ImportPath] = p.Export
		if p.ImportPath == path || strings.HasPrefix(p.ImportPath, path+"/") {
			ours = append(ours, p)
		}
	}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(export[path])
	})}
	var pkgs []checked
	for _, p := range ours {
		c := checked{info: &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		}}
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			c.files = append(c.files, f)
		}
		if _, err := conf.Check(p.ImportPath, fset, c.files, c.info); err != nil {
			return nil, err
		}
		pkgs = append(pkgs, c)
	}
	return pkgs, nil
}

// readAllowed reads lines "variable reason…".
func readAllowed(file string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	allowed := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") || s.Text() == "" {
			continue
		}
		name, reason, _ := strings.Cut(s.Text(), " ")
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: %s has no reason", file, name)
		}
		allowed[name] = reason
	}
	return allowed, nil
}

// writes finds writes to package-level variables.
type writes struct {
	info  *types.Info
	found func(v *types.Var, at token.Pos)
}

func (w *writes) file(f *ast.File) {
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "init" {
			w.literals(fd.Body)
			continue
		} else if !ok {
			w.literals(d)
			continue
		}
		ast.Inspect(d, w.node)
	}
}

// literals visits the function literals that initialisation makes, except for those that it only
// calls.
func (w *writes) literals(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if lit, ok := n.Fun.(*ast.FuncLit); ok {
				w.literals(lit.Body)
				for _, a := range n.Args {
					w.literals(a)
				}
				return false
			}
		case *ast.FuncLit:
			ast.Inspect(n.Body, w.node)
			return false
		}
		return true
	})
}

func (w *writes) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			w.target(x)
		}
	case *ast.IncDecStmt:
		w.target(n.X)
	case *ast.RangeStmt:
		w.target(n.Key)
		w.target(n.Value)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.target(n.X)
		}
	case *ast.SliceExpr:
		// Slicing an array takes its address.
		if _, ok := w.typeOf(n.X).(*types.Array); ok {
			w.target(n.X)
		}
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 {
			if b, ok := w.info.Uses[id].(*types.Builtin); ok && slices.Contains([]string{"delete", "clear", "copy"}, b.Name()) {
				w.target(n.Args[0])
			}
		}
	case *ast.SelectorExpr:
		// A method with a pointer receiver, on something that is not a pointer.
		if sel := w.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
			recv := sel.Obj().(*types.Func).Signature().Recv().Type()
			_, wants := recv.Underlying().(*types.Pointer)
			_, has := w.typeOf(n.X).(*types.Pointer)
			if wants && !has && !sel.Indirect() {
				w.target(n.X)
			}
		}
	}
	return true
}

func (w *writes) typeOf(x ast.Expr) types.Type {
	if t := w.info.TypeOf(x); t != nil {
		return t.Underlying()
	}
	return nil
}

// target reports the package-level variable of the module that x is a part of. What a pointer
// refers to is not a part; the elements of a map or slice are.
func (w *writes) target(x ast.Expr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		w.target(x.X)
	case *ast.IndexExpr:
		w.target(x.X)
	case *ast.SliceExpr:
		w.target(x.X)
	case *ast.SelectorExpr:
		if v, ok := w.info.Uses[x.Sel].(*types.Var); ok && !v.IsField() {
			w.variable(v, x.Pos())
			return
		}
		if sel := w.info.Selections[x]; sel != nil && !sel.Indirect() {
			w.target(x.X)
		}
	case *ast.Ident:
		if v, ok := w.info.Uses[x].(*types.Var); ok {
			w.variable(v, x.Pos())
		}
	}
}

func (w *writes) variable(v *types.Var, at token.Pos) {
	if p := v.Pkg(); p != nil && v.Parent() == p.Scope() && strings.HasPrefix(p.Path(), "github.com/gyrvm/gyr") {
		w.found(v, at)
	}
}

// TestWritesAreFound: the forms of a write that TestVariables recognises.
func TestWritesAreFound(t *testing.T) {
	const text = `package gyr
import "sync"
type T struct { f int; p *T; a [3]int }
func (t *T) set() {}
func (t T) get() int { return t.f }
var (
	assigned, counted, ranged, element, field, addressed, sliced, deleted, cleared, method, literal, stored int
	m1, m2 map[int]int
	a1, a2 [3]int
	t1, t2, t3, t4 T
	p1 = &T{}
	mu sync.Mutex
	once = func() int { stored = 1; return 1 }()
	later = func() { literal = 1 }
)
func init() { assigned = 1; read(); func() { counted++ }() }
func read() (int, *int, int) { local := t4; local.f = 1; p1.f = 2; p1.set(); p1.p.a[1] = 3; return t4.get(), &p1.f, a2[1] }
`
	const writers = `
func f1() { assigned = 1 }
func f2() { counted++ }
func f3() { for ranged = range 3 {} }
func f4() { m1[1] = 2 }
func f5() { t1.f = 1; t1.a[2] = 1 }
func f6() *int { return &t2.a[1] }
func f7() []int { return a1[:] }
func f8() { delete(m2, 1) }
func f9() { t3.set() }
func g1() { mu.Lock() }
`
	for _, c := range []struct{ text, want string }{
		{text, "literal"},
		{text + writers, "a1 assigned counted literal m1 m2 mu ranged t1 t2 t3"},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "x.go", c.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		conf := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
		if _, err := conf.Check("github.com/gyrvm/gyr", fset, []*ast.File{f}, info); err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		w := writes{info: info, found: func(v *types.Var, _ token.Pos) { found[v.Name()] = true }}
		w.file(f)
		if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != c.want {
			t.Errorf("found %s, want %s", got, c.want)
		}
	}
}
