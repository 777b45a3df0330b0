// Package lower turns go/ssa into the IR. It is the only package that sees both: later stages do
// not know go/types.
//
// Lowering begins at the program's entry and follows what is reachable. A function is lowered when
// something calls it or takes its value. A method is lowered when its receiver type is converted to
// an interface and a method of that name is called through an interface. Where reflection may call
// methods, all exported ones count as called. A program usually continues a base, the precompiled
// standard library. The base may call any method, so all methods of converted types are lowered
// then. Work is done in the order of discovery, which makes function numbers, addresses and
// everything else reproducible.
//
// # Values
//
// A Go value becomes a list of scalars: two for a string, three for a slice, the fields of a small
// struct. A value of more than four scalars, or with an array inside, is a memory aggregate: the
// address of a temporary that does not change while the value is alive. See value.go.
//
// # Functions
//
// The parameters of an IR function are the scalars of the Go parameters. Before them come
// addresses, one for each result that is a memory aggregate. Function values point to a closure
// object whose first word is the function's index. See call.go and closure.go.
//
// # Checks and gas
//
// Every nil, index, slice, shift and divide check is an operation here. Later passes may remove
// checks that cannot fail, and only such checks. The module has no gas charges yet. [gas.Place]
// adds them afterwards. A portable image holds the module as lowered. Its author may be hostile, so
// the charges are placed when it is read.
//
// # Where things are
//
//   - The worklist and the module: lower.go; method.go (which methods are lowered), name.go (names
//     of functions), limits.go (limits of a compilation).
//   - The standard library: base.go and baseindex.go make a base and let programs continue it;
//     fixed.go lists the functions of the runtime that are the same in all programs, so that images
//     can be checked against them.
//   - plan.go gives a new version of a program the addresses and numbers of the old one, so that it
//     can continue from the old one's states; planrecord.go writes them for the cache.
//   - A function: func.go (blocks, locals), instr.go (each instruction of go/ssa), call.go,
//     closure.go, rangefunc.go, made.go (functions that gc makes around generic methods, counted
//     for the names of literals), count.go (coverage), bloop.go and measured.go (benchmarks, see
//     package load).
//   - Values by kind: value.go (scalars and aggregates), arith.go, convert.go, iface.go,
//     mapchan.go, alg.go (equality and hashes), header.go (reflect.SliceHeader and StringHeader),
//     shape.go (the frames through which reflection calls functions), localtypes.go and
//     typeparam.go (generics).
//   - intrinsic.go replaces calls by operations; static.go turns initialisers into data; embed.go
//     fills variables with embedded files.
//
// The package is large because the translation has many cases, one file for each kind. All of them
// emit through the same builder.
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

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/front/layout"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/rewrite"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/printable"
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
		s = printable.Line(e.Pos.String()) + ": " + s
	}
	return s
}

// A SizeError says that a part of a program is too large for the memory that it runs in. The loader
// refuses most of these. Instances of generic functions and the data as a whole remain for
// lowering.
type SizeError struct {
	Pos token.Position // of the function in which it was found, if any
	Err error
}

func (e *SizeError) Error() string {
	if e.Pos.IsValid() {
		return e.Pos.String() + ": " + e.Err.Error()
	}
	return e.Err.Error()
}

func (e *SizeError) Unwrap() error { return e.Err }

// A refusal is the loader's error about an object that a program must not reach.
type refusal struct{ err error }

// refuse ends lowering if err is not nil.
func (l *lowerer) refuse(err error) {
	if err != nil {
		panic(refusal{err})
	}
}

// Program lowers everything that is reachable from p.Main. Base has the program's packages of the
// standard library. If it is nil, the program is lowered alone. The module has no charges yet.
func Program(p *load.Packages, base *Base) (*ir.Module, error) {
	l := newLowerer(p)
	if base != nil {
		if err := l.continues(base); err != nil {
			return nil, err
		}
	}
	return l.module(nil)
}

