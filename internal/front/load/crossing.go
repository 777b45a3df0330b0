package load

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/gyrvm/gyr/internal/front/hostpkg"
	"github.com/gyrvm/gyr/internal/ir"
)

// Which functions of a library the host can call.
//
// Package rt decides which values cross, from the guest's descriptors (GuestType.Crosses). This
// file decides the same from types in the source, so that a program can tell before anything runs.
// Package hostpkg decides it for declarations. TestCrossings of package engine compares the three.

// describeExports fills in the signatures of the exported functions of a type-checked package, and
// why some cannot be called. Functions without a number come after the others.
func (l *loader) describeExports(p *pkg) {
	pkg := p.out.Types
	for i := range l.exports {
		e := &l.exports[i]
		fn, ok := pkg.Scope().Lookup(e.Name).(*types.Func)
		if !ok {
			continue // declared twice, and reported
		}
		sig := fn.Signature()
		here := types.RelativeTo(pkg)
		name := func(t types.Type) string {
			return types.TypeString(t, func(q *types.Package) string {
				if here(q) == "" {
					return ""
				}
				return q.Name()
			})
		}
		e.Signature = strings.TrimPrefix(name(sig), "func")
		for i := range sig.Params().Len() {
			t := name(sig.Params().At(i).Type())
			if sig.Variadic() && i == sig.Params().Len()-1 {
				t = "..." + strings.TrimPrefix(t, "[]")
			}
			e.ParamTypes = append(e.ParamTypes, t)
		}
		results := sig.Results().Len()
		if e.Fails {
			results--
		}
		for i := range results {
			e.ResultTypes = append(e.ResultTypes, name(sig.Results().At(i).Type()))
		}
		if e.Refusal == "" {
			e.Refusal = cannotCross(sig, results, e.Params, name)
		}
	}
}

// cannotCross returns why the parameters and the first results of a function cannot cross, or "".
func cannotCross(sig *types.Signature, results int, params []string, name func(types.Type) string) string {
	for i := range sig.Params().Len() {
		which := fmt.Sprintf("parameter %d", i)
		if params[i] != "_" {
			which += " (" + params[i] + ")"
		}
		c := crossing{name: name, over: map[types.Type]bool{}}
		if why := c.look(sig.Params().At(i).Type()); why != "" {
			return which + ": " + why
		}
	}
	for i := range results {
		c := crossing{name: name, over: map[types.Type]bool{}}
		if why := c.look(sig.Results().At(i).Type()); why != "" {
			return fmt.Sprintf("result %d: %s", i, why)
		}
	}
	return ""
}

// A crossing looks at one type.
type crossing struct {
	name  func(types.Type) string
	over  map[types.Type]bool // types that were looked at
	depth int
}

// maxTypeDepth bounds types within types, as package rt does.
const maxTypeDepth = 1000

// look returns why values of a type do not cross, with the path to the offending part, or "" if
// they do.
func (c *crossing) look(t types.Type) string {
	if c.depth++; c.depth > maxTypeDepth {
		return "the type is too large to cross"
	}
	defer func() { c.depth-- }()
	t = types.Unalias(t)
	if c.over[t] {
		return ""
	}
	c.over[t] = true
	if hostpkg.IsTime(t) || hostpkg.IsHandle(t) {
		return ""
	}
	within := func(part string, t types.Type) string {
		if why := c.look(t); why != "" {
			return part + ": " + why
		}
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() != types.UnsafePointer {
			return ""
		}
	case *types.Pointer:
		return within("pointer", u.Elem())
	case *types.Slice:
		return within("element", u.Elem())
	case *types.Array:
		return within("element", u.Elem())
	case *types.Map:
		if !hostpkg.Ordered(u.Key()) {
			return c.name(t) + " does not cross: the host cannot order its keys"
		}
		if why := within("key", u.Key()); why != "" {
			return why
		}
		return within("element", u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if why := within("field "+f.Name(), f.Type()); why != "" {
				return why
			}
		}
		for f := range u.Fields() {
			if !f.Exported() {
				return "field " + f.Name() + " of " + c.name(t) + " is not exported"
			}
		}
		return ""
	case *types.Interface:
		if u.NumMethods() == 0 || types.Identical(t, types.Universe.Lookup("error").Type()) {
			return ""
		}
		return c.name(t) + " does not cross: it is an interface with methods other than error"
	}
	return c.name(t) + " does not cross"
}

// refusedExports are the exported functions of a package that a call could not even name.
func refusedExports(p *pkg) (list []ir.Export) {
	for _, f := range p.files {
		for _, fn := range exportedFuncs(f) {
			if why := noCall(fn); why != "" {
				e := exportOf(fn)
				e.Refusal = why
				list = append(list, e)
			}
		}
	}
	return list
}
