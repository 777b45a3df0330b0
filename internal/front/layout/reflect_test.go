package layout

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gyrvm/gyr/internal/front/layout/testdata/corpus"
	"github.com/gyrvm/gyr/internal/release"
	"golang.org/x/tools/go/types/typeutil"
)

// The descriptors of this process were made by gc. Reading both kinds through
// the interface below, the test walks them side by side, from the types of
// testdata/corpus to everything that they refer to.

// memory reads little-endian words.
type memory interface {
	load(addr uint64, size int) uint64
	bytes(addr uint64, n int) string
	off(o uint32) uint64 // address of a NameOff or TypeOff
}

// host is this process. Offsets are relative to the module's type section.
type host struct {
	base  unsafe.Pointer
	types unsafe.Pointer
}

func newHost() host {
	t := reflect.TypeOf(0)
	h := host{base: (*[2]unsafe.Pointer)(unsafe.Pointer(&t))[1]}
	// The text of a type's string is in its name, after flags, length and '*'.
	str := unsafe.Pointer(unsafe.StringData(t.String()))
	name := *(*uint32)(unsafe.Add(h.base, offStr))
	h.types = unsafe.Add(str, -3-int(name))
	return h
}

func (h host) at(addr uint64) unsafe.Pointer {
	return unsafe.Add(h.base, int(addr-uint64(uintptr(h.base))))
}

func (h host) load(addr uint64, size int) uint64 {
	switch p := h.at(addr); size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	default:
		return *(*uint64)(p)
	}
}

func (h host) bytes(addr uint64, n int) string { return unsafe.String((*byte)(h.at(addr)), n) }

func (h host) off(o uint32) uint64 {
	if o == 0 || int32(o) == -1 {
		return 0
	}
	return uint64(uintptr(h.types)) + uint64(o)
}

// guest is the segment of a builder.
type guest struct{ b *Builder }

func (g guest) load(addr uint64, size int) uint64 {
	var v uint64
	for i, c := range []byte(g.bytes(addr, size)) {
		v |= uint64(c) << (8 * i)
	}
	return v
}

func (g guest) bytes(addr uint64, n int) string { return string(g.b.window(uint32(addr), n)) }
func (g guest) off(o uint32) uint64             { return uint64(o) }

// A walker compares descriptors.
type walker struct {
	t     *testing.T
	h     host
	g     guest
	seen  map[[2]uint64]bool
	queue []pair
	bad   int
	count int // methods compared
}

type pair struct {
	h, g uint64
	path string
}

func (w *walker) push(h, g uint64, path string) {
	if (h == 0) != (g == 0) {
		w.errorf(path, "host %#x, guest %#x", h, g)
	}
	if h == 0 || g == 0 || w.seen[[2]uint64{h, g}] {
		return
	}
	w.seen[[2]uint64{h, g}] = true
	if len(path) > 300 {
		path = "..." + path[len(path)-297:]
	}
	w.queue = append(w.queue, pair{h, g, path})
}

func (w *walker) errorf(path, format string, args ...any) {
	if w.bad++; w.bad < 40 {
		w.t.Errorf("%s: %s", path, fmt.Sprintf(format, args...))
	}
}

func (w *walker) both(p pair, what string, off uint64, size int) uint64 {
	h, g := w.h.load(p.h+off, size), w.g.load(p.g+off, size)
	if h != g {
		w.errorf(p.path, "%s: host %#x, guest %#x", what, h, g)
	}
	return g
}

// ptr compares two references to descriptors.
func (w *walker) ptr(p pair, what string, off uint64) {
	w.push(w.h.load(p.h+off, 8), w.g.load(p.g+off, 8), p.path+what)
}

