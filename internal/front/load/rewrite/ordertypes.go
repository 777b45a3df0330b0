package rewrite

import (
	"go/types"
)

// gcSizes has the sizes of types in gc's programs for amd64. gc chooses the functions of its
// runtime by them.
var gcSizes = types.SizesFor("gc", "amd64")

// typeFacts has the facts about types that the order of evaluation depends on. A type may name
// another one many times, and that one a third one. So the facts are kept, and each part of a type
// is visited once.
type typeFacts struct {
	measures map[types.Type]valueMeasure
	grounds  map[types.Type]types.Type
	opens    map[types.Type]bool
	generics map[types.Type]bool
}

func newTypeFacts() *typeFacts {
	return &typeFacts{map[types.Type]valueMeasure{}, map[types.Type]types.Type{}, map[types.Type]bool{}, map[types.Type]bool{}}
}

// once returns the result of f for a type. It calls f only the first time.
func once[T any](known map[types.Type]T, t types.Type, f func() T) T {
	v, ok := known[t]
	if !ok {
		v = f()
		known[t] = v
	}
	return v
}

// A valueMeasure describes values of a type in memory, for gc on amd64.
type valueMeasure struct {
	size, align int64
	pointers    bool // some words are pointers for the collector
	plain       bool // equal bytes mean equal values
}

func (f *typeFacts) measure(t types.Type) valueMeasure {
	return once(f.measures, t, func() valueMeasure { return f.newMeasure(t) })
}

func (f *typeFacts) newMeasure(t types.Type) (m valueMeasure) {
	switch u := under(t).(type) {
	case *types.Struct:
		m = valueMeasure{align: 1, plain: true}
		filled, last := int64(0), int64(-1)
		for x := range u.Fields() {
			e := f.measure(x.Type())
			m.size = roundUp(m.size, e.align)
			m.size += e.size
			filled += e.size
			last = e.size
			m.align = max(m.align, e.align)
			m.pointers = m.pointers || e.pointers
			m.plain = m.plain && e.plain && x.Name() != "_"
		}
		if m.size > 0 && last == 0 {
			m.size++ // so that the address of the last field is inside the struct
		}
		m.size = roundUp(m.size, m.align)
		m.plain = m.plain && filled == m.size // without padding
	case *types.Array:
		m = f.measure(u.Elem())
		m.size *= u.Len()
		m.pointers = m.pointers && u.Len() > 0
	case *types.Basic:
		m = valueMeasure{size: gcSizes.Sizeof(u), align: gcSizes.Alignof(u)}
		m.pointers = u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
		m.plain = u.Info()&(types.IsFloat|types.IsComplex|types.IsString) == 0
	case *types.Pointer, *types.Chan:
		m = valueMeasure{size: 8, align: 8, pointers: true, plain: true}
	default:
		m = valueMeasure{size: gcSizes.Sizeof(u), align: gcSizes.Alignof(u), pointers: true}
	}
	return m
}

// roundUp returns the least multiple of align that is not below n.
func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// under returns the type that decides about an operand: the underlying type, or for a type
// parameter the common underlying type of its types, if they have one.
func under(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		if u := common(p.Underlying().(*types.Interface)); u != nil {
			return u
		}
	}
	return t.Underlying()
}

// common returns the underlying type of all types of a constraint, or nil if they differ.
func common(c *types.Interface) types.Type { return commonOf(c, map[types.Type]types.Type{}) }

func commonOf(c *types.Interface, known map[types.Type]types.Type) types.Type {
	return once(known, c, func() (u types.Type) {
		for e := range c.EmbeddedTypes() {
			var next types.Type
			switch e := types.Unalias(e).(type) {
			case *types.Union:
				for t := range e.Terms() {
					if v := t.Type().Underlying(); next == nil {
						next = v
					} else if !types.Identical(next, v) {
						return nil
					}
				}
			default:
				next = e.Underlying()
				if i, ok := next.(*types.Interface); ok {
					next = commonOf(i, known)
				}
			}
			if next != nil {
				u = next
			}
		}
		return u
	})
}

// ground returns a type with the size and the components that t has for all type arguments, or nil
// if these differ.
func (f *typeFacts) ground(t types.Type) types.Type {
	return once(f.grounds, t, func() types.Type { return f.newGround(t) })
}

func (f *typeFacts) newGround(t types.Type) types.Type {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		if u := under(t); !types.IsInterface(u) {
			return f.ground(u)
		}
		return nil
	case *types.Named:
		if !f.open(t) {
			return t
		}
		return f.ground(t.Underlying())
	case *types.Array:
		if e := f.ground(t.Elem()); e != nil {
			return types.NewArray(e, t.Len())
		}
		return nil
	case *types.Struct:
		var fields []*types.Var
		for x := range t.Fields() {
			u := f.ground(x.Type())
			if u == nil {
				return nil
			}
			fields = append(fields, types.NewField(x.Pos(), x.Pkg(), x.Name(), u, x.Embedded()))
		}
		return types.NewStruct(fields, nil)
	}
	return t // the sizes of other types do not depend on their components
}

// open reports whether a value of a type has a part whose type is a type parameter.
func (f *typeFacts) open(t types.Type) bool {
	return once(f.opens, t, func() bool {
		switch t := types.Unalias(t).(type) {
		case *types.TypeParam:
			return true
		case *types.Named:
			return f.open(t.Underlying())
		case *types.Array:
			return f.open(t.Elem())
		case *types.Struct:
			for x := range t.Fields() {
				if f.open(x.Type()) {
					return true
				}
			}
		}
		return false
	})
}

// generic reports whether a type depends on type parameters.
func (f *typeFacts) generic(t types.Type) bool {
	return once(f.generics, t, func() bool {
		switch t := types.Unalias(t).(type) {
		case *types.TypeParam:
			return true
		case *types.Named:
			for a := range t.TypeArgs().Types() {
				if f.generic(a) {
					return true
				}
			}
		case *types.Pointer:
			return f.generic(t.Elem())
		case *types.Slice:
			return f.generic(t.Elem())
		case *types.Array:
			return f.generic(t.Elem())
		case *types.Chan:
			return f.generic(t.Elem())
		case *types.Map:
			return f.generic(t.Key()) || f.generic(t.Elem())
		case *types.Struct:
			for x := range t.Fields() {
				if f.generic(x.Type()) {
					return true
				}
			}
		case *types.Signature:
			return f.generic(t.Params()) || f.generic(t.Results())
		case *types.Tuple:
			for v := range t.Variables() {
				if f.generic(v.Type()) {
					return true
				}
			}
		}
		return false
	})
}
