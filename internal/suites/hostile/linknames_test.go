package hostile

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/types"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	prices "github.com/gyrvm/gyr/internal/gas"
)

var updateLinknames = flag.Bool("linknames.update", false, "write testdata/linknames/calls.go")

const callsFile = "testdata/linknames/calls.go"

// linknameGuests are the guests that call each listed function with operands drawn from a seed, and
// one guest for each function that calls it endlessly.
func linknameGuests() (list []guest) {
	ends := map[string]string{"runtime.throw": panics, "runtime.getitab": panics} // int has no method
	for _, name := range []string{"ChanDir", "Elem", "Field", "FieldByIndex", "FieldByName", "FieldByNameFunc", "In", "IsVariadic", "Key", "Len",
		"Method", "NumField", "NumIn", "NumOut", "Out"} {
		ends["reflect.(*rtype)."+name] = panics // int has no such thing
	}
	all := directive.Answers()
	for i, l := range all {
		if strings.HasPrefix(l.Sig, "var ") {
			continue
		}
		name := callName(all, i)
		for seed := range 4 {
			list = append(list, guest{name: fmt.Sprintf("%s #%d", name, seed), end: someEnd, loose: true})
		}
		end := gas
		if e := ends[l.Symbol]; e != "" {
			end = e
		}
		list = append(list, guest{name: name + " for ever", end: end, gas: 3_000_000})
	}
	return list
}

// callName is the name in calls.go for the call of a line of the list: its symbol, with a number if
// earlier lines have the same.
func callName(all []directive.Answer, i int) string {
	n := 1
	for _, l := range all[:i] {
		if l.Symbol == all[i].Symbol {
			n++
		}
	}
	if n == 1 {
		return all[i].Symbol
	}
	return fmt.Sprintf("%s/%d", all[i].Symbol, n)
}

