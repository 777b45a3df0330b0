package srcfuzz

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"sync"

	"golang.org/x/tools/go/ast/astutil"
)

// A Checker is the oracle: go/types with the loader's settings.
type Checker struct {
	mu  sync.Mutex
	imp types.Importer
}

// NewChecker returns a checker that reads the standard library's sources.
func NewChecker() *Checker {
	return &Checker{imp: importer.ForCompiler(token.NewFileSet(), "source", nil)}
}

// A program is a checked file.
type program struct {
	fset *token.FileSet
	file *ast.File
	pkg  *types.Package
	info *types.Info
}

// check parses and checks a file.
func (c *Checker) check(src []byte) (*program, error) {
	p := &program{fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
	}}
	var err error
	if p.file, err = parser.ParseFile(p.fset, "main.go", src, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	cfg := types.Config{Importer: c.imp, Sizes: types.SizesFor("gc", "wasm"), GoVersion: "go1.26"}
	p.pkg, err = cfg.Check("main", p.fset, []*ast.File{p.file}, p.info)
	return p, err
}

// Check returns the error of go/types for a program of one file.
func (c *Checker) Check(src []byte) error {
	_, err := c.check(src)
	return err
}

// A mutator changes one program.
type mutator struct {
	*program
	r     *rand.Rand
	donor *ast.File
	exprs map[string][]string // sources of expressions by type
}

// Mutate returns src with up to changes changes, some with declarations from donor. It returns nil
// if src has nothing to change or is no program.
func (c *Checker) Mutate(r *rand.Rand, src, donor []byte, changes int) []byte {
	p, err := c.check(src)
	if err != nil {
		return nil
	}
	m := &mutator{program: p, r: r, exprs: map[string][]string{}}
	if m.donor, err = parser.ParseFile(token.NewFileSet(), "donor.go", donor, parser.SkipObjectResolution); err != nil {
		m.donor = nil
	}
	ast.Inspect(p.file, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if t := m.typeOf(e); t != "" {
				m.exprs[t] = append(m.exprs[t], string(src[p.fset.Position(e.Pos()).Offset:p.fset.Position(e.End()).Offset]))
			}
		}
		return true
	})
	// Comments would be printed in the middle of new code; some of them are directives.
	p.file.Comments = nil
	for range 1 + r.IntN(changes) {
		m.change()
	}
	m.file.Decls = append(m.file.Decls, helpers()...)
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), p.file); err != nil {
		return nil
	}
	return b.Bytes()
}

// helpers returns the declarations that wraps refer to.
func helpers() []ast.Decl {
	f, err := parser.ParseFile(token.NewFileSet(), "", `package main
func fuzzID[T any](x T) T { return x }
type fuzzBox[T any] struct{ x T }
func (b fuzzBox[T]) get() T { return b.x }
func (b *fuzzBox[T]) ptr() *T { return &b.x }
func fuzzSeq(yield func() bool) { yield() }
`, parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	return f.Decls
}

// typeOf returns the type of an expression as the file can write it, or "".
func (m *mutator) typeOf(e ast.Expr) string {
	tv, ok := m.info.Types[e]
	if !ok || !tv.IsValue() || tv.Type == nil {
		return ""
	}
	if b, ok := tv.Type.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		if b.Kind() == types.UntypedNil {
			return ""
		}
		tv.Type = types.Default(b)
	}
	if _, ok := tv.Type.(*types.Tuple); ok {
		return ""
	}
	return types.TypeString(tv.Type, func(p *types.Package) string {
		if p == m.pkg {
			return ""
		}
		return p.Name()
	})
}

// A kind is a kind of change: the places where it fits, and the change.
type kind struct {
	fits func(m *mutator, c *astutil.Cursor) bool
	make func(m *mutator, c *astutil.Cursor)
}

// change makes one change at a place drawn from all that fit.
func (m *mutator) change() {
	k := m.r.IntN(len(kinds) + 1)
	if k == len(kinds) {
		m.splice()
		return
	}
	n := 0
	astutil.Apply(m.file, func(c *astutil.Cursor) bool {
		if kinds[k].fits(m, c) {
			n++
		}
		return true
	}, nil)
	if n == 0 {
		return
	}
	at := m.r.IntN(n)
	astutil.Apply(m.file, func(c *astutil.Cursor) bool {
		if at >= 0 && kinds[k].fits(m, c) {
			if at--; at < 0 {
				kinds[k].make(m, c)
			}
		}
		return at >= 0
	}, nil)
}

// splice adds a declaration of the donor.
func (m *mutator) splice() {
	if m.donor == nil || len(m.donor.Decls) == 0 {
		return
	}
	d := m.donor.Decls[m.r.IntN(len(m.donor.Decls))]
	if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
		return
	}
	if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && (f.Name.Name == "main" || f.Body == nil) {
		f.Name = ast.NewIdent(fmt.Sprintf("fuzzMain%d", m.r.IntN(1000)))
	}
	m.file.Decls = append(m.file.Decls, d)
}
