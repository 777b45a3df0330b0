package risk

import (
	"bytes"
	"errors"
	"go/ast"
	"go/build"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/gyrvm/gyr/internal/front/bounds"
)

// A Linter keeps the parsed standard library from one change to the next. It is for one goroutine
// at a time.
type Linter struct {
	fset   *token.FileSet
	goroot string                    // empty: the standard library is unknown
	std    map[string]*types.Package // by path
}

// NewLinter makes a linter that reads the standard library in goroot, or, if that is empty, in the
// go command's. Without either, the types of imports are unknown, and rules find less.
func NewLinter(goroot string) *Linter {
	if goroot == "" {
		if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
			goroot = strings.TrimSpace(string(out))
		}
	}
	return &Linter{fset: token.NewFileSet(), goroot: goroot, std: map[string]*types.Package{}}
}

// A source is one of the two trees.
type source struct {
	l       *Linter
	fsys    fs.FS
	modules map[string]module         // by directory
	imports map[string]*types.Package // packages of the tree, without bodies
}

// A module is a directory with a go.mod.
type module struct{ dir, path string }

// A pkg is one directory of a tree with its files that are not tests.
type pkg struct {
	src   *source
	dir   string
	files map[string]*ast.File // by path in the tree
	text  map[string][]byte
	types *types.Package
	info  *types.Info
	funcs map[string]*function

	summaries map[*types.Func]*summary
	written   map[*function][]write
}

// A function is a declaration with a body.
type function struct {
	*ast.FuncDecl
	pkg  *pkg
	file string
	key  string // receiver's type and name
	text string // formatted, without comments
}

// readSource begins to read a tree.
func (l *Linter) readSource(fsys fs.FS) *source {
	return &source{l: l, fsys: fsys, modules: map[string]module{}, imports: map[string]*types.Package{}}
}

// goFiles are the names of a directory's files that the rules read, without tests.
func (s *source) goFiles(dir string) []string {
	entries, _ := fs.ReadDir(s.fsys, dir)
	var names []string
	for _, e := range entries {
		if n := e.Name(); strings.HasSuffix(n, ".go") && !strings.HasSuffix(n, "_test.go") {
			names = append(names, n)
		}
	}
	return names
}

// readFile reads a file of the tree. A missing file is nil.
func (s *source) readFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(s.fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, err
}

// matches reports whether a file is built on this machine.
func (s *source) matches(dir, name string) bool {
	ctxt := build.Default
	ctxt.OpenFile = func(string) (io.ReadCloser, error) {
		text, err := s.readFile(path.Join(dir, name))
		return io.NopCloser(bytes.NewReader(text)), err
	}
	ok, err := ctxt.MatchFile(dir, name)
	return ok && err == nil
}

// load reads the package in a directory of the tree.
func (s *source) load(dir string) (*pkg, error) {
	p := &pkg{src: s, dir: dir, files: map[string]*ast.File{}, text: map[string][]byte{}, funcs: map[string]*function{},
		summaries: map[*types.Func]*summary{}, written: map[*function][]write{}}
	var first, rest []*ast.File // built here, and not built here
	name := ""
	for _, n := range s.goFiles(dir) {
		full := path.Join(dir, n)
		text, err := s.readFile(full)
		if err != nil {
			return nil, err
		}
		p.text[full] = text
		f, _ := parser.ParseFile(s.l.fset, full, text, parser.ParseComments|parser.SkipObjectResolution)
		if f == nil || f.Name == nil {
			continue
		}
		p.files[full] = f
		if s.matches(dir, n) && (name == "" || f.Name.Name == name) {
			name = f.Name.Name
			first = append(first, f)
		} else {
			rest = append(rest, f)
		}
	}
	p.info = newInfo()
	cfg := types.Config{Importer: (*importer)(s), Error: func(error) {}, FakeImportC: true, DisableUnusedImportCheck: true}
	p.types, _ = bounds.TypeCheck(&cfg, s.importPath(dir), s.l.fset, first, p.info)
	// Files for other machines are each checked beside those for this one, so that everything
	// declared twice is at least known. That must not change what is known of the others.
	for _, f := range rest {
		info := newInfo()
		bounds.TypeCheck(&cfg, s.importPath(dir), s.l.fset, append(slices.Clip(first), f), info)
		p.learn(f, info)
	}
	for _, list := range [][]*ast.File{first, rest} {
		for _, file := range list {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					full := s.l.fset.Position(file.Package).Filename
					fn := &function{FuncDecl: f, pkg: p, file: full, key: funcKey(f), text: p.format(f)}
					p.funcs[uniqueKey(p.funcs, fn.key)] = fn
				}
			}
		}
	}
	return p, nil
}

func newInfo() *types.Info {
	return &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
}

