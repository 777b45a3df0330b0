package bounds

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gyrvm/gyr/internal/front/load/target"
	"github.com/gyrvm/gyr/internal/release"
)

// Types can be larger than any memory. go/types accepts them. gc does not, and neither do we: in
// later stages the sizes would silently overflow. The limits and the messages are gc's. A type
// within the limits that does not fit the program's memory ends the program when a value is
// allocated, except for package-level variables, which layout refuses.

const (
	maxTypeSize   = 1<<50 - 1 // of an array, and of a struct
	maxChanElem   = 1<<16 - 1
	maxGlobalSize = 2_000_000_000
)

// tooLarge stands for the size of a type that is larger than maxTypeSize.
const tooLarge = -1

// A sizer looks for types in a package that are too large.
type sizer struct {
	pkg      *types.Package
	info     *types.Info
	measures map[types.Type]measure
	seen     map[types.Type]bool
	at       token.Pos // of the declaration being examined
	errs     []types.Error

	mapPart int64               // release.Release.MapPart
	maps    map[*types.Map]bool // already examined
	inside  int                 // how many named types contain the type being examined
}

// CheckSizes returns the errors of a package that has no other type errors.
func CheckSizes(r *release.Release, files []*ast.File, pkg *types.Package, info *types.Info) []types.Error {
	s := &sizer{pkg: pkg, info: info, measures: map[types.Type]measure{}, seen: map[types.Type]bool{}, mapPart: r.MapPart, maps: map[*types.Map]bool{}}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				s.at = fn.Name.Pos()
			}
			ast.Inspect(d, s.node)
		}
	}
	return s.errs
}

// node examines the types of a node. It reports whether to examine its children.
func (s *sizer) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.TypeSpec:
		if s.info.Defs[n.Name] != nil && s.info.Defs[n.Name].Parent() != s.pkg.Scope() {
			return false // in a function: gc checks it where it is used
		}
		s.at = n.Name.Pos()
		if t := s.info.Defs[n.Name]; t != nil && !n.Assign.IsValid() {
			s.check(t.Type(), s.at)
			s.inside++
			if n.TypeParams != nil {
				ast.Inspect(n.TypeParams, s.node)
			}
			ast.Inspect(n.Type, s.node)
			s.inside--
			return false
		}
	case *ast.ValueSpec:
		s.at = n.Names[0].Pos()
	case *ast.RangeStmt:
		if t := s.info.TypeOf(n.X); n.Value == nil && t != nil {
			if _, ok := t.Underlying().(*types.Array); ok {
				ast.Inspect(n.Body, s.node)
				return false // an array that is not evaluated
			}
		}
	case *ast.Ident:
		s.object(n)
	}
	if x, ok := n.(ast.Expr); ok {
		tv, ok := s.info.Types[x]
		if ok && tv.Value != nil {
			return false // as in len([1 << 60]int{})
		}
		if _, lit := n.(*ast.CompositeLit); ok && (lit || tv.IsType()) {
			s.check(tv.Type, s.at)
		}
	}
	return true
}

// object examines the object that an identifier declares, or the type that it instantiates.
func (s *sizer) object(id *ast.Ident) {
	if inst, ok := s.info.Instances[id]; ok {
		s.check(inst.Type, s.at)
	}
	v, ok := s.info.Defs[id].(*types.Var)
	if !ok {
		return
	}
	if !v.IsField() && v.Kind() != types.ParamVar && v.Kind() != types.ResultVar && v.Kind() != types.RecvVar {
		s.check(v.Type(), id.Pos())
	}
	if size := s.sizeof(v.Type()); v.Parent() == s.pkg.Scope() && size > maxGlobalSize {
		s.fail(id.Pos(), "%s.%s: symbol too large (%d bytes > %d bytes)", s.pkg.Path(), v.Name(), size, int64(maxGlobalSize))
	}
}

