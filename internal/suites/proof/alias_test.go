package proof

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"text/template"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// The alias matrix: every kind of value takes every route by which Go copies values. Then one side
// changes, and both are printed. The programs are made from the routes of
// testdata/aliases/routes.tmpl. Each exists in two forms: it changes its variables by statements,
// so that the optimiser may keep them in registers, or by a function that takes their addresses.

// A kind is a type that is copied as a whole.
type aliasKind struct {
	Name string
	Type string
	Make string // an expression for value number N
	// Touch changes the parts of the variable X that a shallow or shared copy would show.
	Touch string
}

var aliasKinds = []aliasKind{
	{"array", "[3]int", "T{N, 2, 3}", "X[0] += 10; X[2]--"},
	{"struct", "struct { a int; s string }", `T{N, "s"}`, `X.a += 10; X.s += "!"`},
	{"ifaces", "[2]any", `T{N, [2]any{"in", N}}`, `X[0] = X[0].(int) + 10; X[1] = [1]any{X[1]}`},
	{"structarray", "struct { n int; a [3]int; p *int }", "T{N, [3]int{1, N, 3}, nil}", "X.n += 10; X.a[1] *= 2; X.a[2]++"},
	{"big", "struct { a [40]int; s string; e any; f [5]float64 }", `T{a: [40]int{0: N, 39: 4}, s: "s", e: N, f: [5]float64{4: 0.5}}`, `X.a[0] += 10; X.a[39]++; X.s += "!"; X.e = X.s; X.f[4] *= 3`},
	{"nested", "[2]struct { in [2]struct { x int; y any }; z string }", `T{{z: "z"}, {in: [2]struct { x int; y any }{1: {N, [1]int{N}}}}}`, `X[1].in[1].x += 10; X[1].in[1].y = X[0]; X[0].z += "!"; X[0].in[0].x--`},
	{"bytes", "[17]byte", "T{0: N, 16: 9}", "X[0] += 10; X[16]++"},
	{"one", "struct { v [1]any }", "T{[1]any{N}}", "X.v[0] = X"},
}

// aliasRoutes are the routes, which are the names of templates.
var aliasRoutes = []string{
	"assignment", "swap", "element", "pointer", "range", "rangemap", "argument", "result", "namedresult", "mapvalue", "channel",
	"closure", "loopvariable", "methodvalue", "deferargument", "assertion", "typeswitch", "conversion", "gostatement", "literal",
	"generic", "variadic", "panicvalue", "global",
}

// aliasProgram is one cell of the matrix.
type aliasProgram struct{ kind, route, how string }

func (p aliasProgram) String() string { return p.kind + "/" + p.route + "/" + p.how }

// aliasDir holds the generated module, with all programs in one binary.
var aliasDir = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(tempDir, "aliases")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	// The functions below refer to the current kind.
	var kind aliasKind
	var how string
	replace := func(s string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(s) }
	typ := func() string { return "T_" + kind.Name }
	tmpl := template.New("").Funcs(template.FuncMap{
		"T":    typ,
		"make": func(n int) string { return replace(kind.Make, "N", fmt.Sprint(n), "T", typ()) },
		"touch": func(x string) string {
			if how == "address" {
				return "touch_" + kind.Name + "(&" + x + ")"
			}
			return replace(kind.Touch, "X", x, "T", typ())
		},
	})
	tmpl, err := tmpl.ParseFiles("testdata/aliases/routes.tmpl")
	if err != nil {
		return "", err
	}
	var b, list bytes.Buffer
	fmt.Fprintf(&b, "package main\n\nimport %q\n\n", "fmt")
	for _, kind = range aliasKinds {
		fmt.Fprintf(&b, "type %s %s\n\n", typ(), kind.Type)
		fmt.Fprintf(&b, "//go:noinline\nfunc touch_%s(x *%s) { %s }\n\n", kind.Name, typ(), replace(kind.Touch, "X", "(*x)", "T", typ()))
		fmt.Fprintf(&b, "func (x %s) Show() { fmt.Println(%q, x) }\n\n", typ(), "show")
		fmt.Fprintf(&b, "func (x %s) Changed() any { touch_%s(&x); return x }\n\n", typ(), kind.Name)
		fmt.Fprintf(&b, "var global_%s %s\n\n", kind.Name, typ())
		for _, route := range aliasRoutes {
			for _, how = range []string{"statement", "address"} {
				p := aliasProgram{kind.Name, route, how}
				fn := fmt.Sprintf("%s_%s_%s", kind.Name, route, how)
				fmt.Fprintf(&b, "func %s() {\n", fn)
				if err := tmpl.ExecuteTemplate(&b, route, map[string]string{"Kind": kind.Name}); err != nil {
					return "", err
				}
				fmt.Fprintf(&b, "}\n\n")
				fmt.Fprintf(&list, "\tfmt.Println(%q)\n\t%s()\n", "== "+p.String(), fn)
			}
		}
	}
	b.WriteString(aliasHelpers)
	fmt.Fprintf(&b, "func main() {\n%s}\n", &list)
	src, err := format.Source(b.Bytes())
	if err != nil {
		return "", fmt.Errorf("generated program: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module aliases\n\ngo 1.26\n"), 0o666); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "main.go"), src, 0o666)
})

