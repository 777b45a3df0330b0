package unitchecker

import (
	"encoding/binary"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
)

// Types of a package are written with all that they refer to in other packages, so that who imports the package needs no
// other file. The form is a list of tables:
//
//	strings   length and bytes of each
//	packages  path and name of each, as numbers of strings; the first is the package itself
//	objects   of packages, each as its package, its name, and where in the data it begins
//	types     where in the data each begins
//	data      objects and types, which refer to others by their numbers
//
// Numbers are as package binary writes them with a variable length. A type of Go that has a name is an object, and the
// types of that kind in the list of types only name it.

// Kinds of objects and types.
const (
	gyrConst = iota
	gyrVar
	gyrFunc
	gyrDefined
	gyrAlias

	gyrUniverse // a type that is declared nowhere, by its name
	gyrAny      // the empty interface that is printed as any
	gyrBasic
	gyrObject
	gyrInstance
	gyrParam
	gyrPointer
	gyrSlice
	gyrArray
	gyrMap
	gyrChan
	gyrSignature
	gyrStruct
	gyrInterface
	gyrUnion
	gyrTuple
)

var gyrAnyType = types.Universe.Lookup("any").Type().Underlying()

// A gyrWriter writes the types of one package.
type gyrWriter struct {
	fset *token.FileSet
	out  []byte // the object or type that is being written

	strings  map[string]int
	texts    []string
	packages map[*types.Package]int
	pkgs     []*types.Package
	objects  map[types.Object]int
	objs     []types.Object
	types    map[types.Type]int
	typs     []types.Type
}

// gyrWriteTypes returns the exported objects of a package, and what they need.
func gyrWriteTypes(fset *token.FileSet, pkg *types.Package) []byte {
	w := &gyrWriter{fset: fset, strings: map[string]int{}, packages: map[*types.Package]int{},
		objects: map[types.Object]int{}, types: map[types.Type]int{}}
	w.pkg(pkg)
	for _, name := range pkg.Scope().Names() {
		if token.IsExported(name) {
			w.object(pkg.Scope().Lookup(name))
		}
	}
	w.out = w.out[:0] // their numbers are those of the list
	var data []byte
	var objAt, typAt []int
	for len(objAt) < len(w.objs) || len(typAt) < len(w.typs) {
		if len(objAt) < len(w.objs) {
			objAt = append(objAt, len(data))
			w.writeObject(w.objs[len(objAt)-1])
		} else {
			typAt = append(typAt, len(data))
			w.writeType(w.typs[len(typAt)-1])
		}
		data = append(data, w.out...)
		w.out = w.out[:0]
	}
	for _, obj := range w.objs {
		w.pkg(obj.Pkg())
	}
	w.out = nil
	body := w.tables(objAt, typAt)
	head := binary.AppendUvarint(nil, uint64(len(w.texts)))
	for _, s := range w.texts {
		head = binary.AppendUvarint(head, uint64(len(s)))
		head = append(head, s...)
	}
	return slices.Concat(head, body, data)
}

// tables returns the tables behind that of strings, to which it adds.
func (w *gyrWriter) tables(objAt, typAt []int) []byte {
	w.num(len(w.pkgs))
	for _, p := range w.pkgs {
		w.str(p.Path())
		w.str(p.Name())
	}
	w.num(len(w.objs))
	for i, obj := range w.objs {
		w.pkg(obj.Pkg())
		w.str(obj.Name())
		w.num(objAt[i])
	}
	w.num(len(w.typs))
	for i := range w.typs {
		w.num(typAt[i])
	}
	return w.out
}

func (w *gyrWriter) num(n int) { w.out = binary.AppendUvarint(w.out, uint64(n)) }

func (w *gyrWriter) bool(b bool) {
	if b {
		w.num(1)
	} else {
		w.num(0)
	}
}

func (w *gyrWriter) str(s string) { w.num(gyrNumber(w.strings, &w.texts, s)) }

