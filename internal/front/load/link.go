package load

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/directive"
)

// A funcInfo has the facts about a function that go/ssa does not know.
type funcInfo struct {
	symbol     string // empty: the default
	pragma     directive.Pragma
	wasmModule string
	wasmName   string
	pruned     bool
}

// link collects the directives of all packages.
func (p *Packages) link(l *loader, order []*pkg) {
	p.byPath, p.std = map[string]*Package{}, map[string]*Package{}
	p.bySSA = map[*ssa.Package]*Package{}
	p.byTypes = map[*types.Package]*Package{}
	p.funcs = map[types.Object]*funcInfo{}
	p.globals = map[types.Object]string{}
	p.bodies = map[string]*ssa.Function{}
	p.vars = map[string]*ssa.Global{}
	p.trimmed = map[string]string{}
	p.answered, p.pulled = map[types.Object]string{}, map[types.Object]*ssa.Function{}
	p.pulledVars, p.refused = map[types.Object]*ssa.Global{}, map[types.Object]*diag.Error{}
	for i, q := range order {
		out := q.out
		p.byPath[out.Path] = out
		if q.key().owner == ofGOROOT {
			p.std[out.Path] = out
		}
		if out.Types != nil {
			p.byTypes[out.Types] = out
		}
		if out.SSA != nil {
			p.bySSA[out.SSA] = out
		}
		if q.part != nil {
			for _, f := range q.part.files {
				p.trimmed[f.name] = q.trimmed(f)
			}
		}
		pruned := l.checkedPkgs[i].pruned
		for k, f := range q.files {
			p.trimmed[f.name] = q.trimmed(f)
			p.linkFile(out, f, out.Files[k], pruned)
			if out.Std || f.generated {
				p.linknames(out, f)
			}
		}
	}
}

// trimmed returns a file's name as the go command's -trimpath writes it.
func (p *pkg) trimmed(f *file) string {
	base := filepath.Base(f.name)
	switch {
	case p.origin.std():
		return p.path + "/" + base
	case p.mod == nil || p.named != nil:
		return "./" + base
	case p.mod.Version != "":
		rest := strings.TrimPrefix(p.importPath, p.mod.Path)
		return p.mod.Path + "@" + p.mod.Version + rest + "/" + base
	}
	return p.importPath + "/" + base
}

// infoOf returns the record of a function, a new one if necessary.
func (p *Packages) infoOf(obj types.Object) *funcInfo {
	fi := p.funcs[obj]
	if fi == nil {
		fi = &funcInfo{}
		p.funcs[obj] = fi
	}
	return fi
}

func (p *Packages) linkFile(out *Package, f *file, syntax *ast.File, pruned map[*ast.FuncDecl]bool) {
	for d := range pruned {
		if syntax.FileStart <= d.Pos() && d.Pos() <= syntax.FileEnd {
			p.infoOf(out.Info.Defs[d.Name]).pruned = true
		}
	}
	if len(f.directives) == 0 {
		return
	}
	for i, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		obj := out.Info.Defs[fn.Name]
		if obj == nil {
			continue
		}
		for _, dir := range directive.OfDecl(f.ast, f.directives, i) {
			name, args := dir.Split()
			if pr := directive.Pragmas[name]; pr != 0 {
				p.infoOf(obj).pragma |= pr
			}
			if name == "wasmimport" {
				if a := strings.Fields(args); len(a) == 2 {
					fi := p.infoOf(obj)
					fi.wasmModule, fi.wasmName = a[0], a[1]
				}
			}
		}
	}
}

// linknames collects the linkname directives of a file of the standard library, or of one that the
// loader wrote.
func (p *Packages) linknames(out *Package, f *file) {
	for _, ln := range directive.Linknames(f.directives) {
		if ln.Target == "" {
			continue
		}
		switch obj := out.Types.Scope().Lookup(ln.Local).(type) {
		case *types.Func:
			p.infoOf(obj).symbol = ln.Target
			if fn := out.SSA.Func(ln.Local); fn != nil && fn.Blocks != nil {
				p.bodies[ln.Target] = fn
			}
		case *types.Var:
			p.globals[obj] = ln.Target
			if g := out.SSA.Var(ln.Local); g != nil && (p.vars[ln.Target] == nil || initialised(out, obj)) {
				p.vars[ln.Target] = g
			}
		}
	}
}

// initialised reports whether a package-level variable has an initial value.
func initialised(p *Package, v *types.Var) bool {
	for _, in := range p.Info.InitOrder {
		for _, l := range in.Lhs {
			if l == v {
				return true
			}
		}
	}
	return false
}

// declared returns fn's declared function, or for an instance that of its generic function.
func declared(fn *ssa.Function) types.Object {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Object() == nil {
		return nil
	}
	return fn.Object()
}

// Std returns the package of the standard library with a path, or nil.
func (p *Packages) Std(path string) *Package { return p.std[path] }

// StdPath returns the path of a package of the standard library, and "" for all other packages. It
// decides which packages have the privileges of the standard library.
func (p *Packages) StdPath(pkg *types.Package) string {
	if q := p.byTypes[pkg]; q != nil && q.Std {
		return q.Path
	}
	return ""
}

// Package returns the package with a path, whatever its origin, or nil.
func (p *Packages) Package(path string) *Package { return p.byPath[path] }

// PackageOf returns the package of an SSA package, or nil.
func (p *Packages) PackageOf(pkg *ssa.Package) *Package { return p.bySSA[pkg] }