// abiName decodes a name.
func abiName(m memory, addr uint64) string {
	if addr == 0 {
		return ""
	}
	flags := m.load(addr, 1)
	text := func(a uint64) (string, uint64) {
		n, shift := 0, 0
		for {
			c := m.load(a, 1)
			a++
			n |= int(c&0x7f) << shift
			shift += 7
			if c < 0x80 {
				return m.bytes(a, n), a + uint64(n)
			}
		}
	}
	s, end := text(addr + 1)
	s = fmt.Sprintf("%s flags=%x", s, flags)
	if flags&2 != 0 {
		var tag string
		tag, end = text(end)
		s += fmt.Sprintf(" tag=%q", tag)
	}
	if flags&4 != 0 {
		var o uint32
		for i, c := range []byte(m.bytes(end, 4)) {
			o |= uint32(c) << (8 * i)
		}
		s += " pkg=" + abiName(m, m.off(o))
	}
	return s
}

func (w *walker) name(path, what string, h, g uint64) {
	if hs, gs := abiName(w.h, h), abiName(w.g, g); hs != gs {
		w.errorf(path, "%s: host %s, guest %s", what, hs, gs)
	}
}

func (w *walker) run() {
	for len(w.queue) > 0 {
		p := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.compare(p)
	}
}

func (w *walker) compare(p pair) {
	// The common part.
	w.both(p, "size", offSize, 8)
	ptrBytes := w.both(p, "ptrbytes", offPtrBytes, 8)
	const extraStar = 1 << 1
	hf, gf := w.h.load(p.h+offTFlag, 1), w.g.load(p.g+offTFlag, 1)
	if mask := ^uint64(extraStar | tflagGCMaskOnDemand); hf&mask != gf&mask {
		w.errorf(p.path, "tflag: host %#x, guest %#x", hf, gf)
	}
	w.both(p, "align", offAlign, 1)
	w.both(p, "fieldalign", offFieldAlign, 1)
	kind := w.both(p, "kind", offKind, 1)
	if h, g := w.h.load(p.h+offEqual, 8), w.g.load(p.g+offEqual, 8); (h == 0) != (g == 0) {
		w.errorf(p.path, "equal: host %#x, guest %#x", h, g)
	}
	if hf&tflagGCMaskOnDemand == 0 && gf&tflagGCMaskOnDemand == 0 && ptrBytes > 0 {
		n := (int(ptrBytes)/8 + 63) / 64 * 8
		if h, g := w.h.bytes(w.h.load(p.h+offGCData, 8), n), w.g.bytes(w.g.load(p.g+offGCData, 8), n); h != g {
			w.errorf(p.path, "gcdata: host %x, guest %x", h, g)
		}
	}
	hs := abiName(w.h, w.h.off(uint32(w.h.load(p.h+offStr, 4))))
	gs := abiName(w.g, w.g.off(uint32(w.g.load(p.g+offStr, 4))))
	if hf&extraStar != 0 {
		hs = strings.TrimPrefix(hs, "*")
	}
	if hs != gs {
		w.errorf(p.path, "string: host %s, guest %s", hs, gs)
		return
	}
	hp, gp := w.h.off(uint32(w.h.load(p.h+offPtrToThis, 4))), w.g.off(uint32(w.g.load(p.g+offPtrToThis, 4)))
	// The linker drops the pointer types of unnamed types if nothing else uses them.
	if hf&tflagNamed != 0 || hp != 0 && gp != 0 {
		w.push(hp, gp, p.path+".ptrToThis")
	}

	// The part of the kind.
	fixed, extra := uint64(sizeType), uint64(0)
	if gf&tflagUncommon != 0 {
		extra = sizeUncommon
	}
	switch kind {
	case kindArray:
		fixed += 24
		w.ptr(p, ".elem", 48)
		w.ptr(p, ".slice", 56)
		w.both(p, "len", 64, 8)
	case kindChan:
		fixed += 16
		w.ptr(p, ".elem", 48)
		w.both(p, "dir", 56, 8)
	case kindPointer, kindSlice:
		fixed += 8
		w.ptr(p, ".elem", 48)
	case kindFunc:
		fixed += 8
		in, out := w.both(p, "in", 48, 2), w.both(p, "out", 50, 2)
		for i := range in + out&(1<<15-1) {
			w.ptr(p, fmt.Sprintf(".param%d", i), fixed+extra+8*i)
		}
	case kindMap:
		m := built().Map
		fixed += uint64(m.Size) - 48
		w.ptr(p, ".key", 48)
		w.ptr(p, ".elem", 56)
		w.ptr(p, ".group", 64)
		if w.g.load(p.g+72, 8) == 0 {
			w.errorf(p.path, "no hasher")
		}
		w.both(p, "groupsize", 80, 8)
		for _, at := range append(m.Arrays[:], m.Stride, m.ElemOff) {
			if at > 0 {
				w.both(p, fmt.Sprintf("word at %d", at), uint64(at), 8)
			}
		}
		w.both(p, "mapflags", uint64(m.Flags), 4)
	case kindInterface:
		fixed += 32
		w.name(p.path, "pkgpath", w.h.load(p.h+48, 8), w.g.load(p.g+48, 8))
		ha, ga := w.h.load(p.h+56, 8), w.g.load(p.g+56, 8)
		n := w.both(p, "methods", 64, 8)
		for i := range n {
			w.name(p.path, "method", w.h.off(uint32(w.h.load(ha+8*i, 4))), w.g.off(uint32(w.g.load(ga+8*i, 4))))
			w.push(w.h.off(uint32(w.h.load(ha+8*i+4, 4))), w.g.off(uint32(w.g.load(ga+8*i+4, 4))), p.path+fmt.Sprintf(".imethod%d", i))
		}
	case kindStruct:
		fixed += 32
		w.name(p.path, "pkgpath", w.h.load(p.h+48, 8), w.g.load(p.g+48, 8))
		ha, ga := w.h.load(p.h+56, 8), w.g.load(p.g+56, 8)
		n := w.both(p, "fields", 64, 8)
		for i := range n {
			f := pair{ha + sizeField*i, ga + sizeField*i, p.path + fmt.Sprintf(".field%d", i)}
			w.name(f.path, "name", w.h.load(f.h, 8), w.g.load(f.g, 8))
			w.ptr(f, "", 8)
			w.both(f, "offset", 16, 8)
		}
	}
	if extra != 0 && hf&tflagUncommon != 0 {
		w.uncommon(pair{p.h + fixed, p.g + fixed, p.path})
	}
}

