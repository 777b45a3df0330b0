package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/target"
)

// Linknames of programs.
//
// A go:linkname directive outside the standard library gives a function or variable another symbol.
// As in gc, all declarations of a symbol are one thing: the function that has a body, or one
// variable. A symbol of the standard library leads to its answer in the list (directive/pulls.go)
// and to nothing else: not to the standard library's own declaration with that name, and no program
// replaces that declaration. A symbol that is missing or does not fit is an error where the program
// reaches it, as for gc's linker.

// An ownLink is a directive of the program about one of its objects.
type ownLink struct {
	pkg    *Package
	obj    types.Object
	symbol string
	pos    token.Position
}

// A linker ties the program's own declarations together.
type linker struct {
	l *loader
	p *Packages

	links   []ownLink
	renamed map[types.Object]bool    // the objects of links
	bodies  map[string]*ssa.Function // functions with a body and a symbol from a directive
	vars    map[string][]*ssa.Global // variables with a symbol from a directive

	errs diag.Errors // errors that are reported even if nothing reaches the object
}

// checkLinknames reports meaningless directives, in the compiler's words, and directives of
// packages that may not have any.
func (l *loader) checkLinknames(f *file) (errs diag.Errors) {
	for _, ln := range directive.Linknames(f.directives) {
		msg := ""
		switch {
		case !importsUnsafe(f):
			msg = "//go:" + ln.Name + ` only allowed in Go files that import "unsafe"`
		case ln.Args != 1 && ln.Args != 2:
			msg = "usage: //go:" + ln.Name + " localname [linkname]"
		}
		if msg != "" {
			errs = append(errs, &diag.Error{Pos: l.position(f, ln.Pos), Msg: msg})
		}
	}
	return errs
}

func importsUnsafe(f *file) bool {
	return slices.ContainsFunc(f.ast.Imports, func(s *ast.ImportSpec) bool {
		path, _ := strconv.Unquote(s.Path.Value)
		return path == "unsafe"
	})
}

// linkOwn resolves the directives of the program's packages.
func (p *Packages) linkOwn(l *loader, order []*pkg) error {
	k := &linker{l: l, p: p, renamed: map[types.Object]bool{}, bodies: map[string]*ssa.Function{},
		vars: map[string][]*ssa.Global{}}
	var errs diag.Errors
	for _, q := range order {
		if q.origin.std() {
			continue
		}
		for _, f := range q.files {
			if f.generated {
				continue
			}
			errs = append(errs, k.collect(q, f)...)
		}
	}
	if errs != nil {
		return errs
	}
	for i := range k.links {
		k.push(&k.links[i])
	}
	for i := range k.links {
		k.pull(&k.links[i])
	}
	for _, q := range order {
		if !q.origin.std() {
			k.bodyless(q.out)
		}
	}
	if k.errs != nil {
		return k.errs
	}
	return nil
}

// collect finds the objects of a file's directives.
func (k *linker) collect(q *pkg, f *file) (errs diag.Errors) {
	for _, ln := range directive.Linknames(f.directives) {
		obj := q.out.Types.Scope().Lookup(ln.Local)
		switch obj.(type) {
		case *types.Func, *types.Var:
		default:
			errs = append(errs, &diag.Error{Package: q.importPath, Pos: k.l.position(f, ln.Pos),
				Msg: "//go:" + ln.Name + " must refer to declared function or variable"})
			continue
		}
		if fn, ok := obj.(*types.Func); ok && fn.Signature().TypeParams().Len() > 0 {
			errs = append(errs, &diag.Error{Package: q.importPath, Pos: k.l.position(f, ln.Pos),
				Msg: "//go:" + ln.Name + " of a generic function is not supported"})
			continue
		}
		if ln.Target == "" || ln.Target == escaped(obj) || k.renamed[obj] {
			continue
		}
		k.renamed[obj] = true
		k.links = append(k.links, ownLink{q.out, obj, ln.Target, k.l.position(f, ln.Pos)})
	}
	return errs
}