func (w *gyrWriter) pkg(p *types.Package) { w.num(gyrNumber(w.packages, &w.pkgs, p)) }

func (w *gyrWriter) object(obj types.Object) { w.num(gyrNumber(w.objects, &w.objs, obj)) }

func (w *gyrWriter) typ(t types.Type) { w.num(gyrNumber(w.types, &w.typs, t)) }

// gyrNumber returns the number of a value in a list, to which it is added if it is not there.
func gyrNumber[T comparable](numbers map[T]int, list *[]T, x T) int {
	n, ok := numbers[x]
	if !ok {
		n = len(*list)
		numbers[x] = n
		*list = append(*list, x)
	}
	return n
}

// pos writes a position: file and line.
func (w *gyrWriter) pos(pos token.Pos) {
	p := w.fset.PositionFor(pos, false)
	w.str(p.Filename)
	w.num(p.Line)
}

// optional writes a package that there may not be.
func (w *gyrWriter) optional(p *types.Package) {
	w.bool(p != nil)
	if p != nil {
		w.pkg(p)
	}
}

func (w *gyrWriter) writeObject(obj types.Object) {
	kind := map[bool]int{true: gyrAlias, false: gyrDefined}
	switch obj := obj.(type) {
	case *types.Const:
		w.num(gyrConst)
		w.pos(obj.Pos())
		w.typ(obj.Type())
		w.value(obj.Val())
	case *types.Var:
		w.num(gyrVar)
		w.pos(obj.Pos())
		w.typ(obj.Type())
	case *types.Func:
		w.num(gyrFunc)
		w.pos(obj.Pos())
		w.signature(obj.Signature())
	case *types.TypeName:
		w.num(kind[obj.IsAlias()])
		w.pos(obj.Pos())
		switch t := obj.Type().(type) {
		case *types.Named:
			w.params(t.TypeParams())
			w.typ(t.Underlying())
			w.num(t.NumMethods())
			for m := range t.Methods() {
				w.method(m)
			}
		case *types.Alias:
			w.params(t.TypeParams())
			w.typ(t.Rhs())
		default: // an alias, as types were before there were such
			w.params(nil)
			w.typ(t)
		}
	default:
		panic(fmt.Sprintf("gyr: an object %v", obj))
	}
}

// method writes a method of a defined type, with the receiver that it has.
func (w *gyrWriter) method(m *types.Func) {
	w.pos(m.Pos())
	w.pkg(m.Pkg())
	w.str(m.Name())
	sig := m.Signature()
	w.params(sig.RecvTypeParams())
	w.str(sig.Recv().Name())
	w.typ(sig.Recv().Type())
	w.signature(sig)
}

func (w *gyrWriter) params(list *types.TypeParamList) {
	w.num(list.Len())
	for p := range list.TypeParams() {
		w.typ(p)
	}
}

func (w *gyrWriter) signature(sig *types.Signature) {
	w.params(sig.TypeParams())
	w.vars(sig.Params())
	w.vars(sig.Results())
	w.bool(sig.Variadic())
}

func (w *gyrWriter) vars(list *types.Tuple) {
	w.num(list.Len())
	for v := range list.Variables() {
		w.pos(v.Pos())
		w.optional(v.Pkg())
		w.str(v.Name())
		w.typ(v.Type())
	}
}

// value writes a constant value.
func (w *gyrWriter) value(v constant.Value) {
	w.num(int(v.Kind()))
	switch v.Kind() {
	case constant.Bool:
		w.bool(constant.BoolVal(v))
	case constant.String:
		w.str(constant.StringVal(v))
	case constant.Int:
		w.str(v.ExactString())
	case constant.Float:
		w.float(v)
	case constant.Complex:
		w.float(constant.ToFloat(constant.Real(v)))
		w.float(constant.ToFloat(constant.Imag(v)))
	}
}

