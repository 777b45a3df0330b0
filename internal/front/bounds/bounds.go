// Package bounds refuses sources on which uninterruptible parts of a compilation would not end,
// before these parts see them.
//
// go/types watches no context. Some kilobytes of source can make it build a constant of eight
// gigabytes, look at 2^24 fields of one type, or spell a type whose text is as long. And a
// recursive walk of a syntax tree can overflow the stack, which ends the process. So the loader
// asks this package four times, each time before the work:
//
//   - [Brackets] looks at a file's bytes before they are parsed (nesting.go);
//   - [Check] looks at the syntax of a package before it is type-checked. It resolves names as far
//     as they matter and computes upper bounds, never types: of the sizes of constants
//     (consts.go), of how often type checking will look at parts of declared types (types.go), of
//     the size of the types that type inference will make (exprs.go), and of work that grows as a
//     square (work.go);
//   - [CheckSizes] looks for types that are larger than gc allows (sizes.go);
//   - [Program] looks at the types of a program before go/ssa and lowering work with them: how
//     many instances of generic functions it has (program.go), and how large a value of each type
//     is (intern.go).
//
// [TypeCheck] calls go/types so that its panics and endless loops become errors (typecheck.go,
// cycles.go).
//
// A source over a limit gets an [api.CompileLimitError]. Bounds are generous where they cannot be
// exact, and counts saturate at [budget.Huge]: the time of this package itself is proportional to
// the source.
package bounds

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/budget"
)

// A Package is the input of Check.
type Package struct {
	Files    []*ast.File
	Import   func(path string) *types.Package // the package with an import path, or nil
	Position func(token.Pos) token.Position
	Limits   *api.Limits
	Stop     func() error // called for each declaration, and within large ones; may be nil
}

// Check refuses a package that is over a limit. The error is then a *api.CompileLimitError.
func Check(p *Package) (err error) {
	c := &checker{Package: p, pkg: newScope(nil), fields: map[string]form{}, methods: map[string]form{},
		imported: map[types.Type]form{}, lengths: map[ast.Expr]bool{}}
	defer end(&err)
	for _, f := range p.Files {
		c.depth(f)
	}
	for _, f := range p.Files {
		c.declareFile(f)
	}
	c.collectMembers()
	for _, d := range c.decls {
		c.proceed()
		c.decl(d)
	}
	c.work()
	return nil
}

// ended is the panic value with which the checker unwinds.
type ended struct{ err error }

// Functions that may be unwound defer end, which sets err to the reason.
func end(err *error) {
	switch r := recover().(type) {
	case nil:
	case ended:
		*err = r.err
	default:
		panic(r)
	}
}

type checker struct {
	*Package
	pkg   *scope
	decls []fileDecl

	// By name, over all types of the package: the largest type of a field, and the largest results
	// of a method, as a function of the size of the type that they are selected from.
	fields, methods map[string]form
	element         form // the largest type of an element of a generic type
	imported        map[types.Type]form
	lengths         map[ast.Expr]bool // array lengths that were visited

	expansion, constBytes, constWork int64
	chain                            int64 // of declarations, see follow
	steps                            steps
}

type fileDecl struct {
	ast.Decl
	scope   *scope
	objects []*object // declared by it
}

func (c *checker) proceed() { proceed(c.Stop) }

// proceed ends the check if it must stop.
func proceed(stop func() error) {
	if stop != nil {
		if err := stop(); err != nil {
			panic(ended{err})
		}
	}
}

// looksAt is the number of syntax nodes between two calls of proceed.
const looksAt = 4096

// atMost ends the check if n is more than a limit.
func (c *checker) atMost(limit string, max, n int64, at token.Pos, what string, args ...any) {
	if n > max {
		panic(ended{tooMany(limit, max, fmt.Sprintf(what, args...), c.Position(at))})
	}
}

// tooMany returns the error that the source at a position exceeds a limit.
func tooMany(limit string, max int64, what string, p token.Position) *api.CompileLimitError {
	return &api.CompileLimitError{Limit: limit, Max: max, What: what, Column: p.Column,
		Position: api.Position{File: p.Filename, Line: p.Line}}
}

