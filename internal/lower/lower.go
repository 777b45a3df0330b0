// Package lower turns go/ssa into the IR. It is the only package that sees both:
// behind it nothing knows go/types.
//
// Lowering begins at the program's entry and follows what is reachable: a
// function is lowered when something calls it or takes its value, a method when
// its receiver type is converted to an interface and a method of that name is
// called through one (or by reflection). Work is done in the order of discovery,
// which makes function numbers, addresses and everything else reproducible.
//
// # Values
//
// A Go value becomes a list of scalars: a string is two, a slice three, a struct
// of few fields its fields. A value of more than four scalars, or with an array
// inside, is a memory aggregate: the address of a temporary that nobody changes
// while the value is alive. See value.go.
//
// # Functions
//
// Parameters are the flattened Go parameters; for every result that is a memory
// aggregate an address comes before them. Function values point to a closure
// object whose first word is the function's index. See call.go and closure.go.
//
// # Checks and gas
//
// Every nil, index, slice, shift and divide check is an operation here. The
// passes behind may remove checks that cannot fail, nothing else decides. Charges
// are placed on what lowering made, by [gas.Place]: a portable image holds the
// module without them.
package lower

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/layout"
	"github.com/gyrvm/gyr/internal/load"
)

// A LinkError says that a function without a body cannot be resolved.
type LinkError struct {
	Func   string // the symbol
	From   string // a function that reaches it
	Pos    token.Position
	Reason string
}

func (e *LinkError) Error() string {
	s := fmt.Sprintf("link: function %s has no body", e.Func)
	if e.Reason != "" {
		s += " (" + e.Reason + ")"
	}
	if e.From != "" {
		s += ", reached from " + e.From
	}
	if e.Pos.IsValid() {
		s = e.Pos.String() + ": " + s
	}
	return s
}

// Program lowers everything that is reachable from p.Main. The module has no
// charges yet.
func Program(p *load.Program) (*ir.Module, error) {
	l := newLowerer(p)
	return l.module(nil)
}

func newLowerer(p *load.Program) *lowerer {
	l := &lowerer{
		prog:     p,
		m:        &ir.Module{Funcs: []*ir.Func{nil}, Runtime: map[string]*ir.Func{}, Sites: make([]ir.Site, 1), Pos: make([]ir.PosEntry, 1), Counters: len(p.Cover)},
		funcs:    map[*ssa.Function]*ir.Func{},
		globals:  map[*ssa.Global]uint32{},
		sites:    map[ir.Site]ir.Pos{},
		files:    map[string]int32{},
		flats:    map[types.Type]*flat{},
		hosts:    map[string]int64{},
		invoked:  map[string]bool{},
		pending:  map[string][]pendingMethod{},
		adapters: map[adapterKey]*ir.Func{},
		shapes:   map[string]int32{},
		names:    map[*ssa.Function]string{},
		anon:     map[*ssa.Function]int{},
		bound:    map[*ssa.Function]types.Type{},
		owners:   map[*types.TypeName][]types.Type{},
	}
	l.lay = layout.New(l.hooks())
	return l
}

func (l *lowerer) hooks() layout.Hooks {
	return layout.Hooks{
		Equal: l.equalClosure, Hasher: l.hasherClosure, Method: l.methodEntry, ItabFun: l.itabEntry, OuterArgs: l.outerArgs,
		Std: func(p *types.Package) bool { return l.prog.StdPath(p) != "" }}
}

// module lowers the program and what more adds to the roots.
func (l *lowerer) module(more func()) (m *ir.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(*LinkError); ok {
				m, err = nil, e
				return
			}
			m, err = nil, failure.New("lowering", r, l.where)
		}
	}()
	l.program(more)
	if l.making {
		l.index = l.baseIndex()
	}
	l.lay.Finish(l.m)
	for _, f := range l.m.Own() {
		f.Renumber() // as it comes out of an image
	}
	return l.m, nil
}

// where is what was being lowered.
func (l *lowerer) where() failure.Position {
	if l.at == nil {
		return failure.Position{}
	}
	return failure.In(l.at.f, l.at.pos)()
}

