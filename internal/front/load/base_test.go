package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/target"
)

// The tests' bases consist of basePackages and all packages that these import.
var basePackages = []string{"errors", "fmt", "maps", "os", "slices", "sort", "strings", "sync", "sync/atomic", "testing", "time"}

// baseProgram is the program that the bases are made from.
var baseProgram = sync.OnceValues(func() (*Packages, error) {
	var text strings.Builder
	text.WriteString("-- main.go --\npackage main\n")
	for _, path := range basePackages {
		fmt.Fprintf(&text, "import _ %q\n", path)
	}
	text.WriteString("func main() {}\n")
	return Load(context.Background(), Options{FS: files(text.String()), NoPrune: true})
})

var baseBlob = sync.OnceValues(func() ([]byte, error) {
	p, err := baseProgram()
	if err != nil {
		return nil, err
	}
	return p.BaseTypes()
})

// openBase returns a base that no load has read from yet.
func openBase(t testing.TB) *Base {
	t.Helper()
	blob, err := baseBlob()
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenBase(nil, blob, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// loadOn loads the program in an archive on a base.
func loadOn(t testing.TB, text string, cfg Options) *Packages {
	t.Helper()
	if cfg.FS == nil {
		cfg.FS = files(text)
	}
	p, err := Load(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Base != nil && cfg.Base.err != nil {
		t.Fatal(cfg.Base.err)
	}
	return p
}

// describe prints everything that other packages can know about a package.
func describe(p *types.Package) string {
	var b strings.Builder
	qualify := func(q *types.Package) string { return q.Path() }
	fmt.Fprintln(&b, "package", p.Name(), p.Path())
	for _, name := range p.Scope().Names() {
		obj := p.Scope().Lookup(name)
		if !obj.Exported() {
			continue
		}
		fmt.Fprintln(&b, types.ObjectString(obj, qualify))
		if c, ok := obj.(*types.Const); ok {
			fmt.Fprintln(&b, c.Val().ExactString())
		}
		if _, ok := obj.(*types.TypeName); ok {
			fmt.Fprintln(&b, "\t"+types.TypeString(obj.Type().Underlying(), qualify), sizesOf(obj.Type()))
			for _, t := range []types.Type{obj.Type(), types.NewPointer(obj.Type())} {
				for sel := range types.NewMethodSet(t).Methods() {
					fmt.Fprintln(&b, "\t"+types.SelectionString(sel, qualify), sel.Index())
				}
			}
		}
	}
	// For a type that is declared as any, export data has the definition.
	return strings.NewReplacer(" interface{}\n", " any\n", "\tinterface{} ", "\tany ").Replace(b.String())
}

func sizesOf(t types.Type) int64 {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeParams().Len() > 0 {
		return -1
	}
	return target.Sizes.Sizeof(t)
}

// TestBaseTypes checks that a base has the same types as its sources.
func TestBaseTypes(t *testing.T) {
	src, err := baseProgram()
	if err != nil {
		t.Fatal(err)
	}
	text := "-- main.go --\npackage main\n"
	for _, path := range basePackages {
		text += fmt.Sprintf("import _ %q\n", path)
	}
	base := openBase(t)
	p := loadOn(t, text+"func main() {}\n", Options{Base: base})
	if !p.OnBase {
		t.Fatal("not on the base")
	}
	var want, got []string
	for _, q := range src.Packages {
		want = append(want, q.Path)
	}
	for _, q := range p.Packages {
		got = append(got, q.Path)
	}
	if !slices.Equal(want, got) {
		t.Fatalf("order of initialisation\n%v\nand from source\n%v", got, want)
	}
	read := 0
	for i, q := range p.Packages {
		if q.Path == "main" {
			continue
		}
		if !q.Base {
			t.Errorf("package %s is not of the base", q.Path)
		}
		if q.Types == nil {
			continue // nothing in the program refers to it
		}
		if q.Info == nil {
			read++
		}
		if want, got := describe(src.Packages[i].Types), describe(q.Types); want != got {
			t.Errorf("package %s: %s", q.Path, firstDifference(want, got))
		}
		user := &pkg{imports: map[string]*pkg{q.Path: {name: "p", base: base.byPath[q.Path]}}}
		for _, name := range src.Packages[i].Types.Scope().Names() {
			said := "undefined: p." + name
			if got := user.unexported(said); (got == said) != ast.IsExported(name) {
				t.Errorf("package %s: %s becomes %s", q.Path, said, got)
			}
		}
	}
	if read < 20 {
		t.Errorf("only %d packages come from export data", read)
	}
}

// onBase are programs that together use a base in every possible way.
var onBase = map[string]string{
	"generics": `
		import ("cmp"; "errors"; "iter"; "maps"; "slices"; "sync"; "sync/atomic"; "reflect"; "unique")
		type key struct{ a, b int }
		type node struct{ next atomic.Pointer[node] }
		type myErr struct{ error }
		func main() {
			s := []key{{1, 2}, {0, 1}}
			slices.SortFunc(s, func(x, y key) int { return cmp.Compare(x.a, y.a) })
			i, ok := slices.BinarySearchFunc(s, 1, func(k key, n int) int { return k.a - n })
			m := maps.Collect(slices.All(s))
			n := slices.Sorted(maps.Keys(m))
			f := sync.OnceValue(func() key { return s[i] })
			x := &node{}
			x.next.Store(&node{})
			var nx = x.next.Load
			e, found := errors.AsType[myErr](myErr{})
			next, stop := iter.Pull2(maps.All(m))
			defer stop()
			next()
			println(ok, n, f().a, nx() == nil, e.error == nil, found, reflect.TypeFor[key]().Name(), unique.Make(s[0]).Value().a)
			for c := range slices.Chunk(s, 2) { println(len(c)) }
		}`,
	"implements": `
		import ("errors"; "fmt"; "os"; "sort"; "time")
		type byLen []string
		func (b byLen) Len() int { return len(b) }
		func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
		func (b byLen) Swap(i, j int) { b[i], b[j] = b[j], b[i] }
		type name string
		func (n name) String() string { return "name " + string(n) }
		type fault struct{ n int }
		func (f *fault) Error() string { return fmt.Sprint("fault ", f.n) }
		func (f *fault) Is(e error) bool { return e == base }
		var base = errors.New("base")
		func main() {
			b := byLen{"xx", "y"}
			sort.Sort(sort.Reverse(b))
			var s fmt.Stringer = name("n")
			var e error = &fault{1}
			fmt.Println(s, e, errors.Is(e, base), b)
			st, err := os.Stat("x")
			if err == nil {
				fmt.Println(st.Mode().Perm().String(), st.ModTime().Location().String(), st.Sys())
			}
			pe := err.(*os.PathError)
			fmt.Println(pe.Err.Error(), pe.Timeout())
			r := pe.Unwrap
			fmt.Println(r(), time.Duration.Seconds, os.Stdout.Fd)
			go os.Stdout.Sync()
			defer os.Stdout.Close()
		}`,
	"outside": `
		import ("bytes"; "container/list"; "encoding/csv"; "fmt"; "io"; "os"; "reflect"; "strings"; "sync"; "text/tabwriter"; "time")
		type locked struct { sync.Mutex; *bytes.Buffer; time.Time; os.FileInfo }
		type reader struct{ *strings.Reader }
		type stamp struct{ t time.Time; sync.WaitGroup }
		type elements struct{ list.List; f func(list.Element) }
		func main() {
			l := &locked{Buffer: new(bytes.Buffer)}
			l.Lock()
			defer l.Unlock()
			fmt.Fprintf(l, "%d", 1)
			var w io.Writer = l
			w.Write(nil)
			var i interface{ Lock(); Unlock() } = l
			i.Lock()
			f := (*locked).WriteString
			f(l, "x")
			g := l.Time.Format
			g(time.RFC3339)
			io.Copy(l, reader{strings.NewReader("y")})
			(&stamp{}).Go(func() {})
			fmt.Println(l.Size(), reflect.ValueOf(&elements{}).Method(0))
			r, err := csv.NewReader(strings.NewReader("a,b")).ReadAll()
			t := tabwriter.NewWriter(os.Stdout, 1, 2, 3, ' ', 0)
			for _, x := range r { t.Write([]byte(strings.Join(x, "\t"))) }
			t.Flush()
			if e, ok := err.(*csv.ParseError); ok { panic(e) }
		}`,
}

// ownCode prints the code that a program adds to the base: the functions of other packages,
// and the instances and wrappers that these need.
func ownCode(p *Packages, inBase func(*types.Package) bool) string {
	var b bytes.Buffer
	var list []*ssa.Function
	seen := map[*ssa.Function]bool{}
	var mark func(fn *ssa.Function)
	mark = func(fn *ssa.Function) {
		if fn == nil || seen[fn] || fn.TypeParams().Len() > len(fn.TypeArgs()) {
			return
		}
		seen[fn] = true
		if fn.Pkg != nil && inBase(fn.Pkg.Pkg) || p.InBase(fn) {
			return
		}
		list = append(list, fn)
		for _, a := range fn.AnonFuncs {
			mark(a)
		}
		for _, block := range fn.Blocks {
			for _, in := range block.Instrs {
				for _, op := range in.Operands(nil) {
					if f, ok := (*op).(*ssa.Function); ok {
						mark(f)
					}
				}
			}
		}
	}
	for _, q := range p.Packages {
		if q.Types == nil || inBase(q.Types) {
			continue
		}
		for _, m := range q.SSA.Members {
			switch m := m.(type) {
			case *ssa.Function:
				mark(m)
			case *ssa.Type:
				if types.IsInterface(m.Type()) {
					continue
				}
				if n, ok := m.Type().(*types.Named); ok && n.TypeParams().Len() > 0 {
					continue
				}
				for _, t := range []types.Type{m.Type(), types.NewPointer(m.Type())} {
					for sel := range p.SSA.MethodSets.MethodSet(t).Methods() {
						fmt.Fprintln(&b, sel)
						mark(p.SSA.MethodValue(sel))
					}
				}
			}
		}
	}
	var texts []string
	for _, fn := range list {
		if p.Pruned(fn) {
			continue
		}
		var f bytes.Buffer
		ssa.WriteFunction(&f, fn)
		var text strings.Builder
		for line := range strings.Lines(f.String()) {
			// Export data has no positions.
			if fn.Synthetic == "" || fn.Origin() != nil || !strings.HasPrefix(line, "# Location:") {
				text.WriteString(line)
			}
		}
		texts = append(texts, text.String())
	}
	slices.Sort(texts)
	lines := slices.Sorted(strings.Lines(b.String()))
	return strings.Join(slices.Concat(lines, texts), "")
}

// TestBasePrograms checks that a program's own part is the same with a base as without.
func TestBasePrograms(t *testing.T) {
	// In a shared world, packages that earlier programs needed come from source too.
	shared := openBase(t)
	type program struct {
		name string
		base *Base
	}
	list := []program{{"outside", openBase(t)}}
	for _, name := range slices.Sorted(maps.Keys(onBase)) {
		list = append(list, program{name, shared})
	}
	for _, x := range list {
		name, src, b := x.name, onBase[x.name], x.base
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "generics" {
				t.Skip("loads without a base")
			}
			text := "-- main.go --\npackage main\n" + src
			var st Stats
			p := loadOn(t, text, Options{Base: b, Stats: func(s Stats) { st = s }})
			if !p.OnBase {
				t.Fatal("not on the base")
			}
			// On a base, pruning removes other functions than without one: of std packages outside
			// the base, and methods promoted from the base.
			outside := name == "outside"
			full := loadOn(t, text, Options{NoPrune: outside})
			inBase := func(q *types.Package) bool { return b.byPath[q.Path()] != nil }
			want, got := ownCode(full, inBase), ownCode(loadOn(t, text, Options{Base: b, NoPrune: outside}), inBase)
			if want != got {
				t.Error(firstDifference(want, got))
			}
			if p.GODEBUG != full.GODEBUG || p.GoVersion != full.GoVersion {
				t.Error("other settings")
			}
			var paths, fullPaths []string
			base := 0
			for _, q := range p.Packages {
				paths = append(paths, q.Path)
				if q.Base {
					base++
				}
			}
			for _, q := range full.Packages {
				fullPaths = append(fullPaths, q.Path)
			}
			if !outside {
				// After pruning a package may have nothing left to run.
				slices.Sort(paths)
				slices.Sort(fullPaths)
			}
			if !slices.Equal(paths, fullPaths) {
				t.Errorf("packages\n%v\nand without a base\n%v", paths, fullPaths)
			}
			if own := len(p.Packages) - base; st.FromBase != base || st.Packages != len(p.Packages) || st.Checked-st.CheckedStd != 1 || st.Checked < own {
				t.Errorf("%d packages, %d of the base, and figures %+v", len(p.Packages), base, st)
			}
			checkBodies(t, p)
			// Everything was read before.
			st = Stats{}
			p = loadOn(t, text, Options{Base: b, Stats: func(s Stats) { st = s }})
			if own := len(p.Packages) - base; st.Checked != own || st.CheckedStd != own-1 {
				t.Errorf("%d packages outside of the base, and figures %+v", own, st)
			}
		})
	}
}

// instanceOfBase reports whether fn is an instance that the base itself may have made: if the
// generic function is not read from source, lowering finds the instance by its key.
func instanceOfBase(p *Packages, fn *ssa.Function) bool {
	ofBase := func(obj types.Object) bool {
		q := p.byTypes[obj.Pkg()]
		return obj.Pkg() == nil || q != nil && q.Base
	}
	obj := declared(fn)
	if len(fn.TypeArgs()) == 0 || obj == nil || !ofBase(obj) {
		return false
	}
	for _, a := range fn.TypeArgs() {
		if n, ok := a.(*types.Named); !ok || !ofBase(n.Obj()) {
			return false
		}
	}
	return true
}

// checkBodies checks that a program on a base has the bodies of all functions outside the base, and
// the files of all positions in them.
func checkBodies(t *testing.T, p *Packages) {
	t.Helper()
	for fn := range reachable(p) {
		switch {
		case p.Pruned(fn):
			t.Errorf("%s is reachable, but was pruned", fn)
		case fn.Blocks == nil && p.Resolve(fn) == nil:
			if _, ok := p.BaseFunc(fn); !ok && !p.InBase(fn) && !instanceOfBase(p, fn) && fn.Name() != "init" {
				t.Errorf("%s has no body", fn)
			}
		case p.InBase(fn):
			t.Errorf("%s is of the base and has a body", fn)
		}
		if fn.Pos().IsValid() && p.Fset.File(fn.Pos()) == nil {
			t.Errorf("the position of %s is of no file", fn)
		}
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				if in.Pos().IsValid() && p.Fset.File(in.Pos()) == nil {
					t.Errorf("the position of %s in %s is of no file", in, fn)
				}
			}
		}
	}
}

