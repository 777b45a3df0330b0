package lower

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"iter"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load"
)

// Functions have gc's names: programs see them in tracebacks and by runtime.FuncForPC.

// stdPath returns the import path of the package of the standard library that a function belongs
// to. It returns "" for functions of all other packages, whatever their path.
func (l *lowerer) stdPath(fn *ssa.Function) string { return l.prog.StdPath(pkgOf(fn)) }

// pkgPath returns the import path of the package that a function belongs to. It is part of the
// function's name and decides nothing.
func pkgPath(fn *ssa.Function) string {
	if p := pkgOf(fn); p != nil {
		return p.Path()
	}
	return ""
}

// pkgOf returns the package that a function, or the function that it was made from, belongs to, or
// nil.
func pkgOf(fn *ssa.Function) *types.Package {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Pkg != nil {
		return fn.Pkg.Pkg
	}
	if o := fn.Origin(); o != nil && o.Pkg != nil {
		return o.Pkg.Pkg
	}
	if o := fn.Object(); o != nil && o.Pkg() != nil {
		return o.Pkg()
	}
	return nil
}

// nameOf spells a function's name as in gc's symbol table.
func (l *lowerer) nameOf(fn *ssa.Function) string {
	if s, ok := l.names[fn]; ok {
		return s
	}
	s := l.makeName(fn)
	l.names[fn] = s
	return s
}

// makeName spells a name. A function that the standard library gives to another package by linkname
// has its name in that package. The runtime's functions get these names only where they are shown
// (symbols.go of the overlay), since passes and prices know them by their own names.
func (l *lowerer) makeName(fn *ssa.Function) string {
	name := l.sourceName(fn)
	if path := l.stdPath(fn); path != "" && !slices.Contains(runtimePackages, path) && fn.Parent() == nil && fn.Signature.Recv() == nil && fn.Synthetic == "" &&
		len(fn.TypeArgs()) == 0 && len(fn.Blocks) > 0 {
		if s := l.prog.Symbol(fn); s != path+"."+fn.Name() {
			return s
		}
	}
	return name
}

// prefixOf returns the beginning of the names of literals and thunks in a function.
func (l *lowerer) prefixOf(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return l.nameOf(fn)
	}
	return l.sourceName(fn)
}

// sourceName spells a name as in the source.
func (l *lowerer) sourceName(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return l.literalName(fn)
	}
	name := withoutArguments(load.ShownName(fn.Name()))
	if strings.HasPrefix(name, "init#") {
		name = "init." + fmt.Sprint(atoi(name[5:])-1)
	}
	recv := fn.Signature.Recv()
	if recv != nil {
		return l.methodSymbol(recv.Type(), name)
	}
	if m, ok := strings.CutSuffix(name, "$thunk"); ok { // a method expression
		return l.methodSymbol(fn.Signature.Params().At(0).Type(), m)
	}
	path := pkgPath(fn)
	// As in gc's linker, the part before the first dot of a name is the path.
	i := strings.LastIndexByte(path, '/') + 1
	path = path[:i] + strings.ReplaceAll(path[i:], ".", "%2e")
	if m := l.prog.Main.Pkg; m.Name() == "main" && (fn.Pkg == l.prog.Main || path == m.Path()) {
		path = "main"
	}
	return path + "." + name
}

// isRangeBody reports whether a function is the body of a range over a function.
func isRangeBody(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "range-over-func") }

// around returns the function to which the body of a range over a function belongs. It returns
// other functions unchanged.
func around(fn *ssa.Function) *ssa.Function {
	for isRangeBody(fn) {
		fn = fn.Parent()
	}
	return fn
}

// thunkName spells the name of the function that makes the call of the go or defer statement in.
// gc numbers these functions in the order of the source, those of range bodies with those around.
func (l *lowerer) thunkName(in ssa.CallInstruction, why string) string {
	outer := l.owner(in.Parent())
	if l.thunks[in] == 0 {
		l.numberThunks(outer)
	}
	return fmt.Sprintf("%s.%swrap%d", l.prefixOf(outer), why, l.thunks[in])
}

// numberThunks numbers the thunks of outer and of the bodies that belong to it.
func (l *lowerer) numberThunks(outer *ssa.Function) {
	var list []ssa.CallInstruction
	add := func(fn *ssa.Function) {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				switch in := in.(type) {
				case *ssa.Go, *ssa.Defer:
					if in := in.(ssa.CallInstruction); l.isThunk(in.Common()) {
						list = append(list, in)
					}
				}
			}
		}
	}
	add(outer)
	for fn := range l.inside(outer) {
		if isRangeBody(fn) && l.owner(fn) == outer {
			add(fn)
		}
	}
	slices.SortStableFunc(list, func(a, b ssa.CallInstruction) int { return cmp.Compare(a.Pos(), b.Pos()) })
	for i, in := range list {
		l.thunks[in] = i + 1
	}
}