type lowerer struct {
	prog *load.Program
	m    *ir.Module
	lay  *layout.Builder
	base *Base // what m continues, nil if it stands alone

	making  bool // a base: bodies may be missing
	index   BaseIndex
	missing map[*ir.Func]bool

	funcs   map[*ssa.Function]*ir.Func
	queue   []func() // bodies to lower
	globals map[*ssa.Global]uint32
	sites   map[ir.Site]ir.Pos
	files   map[string]int32
	flats   map[types.Type]*flat
	hosts   map[string]int64
	names   map[*ssa.Function]string
	anon    map[*ssa.Function]int
	bound   map[*ssa.Function]types.Type // receivers of method values

	instances []*ssa.Function // of generic functions, in order of first use
	searched  []bool          // instances whose local types are in owners
	owners    map[*types.TypeName][]types.Type

	invoked    map[string]bool // method names called through interfaces
	reflectAll bool            // exported methods may be called by reflection
	everything bool            // any method may be called: of a base, and of what continues one
	pending    map[string][]pendingMethod
	adapters   map[adapterKey]*ir.Func
	inits      []initOf

	equals     typeutil.Map // type → *ir.Func
	hashers    typeutil.Map
	shapes     map[string]int32
	shapeInfo  []*shapeInfo
	reflCall   bool // reflect.Value.Call is reachable: functions need Unpack stubs
	reflMake   bool // reflect.MakeFunc or method values are reachable: shapes need Pack stubs
	makeFunc   *ir.Func
	methodFunc *ir.Func

	pruned                          *ir.Func // see prunedMethod
	staticBytes, zeroBase, zeroAddr uint32
	zeroSize                        int64
	from                            string // function being lowered, for link errors
	at                              *fn    // the same, for internal errors
}

// buffered are the functions of the overlay that make an object and have a
// second form, with the suffix buf, which the optimiser calls instead when the object does
// not escape.
var buffered = []string{
	"slicebytetostring", "stringtoslicebyte", "stringtoslicerune", "slicerunetostring", "intstring",
	"rawstring", "concatstring2", "makeslice",
}

func (l *lowerer) program(more func()) {
	// The index 0 is no function. The entry comes first.
	entry := l.newFunc("runtime.entry", ir.Sig{}, ir.NoInline)
	l.m.Entry = entry
	if l.base == nil {
		l.runtimeEntries()
	}
	l.entryBody(entry)
	if more != nil {
		more()
	}
	l.drain()
	if l.base == nil {
		for _, name := range buffered {
			if l.funcs[l.stdFunc("runtime", name)] != nil {
				l.runtimeFunc(name + "buf")
			}
		}
		l.drain()
	}
	l.finishStubs()
	if l.base == nil {
		l.finishTraps()
	}
	l.finishInits()
	l.patchTables()
	for _, s := range l.shapeInfo {
		l.m.Shapes = append(l.m.Shapes, &s.Shape)
	}
}

// runtimeEntries lowers what tiers call.
func (l *lowerer) runtimeEntries() {
	for _, t := range ir.Traps {
		l.m.Runtime[t.Func] = l.runtimeFunc(t.Func)
	}
	for _, name := range ir.RuntimeEntries {
		l.m.Runtime[name] = l.runtimeFunc(name)
	}
}

// finishTraps says in the functions of traps that they do not come back. Tiers
// call them in the middle of an operation that cannot go on.
func (l *lowerer) finishTraps() {
	for _, t := range ir.Traps {
		for _, b := range l.m.Runtime[t.Func].Blocks {
			if b.Kind == ir.BlockReturn {
				b.Kind, b.Rets = ir.BlockUnreachable, nil
			}
		}
	}
}

// drain lowers queued bodies until nothing new is reachable.
func (l *lowerer) drain() {
	for {
		for i := 0; i < len(l.queue); i++ {
			work := l.queue[i]
			l.queue[i] = nil
			work()
		}
		l.queue = l.queue[:0]
		if !l.reviveMethods() && len(l.queue) == 0 {
			return
		}
	}
}

