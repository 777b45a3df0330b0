package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"math/big"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/gcexportdata"
	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/guest"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// Bases.
//
// A base is a set of packages of the standard library, closed under imports, that were compiled
// once, whole, for all programs. A program needs the types of these packages but not their code,
// except that of generic functions: go/ssa makes the program's instances of them. So the loader
// reads the types of a package of the base from export data, not from source. Packages with generic
// functions or methods that others may instantiate are the exception. They are parsed and
// type-checked, without the bodies of non-generic functions, and their SSA is never built as a
// whole.
//
// The types that were read form a world. Each package is read when the first program needs it,
// after the packages that it mentions, and never changes again. So an object in export data is the
// same as the one that another package's export data, or source, refers to. Programs share worlds.
// Reading source is slow compared with reading export data, so a world fixes which packages come
// from source: those whose generics one of its programs can instantiate, that is the packages that
// the program imports itself and those that their bodies refer to.
//
// Export data has the exported names and all that these need, without positions. A base knows only
// that the other names exist. A program that uses one as if it were exported is loaded again
// without the base, since further errors may depend on the name's declaration. So is a program with
// errors in a package with a dot import, since they may say where something is declared.
//
// A base that does not fit a load is ignored as a whole (Program.OnBase): one made for another
// release, other tags or another overlay, or one with a package that the load replaces, because the
// package is under test or its coverage is counted.

// A Base gives loads the types of its packages. Several loads may use it at the same time.
type Base struct {
	own       int // how many of pkgs belong to bases below
	goVersion string
	tags      []string
	overlay   fs.FS
	sources   fs.FS          // of its own packages; nil: the Go installation has them
	pkgs      []*basePackage // in the order of initialisation; those of bases below come first
	byPath    map[string]*basePackage
	funcs     map[string]baseSymbol // by link symbol, for symbols that differ from the name
	vars      map[string]baseSymbol

	mu     sync.Mutex
	goroot string // of the first load: files of generic packages are named after it
	worlds []*world
	err    error // something could not be read, so no more is read
}

// A world is a set of packages whose types belong together.
type world struct {
	source map[*basePackage]bool     // the packages from source
	types  map[string]*types.Package // what was read, by path
	pkgs   map[*basePackage]*basePart
}

// A basePart is a package of a base that was read. It never changes from then on.
type basePart struct {
	types *types.Package

	// Set if the package came from source:
	info   *types.Info
	syntax []*ast.File
	files  []*file
	inputs *filetree.Inputs
}

// A basePackage is a package of a base. It never changes.
type basePackage struct {
	path    string
	name    string
	overlay bool
	sources fs.FS // files of the package, if it is read from source; nil: the Go installation has them
	source  bool  // others may instantiate its generics
	init    bool  // it has something to initialise
	imports []*basePackage
	types   []*basePackage // packages whose objects its export data mentions
	refs    []*basePackage // packages whose objects bodies of generic functions mention

	funcs  map[string]*baseFunc  // functions about which go/ssa does not know everything, by name within the package
	vars   map[string]baseSymbol // variables with a linkname: the variable whose memory they share
	blanks map[string]*blanks    // of its files, if it is read from source
	consts map[string]string     // exact values, as fractions, of constants that export data would round
	hidden []byte                // the names that are not exported, each with a final 0
	data   []byte                // export data
	sum    uint32                // of hidden and data
}

// A baseFunc is a function with directives, or one without a body in Go.
type baseFunc struct {
	funcInfo
	bodyless bool
	body     baseSymbol // the function that supplies the missing body; zero: none does
}

// A baseSymbol names a function or variable of a package of a base.
type baseSymbol struct {
	pkg  *basePackage
	name string // within the package: "name", "T.name" or "(*T).name"
}

func (s baseSymbol) String() string { return s.pkg.path + "." + s.name }

// errHidden ends the load on a base if the program's errors may differ without the base.
func errHidden(program diag.Errors) error {
	return &baseError{errors.New("the errors depend on the sources"), "saying what is wrong with the program", program}
}

