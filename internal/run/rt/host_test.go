package rt

import (
	"encoding/binary"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// flatten spells a Go signature as lowering does.
func flatten(t testing.TB, ft *ast.FuncType, named map[string]string) string {
	var b strings.Builder
	list := func(fl *ast.FieldList) {
		if fl == nil {
			return
		}
		for _, f := range fl.List {
			for range max(1, len(f.Names)) {
				switch x := f.Type.(type) {
				case *ast.StarExpr:
					b.WriteByte('p')
				case *ast.SelectorExpr:
					switch x.Sel.Name {
					case "Pointer":
						b.WriteByte('p')
					case "Errno":
						b.WriteByte('w')
					default:
						t.Errorf("unknown type %s", x.Sel.Name)
					}
				case *ast.Ident:
					name := x.Name
					if n, ok := named[name]; ok {
						name = n
					}
					switch name {
					case "int", "uint", "uintptr", "int64", "uint64":
						b.WriteByte('l')
					case "int32", "uint32", "Errno", "errno":
						b.WriteByte('w')
					case "bool", "uint8", "int8":
						b.WriteByte('b')
					case "string":
						b.WriteString("pl")
					default:
						t.Errorf("unknown type %s", name)
					}
				default:
					t.Errorf("unknown type %T", x)
				}
			}
		}
	}
	list(ft.Params)
	b.WriteByte(':')
	list(ft.Results)
	return b.String()
}

// importOf returns the name in the table of a function that a file among the answers imports, "" if
// it is not one of ours.
func importOf(fd *ast.FuncDecl) string {
	if fd.Doc == nil {
		return ""
	}
	for _, c := range fd.Doc.List {
		if of, ok := strings.CutPrefix(c.Text, "//go:wasmimport "); ok {
			return strings.Replace(of, " ", ".", 1)
		}
	}
	return ""
}

// Every primitive that the runtime overlay declares, and every function that answers import, is in
// the table, with the flattened signature of its declaration.
func TestTheOverlaysDeclarations(t *testing.T) {
	files, _ := filepath.Glob("../../front/guest/_src/runtime/*.go")
	if len(files) == 0 {
		t.Skip("no overlay")
	}
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		more, _ := filepath.Glob("../../front/guest/_src/answers/" + depth + "/*.go")
		files = append(files, more...)
	}
	used := map[string]bool{}
	fset := token.NewFileSet()
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		if err != nil {
			t.Log(err)
			continue
		}
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body != nil || fd.Recv != nil {
				continue
			}
			name := importOf(fd)
			if primitive, ok := strings.CutPrefix(fd.Name.Name, "host_"); ok {
				name = primitive
			}
			if name == "" {
				continue
			}
			used[name] = true
			want := flatten(t, fd.Type, nil)
			switch got, ok := Sigs[name]; {
			case !ok:
				t.Errorf("%s: %s is not in the table", fset.Position(fd.Pos()), fd.Name.Name)
			case got != want:
				t.Errorf("%s: %s has signature %s, in the table %s", fset.Position(fd.Pos()), fd.Name.Name, want, got)
			}
		}
	}
	for i := range ir.Primitives {
		name := ir.Primitives[i].Name
		if !used[name] && !strings.HasPrefix(name, wasi.Module) && !loweringCalls(t, name) {
			t.Errorf("nobody calls %s", name)
		}
	}
}

// loweringCalls reports whether lowering or package gas names a host function.
func loweringCalls(t *testing.T, name string) bool {
	for _, file := range []string{"../../front/lower/intrinsic.go", "../../front/lower/call.go", "../../gas/work.go"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(src), strconv.Quote(name)) {
			return true
		}
	}
	return name == "tracegas" // tests call it
}

