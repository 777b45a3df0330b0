package layout

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
)

// check type-checks a package without imports and returns its scope.
func check(t *testing.T, path, src string) *types.Scope {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := new(types.Config).Check(path, fset, []*ast.File{f}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p.Scope()
}

func TestHeapLayoutsAreSharedAndShort(t *testing.T) {
	s := check(t, "p", `package p
		type Two struct { a, b string }
		type Str string
		type Arr [1<<40]struct{ p *int; n int }
		type Odd struct { a *int; b [3]int }
		type Last struct { b [100]int; a *int }
		type None struct { a [7]int32 }
		type Iface any
		type Ptrs [3]struct{ a, b *int }
		type Empty [0]*int`)
	b := New(Hooks{}, release.Oldest(), nil)
	n := func(name string) int32 { return b.HeapLayout(s.Lookup(name).Type()) }
	str := n("Str")
	if n("Two") != str || n("Arr") != str {
		t.Error("string, two strings and an array of them differ")
	}
	if n("None") != ir.NoPointers || n("Empty") != ir.NoPointers {
		t.Error("pointers found where none are")
	}
	for name, want := range map[string]ir.Layout{
		"Str":   {Size: 16, Ptrs: []uint64{1}},
		"Odd":   {Size: 32, Ptrs: []uint64{1}},
		"Last":  {Size: 808, Ptrs: []uint64{0, 1 << 36}},
		"Iface": {Size: 16, Ptrs: []uint64{2}},
		"Ptrs":  {Size: 8, Ptrs: []uint64{1}},
	} {
		if got := b.layouts[n(name)]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestSegmentHoldsWhatWasPlaced(t *testing.T) {
	b := New(Hooks{}, release.Oldest(), nil)
	hello := b.String("hello")
	if b.String("hello") != hello || b.String("") != 0 || b.String("hell") == hello {
		t.Error("strings are not shared by content")
	}
	c := b.Closure(7)
	if b.Closure(7) != c || b.Closure(8) == c || c%8 != 0 || b.Int64(c) != 7 {
		t.Error("closures")
	}
	one := b.Global(1, 1, nil, "one")
	p1 := b.Global(24, 8, []uint64{1}, "slice")
	p2 := b.GlobalOf(types.NewArray(types.NewPointer(types.Typ[types.Int]), 3), "pointers")
	if one/pageSize == hello/pageSize || one/pageSize == p1/pageSize {
		t.Error("globals share pages with other data")
	}
	huge := b.Global(1<<30, 64, nil, "huge")
	huge2 := b.GlobalOf(types.NewArray(types.Typ[types.String], 1<<20), "strings")
	b.SetBytes(huge+100, []byte("x"))
	late := b.String("late")
	b.SetInt32(p1+8, -2)
	if huge%64 != 0 || huge < highBase || huge2 < huge+1<<30 || late >= highBase {
		t.Errorf("huge %#x %#x, late %#x", huge, huge2, late)
	}

	m := &ir.Module{}
	b.Finish(m)
	at := func(addr uint32, n int) string { return string(m.Data[addr-ir.DataBase:][:n]) }
	if at(hello, 5) != "hello" || at(late, 4) != "late" || at(huge+100, 1) != "x" || at(p1+8, 5) != "\xfe\xff\xff\xff\x00" {
		t.Error("contents are lost")
	}
	if end := int64(len(m.Data)) + m.BSS + ir.DataBase; end != int64(huge2)+16<<20 {
		t.Errorf("segment ends at %#x", end)
	}
	if len(m.Data) > 17<<20 {
		t.Errorf("%d bytes of data stored", len(m.Data))
	}
	want := []ir.Root{{Addr: p1, Layout: 1, Count: 1}, {Addr: p2, Layout: 2, Count: 3}, {Addr: huge2, Layout: 3, Count: 1 << 20}}
	if !slices.Equal(m.Roots, want) {
		t.Errorf("roots %v, want %v", m.Roots, want)
	}
	if err := b.Err(); err != nil {
		t.Error(err)
	}
}

// Data that reaches the region of huge globals continues after it.
func TestSegmentGrowsPastHugeGlobals(t *testing.T) {
	b := New(Hooks{}, release.Oldest(), nil)
	huge := b.Global(2<<20, 8, nil, "huge")
	first := b.Bytes(make([]byte, 15<<20), 8)
	second := b.Bytes(bytes.Repeat([]byte("y"), 15<<20), 8)
	after := b.Global(2<<20, 8, nil, "after")
	b.SetInt64(huge+8, 42)
	b.SetInt64(after, 43)
	if first >= huge || second != huge+2<<20 || after < second+15<<20 {
		t.Errorf("%#x %#x %#x %#x", first, huge, second, after)
	}
	if b.Int64(huge+8) != 42 || b.Int64(after) != 43 {
		t.Error("contents are lost")
	}
	m := &ir.Module{}
	b.Finish(m)
	if m.Data[huge+8-ir.DataBase] != 42 || m.Data[after-ir.DataBase] != 43 || m.Data[second-ir.DataBase] != 'y' {
		t.Error("image is wrong")
	}
}

func TestItabsListMethodsInOrder(t *testing.T) {
	s := check(t, "p", `package p
		type I interface { c(); B(int); A() string; a() }
		type Base struct{}
		func (Base) A() string { return "" }
		func (*Base) c() {}
		type T struct { *Base }
		func (T) B(int) {}
		func (*T) a() {}
		type J interface { Z() }
		type E interface{}`)
	typ := func(n string) types.Type { return s.Lookup(n).Type() }
	var funs []string
	b := New(Hooks{ItabFun: func(recv types.Type, sel *types.Selection, addr uint32) {
		funs = append(funs, fmt.Sprintf("%v %s %d", recv, sel.Obj().Name(), addr))
	}}, release.Oldest(), nil)
	pt := types.NewPointer(typ("T"))
	tab := b.Itab(typ("I"), pt)
	if b.Itab(typ("I"), types.NewPointer(typ("T"))) != tab {
		t.Error("itabs are not shared")
	}
	want := []string{}
	for i, m := range []string{"A", "B", "a", "c"} {
		want = append(want, fmt.Sprintf("*p.T %s %d", m, tab+24+8*uint32(i)))
	}
	if !slices.Equal(funs, want) {
		t.Errorf("%v, want %v", funs, want)
	}
	it := typ("I").Underlying().(*types.Interface)
	for i, m := range b.InterfaceMethods(it) {
		if b.MethodIndex(it, m) != i {
			t.Errorf("index of %v", m)
		}
	}
	if b.MethodIndex(it, typ("J").Underlying().(*types.Interface).Method(0)) != -1 {
		t.Error("index of a foreign method")
	}
	if b.Int64(tab) != int64(b.Type(typ("I"))) || b.Int64(tab+8) != int64(b.Type(pt)) || b.Int32(tab+16) != b.Int32(b.Type(pt)+offHash) {
		t.Error("header of the itab")
	}
	if not := b.Itab(typ("J"), pt); b.Int64(not+24) != 0 || len(funs) != 4 {
		t.Error("itab of a type that does not implement the interface")
	}
	if b.Itab(typ("E"), pt); b.Err() == nil {
		t.Error("itab of an empty interface")
	}
}

func TestMethodHookSeesEveryEntry(t *testing.T) {
	s := check(t, "p", `package p
		type T struct{ U }
		func (T) b() {}
		func (*T) A() {}
		type U struct{}
		func (*U) C(T) {}`)
	var got []string
	var b *Builder
	b = New(Hooks{Method: func(recv types.Type, sel *types.Selection, ifn, tfn uint32) {
		got = append(got, fmt.Sprintf("%v.%s", recv, sel.Obj().Name()))
		if b.Int32(ifn) != -1 || b.Int32(tfn) != -1 || tfn != ifn+4 {
			t.Error("entry is not open")
		}
		b.SetInt32(ifn, int32(len(got)))
		b.Type(types.NewSlice(recv)) // hooks may ask for types
	}}, release.Oldest(), nil)
	b.Type(s.Lookup("T").Type())
	slices.Sort(got)
	if want := "*p.T.A *p.T.C *p.T.b *p.U.C p.T.b"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

func TestTypeLinksAreSortedAndUnnamed(t *testing.T) {
	c := loadCorpus(t)
	b := testBuilder()
	for name := range corpusFuncs {
		for _, typ := range c.types(name) {
			b.Type(typ)
		}
	}
	g := guest{b}
	last := ""
	seen := map[uint32]bool{}
	for _, a := range b.TypeLinks() {
		str, _, _ := strings.Cut(abiName(g, uint64(b.Int32(a+offStr))), " flags")
		if str < last {
			t.Errorf("%q after %q", str, last)
		}
		last = str
		if g.load(uint64(a)+offTFlag, 1)&tflagNamed != 0 || strings.Contains(str, "map.group") {
			t.Errorf("%s has a type link", str)
		}
		seen[a] = true
	}
	if !seen[b.Type(types.NewSlice(types.Typ[types.Int]))] || len(seen) < 100 {
		t.Error("type links are missing")
	}
	if err := b.Err(); err != nil {
		t.Error(err)
	}
}

func TestSameCallsMakeTheSameSegment(t *testing.T) {
	c := loadCorpus(t)
	build := func() *ir.Module {
		b := testBuilder()
		for _, name := range []string{"Basics", "Named", "Generic", "Local", "Local2", "Maps"} {
			for _, typ := range c.types(name) {
				b.Type(typ)
			}
		}
		m := &ir.Module{}
		b.Finish(m)
		return m
	}
	if x, y := build(), build(); !reflect.DeepEqual(x, y) {
		t.Error("segments differ")
	}
}

func TestFinishNamesTheLayoutOfEveryDescriptor(t *testing.T) {
	b := New(Hooks{}, release.Oldest(), nil)
	str, num := b.Type(types.Typ[types.String]), b.Type(types.Typ[types.Int])
	m := &ir.Module{}
	b.Finish(m)
	if n := m.TypeLayouts[str]; n == 0 || m.Layouts[n].Size != 16 {
		t.Error("layout of string")
	}
	if n, ok := m.TypeLayouts[num]; n != 0 || !ok {
		t.Error("layout of int")
	}
	if len(m.TypeLayouts) != 4 { // with *string and *int
		t.Errorf("%d layouts", len(m.TypeLayouts))
	}
}

// Instances of a generic function have local types of the same name and place.
func TestLocalTypesOfInstancesAreDistinct(t *testing.T) {
	p := types.NewPackage("a.b/c.d", "cd")
	b := New(Hooks{}, release.Oldest(), nil)
	var addrs []uint32
	var links []string
	for range 3 {
		obj := types.NewTypeName(token.NoPos, p, "L", nil)
		named := types.NewNamed(obj, types.Typ[types.Int], nil)
		addrs = append(addrs, b.Type(named))
		links = append(links, b.LinkString(named))
		if s := b.TypeString(named); s != "cd.L" {
			t.Errorf("String is %s", s)
		}
	}
	if addrs[0] == addrs[1] || addrs[1] == addrs[2] {
		t.Error("distinct types share a descriptor")
	}
	if want := []string{"a.b/c%2ed.L", "a.b/c%2ed.L·0'1", "a.b/c%2ed.L·0'2"}; !slices.Equal(links, want) {
		t.Errorf("links %q, want %q", links, want)
	}
}

func TestPackageMainIsCalledMain(t *testing.T) {
	s := check(t, "example.com/cmd/tool", `package main
		type T struct{ x int }
		type L[P any] struct{ p P }
		type U = L[T]
		func main() {}`)
	b := New(Hooks{}, release.Oldest(), nil)
	if got := b.TypeString(s.Lookup("U").Type()); got != "main.L[main.T]" {
		t.Error(got)
	}
	d := b.Type(s.Lookup("T").Type())
	if got := abiName(guest{b}, uint64(b.Int32(d+sizeType+32))); got != "main flags=0" {
		t.Error(got)
	}
}

// Hostile sources end in an error, soon and in little memory.
func TestLimits(t *testing.T) {
	deep := func(n int) types.Type {
		var typ types.Type = types.Typ[types.Int]
		for range n {
			typ = types.NewPointer(typ)
		}
		return typ
	}
	double := func(leaf types.Type) types.Type {
		for range 40 {
			f := func(n string) *types.Var { return types.NewField(token.NoPos, nil, n, leaf, false) }
			leaf = types.NewStruct([]*types.Var{f("x"), f("y")}, nil)
		}
		return leaf
	}
	array := func(e types.Type, n int64) types.Type { return types.NewArray(e, n) }
	for name, f := range map[string]func(b *Builder){
		"deep pointers":   func(b *Builder) { b.Type(deep(50000)) },
		"doubling struct": func(b *Builder) { b.Type(double(types.Typ[types.Int8])) },
		"doubling empty":  func(b *Builder) { b.Type(double(types.NewStruct(nil, nil))) },
		"huge type":       func(b *Builder) { b.Sizeof(array(array(types.Typ[types.Int], 1<<40), 1<<40)) },
		"huge global":     func(b *Builder) { b.GlobalOf(array(types.Typ[types.Int], 1<<40), "g") },
		"huge mask":       func(b *Builder) { b.PtrMask(array(types.Typ[types.String], 1<<40)) },
		"stray write":     func(b *Builder) { b.SetInt64(1<<20, 1) },
		"many globals": func(b *Builder) {
			for range 5000 {
				b.String(fmt.Sprint(b.Global(1<<19, 1, nil, "g")))
			}
			if n := len(b.low.bytes); n > 8<<20 {
				t.Errorf("%d bytes stored for zeros", n)
			}
		},
		"interface in itself": func(b *Builder) {
			s := check(t, "p", `package p
				type X interface { m() []*interface { X } }`)
			b.Type(s.Lookup("X").Type())
		},
		"type parameter": func(b *Builder) {
			s := check(t, "p", `package p
				func F[T any](x T) {}`)
			b.Type(s.Lookup("F").Type().(*types.Signature).Params().At(0).Type())
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := testBuilder()
			f(b)
			if b.Err() == nil {
				t.Error("no error")
			}
			b.Finish(&ir.Module{})
		})
	}
}

// Legal but unusual: large types that only pointers refer to, deep nesting.
func TestNoLimits(t *testing.T) {
	b := testBuilder()
	var typ types.Type = types.Typ[types.Int]
	for range 1000 {
		typ = types.NewPointer(types.NewSlice(typ))
	}
	b.Type(typ)
	big := types.NewArray(types.Typ[types.String], 1<<30)
	d := b.Type(types.NewPointer(big))
	if guestFlags := b.window(b.Type(big)+offTFlag, 1)[0]; guestFlags&tflagGCMaskOnDemand == 0 || d == 0 {
		t.Error("mask of 256 MiB not left to the runtime")
	}
	m := &ir.Module{}
	b.Finish(m)
	if err := b.Err(); err != nil {
		t.Error(err)
	}
}

// Int64 loads 8 bytes.
func (b *Builder) Int64(addr uint32) int64 {
	return int64(binary.LittleEndian.Uint64(b.window(addr, 8)))
}