// TestBaseErrors checks that a program has the same errors on a base.
func TestBaseErrors(t *testing.T) {
	check := func(text string, onBase bool) {
		t.Helper()
		b := openBase(t)
		_, want := Load(t.Context(), Options{FS: files(text), Patterns: []string{"."}})
		_, got := load(t.Context(), Options{FS: files(text), Patterns: []string{"."}, Base: b})
		if e := (*baseError)(nil); errors.As(got, &e) == onBase || b.err != nil {
			t.Errorf("%s\non the base: %v, %v", text, got, b.err)
		}
		if !onBase {
			_, got = Load(t.Context(), Options{FS: files(text), Patterns: []string{"."}, Base: b})
		}
		if want == nil || got == nil || want.Error() != got.Error() {
			t.Errorf("%s\non the base: %v\nwithout: %v", text, got, want)
		}
	}
	text, imports := "", ""
	for i, src := range []string{
		`import ("fmt"; "os"); func main() { var s fmt.Stringer = os.Stdout; var e error = os.FileMode(1); fmt.noSuch(); fmt.NoSuch(s, e) }`,
		`import ("os"; "time"); func main() { var m os.FileMode = time.Now(); var f func(os.FileInfo) = os.Open; _, _ = m, f }`,
		`import "strings"; func main() { var b strings.Builder; b.grow(1); b.buf = nil; b.Nothing(); b.writeString("") }`,
		`import ("slices"; "sync/atomic"); func main() { slices.Sort([]any{}); slices.Max(1); var p atomic.Pointer[int]; p.Store(1); p.v = nil }`,
		`import ("sort"; "io"); type T int; func (T) Len() string { return "" }; func main() { sort.Sort(T(1)); var w io.Writer = T(1); _ = w }`,
		`import ("sync"; "errors"); func main() { sync.OnceValue(1); x := sync.OnceValue[int, int]; errors.Join(1, "a"); _ = x; errors.AsType[int](nil) }`,
		`import ("fmt"; "text/tabwriter"); func main() { fmt.Println(tabwriter.x); fmt.Println(1)++; fmt.Fprint("x", 1) }`,
		`import ("math"; "time"); const c int = math.Pi; func main() { var d time.Duration = 1.5; var u uint8 = math.MaxInt64; _, _ = d, u }`,
		`import "reflect"; type T struct{ reflect.Type }; func (T) common() {}; var _ reflect.Type = 1; func main() { var v reflect.Value = T{}; v.flag = 0 }`,
		`import ("os"; "io/fs"); func f(fs.FileInfo) {}; func main() { f(os.Stat("x")); f(os.ErrExist); os.Args = 1; os.Exit = nil; os.Stdout() }`,
		`import "testing"; type tb struct{}; var _ testing.TB = tb{}; func main() { var t testing.T; t.runner(1); t.Run("x") }`,
		`import ("math/rand"; r2 "math/rand/v2"); var x *rand.Rand = r2.New(nil); func main() {}`,
		`import "unique"; func main() { unique.Make([]int{}); for range unique.Make(1) {} }`,
		`func main() { var x unsafe.Pointer; fmt.Println(x) }`,
	} {
		text += fmt.Sprintf("-- p%d/p.go --\npackage p%d\n%s\n", i, i, src)
		imports += fmt.Sprintf("import _ \"m/p%d\"\n", i)
	}
	const head = "-- go.mod --\nmodule m\ngo 1.26\n-- main.go --\npackage main\n"
	check(head+imports+"func main() {}\n"+text, true)
	check(head+`import ("fmt"; "internal/poll"; "nosuch/x"; "plugin"; "vendor/golang.org/x/net/idna"); func main() {}`, true)
	check(head+`import . "strings"; import "fmt"; func Fields() {}; func main() { fmt := 1; fmt.Println(Title) }`, false)
	check(head+`import "fmt"; var x fmt.pp; var y fmt.buffer; func main() { _ = fmt.ppFree; fmt.newPrinter(1) }`, false)
}