func (w *walker) uncommon(p pair) {
	w.name(p.path, "uncommon pkgpath", w.h.off(uint32(w.h.load(p.h, 4))), w.g.off(uint32(w.g.load(p.g, 4))))
	n := w.both(p, "mcount", 4, 2)
	w.both(p, "xcount", 6, 2)
	moff := w.both(p, "moff", 8, 4)
	if w.h.load(p.h+4, 2) != n {
		return
	}
	for i := range n {
		h, g := p.h+moff+sizeMethod*i, p.g+moff+sizeMethod*i
		w.name(p.path, "method", w.h.off(uint32(w.h.load(h, 4))), w.g.off(uint32(w.g.load(g, 4))))
		// The linker has cut the types of unreachable methods.
		if t := w.h.off(uint32(w.h.load(h+4, 4))); t != 0 {
			w.push(t, w.g.off(uint32(w.g.load(g+4, 4))), p.path+fmt.Sprintf(".method%d", i))
		}
		if ifn, tfn := int32(w.g.load(g+8, 4)), int32(w.g.load(g+12, 4)); ifn != -1 || tfn != -1 {
			w.errorf(p.path, "method %d: ifn %d, tfn %d", i, ifn, tfn)
		}
		w.count++
	}
}

// load type-checks the corpus and its imports.
var load = sync.OnceValues(func() (*corpusPkg, error) {
	build.Default.CgoEnabled = false
	fset := token.NewFileSet()
	imp := &corpusImporter{
		fset: fset,
		std:  importer.ForCompiler(fset, "source", nil),
		pkgs: map[string]*types.Package{},
	}
	c := &corpusPkg{info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
	var err error
	c.pkg, c.file, err = imp.check("testdata/corpus", &c.info)
	return c, err
})

type corpusPkg struct {
	pkg  *types.Package
	file *ast.File
	info types.Info
}

type corpusImporter struct {
	fset *token.FileSet
	std  types.Importer
	pkgs map[string]*types.Package
}

const modulePrefix = "github.com/gyrvm/gyr/internal/front/layout/"

func (i *corpusImporter) Import(path string) (*types.Package, error) {
	rel, own := strings.CutPrefix(path, modulePrefix)
	if !own {
		return i.std.Import(path)
	}
	if p := i.pkgs[path]; p != nil {
		return p, nil
	}
	p, _, err := i.check(rel, nil)
	i.pkgs[path] = p
	return p, err
}

func (i *corpusImporter) check(dir string, info *types.Info) (*types.Package, *ast.File, error) {
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil || len(files) != 1 {
		return nil, nil, fmt.Errorf("want one file in %s: %v", dir, err)
	}
	f, err := parser.ParseFile(i.fset, files[0], nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	conf := types.Config{Importer: i, Sizes: types.SizesFor("gc", "wasm")}
	p, err := conf.Check(modulePrefix+dir, i.fset, []*ast.File{f}, info)
	return p, f, err
}

func loadCorpus(t *testing.T) *corpusPkg {
	t.Helper()
	c, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// types returns the types that a function of the corpus lists.
func (c *corpusPkg) types(fn string) []types.Type {
	var list []types.Type
	for _, d := range c.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv != nil || f.Name.Name != fn {
			continue
		}
		ret := f.Body.List[len(f.Body.List)-1].(*ast.ReturnStmt)
		for _, e := range ret.Results[0].(*ast.CompositeLit).Elts {
			list = append(list, c.info.Types[e].Type.(*types.Pointer).Elem())
		}
	}
	return list
}

var corpusFuncs = map[string]func() []any{
	"Basics": corpus.Basics, "Composites": corpus.Composites, "Structs": corpus.Structs, "Named": corpus.Named,
	"Embedded": corpus.Embedded, "Maps": corpus.Maps, "Generic": corpus.Generic, "Local": corpus.Local, "Local2": corpus.Local2,
	"Interfaces": corpus.Interfaces,
}

// built returns the release of the Go that built this test: its descriptors are compared with ours.
func built() *release.Release { return release.Of(runtime.Version()) }

func testBuilder() *Builder {
	var b *Builder
	b = New(Hooks{
		Equal:  func(types.Type) uint32 { return b.Closure(1) },
		Hasher: func(types.Type) uint32 { return b.Closure(2) },
	}, built(), nil)
	return b
}

func TestDescriptorsEqualThoseOfGC(t *testing.T) {
	c := loadCorpus(t)
	b := testBuilder()
	w := &walker{t: t, h: newHost(), g: guest{b}, seen: map[[2]uint64]bool{}}
	var names []string
	for name := range corpusFuncs {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		real, ours := corpusFuncs[name](), c.types(name)
		if len(real) != len(ours) {
			t.Fatalf("%s: %d values, %d types", name, len(real), len(ours))
		}
		for i, v := range real {
			rt := reflect.TypeOf(v).Elem()
			if s := b.TypeString(ours[i]); s != rt.String() {
				t.Errorf("%s %d: String is %s, want %s", name, i, s, rt)
			}
			addr := uint64(uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&rt))[1]))
			w.push(addr, uint64(b.Type(ours[i])), rt.String())
			w.run()
		}
	}
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d descriptors and %d methods compared; %d made, %d KiB", len(w.seen), w.count, len(b.descList), (b.low.end-b.low.base)>>10)
}