const aliasHelpers = `
func send(c chan any, v any) { c <- v }

func pair[V any](v V) (V, V) { return v, v }

type box[V any] struct{ v V }

func (b box[V]) get() V   { return b.v }
func (b *box[V]) set(v V) { b.v = v }
`

// sections splits the output of all programs.
func sections(out string) map[string]string {
	m := map[string]string{}
	for _, s := range strings.Split(out, "== ")[1:] {
		name, body, _ := strings.Cut(s, "\n")
		m[name] = body
	}
	return m
}

// TestAliases: copies do not alias. The output of native Go is right.
func TestAliases(t *testing.T) {
	dir, err := aliasDir()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := build(dir, "aliases.bin")
	if err != nil {
		t.Fatal(err)
	}
	out, err := native(bin, nil, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(out))
	}
	want := sections(out)
	if len(want) < 60 {
		t.Fatalf("the matrix has %d programs", len(want))
	}
	modes := []struct {
		name   string
		nopass []string
		debug  map[string]string
	}{
		{"all passes", nil, nil},
		{"collections", nil, map[string]string{"gcstress": "53", "poison": ""}},
		{"without phase A", []string{"phasea"}, nil},
		{"without phase B", []string{"phaseb"}, nil},
		{"without passes", []string{"all"}, map[string]string{"gcstress": "53", "poison": ""}},
	}
	for _, mode := range daily.Part(t, modes, 2, *full) {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			p := compile(t, gyr.Source{Dir: dir}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: mode.nopass}})
			r, err := execute(p, gyr.Config{Debug: mode.debug})
			if err != nil {
				t.Fatal(err)
			}
			got := sections(r.Output)
			bad := 0
			for name, w := range want {
				if d := diff(got[name], w); d != "" {
					if bad++; bad <= 20 {
						t.Errorf("%s: %s", name, d)
					}
				}
			}
			t.Logf("%d programs, %d differ; exit status %d", len(want), bad, r.Exit)
			if r.Exit != 0 {
				t.Errorf("exit status %d\n%s", r.Exit, tail(r.Output))
			}
		})
	}
}

// TestChains: statements such as x = [1]any{x} copy one level, not the chain: gas, instructions and
// memory grow linearly with the depth.
func TestChains(t *testing.T) {
	p := compile(t, gyr.Source{Patterns: []string{"testdata/chains/main.go"}}, nil)
	r, err := execute(p, gyr.Config{Args: []string{"list"}})
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(r.Output)
	if len(names) < 8 {
		t.Fatalf("%d chains: %s", len(names), r.Output)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			figures := func(depth int) (f [3]float64) {
				var out bytes.Buffer
				in, err := p.NewInstance(t.Context(), gyr.Config{Tier: gyr.TierInterp, Args: []string{name, fmt.Sprint(depth)}, Stdout: &out, Stderr: &out, Debug: map[string]string{"count": ""}})
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				if err := in.Run(t.Context()); err != nil {
					t.Fatalf("depth %d: %v\n%s", depth, err, tail(out.String()))
				}
				s := in.Stats()
				instructions, _ := in.Instructions()
				return [3]float64{float64(s.Gas), float64(instructions), float64(s.AllocBytes)}
			}
			a, b, c := figures(1000), figures(2000), figures(4000)
			for i, what := range []string{"gas", "instructions", "bytes allocated"} {
				// 1,000 more steps have a constant cost, 2,000 more twice that.
				first, second := b[i]-a[i], c[i]-b[i]
				if first < 0 || second > 2.2*first+1000 {
					t.Errorf("%s: %.0f at depth 1000, %.0f at 2000, %.0f at 4000", what, a[i], b[i], c[i])
				}
			}
			t.Logf("a level costs %.1f gas, %.1f instructions, %.1f bytes", (c[0]-b[0])/2000, (c[1]-b[1])/2000, (c[2]-b[2])/2000)
		})
	}
}
