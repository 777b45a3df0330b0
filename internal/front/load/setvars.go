package load

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// This file gives variables the values of -ldflags=-X. As in Go's linker, these are variables of
// type string without an initial value, or with a constant one. A computed variable keeps its
// value, and a missing one is ignored: neither is an error.

// setVars changes the initial values of variables of a package that was just type-checked.
func (l *loader) setVars(p *pkg, c *checked, fset *token.FileSet) (errs diag.Errors) {
	for _, name := range slices.Sorted(maps.Keys(l.cfg.Settings.Vars)) {
		pkg, local := splitVar(name)
		if pkg != p.path {
			continue
		}
		v, ok := c.Types.Scope().Lookup(local).(*types.Var)
		if !ok {
			continue
		}
		if !types.Identical(v.Type(), types.Typ[types.String]) {
			errs = append(errs, &diag.Error{Package: p.importPath, Msg: fmt.Sprintf(
				"%s: cannot set with -X: not a var of type string (type:%s)", name, types.TypeString(v.Type(), nil))})
			continue
		}
		setVar(c, fset, v, l.cfg.Settings.Vars[name])
	}
	return errs
}

// setVar gives a variable of type string an initial value.
func setVar(c *checked, fset *token.FileSet, v *types.Var, value string) {
	for _, in := range c.Info.InitOrder {
		if !slices.Contains(in.Lhs, v) {
			continue
		}
		for e := in.Rhs; ; {
			if tv := c.Info.Types[e]; tv.Value != nil && len(in.Lhs) == 1 {
				tv.Value = constant.MakeString(value)
				c.Info.Types[e] = tv
			}
			paren, ok := e.(*ast.ParenExpr)
			if !ok {
				return
			}
			e = paren.X
		}
	}
	lit := &ast.BasicLit{ValuePos: v.Pos(), Kind: token.STRING, Value: strconv.Quote(value)}
	if types.CheckExpr(fset, c.Types, v.Pos(), lit, c.Info) != nil {
		return
	}
	tv := c.Info.Types[lit]
	tv.Type = v.Type()
	c.Info.Types[lit] = tv
	c.Info.InitOrder = slices.Insert(c.Info.InitOrder, 0, &types.Initializer{Lhs: []*types.Var{v}, Rhs: lit})
}

// splitVar splits "importpath.name" at the last dot. An import path may have dots in its last
// element.
func splitVar(s string) (pkg, name string) {
	i := strings.LastIndexByte(s, '.')
	return s[:max(i, 0)], s[i+1:]
}

// refuseVars returns errors for values of variables of the standard library, which was compiled
// before.
func (l *loader) refuseVars(order []*pkg) (errs diag.Errors) {
	for _, name := range slices.Sorted(maps.Keys(l.cfg.Settings.Vars)) {
		path, _ := splitVar(name)
		if slices.ContainsFunc(order, func(p *pkg) bool { return p.origin.std() && p.path == path }) {
			errs = append(errs, &diag.Error{Msg: fmt.Sprintf(
				"%s: cannot set with -X: package %s is of the standard library, which is precompiled", name, path)})
		}
	}
	return errs
}