// entryBody makes the program's first function: it hands main to the runtime,
// which asks the host for the initialisers of packages.
func (l *lowerer) entryBody(entry *ir.Func) {
	// The standard library comes first: it imports nobody else, and its
	// initialisation is free. A package of it that is under test belongs to
	// the program, with all that imports it.
	for _, std := range []bool{true, false} {
		for _, pkg := range l.prog.Packages {
			if pkg.Base {
				if in, ok := l.base.inits[pkg.Path]; ok && std {
					l.inits = append(l.inits, initOf{pkg, in})
				}
				continue
			}
			if fn := pkg.SSA.Func("init"); (pkg.Std && !pkg.Test) == std && fn != nil && len(fn.Blocks) > 0 {
				f := l.funcOf(fn)
				l.inits = append(l.inits, initOf{pkg, ir.Init{Path: pkg.Path, Func: f, Closure: l.lay.Closure(f.Index), Std: std}})
			}
		}
	}
	main := l.prog.Main.Func("main")
	if l.prog.Exports != nil {
		main = l.prog.Main.Func(load.ExportsMain)
		l.m.Exports = l.prog.Exports
	}
	mainFn := l.funcOf(main)
	rt0 := l.runtimeFunc("rt0")
	b := entry.NewBlock()
	c := entry.NewValue(ir.OpConst, ir.Ptr)
	c.Aux = int64(l.lay.Closure(mainFn.Index))
	b.Append(c)
	l.emitCall(entry, b, rt0, c)
	b.Kind = ir.BlockUnreachable
}

// An initOf is a line of Module.Inits with its package.
type initOf struct {
	pkg *load.Package
	ir.Init
}

// finishInits writes Module.Inits. Packages of std of whose initialisation
// nothing is left, because all of it was static, are not in it.
func (l *lowerer) finishInits() {
	number := map[*load.Package]int32{} // of std's
	for _, in := range l.inits {
		if in.Std && !l.m.InBase(in.Func) && emptyBody(in.Func) {
			continue
		}
		if in.Std {
			number[in.pkg] = int32(len(l.m.Inits))
		}
		l.m.Inits = append(l.m.Inits, in.Init)
	}
	for pkg, i := range number {
		seen := map[*load.Package]bool{}
		deps := &l.m.Inits[i].Deps
		var visit func(p *load.Package)
		visit = func(p *load.Package) {
			for _, q := range p.Imports {
				if seen[q] {
					continue
				}
				seen[q] = true
				if n, ok := number[q]; ok {
					*deps = append(*deps, n)
				} else {
					visit(q)
				}
			}
		}
		visit(pkg)
		slices.Sort(*deps)
	}
}

// emptyBody reports whether a function does nothing but return.
func emptyBody(f *ir.Func) bool {
	b := f.Entry
	if b == nil || b.Kind != ir.BlockReturn {
		return false
	}
	for _, v := range b.Values {
		if v.Op != ir.OpGas && v.Op != ir.OpGasLoop && !v.IsCount() {
			return false
		}
	}
	return true
}

func (l *lowerer) emitCall(f *ir.Func, b *ir.Block, callee *ir.Func, args ...*ir.Value) *ir.Value {
	v := f.NewValue(ir.OpCall, ir.Void, args...)
	v.Fn = callee
	v.Sig = &callee.Sig
	if len(callee.Sig.Results) > 0 {
		v.Type = callee.Sig.Results[0]
	}
	return b.Append(v)
}

func (l *lowerer) hostIndex(name string, sig ir.Sig) int64 {
	i, ok := l.hosts[name]
	if !ok {
		i = int64(len(l.m.Hosts))
		l.hosts[name] = i
		l.m.Hosts = append(l.m.Hosts, ir.HostFunc{Name: name, Sig: sig})
	}
	return i
}

func (l *lowerer) hostCall(f *ir.Func, b *ir.Block, name string, sig ir.Sig, args ...*ir.Value) *ir.Value {
	v := f.NewValue(ir.OpHost, ir.Void, args...)
	v.Aux = l.hostIndex(name, sig)
	v.Sig = &l.m.Hosts[v.Aux].Sig
	if len(sig.Results) > 0 {
		v.Type = sig.Results[0]
	}
	return b.Append(v)
}

// newFunc adds a function to the module.
func (l *lowerer) newFunc(name string, sig ir.Sig, flags ir.FuncFlags) *ir.Func {
	f := &ir.Func{Name: name, Index: int32(len(l.m.Funcs)), Sig: sig, Flags: flags, Module: l.m}
	l.m.Funcs = append(l.m.Funcs, f)
	return f
}

// runtimeFunc returns a function of the overlay's package runtime.
func (l *lowerer) runtimeFunc(name string) *ir.Func { return l.stdFuncOf("runtime", name) }

// stdFuncOf returns a function of a std package by name.
func (l *lowerer) stdFuncOf(path, name string) *ir.Func {
	if f := l.base.fn(path + "." + name); f != nil {
		return f
	}
	return l.funcOf(l.stdFunc(path, name))
}

