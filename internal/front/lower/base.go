package lower

import (
	"cmp"
	"go/token"
	"go/types"
	"maps"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/decode"
	"github.com/gyrvm/gyr/internal/front/layout"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Base is the module of the standard library that programs continue ([ir.Module.Base]), with all
// that lowering must know about it. A program that continues it has other type and function objects
// than the base was made from, so lowering finds everything by name: types by link strings,
// functions by [lowerer.funcKey]. It is immutable and safe for concurrent use.
type Base struct {
	Module *ir.Module
	below  *Base // nil: the module stands alone
	index  BaseIndex
	layout *layout.Base
	inits  map[string]ir.Init // by import path, also of the bases below
}

// A BaseIndex has the facts about a base that its module does not have. It does not repeat those of
// a base below.
type BaseIndex struct {
	Layout  layout.BaseIndex
	Funcs   decode.Table // function indices, by key
	Globals decode.Table // addresses of package-level variables, by path and name
	Shapes  decode.Table // numbers in Module.Shapes, of its own, by key

	ZeroAddr, StaticBytes uint32
	ZeroSize              int64
}

// NewBase makes a base of an optimised module with charges that [MakeBase] made on below.
func NewBase(below *Base, m *ir.Module, x BaseIndex) *Base {
	base := &Base{Module: m, below: below, index: x, inits: map[string]ir.Init{}}
	var segment *layout.Base
	if below != nil {
		segment = below.layout
		maps.Copy(base.inits, below.inits) // the module has only those that its own packages import
	}
	base.layout = layout.NewBase(segment, m, x.Layout)
	for _, in := range m.Inits {
		if in.Std {
			base.inits[in.Path] = ir.Init{Path: in.Path, Func: in.Func, Closure: in.Closure, Std: true}
		}
	}
	return base
}

// MakeBase lowers every function, variable and type of the standard library's packages in p,
// reachable or not, and every method, since a program that continues the module may use any.
// Packages of the base below, if any, are lowered already. A function whose body is missing ends
// the program that calls it.
func MakeBase(p *load.Packages, below *Base) (*ir.Module, BaseIndex, error) {
	l := newLowerer(p)
	l.making, l.everything, l.reflCall, l.reflectAll = true, true, true, true
	if below != nil {
		if err := l.continues(below); err != nil {
			return nil, BaseIndex{}, err
		}
	}
	m, err := l.module(func() {
		if below == nil {
			l.stubFunc("makeFuncStub")
			l.stubFunc("methodValueCall")
			l.zeroMem(1024)
			l.staticBytesAddr()
		}
		for _, pkg := range p.Packages {
			if pkg.Std && !pkg.Base {
				l.addPackage(pkg.SSA)
			}
		}
	})
	if err != nil {
		return nil, BaseIndex{}, err
	}
	// The functions of the program that names the base's packages have names that every program
	// has.
	m.Entry.Name = "runtime.entry.base"
	if f := l.funcs[p.Main.Func("main")]; f != nil {
		f.Name = "main.main.base"
	}
	return m, l.index, nil
}

// addPackage makes everything reachable that a package declares.
func (l *lowerer) addPackage(pkg *ssa.Package) {
	for _, name := range sortedKeys(pkg.Members) {
		switch x := pkg.Members[name].(type) {
		case *ssa.Function:
			if x.TypeParams().Len() == 0 && (len(x.Blocks) > 0 || !l.isIntrinsic(x)) {
				l.funcOf(x) // calls of the others become operations
			}
		case *ssa.Global:
			l.globalAddr(x)
		case *ssa.Type:
			if named, ok := types.Unalias(x.Type()).(*types.Named); ok && named.TypeParams().Len() == 0 {
				l.lay.Type(named)
			}
		}
	}
}

// baseIndex collects the facts that programs need. The data segment is still open.
func (l *lowerer) baseIndex() BaseIndex {
	x := BaseIndex{
		Layout: l.lay.Index(), Shapes: decode.TableOf(l.shapes),
		ZeroAddr: l.zeroAddr, ZeroSize: l.zeroSize, StaticBytes: l.staticBytes,
	}
	funcs, globals := map[string]int32{}, map[string]uint32{}
	for fn, f := range l.funcs {
		if key := l.funcKey(fn); key != "" && l.isStd(fn) && !l.missing[f] && !l.m.InBase(f) {
			funcs[key] = f.Index
		}
	}
	l.equals.Iterate(func(_ types.Type, f any) { funcs[f.(*ir.Func).Name] = f.(*ir.Func).Index })
	l.hashers.Iterate(func(_ types.Type, f any) { funcs[f.(*ir.Func).Name] = f.(*ir.Func).Index })
	for _, f := range []*ir.Func{l.makeFunc, l.methodFunc} {
		if f != nil {
			funcs[f.Name] = f.Index
		}
	}
	for g, a := range l.globals {
		if p := l.prog.PackageOf(g.Pkg); p != nil && p.Std && !p.Base {
			globals[g.String()] = a
		}
	}
	x.Funcs, x.Globals = decode.TableOf(funcs), decode.TableOf(globals)
	return x
}

// continues prepares the lowerer for a program that continues a base.
func (l *lowerer) continues(base *Base) error {
	b := base.Module
	if err := cmp.Or(b.LoadData(), b.LoadShapes()); err != nil {
		return err
	}
	l.base = base
	l.m.Base = b
	l.m.SetFuncs(nil)
	l.m.Sites, l.m.Pos = nil, nil
	l.m.Files, l.m.Primitives, l.m.Shapes = clip(b.Files), clip(b.Primitives), clip(b.Shapes)
	l.m.Go, l.m.Runtime, l.m.Vars = b.Go, b.Runtime, b.Vars
	for i, h := range b.Primitives {
		l.hosts[h.Name] = int64(i)
	}
	l.lay = layout.New(l.hooks(), l.prog.Release, base.layout)
	l.zeroAddr, l.zeroSize, l.staticBytes = base.index.ZeroAddr, base.index.ZeroSize, base.index.StaticBytes
	// Code of the base calls methods by any name, and functions of any shape.
	l.everything, l.reflCall, l.reflMake, l.reflectAll = true, true, true, true
	return nil
}

// clip makes append copy a table of a base.
func clip[T any](s []T) []T { return s[:len(s):len(s)] }

// firstShape returns the number of the first shape after those of the base.
func (l *lowerer) firstShape() int32 {
	return l.base.shapeCount()
}

// funcKey names a function that code of another module can refer to. It is "" for others: function
// literals, method values, initialisers, and functions outside the standard library.
func (l *lowerer) funcKey(fn *ssa.Function) string {
	if fn.Parent() != nil {
		return ""
	}
	if recv := fn.Signature.Recv(); recv != nil { // also for the wrappers of promoted methods
		if n := namedReceiver(recv.Type()); n != nil && n.Obj().Pkg() != nil && l.prog.StdPath(n.Obj().Pkg()) == "" {
			return ""
		}
		name := fn.Name()
		if m, ok := fn.Object().(*types.Func); ok {
			name = m.Id()
		}
		return "(" + l.lay.LinkString(recv.Type()) + ")." + name + l.argumentsKey(ownArguments(fn))
	}
	name, _, _ := strings.Cut(fn.Name(), "[")
	if name == "init" || strings.ContainsAny(name, "$#") {
		return ""
	}
	path := l.stdPath(fn)
	if path == "" {
		return ""
	}
	return path + "." + name + l.argumentsKey(fn.TypeArgs())
}

// ownArguments returns the type arguments of an instance without those of its receiver.
func ownArguments(fn *ssa.Function) []types.Type {
	args := fn.TypeArgs()
	if m, ok := fn.Object().(*types.Func); ok && len(args) > 0 {
		args = args[m.Origin().Signature().RecvTypeParams().Len():]
	}
	return args
}

// argumentsKey writes type arguments as a part of a key.
func (l *lowerer) argumentsKey(args []types.Type) (key string) {
	for i, arg := range args {
		if i == 0 {
			key += "["
		} else {
			key += ","
		}
		key += l.lay.LinkString(arg)
	}
	return key
}

// namedReceiver returns the named type of a receiver. It returns nil if the type has no name: a
// wrapper may be a method of a struct type.
func namedReceiver(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// linked returns the function of the base that supplies the body of a function without one, by a
// linkname directive.
func (l *lowerer) linked(fn *ssa.Function) *ir.Func {
	if l.base == nil || len(fn.Blocks) > 0 {
		return nil
	}
	name, ok := l.prog.BaseFunc(fn)
	if !ok {
		return nil
	}
	// path.name is a key. The key of path.(*T).name or path.T.name is made here, with the path
	// before the name if the name is not exported.
	i := strings.LastIndexByte(name, '/') + 1
	pkg, rest, _ := strings.Cut(name[i:], ".")
	if recv, method, ok := strings.Cut(rest, "."); ok {
		typ, ptr := strings.CutPrefix(strings.Trim(recv, "()"), "*")
		if !token.IsExported(method) {
			method = name[:i] + pkg + "." + method
		}
		name = "(" + name[:i] + pkg + "." + typ + ")." + method
		if ptr {
			name = "(*" + name[1:]
		}
	}
	return l.base.fn(name)
}

// fn returns the function with a key, or nil. A nil base has no functions.
func (base *Base) fn(key string) *ir.Func {
	if key == "" {
		return nil
	}
	for ; base != nil; base = base.below {
		if i, ok := base.index.Funcs.Get(key); ok {
			return base.Module.Func(int(i))
		}
	}
	return nil
}

// shapeCount returns the number of shapes of the base and the bases below it. A nil base has none.
func (base *Base) shapeCount() int32 {
	if base == nil {
		return 0
	}
	return int32(base.Module.NumShapes())
}

// global returns the address of a package-level variable.
func (base *Base) global(name string) (addr uint32, ok bool) {
	for ; base != nil && !ok; base = base.below {
		addr, ok = base.index.Globals.Get(name)
	}
	return addr, ok
}

// Variable returns the address of a package-level variable of the standard library, by path and
// name.
func (base *Base) Variable(name string) (addr uint32, ok bool) { return base.global(name) }

// Low returns the end of the first region of the base's data.
func (base *Base) Low() uint64 { return base.index.Layout.Low }

// shape returns the number of the shape with a key.
func (base *Base) shape(key string) (n int32, ok bool) {
	for ; base != nil; base = base.below {
		if n, ok := base.index.Shapes.Get(key); ok {
			return int32(n), true
		}
	}
	return 0, false
}
