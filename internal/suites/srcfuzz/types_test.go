package srcfuzz

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/bounds"
)

// A typeMaker draws declarations of types that refer to one another in every way: generic or not,
// aliases or not, through constraints, type arguments, fields, methods and unions. Most of them are
// wrong.
type typeMaker struct {
	r      *rand.Rand
	params []int    // the number of type parameters of each type
	own    []string // the type parameters of the current declaration
}

func (m *typeMaker) typ(depth int) string {
	k := m.r.IntN(14)
	if depth <= 0 {
		k = m.r.IntN(4)
	}
	inner := func() string { return m.typ(depth - 1) }
	switch k {
	case 0:
		return "int"
	case 1, 2:
		if len(m.own) > 0 {
			return m.own[m.r.IntN(len(m.own))]
		}
		return "string"
	case 8:
		return "*" + inner()
	case 9:
		return "struct{ F " + inner() + " }"
	case 10:
		return "interface{ M(" + inner() + ") }"
	case 11:
		return "interface{ " + inner() + " | " + inner() + " }"
	case 12:
		return "func(" + inner() + ") " + inner()
	case 13:
		return []string{"[]", "[2]", "map[int]", "chan "}[m.r.IntN(4)] + inner()
	}
	i := m.r.IntN(len(m.params))
	name := string(rune('A' + i))
	if m.params[i] == 0 || depth <= 0 {
		return name
	}
	args := make([]string, m.params[i])
	for j := range args {
		args[j] = inner()
	}
	return name + "[" + strings.Join(args, ", ") + "]"
}

// file draws a file of one to three types, a method and a variable.
func (m *typeMaker) file() string {
	m.params = nil
	for range 1 + m.r.IntN(3) {
		m.params = append(m.params, m.r.IntN(3))
	}
	var b strings.Builder
	b.WriteString("package p\n\n")
	for i, n := range m.params {
		m.own = nil
		for j := range n {
			m.own = append(m.own, string(rune('P'+2*i+j)))
		}
		fmt.Fprintf(&b, "type %c", 'A'+i)
		for j, p := range m.own {
			constraint := "any"
			if m.r.IntN(3) > 0 {
				constraint = m.typ(2)
			}
			b.WriteString([]string{"[", ", "}[min(j, 1)] + p + " " + constraint)
		}
		b.WriteString([]string{"", "]"}[min(n, 1)] + []string{" ", " = "}[m.r.IntN(2)] + m.typ(2) + "\n")
	}
	m.own = nil
	if m.r.IntN(3) == 0 {
		fmt.Fprintf(&b, "func (x A) m() %s { var y %s; return y }\n", m.typ(1), m.typ(2))
	}
	if m.r.IntN(3) == 0 {
		fmt.Fprintf(&b, "var v %s\n", m.typ(2))
	}
	return b.String()
}

// stderr returns what f writes to the process's standard error.
func stderr(t *testing.T, f func()) string {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	was := os.Stderr
	os.Stderr = file
	defer func() { os.Stderr = was }()
	f()
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTypes: whatever types a file declares, checking them ends without a panic. If go/types
// panics, the result is an error at a place of the file. Nothing is written to the process's
// standard error, except by go/types itself for the few shapes that package bounds does not know.
func TestTypes(t *testing.T) {
	accepted, recursive, unknown, made := 0, 0, 0, 200**programs
	said := stderr(t, func() {
		for n := range made {
			m := &typeMaker{r: rand.New(rand.NewPCG(*seed*0x9E3779B97F4A7C15, uint64(n)*0xBF58476D1CE4E5B9))}
			src := m.file()
			late := time.AfterFunc(2*time.Minute, func() { panic("it does not end:\n" + src) })
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
			if err != nil {
				late.Stop()
				continue
			}
			limits := api.DefaultLimits()
			err = bounds.Check(&bounds.Package{Files: []*ast.File{f}, Limits: &limits, Import: func(string) *types.Package { return nil }, Position: fset.Position})
			if err == nil {
				_, err = bounds.TypeCheck(&types.Config{Error: func(error) {}}, "p", fset, []*ast.File{f}, nil)
			}
			late.Stop()
			switch {
			case err == nil:
				accepted++
			case strings.Contains(err.Error(), "go/types cannot"):
				if unknown++; !strings.HasPrefix(err.Error(), "p.go:") {
					t.Errorf("%v:\n%s", err, src)
				}
			case strings.Contains(err.Error(), "invalid recursive type"):
				recursive++
			}
		}
	})
	if n := strings.Count(said, "The following panic happened"); n > unknown || n == 0 && said != "" {
		t.Errorf("standard error: %.1000s", said)
	}
	t.Logf("%d files of types: %d accepted, %d recursive, %d on which go/types panics", made, accepted, recursive, unknown)
	if accepted < made/100 || recursive < made/100 || unknown > made/1000 {
		t.Error("they are all alike, or bounds knows too few shapes")
	}
}

// TestRecursiveTypes: declarations on which go/types fails are a compile error with a position, and
// nothing is written to the process's standard error.
func TestRecursiveTypes(t *testing.T) {
	b, err := base()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ decls, want string }{
		{"type A[B A[int]] = B", "main.go:3:6: invalid recursive type: A refers to itself"},
		{"type A = interface{ string | B[int] }\ntype B[R A] B[A]", "main.go:4:6: invalid recursive type B\n\tmain.go:4:6: B refers to A\n\tmain.go:3:6: A refers to B"},
		{"type A[P any] B\ntype B = A[A[string]]", "main.go:4:6: invalid recursive type B\n\tmain.go:4:6: B refers to A\n\tmain.go:3:6: A refers to B"},
		{"type C[T C[A]] = B[B[A]]\ntype B[R int] chan C[int]\ntype A = interface{ C[B] | C[string] }", "main.go:3:6: invalid recursive type: C refers to itself"},
		{"type I = interface{ M() *X }\ntype S[P I] struct{ p P }\ntype X struct{ s S[I] }\nfunc (*X) M() *X { return nil }", "main.go:4:6: invalid recursive type S"},
		{"type T T", "main.go:3:6: invalid recursive type: T refers to itself"},
		// Correct declarations are still accepted.
		{"type N[P interface{ *N[P] | any }] struct{ next *N[P] }", ""},
		{"type Self[P Self[P]] interface{ M(P) }", ""},
		{"type L[P any] struct{ next *M[P] }\ntype M[P any] = L[P]", ""},
		{"type A = *B\ntype B struct{ a A }", ""},
	} {
		var err error
		said := stderr(t, func() {
			_, err = gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\n" + x.decls + "\n\nfunc main() {}\n")}}, Patterns: []string{"main.go"}},
				&gyr.CompileOptions{Base: b})
		})
		var refused *gyr.CompileError
		if x.want == "" && err != nil || x.want != "" && (!errors.As(err, &refused) || !strings.Contains(strings.ReplaceAll(err.Error(), "./main.go", "main.go"), x.want) || refused.List()[0].Line == 0 || !gyr.Reproducible(err)) || said != "" {
			t.Errorf("%s: %v, want %q; standard error %q", x.decls, err, x.want, said)
		}
	}
}