// allTypes returns every type of the corpus and of the packages below it.
func allTypes(c *corpusPkg) []types.Type {
	var list []types.Type
	for _, tv := range c.info.Types {
		if tv.IsType() || tv.IsValue() {
			list = append(list, tv.Type)
		}
	}
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, n := range p.Scope().Names() {
			if o := p.Scope().Lookup(n); o.Type() != nil {
				list = append(list, o.Type(), o.Type().Underlying())
			}
		}
		for _, q := range p.Imports() {
			visit(q)
		}
	}
	visit(c.pkg)
	return slices.DeleteFunc(list, func(t types.Type) bool { return !ground(t, map[types.Type]bool{}) })
}

// ground reports whether t is a type without type parameters, so that values can have it.
func ground(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return true
	}
	seen[t] = true
	tuple := func(u *types.Tuple) bool {
		for v := range u.Variables() {
			if !ground(v.Type(), seen) {
				return false
			}
		}
		return true
	}
	switch u := types.Unalias(t).(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid
	case *types.Named:
		if u.TypeParams().Len() != u.TypeArgs().Len() {
			return false
		}
		for a := range u.TypeArgs().Types() {
			if !ground(a, seen) {
				return false
			}
		}
		return ground(u.Underlying(), seen)
	case *types.Pointer:
		return ground(u.Elem(), seen)
	case *types.Slice:
		return ground(u.Elem(), seen)
	case *types.Array:
		return ground(u.Elem(), seen)
	case *types.Chan:
		return ground(u.Elem(), seen)
	case *types.Map:
		return ground(u.Key(), seen) && ground(u.Elem(), seen)
	case *types.Signature:
		return u.TypeParams().Len() == 0 && tuple(u.Params()) && tuple(u.Results())
	case *types.Struct:
		for f := range u.Fields() {
			if !ground(f.Type(), seen) {
				return false
			}
		}
		return true
	case *types.Interface:
		if !u.IsMethodSet() {
			return false
		}
		for m := range u.Methods() {
			if !ground(m.Type(), seen) {
				return false
			}
		}
		return true
	}
	return false
}