// PackageOfTypes returns the package of a go/types package, or nil.
func (p *Packages) PackageOfTypes(pkg *types.Package) *Package { return p.byTypes[pkg] }

// TrimPath returns the name of a source file in the form of -trimpath, which guests and images see:
// "fmt/print.go", "example.com/m/sub/x.go".
func (p *Packages) TrimPath(file string) string {
	if t, ok := p.trimmed[file]; ok {
		return t
	}
	return file
}

// FileName returns the name of a source file in the form that tracebacks have.
func (p *Packages) FileName(file string) string {
	if !p.trim {
		return file
	}
	return p.TrimPath(file)
}

// Symbol returns the link symbol of a declared function: the target of its linkname directive, else
// "path.name", "path.T.name" or "path.(*T).name". An instance has the symbol of its generic
// function. For functions that are not declared (closures, wrappers) it is go/ssa's name.
func (p *Packages) Symbol(fn *ssa.Function) string {
	obj := declared(fn)
	if obj == nil || obj.Pkg() == nil {
		return fn.String()
	}
	if s := p.answered[obj]; s != "" {
		return s
	}
	if fi := p.info(obj); fi != nil && fi.symbol != "" {
		return fi.symbol
	}
	return defaultSymbol(obj)
}

// defaultSymbol returns the name of a declared function or variable in the source, "path.name",
// "path.T.name" or "path.(*T).name".
func defaultSymbol(obj types.Object) string {
	path := obj.Pkg().Path()
	if f, ok := obj.(*types.Func); ok {
		if recv := f.Signature().Recv(); recv != nil {
			t := types.Unalias(recv.Type())
			ptr, isPtr := t.(*types.Pointer)
			if isPtr {
				t = types.Unalias(ptr.Elem())
			}
			name := "?"
			if n, ok := t.(*types.Named); ok {
				name = n.Obj().Name()
			}
			if isPtr {
				name = "(*" + name + ")"
			}
			return path + "." + name + "." + f.Name()
		}
	}
	return path + "." + obj.Name()
}

// Resolve returns the function that supplies the body of fn: fn itself if it has one, else the
// function with its link symbol, pushed or pulled by a linkname directive. It returns nil if no
// function does: for an intrinsic, a host import, a pruned function, or a link error.
func (p *Packages) Resolve(fn *ssa.Function) *ssa.Function {
	for range 8 { // a pulled function may itself be pulled from elsewhere
		if fn.Blocks != nil {
			return fn
		}
		obj := declared(fn)
		if obj == nil || fn.Signature.Recv() != nil {
			return nil
		}
		if body := p.pulled[obj]; body != nil {
			return body
		}
		sym := p.Symbol(fn)
		next := p.Func(sym)
		if next == nil || next == fn {
			return nil
		}
		fn = next
	}
	return nil
}

// Func returns the function of the standard library with a link symbol: the one with a body, else
// the bodyless declaration, else nil. Directives never lead into other packages.
func (p *Packages) Func(symbol string) *ssa.Function {
	if fn := p.bodies[symbol]; fn != nil {
		return fn
	}
	path, recv, name := directive.SplitSymbol(symbol)
	pkg := p.std[path]
	if pkg == nil {
		return nil
	}
	if recv == "" {
		if pkg.SSA == nil {
			return nil
		}
		return pkg.SSA.Func(name)
	}
	if pkg.Types == nil {
		return nil
	}
	tn, ok := pkg.Types.Scope().Lookup(recv).(*types.TypeName)
	if !ok {
		return nil
	}
	named, ok := tn.Type().(*types.Named)
	if !ok {
		return nil
	}
	for m := range named.Methods() {
		if m.Name() == name {
			return p.SSA.FuncValue(m)
		}
	}
	return nil
}

// ResolveGlobal returns the variable whose memory g shares: g itself, or the variable that a
// linkname directive ties it to.
func (p *Packages) ResolveGlobal(g *ssa.Global) *ssa.Global {
	if g.Object() == nil {
		return g
	}
	if one := p.pulledVars[g.Object()]; one != nil {
		return one
	}
	sym, ok := p.globals[g.Object()]
	if !ok {
		return g
	}
	if def := p.Global(sym); def != nil {
		return def
	}
	return g
}

// Global returns the variable of the standard library with a link symbol, or nil.
func (p *Packages) Global(symbol string) *ssa.Global {
	path, recv, name := directive.SplitSymbol(symbol)
	if pkg := p.std[path]; pkg != nil && pkg.SSA != nil && recv == "" {
		if g := pkg.SSA.Var(name); g != nil {
			return g
		}
	}
	return p.vars[symbol]
}

// WasmImport returns the module and name of a function that the host supplies
// by a go:wasmimport directive.
func (p *Packages) WasmImport(fn *ssa.Function) (module, name string, ok bool) {
	fi := p.info(declared(fn))
	if fi == nil || fi.wasmName == "" {
		return "", "", false
	}
	return fi.wasmModule, fi.wasmName, true
}

// Pragma returns the directives of a function.
func (p *Packages) Pragma(fn *ssa.Function) directive.Pragma {
	if fi := p.info(declared(fn)); fi != nil {
		return fi.pragma
	}
	return 0
}

// Pruned reports whether fn has no body only because no live code names it. Such a function is
// never called, but tables of methods may mention it.
func (p *Packages) Pruned(fn *ssa.Function) bool {
	fi := p.info(declared(fn))
	return fi != nil && fi.pruned
}
