package lower_test

import (
	"bytes"
	"context"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

// neverCalled are functions without a body that no Go code refers to.
var neverCalled = []string{
	"internal/bytealg.abigen_runtime_cmpstring", // for vet, in assembly
	"internal/bytealg.abigen_runtime_memequal_varlen",
	"internal/runtime/atomic.StorepNoWB", // of gc's runtime
	"internal/runtime/sys.GetClosurePtr",
	"reflect.makeFuncStub", // only used as values, which lowering makes stubs for (shape.go)
	"reflect.methodValueCall",
}

// TestBodyless: every function of the standard library has a body, is an operation, or is never
// called. So programs link.
func TestBodyless(t *testing.T) {
	if testing.Short() {
		t.Skip("lowers the whole standard library")
	}
	cmd := exec.Command("go", "list", "std")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	src := "package main\n"
	for _, path := range strings.Fields(string(out)) {
		if !strings.Contains(path, "internal/") && !strings.HasPrefix(path, "vendor/") && path != "runtime/race" && path != "plugin" {
			src += fmt.Sprintf("import _ %q\n", path)
		}
	}
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(src+"func main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := load.Load(context.Background(), load.Options{Patterns: []string{file}, NoPrune: true, Internals: true, Unsafe: api.UnsafeAll})
	if err != nil {
		t.Fatal(err)
	}
	names, err := lower.Bodyless(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !slices.Contains(neverCalled, n) {
			t.Errorf("%s has no body", n)
		}
	}
}

// operands has Go expressions by the type of a parameter.
var operands = map[string][]string{
	"float64":  {"0", "math.Copysign(0, -1)", "1.5", "-2.5", "math.NaN()", "math.Inf(1)", "1e300", "0.3"},
	"float32":  {"0", "1.5", "-2.5", "1e30"},
	"uint64":   {"0", "1", "1<<63", "1<<64 - 1", "0x123456789abcdef0"},
	"uint32":   {"0", "1", "1<<31", "1<<32 - 1", "0x12345678"},
	"uint16":   {"0", "1", "1<<15", "1<<16 - 1", "0x1234"},
	"uint8":    {"0", "1", "1<<7", "1<<8 - 1", "0x12"},
	"uint":     {"0", "1", "1<<63", "1<<64 - 1", "0x123456789abcdef0"},
	"uintptr":  {"0", "1", "5", "1<<64 - 1"},
	"int":      {"0", "1", "-1", "65", "-7"},
	"int32":    {"0", "5", "-1", "1<<31 - 1"},
	"int64":    {"0", "5", "-1", "1<<63 - 1"},
	"[]byte":   {"nil", `[]byte("a")`, `[]byte("ab")`, `[]byte("b")`, `[]byte("long enough for kernels: äöü€😀")`, `[]byte("long enough for kernels, wrong: \xc3")`},
	"string":   {`""`, `"a"`, `"\xff"`, `"long enough for kernels: äöü€😀"`, `"long enough for kernels, wrong: \xe2\x82 "`},
	"*int32":   {"p(int32(5))", "p(int32(-1))"},
	"*int64":   {"p(int64(5))", "p(int64(-1))"},
	"*uint32":  {"p(uint32(5))"},
	"*uint64":  {"p(uint64(5))"},
	"*uintptr": {"p(uintptr(5))"},
}

// use is a program's use of a function: by name, as a value of the package, as a value that is
// unknown to the compiler, by reflection, deferred, and in go and defer statements of its own.
const use = `
var v%[1]d = %[2]s

func f%[1]d() {
	for i := range %[3]d {
		show("%[2]s", i, %[4]s)
		%[5]s
		defer %[2]s(%[6]s)
		go %[2]s(%[6]s)
		go v%[1]d(%[6]s)
		defer v%[1]d(%[6]s)
	}
}
`

const useHead = `package main

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"sync/atomic"
	"unicode/utf8"
)

var _, _, _, _, _ = bytes.Equal, math.Abs, bits.Len, atomic.LoadInt32, utf8.Valid

//go:noinline
func opaque[T any](x T) T { return x }

func p[T any](x T) *T { return &x }

func show1[T any](x T) string { return fmt.Sprint(x) }
func show2[T, U any](x T, y U) string { return fmt.Sprint(x, " ", y) }

func reflected(f reflect.Value, args ...any) string {
	var in []reflect.Value
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	s := ""
	for i, r := range f.Call(in) {
		if i > 0 {
			s += " "
		}
		s += fmt.Sprint(r)
	}
	return s
}

func show(name string, i int, ways ...func() string) {
	want := ways[0]()
	fmt.Println(name, i, want)
	for k, w := range ways {
		if got := w(); got != want {
			fmt.Println("way", k, "of", name, i, "gives", got)
		}
	}
}
`

// intrinsicUses is a program that uses every intrinsic that a program may name, in every way.
func intrinsicUses(t *testing.T) string {
	t.Helper()
	imp := importer.ForCompiler(token.NewFileSet(), "source", nil)
	src, calls, n := useHead, "", 0
	for _, name := range lower.Intrinsics() {
		path, fn, _ := strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".")
		path = name[:strings.LastIndexByte(name, '/')+1] + path
		if !token.IsExported(fn) || strings.Contains(path, "internal/") || path == "runtime" || strings.HasSuffix(fn, "Pointer") {
			continue
		}
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := pkg.Scope().Lookup(fn).(*types.Func)
		if !ok {
			t.Errorf("there is no %s", name)
			continue
		}
		tuples := 1
		for v := range f.Signature().Params().Variables() {
			tuples *= len(operands[types.TypeString(v.Type(), nil)])
		}
		if tuples == 0 {
			t.Errorf("no operands for %s%v", name, f.Signature())
			continue
		}
		// Digit k of i selects operand k from its list.
		var set, args []string
		after, div := `""`, 1
		for k := range f.Signature().Params().Len() {
			typ := types.TypeString(f.Signature().Params().At(k).Type(), nil)
			list := operands[typ]
			set = append(set, fmt.Sprintf("a%d := []%s{%s}[i/%d%%%d]", k, typ, strings.Join(list, ", "), div, len(list)))
			args = append(args, fmt.Sprintf("a%d", k))
			div *= len(list)
			if typ[0] == '*' {
				after = fmt.Sprintf(`fmt.Sprint(" ", *a%d)`, k)
			}
		}
		setup, list := strings.Join(set, "; "), strings.Join(args, ", ")
		results := f.Signature().Results().Len()
		way := func(before, call string) string {
			if results > 0 {
				call = fmt.Sprintf("r = show%d(%s)", results, call)
			}
			if before == "defer" {
				call = "func() { defer func() { " + call + " }() }()"
			} else {
				call = before + call
			}
			return fmt.Sprintf("func() (r string) { %s; %s; return r + %s }", setup, call, after)
		}
		callee := pkg.Name() + "." + fn
		ways := []string{
			way("", callee+"("+list+")"), way("", fmt.Sprintf("v%d(%s)", n, list)), way("f := opaque("+callee+"); ", "f("+list+")"),
			way("defer", callee+"("+list+")"),
			fmt.Sprintf("func() (r string) { %s; r = reflected(reflect.ValueOf(%s), %s); return r + %s }", setup, callee, list, after),
		}
		src += fmt.Sprintf(use, n, callee, tuples, strings.Join(ways, ", "), setup, list)
		calls += fmt.Sprintf("\tf%d()\n", n)
		n++
	}
	t.Logf("%d functions", n)
	return src + "\nfunc main() {\n" + calls + "}\n"
}

// TestIntrinsicValues: an intrinsic has the same results however it is called, in programs that are
// compiled whole and on a base, in both tiers, and in native Go.
func TestIntrinsicValues(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs a large program five times")
	}
	src := intrinsicUses(t)
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	want, err := exec.Command("go", "run", file).CombinedOutput()
	if err != nil || bytes.Contains(want, []byte("\nway ")) {
		t.Fatalf("%v\n%s", err, want)
	}
	base, err := gyr.OpenBase(t.Context(), gyr.BaseConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*gyr.Base{nil, base} {
		p, err := gyr.Compile(t.Context(), gyr.Source{Patterns: []string{file}}, &gyr.CompileOptions{Base: b, Debug: gyr.CompileDebug{NoBase: b == nil}})
		if err != nil {
			t.Fatal(err)
		}
		if p.Stats().OnBase != (b != nil) {
			t.Error("not on the base")
		}
		for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierAuto} {
			var got bytes.Buffer
			in, err := p.NewInstance(t.Context(), gyr.Config{Stdout: &got, Stderr: &got, Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			err = in.Run(t.Context())
			in.Close()
			if err != nil || got.String() != string(want) {
				t.Fatalf("base %v, tier %v: %v\n%s", b != nil, tier, err, diff(got.String(), string(want)))
			}
		}
	}
}

// diff returns the first lines in which two texts differ.
func diff(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %q, want %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}
