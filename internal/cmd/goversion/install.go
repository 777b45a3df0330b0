package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/constant"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// An install is a Go installation as a build for wasip1 sees it.
type install struct {
	dir     string // as the user named it
	fsys    fs.FS
	version string // from VERSION; "devel go1.N" without that file
	minor   int
	ctx     build.Context
	fset    *token.FileSet

	std    []string        // paths of the packages that go list std prints, sorted
	pkgs   map[string]*pkg // parsed packages; nil: no such package
	broken []Finding       // files that do not parse
	facts  map[string]any  // cached results, by kind
}

// A pkg is a package with the files that belong to the build.
type pkg struct {
	path  string
	files []*file
	decls map[string]*decl // functions, methods ("T.name"), types, variables and constants of the package
}

type file struct {
	name string // relative to the installation, or to gyr's module
	src  []byte
	ast  *ast.File
	ours bool // of the overlay or of the answers

	directives []directive
}

// A directive is a line //go:name args.
type directive struct {
	name string
	args []string
	off  int // in the file
}

// A decl is one declared name.
type decl struct {
	in   *install
	pkg  *pkg
	file *file
	name string
	tok  token.Token // FUNC, TYPE, VAR, CONST
	id   *ast.Ident
	fn   *ast.FuncDecl
	spec ast.Spec
}

// openInstall reads an installation's version and its packages.
func openInstall(dir string, fsys fs.FS) (*install, error) {
	in := &install{dir: dir, fsys: fsys, fset: token.NewFileSet(), pkgs: map[string]*pkg{}, facts: map[string]any{}}
	if _, err := fs.Stat(fsys, "src/runtime"); err != nil {
		return nil, fmt.Errorf("%s holds no Go installation: it has no src/runtime", dir)
	}
	var err error
	if in.minor, err = in.minorRelease(); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	in.version = fmt.Sprintf("devel go1.%d", in.minor)
	if data, err := fs.ReadFile(fsys, "VERSION"); err == nil {
		line, _, _ := strings.Cut(string(data), "\n")
		in.version = strings.TrimSpace(line)
	}
	tags, err := in.toolTags()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	in.ctx = build.Context{GOOS: "wasip1", GOARCH: "wasm", Compiler: "gc", BuildTags: []string{"purego", "math_big_pure_go"}, ToolTags: tags,
		OpenFile: func(name string) (io.ReadCloser, error) { return fsys.Open(name) },
		JoinPath: path.Join}
	for i := 1; i <= in.minor; i++ {
		in.ctx.ReleaseTags = append(in.ctx.ReleaseTags, "go1."+strconv.Itoa(i))
	}
	err = fs.WalkDir(fsys, "src", func(name string, d fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			return err
		case !d.IsDir() || name == "src":
			return nil
		case name == "src/cmd" || base == "testdata" || base[0] == '_' || base[0] == '.':
			return fs.SkipDir
		}
		if p := strings.TrimPrefix(name, "src/"); p != "builtin" && in.pkg(p) != nil {
			in.std = append(in.std, p)
		}
		return nil
	})
	slices.Sort(in.std)
	return in, err
}

// minorRelease reads N of go1.N from a place that every tree has, even a checkout without VERSION.
func (in *install) minorRelease() (int, error) {
	p := in.pkg("internal/goversion")
	if p == nil || p.decls["Version"] == nil {
		return 0, errors.New("src/internal/goversion declares no Version")
	}
	return strconv.Atoi(p.decls["Version"].value())
}

// pkg returns the package in a directory below src, or nil if no file there belongs to the build.
func (in *install) pkg(importPath string) *pkg {
	if p, ok := in.pkgs[importPath]; ok {
		return p
	}
	p := in.parse(importPath, "src/"+importPath, in.fsys)
	in.pkgs[importPath] = p
	return p
}

func (in *install) parse(importPath, dir string, fsys fs.FS) *pkg {
	list, _ := fs.ReadDir(fsys, dir)
	p := &pkg{path: importPath}
	for _, e := range list {
		name := path.Join(dir, e.Name())
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := fs.ReadFile(fsys, name)
		if err != nil || in.ctx.Compiler != "" && !in.matches(name, fsys) {
			continue // until the tags are known, only packages without constraints can be read
		}
		p.files = append(p.files, in.parseFile(name, src))
	}
	if p.files == nil {
		return nil
	}
	p.index(in)
	return p
}