// TestLinknameCalls: the guests' program has a call of every function of the list.
func TestLinknameCalls(t *testing.T) {
	want := linknameCalls(t)
	if *updateLinknames {
		if err := os.WriteFile(callsFile, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(callsFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not fit the list (%v): go test ./internal/suites/hostile -run TestLinknameCalls -linknames.update", callsFile, err)
	}
}

// linknameCalls makes the declarations and calls.
func linknameCalls(t *testing.T) []byte {
	var decls, calls bytes.Buffer
	all := directive.Answers()
	for i, l := range all {
		if name, ok := strings.CutPrefix(l.Sig, "var "); ok {
			fmt.Fprintf(&decls, "//go:linkname v%d %s\nvar v%d %s\n\n", i, l.Symbol, i, name)
			continue
		}
		fmt.Fprintf(&decls, "//go:linkname f%d %s\nfunc f%d%s\n\n", i, l.Symbol, i, strings.TrimPrefix(l.Sig, "func"))
		e, err := parser.ParseExpr(l.Sig)
		if err != nil {
			t.Fatal(err)
		}
		fn := e.(*ast.FuncType)
		call := fmt.Sprintf("f%d(%s)", i, strings.Join(operandsOf(l.Symbol, fn), ", "))
		if fn.Results != nil {
			var results []string
			for k := range fn.Results.NumFields() {
				results = append(results, fmt.Sprintf("r%d", k))
			}
			list := strings.Join(results, ", ")
			call = fmt.Sprintf("%s := %s; keep(%s)", list, call, list)
		}
		fmt.Fprintf(&calls, "%q: func() { %s },\n", callName(all, i), call)
	}
	src, err := format.Source(fmt.Appendf(nil, "package main\n\nimport (\n\"reflect\"\n\"unsafe\"\n)\n\n"+
		"// Generated from the list of linknames: go test ./internal/suites/hostile -run TestLinknameCalls -linknames.update\n\n"+
		"%svar calls map[string]func()\n\nfunc init() {\ncalls = map[string]func(){\n%s}\n}\n", &decls, &calls))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// operandsOf returns the operands of a call, by the names and types of the parameters.
func operandsOf(symbol string, fn *ast.FuncType) (list []string) {
	keys := ""
	for _, k := range []string{"32", "64ptr", "64", "str"} {
		if strings.HasSuffix(strings.TrimSuffix(symbol, "0"), "_fast"+k) {
			keys = strings.TrimPrefix(k, "64p")
			if k == "64ptr" {
				keys = "ptr"
			}
			break
		}
	}
	isMap := strings.Contains(symbol, ".map") || strings.Contains(symbol, ".makemap")
	for _, f := range fn.Params.List {
		for _, name := range f.Names {
			list = append(list, operandOf(name.Name, types.ExprString(f.Type), keys, isMap))
		}
	}
	return list
}

func operandOf(name, typ, keys string, isMap bool) string {
	switch {
	case typ == "bool":
		return "n()&1 != 0"
	case typ == "string":
		return "text()"
	case typ == "any":
		return "value()"
	case typ == "[]byte":
		return "bytes()"
	case typ == "[]uint":
		return "uints()"
	case typ == "[]int":
		return "[]int{int(n()), int(n())}"
	case typ == "func(string) bool":
		return "func(string) bool { return n()&1 != 0 }"
	case typ == "reflect.Type":
		return "reflectType()"
	case typ == "*uint32":
		return "sema()"
	case typ != "unsafe.Pointer":
		return typ + "(n())"
	case name == "inter":
		return "inter()"
	case name == "it":
		return "iter()"
	case name == "m":
		return fmt.Sprintf("hmap(%q)", keys)
	case name == "t" && isMap:
		return fmt.Sprintf("mapType(%q)", keys)
	case name == "t":
		return "typ()"
	}
	return "p()"
}

// TestLinknameGas: work that grows with an operand is paid for. The same call with a larger operand
// costs at least the weight in the list, which is what compiled code pays for the same work.
func TestLinknameGas(t *testing.T) {
	const n = 1 << 20
	for _, c := range []struct {
		decl, call string
		weight     int64 // for each byte of n, in 1/128 units
	}{
		{"//go:linkname f runtime.memmove\nfunc f(to, from unsafe.Pointer, n uintptr)", "f(p, q, n)", prices.MoveWeight},
		{"//go:linkname f reflect.memmove\nfunc f(to, from unsafe.Pointer, n uintptr)", "f(p, q, n)", prices.MoveWeight},
		{"//go:linkname f runtime.memclrNoHeapPointers\nfunc f(p unsafe.Pointer, n uintptr)", "f(p, n)", prices.MoveWeight},
		{"//go:linkname f runtime.memclrHasPointers\nfunc f(p unsafe.Pointer, n uintptr)", "f(p, n)", prices.MoveWeight},
		{"//go:linkname f runtime.memequal\nfunc f(p, q unsafe.Pointer, n uintptr) bool", "f(p, q, n)", prices.MoveWeight},
		{"//go:linkname f runtime.memhash\nfunc f(p unsafe.Pointer, h, n uintptr) uintptr", "f(p, 1, n)", 8},
		{"//go:linkname f runtime.strhash\nfunc f(p unsafe.Pointer, h uintptr) uintptr", "s := text[:n]; f(unsafe.Pointer(&s), 1)", 8},
		{"//go:linkname f runtime.stringHash\nfunc f(s string, h uintptr) uintptr", "f(text[:n], 1)", 8},
		{"//go:linkname f runtime.nilinterhash\nfunc f(p unsafe.Pointer, h uintptr) uintptr", "var e any = text[:n]; f(unsafe.Pointer(&e), 1)", 8},
		{"//go:linkname f runtime.typehash\nfunc f(t, p unsafe.Pointer, h uintptr) uintptr", "s := text[:n]; f(typ(\"\"), unsafe.Pointer(&s), 1)", 8},
		{"//go:linkname f runtime.mallocgc\nfunc f(n uintptr, t unsafe.Pointer, zero bool) unsafe.Pointer", "kept = f(n, nil, true)", 12},
		{"//go:linkname f runtime.newarray\nfunc f(t unsafe.Pointer, n int) unsafe.Pointer", "kept = f(typ(byte(1)), int(n))", 12},
		{"//go:linkname f reflect.unsafe_NewArray\nfunc f(t unsafe.Pointer, n int) unsafe.Pointer", "kept = f(typ(byte(1)), int(n))", 12},
		{"//go:linkname f runtime.makeslice\nfunc f(t unsafe.Pointer, n, c int) unsafe.Pointer", "kept = f(typ(byte(1)), 0, int(n))", 12},
		{"//go:linkname f runtime.growslice\nfunc f(old unsafe.Pointer, newLen, oldCap, num int, t unsafe.Pointer) (unsafe.Pointer, int, int)",
			"kept, _, _ = f(p, int(n), int(n)-1, 1, typ(byte(1)))", 12},
		{"//go:linkname f runtime.typedslicecopy\nfunc f(t, p unsafe.Pointer, a int, q unsafe.Pointer, b int) int", "f(typ(byte(1)), p, int(n), q, int(n))", prices.MoveWeight},
		{"//go:linkname f reflect.typedslicecopy\nfunc f(t unsafe.Pointer, p, q []byte) int", "f(typ(byte(1)), unsafe.Slice((*byte)(p), n), unsafe.Slice((*byte)(q), n))", prices.MoveWeight},
		{"//go:linkname f reflect.growslice\nfunc f(t unsafe.Pointer, p []byte, n int) []byte", "kept = unsafe.Pointer(&f(typ(byte(1)), nil, int(n))[:1][0])", 12},
		{"//go:linkname f runtime.makemap\nfunc f(t unsafe.Pointer, n int, m unsafe.Pointer) unsafe.Pointer", "kept = f(typ(map[int]int{}), int(n/64), nil)", 40},
		{"//go:linkname f reflect.makemap\nfunc f(t unsafe.Pointer, n int) unsafe.Pointer", "kept = f(typ(map[int]int{}), int(n/64))", 40},
		{"//go:linkname f runtime.typedmemmove\nfunc f(t, p, q unsafe.Pointer)", "f(sized(n), p, q)", prices.MoveWeight},
		{"//go:linkname f reflect.typedmemclr\nfunc f(t, p unsafe.Pointer)", "f(sized(n), p)", prices.MoveWeight},
		{"//go:linkname f runtime.newobject\nfunc f(t unsafe.Pointer) unsafe.Pointer", "kept = f(sized(n))", 12},
	} {
		name := strings.Fields(c.decl)[2]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := "package main\n\nimport (\"os\"; \"strings\"; \"unsafe\")\n\n" + c.decl + `

var (
	kept unsafe.Pointer
	text = strings.Repeat("x", 1<<20)
	p, q = unsafe.Pointer(new([1 << 20]byte)), unsafe.Pointer(new([1 << 20]byte))

	small, large any = [1]byte{}, [1 << 20]byte{}
)

func typ(x any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[0] }

func sized(n uintptr) unsafe.Pointer {
	if n == 1 {
		return typ(small)
	}
	return typ(large)
}

func main() {
	n := uintptr(1)
	if len(os.Args) > 1 {
		n = 1 << 20
	}
	` + c.call + `
	_, _, _, _ = kept, n, p, q
}
`
			prog, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(src)}}, Patterns: []string{"main.go"}, Unsafe: gyr.UnsafeAll}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var used [2]int64
			for i, args := range [][]string{nil, {"x"}} {
				in, err := prog.NewInstance(context.Background(), gyr.Config{Args: args, Gas: 1 << 40, Memory: 256 << 20})
				if err != nil {
					t.Fatal(err)
				}
				if err := in.Run(context.Background()); err != nil {
					t.Error(err)
				}
				used[i] = in.Stats().Gas
				in.Close()
			}
			if got, least := used[1]-used[0], c.weight*n>>7; got < least-least/100 || got > 2*least+1000 {
				t.Errorf("%d units for %d bytes, at least %d expected", got, n, least)
			}
		})
	}
}