// The names in a declaration nest it, too: go/types goes from the use of a name to its declaration,
// and from there to the next.
const chainLevels = 8 // for one level of nesting

// follow notes that the check visits the declaration of a name because another one needs it.
func (c *checker) follow(at token.Pos) (done func()) {
	c.chain++
	c.atMost("Nesting", budget.Mul(c.Limits.Nesting, chainLevels), c.chain, at,
		"a chain of declarations that depend on one another")
	return func() { c.chain-- }
}

// count formats a number that may have been too large to count.
func count(n int64) string {
	if n >= budget.Huge {
		return "more than 2^60"
	}
	return strconv.FormatInt(n, 10)
}

// A scope holds the objects of a package, a file or a block.
type scope struct {
	up    *scope
	names map[string]*object
}

func newScope(up *scope) *scope { return &scope{up: up} }

func (s *scope) declare(name string, o *object) {
	if s.names == nil {
		s.names = map[string]*object{}
	}
	if name != "_" {
		s.names[name] = o
	}
}

// lookup returns the object of a name, or nil if the name is predeclared or unknown.
func (s *scope) lookup(name string) *object {
	for ; s != nil; s = s.up {
		if o := s.names[name]; o != nil {
			return o
		}
	}
	return nil
}

// An object is the meaning of a name.
type object struct {
	name  string
	scope *scope // the scope of its declaration

	imported *types.Package
	constant *constant
	named    *named
	fn       *ast.FuncType
	params   []string // type parameters of fn
	variable *variable
	param    int // number of a type parameter, from 1
}

// The size of a variable's type is that of a type expression or of a value.
type variable struct {
	typ, value ast.Expr
	size       int64 // 0: not known yet
	busy, read bool  // read: its value was visited
}

// declareFile declares the top-level objects of a file.
func (c *checker) declareFile(f *ast.File) {
	file := newScope(c.pkg)
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		p := c.Import(path)
		if p == nil {
			continue
		}
		name := p.Name()
		if spec.Name != nil {
			name = spec.Name.Name
		}
		file.declare(name, &object{imported: p})
	}
	for _, d := range f.Decls {
		x := fileDecl{Decl: d, scope: file}
		switch d := d.(type) {
		case *ast.GenDecl:
			x.objects = c.objects(d, file)
			for _, o := range x.objects {
				c.pkg.declare(o.name, o)
			}
		case *ast.FuncDecl:
			if d.Recv == nil {
				c.pkg.declare(d.Name.Name, &object{scope: file, fn: d.Type, params: paramNames(d.Type.TypeParams)})
			}
		}
		c.decls = append(c.decls, x)
	}
}

// objects makes the constants, types and variables of a declaration in a scope.
func (c *checker) objects(d *ast.GenDecl, sc *scope) (list []*object) {
	switch d.Tok {
	case token.CONST:
		for _, k := range c.constants(d) {
			list = append(list, &object{name: k.name.Name, scope: sc, constant: k})
		}
	case token.TYPE:
		for _, s := range d.Specs {
			s := s.(*ast.TypeSpec)
			list = append(list, &object{name: s.Name.Name, scope: sc, named: &named{spec: s}})
		}
	case token.VAR:
		for _, s := range d.Specs {
			list = append(list, variables(s.(*ast.ValueSpec), sc)...)
		}
	}
	return list
}

// variables makes the variables of a specification. The variables of one value share its bounds.
func variables(s *ast.ValueSpec, sc *scope) (list []*object) {
	v := &variable{typ: s.Type}
	for i, name := range s.Names {
		switch {
		case len(s.Values) == len(s.Names):
			v = &variable{typ: s.Type, value: s.Values[i]}
		case len(s.Values) > 0:
			v.value = s.Values[0]
		}
		list = append(list, &object{name: name.Name, scope: sc, variable: v})
	}
	return list
}

func paramNames(list *ast.FieldList) (names []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}