func (in *install) matches(name string, fsys fs.FS) bool {
	ctx := in.ctx
	ctx.OpenFile = func(name string) (io.ReadCloser, error) { return fsys.Open(name) }
	ok, err := ctx.MatchFile(path.Dir(name), path.Base(name))
	return ok && err == nil
}

func (in *install) parseFile(name string, src []byte) *file {
	f := &file{name: name, src: src, directives: findDirectives(src)}
	var err error
	f.ast, err = parser.ParseFile(in.fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		at, text := name, err.Error()
		if list, ok := errors.AsType[scanner.ErrorList](err); ok {
			at, text = fmt.Sprintf("%s:%d", name, list[0].Pos.Line), list[0].Msg
		}
		in.broken = append(in.broken, Finding{Kind: "syntax", Name: name, Pos: at, Text: text, now: text})
	}
	return f
}

// findDirectives finds the lines that begin with //go:.
func findDirectives(src []byte) (list []directive) {
	off := 0
	for line := range bytes.Lines(src) {
		if rest, ok := bytes.CutPrefix(line, []byte("//go:")); ok {
			if words := strings.Fields(string(rest)); len(words) > 0 {
				list = append(list, directive{words[0], words[1:], off})
			}
		}
		off += len(line)
	}
	return list
}

// index fills the table of declarations.
func (p *pkg) index(in *install) {
	p.decls = map[string]*decl{}
	for _, f := range p.files {
		if f.ast == nil {
			continue
		}
		for _, d := range f.ast.Decls {
			for _, x := range declsOf(d) {
				x.in, x.pkg, x.file = in, p, f
				if x.id.Name != "_" && x.name != "init" {
					p.decls[x.name] = x
				}
			}
		}
	}
}

// declsOf returns the declared names of a declaration.
func declsOf(d ast.Decl) (list []*decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if r := receiver(d); r != "" {
			name = strings.TrimPrefix(r, "*") + "." + name
		}
		return []*decl{{name: name, tok: token.FUNC, id: d.Name, fn: d}}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				list = append(list, &decl{name: s.Name.Name, tok: token.TYPE, id: s.Name, spec: s})
			case *ast.ValueSpec:
				for _, id := range s.Names {
					list = append(list, &decl{name: id.Name, tok: d.Tok, id: id, spec: s})
				}
			}
		}
	}
	return list
}

// receiver returns the name of a method's type, with a star if it is a pointer's; "" for a
// function.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	star := ""
	for t := d.Recv.List[0].Type; ; {
		switch x := t.(type) {
		case *ast.StarExpr:
			t, star = x.X, "*"
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return star + x.Name
		default:
			return ""
		}
	}
}

// symbol returns the linker's name of a declaration.
func (d *decl) symbol() string {
	if d.fn == nil || d.fn.Recv == nil {
		return d.pkg.path + "." + d.name
	}
	r := receiver(d.fn)
	if r[0] == '*' {
		r = "(" + r + ")"
	}
	return d.pkg.path + "." + r + "." + d.id.Name
}

func (d *decl) bodyless() bool { return d.fn != nil && d.fn.Body == nil }

// pos returns where the thing is declared.
func (d *decl) pos() string { return d.in.at(d.file, d.id.Pos()) }

func (in *install) at(f *file, pos token.Pos) string {
	return fmt.Sprintf("%s:%d", f.name, in.fset.Position(pos).Line)
}

// atOffset is at for an offset in the file.
func (f *file) atOffset(off int) string {
	return fmt.Sprintf("%s:%d", f.name, 1+bytes.Count(f.src[:off], []byte("\n")))
}

// code returns the tokens of the declaration, without comments and line breaks.
func (d *decl) code() string {
	if d.fn != nil {
		return d.in.tokens(d.file, d.fn)
	}
	return d.in.tokens(d.file, d.spec)
}

func (in *install) tokens(f *file, n ast.Node) string {
	tf := in.fset.File(n.Pos())
	return tokensOf(f.src[tf.Offset(n.Pos()):min(tf.Offset(n.End()), len(f.src))])
}

func tokensOf(src []byte) string {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", -1, len(src)), src, nil, 0)
	var words []string
	for {
		_, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return strings.TrimSuffix(strings.Join(words, " "), " ;")
		case tok == token.SEMICOLON:
			lit = ";"
		case lit == "":
			lit = tok.String()
		}
		// Tokens that depend on where a line ends do not count.
		if n := len(words); n > 0 && (tok == token.RBRACE || tok == token.RPAREN) && (words[n-1] == ";" || words[n-1] == ",") {
			words = words[:n-1]
		}
		words = append(words, lit)
	}
}

