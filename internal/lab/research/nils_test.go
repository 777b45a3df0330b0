package research

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

func TestDecided(t *testing.T) {
	for text, want := range map[string]uint64{
		"func f() []int { return nil }":                                       1,
		"func f() []int { return []int{} }":                                   1,
		"func f() []int { return make([]int, 0) }":                            1,
		"func f() []int { out := []int{}; out = append(out, 1); return out }": 1,
		"func f() (int, []int, error) { return 0, nil, nil }":                 2 | 4,
		"func f() ([]int, error) { return nil, g() }":                         0,
		"func f() []int { var out []int; return out }":                        0,
		"func f() []int { if g() { return nil }; var out []int; return out }": 0,
		"func f() []int { out := make([]int, 0, 9); return out }":             0,
		"func f() []int { if g() { return nil }; return h() }":                1,
		"func f() (out []int) { if g() { return nil }; return }":              0,
		"func f() int { _ = func() []int { return nil }; return 1 }":          0,
		"func f() {}": 0,
		"func f() map[string]int { m := map[string]int{}; return m }": 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := decided(file.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: %b, want %b", text, got, want)
		}
	}
}