// A baseError says that a base cannot be used. The load continues without it, if it has the
// sources.
type baseError struct {
	err     error
	need    string      // what needs the sources instead
	program diag.Errors // errors of the program that was loaded on the base
}

func (e *baseError) Error() string { return "base of std: " + e.err.Error() }

// OpenBase opens the result of [Packages.BaseTypes]. Below is the base that those packages were
// loaded on, or nil; the new base has its packages too. Overlay is the Options.Overlay that the
// base was made with. OpenBase reads no types: loads read them as they need them.
//
// Sources returns the result of [Base.Sources], for loads with Options.Std. It is called at most
// once. If it is nil, the sources are those of the Go installation.
func OpenBase(below *Base, blob []byte, overlay fs.FS, sources func() ([]byte, error)) (*Base, error) {
	if overlay == nil {
		overlay = guest.Source
	}
	b := &Base{overlay: overlay, sources: newLaterFS(sources)}
	if err := b.decode(below, blob); err != nil {
		return nil, err
	}
	return b, nil
}

// fits reports whether a load can use the base.
func (b *Base) fits(l *loader) bool {
	tags := slices.Clone(l.cfg.Tags)
	slices.Sort(tags)
	if b.goVersion != l.GoVersion || !slices.Equal(b.tags, tags) || !sameFS(b.overlay, l.cfg.Overlay) {
		return false
	}
	for path, on := range l.cfg.Cover {
		if p := b.byPath[path]; on && p != nil && !p.overlay {
			return false
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.goroot == "" {
		b.goroot = l.GOROOT
	}
	return b.goroot == l.GOROOT && b.err == nil
}

// sameFS reports whether two file systems are surely the same.
func sameFS(a, b fs.FS) bool {
	return reflect.TypeOf(a).Comparable() && a == b
}

// onBase returns the base's package with a path, which replaces that of the standard library, or
// nil.
func (l *loader) onBase(path string) *basePackage {
	if l.base == nil {
		return nil
	}
	return l.base.byPath[path]
}

// needBase returns a package of the base. The package and its imports count as loaded at once. l.mu
// is held.
func (l *loader) needBase(b *basePackage) *pkg {
	if p := l.stdPkg(b.path); p != nil {
		return p
	}
	p := &pkg{
		place: l.placeOf(b), importPath: b.path, dirPath: b.path, name: b.name, base: b,
		imports: make(map[string]*pkg, len(b.imports)), loaded: make(chan struct{}),
	}
	close(p.loaded)
	l.pkgs[p.key()] = p
	for _, q := range b.imports {
		p.imports[q.path] = l.needBase(q)
	}
	return p
}

// later returns a package of the library. Only its path is known until [loader.settle]. l.mu is
// held.
func (l *loader) later(pl *place) *pkg {
	p := &pkg{place: *pl, importPath: pl.path, dirPath: pl.path, imports: map[string]*pkg{}, loaded: make(chan struct{})}
	close(p.loaded)
	l.pkgs[p.key()] = p
	l.pending = append(l.pending, p)
	return p
}

// settle gets a base with all packages that the program imports from the library, and makes the
// pending packages packages of that base.
func (l *loader) settle() error {
	if l.library == nil {
		return nil
	}
	var paths []string
	for _, p := range l.pending {
		switch {
		case l.library.Has(p.path):
			paths = append(paths, p.path)
		case l.cfg.Command == nil: // a command may import a package that is present only because others need it
			return noPackage(p.path)
		}
	}
	slices.Sort(paths)
	b, err := l.library.Base(l.Ctx, paths)
	if err != nil {
		return err
	}
	if b == nil || !b.fits(l) {
		return &baseError{err: errors.New("it is of another release"), need: "a program for another standard library"}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.base = b
	for _, p := range l.pending {
		bp := b.byPath[p.path]
		if bp == nil {
			return noPackage(p.path)
		}
		p.place, p.name, p.base = l.placeOf(bp), bp.name, bp
	}
	for _, p := range l.pending {
		for _, q := range p.base.imports {
			p.imports[q.path] = l.needBase(q)
		}
	}
	return nil
}

// noPackage is the error of a package that a base does not have.
func noPackage(path string) error {
	return &baseError{err: fmt.Errorf("it has no package %s", path), need: "package " + path}
}

// coversStd reports whether the coverage of a package of the standard library is counted.
func (l *loader) coversStd() bool {
	for path, on := range l.cfg.Cover {
		if on && l.cfg.Library.Has(path) {
			return true
		}
	}
	return false
}

// gorootPlace returns where the sources of a package of the standard library are, if the overlay
// does not replace it.
func (l *loader) gorootPlace(path string) *place {
	if l.cfg.Std != nil {
		return &place{path: path, tree: filetree.Tree{FS: noSources{}}, dir: path, origin: ofGOROOT}
	}
	return &place{path: path, tree: l.Machine, dir: filepath.Join(l.GOROOT, "src", filepath.FromSlash(path)),
		origin: ofGOROOT}
}

// placeOf returns where the sources of a package of the base are.
func (l *loader) placeOf(b *basePackage) place {
	if b.overlay {
		return place{path: b.path, tree: l.overlay, dir: b.path, origin: ofOverlay}
	}
	if b.sources != nil && l.cfg.Std != nil {
		return place{path: b.path, tree: filetree.Tree{FS: b.sources}, dir: b.path, origin: ofGOROOT}
	}
	return *l.gorootPlace(b.path)
}

// loweringTypes are the packages whose types lowering looks up by name.
var loweringTypes = []string{"runtime", "internal/abi", "internal/runtime/maps"}

// readBase reads the types of those packages of the base that the packages in order refer to,
// unless an earlier load has. It uses a world where the generics that these packages can
// instantiate have bodies.
func (l *loader) readBase(order []*pkg) error {
	b := l.base
	if b == nil {
		return nil
	}
	source, need := map[*basePackage]bool{}, map[*basePackage]bool{}
	var instantiate func(p *basePackage)
	instantiate = func(p *basePackage) {
		if p.source && !source[p] {
			source[p] = true
			for _, q := range p.refs {
				instantiate(q)
			}
		}
	}
	var roots []*basePackage
	for _, p := range order {
		switch {
		case p.base != nil:
			l.stats.FromBase++
			if slices.Contains(loweringTypes, p.path) {
				roots = append(roots, p.base)
			}
		default:
			for _, q := range p.deps {
				if q.base != nil {
					roots = append(roots, q.base)
					instantiate(q.base)
				}
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.world(source)
	var refer func(p *basePackage)
	refer = func(p *basePackage) {
		if need[p] {
			return
		}
		need[p] = true
		refers := p.types
		if w.source[p] {
			refers = p.imports
		}
		for _, q := range refers {
			refer(q)
		}
	}
	for _, p := range roots {
		refer(p)
	}
	for _, p := range order {
		if p.base == nil || !need[p.base] {
			continue
		}
		part := w.pkgs[p.base]
		if part == nil && b.err == nil {
			var err error
			if w.source[p.base] {
				part, err = l.checkBase(w, p.base)
			} else {
				part, err = w.read(p.base)
			}
			if err != nil {
				b.err = &baseError{err: fmt.Errorf("package %s: %w", p.path, err), need: "package " + p.path}
			}
			w.pkgs[p.base] = part
		}
		if b.err != nil {
			return b.err
		}
		if part.inputs != nil && l.cfg.Inputs != nil {
			l.cfg.Inputs.Merge(part.inputs)
		}
		p.part = part
	}
	return nil
}

// world returns a world in which the packages in source come from source. A new world also takes
// the source packages of all others, so that new worlds soon stop being needed.
func (b *Base) world(source map[*basePackage]bool) *world {
	for _, w := range b.worlds {
		has := true
		for p := range source {
			has = has && w.source[p]
		}
		if has {
			return w
		}
	}
	w := &world{source: source, types: map[string]*types.Package{}, pkgs: map[*basePackage]*basePart{}}
	for _, other := range b.worlds {
		maps.Copy(w.source, other.source)
	}
	b.worlds = append(b.worlds, w)
	return w
}

// read reads a package from export data.
func (w *world) read(p *basePackage) (*basePart, error) {
	if crc32.Update(crc32.Checksum(p.hidden, castagnoli()), castagnoli(), p.data) != p.sum {
		return nil, errors.New("damaged export data")
	}
	known := len(w.types)
	pre := types.NewPackage(p.path, p.name)
	for name, s := range p.consts {
		x, ok := new(big.Rat).SetString(s)
		if !ok {
			return nil, errors.New("damaged constant")
		}
		pre.Scope().Insert(types.NewConst(token.NoPos, pre, name, types.Typ[types.UntypedFloat], constant.Make(x)))
	}
	w.types[p.path] = pre // names that are declared already are not read
	pkg, err := gcexportdata.Read(io.LimitReader(bytes.NewReader(p.data), int64(len(p.data))), token.NewFileSet(), w.types, p.path)
	if err != nil {
		return nil, err
	}
	if len(w.types) != known+1 || pkg != pre {
		return nil, errors.New("export data of something else")
	}
	return &basePart{types: pkg}, nil
}

// unexported handles the error that a package's name is undefined, if the package's sources have
// the name but its export data do not. It returns the error that go/types reports for such a name.
// It returns all other errors unchanged.
func (p *pkg) unexported(msg string) string {
	sel, undefined := strings.CutPrefix(msg, "undefined: ")
	qualifier, name, qualified := strings.Cut(sel, ".")
	name, _, _ = strings.Cut(name, " ") // of a similar name that the package has: (but have IndexFunc)
	if !undefined || !qualified || ast.IsExported(name) {
		return msg
	}
	var of *pkg
	for _, q := range p.imports {
		has := q.base != nil && bytes.Contains(slices.Concat([]byte{0}, q.base.hidden), []byte("\x00"+name+"\x00"))
		if has && (of == nil || of.name != qualifier && (q.name == qualifier || q.path < of.path)) {
			of = q // an import under another name may be any package with that name
		}
	}
	if of == nil {
		return msg
	}
	return fmt.Sprintf("name %s not exported by package %s", name, of.name)
}

// checkBase parses and type-checks a package with generics.
func (l *loader) checkBase(w *world, b *basePackage) (*basePart, error) {
	p := &pkg{place: l.placeOf(b), importPath: b.path, dirPath: b.path, imports: map[string]*pkg{}, blanks: b.blanks}
	if p.tree.FS == nil {
		p.tree.Rec = &filetree.Inputs{}
	}
	l.loadFiles(p)
	if errs := slices.Concat(p.errs, p.syntax); errs != nil {
		return nil, errs
	}
	if len(p.files) != len(b.blanks) || p.name != b.name {
		return nil, errors.New("not the files that the base was made of")
	}
	for _, q := range b.imports {
		path := q.path
		if rest, ok := strings.CutPrefix(path, "vendor/"); ok {
			path = rest
		}
		p.imports[path] = &pkg{out: &Package{Types: w.pkgs[q].types}}
	}
	c := &checked{Package: &Package{Path: b.path, Import: b.path, Std: true, Overlay: b.overlay,
		GoVersion: p.langVersion(l.Release)}}
	fset := token.NewFileSet()
	for _, f := range p.files {
		c.Files = append(c.Files, withoutInits(f.ast))
		fset.AddExistingFiles(f.token)
	}
	l.checkPackage(p, c, fset)
	if c.errs != nil {
		return nil, c.errs
	}
	w.types[b.path] = c.Types
	return &basePart{c.Types, c.Info, c.Files, p.files, p.tree.Rec}, nil
}

// The blanks of a file are the bodies of non-generic functions. They are overwritten before the
// file is parsed, except for line ends. What remains are declarations without bodies, at the same
// positions.
type blanks struct {
	size   int
	sum    uint32
	bodies []extent // in the order of the file
}

// An extent is a part of a file.
type extent struct{ start, end int }

// blanksOf finds the blanks of a parsed file.
func blanksOf(f *file) *blanks {
	b := &blanks{size: f.size, sum: f.sum}
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil && !isGeneric(fn) {
			b.bodies = append(b.bodies, extent{f.token.Offset(fn.Body.Lbrace), f.token.Offset(fn.Body.Rbrace) + 1})
		}
	}
	return b
}

// apply returns the source of a file without the bodies, if the file is unchanged.
func (b *blanks) apply(src []byte, sum uint32) ([]byte, error) {
	if b == nil || len(src) != b.size || sum != b.sum {
		return nil, errors.New("not the file that the base was made of")
	}
	src = slices.Clone(src)
	for _, x := range b.bodies {
		for i, c := range src[x.start:x.end] {
			if c != '\n' {
				src[x.start+i] = ' '
			}
		}
	}
	return src, nil
}

// withoutInits returns a file without init functions, which must have a body.
func withoutInits(f *ast.File) *ast.File {
	out := *f
	out.Decls = make([]ast.Decl, 0, len(f.Decls))
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); !ok || fn.Recv != nil || fn.Name.Name != "init" {
			out.Decls = append(out.Decls, d)
		}
	}
	return &out
}

// isGeneric reports whether a function, or the type that it is a method of, has type parameters.
func isGeneric(fn *ast.FuncDecl) bool {
	if fn.Type.TypeParams.NumFields() > 0 {
		return true
	}
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return false
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr, *ast.IndexListExpr:
			return true
		default:
			return false
		}
	}
}

// references returns the packages of everything that the generic functions of a package mention,
// methods and fields included.
func (b *Base) references(p *Package) (refs []*basePackage) {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil || !isGeneric(fn) {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				obj := p.Info.Uses[id]
				if obj == nil || obj.Pkg() == nil || obj.Pkg() == p.Types {
					return true
				}
				if q := b.byPath[obj.Pkg().Path()]; q != nil && !slices.Contains(refs, q) {
					refs = append(refs, q)
				}
				return true
			})
		}
	}
	return refs
}

