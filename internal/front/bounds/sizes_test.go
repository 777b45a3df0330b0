package bounds

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/front/load/target"
	"github.com/gyrvm/gyr/internal/release"
)

// TestSizes checks that the types that gc refuses are refused, with gc's messages.
func TestSizes(t *testing.T) {
	const space, chanElem = "larger than address space", "channel element type too large (>64kB)"
	for _, c := range []struct{ src, want string }{
		{`var a [1 << 62]int`, "2:5: type [4611686018427387904]int " + space},
		{`type T [1 << 60]int`, "2:6: type [1152921504606846976]int " + space},
		{`type T struct { a, b [1 << 49]byte }`, "2:6: type struct{a [562949953421312]byte; b [562949953421312]byte} too large"},
		{`type T struct { a, b [1 << 48]byte }; var x *T`, ""},
		{`var p *[1 << 60]int`, "2:5: type [1152921504606846976]int " + space},
		{`var s [][1 << 60]int`, "2:5: type [1152921504606846976]int " + space},
		{`var m map[[1 << 60]int]int`, "2:5: type [1152921504606846976]int " + space},
		{`var m map[int][1 << 60]int`, "2:5: type [1152921504606846976]int " + space},
		{`var m map[[1 << 40]int]int`, ""},
		{`var c chan [1 << 16]byte`, "2:5: " + chanElem},
		{`var c chan [1<<16 - 1]byte`, ""},
		{`var c = make(chan [1 << 16]byte)`, "2:5: " + chanElem},
		{`type C struct { c chan [1 << 16]byte }`, "2:6: " + chanElem},
		{`type C chan C`, ""},
		{`func f(c chan [1 << 16]byte) {}`, "2:6: " + chanElem},
		{`func f() { c := make(chan struct { a [1 << 16]byte }); _ = c }`, "2:12: " + chanElem},
		{`func f() { var x [1 << 62]int; _ = x }`, "2:16: type [4611686018427387904]int " + space},
		{`func f() { x := new([1 << 62]int); _ = x }`, "2:12: type [4611686018427387904]int " + space},
		{`func f() { x := [...]int{1 << 60: 1}; _ = x }`, "2:12: type [1152921504606846977]int " + space},
		{`func f() { x := len([1 << 62]int{}); _ = x }`, ""},
		{`func f() { type L [1 << 62]int }`, ""},
		{`func f() { for i := range [1 << 60]int{} { _ = i } }`, ""},
		{`func f() { for i, x := range [1 << 60]int{} { _, _ = i, x } }`, "2:6: type [1152921504606846976]int " + space},
		{`func f() { var x [1 << 40]byte; _ = x }`, ""},
		{`func f() { _ = func(x [1 << 60]int) {} }`, "2:6: type [1152921504606846976]int " + space},
		{`func f(x any) { _ = x.([1 << 60]int) }`, "2:6: type [1152921504606846976]int " + space},
		{`func f(x any) { switch x.(type) { case [1 << 60]int: } }`, "2:6: type [1152921504606846976]int " + space},
		{`type I interface { M([1 << 60]int) }`, "2:6: type [1152921504606846976]int " + space},
		{`var g [2000000000]byte`, ""},
		{`var g [2000000001]byte`, "2:5: main.g: symbol too large (2000000001 bytes > 2000000000 bytes)"},
		{`var g = [1 << 40]byte{}`, "2:5: main.g: symbol too large (1099511627776 bytes > 2000000000 bytes)"},
		{`var g = new([1 << 40]byte)`, ""},
		{`type B[T any] struct { a [1 << 40]T }; var b *B[[1 << 20]int]`, "2:44: type [1099511627776][1048576]int " + space},
		{`type B[T any] [1 << 50]T; var b *B[struct{}]`, ""},
		{`func f[T any](x T) (y [1 << 40]T) { return }; var x = f([1 << 20]int{})`, "2:51: type [1099511627776][1048576]int " + space},
		{`func f[T any]() { var x [1 << 62]T; _ = x }`, ""},
		{`var x struct { a [1 << 47]int; b int; c [1 << 60]struct{} }`, "2:5: type [140737488355328]int " + space},
		{`var x [1 << 62]struct{}`, ""},
		{`var x [1 << 30][1 << 30]byte`, "2:5: type [1073741824][1073741824]byte " + space},
		{`type T struct { x [1 << 25]*[1 << 25]T }`, "2:6: type [33554432]T " + space},
	} {
		got := sizeErrors(t, release.OfMinor(26), c.src)
		if got != c.want {
			t.Errorf("%s\n%s, want %s", c.src, got, c.want)
		}
	}
}

