package load

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// # Measured loops
//
// A directive can declare a benchmark: the compiler then makes the loop that measures it in the IR.
// In Go the loop is a function without a body, with a directive that names the function that it
// calls:
//
//	//gyr:loop (*buf).sum
//	func gyrLoop0(n int, recv *buf, k int)
//
// The loop calls recv.sum(k) n times. If the word inline follows the name, the function may be
// larger than others that become part of their callers. The loop has no charge and no poll, so
// nothing stops it before it is done. Only the caller of the load can permit that, not the program:
// Settings.Measured names the files that may declare such loops, no flag sets it, and each file
// must also be in Settings.Replace. In any other file the directive is a comment, and a function
// without a body is an error as usual.

const loopDirective = "//gyr:loop "

// mayMeasure reports whether a file may declare measured loops.
func (l *loader) mayMeasure(f *file) bool {
	s := &l.cfg.Settings
	return slices.Contains(s.Measured, f.name) && s.Replace[f.name] != ""
}

// loopsOf finds the directives of measured loops, by the position of the functions.
func loopsOf(f *ast.File) map[token.Pos]string {
	var loops map[token.Pos]string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body != nil || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			if of, ok := strings.CutPrefix(c.Text, loopDirective); ok {
				if loops == nil {
					loops = map[token.Pos]string{}
				}
				loops[fn.Name.Pos()] = strings.TrimSpace(of)
			}
		}
	}
	return loops
}

// measuredLoops finds the functions that the measured loops of a package call.
func (l *loader) measuredLoops(p *pkg, c *checked, fset *token.FileSet) (errs diag.Errors) {
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || f.loops[fn.Name.Pos()] == "" {
				continue
			}
			obj, ok := c.Info.Defs[fn.Name].(*types.Func)
			if !ok {
				continue
			}
			of, inline := strings.CutSuffix(f.loops[fn.Name.Pos()], " inline")
			target, why := measuredFunc(c.Types, obj, of)
			if why != "" {
				errs = append(errs, &diag.Error{Package: p.importPath, Pos: l.compilePosition(fset, fn.Name.Pos()),
					Msg: fmt.Sprintf("measured loop over %s: %s", of, why)})
				continue
			}
			if c.loops == nil {
				c.loops = map[types.Object]measured{}
			}
			c.loops[obj] = measured{target, inline}
		}
	}
	return errs
}

// measuredFunc finds the function or method of a package that a measured loop calls, or returns why
// the loop cannot call it.
func measuredFunc(pkg *types.Package, loop *types.Func, name string) (target *types.Func, why string) {
	typ, method, isMethod := strings.Cut(name, ".")
	if !isMethod {
		target, _ = pkg.Scope().Lookup(name).(*types.Func)
	} else if t, ok := pkg.Scope().Lookup(strings.Trim(typ, "(*)")).(*types.TypeName); ok {
		obj, _, _ := types.LookupFieldOrMethod(t.Type(), true, pkg, method)
		target, _ = obj.(*types.Func)
	}
	if target == nil {
		return nil, "there is no such function"
	}
	sig, have := target.Signature(), loop.Signature()
	if sig.Variadic() || sig.TypeParams() != nil || sig.RecvTypeParams() != nil {
		return nil, "it is generic or variadic"
	}
	want := []types.Type{types.Typ[types.Int]}
	if r := sig.Recv(); r != nil {
		want = append(want, r.Type())
	}
	for v := range sig.Params().Variables() {
		want = append(want, v.Type())
	}
	fits := have.Recv() == nil && have.TypeParams() == nil && have.Results().Len() == 0 && have.Params().Len() == len(want)
	for i := 0; fits && i < len(want); i++ {
		fits = types.Identical(have.Params().At(i).Type(), want[i])
	}
	if !fits {
		return nil, "its parameters are not a count and those of the function"
	}
	return target, ""
}

// A measured is the function that a measured loop calls.
type measured struct {
	of     *types.Func
	inline bool
}

// Loop returns the function that a measured loop calls, and whether it may be larger than others
// that become part of their callers. It returns nil if fn is not a measured loop.
func (p *Packages) Loop(fn *ssa.Function) (of *ssa.Function, inline bool) {
	if fn.Pkg == nil || fn.Object() == nil {
		return nil, false
	}
	q := p.bySSA[fn.Pkg]
	if q == nil || q.loops[fn.Object()].of == nil {
		return nil, false
	}
	m := q.loops[fn.Object()]
	return p.SSA.FuncValue(m.of), m.inline
}