// createBase makes the SSA packages of the base whose functions others may refer to, or build
// instances of. These are the packages that packages outside the base import and, from there on,
// those whose generic types are part of a type, or that the body of a generic function mentions.
// Functions and methods have no bodies. go/ssa makes functions for methods of other packages when
// they are needed.
func (l *loader) createBase(prog *ssa.Program, order []*pkg) {
	create := map[*basePackage]bool{}
	var need func(b *basePackage)
	need = func(b *basePackage) {
		if create[b] {
			return
		}
		create[b] = true
		for _, q := range b.types {
			if q.source {
				need(q)
			}
		}
		for _, q := range b.refs {
			need(q)
		}
	}
	for _, p := range order {
		switch {
		case p.base == nil:
			for _, q := range p.deps {
				if q.base != nil {
					need(q.base)
				}
			}
		case slices.Contains(implicitImports, p.path):
			need(p.base)
		}
	}
	for _, p := range order {
		if p.part != nil && create[p.base] {
			p.out.SSA = prog.CreatePackage(p.part.types, p.part.syntax, p.part.info, true)
		}
	}
}

// info returns what go/ssa does not know about a declared function, or nil.
func (p *Packages) info(obj types.Object) *funcInfo {
	if obj == nil {
		return nil
	}
	if f := p.funcs[obj]; f != nil {
		return f
	}
	if f := p.baseFunc(obj); f != nil {
		return &f.funcInfo
	}
	return nil
}