// push notes a function with a body, or a variable, that gets a symbol from a directive.
func (k *linker) push(ln *ownLink) {
	if k.ofStd(ln.symbol) {
		return
	}
	switch obj := ln.obj.(type) {
	case *types.Func:
		fn := ln.pkg.SSA.Func(obj.Name())
		if fn == nil || fn.Blocks == nil {
			return
		}
		if k.function(ln.symbol) != nil {
			k.errs = append(k.errs, ln.error("%s: the program has another function with this symbol", ln.symbol))
			return
		}
		k.bodies[ln.symbol] = fn
	case *types.Var:
		k.vars[ln.symbol] = append(k.vars[ln.symbol], ln.pkg.SSA.Var(obj.Name()))
	}
}

// pull ties a directive's object to the object that its symbol names.
func (k *linker) pull(ln *ownLink) {
	switch obj := ln.obj.(type) {
	case *types.Func:
		fn := ln.pkg.SSA.Func(obj.Name())
		switch {
		case fn == nil:
		case k.ofStd(ln.symbol):
			k.fromStd(ln, fn.Blocks != nil, directive.FuncLeaves(obj.Signature()))
		case fn.Blocks == nil:
			k.pullFunc(ln, obj)
		}
	case *types.Var:
		if k.ofStd(ln.symbol) {
			k.fromStd(ln, initialised(ln.pkg, obj), strings.Join(directive.Leaves(obj.Type()), " "))
			return
		}
		k.pullVar(ln, obj)
	}
}

// fromStd resolves a directive that names a symbol of the standard library.
func (k *linker) fromStd(ln *ownLink, defined bool, layout string) {
	_, isVar := ln.obj.(*types.Var)
	all := directive.AnswersTo(ln.symbol)
	i := slices.IndexFunc(all, func(a *directive.Answer) bool { return a.IsVar() == isVar && a.Leaves() == layout })
	switch {
	case defined:
		k.errs = append(k.errs, ln.error("%s is the standard library's: a program cannot define it", ln.symbol))
	case all == nil:
		k.refuse(ln, "%s: programs cannot take this from the standard library", ln.symbol)
	case i < 0:
		k.refuse(ln, "%s does not fit: declare it as %s", ln.symbol, all[0].Sig)
	case k.p.Std(all[i].Pkg()) == nil:
		k.refuse(ln, "%s: the program does not import its package", ln.symbol)
	case isVar:
		k.p.globals[ln.obj] = all[i].Link()
	default:
		k.p.answered[ln.obj] = all[i].Link()
	}
}

// pullFunc gives a function without a body that of the function with its symbol.
func (k *linker) pullFunc(ln *ownLink, obj *types.Func) {
	body := k.function(ln.symbol)
	switch {
	case body == nil:
		k.refuse(ln, "%s: no package of the program has a function with this symbol", ln.symbol)
	case directive.FuncLeaves(body.Signature) != directive.FuncLeaves(obj.Signature()):
		k.refuse(ln, "%s does not fit: it is %s", ln.symbol, body.Signature)
	default:
		k.p.pulled[obj] = body
	}
}

// pullVar unites a variable with the others of its symbol: with the variable of that name, else
// with the first.
func (k *linker) pullVar(ln *ownLink, obj *types.Var) {
	first := k.variable(ln.symbol)
	if first == nil {
		first = k.vars[ln.symbol][0]
	}
	switch t := first.Object().Type(); {
	case first.Object() == ln.obj:
	case !slices.Equal(directive.Leaves(t), directive.Leaves(obj.Type())) || target.Sizes.Sizeof(t) != target.Sizes.Sizeof(obj.Type()):
		k.refuse(ln, "%s does not fit: its type is %s", ln.symbol, t)
	default:
		k.p.pulledVars[obj] = first
	}
}

// bodyless gives functions without a body and without a directive the bodies that other packages
// push to them.
func (k *linker) bodyless(q *Package) {
	for _, m := range q.SSA.Members {
		fn, ok := m.(*ssa.Function)
		if !ok || fn.Blocks != nil || fn.Object() == nil || k.renamed[fn.Object()] || fn.TypeParams().Len() > 0 {
			continue
		}
		obj := fn.Object().(*types.Func)
		ln := &ownLink{q, obj, escaped(obj), k.l.compilePosition(k.p.Fset, obj.Pos())}
		if body := k.bodies[ln.symbol]; body != nil {
			k.pullFunc(ln, obj)
		}
	}
}