// learn takes what is known of the nodes of a file.
func (p *pkg) learn(f *ast.File, from *types.Info) {
	in := func(n ast.Node) bool { return f.FileStart <= n.Pos() && n.Pos() < f.FileEnd }
	for n, x := range from.Types {
		if in(n) {
			p.info.Types[n] = x
		}
	}
	for n, x := range from.Defs {
		if in(n) {
			p.info.Defs[n] = x
		}
	}
	for n, x := range from.Uses {
		if in(n) {
			p.info.Uses[n] = x
		}
	}
	for n, x := range from.Selections {
		if in(n) {
			p.info.Selections[n] = x
		}
	}
}

// uniqueKey distinguishes functions with the same name: several init, or one for each system.
func uniqueKey(m map[string]*function, key string) string {
	for m[key] != nil {
		key += "'"
	}
	return key
}

// funcKey is "T.Name" for a method, "Name" for a function.
func funcKey(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
			continue
		case *ast.IndexExpr:
			t = x.X
			continue
		case *ast.IndexListExpr:
			t = x.X
			continue
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		}
		return f.Name.Name
	}
}

// format prints a node without comments.
func (p *pkg) format(n ast.Node) string {
	if f, ok := n.(*ast.FuncDecl); ok && f.Doc != nil {
		c := *f
		c.Doc = nil
		n = &c
	}
	var b bytes.Buffer
	format.Node(&b, p.src.l.fset, n)
	return b.String()
}

// expr prints an expression.
func (p *pkg) expr(e ast.Expr) string { return types.ExprString(e) }

// importPath is the import path of a directory of the tree.
func (s *source) importPath(dir string) string {
	m := s.module(dir)
	if m.path == "" {
		return dir
	}
	if m.dir == "." {
		return path.Join(m.path, dir)
	}
	return path.Join(m.path, strings.TrimPrefix(strings.TrimPrefix(dir, m.dir), "/"))
}

// module finds the module that a directory belongs to.
func (s *source) module(dir string) module {
	if m, ok := s.modules[dir]; ok {
		return m
	}
	m := module{}
	if text, err := s.readFile(path.Join(dir, "go.mod")); err == nil && text != nil {
		m = module{dir, modfile.ModulePath(text)}
	} else if dir != "." {
		m = s.module(path.Dir(dir))
	}
	s.modules[dir] = m
	return m
}

// An importer finds packages of the tree and of the standard library.
type importer source

// Import implements types.Importer. An unavailable package is an error, and then the checker gives
// everything used from it an unknown type.
func (i *importer) Import(name string) (*types.Package, error) {
	s := (*source)(i)
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := s.imports[name]; ok {
		if p == nil {
			return nil, fs.ErrNotExist // it imports itself
		}
		return p, nil
	}
	for _, m := range s.modules {
		if dir, ok := strings.CutPrefix(name+"/", m.path+"/"); ok && m.path != "" {
			dir = path.Join(m.dir, dir)
			s.imports[name] = nil
			if p := s.l.declarations(s.fsys, dir, name, s.goFiles(dir), i, s.matches); p != nil {
				s.imports[name] = p
				return p, nil
			}
		}
	}
	return s.l.importStd(name)
}

// importStd reads a package of the standard library.
func (l *Linter) importStd(name string) (*types.Package, error) {
	if p, ok := l.std[name]; ok {
		if p == nil {
			return nil, fs.ErrNotExist
		}
		return p, nil
	}
	l.std[name] = nil // guards against cycles, which do not exist
	if l.goroot == "" {
		return nil, fs.ErrNotExist
	}
	for _, dir := range []string{name, path.Join("vendor", name)} {
		ctxt := build.Default
		ctxt.CgoEnabled = false
		full := filepath.Join(l.goroot, "src", filepath.FromSlash(dir))
		b, err := ctxt.ImportDir(full, 0)
		if err != nil {
			continue
		}
		always := func(string, string) bool { return true }
		if p := l.declarations(os.DirFS(filepath.Join(l.goroot, "src")), dir, name, b.GoFiles, stdImporter{l},
			always); p != nil {
			l.std[name] = p
			return p, nil
		}
	}
	return nil, fs.ErrNotExist
}

// A stdImporter imports for the standard library itself.
type stdImporter struct{ l *Linter }

// Import implements types.Importer.
func (i stdImporter) Import(name string) (*types.Package, error) {
	if name == "unsafe" {
		return types.Unsafe, nil
	}
	return i.l.importStd(name)
}

// declarations checks the declarations in a directory's files, without bodies; nil if there are
// none.
func (l *Linter) declarations(fsys fs.FS, dir, name string, names []string, imp types.Importer,
	matches func(dir, name string) bool) *types.Package {
	var files []*ast.File
	for _, n := range names {
		if !matches(dir, n) {
			continue
		}
		text, err := fs.ReadFile(fsys, path.Join(dir, n))
		if err != nil {
			continue
		}
		if f, _ := parser.ParseFile(l.fset, path.Join(dir, n), text, parser.SkipObjectResolution); f != nil && f.Name != nil {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		return nil
	}
	cfg := types.Config{Importer: imp, Error: func(error) {}, IgnoreFuncBodies: true, FakeImportC: true}
	p, _ := bounds.TypeCheck(&cfg, name, l.fset, files, nil)
	return p
}