func TestSizesEqualThoseOfGoTypes(t *testing.T) {
	c := loadCorpus(t)
	b := New(Hooks{}, built(), nil)
	sizes := types.SizesFor("gc", "wasm")
	list := allTypes(c)
	for _, typ := range list {
		if u, ok := typ.Underlying().(*types.Basic); ok && u.Info()&types.IsUntyped != 0 {
			continue
		}
		if got, want := b.Sizeof(typ), sizes.Sizeof(typ); got != want {
			t.Errorf("Sizeof(%v) = %d, want %d", typ, got, want)
		}
		if got, want := b.Alignof(typ), sizes.Alignof(typ); got != want {
			t.Errorf("Alignof(%v) = %d, want %d", typ, got, want)
		}
		if s, ok := typ.(*types.Struct); ok {
			if got, want := b.Offsets(s), sizes.Offsetsof(slices.Collect(s.Fields())); !slices.Equal(got, want) {
				t.Errorf("Offsets(%v) = %d, want %d", typ, got, want)
			}
		}
		if got, want := b.info(typ).alg != AlgNone, types.Comparable(typ); got != want {
			t.Errorf("Comparable(%v) = %v", typ, got)
		}
	}
	t.Logf("%d types", len(list))
	if len(list) < 1000 {
		t.Error("corpus too small")
	}
}

// The key of descriptors must be as fine as identity, and no finer.
func TestLinkStringIsIdentity(t *testing.T) {
	c := loadCorpus(t)
	b := New(Hooks{}, built(), nil)
	byString := map[string]types.Type{}
	var byType typeutil.Map
	for _, typ := range allTypes(c) {
		if u, ok := types.Unalias(typ).(*types.Basic); ok && u.Info()&types.IsUntyped != 0 {
			continue
		}
		s := b.LinkString(typ)
		if o := byString[s]; o != nil && !types.Identical(o, typ) {
			t.Errorf("%v and %v are both %s", o, typ, s)
		}
		byString[s] = typ
		if o := byType.At(typ); o != nil && o != s {
			t.Errorf("%v is both %s and %s", typ, o, s)
		}
		byType.Set(typ, s)
	}
	if err := b.Err(); err != nil {
		t.Error(err)
	}
}