// baseFunc returns the entry of a declared function in the base's index, or nil.
func (p *Packages) baseFunc(obj types.Object) *baseFunc {
	if obj == nil || p.base == nil {
		return nil
	}
	if q := p.byTypes[obj.Pkg()]; q != nil && q.Base {
		return p.base.byPath[q.Path].funcs[localName(obj)]
	}
	return nil
}

// InBase reports whether fn is a declared function or method of a package of the base, neither an
// instance of a generic one nor a wrapper. Such a function has no body here.
func (p *Packages) InBase(fn *ssa.Function) bool {
	if fn.Origin() != nil || fn.Object() == nil || len(fn.TypeArgs()) > 0 {
		return false
	}
	switch {
	case fn.Synthetic == "", strings.HasPrefix(fn.Synthetic, "from type information"):
	default:
		return false // a wrapper
	}
	q := p.byTypes[fn.Object().Pkg()]
	return q != nil && q.Base
}

// BaseFunc returns the function of the base that supplies the body of fn, which has none here: fn
// itself, or the function named by a linkname directive, of fn or in the base. The name is that in
// the source. Instances are not found, because it is not known here which ones exist.
func (p *Packages) BaseFunc(fn *ssa.Function) (name string, ok bool) {
	return p.baseBody(fn).named()
}