// TestSizesOfMaps checks that large keys and elements of maps are refused where gc refuses them
// since Go 1.27.
func TestSizesOfMaps(t *testing.T) {
	const elem, key = "map element type too large", "map key type too large"
	for _, c := range []struct{ src, want string }{
		{`type T map[int][1 << 31]byte`, "2:6: " + elem},
		{`var m map[int][1 << 31]byte`, "2:5: " + elem},
		{`var m map[int][1<<31 - 1]byte`, ""},
		{`var m map[[1 << 40]int]int`, "2:5: " + key},
		{`var m map[[1 << 31]byte][1 << 31]byte`, "2:5: " + elem + "2:5: " + key},
		{`var m map[int]struct { a [1 << 30]byte; b [1 << 30]byte }`, "2:5: " + elem},
		{`var m []*[4]map[int][1 << 31]byte`, "2:5: " + elem},
		{`var m map[int]map[[1 << 31]byte]int`, "2:5: " + key},
		{`var m map[int][1 << 60]byte`, "2:5: type [1152921504606846976]byte larger than address space" + "2:5: " + elem},
		{`var f func() map[int][1 << 31]byte`, "2:5: " + elem},
		{`func f(m map[int][1 << 31]byte) {}`, "2:6: " + elem},
		{`func f() { var m map[int][1 << 31]byte; _ = m }`, "2:16: " + elem},
		{`func f() { _ = make(map[int][1 << 31]byte) }`, "2:6: " + elem},
		{`func f() { type T map[int][1 << 31]byte }`, ""},
		{`type B [1 << 31]byte; var m map[int]B`, "2:27: " + elem},
		{`type B [1 << 31]byte; var m map[int]*B`, ""},
		{`type A = map[int][1 << 31]byte; var a A`, "2:6: " + elem},
		{`type M map[int][1 << 31]byte; type S struct { m M }`, "2:6: " + elem},
		{`type S struct { m M }; type M map[int][1 << 31]byte`, ""},
		{`var s struct { m map[int][1 << 31]byte }`, "2:5: " + elem},
		{`func f() { type S []map[int][1 << 31]byte; var s S; _ = s }`, ""},
		{`type A = struct { m map[int][1 << 31]byte }`, "2:6: " + elem},
		{`type S struct { m map[int][1 << 31]byte }; var s S`, ""},
		{`type I interface { M(map[int][1 << 31]byte) }; var i I`, ""},
		{`const c = len([1]map[int][1 << 31]byte{})`, ""},
	} {
		if got := sizeErrors(t, release.OfMinor(27), c.src); got != c.want {
			t.Errorf("%s\n%s, want %s", c.src, got, c.want)
		}
		if got := sizeErrors(t, release.OfMinor(26), c.src); strings.Contains(got, "map") {
			t.Errorf("%s\n%s in go1.26", c.src, got)
		}
	}
}

// sizeErrors returns the errors of CheckSizes for a program with the declarations src.
func sizeErrors(t *testing.T, r *release.Release, src string) (errs string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", "package main\n"+src+"\nfunc main() {}\n", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Instances: map[*ast.Ident]types.Instance{},
	}
	pkg, err := (&types.Config{Sizes: target.Sizes}).Check("main", fset, []*ast.File{f}, info)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range CheckSizes(r, []*ast.File{f}, pkg, info) {
		errs += fset.Position(e.Pos).String() + ": " + e.Msg
	}
	return errs
}