// function returns the function of the program with a symbol and a body, or nil.
func (k *linker) function(symbol string) *ssa.Function {
	if fn := k.bodies[symbol]; fn != nil {
		return fn
	}
	pkg, recv, name := k.split(symbol)
	if pkg == nil {
		return nil
	}
	fn := pkg.SSA.Func(name)
	if recv != "" {
		fn = k.method(pkg, recv, name)
	}
	if fn == nil || fn.Blocks == nil || k.renamed[fn.Object()] || fn.TypeParams().Len() > 0 {
		return nil
	}
	return fn
}

// method returns a method of a type of a package, neither of which is generic, or nil.
func (k *linker) method(pkg *Package, recv, name string) *ssa.Function {
	tn, ok := pkg.Types.Scope().Lookup(recv).(*types.TypeName)
	if !ok {
		return nil
	}
	named, ok := tn.Type().(*types.Named)
	if !ok || named.TypeParams().Len() > 0 {
		return nil
	}
	for m := range named.Methods() {
		if m.Name() == name && m.Signature().TypeParams().Len() == 0 {
			return k.p.SSA.FuncValue(m)
		}
	}
	return nil
}

// variable returns the variable of the program with a symbol as its name, or nil.
func (k *linker) variable(symbol string) *ssa.Global {
	pkg, recv, name := k.split(symbol)
	if pkg == nil || recv != "" {
		return nil
	}
	if g := pkg.SSA.Var(name); g != nil && !k.renamed[g.Object()] {
		return g
	}
	return nil
}

// split finds the package of the program that a symbol names, or nil.
func (k *linker) split(symbol string) (pkg *Package, recv, name string) {
	path, recv, name := directive.SplitSymbol(symbol)
	if pkg = k.p.byPath[symbolPath(path)]; pkg == nil || pkg.Std {
		return nil, "", ""
	}
	return pkg, recv, name
}

// ofStd reports whether a symbol belongs to the standard library.
func (k *linker) ofStd(symbol string) bool {
	path, _, _ := directive.SplitSymbol(symbol)
	if q := k.p.byPath[path]; q != nil {
		return q.Std
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") || badElement(path) != "" || strings.ContainsAny(path, "\\\x00") {
		return false // it must not lead out of GOROOT, either
	}
	_, ok := k.l.stdPlace(path)
	return ok || k.l.library != nil && k.l.library.Has(path)
}

// escaped returns the symbol that an object of the program has by its name.
func escaped(obj types.Object) string {
	path := obj.Pkg().Path()
	i := strings.LastIndexByte(path, '/') + 1
	return path[:i] + strings.NewReplacer("%", "%25", ".", "%2e").Replace(path[i:]) + strings.TrimPrefix(defaultSymbol(obj), path)
}

// symbolPath returns the import path in a symbol. In the symbol, %2e stands for a dot of the last
// element.
func symbolPath(path string) string {
	if s, err := url.PathUnescape(path); err == nil {
		return s
	}
	return path
}

// refuse notes why nothing may reach the object of a directive.
func (k *linker) refuse(ln *ownLink, format string, args ...any) {
	k.p.refused[ln.obj] = ln.error(format, args...)
}

// error makes an error about a directive.
func (ln *ownLink) error(format string, args ...any) *diag.Error {
	return &diag.Error{Pos: ln.pos, Msg: "//go:linkname " + ln.obj.Name() + " " + fmt.Sprintf(format, args...)}
}

// Refusal returns why nothing may reach a function, nil if its directives give no reason.
func (p *Packages) Refusal(fn *ssa.Function) error { return p.refusal(declared(fn)) }

// RefusalOf is Refusal for a variable.
func (p *Packages) RefusalOf(g *ssa.Global) error { return p.refusal(g.Object()) }

func (p *Packages) refusal(obj types.Object) error {
	if e := p.refused[obj]; e != nil {
		return diag.Errors{e}
	}
	return nil
}