func newLowerer(p *load.Packages) *lowerer {
	l := &lowerer{
		prog: p,
		m: &ir.Module{Runtime: map[string]*ir.Func{}, Sites: make([]ir.Site, 1),
			Pos: make([]ir.PosEntry, 1), Counters: len(p.Cover), Go: p.Release.Minor},
		funcs:    map[*ssa.Function]*ir.Func{},
		globals:  map[*ssa.Global]uint32{},
		sites:    map[ir.Site]ir.Pos{},
		files:    map[string]int32{},
		flats:    map[types.Type]*flat{},
		compared: map[types.Type]int{},
		hosts:    map[string]int64{},
		invoked:  map[string]bool{},
		pending:  map[string][]pendingMethod{},
		adapters: map[adapterKey]*ir.Func{},
		priced:   map[*ssa.Function]*ir.Func{},
		shapes:   map[string]int32{},
		names:    map[*ssa.Function]string{},
		boxes:    map[string]uint32{},
		numbers:  map[*ssa.Function]int{},
		thunks:   map[ssa.CallInstruction]int{},
		params:   map[*ssa.Function]paramSelectors{},
		made:     map[*ssa.Function]madeLiterals{},
		generic:  map[*types.Info]bool{},
		owners:   map[*types.TypeName][]types.Type{},
	}
	l.lay = layout.New(l.hooks(), p.Release, nil)
	l.lay.Skip(p.Shift)
	return l
}

func (l *lowerer) hooks() layout.Hooks {
	return layout.Hooks{
		Equal: l.equalClosure, Hasher: l.hasherClosure, Method: l.methodEntry, ItabFun: l.itabEntry, OuterArgs: l.outerArgs,
		Std: func(p *types.Package) bool { return l.prog.StdPath(p) != "" }}
}

// module lowers the program and the roots that more adds.
func (l *lowerer) module(more func()) (m *ir.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			switch e := r.(type) {
			case *LinkError:
				m, err = nil, e
			case *SizeError:
				m, err = nil, e
			case refusal:
				m, err = nil, e.err
			case ended:
				m, err = nil, e.err
			default:
				m, err = nil, failure.New("lowering", r, l.where)
			}
		}
	}()
	l.program(more)
	l.measured()
	l.checkLayout(token.NoPos)
	if l.making {
		l.index = l.baseIndex()
	}
	if l.prog.Exports != nil {
		l.lay.Room()
	}
	l.lay.Finish(l.m)
	if err := l.lay.TooLarge(); err != nil {
		return nil, err
	}
	for _, f := range l.m.Own() {
		f.Renumber() // as if read from an image
	}
	if l.prog.Exports != nil {
		l.m.Described = l.describe()
	}
	return l.m, nil
}

// where returns the position that was being lowered.
func (l *lowerer) where() api.Position {
	if l.at == nil {
		return api.Position{}
	}
	return failure.In(l.at.f, l.at.pos)()
}

// checkLayout ends lowering if something was too large.
func (l *lowerer) checkLayout(pos token.Pos) {
	if err := l.lay.Err(); err != nil {
		panic(&SizeError{l.prog.Fset.Position(pos), err})
	}
}

type lowerer struct {
	prog *load.Packages
	m    *ir.Module
	lay  *layout.Builder
	base *Base // the base that m continues, nil if m stands alone

	planner  planner
	captures []types.Type // of function values, for describe

	making  bool // for a base: bodies may be missing
	index   BaseIndex
	missing map[*ir.Func]bool

	funcs    map[*ssa.Function]*ir.Func
	queue    []func() // bodies to lower
	globals  map[*ssa.Global]uint32
	sites    map[ir.Site]ir.Pos
	files    map[string]int32
	flats    map[types.Type]*flat
	compared map[types.Type]int // see comparisons
	hosts    map[string]int64
	names    map[*ssa.Function]string
	boxes    map[string]uint32                // addresses of boxed constants, by their bytes
	numbers  map[*ssa.Function]int            // of literals and bodies, see numberOf
	thunks   map[ssa.CallInstruction]int      // numbers of the thunks of go and defer statements
	params   map[*ssa.Function]paramSelectors // by generic function
	made     map[*ssa.Function]madeLiterals   // by declared function
	generic  map[*types.Info]bool             // whether a package has instances of generic methods

	instances []*ssa.Function // of generic functions, in order of first use
	searched  []bool          // instances whose local types are in owners
	owners    map[*types.TypeName][]types.Type

	invoked    map[string]bool // method names called through interfaces
	reflectAll bool            // exported methods may be called by reflection
	everything bool            // any method may be called: in a base, and in programs that continue one
	pending    map[string][]pendingMethod
	adapters   map[adapterKey]*ir.Func
	priced     map[*ssa.Function]*ir.Func // see pricedWrapper
	inits      []initOf

	equals     typeutil.Map // type → *ir.Func
	grouped    typeutil.Map // struct → []comparison, see inGroups
	hashers    typeutil.Map
	shapes     map[string]int32
	shapeInfo  []*shapeInfo
	reflCall   bool // reflect.Value.Call is reachable: functions need Unpack stubs
	reflMake   bool // reflect.MakeFunc or method values are reachable: shapes need Pack stubs
	makeFunc   *ir.Func
	methodFunc *ir.Func

	pruned                          *ir.Func // see prunedMethod
	hidden                          *ir.Func // see hiddenPos
	staticBytes, zeroBase, zeroAddr uint32
	zeroSize                        int64
	from                            string // function being lowered, for link errors
	at                              *fn    // the same, for internal errors
	spent                           [budget.Accounts]spent
}