// Every function that GOROOT imports from WASI is in the table, with the signature of its
// declaration.
func TestGOROOTsImports(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(root); err != nil {
		t.Skip(err)
	}
	named := map[string]string{}
	for _, n := range []string{"uintptr32", "size", "fdflags", "lookupflags", "oflags", "fstflags", "clockid", "sdflags"} {
		named[n] = "uint32"
	}
	for _, n := range []string{"filesize", "rights", "timestamp", "dircookie"} {
		named[n] = "uint64"
	}
	named["filedelta"] = "int64"
	found := map[string]bool{}
	fset := token.NewFileSet()
	for _, dir := range []string{"syscall", "internal/syscall/unix", "internal/poll", "os", "runtime", "net", "crypto/internal/sysrand", "time"} {
		files, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(src), "//go:wasmimport "+wasi.Module+" ") || strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(fset, file, src, parser.ParseComments)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, d := range f.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Doc == nil {
					continue
				}
				for _, c := range fd.Doc.List {
					name, ok := strings.CutPrefix(c.Text, "//go:wasmimport "+wasi.Module+" ")
					if !ok {
						continue
					}
					found[name] = true
					want := flatten(t, fd.Type, named)
					if got := Sigs[wasi.Module+"."+name]; got != want {
						t.Errorf("%s: %s has signature %s, in the table %q", fset.Position(fd.Pos()), name, want, got)
					}
				}
			}
		}
	}
	if len(found) < 30 {
		t.Errorf("found only %d imports", len(found))
	}
	for name := range wasi.Funcs {
		if !found[name] {
			t.Errorf("nobody imports %s", name)
		}
	}
}

// TestTheTableIsWhole: every line of the table has an implementation, and every implementation has
// a line.
func TestTheTableIsWhole(t *testing.T) {
	if len(Host) != len(ir.Primitives) || len(Sigs) != len(ir.Primitives) {
		t.Errorf("%d lines, %d functions, %d signatures", len(ir.Primitives), len(Host), len(Sigs))
	}
	for i := range ir.Primitives {
		if name := ir.Primitives[i].Name; Host[name] == nil {
			t.Errorf("%s has no implementation", name)
		}
	}
	for name := range Host {
		if ir.PrimitiveNamed(name) == nil {
			t.Errorf("%s is not in ir.Primitives", name)
		}
	}
	for name := range wasi.Funcs {
		if ir.PrimitiveNamed(wasi.Module+"."+name) == nil {
			t.Errorf("%s of package wasi is not in ir.Primitives", name)
		}
	}
}

// TestWordsOfHosts: a host function uses no more words of its array than its signature has.
func TestWordsOfHosts(t *testing.T) {
	files, _ := filepath.Glob("*.go")
	fset := token.NewFileSet()
	names := map[string][]string{} // in ir.Primitives, by the name of the Go function
	bodies := map[string]*ast.FuncDecl{}
	for _, file := range files {
		f, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				bodies[n.Name.Name] = n
			case *ast.KeyValueExpr:
				key, ok := n.Key.(*ast.BasicLit)
				value, fn := n.Value.(*ast.Ident)
				if ok && fn && strings.HasPrefix(value.Name, "host") {
					name, _ := strconv.Unquote(key.Value)
					names[value.Name] = append(names[value.Name], name)
				}
			}
			return true
		})
	}
	if len(names) < 40 {
		t.Errorf("found only %d functions", len(names))
	}
	for fn, list := range names {
		body := bodies[fn]
		if body == nil {
			t.Errorf("no function %s", fn)
			continue
		}
		params := body.Type.Params.List
		last := params[len(params)-1].Names
		if len(last) == 0 {
			continue
		}
		words := 0
		ast.Inspect(body, func(n ast.Node) bool {
			if x, ok := n.(*ast.IndexExpr); ok {
				a, named := x.X.(*ast.Ident)
				at, known := x.Index.(*ast.BasicLit)
				if named && known && a.Name == last[len(last)-1].Name {
					i, _ := strconv.Atoi(at.Value)
					words = max(words, i+1)
				}
			}
			return true
		})
		for _, name := range list {
			sig := ir.PrimitiveNamed(name).Signature()
			if has := max(len(sig.Params), len(sig.Results)); words > has {
				t.Errorf("%s touches %d words, the signature of %s has %d", fn, words, name, has)
			}
		}
	}
}

// TestWithinSnapshots: while a snapshot is made, a function that may not be part of one ends the
// attempt.
func TestWithinSnapshots(t *testing.T) {
	vm := &VM{build: &snapshotWork{}}
	for i := range ir.Primitives {
		info := &ir.Primitives[i]
		if info.Is(ir.InSnapshot) || Host[info.Name] == nil { // TestTheTableIsWhole reports it
			continue
		}
		if st := vm.HostFunc(info.Name)(vm, new(ir.Args)); st != Exit {
			t.Errorf("%s: %v", info.Name, st)
		}
	}
}