// runtimeVar returns the address of a variable of the overlay's package runtime.
func (l *lowerer) runtimeVar(name string) (addr uint32, ok bool) {
	if a, ok := l.base.global("runtime." + name); ok {
		return a, true
	}
	g, ok := l.prog.Std("runtime").SSA.Members[name].(*ssa.Global)
	if !ok {
		return 0, false
	}
	return l.globalAddr(g), true
}

// stdFunc finds a function of a std package by name.
func (l *lowerer) stdFunc(path, name string) *ssa.Function {
	pkg := l.prog.Std(path)
	if pkg == nil || pkg.SSA == nil {
		panic(&LinkError{Func: path + "." + name, Reason: "package " + path + " is not loaded"})
	}
	fn := pkg.SSA.Func(name)
	if fn == nil {
		panic(&LinkError{Func: path + "." + name, Reason: "the overlay lacks it"})
	}
	return fn
}

// funcOf returns the IR function of fn, declaring it and queueing its body at
// the first call.
func (l *lowerer) funcOf(fn *ssa.Function) *ir.Func {
	if f := l.funcs[fn]; f != nil {
		return f
	}
	if f := l.base.fn(l.funcKey(fn)); f != nil {
		l.funcs[fn] = f
		return f
	}
	if len(fn.Blocks) == 0 {
		if body := l.resolve(fn); body != nil && body != fn {
			f := l.funcOf(body)
			l.funcs[fn] = f
			f.Flags |= l.promises(fn)
			return f
		}
	}
	if f := l.linked(fn); f != nil {
		l.funcs[fn] = f
		return f
	}
	if m := l.methodOfThunk(fn); m != nil {
		f := l.funcOf(m)
		l.funcs[fn] = f
		return f
	}
	f := l.newFunc(l.nameOf(fn), l.sigOf(fn.Signature), l.flagsOf(fn))
	l.funcs[fn] = f
	l.noteInstance(fn)
	f.Shape = l.shapeOf(fn.Signature, false) + 1
	f.Pos = l.pos(f, fn.Pos())
	if l.specialFunc(fn, f) {
		return f
	}
	if len(fn.Blocks) == 0 && l.prog.Pruned(fn) {
		l.endingBody(f, callOfPruned)
		return f
	}
	from := l.from
	l.queue = append(l.queue, func() { l.lowerFunc(fn, f, from) })
	return f
}

// endingBody stands in for a function that has none: one that the loader dropped because
// no live code names it (method tables and wrappers may mention it, nothing calls it), or
// one of a base whose body is missing. It ends the program with a text and the name.
func (l *lowerer) endingBody(f *ir.Func, why string) {
	b := builder{l: l, f: f}
	b.b = f.NewBlock()
	for i, t := range f.Sig.Params {
		b.opAux(ir.OpArg, t, int64(i))
	}
	f.Flags &^= ir.Runtime // its source says something else
	b.rt("throw", b.stringConst(why+f.Name)...)
	b.b.Kind = ir.BlockUnreachable
}

// resolve finds the body of a function declared without one.
func (l *lowerer) resolve(fn *ssa.Function) *ssa.Function {
	body := l.prog.Resolve(fn)
	if body != nil && len(body.Blocks) == 0 && body != fn {
		return l.resolve(body)
	}
	return body
}

func (l *lowerer) flagsOf(fn *ssa.Function) ir.FuncFlags {
	var flags ir.FuncFlags
	if fn.Synthetic != "" && fn.Parent() == nil && fn.Syntax() == nil && fn.Name() != "init" {
		flags |= ir.Wrapper
	}
	if l.isTransparent(fn) {
		flags |= ir.Wrapper
	}
	if slices.Contains(runtimePackages, l.stdPath(fn)) {
		flags |= ir.NoPreempt
		if isFixed(fn) {
			flags |= ir.Runtime
		}
	}
	if l.stdPath(fn) == "reflect" && fn.Name() == "embeddedIfaceMethStub" {
		flags |= ir.AnySignature // it stands for methods of all signatures, and panics
	}
	if l.prog.Pragma(fn)&load.NoInline != 0 {
		flags |= ir.NoInline
	}
	return flags | l.promises(fn)
}

// promises are the flags by which the standard library vouches for a function.
func (l *lowerer) promises(fn *ssa.Function) ir.FuncFlags {
	if l.isStd(fn) && l.prog.Pragma(fn)&load.NoEscape != 0 {
		return ir.NoEscape
	}
	return 0
}