// baseBody is BaseFunc with a symbol as its result, which is zero if nothing supplies the body.
func (p *Packages) baseBody(fn *ssa.Function) (s baseSymbol) {
	obj := declared(fn)
	if obj == nil || p.base == nil {
		return s
	}
	if !p.InBase(fn) {
		if q := p.byTypes[obj.Pkg()]; q != nil && q.Base {
			return s // an instance
		}
		return p.baseSymbol(p.Symbol(fn))
	}
	if f := p.baseFunc(obj); f != nil && f.bodyless {
		return f.body
	}
	return baseSymbol{p.base.byPath[obj.Pkg().Path()], localName(obj)}
}

// named returns the symbol's name, and false if it is zero.
func (s baseSymbol) named() (name string, ok bool) {
	if s.pkg == nil {
		return "", false
	}
	return s.String(), true
}

// BaseSymbol returns the function of the base, by its name in the source, that supplies the body
// for a link symbol. If the index has no entry for the function, BaseSymbol does not check that it
// exists.
func (p *Packages) BaseSymbol(symbol string) (name string, ok bool) {
	return p.baseSymbol(symbol).named()
}

func (p *Packages) baseSymbol(symbol string) baseSymbol {
	if p.base == nil {
		return baseSymbol{}
	}
	if s, ok := p.base.funcs[symbol]; ok && p.has(s.pkg) {
		return s
	}
	path, _, _ := directive.SplitSymbol(symbol)
	b := p.base.byPath[path]
	if b == nil || !p.has(b) {
		return baseSymbol{}
	}
	name := symbol[len(path)+1:]
	if f := b.funcs[name]; f != nil && f.bodyless {
		return f.body
	}
	return baseSymbol{b, name}
}

// BaseGlobal returns the variable of the base, as "path.name", whose memory g is: g itself, or the
// one that linkname directives tie it to.
func (p *Packages) BaseGlobal(g *ssa.Global) (name string, ok bool) {
	return p.baseGlobal(g).named()
}

// baseGlobal is BaseGlobal with a symbol as its result, which is zero if the base has no such
// variable.
func (p *Packages) baseGlobal(g *ssa.Global) (s baseSymbol) {
	if p.base == nil || g.Object() == nil {
		return s
	}
	symbol := g.String()
	if q := p.byTypes[g.Object().Pkg()]; q == nil || !q.Base {
		if symbol = p.globals[g.Object()]; symbol == "" {
			return s
		}
	}
	path, _, name := directive.SplitSymbol(symbol)
	if b := p.base.byPath[path]; b != nil && p.has(b) {
		if s, ok := b.vars[name]; ok {
			return s
		}
		return baseSymbol{b, name}
	}
	if s, ok := p.base.vars[symbol]; ok && p.has(s.pkg) {
		return s
	}
	return s
}

// has reports whether a package of the base is part of the program.
func (p *Packages) has(b *basePackage) bool {
	q := p.std[b.path]
	return q != nil && q.Base
}
