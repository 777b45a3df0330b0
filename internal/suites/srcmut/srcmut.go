// Package srcmut changes Go programs and crosses them with others, at the level of go/ast. go/types
// decides what is still a program. So tests get shapes that no generator of ours has, from code
// that people wrote.
//
// [Checker.Parse] reads a program of one file. [Checker.Mutant] makes a few changes to it, each of
// which leaves a program that compiles. Constants and operators change, integers go through
// narrower types, statements are removed, duplicated, reordered, or put into a loop, a function or
// a condition. Expressions, statements and functions of a second program replace some of the first
// one's, with its variables. A change replaces a piece of the source by text (edits.go). A change
// that does not compile is discarded, and another is drawn.
//
// [File.Steady] reports programs that print the same on every run, as far as their source shows it.
package srcmut

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A Checker type-checks programs. It remembers the packages that they import, and is for one
// goroutine.
type Checker struct {
	fset *token.FileSet
	conf types.Config
}

// NewChecker returns a checker that knows GOROOT's packages.
func NewChecker() *Checker {
	fset := token.NewFileSet()
	return &Checker{fset, types.Config{Importer: importer.ForCompiler(fset, "source", nil)}}
}

// A File is a program of one file that compiles. It is immutable.
type File struct {
	Name string
	Src  string

	fset *token.FileSet
	file *ast.File
	base int // of positions
	info *types.Info
	pkg  *types.Package

	exprs []ast.Expr   // values of basic types, constants among them
	stmts [][]ast.Stmt // those of each block, without empty ones
}

// Parse reads a program. Its errors are the type checker's.
func (c *Checker) Parse(name, src string) (*File, error) {
	file, err := parser.ParseFile(c.fset, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	f := &File{Name: name, Src: src, fset: c.fset, file: file, base: int(file.FileStart),
		info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Defs: map[*ast.Ident]types.Object{}, Scopes: map[ast.Node]*types.Scope{}}}
	if f.pkg, err = c.conf.Check(file.Name.Name, c.fset, []*ast.File{file}, f.info); err != nil {
		return nil, err
	}
	f.collect()
	return f, nil
}

// collect lists the parts that edits may change.
func (f *File) collect() {
	var skip ast.Node // must stay a constant
	ast.Inspect(f.file, func(n ast.Node) bool {
		if n == nil || skip != nil && n.Pos() >= skip.Pos() && n.End() <= skip.End() {
			return false
		}
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.CONST || n.Tok == token.TYPE || n.Tok == token.IMPORT {
				return false
			}
		case *ast.ArrayType:
			return false
		case *ast.BlockStmt:
			f.block(n.List)
		case *ast.CaseClause:
			f.block(n.Body)
		case *ast.CommClause:
			f.block(n.Body)
		case *ast.KeyValueExpr:
			skip = n.Key
		case ast.Expr:
			tv := f.info.Types[n]
			if b, ok := tv.Type.(*types.Basic); ok && tv.IsValue() && b.Kind() != types.Invalid &&
				b.Kind() != types.UntypedNil && b.Kind() != types.UnsafePointer {
				f.exprs = append(f.exprs, n)
			}
		}
		return true
	})
}

func (f *File) block(list []ast.Stmt) {
	if len(list) > 0 {
		f.stmts = append(f.stmts, list)
	}
}

func (f *File) at(p token.Pos) int     { return int(p) - f.base }
func (f *File) text(n ast.Node) string { return f.Src[f.at(n.Pos()):f.at(n.End())] }

// typeName returns a type as the file writes it, and as another file of package main would; empty
// for types that are declared in a function or a package.
func typeName(t types.Type) string {
	ok := true
	s := types.TypeString(t, func(p *types.Package) string { ok = false; return p.Name() })
	if !ok || strings.Contains(s, "untyped") {
		return ""
	}
	return s
}

// Steady reports whether the program has nothing that makes runs differ: goroutines and select,
// clocks, randomness, the environment, unsafe, and conversions of floats to integers that depend on
// the machine.
func (f *File) Steady() bool {
	for _, imp := range f.file.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		if !slices.Contains(steadyPackages, path) || imp.Name != nil {
			return false
		}
	}
	steady := f.file.Name.Name == "main" && f.pkg.Scope().Lookup("main") != nil
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SelectStmt:
			steady = false
		case *ast.CallExpr:
			if f.info.Types[n.Fun].IsType() && len(n.Args) == 1 && isInteger(f.info.TypeOf(n.Fun)) &&
				f.info.Types[n.Args[0]].Value == nil && isFloat(f.info.TypeOf(n.Args[0])) {
				steady = false
			}
		}
		return steady
	})
	return steady
}

// steadyPackages are packages whose functions do the same on every run.
var steadyPackages = []string{"fmt", "errors", "strings", "strconv", "math", "math/bits", "math/cmplx", "sort",
	"bytes", "unicode", "unicode/utf8", "slices", "maps", "cmp",
	"container/list", "container/heap", "reflect", "os", "io", "bufio", "iter", "encoding/binary", "encoding/hex",
	"hash/crc32", "hash/fnv", "text/tabwriter", "regexp"}

func isInteger(t types.Type) bool { return hasInfo(t, types.IsInteger) }
func isFloat(t types.Type) bool   { return hasInfo(t, types.IsFloat|types.IsComplex) }

func hasInfo(t types.Type, info types.BasicInfo) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// Mutant makes up to n changes to a program, some of which insert parts of other. It returns the
// result and describes the changes. It returns nothing if none of many attempts leaves a program.
func (c *Checker) Mutant(r *rand.Rand, f, other *File, n int) (*File, []string) {
	var done []string
	for range 12 * n {
		if len(done) == n {
			break
		}
		kind := &edits[r.IntN(len(edits))]
		d := &draw{r, f, other}
		e, ok := kind.make(d)
		if !ok {
			continue
		}
		src := f.Src[:e.start] + e.text + f.Src[e.end:] + e.decls
		if e.imports != "" {
			after := f.at(f.file.Name.End())
			src = src[:after] + "; " + e.imports + src[after:]
		}
		next, err := c.Parse(f.Name, src)
		if err != nil {
			continue
		}
		done = append(done, fmt.Sprintf("%s: %.60q becomes %.80q", kind.name, f.Src[e.start:e.end], e.text))
		f = next
	}
	if len(done) == 0 {
		return nil, nil
	}
	return f, done
}

// As returns the program as a package with a name, without build constraints. Its function Main is
// the program's main. The result is empty if something in the program calls main.
func (f *File) As(pkg string) string {
	main := f.pkg.Scope().Lookup("main")
	for _, obj := range f.info.Uses {
		if obj == main {
			return ""
		}
	}
	name, fn := f.file.Name, f.at(main.Pos())
	return f.Src[f.at(f.file.Package):f.at(name.Pos())] + pkg + f.Src[f.at(name.End()):fn] + "Main" +
		f.Src[fn+len("main"):]
}