// isStd reports whether a function is of the standard library, whose promises count.
func (l *lowerer) isStd(fn *ssa.Function) bool {
	return l.stdPath(fn) != ""
}

// runtimePackages run as part of operations.
var runtimePackages = []string{"runtime", "internal/runtime/maps"}

// isFixed reports whether the lowered form of a function is the same in every
// program: not for instances of generic functions, wrappers, and the initialisers
// of packages, in which what the program does not use is left out. Portable images
// are checked against the fixed ones.
func isFixed(fn *ssa.Function) bool {
	for ; fn.Parent() != nil; fn = fn.Parent() {
	}
	return fn.Synthetic == "" && len(fn.TypeArgs()) == 0
}

// transparent are functions between a call and what it means to call: deferred
// calls seem to be made by their function, and reflection's calls by its users. So are the
// functions that our testdeps puts around tests.
var transparent = map[string]bool{
	"runtime.deferreturn": true, "runtime.reflectcall": true, "runtime.reflect_call": true,
	"reflect.callMethod": true, "reflect.callReflect": true,
}

func (l *lowerer) isTransparent(fn *ssa.Function) bool {
	path := l.stdPath(fn)
	return transparent[path+"."+fn.Name()] || path == "testing/internal/testdeps" && fn.Parent() != nil
}

// stdPath is the import path of the package of the standard library that a function belongs to, and "" for
// functions of all other packages, whatever their path is.
func (l *lowerer) stdPath(fn *ssa.Function) string { return l.prog.StdPath(pkgOf(fn)) }

// pkgPath is the import path of the package that a function belongs to. It is part of its name and decides nothing.
func pkgPath(fn *ssa.Function) string {
	if p := pkgOf(fn); p != nil {
		return p.Path()
	}
	return ""
}

// pkgOf is the package that a function, or the function that it was made from, belongs to, or nil.
func pkgOf(fn *ssa.Function) *types.Package {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Pkg != nil {
		return fn.Pkg.Pkg
	}
	if o := fn.Origin(); o != nil && o.Pkg != nil {
		return o.Pkg.Pkg
	}
	if o := fn.Object(); o != nil && o.Pkg() != nil {
		return o.Pkg()
	}
	return nil
}

// nameOf spells a function's name as gc's symbol table has it.
func (l *lowerer) nameOf(fn *ssa.Function) string {
	if s, ok := l.names[fn]; ok {
		return s
	}
	s := l.makeName(fn)
	l.names[fn] = s
	return s
}

func (l *lowerer) makeName(fn *ssa.Function) string {
	if p := fn.Parent(); p != nil {
		outer := l.nameOf(p)
		// gc numbers the literals of one outermost function's level; go/ssa's
		// AnonFuncs are in source order.
		nfunc, nrange := 0, 0
		for _, a := range p.AnonFuncs {
			isRange := strings.HasPrefix(a.Synthetic, "range-over-func")
			if lit, ok := a.Syntax().(*ast.FuncLit); ok && lit.Body.Lbrace == lit.Body.Rbrace && a != fn {
				continue // the loader's: see load/defers.go
			}
			if isRange {
				nrange++
			} else {
				nfunc++
			}
			if a == fn {
				if isRange {
					return fmt.Sprintf("%s-range%d", outer, nrange)
				}
				sep := ".func"
				if p.Parent() != nil && !strings.HasPrefix(p.Synthetic, "range-over-func") {
					sep = "."
				}
				return fmt.Sprintf("%s%s%d", outer, sep, nfunc)
			}
		}
	}
	name, _, _ := strings.Cut(fn.Name(), "[")
	if strings.HasPrefix(name, "init#") {
		name = "init." + fmt.Sprint(atoi(name[5:])-1)
	}
	recv := fn.Signature.Recv()
	if recv != nil {
		return l.methodSymbol(recv.Type(), name)
	}
	if m, ok := strings.CutSuffix(name, "$bound"); ok { // a method value
		return l.methodSymbol(l.bound[fn], m) + "-fm"
	}
	if m, ok := strings.CutSuffix(name, "$thunk"); ok { // a method expression
		return l.methodSymbol(fn.Signature.Params().At(0).Type(), m)
	}
	path := pkgPath(fn)
	if path == "command-line-arguments" {
		path = "main"
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		path = path[:i] + strings.ReplaceAll(path[i:], ".", "%2e")
	}
	if fn.Pkg == l.prog.Main || path == l.prog.Main.Pkg.Path() {
		path = "main"
	}
	if len(fn.TypeArgs()) > 0 {
		name += "[...]"
	}
	return path + "." + name
}