// sig returns what users of the declaration see: a function's parameters and results without their
// names, the type of a variable, or the declaration of a type.
func (d *decl) sig() string {
	switch {
	case d.fn != nil:
		return signature(d.fn.Type)
	case d.tok == token.TYPE:
		s := d.spec.(*ast.TypeSpec)
		return typeString(s.Type)
	}
	s := d.spec.(*ast.ValueSpec)
	if s.Type != nil {
		return d.tok.String() + " " + typeString(s.Type)
	}
	return d.tok.String() + " = " + d.value()
}

// value returns the expression that initialises a variable or constant, or an integer literal's
// value.
func (d *decl) value() string {
	s := d.spec.(*ast.ValueSpec)
	i := slices.Index(s.Names, d.id)
	if i >= len(s.Values) {
		return ""
	}
	if lit, ok := s.Values[i].(*ast.BasicLit); ok && lit.Kind == token.INT {
		return constant.MakeFromLiteral(lit.Value, lit.Kind, 0).ExactString()
	}
	return d.in.tokens(d.file, s.Values[i])
}

func signature(t *ast.FuncType) string {
	list := func(fl *ast.FieldList) string {
		if fl == nil {
			return ""
		}
		var words []string
		for _, f := range fl.List {
			for range max(1, len(f.Names)) {
				words = append(words, typeString(f.Type))
			}
		}
		return strings.Join(words, ", ")
	}
	s := "func"
	if t.TypeParams != nil {
		s += "[" + list(t.TypeParams) + "]"
	}
	s += "(" + list(t.Params) + ")"
	switch r := list(t.Results); {
	case r == "":
	case strings.Contains(r, ", "):
		s += " (" + r + ")"
	default:
		s += " " + r
	}
	return s
}

// typeString returns a type in one line, without names of parameters.
func typeString(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.FuncType:
		return signature(e)
	case *ast.StarExpr:
		return "*" + typeString(e.X)
	case *ast.ParenExpr:
		return typeString(e.X)
	case *ast.Ellipsis:
		return "..." + typeString(e.Elt)
	case *ast.ArrayType:
		n := ""
		if e.Len != nil {
			n = typeString(e.Len)
		}
		return "[" + n + "]" + typeString(e.Elt)
	case *ast.MapType:
		return "map[" + typeString(e.Key) + "]" + typeString(e.Value)
	case *ast.ChanType:
		switch e.Dir {
		case ast.SEND:
			return "chan<- " + typeString(e.Value)
		case ast.RECV:
			return "<-chan " + typeString(e.Value)
		}
		return "chan " + typeString(e.Value)
	case *ast.InterfaceType:
		if len(e.Methods.List) == 0 {
			return "any"
		}
		return "interface{" + fields(e.Methods) + "}"
	case *ast.StructType:
		return "struct{" + fields(e.Fields) + "}"
	case *ast.SelectorExpr:
		return typeString(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return e.Value
	case *ast.IndexExpr:
		return typeString(e.X) + "[" + typeString(e.Index) + "]"
	case *ast.IndexListExpr:
		var words []string
		for _, x := range e.Indices {
			words = append(words, typeString(x))
		}
		return typeString(e.X) + "[" + strings.Join(words, ", ") + "]"
	case *ast.BinaryExpr:
		return typeString(e.X) + " " + e.Op.String() + " " + typeString(e.Y)
	case *ast.UnaryExpr:
		return e.Op.String() + typeString(e.X)
	case *ast.CallExpr:
		return typeString(e.Fun) + "(…)"
	}
	return fmt.Sprintf("%T", e)
}

func fields(fl *ast.FieldList) string {
	var words []string
	for _, f := range fl.List {
		t := typeString(f.Type)
		if len(f.Names) == 0 {
			words = append(words, t)
		}
		for _, id := range f.Names {
			if fn, ok := f.Type.(*ast.FuncType); ok {
				words = append(words, id.Name+strings.TrimPrefix(signature(fn), "func"))
			} else {
				words = append(words, id.Name+" "+t)
			}
		}
	}
	return strings.Join(words, "; ")
}

// sorted returns the declarations of a package by name.
func (p *pkg) sorted() []*decl {
	if p == nil {
		return nil
	}
	list := make([]*decl, 0, len(p.decls))
	for _, d := range p.decls {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *decl) int { return cmp.Compare(a.name, b.name) })
	return list
}

// decl returns the declaration of a name in a package, or nil.
func (in *install) decl(importPath, name string) *decl {
	p := in.pkg(importPath)
	if p == nil {
		return nil
	}
	return p.decls[name]
}