// buffered are the functions of the overlay that make an object and have a second form, with the
// suffix buf. The optimiser calls the second form if the object does not escape.
var buffered = []string{
	"slicebytetostring", "stringtoslicebyte", "stringtoslicerune", "slicerunetostring", "intstring",
	"rawstring", "concatstring2", "makeslice",
}

func (l *lowerer) program(more func()) {
	// No function has the index 0. The entry comes first.
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
	l.finishPlan()
	l.patchTables()
	for _, s := range l.shapeInfo {
		l.m.Shapes = append(l.m.Shapes, &s.Shape)
	}
}

// runtimeEntries lowers the functions that tiers call.
func (l *lowerer) runtimeEntries() {
	for _, t := range ir.Traps {
		l.m.Runtime[t.Func] = l.runtimeFunc(t.Func)
	}
	for _, name := range ir.RuntimeEntries {
		l.m.Runtime[name] = l.runtimeFunc(name)
	}
}

// finishTraps marks the functions of traps as never returning. Tiers call them in the middle of an
// operation that cannot go on.
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
	// The standard library comes first: it imports no other packages, and its initialisation is
	// free. If one of its packages is under test, that package and all that import it belong to the
	// program.
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

// An initOf is an entry of Module.Inits with its package.
type initOf struct {
	pkg *load.Package
	ir.Init
}

// finishInits writes Module.Inits. It leaves out packages of std whose whole initialisation was
// static.
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

// hostIndex returns the number in Module.Primitives of a function of the host, which is called with
// a signature.
func (l *lowerer) hostIndex(name string, sig ir.Sig) int64 {
	i, ok := l.hosts[name]
	if !ok {
		i = int64(len(l.m.Primitives))
		l.hosts[name] = i
		l.m.Primitives = append(l.m.Primitives, ir.Primitive{Name: name, Sig: sig})
	}
	return i
}

// newFunc adds a function to the module.
func (l *lowerer) newFunc(name string, sig ir.Sig, flags ir.FuncFlags) *ir.Func {
	return l.planFunc(name, name, sig, flags, false)
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
			l.fits(fn, f)
			l.funcs[fn] = f
			if !l.m.InBase(f) { // those of a base are the same in all programs that continue it
				f.Flags |= l.promises(fn)
			}
			return f
		}
	}
	if f := l.linked(fn); f != nil {
		l.fits(fn, f)
		l.funcs[fn] = f
		return f
	}
	if m := l.methodOfThunk(fn); m != nil {
		f := l.funcOf(m)
		l.funcs[fn] = f
		return f
	}
	key, declared := l.planKey(fn)
	f := l.planFunc(key, l.nameOf(fn), l.sigOf(fn.Signature), l.flagsOf(fn), declared)
	l.funcs[fn] = f
	l.noteInstance(fn)
	f.Shape = l.shapeOf(fn.Signature, false) + 1
	if isGenerated(fn) {
		f.Pos = l.generatedPos(f)
	} else {
		f.Pos = l.pos(f, fn.Pos())
	}
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

// fits checks that f, which supplies the body of a program's own function, has that function's
// signature. The loader has compared their layouts.
func (l *lowerer) fits(fn *ssa.Function, f *ir.Func) {
	if s := l.sigOf(fn.Signature); !l.isStd(fn) && !s.Equal(&f.Sig) {
		panic(&LinkError{Func: l.prog.Symbol(fn), From: l.from, Pos: l.prog.Fset.Position(fn.Pos()),
			Reason: "that of " + f.Name + " has another signature"})
	}
}