// float writes a number as a fraction, or rounded if it is too large or too small to be one.
func (w *gyrWriter) float(v constant.Value) {
	num, denom := constant.Num(v), constant.Denom(v)
	if num.Kind() == constant.Unknown || denom.Kind() == constant.Unknown {
		w.str(v.ExactString())
		w.str("")
		return
	}
	w.str(num.ExactString())
	w.str(denom.ExactString())
}

func (w *gyrWriter) writeType(t types.Type) {
	switch t := t.(type) {
	case *types.Basic:
		if obj := types.Universe.Lookup(t.Name()); obj != nil && obj.Type() == t {
			w.num(gyrUniverse)
			w.str(t.Name())
			return
		}
		w.num(gyrBasic)
		w.num(int(t.Kind()))
	case *types.Named:
		w.named(t, t.Obj(), t.TypeArgs(), t.Origin())
	case *types.Alias:
		w.named(t, t.Obj(), t.TypeArgs(), t.Origin())
	case *types.TypeParam:
		w.num(gyrParam)
		w.pos(t.Obj().Pos())
		w.pkg(t.Obj().Pkg())
		w.str(t.Obj().Name())
		w.typ(t.Constraint())
	case *types.Pointer:
		w.num(gyrPointer)
		w.typ(t.Elem())
	case *types.Slice:
		w.num(gyrSlice)
		w.typ(t.Elem())
	case *types.Array:
		w.num(gyrArray)
		w.num(int(t.Len()))
		w.typ(t.Elem())
	case *types.Map:
		w.num(gyrMap)
		w.typ(t.Key())
		w.typ(t.Elem())
	case *types.Chan:
		w.num(gyrChan)
		w.num(int(t.Dir()))
		w.typ(t.Elem())
	case *types.Signature:
		w.num(gyrSignature)
		w.signature(t)
	case *types.Tuple:
		w.num(gyrTuple)
		w.vars(t)
	case *types.Struct:
		w.writeStruct(t)
	case *types.Interface:
		if t == gyrAnyType {
			w.num(gyrAny)
			return
		}
		w.writeInterface(t)
	case *types.Union:
		w.num(gyrUnion)
		w.num(t.Len())
		for term := range t.Terms() {
			w.bool(term.Tilde())
			w.typ(term.Type())
		}
	default:
		panic(fmt.Sprintf("gyr: a type %T", t))
	}
}

// named writes a use of a defined type or an alias.
func (w *gyrWriter) named(t types.Type, obj *types.TypeName, args *types.TypeList, origin types.Type) {
	switch {
	case obj.Pkg() == nil:
		w.num(gyrUniverse)
		w.str(obj.Name())
	case args.Len() > 0:
		w.num(gyrInstance)
		w.typ(origin)
		w.num(args.Len())
		for a := range args.Types() {
			w.typ(a)
		}
	default:
		w.num(gyrObject)
		w.object(obj)
	}
}

func (w *gyrWriter) writeStruct(t *types.Struct) {
	w.num(gyrStruct)
	w.num(t.NumFields())
	for i := range t.NumFields() {
		f := t.Field(i)
		w.pos(f.Pos())
		w.optional(f.Pkg())
		w.str(f.Name())
		w.bool(f.Embedded())
		w.str(t.Tag(i))
		w.typ(f.Type())
	}
}

func (w *gyrWriter) writeInterface(t *types.Interface) {
	w.num(gyrInterface)
	w.bool(t.IsImplicit())
	w.num(t.NumExplicitMethods())
	for m := range t.ExplicitMethods() {
		w.pos(m.Pos())
		w.optional(m.Pkg())
		w.str(m.Name())
		named, _ := m.Signature().Recv().Type().(*types.Named)
		w.bool(named != nil)
		if named != nil {
			w.typ(named)
		}
		w.signature(m.Signature())
	}
	w.num(t.NumEmbeddeds())
	for e := range t.EmbeddedTypes() {
		w.typ(e)
	}
}
