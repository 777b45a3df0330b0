package load

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestSources: others need a package's source if and only if they can get at something generic in
// it.
func TestSources(t *testing.T) {
	const generic = "package p\ntype g[T any] struct{ x T }\nfunc (*g[T]) M() {}\n"
	for text, want := range map[string]bool{
		"type T struct{ f g[int]; h struct{ g[int] } }":         false,
		"type T struct{ F g[int] }":                             true,
		"type T struct{ f u; u }; type u struct{ *g[int] }":     true,
		"type T struct{ f u }; type u struct{ *g[int] }":        false,
		"func F() *g[int] { return nil }":                       true,
		"func F[T any]() {}":                                    true,
		"func f[T any]() {}":                                    false,
		"type T struct{}; func (T) m() *g[int] { return nil }":  false,
		"type T struct{}; func (T) M() []g[int] { return nil }": true,
		"type T interface { M(map[int]chan g[int]) }":           true,
		"type T[K any] struct{ f g[K] }":                        true,
		"type T[K any] = g[K]":                                  true,
		"type T = g[int]":                                       true,
		"var V func([2]g[int])":                                 true,
		"var v g[int]":                                          false,
		"type T struct{ U u }; type u struct { next *u; *T }":   false,
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", generic+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := (&types.Config{}).Check("p", fset, []*ast.File{f}, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := sources(p); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	p := types.NewPackage("p", "p")
	if sources(p) {
		t.Error("an empty package is needed from source")
	}
}