// endingBody makes a body for a function that has none: one that the loader dropped because no live
// code names it (method tables and wrappers may mention it, nothing calls it), or one of a base
// whose body is missing. The body ends the program with a text and the name.
func (l *lowerer) endingBody(f *ir.Func, why string) {
	b := builder{l: l, f: f}
	b.b = f.NewBlock()
	for i, t := range f.Sig.Params {
		b.opAux(ir.OpArg, t, int64(i))
	}
	f.Flags &^= ir.Runtime | ir.ByName // its source does not apply
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
	if isGenerated(fn) || isMethodExpr(fn) || l.isTransparent(fn) {
		flags |= ir.Wrapper
	}
	if slices.Contains(runtimePackages, l.stdPath(fn)) {
		flags |= ir.NoPreempt
		if isFixed(fn) {
			flags |= ir.Runtime
			if fn.Signature.Recv() == nil && fn.Parent() == nil && !runtimeValues[fn.Name()] {
				flags |= ir.ByName // a function that pays stands for its value: see pricedWrapper
			}
		}
	}
	if l.stdPath(fn) == "reflect" && fn.Name() == "embeddedIfaceMethStub" {
		flags |= ir.AnySignature // it stands for methods of all signatures, and panics
	}
	if l.prog.Pragma(fn)&directive.NoInline != 0 {
		flags |= ir.NoInline
	}
	if usesUnsafe(fn) {
		flags |= ir.Unsafe
	}
	return flags | l.promises(fn)
}

// usesUnsafe reports whether the source of a function has operations of package unsafe, which may
// access memory by another type.
func usesUnsafe(fn *ssa.Function) bool {
	isPointer := func(t types.Type) bool {
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Kind() == types.UnsafePointer
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Convert:
				if isPointer(in.Type()) || isPointer(in.X.Type()) {
					return true
				}
			case *ssa.Call:
				if f, ok := in.Call.Value.(*ssa.Builtin); ok && unsafeBuiltins[f.Name()] {
					return true
				}
			}
		}
	}
	return false
}

// importsUnsafe reports whether the package of a function imports package unsafe.
func importsUnsafe(fn *ssa.Function) bool {
	p := pkgOf(fn)
	return p != nil && slices.Contains(p.Imports(), types.Unsafe)
}

// unsafeBuiltins are functions of package unsafe that make pointers; others make constants.
var unsafeBuiltins = map[string]bool{"Add": true, "Slice": true, "SliceData": true, "String": true, "StringData": true}

// isGenerated reports whether go/ssa made a function: whether it is a wrapper.
func isGenerated(fn *ssa.Function) bool {
	return fn.Synthetic != "" && fn.Parent() == nil && fn.Syntax() == nil && fn.Name() != "init"
}

// isMethodExpr reports whether the loader made a function for a method expression of a generic
// method.
func isMethodExpr(fn *ssa.Function) bool {
	lit, ok := fn.Syntax().(*ast.FuncLit)
	return ok && rewrite.IsMethodExpr(lit)
}

// promises returns the flags by which the standard library vouches for a function.
func (l *lowerer) promises(fn *ssa.Function) ir.FuncFlags {
	if l.isStd(fn) && l.prog.Pragma(fn)&directive.NoEscape != 0 {
		return ir.NoEscape
	}
	return 0
}

// isStd reports whether a function belongs to the standard library, whose promises count.
func (l *lowerer) isStd(fn *ssa.Function) bool {
	return l.stdPath(fn) != ""
}

// runtimePackages run as part of operations.
var runtimePackages = []string{"runtime", "internal/runtime/maps"}

// runtimeValues are the functions whose values the runtime itself takes: those in which goroutines
// begin and end, and the one for methods that are never called. None of them works beyond its own
// loops, which carry charges, and all have no parameters.
var runtimeValues = map[string]bool{
	"main": true, "goexit": true, "corostart": true, "netexpire": true, "reportdeadlock": true,
	"runCleanups": true, "runFinalizers": true, "unreachableMethod": true,
}

// isFixed reports whether the lowered form of a function is the same in every program. It is not
// for instances of generic functions, for wrappers, and for the initialisers of packages, which
// lack the parts that the program does not use. Portable images are checked against the fixed
// functions.
func isFixed(fn *ssa.Function) bool {
	for ; fn.Parent() != nil; fn = fn.Parent() {
	}
	return fn.Synthetic == "" && len(fn.TypeArgs()) == 0
}

