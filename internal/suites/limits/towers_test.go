package limits

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// Towers are declarations, each of which uses the previous one twice. %[1]d is the number of the
// previous one, %[2]d its own. Those of the second list have a type parameter.
var (
	plainTowers = map[string]string{
		"fields":     "type T%[2]d struct{ a, b T%[1]d }\n",
		"pointers":   "type T%[2]d struct{ a, b *T%[1]d }\n",
		"slices":     "type T%[2]d struct{ a []T%[1]d; b [][]T%[1]d }\n",
		"map":        "type T%[2]d map[string]struct{ a, b T%[1]d }\n",
		"functions":  "type T%[2]d func(T%[1]d) T%[1]d\n",
		"channels":   "type T%[2]d chan struct{ a, b chan T%[1]d }\n",
		"arrays":     "type T%[2]d [2]T%[1]d\n",
		"no bytes":   "type T%[2]d struct { a, b [0]T%[1]d }\n",
		"methods":    "type T%[2]d interface{ M%[2]d(T%[1]d) T%[1]d }\n",
		"embedded":   "type A%[2]d struct{ T%[1]d }\ntype B%[2]d struct{ *T%[1]d }\ntype T%[2]d struct { A%[2]d; B%[2]d }\n",
		"aliases":    "type T%[2]d = struct{ a, b T%[1]d }\n",
		"alias func": "type T%[2]d = func(T%[1]d) *T%[1]d\n",
		"arguments":  "type T%[2]d = D[T%[1]d, T%[1]d]\n",
		"defined":    "type T%[2]d struct { x D[*T%[1]d, []T%[1]d] }\n",
	}
	genericTowers = map[string]string{
		"fields":       "type T%[2]d[P any] struct{ a T%[1]d[[1]P]; b T%[1]d[*P] }\n",
		"pointers":     "type T%[2]d[P any] struct{ a *T%[1]d[[1]P]; b *T%[1]d[*P] }\n",
		"slices":       "type T%[2]d[P any] struct{ a []T%[1]d[[]P]; b [][]T%[1]d[*P] }\n",
		"functions":    "type T%[2]d[P any] func(T%[1]d[[1]P]) T%[1]d[*P]\n",
		"methods":      "type T%[2]d[P any] interface{ M(T%[1]d[[1]P]) T%[1]d[*P] }\n",
		"method":       "type T%[2]d[P any] struct{ a P }\nfunc (T%[2]d[P]) M%[2]d(x T%[1]d[[1]P]) (y T%[1]d[*P]) { return }\n",
		"doubled":      "type T%[2]d[P any] struct{ a *T%[1]d[D[P, P]] }\n",
		"doubled func": "type T%[2]d[P any] struct{ a *T%[1]d[func(P) P] }\n",
		"doubled text": "type T%[2]d[P any] struct{ a *T%[1]d[struct{ a, b *P }] }\n",
		"embedded":     "type T%[2]d[P any] struct{ *T%[1]d[D[P, P]]; b P }\n",
		"aliases":      "type T%[2]d[P any] = D[T%[1]d[P], T%[1]d[*P]]\n",
	}
	// uses of the last declaration; ARG is its type argument or nothing
	towerUses = map[string]string{
		"variable":     "var x TopARG",
		"local":        "func f() { var x TopARG; _ = x }",
		"pointer":      "var x any = (*TopARG)(nil)",
		"comparison":   "func f(a, b *TopARG) bool { return any(*a) == any(*b) }",
		"field":        "type U struct { TopARG }\nvar x any = new(U)",
		"type switch":  "func f(x any) int { switch x.(type) { case TopARG: return 1; case *TopARG: return 2 }; return 3 }",
		"result":       "func f(x func() TopARG) any { return x() }\nvar x = f(nil)",
		"argument":     "func f[Q any](x Q) any { return x }\nvar x = f(new(TopARG))",
		"conversion":   "func f(x *TopARG) any { return (*TopARG)(x) }",
		"generic":      "func f[Q any]() any { return new(TopPAR) }",
		"generic made": "func f[Q any]() any { return new(TopPAR) }\nvar x = f[int]()",
	}
)

// TestTowers compiles all towers of types with all uses of the last declaration, under the limits
// for strangers: each ends soon in an answer, an error or a limit.
func TestTowers(t *testing.T) {
	t.Parallel()
	base, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	compile := func(name, src string) {
		ctx, cancel := context.WithTimeout(t.Context(), bombDeadline)
		defer cancel()
		stuck := time.AfterFunc(3*bombDeadline, func() { panic("no end of the tower " + name + "\n" + src) })
		defer stuck.Stop()
		files := fstest.MapFS{"main.go": {Data: []byte(src)}}
		_, err := gyr.Compile(ctx, gyr.Source{FS: files, Patterns: []string{"main.go"}, Limits: gyr.UntrustedLimits()},
			&gyr.CompileOptions{Base: base})
		end, text := endOf(err)
		if end == "deadline" || strings.HasPrefix(end, "*") {
			t.Errorf("%s: %s %s\n%s", name, end, text, src)
		}
		ends[end]++
	}
	const floors = 24
	for how, use := range towerUses {
		for shape, decl := range plainTowers {
			if strings.Contains(use, "PAR") {
				continue
			}
			src := "package main\ntype D[A, B any] struct{}\ntype T0 struct{ a int }\n" + line(floors, decl) + use + empty
			compile("plain, "+shape+", "+how, strings.ReplaceAll(src, "TopARG", fmt.Sprintf("T%d", floors)))
		}
		for shape, decl := range genericTowers {
			src := "package main\ntype D[A, B any] struct{}\ntype T0[P any] struct{ a P }\n" + line(floors, decl) + use + empty
			src = strings.ReplaceAll(src, "TopARG", fmt.Sprintf("T%d[int]", floors))
			compile("generic, "+shape+", "+how, strings.ReplaceAll(src, "TopPAR", fmt.Sprintf("T%d[Q]", floors)))
		}
	}
	t.Logf("%v", ends)
}