// owner returns the function whose name begins the numbered names of the functions inside fn.
func (l *lowerer) owner(fn *ssa.Function) *ssa.Function {
	if l.prog.Release.BodiesOwn {
		return fn
	}
	return around(fn)
}

// literalName spells the name of a function literal or the body of a range over a function. gc
// numbers the literals and the bodies in the order of the source. Up to go1.26, functions inside
// such a body belong to the function around it, later to the body.
func (l *lowerer) literalName(fn *ssa.Function) string {
	outer := l.owner(fn.Parent())
	name := l.prefixOf(outer)
	if isRangeBody(fn) {
		return fmt.Sprintf("%s-range%d", name, l.numberOf(fn, outer))
	}
	n := l.numberOf(fn, outer) + l.madeBefore(outer, fn.Pos())
	return fmt.Sprintf("%s%s%d", name, literalSep(outer), n)
}

// literalSep returns the text before the number of a literal of outer.
func literalSep(outer *ssa.Function) string {
	if outer.Parent() != nil {
		return "."
	}
	return ".func"
}

// boundName spells the name of a method value in fn whose operand has type recv. A method value
// that is a literal in gc is numbered with the literals.
func (l *lowerer) boundName(fn *ssa.Function, in *ssa.MakeClosure, recv types.Type) string {
	outer := l.owner(fn)
	if n := l.madeNumber(outer, in.Pos()); n > 0 {
		return fmt.Sprintf("%s%s%d", l.prefixOf(outer), literalSep(outer), n)
	}
	method, _, _ := strings.Cut(withoutArguments(in.Fn.Name()), "$")
	return l.methodSymbol(recv, method) + "-fm"
}

// numberOf returns the number of a literal or a body among those of its kind in outer.
func (l *lowerer) numberOf(fn, outer *ssa.Function) int {
	if l.numbers[fn] == 0 {
		literals, bodies := 0, 0
		for a := range l.inside(outer) {
			n := &literals
			if isRangeBody(a) {
				n = &bodies
			}
			*n++
			l.numbers[a] = *n
		}
		if l.numbers[fn] == 0 { // the loader's
			l.numbers[fn] = max(1, literals)
		}
	}
	return l.numbers[fn]
}

// inside lists the literals and the bodies of ranges over functions that belong to outer, in the
// order of the source.
func (l *lowerer) inside(outer *ssa.Function) iter.Seq[*ssa.Function] {
	return func(yield func(*ssa.Function) bool) {
		var visit func(p *ssa.Function) bool
		visit = func(p *ssa.Function) bool {
			for _, a := range inSource(p) {
				if lit, ok := a.Syntax().(*ast.FuncLit); ok && lit.Body.Lbrace == lit.Body.Rbrace {
					continue // the loader's: see load/rewrite/defers.go
				}
				if !yield(a) || isRangeBody(a) && !l.prog.Release.BodiesOwn && !visit(a) {
					return false
				}
			}
			return true
		}
		visit(outer)
	}
}

// inSource returns the literals and bodies of a function in the order of the source. go/ssa makes
// some later than their place in the source: beside operands that are computed first
// (load/rewrite/order.go), in default cases and at the end of a loop's round.
func inSource(p *ssa.Function) []*ssa.Function {
	less := func(a, b *ssa.Function) int { return cmp.Compare(a.Pos(), b.Pos()) }
	if p.Syntax() == nil || slices.IsSortedFunc(p.AnonFuncs, less) {
		return p.AnonFuncs
	}
	list := slices.Clone(p.AnonFuncs)
	slices.SortStableFunc(list, less)
	return list
}

// methodSymbol spells the name of a method of type recv. For a promoted method, recv is the type
// that it was promoted to. Type arguments are not shown.
func (l *lowerer) methodSymbol(recv types.Type, method string) string {
	t := types.Unalias(recv)
	ptr := false
	if p, ok := t.(*types.Pointer); ok {
		ptr, t = true, types.Unalias(p.Elem())
	}
	pkg, name := l.lay.TypeSymbol(t)
	if pkg != "go:" {
		name = withoutArguments(name)
	}
	if ptr {
		name = "(*" + name + ")"
	}
	return pkg + name + "." + method
}

// withoutArguments returns a name with dots instead of its type arguments.
func withoutArguments(name string) string {
	if i, j := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']'); i >= 0 {
		name = name[:i] + "[...]" + name[j+1:]
	}
	return name
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}