// transparent are the functions between a caller and the function that it means to call. Deferred
// calls seem to be made by their function, and reflection's calls by its users. The functions that
// our testdeps puts around tests are transparent, too.
var transparent = map[string]bool{
	"runtime.deferreturn": true, "runtime.reflectcall": true, "runtime.reflect_call": true,
	"reflect.callMethod": true, "reflect.callReflect": true,
}

func (l *lowerer) isTransparent(fn *ssa.Function) bool {
	path := l.stdPath(fn)
	return transparent[path+"."+fn.Name()] || path == "testing/internal/testdeps" && fn.Parent() != nil
}

// pos returns the IR position of a source position inside function f.
func (l *lowerer) pos(f *ir.Func, p token.Pos) ir.Pos {
	if !p.IsValid() {
		return 0
	}
	at := l.prog.Fset.Position(p)
	name := l.prog.FileName(at.Filename)
	if orig := l.prog.Fset.File(p).Name(); at.Filename != orig {
		name = lineFile(at.Filename, orig)
	}
	return l.sitePos(ir.Site{Func: f.Index, File: l.file(name), Line: int32(at.Line)})
}

// generatedPos returns the position of a wrapper's code, as gc names it.
func (l *lowerer) generatedPos(f *ir.Func) ir.Pos {
	return l.sitePos(ir.Site{Func: f.Index, File: l.file("<autogenerated>"), Line: 1})
}

// file returns the number of a file name.
func (l *lowerer) file(name string) int32 {
	file, ok := l.files[name]
	if !ok {
		file = int32(len(l.m.Files))
		l.files[name] = file
		l.m.Files = append(l.m.Files, name)
	}
	return file
}

// sitePos returns the position of a site, adding it if it is new.
func (l *lowerer) sitePos(s ir.Site) ir.Pos {
	pos, ok := l.sites[s]
	if !ok {
		pos = l.m.AddPosition(ir.PosEntry{Site: l.m.AddSite(s)})
		l.sites[s] = pos
	}
	return pos
}

// posIn returns a position as a position in function f. A position tells tracebacks its function: a
// wrapper's code belongs to the wrapper, whatever source it points to.
func (l *lowerer) posIn(f *ir.Func, p ir.Pos) ir.Pos {
	if p == 0 {
		return 0
	}
	e, _ := l.m.Position(p)
	site, _ := l.m.Site(e.Site)
	site.Func = f.Index
	return l.sitePos(site)
}

// hiddenPos returns a position that tracebacks do not show: it is in a wrapper that stands for all
// such places and is never called.
func (l *lowerer) hiddenPos(p ir.Pos) ir.Pos {
	if l.hidden == nil {
		l.hidden = l.newFunc("runtime.hidden", ir.Sig{}, ir.Wrapper)
		b := builder{l: l, f: l.hidden}
		b.b = l.hidden.NewBlock()
		b.b.Kind = ir.BlockReturn
	}
	return l.posIn(l.hidden, p)
}

// lineFile returns the file name of a line directive as gc prints it: unchanged, or "??" if it is
// empty. go/scanner has joined a relative name with the directory of the file orig.
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
	l.refuse(l.prog.RefusalOf(g))
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
	l.setWords("gyr_typelinks", 4, links)
	l.setWords("gyr_typepointers", 8, links)
	if l.base == nil {
		l.m.Vars = map[string]uint32{}
		for _, name := range []string{"gyr_others", "gyr_specials"} {
			if a, ok := l.runtimeVar(name); ok {
				l.m.Vars[name] = a
			}
		}
	}
	if l.base != nil || l.prog.GODEBUG != "" {
		l.setText("gyr_godebug", l.prog.GODEBUG)
	}
	if l.prog.BuildInfo != "" {
		l.setText("gyr_modinfo", l.prog.BuildInfo)
	}
}

// setText sets a string variable of the overlay.
func (l *lowerer) setText(name, text string) {
	if a, ok := l.runtimeVar(name); ok {
		l.lay.SetInt64(a, int64(l.lay.String(text)))
		l.lay.SetInt64(a+8, int64(len(text)))
	}
}

// setWords points a slice variable of the overlay at static words of 4 or 8 bytes.
func (l *lowerer) setWords(name string, size int, words []uint32) {
	a, ok := l.runtimeVar(name)
	if !ok || len(words) == 0 {
		return
	}
	buf := make([]byte, size*len(words))
	for i, w := range words {
		binary.LittleEndian.PutUint32(buf[size*i:], w)
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