// Whatever the guest passes, a host function returns a status.
func TestHostileArguments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	names := make([]string, 0, len(Host))
	for n := range Host {
		names = append(names, n)
	}
	slices.Sort(names)
	values := []uint64{0, 1, 2, 3, 7, 8, 16, 255, 4096, scratchAt, scratchAt + 8, rootAt, typesAt, dataEnd - 8, dataEnd, dataEnd + 1<<15,
		1 << 26, 1<<26 + 3, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 40, 1 << 62, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(7)}
	vm, e := newVM(t, Config{Config: api.Config{Memory: 16 << 20, Name: "x"}})
	e.pcs = make([]uint64, 5)
	objects := []uint64{}
	for i := range uint64(20) {
		objects = append(objects, uint64(newCell(t, vm, 0, i)))
	}
	rounds := 60000
	if testing.Short() {
		rounds = 5000
	}
	for range rounds {
		var a ir.Args
		for i := range a {
			switch rng.IntN(10) {
			case 0:
				a[i] = rng.Uint64()
			case 1:
				a[i] = objects[rng.IntN(len(objects))] + uint64(rng.IntN(3))
			default:
				a[i] = values[rng.IntN(len(values))]
			}
		}
		name := names[rng.IntN(len(names))]
		args := a
		st := Host[name](vm, &a)
		if st < OK || st > Failed {
			t.Fatalf("%s%#x: status %d", name, args[:9], st)
		}
		if info := ir.PrimitiveNamed(name); st == Switch && !info.Is(ir.Switches) || st == Yield && !info.Is(ir.Yields) {
			t.Fatalf("%s%#x: status %d, which the table does not allow", name, args[:9], st)
		}
		if st == Failed && vm.Err == nil {
			t.Fatalf("%s%#x: failed without a reason", name, args[:9])
		}
		vm.Err = nil
		e.stacks = min(e.stacks, 2)
	}
}

// FuzzHostCalls calls host functions with the arguments and the memory that the input names. A call
// is two bytes for the function and a byte for each of six arguments. Function numbers past the
// last write to memory instead.
//
//fuzz:runs 25000
func FuzzHostCalls(f *testing.F) {
	names := slices.Sorted(maps.Keys(Host))
	for i := range names {
		f.Add([]byte{byte(i), 0, 9, 10, 11, 12, 13, 14, byte(len(names)), 1, 9, 200, 30, 4, 5, 6, byte(i), 0, 200, 201, 30, 31, 32, 3})
	}
	values := []uint64{0, 1, 2, 3, 7, 8, 16, 255, 4096, scratchAt, scratchAt + 8, rootAt, typesAt, dataEnd - 8, dataEnd, dataEnd + 1<<15,
		1 << 26, 1<<26 + 3, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 40, 1 << 62, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(7)}
	f.Fuzz(func(t *testing.T, in []byte) {
		vm, e := newVM(t, Config{Config: api.Config{Memory: 4 << 20, Name: "x"}})
		e.pcs = make([]uint64, 5)
		var made []uint64 // results, which are often addresses
		pick := func(b byte) uint64 {
			switch {
			case int(b) < len(values):
				return values[b]
			case b >= 192 && len(made) > 0:
				return made[int(b)%len(made)] + uint64(b>>5&3)
			}
			return scratchAt + uint64(b)
		}
		for ; len(in) >= 8 && len(made) < 4096; in = in[8:] {
			n := int(in[0]) | int(in[1])<<8
			var a ir.Args
			for i := range 6 {
				a[i] = pick(in[2+i])
			}
			if n >= len(names) {
				if b, ok := vm.Space.Bytes(uint64(uint32(a[0])), 8); ok {
					binary.LittleEndian.PutUint64(b, a[1]^a[2]<<32)
				}
				continue
			}
			st := Host[names[n]](vm, &a)
			if st < OK || st > Failed || st == Failed && vm.Err == nil {
				t.Fatalf("%s: status %d, %v", names[n], st, vm.Err)
			}
			vm.Err = nil
			made = append(made, a[0])
			e.stacks = min(e.stacks, 2)
		}
	})
}

func BenchmarkMallocTyped(b *testing.B) {
	vm, _ := newVM(b, Config{})
	tb := newTypeBuilder(b, vm)
	typ := tb.str()
	var a ir.Args
	for b.Loop() {
		a = ir.Args{16, typ, 1}
		hostMalloc(vm, &a)
	}
}
