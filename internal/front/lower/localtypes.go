package lower

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// For each instance of a generic function go/ssa copies the types that the function declares. It
// does not record which copy belongs to which instance. The copies' names must show the instance's
// type arguments, so the owner is found when a name is needed. It is the instance of the declaring
// function in whose body the copy occurs other than through the instance's own type arguments
// (F[F[int].T] uses a type of F[int]).

// outerArgs is a hook of the layout. It returns the type arguments of the instance that owns the
// copy obj of a local type.
func (l *lowerer) outerArgs(obj *types.TypeName) []types.Type {
	if args, ok := l.owners[obj]; ok {
		return args
	}
	for i, fn := range l.instances {
		syn := fn.Syntax()
		if l.searched[i] || syn == nil || obj.Pos() < syn.Pos() || syn.End() <= obj.Pos() {
			continue
		}
		l.searched[i] = true
		s := ownedTypes{l: l, fn: fn, seen: map[types.Type]bool{}}
		for _, arg := range fn.TypeArgs() {
			s.arguments(arg)
		}
		s.function(fn)
	}
	return l.owners[obj]
}

// noteInstance remembers an instance of a generic function.
func (l *lowerer) noteInstance(fn *ssa.Function) {
	if fn.Parent() == nil && len(fn.TypeArgs()) > 0 {
		l.instances = append(l.instances, fn)
		l.searched = append(l.searched, false)
	}
}

// ownedTypes collects the copies of local types that belong to one instance.
type ownedTypes struct {
	l    *lowerer
	fn   *ssa.Function
	seen map[types.Type]bool
}

// arguments marks the copies inside a type argument as belonging to other instances.
func (s *ownedTypes) arguments(t types.Type) {
	s.walk(t, func(n *types.Named) {})
}

// function enters the copies in the bodies of fn and of the functions inside it.
func (s *ownedTypes) function(fn *ssa.Function) {
	for _, p := range fn.Params {
		s.own(p.Type())
	}
	for _, v := range fn.FreeVars {
		s.own(v.Type())
	}
	s.own(fn.Signature.Results())
	var ops []*ssa.Value
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				s.own(v.Type())
			}
			if in, ok := in.(*ssa.TypeAssert); ok {
				s.own(in.AssertedType)
			}
			ops = in.Operands(ops[:0])
			for _, op := range ops {
				if *op == nil {
					continue
				}
				s.own((*op).Type())
				if callee, ok := (*op).(*ssa.Function); ok {
					for _, arg := range callee.TypeArgs() {
						s.own(arg)
					}
				}
			}
		}
	}
	for _, anon := range fn.AnonFuncs {
		s.function(anon)
	}
}

// own enters the copies inside t.
func (s *ownedTypes) own(t types.Type) {
	s.walk(t, func(n *types.Named) {
		syn := s.fn.Syntax()
		if obj := n.Obj(); syn.Pos() <= obj.Pos() && obj.Pos() < syn.End() {
			s.l.owners[obj] = s.fn.TypeArgs()
		}
	})
}

// walk calls f for each copy of a local type in t.
func (s *ownedTypes) walk(t types.Type, f func(*types.Named)) {
	t = types.Unalias(t)
	if t == nil || s.seen[t] {
		return
	}
	s.seen[t] = true
	switch t := t.(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			s.walk(arg, f)
		}
		if t.Obj().Parent() == nil && t.Obj().Pkg() != nil {
			f(t)
			s.walk(t.Underlying(), f)
		}
	case *types.Tuple:
		for v := range t.Variables() {
			s.walk(v.Type(), f)
		}
	case *types.Signature:
		s.walk(t.Params(), f)
		s.walk(t.Results(), f)
	case *types.Struct:
		for v := range t.Fields() {
			s.walk(v.Type(), f)
		}
	case *types.Interface:
		for m := range t.Methods() {
			s.walk(m.Type(), f)
		}
	case *types.Map:
		s.walk(t.Key(), f)
		s.walk(t.Elem(), f)
	case interface{ Elem() types.Type }: // arrays, slices, pointers, channels
		s.walk(t.Elem(), f)
	}
}
