package unitchecker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
)

// A gyrReader reads the types of packages into one world, in which what several files tell of an object is one object.
type gyrReader struct {
	fset  *token.FileSet
	known map[string]*types.Package // by path
	files map[string]*token.File    // of positions
}

func newGyrReader(fset *token.FileSet) *gyrReader {
	return &gyrReader{fset: fset, known: map[string]*types.Package{"unsafe": types.Unsafe}, files: map[string]*token.File{}}
}

// A gyrFile is one file that is being read.
type gyrFile struct {
	*gyrReader
	data  []byte // at an object or a type
	body  []byte // all objects and types
	texts []string
	pkgs  []*types.Package
	objs  []gyrEntry
	typs  []gyrEntry
	later []func() // what needs everything else to be there
}

// A gyrEntry is an object or a type in the tables.
type gyrEntry struct {
	pkg  *types.Package
	name string
	at   int
	obj  types.Object
	typ  types.Type
}

// read returns the package that a file has.
func (r *gyrReader) read(data []byte) (pkg *types.Package, err error) {
	f := &gyrFile{gyrReader: r, data: data}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("damaged types: %v", p)
		}
	}()
	f.texts = make([]string, f.num())
	for i := range f.texts {
		n := f.num()
		f.texts[i] = string(f.data[:n])
		f.data = f.data[n:]
	}
	f.pkgs = make([]*types.Package, f.num())
	for i := range f.pkgs {
		f.pkgs[i] = r.pkg(f.str(), f.str())
	}
	f.objs = make([]gyrEntry, f.num())
	for i := range f.objs {
		f.objs[i] = gyrEntry{pkg: f.pkgs[f.num()], name: f.str(), at: f.num()}
	}
	f.typs = make([]gyrEntry, f.num())
	for i := range f.typs {
		f.typs[i].at = f.num()
	}
	f.body = f.data
	if len(f.pkgs) == 0 {
		return nil, errors.New("damaged types: no package")
	}
	for i := range f.objs {
		if f.objs[i].pkg == f.pkgs[0] {
			f.object(i)
		}
	}
	for len(f.later) > 0 {
		first := f.later[0]
		f.later = f.later[1:]
		first()
	}
	f.pkgs[0].MarkComplete()
	return f.pkgs[0], nil
}

func (r *gyrReader) pkg(path, name string) *types.Package {
	p := r.known[path]
	if p == nil {
		p = types.NewPackage(path, name)
		r.known[path] = p
	}
	return p
}

func (f *gyrFile) num() int {
	n, size := binary.Uvarint(f.data)
	if size <= 0 {
		panic("it ends too early")
	}
	f.data = f.data[size:]
	return int(n)
}

func (f *gyrFile) bool() bool { return f.num() != 0 }

func (f *gyrFile) str() string { return f.texts[f.num()] }

func (f *gyrFile) optional() *types.Package {
	if !f.bool() {
		return nil
	}
	return f.pkgs[f.num()]
}

// gyrLines is the number of lines of files that positions are in: positions behind are in the last one.
const gyrLines = 1 << 16

// pos reads a position. Files are made up, with lines of one byte, since only names and lines are known.
func (f *gyrFile) pos() token.Pos {
	name, line := f.str(), f.num()
	if name == "" || line == 0 {
		return token.NoPos
	}
	file := f.files[name]
	if file == nil {
		file = f.fset.AddFile(name, -1, gyrLines)
		file.SetLines(gyrLineStarts)
		f.files[name] = file
	}
	return token.Pos(file.Base() + min(line, gyrLines) - 1)
}

var gyrLineStarts = func() []int {
	lines := make([]int, gyrLines)
	for i := range lines {
		lines[i] = i
	}
	return lines
}()

// object returns an object of a package, from the world if somebody else has read it.
func (f *gyrFile) object(i int) types.Object {
	e := &f.objs[i]
	if e.obj != nil {
		return e.obj
	}
	if obj := e.pkg.Scope().Lookup(e.name); obj != nil {
		e.obj = obj
		return obj
	}
	data := f.data
	defer func() { f.data = data }()
	f.data = f.body[e.at:]
	kind, pos := f.num(), f.pos()
	switch kind {
	case gyrConst:
		f.declare(e, types.NewConst(pos, e.pkg, e.name, f.typ(), f.value()))
	case gyrVar:
		f.declare(e, types.NewVar(pos, e.pkg, e.name, f.typ()))
	case gyrFunc:
		f.declare(e, types.NewFunc(pos, e.pkg, e.name, f.signature(nil, nil)))
	case gyrDefined:
		f.defined(e, types.NewTypeName(pos, e.pkg, e.name, nil))
	case gyrAlias:
		params, rhs := f.params(), f.typ()
		if obj := e.pkg.Scope().Lookup(e.name); obj != nil { // rhs refers to the alias
			e.obj = obj
			break
		}
		obj := types.NewTypeName(pos, e.pkg, e.name, nil)
		if alias := types.NewAlias(obj, rhs); len(params) > 0 {
			alias.SetTypeParams(params)
		}
		f.declare(e, obj)
	default:
		panic("no such object")
	}
	return e.obj
}

func (f *gyrFile) declare(e *gyrEntry, obj types.Object) {
	e.obj = obj
	if old := e.pkg.Scope().Insert(obj); old != nil { // its type refers to it
		e.obj = old
	}
}

