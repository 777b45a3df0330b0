package bounds

import (
	"encoding/binary"
	"fmt"
	"go/types"

	"github.com/gyrvm/gyr/internal/front/budget"
)

// Types as numbers: two types with the same number are identical, as far as it matters here. The
// number of a generic type with type arguments is found without making the instance.

// Kinds of types in keys.
const (
	kindBasic = iota
	kindParam
	kindNamed
	kindPointer
	kindSlice
	kindArray
	kindMap
	kindChan
	kindStruct
	kindFunc
	kindTuple
	kindInterface
	kindUnion
)

func appendIDs(b []byte, ids []int32) []byte {
	for _, id := range ids {
		b = binary.AppendUvarint(b, uint64(id))
	}
	return b
}

// leaf numbers a part of a key that is not made of types.
func (x *closure) leaf(v any) int32 {
	n, ok := x.leaves[v]
	if !ok {
		n = int32(len(x.leaves) + 1)
		x.leaves[v] = n
	}
	return n
}

// intern returns the number of a type that is made of others. It refuses a type whose text is too
// long: go/types writes the whole text to recognise instances.
func (x *closure) intern(kind int, extra int64, ids []int32, n node) (id int32, fresh bool) {
	key := string(appendIDs(binary.AppendVarint([]byte{byte(kind)}, extra), ids))
	if id, ok := x.ids[key]; ok {
		return id, false
	}
	n.terms = budget.Add(n.terms, 1)
	if kind != kindStruct && kind != kindInterface { // their ids also have names
		for _, id := range ids {
			n.terms = budget.Add(n.terms, x.nodes[id].terms)
		}
	}
	if most := x.Limits.TypeExpansion; n.terms > most {
		x.refuse("TypeExpansion", most, fmt.Sprintf("a type that takes %s names to write", count(n.terms)))
	}
	id = int32(len(x.nodes))
	x.nodes = append(x.nodes, n)
	x.ids[key] = id
	return id, true
}

// words returns the node of a value of n words.
func words(n int64) node { return node{bytes: 8 * n, parts: 1, align: 8} }

// typ returns the number of a type. Its type parameters stand for the types of env.
func (x *closure) typ(t types.Type, env []int32) int32 {
	t = types.Unalias(t)
	if id, ok := x.closed[t]; ok {
		return id
	}
	before := x.open
	x.open = false
	id := x.typ1(t, env)
	if !x.open {
		x.closed[t] = id
	}
	x.open = x.open || before
	return id
}

func (x *closure) typ1(t types.Type, env []int32) (id int32) {
	switch t := t.(type) {
	case *types.Basic:
		id, _ = x.intern(kindBasic, int64(t.Kind()), nil, basic(t))
	case *types.TypeParam:
		x.open = true
		if i := x.own[t] + t.Index(); i < len(env) {
			return env[i]
		}
		id, _ = x.intern(kindParam, int64(x.leaf(t)), nil, node{parts: 1, align: 1})
	case *types.Named:
		return x.namedType(t, env)
	case *types.Pointer:
		id, _ = x.intern(kindPointer, 0, []int32{x.typ(t.Elem(), env)}, words(1))
	case *types.Slice:
		id, _ = x.intern(kindSlice, 0, []int32{x.typ(t.Elem(), env)}, words(3))
	case *types.Chan:
		id, _ = x.intern(kindChan, int64(t.Dir()), []int32{x.typ(t.Elem(), env)}, words(1))
	case *types.Map:
		id, _ = x.intern(kindMap, 0, []int32{x.typ(t.Key(), env), x.typ(t.Elem(), env)}, words(1))
	case *types.Array:
		e := x.typ(t.Elem(), env)
		n := x.nodes[e]
		id, _ = x.intern(kindArray, t.Len(), []int32{e},
			node{bytes: budget.Mul(n.bytes, max(0, t.Len())), parts: budget.Add(n.parts, 1), align: n.align})
	case *types.Struct:
		return x.structType(t, env)
	case *types.Tuple:
		var ids []int32
		for v := range t.Variables() {
			ids = append(ids, x.typ(v.Type(), env))
		}
		id, _ = x.intern(kindTuple, 0, ids, words(0))
	case *types.Signature:
		extra := int64(0)
		if t.Variadic() {
			extra = 1
		}
		id, _ = x.intern(kindFunc, extra, []int32{x.typ(t.Params(), env), x.typ(t.Results(), env)}, words(1))
	case *types.Interface:
		var ids []int32
		sum := words(2)
		for m := range t.ExplicitMethods() {
			f := x.typ(m.Type(), env)
			ids = append(ids, x.leaf(m.Name()), f)
			sum.terms = budget.Add(sum.terms, x.nodes[f].terms)
		}
		ids = append(ids, 0)
		for e := range t.EmbeddedTypes() {
			f := x.typ(e, env)
			ids = append(ids, f)
			sum.terms = budget.Add(sum.terms, x.nodes[f].terms)
		}
		id, _ = x.intern(kindInterface, 0, ids, sum)
	case *types.Union:
		var ids []int32
		for term := range t.Terms() {
			ids = append(ids, x.typ(term.Type(), env))
		}
		id, _ = x.intern(kindUnion, 0, ids, words(0))
	}
	return id
}

// basic returns the size of a value of a basic type.
func basic(t *types.Basic) node {
	switch t.Kind() {
	case types.Bool, types.Int8, types.Uint8:
		return node{bytes: 1, parts: 1, align: 1}
	case types.Int16, types.Uint16:
		return node{bytes: 2, parts: 1, align: 2}
	case types.Int32, types.Uint32, types.Float32:
		return node{bytes: 4, parts: 1, align: 4}
	case types.Complex64:
		return node{bytes: 8, parts: 1, align: 4}
	case types.Complex128, types.String:
		return words(2)
	}
	return words(1)
}

// structType adds the fields, aligned as gc does.
func (x *closure) structType(t *types.Struct, env []int32) int32 {
	var ids []int32
	sum := node{parts: 1, align: 1}
	for v := range t.Fields() {
		f := x.typ(v.Type(), env)
		n := x.nodes[f]
		ids = append(ids, x.leaf(v.Name()), f)
		sum.align = max(sum.align, n.align)
		sum.bytes = budget.Add(align(sum.bytes, n.align), n.bytes)
		sum.parts = budget.Add(sum.parts, n.parts)
		sum.terms = budget.Add(sum.terms, n.terms)
	}
	sum.bytes = align(sum.bytes, sum.align)
	id, _ := x.intern(kindStruct, 0, ids, sum)
	return id
}

func align(n, to int64) int64 {
	if to > 1 && n < budget.Huge {
		n += (to - n%to) % to
	}
	return n
}

// namedType returns the number of a defined type. A type with type arguments is an instance, with
// all of its methods.
func (x *closure) namedType(t *types.Named, env []int32) int32 {
	var ids []int32
	open := x.open
	for a := range t.TypeArgs().Types() {
		ids = append(ids, x.typ(a, env))
	}
	origin := t.Origin()
	id, fresh := x.intern(kindNamed, int64(x.leaf(origin)), ids, node{parts: 1, align: 1})
	if !fresh {
		return id
	}
	isOpen := x.open
	x.closed[origin] = id // a type that mentions itself
	if len(ids) > 0 {
		delete(x.closed, origin)
		x.enqueue(origin.Obj(), ids, !isOpen || env != nil)
	}
	u := x.nodes[x.typ(origin.Underlying(), ids)]
	x.nodes[id].bytes, x.nodes[id].parts, x.nodes[id].align = u.bytes, budget.Add(u.parts, 1), u.align
	x.open = open || isOpen
	return id
}