func (s *sizer) fail(pos token.Pos, format string, args ...any) {
	s.errs = append(s.errs, types.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// check examines a type and the types that it consists of.
func (s *sizer) check(t types.Type, pos token.Pos) {
	m, ok := t.Underlying().(*types.Map)
	ok = ok && s.own(t) && !s.maps[m]
	if ok {
		s.maps[m] = true
	}
	if !s.seen[t] {
		s.seen[t] = true
		s.parts(t, pos)
	}
	// The inner types of a named type have no size yet when gc looks.
	if ok && s.inside == 0 && s.mapPart > 0 {
		if size := s.sizeof(m.Elem()); size >= s.mapPart || size == tooLarge {
			s.fail(pos, "map element type too large")
		}
		if size := s.sizeof(m.Key()); size >= s.mapPart || size == tooLarge {
			s.fail(pos, "map key type too large")
		}
	}
}

// own reports whether this package reports a type's errors.
func (s *sizer) own(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return !ok || n.Obj().Pkg() == s.pkg || n.TypeArgs().Len() > 0
}

// parts examines the types that a type consists of, and its own size.
func (s *sizer) parts(t types.Type, pos token.Pos) {
	switch t := t.(type) {
	case *types.Alias:
		s.check(types.Unalias(t), pos)
	case *types.Named:
		if s.own(t) {
			s.inside++
			s.check(t.Underlying(), pos)
			s.inside--
		}
	case *types.Pointer:
		s.check(t.Elem(), pos)
	case *types.Slice:
		s.check(t.Elem(), pos)
	case *types.Map:
		s.check(t.Key(), pos)
		s.check(t.Elem(), pos)
	case *types.Chan:
		s.check(t.Elem(), pos)
		if size := s.sizeof(t.Elem()); size > maxChanElem || size == tooLarge {
			s.fail(pos, "channel element type too large (>64kB)")
		}
	case *types.Array:
		s.check(t.Elem(), pos)
		if s.sizeof(t) == tooLarge && s.sizeof(t.Elem()) != tooLarge {
			s.fail(pos, "type %s larger than address space", s.name(t))
		}
	case *types.Struct:
		parts := false
		for i := range t.NumFields() {
			s.check(t.Field(i).Type(), pos)
			parts = parts || s.sizeof(t.Field(i).Type()) == tooLarge
		}
		if s.sizeof(t) == tooLarge && !parts {
			s.fail(pos, "type %s too large", s.name(t))
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for i := range list.Len() {
				s.check(list.At(i).Type(), pos)
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			s.check(t.ExplicitMethod(i).Type(), pos)
		}
	}
}

// maxTypeName is the number of bytes of a type's name that an error shows.
const maxTypeName = 200

func (s *sizer) name(t types.Type) string {
	name := types.TypeString(t, types.RelativeTo(s.pkg))
	if len(name) > maxTypeName {
		name = name[:maxTypeName] + "..."
	}
	return name
}

// A measure is the size of a type, or tooLarge, and its alignment.
type measure struct{ size, align int64 }

// sizeof returns the size of a type, or tooLarge.
func (s *sizer) sizeof(t types.Type) int64 { return s.measure(t).size }

// measure measures a type. Type parameters have no size.
func (s *sizer) measure(t types.Type) measure {
	if x, ok := s.measures[t]; ok {
		return x
	}
	var x measure
	switch u := t.Underlying().(type) {
	case *types.Array:
		x = s.measure(u.Elem())
		switch {
		case x.size > 0 && u.Len() > maxTypeSize/x.size:
			x.size = tooLarge
		case x.size > 0:
			x.size *= u.Len()
		}
	case *types.Struct:
		x = s.structExtent(u)
	case *types.Interface:
		x.align = 1
		if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
			x = measure{target.Sizes.Sizeof(u), target.Sizes.Alignof(u)}
		}
	default:
		x = measure{target.Sizes.Sizeof(u), target.Sizes.Alignof(u)}
	}
	s.measures[t] = x
	return x
}

func (s *sizer) structExtent(t *types.Struct) measure {
	x := measure{align: 1}
	for i := range t.NumFields() {
		f := s.measure(t.Field(i).Type())
		x.align = max(x.align, f.align)
		if x.size = roundUp(x.size, f.align) + f.size; f.size == tooLarge || x.size > maxTypeSize {
			x.size = tooLarge
			return x
		}
	}
	x.size = roundUp(x.size, x.align)
	return x
}

// roundUp rounds n up to a multiple of a.
func roundUp(n, a int64) int64 { return (n + a - 1) / a * a }