// defined reads a defined type with its methods.
func (f *gyrFile) defined(e *gyrEntry, obj *types.TypeName) {
	t := types.NewNamed(obj, nil, nil)
	f.declare(e, obj)
	if params := f.params(); len(params) > 0 {
		t.SetTypeParams(params)
	}
	t.SetUnderlying(f.typ().Underlying())
	for range f.num() {
		pos, pkg, name := f.pos(), f.pkgs[f.num()], f.str()
		params := f.params()
		recv := types.NewVar(pos, pkg, f.str(), f.typ())
		t.AddMethod(types.NewFunc(pos, pkg, name, f.signature(recv, params)))
	}
}

func (f *gyrFile) params() (list []*types.TypeParam) {
	for range f.num() {
		list = append(list, f.typ().(*types.TypeParam))
	}
	return list
}

func (f *gyrFile) signature(recv *types.Var, recvParams []*types.TypeParam) *types.Signature {
	params := f.params()
	in, out := f.vars(), f.vars()
	return types.NewSignatureType(recv, recvParams, params, in, out, f.bool())
}

func (f *gyrFile) vars() *types.Tuple {
	list := make([]*types.Var, f.num())
	for i := range list {
		list[i] = types.NewParam(f.pos(), f.optional(), f.str(), f.typ())
	}
	return types.NewTuple(list...)
}

func (f *gyrFile) value() constant.Value {
	switch kind := constant.Kind(f.num()); kind {
	case constant.Bool:
		return constant.MakeBool(f.bool())
	case constant.String:
		return constant.MakeString(f.str())
	case constant.Int:
		return gyrInt(f.str())
	case constant.Float:
		return f.float()
	case constant.Complex:
		re, im := f.float(), f.float()
		return constant.BinaryOp(re, token.ADD, constant.MakeImag(im))
	default:
		return constant.MakeUnknown()
	}
}

func (f *gyrFile) float() constant.Value {
	num, denom := f.str(), f.str()
	if denom == "" {
		return constant.ToFloat(constant.MakeFromLiteral(num, token.FLOAT, 0))
	}
	n, d := gyrInt(num), gyrInt(denom)
	return constant.ToFloat(constant.BinaryOp(n, token.QUO, d))
}

// gyrInt reads an integer that may have a sign, which no literal has.
func gyrInt(s string) constant.Value {
	if s != "" && s[0] == '-' {
		return constant.UnaryOp(token.SUB, gyrInt(s[1:]), 0)
	}
	return constant.MakeFromLiteral(s, token.INT, 0)
}

// typ reads the number of a type, and returns the type.
func (f *gyrFile) typ() types.Type {
	e := &f.typs[f.num()]
	if e.typ != nil {
		return e.typ
	}
	data := f.data
	defer func() { f.data = data }()
	f.data = f.body[e.at:]
	if t := f.readType(e); e.typ == nil {
		e.typ = t
	}
	return e.typ
}

func (f *gyrFile) readType(e *gyrEntry) types.Type {
	switch kind := f.num(); kind {
	case gyrUniverse:
		return types.Universe.Lookup(f.str()).Type()
	case gyrAny:
		return gyrAnyType
	case gyrBasic:
		return types.Typ[f.num()]
	case gyrObject:
		return f.object(f.num()).Type()
	case gyrInstance:
		origin, args := f.typ(), make([]types.Type, f.num())
		for i := range args {
			args[i] = f.typ()
		}
		t, err := types.Instantiate(nil, origin, args, false)
		if err != nil {
			panic(err)
		}
		return t
	case gyrParam:
		t := types.NewTypeParam(types.NewTypeName(f.pos(), f.pkgs[f.num()], f.str(), nil), nil)
		e.typ = t
		constraint := f.typ()
		f.later = append(f.later, func() { t.SetConstraint(constraint) })
		return t
	case gyrPointer:
		return types.NewPointer(f.typ())
	case gyrSlice:
		return types.NewSlice(f.typ())
	case gyrArray:
		n := int64(f.num())
		return types.NewArray(f.typ(), n)
	case gyrMap:
		key := f.typ()
		return types.NewMap(key, f.typ())
	case gyrChan:
		dir := types.ChanDir(f.num())
		return types.NewChan(dir, f.typ())
	case gyrSignature:
		return f.signature(nil, nil)
	case gyrTuple:
		return f.vars()
	case gyrStruct:
		return f.readStruct()
	case gyrInterface:
		return f.readInterface()
	case gyrUnion:
		terms := make([]*types.Term, f.num())
		for i := range terms {
			tilde := f.bool()
			terms[i] = types.NewTerm(tilde, f.typ())
		}
		return types.NewUnion(terms)
	default:
		panic("no such type")
	}
}

func (f *gyrFile) readStruct() types.Type {
	fields, tags := make([]*types.Var, f.num()), []string(nil)
	for i := range fields {
		pos, pkg, name, embedded, tag := f.pos(), f.optional(), f.str(), f.bool(), f.str()
		fields[i] = types.NewField(pos, pkg, name, f.typ(), embedded)
		if tag != "" && tags == nil {
			tags = make([]string, len(fields))
		}
		if tag != "" {
			tags[i] = tag
		}
	}
	return types.NewStruct(fields, tags)
}

func (f *gyrFile) readInterface() types.Type {
	implicit := f.bool()
	methods := make([]*types.Func, f.num())
	for i := range methods {
		pos, pkg, name := f.pos(), f.optional(), f.str()
		var recv *types.Var
		if f.bool() {
			recv = types.NewVar(pos, pkg, "", f.typ())
		}
		methods[i] = types.NewFunc(pos, pkg, name, f.signature(recv, nil))
	}
	embedded := make([]types.Type, f.num())
	for i := range embedded {
		embedded[i] = f.typ()
	}
	t := types.NewInterfaceType(methods, embedded)
	if implicit {
		t.MarkImplicit()
	}
	f.later = append(f.later, func() { t.Complete() })
	return t
}
