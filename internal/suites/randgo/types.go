package randgo

import (
	"fmt"
	"strings"
)

type kind int

const (
	kBool kind = iota
	kInt
	kInt8
	kInt16
	kInt32
	kInt64
	kUint
	kUint8
	kUint16
	kUint32
	kUint64
	kUintptr
	kFloat32
	kFloat64
	kComplex64
	kComplex128
	kString
	kArray
	kSlice
	kStruct
	kPtr
	kMap
	kFunc
	kIface
	kAny
	kParam // a type parameter whose type set is the integers
)

var kindNames = [...]string{"bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32",
	"uint64", "uintptr",
	"float32", "float64", "complex64", "complex128", "string"}

// A typ is a type of the program. Types are equal when their names are.
type typ struct {
	kind    kind
	name    string // as the program writes it
	elem    *typ
	key     *typ
	n       int
	fields  []field
	params  []*typ
	results []*typ
	methods []*fn  // of a named type, called on a variable
	impls   []*typ // of an interface: named types that implement it, "*" types included
}

type field struct {
	name string
	typ  *typ
}

// basic holds the types without parts, by kind.
var basic = func() (list [kString + 1]*typ) {
	for k := range list {
		list[k] = &typ{kind: kind(k), name: kindNames[k]}
	}
	return list
}()

var (
	anyType  = &typ{kind: kAny, name: "any"}
	ints     = basic[kInt : kUintptr+1]
	intType  = basic[kInt]
	boolType = basic[kBool]
	strType  = basic[kString]
	f64Type  = basic[kFloat64]
	byteType = basic[kUint8]
)

func (t *typ) isInt() bool     { return t.kind >= kInt && t.kind <= kUintptr || t.kind == kParam }
func (t *typ) isSigned() bool  { return t.kind >= kInt && t.kind <= kInt64 }
func (t *typ) isFloat() bool   { return t.kind == kFloat32 || t.kind == kFloat64 }
func (t *typ) isComplex() bool { return t.kind == kComplex64 || t.kind == kComplex128 }
func (t *typ) is(u *typ) bool  { return t == u || t.name == u.name }

// bits is the width of an integer type.
func (t *typ) bits() int {
	switch t.kind {
	case kInt8, kUint8:
		return 8
	case kInt16, kUint16:
		return 16
	case kInt32, kUint32:
		return 32
	}
	return 64
}

// value reports whether copies of the type share nothing and need no care when printed.
func (t *typ) value() bool {
	switch t.kind {
	case kArray:
		return t.elem.value()
	case kStruct:
		for _, f := range t.fields {
			if !f.typ.value() {
				return false
			}
		}
		return true
	}
	return t.kind <= kString || t.kind == kParam
}

// printable reports whether fmt prints a value without an address.
func (t *typ) printable() bool {
	switch t.kind {
	case kArray, kSlice:
		return t.elem.printable()
	case kMap:
		return t.key.printable() && t.elem.printable()
	case kStruct:
		for _, f := range t.fields {
			if !f.typ.printable() {
				return false
			}
		}
		return true
	}
	return t.kind <= kString || t.kind == kParam || t.kind == kAny
}

func (t *typ) comparable() bool {
	switch t.kind {
	case kSlice, kMap, kFunc:
		return false
	case kArray:
		return t.elem.comparable()
	case kStruct:
		for _, f := range t.fields {
			if !f.typ.comparable() {
				return false
			}
		}
	}
	return true
}

// keyable reports whether values are comparable, printable, and equal to themselves, unlike a NaN.
func (t *typ) keyable() bool {
	switch t.kind {
	case kArray:
		return t.elem.keyable()
	case kStruct:
		for _, f := range t.fields {
			if !f.typ.keyable() {
				return false
			}
		}
		return true
	}
	return t.isInt() || t.kind == kString || t.kind == kBool
}

func arrayOf(n int, e *typ) *typ {
	return &typ{kind: kArray, n: n, elem: e, name: fmt.Sprintf("[%d]%s", n, e.name)}
}
func sliceOf(e *typ) *typ { return &typ{kind: kSlice, elem: e, name: "[]" + e.name} }
func ptrTo(e *typ) *typ   { return &typ{kind: kPtr, elem: e, name: "*" + e.name} }
func mapOf(k, e *typ) *typ {
	return &typ{kind: kMap, key: k, elem: e, name: "map[" + k.name + "]" + e.name}
}

func funcOf(params, results []*typ) *typ {
	return &typ{kind: kFunc, params: params, results: results, name: "func" + signature(params, results)}
}

func signature(params, results []*typ) string {
	s := "(" + typeList(params) + ")"
	switch len(results) {
	case 0:
	case 1:
		s += " " + results[0].name
	default:
		s += " (" + typeList(results) + ")"
	}
	return s
}

func typeList(list []*typ) string {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.name
	}
	return strings.Join(names, ", ")
}

// randInt draws an integer type, most often int.
func (g *gen) randInt() *typ {
	if g.chance(35) {
		return intType
	}
	return ints[g.n(len(ints))]
}

// randBasic draws a type without parts.
func (g *gen) randBasic() *typ {
	switch x := g.n(100); {
	case x < 62:
		return g.randInt()
	case x < 74:
		return basic[kFloat32+kind(g.n(2))]
	case x < 77:
		return basic[kComplex64+kind(g.n(2))]
	case x < 88:
		return strType
	case x < 93:
		return boolType
	case len(g.named) > 0:
		return g.named[g.n(len(g.named))]
	}
	return g.randInt()
}

var arrayLens = []int{1, 2, 3, 4, 4, 5, 7, 8, 8, 16, 33}

// randValue draws a type whose copies share nothing.
func (g *gen) randValue(depth int) *typ {
	switch x := g.n(100); {
	case depth <= 0 || x < 75:
		return g.randBasic()
	case x < 86:
		n := arrayLens[g.n(len(arrayLens))]
		if depth < 2 {
			n = min(n, 4)
		}
		return arrayOf(n, g.randValue(depth-1))
	case len(g.structs) > 0:
		if t := g.structs[g.n(len(g.structs))]; t.value() {
			return t
		}
	}
	return g.randBasic()
}

// randKey draws a type for the keys of maps.
func (g *gen) randKey() *typ {
	switch x := g.n(10); {
	case x < 5:
		return g.randInt()
	case x < 8:
		return strType
	}
	for range 5 {
		if t := g.randValue(2); t.keyable() {
			return t
		}
	}
	return strType
}

// randType draws any type for a variable.
func (g *gen) randType() *typ {
	switch x := g.n(100); {
	case x < 66:
		return g.randValue(2)
	case x < 80:
		return sliceOf(g.randValue(1))
	case x < 86:
		return mapOf(g.randKey(), g.randValue(1))
	case x < 90:
		return ptrTo(g.randValue(1))
	case x < 93:
		return anyType
	case x < 95 && len(g.ifaces) > 0:
		return g.ifaces[g.n(len(g.ifaces))]
	case len(g.structs) > 0:
		t := g.structs[g.n(len(g.structs))]
		if g.chance(25) {
			return ptrTo(t)
		}
		return t
	}
	return g.randBasic()
}