// methodSymbol spells the name of a method of type recv, which for a promoted
// method is the type that it was promoted to. Type arguments are not shown.
func (l *lowerer) methodSymbol(recv types.Type, method string) string {
	t := types.Unalias(recv)
	ptr := false
	if p, ok := t.(*types.Pointer); ok {
		ptr, t = true, types.Unalias(p.Elem())
	}
	pkg, name := l.lay.TypeSymbol(t)
	if i, j := strings.IndexByte(name, '['), strings.LastIndexByte(name, ']'); pkg != "go:" && i >= 0 {
		name = name[:i] + "[...]" + name[j+1:]
	}
	if ptr {
		name = "(*" + name + ")"
	}
	return pkg + name + "." + method
}

func atoi(s string) int {
	n := 0
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

// pos returns the position of a source place inside function f.
func (l *lowerer) pos(f *ir.Func, p token.Pos) ir.Pos {
	if !p.IsValid() {
		return 0
	}
	at := l.prog.Fset.Position(p)
	name := at.Filename
	if orig := l.prog.Fset.File(p).Name(); name != orig {
		name = lineFile(name, orig)
	}
	file, ok := l.files[name]
	if !ok {
		file = int32(len(l.m.Files))
		l.files[name] = file
		l.m.Files = append(l.m.Files, name)
	}
	return l.sitePos(ir.Site{Func: f.Index, File: file, Line: int32(at.Line)})
}

// lineFile is the name that a line directive gives, as gc prints it: as it
// stands there, "??" for none. go/scanner has joined a relative one with the
// directory of the file orig.
func lineFile(name, orig string) string {
	if name == "" {
		return "??"
	}
	if rel, ok := strings.CutPrefix(name, filepath.Dir(orig)+string(filepath.Separator)); ok {
		return rel
	}
	return name
}

// globalAddr returns the address of a package-level variable.
func (l *lowerer) globalAddr(g *ssa.Global) uint32 {
	if a, ok := l.globals[g]; ok {
		return a
	}
	if name, ok := l.prog.BaseGlobal(g); ok {
		if a, ok := l.base.global(name); ok {
			l.globals[g] = a
			return a
		}
	}
	if r := l.prog.ResolveGlobal(g); r != nil && r != g {
		a := l.globalAddr(r)
		l.globals[g] = a
		return a
	}
	t := g.Type().Underlying().(*types.Pointer).Elem()
	if l.lay.Sizeof(t) == 0 {
		l.globals[g] = l.zeroBaseAddr()
		return l.zeroBase
	}
	a := l.lay.GlobalOf(t, g.String())
	l.globals[g] = a
	l.initEmbed(g, a)
	return a
}

// patchTables fills the variables of the overlay that name static tables.
func (l *lowerer) patchTables() {
	links := l.lay.TypeLinks()
	l.setWords("gyr_typelinks", links)
	if l.base == nil {
		l.m.Vars = map[string]uint32{}
		for _, name := range []string{"gyr_others", "gyr_specials"} {
			if a, ok := l.runtimeVar(name); ok {
				l.m.Vars[name] = a
			}
		}
	}
	if a, ok := l.runtimeVar("gyr_godebug"); ok && (l.base != nil || l.prog.GODEBUG != "") {
		l.lay.SetInt64(a, int64(l.lay.String(l.prog.GODEBUG)))
		l.lay.SetInt64(a+8, int64(len(l.prog.GODEBUG)))
	}
}

// setWords points a slice variable of the overlay at static words of 4 bytes.
func (l *lowerer) setWords(name string, words []uint32) {
	a, ok := l.runtimeVar(name)
	if !ok || len(words) == 0 {
		return
	}
	buf := make([]byte, 0, 4*len(words))
	for _, w := range words {
		buf = binary.LittleEndian.AppendUint32(buf, w)
	}
	l.lay.SetInt64(a, int64(l.lay.Bytes(buf, 8)))
	l.lay.SetInt64(a+8, int64(len(words)))
	l.lay.SetInt64(a+16, int64(len(words)))
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