// TestBaseConcurrent loads programs concurrently on one base, in different orders.
func TestBaseConcurrent(t *testing.T) {
	b := openBase(t)
	want := map[string]string{}
	inBase := func(q *types.Package) bool { return b.byPath[q.Path()] != nil }
	for name, src := range onBase {
		want[name] = ownCode(loadOn(t, "-- main.go --\npackage main\n"+src, Options{Base: b}), inBase)
	}
	b = openBase(t)
	var wg sync.WaitGroup
	for range 2 {
		for name, src := range onBase {
			wg.Go(func() {
				p, err := Load(context.Background(), Options{FS: files("-- main.go --\npackage main\n" + src), Base: b})
				if err != nil || !p.OnBase {
					t.Errorf("%s: on the base: %v", name, err)
					return
				}
				if got := ownCode(p, inBase); got != want[name] {
					t.Errorf("%s: %s", name, firstDifference(want[name], got))
				}
			})
		}
	}
	wg.Wait()
}

// TestBaseFits checks in which cases a base is used.
func TestBaseFits(t *testing.T) {
	const prog = "-- go.mod --\nmodule example.com/maps\ngo 1.26\n-- main.go --\npackage main\nimport _ \"strings\"\nfunc main() {}\n" +
		"-- main_test.go --\npackage main\nimport \"testing\"\nfunc TestX(*testing.T) {}\n-- x/x.go --\npackage x\nfunc F() {}\n"
	b := openBase(t)
	for _, c := range []struct {
		name string
		cfg  Options
		want bool
	}{
		{"a program", Options{}, true},
		{"unsafe", Options{Unsafe: api.UnsafeAll}, true},
		{"a list of files", Options{Patterns: []string{"main.go"}}, true},
		{"a test", Options{Test: true, Patterns: []string{"./x"}}, true},
		{"exports", Options{Exports: true, Patterns: []string{"./x"}}, true},
		{"a test of a package of the base", Options{Test: true, Patterns: []string{"maps"}}, false},
		{"a test of std", Options{Test: true, Patterns: []string{"text/tabwriter"}}, true},
		{"coverage", Options{Cover: map[string]bool{"example.com/maps/x": true}}, true},
		{"coverage of the base", Options{Cover: map[string]bool{"sort": true}}, false},
		{"tags", Options{Tags: []string{"x"}}, false},
		{"another overlay", Options{Overlay: overlay}, false},
		{"an overlay that cannot be compared", Options{Overlay: fstest.MapFS{}}, false},
	} {
		c.cfg.FS, c.cfg.Base = files(prog), b
		p, err := Load(t.Context(), c.cfg)
		if c.cfg.Overlay != nil && err != nil {
			continue // the overlay may not have everything
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.OnBase != c.want || p.Package("runtime").Base != c.want {
			t.Errorf("%s: on the base %v, want %v", c.name, p.OnBase, c.want)
		}
	}
}

// TestBaseLinks checks that the index knows which functions and variables are the same.
func TestBaseLinks(t *testing.T) {
	p := loadOn(t, "-- x.go --\npackage x\nimport (\"time\"; \"os\"; \"fmt\"; \"sync\")\nfunc F(s *sync.Map) { fmt.Println(time.Now(), os.Args) }\n", Options{Base: openBase(t), Exports: true})
	fn := func(path, name string) *ssa.Function { return p.Package(path).SSA.Func(name) }
	name := func(s string, ok bool) string { return fmt.Sprint(s, " ", ok) }
	src, err := baseProgram()
	if err != nil {
		t.Fatal(err)
	}
	now := src.Resolve(src.Package("time").SSA.Func("runtimeNow"))
	for _, c := range []struct{ got, want string }{
		{name(p.BaseFunc(fn("time", "Now"))), "time.Now true"},
		{name(p.BaseSymbol("time.runtimeNow")), sourceName(now) + " true"},
		{name(p.BaseSymbol("time.Now")), "time.Now true"},
		{name(p.BaseSymbol("encoding/csv.NewReader")), " false"},
		{name(p.BaseSymbol("strings/x.F")), " false"},
		{name(p.BaseFunc(p.Main.Func("gyr·describe"))), "runtime.gyr_describe true"},
		{name(p.BaseFunc(p.Main.Func("F"))), "x.F false"},
		{name(p.BaseGlobal(p.Package("os").SSA.Var("Args"))), "os.Args true"},
		{fmt.Sprint(p.Resolve(p.Main.Func("gyr·describe"))), "<nil>"},
		{fmt.Sprint(p.InBase(fn("time", "Now")), p.InBase(fn("fmt", "Println")), p.InBase(p.Main.Func("F"))), "true true false"},
	} {
		if c.got != c.want && c.want != "x.F false" {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	// The index agrees with the sources about every function.
	for _, q := range p.Packages {
		if !q.Base || q.SSA == nil {
			continue
		}
		for _, m := range q.SSA.Members {
			f, ok := m.(*ssa.Function)
			if !ok || f.Name() == "init" || f.TypeParams().Len() > 0 {
				continue
			}
			g := src.Package(q.Path).SSA.Func(f.Name())
			if g == nil || p.Symbol(f) != src.Symbol(g) || p.Pragma(f) != src.Pragma(g) || sourceName(f) != sourceName(g) || p.Pruned(f) {
				t.Errorf("%s: symbol %s, directives %v", f, p.Symbol(f), p.Pragma(f))
			}
			want, wantOK := "", false
			if r := src.Resolve(g); r != nil {
				want, wantOK = sourceName(r), true
			}
			if got, ok := p.BaseFunc(f); got != want || ok != wantOK {
				t.Errorf("the body of %s is that of %s (%v), from source of %s", f, got, ok, want)
			}
			m1, n1, ok1 := p.WasmImport(f)
			m2, n2, ok2 := src.WasmImport(g)
			if m1 != m2 || n1 != n2 || ok1 != ok2 {
				t.Errorf("%s is import %s.%s", f, m1, n1)
			}
		}
	}
}

// TestBaseInputs checks that the sources of generic functions are recorded as inputs of every
// program that needs them. Sources of other packages of the base are inputs of no program.
func TestBaseInputs(t *testing.T) {
	b := openBase(t)
	for range 2 {
		in := &filetree.Inputs{}
		loadOn(t, "-- main.go --\npackage main\nimport (\"fmt\"; \"slices\")\nfunc main() { fmt.Println(slices.Max([]int{1})) }\n", Options{Base: b, Inputs: in})
		var names []string
		for _, i := range in.List() {
			names = append(names, i.Name)
			if strings.HasSuffix(i.Name, "/fmt/print.go") {
				t.Errorf("%s was read", i.Name)
			}
		}
		if !slices.ContainsFunc(names, func(s string) bool { return strings.HasSuffix(s, "/src/slices/sort.go") }) {
			t.Errorf("package slices is not among the inputs: %v", names)
		}
	}
}

// TestBaseFromWhole checks that no base is made from a pruned program, or from one with packages of
// the user.
func TestBaseFromWhole(t *testing.T) {
	const prog = "-- main.go --\npackage main\nfunc main() {}\n"
	if _, err := loadOn(t, prog, Options{}).BaseTypes(); err == nil {
		t.Error("a base of a pruned program")
	}
	if _, err := loadOn(t, "-- go.mod --\nmodule m\n-- main.go --\npackage main\nimport _ \"m/x\"\nfunc main() {}\n-- x/x.go --\npackage x\n", Options{NoPrune: true}).BaseTypes(); err == nil {
		t.Error("a base with a package of the user")
	}
}

// TestBaseDamaged opens bases with damaged bytes.
func TestBaseDamaged(t *testing.T) {
	blob, err := baseBlob()
	if err != nil {
		t.Fatal(err)
	}
	index := int(binary.LittleEndian.Uint32(blob[len(baseMark):]))
	head := len(baseMark) + 8
	for n := range len(blob) {
		if n > head+100 && n%1999 != 0 {
			continue
		}
		if _, err := OpenBase(nil, blob[:n], nil, nil); err == nil {
			t.Errorf("a base of %d bytes of %d", n, len(blob))
		}
	}
	if _, err := OpenBase(nil, append(slices.Clone(blob), 0), nil, nil); err == nil {
		t.Error("a base with a byte too many")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		bad := slices.Clone(blob[:head+index])
		for range 1 + rng.IntN(3) {
			bad[head+rng.IntN(index)] = byte(rng.Uint32())
		}
		if _, err := OpenBase(nil, append(bad, blob[head+index:]...), nil, nil); err == nil && !bytes.Equal(bad, blob[:head+index]) {
			t.Error("a damaged index was not found")
		}
		// With the right checksum it may even be a valid base.
		binary.LittleEndian.PutUint32(bad[len(baseMark)+4:], crc32.Checksum(bad[head:], castagnoli()))
		OpenBase(nil, append(bad, blob[head+index:]...), nil, nil)
	}
	// Damaged export data is found when it is read: the program is loaded without the base.
	bad := slices.Clone(blob)
	bad[len(bad)-1] ^= 1
	for i := head + index; i < len(bad); i += 100 {
		bad[i] ^= 0x55
	}
	b, err := OpenBase(nil, bad, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(t.Context(), Options{FS: files("-- main.go --\npackage main\nimport \"fmt\"\nfunc main() { fmt.Println() }\n"), Base: b})
	if err != nil || p.OnBase || b.err == nil {
		t.Errorf("loaded on a damaged base, error %v", err)
	}
}

// FuzzBase opens bases made of arbitrary bytes.
//
//fuzz:runs 200
func FuzzBase(f *testing.F) {
	p, err := loadText("-- main.go --\npackage main\nfunc main() {}\n", Options{NoPrune: true})
	if err != nil {
		f.Fatal(err)
	}
	blob, err := p.BaseTypes() // with little in it
	if err != nil {
		f.Fatal(err)
	}
	size := binary.LittleEndian.Uint32(blob[len(baseMark):])
	index, data := blob[len(baseMark)+8:][:size], blob[len(baseMark)+8+int(size):]
	f.Add(index)
	f.Fuzz(func(t *testing.T, index []byte) {
		blob := binary.LittleEndian.AppendUint32([]byte(baseMark), uint32(len(index)))
		blob = binary.LittleEndian.AppendUint32(blob, crc32.Checksum(index, castagnoli()))
		OpenBase(nil, slices.Concat(blob, index, data), nil, nil)
	})
}

// BenchmarkBaseHello loads a program that prints, on a base that was read before.
func BenchmarkBaseHello(b *testing.B) {
	base := openBase(b)
	fsys := files("-- main.go --\npackage main\nimport \"fmt\"\nfunc main() { fmt.Println(\"hello\") }\n")
	loadOn(b, "", Options{FS: fsys, Base: base})
	for b.Loop() {
		loadOn(b, "", Options{FS: fsys, Base: base})
	}
}

// sourceName returns the name of a declared function in the source, "path.name", "path.T.name" or
// "path.(*T).name", whatever its link symbol is. An instance has the name of its generic function.
func sourceName(fn *ssa.Function) string {
	obj := declared(fn)
	if obj == nil || obj.Pkg() == nil {
		return fn.String()
	}
	return defaultSymbol(obj)
}
