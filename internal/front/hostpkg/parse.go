package hostpkg

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/front/bounds"
)

// A Package is a declaration that was read.
type Package struct {
	Path   string
	Name   string   // of the package clause
	Source string   // the text
	Funcs  []*Func  // without bodies, in the order of the text
	Errors []string // package-level variables of type error without a value: sentinels, in the order of the text

	file     *ast.File
	fset     *token.FileSet
	pkg      *types.Package
	sentinel map[string]token.Pos // where the value of a sentinel goes
	timeName string               // how the text calls package time
}

// A Func is a function or method that the host supplies.
type Func struct {
	Name    string // "Get", or "Conn.Query" for a method
	Doc     string
	Params  []Param // a method's receiver is the first
	Results []types.Type
	Fails   bool // the last result has type error; it is not in Results

	decl     *ast.FuncDecl
	variadic bool
}

// A Param is a parameter of a function.
type Param struct {
	Name string
	Type types.Type // of a variadic parameter: the slice
}

// An Error says what is wrong with a declaration.
type Error struct {
	Path string // the import path
	Msg  string // with its place in the text, LINE:COLUMN: ..., if it has one
}

func (e *Error) Error() string { return fmt.Sprintf("host package %s: %s", e.Path, e.Msg) }

// Parse reads a declaration and checks it.
func Parse(path, source string) (*Package, error) {
	p := &Package{Path: path, Source: source, fset: token.NewFileSet(), sentinel: map[string]token.Pos{}}
	if err := module.CheckImportPath(path); err != nil {
		return nil, &Error{path, "the path: " + strings.TrimPrefix(err.Error(), fmt.Sprintf("malformed import path %q: ", path))}
	}
	var err error
	if p.file, err = parser.ParseFile(p.fset, "", source, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, &Error{path, strings.TrimPrefix(err.Error(), ":")}
	}
	p.Name = p.file.Name.Name
	if p.Name == "main" {
		return nil, &Error{path, "package main cannot be imported"}
	}
	for _, s := range p.file.Imports {
		if s.Path.Value != `"time"` {
			return nil, p.errorf(s.Pos(), "a declaration can import package time alone, not %s", s.Path.Value)
		}
		p.timeName = "time"
		if s.Name != nil {
			p.timeName = s.Name.Name
		}
		if p.timeName == "." || p.timeName == "_" {
			return nil, p.errorf(s.Pos(), "package time needs a name")
		}
	}
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	var first error
	conf := types.Config{Importer: timeImporter{}, Error: func(err error) {
		if first == nil {
			first = err
		}
	}}
	p.pkg, err = bounds.TypeCheck(&conf, path, p.fset, []*ast.File{p.file}, info)
	if err = cmp.Or(first, err); err != nil {
		if te := (types.Error{}); errors.As(err, &te) {
			return nil, p.errorf(te.Pos, "%s", te.Msg)
		}
		return nil, &Error{path, err.Error()}
	}
	return p, p.declarations(info)
}

func (p *Package) errorf(pos token.Pos, format string, args ...any) error {
	at := p.fset.Position(pos)
	return &Error{p.Path, fmt.Sprintf("%d:%d: ", at.Line, at.Column) + fmt.Sprintf(format, args...)}
}

// declarations finds the functions and sentinels.
func (p *Package) declarations(info *types.Info) error {
	for _, d := range p.file.Decls {
		var err error
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				err = p.function(d, info.Defs[d.Name].(*types.Func))
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				err = p.variables(d, info)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Package) variables(d *ast.GenDecl, info *types.Info) error {
	for _, s := range d.Specs {
		v := s.(*ast.ValueSpec)
		if len(v.Values) > 0 {
			continue
		}
		for _, n := range v.Names {
			if len(v.Names) > 1 || !types.Identical(info.Defs[n].Type(), types.Universe.Lookup("error").Type()) {
				return p.errorf(n.Pos(), "variable %s: a declaration has no variables but errors, each in a line of its own (var ErrNotFound error)", n.Name)
			}
			p.Errors = append(p.Errors, n.Name)
			p.sentinel[n.Name] = v.End()
		}
	}
	return nil
}

func (p *Package) function(d *ast.FuncDecl, obj *types.Func) error {
	sig := obj.Signature()
	f := &Func{Name: d.Name.Name, Doc: d.Doc.Text(), decl: d, variadic: sig.Variadic()}
	if d.Name.Name == "init" || d.Name.Name == "_" {
		return p.errorf(d.Name.Pos(), "func %s must have a body", d.Name.Name)
	}
	if sig.TypeParams().Len() > 0 || sig.RecvTypeParams().Len() > 0 {
		return p.errorf(d.Name.Pos(), "func %s is generic: the host's functions are not", d.Name.Name)
	}
	if r := sig.Recv(); r != nil {
		t := r.Type()
		if ptr, ok := t.(*types.Pointer); ok {
			t = ptr.Elem()
		}
		f.Name = t.(*types.Named).Obj().Name() + "." + f.Name
		f.Params = append(f.Params, Param{r.Name(), r.Type()})
	}
	for v := range sig.Params().Variables() {
		f.Params = append(f.Params, Param{v.Name(), v.Type()})
	}
	for i := range f.Params {
		if n := f.Params[i].Name; n == "" || n == "_" {
			f.Params[i].Name = fmt.Sprintf("gyr_p%d", i)
		}
	}
	for v := range sig.Results().Variables() {
		f.Results = append(f.Results, v.Type())
	}
	if n := len(f.Results); n > 0 && types.Identical(f.Results[n-1], errorType) {
		f.Fails, f.Results = true, f.Results[:n-1]
	}
	p.Funcs = append(p.Funcs, f)
	return nil
}

var errorType = types.Universe.Lookup("error").Type()

// Func returns the function with a name, or nil.
func (p *Package) Func(name string) *Func {
	if i := slices.IndexFunc(p.Funcs, func(f *Func) bool { return f.Name == name }); i >= 0 {
		return p.Funcs[i]
	}
	return nil
}

// TypeString returns a type as it is written in the declaration.
func (p *Package) TypeString(t types.Type) string {
	return types.TypeString(t, func(q *types.Package) string {
		if q == p.pkg {
			return ""
		}
		return p.timeName
	})
}

// Signature returns a function's parameters and results as Go source.
func (p *Package) Signature(f *Func) string {
	var params []string
	for i, a := range f.Params {
		t := p.TypeString(a.Type)
		if f.variadic && i == len(f.Params)-1 {
			t = "..." + strings.TrimPrefix(t, "[]")
		}
		params = append(params, t)
	}
	var results []string
	for _, r := range f.Results {
		results = append(results, p.TypeString(r))
	}
	if f.Fails {
		results = append(results, "error")
	}
	s := "func(" + strings.Join(params, ", ") + ")"
	switch len(results) {
	case 0:
		return s
	case 1:
		return s + " " + results[0]
	}
	return s + " (" + strings.Join(results, ", ") + ")"
}

// offset returns a position's offset in the text.
func (p *Package) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }
