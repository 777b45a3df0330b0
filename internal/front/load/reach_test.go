package load

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"
)

// allFunctions returns all functions of a program's packages, their methods,
// closures and the functions they mention.
func allFunctions(p *Packages) map[*ssa.Function]bool {
	r := &reacher{p: p, seen: map[*ssa.Function]bool{}}
	for _, pkg := range p.Packages {
		for _, m := range pkg.SSA.Members {
			switch m := m.(type) {
			case *ssa.Function:
				r.mark(m)
			case *ssa.Type:
				if named, ok := m.Type().(*types.Named); ok {
					for f := range named.Methods() {
						r.mark(p.SSA.FuncValue(f))
					}
				}
			}
		}
	}
	r.run()
	return r.seen
}

// A reacher computes which functions a program can reach: the functions that reached code mentions.
// If rta is set, it uses rapid type analysis, which adds the methods that reached code calls
// through interfaces on types that it converts to an interface.
type reacher struct {
	p     *Packages
	seen  map[*ssa.Function]bool
	queue []*ssa.Function
	rta   bool

	types   typeutil.Map           // types converted to an interface, and the parts of such types
	values  []types.Type           // the types among them with methods
	invoked map[string]*types.Func // by method id
	reflect bool
}

func reachable(p *Packages) map[*ssa.Function]bool {
	r := &reacher{p: p, seen: map[*ssa.Function]bool{}, rta: true, invoked: map[string]*types.Func{}}
	for _, pkg := range p.Packages {
		if pkg.SSA != nil {
			r.mark(pkg.SSA.Func("init"))
		}
	}
	r.mark(p.Main.Func("main"))
	r.run()
	return r.seen
}

func (r *reacher) mark(fn *ssa.Function) {
	if fn != nil && !r.seen[fn] {
		r.seen[fn] = true
		r.queue = append(r.queue, fn)
	}
}

func (r *reacher) run() {
	for len(r.queue) > 0 {
		fn := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		if fn.TypeParams().Len() > len(fn.TypeArgs()) {
			continue // the generic function itself
		}
		if fn.Blocks == nil {
			r.mark(r.p.Resolve(fn))
		}
		if !r.rta {
			for _, a := range fn.AnonFuncs {
				r.mark(a)
			}
		}
		if s := fn.String(); strings.HasPrefix(s, "(reflect.Value).Method") || strings.HasPrefix(s, "(*reflect.rtype).Method") {
			r.reflected()
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				r.instr(instr)
			}
		}
	}
}

func (r *reacher) instr(instr ssa.Instruction) {
	var ops [16]*ssa.Value
	for _, op := range instr.Operands(ops[:0]) {
		if fn, ok := (*op).(*ssa.Function); ok {
			r.mark(fn)
		}
	}
	if !r.rta {
		return
	}
	if m, ok := instr.(*ssa.MakeInterface); ok {
		r.runtimeType(m.X.Type())
	}
	if c, ok := instr.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
		m := c.Common().Method
		if r.invoked[m.Id()] == nil {
			r.invoked[m.Id()] = m
			for _, t := range r.values {
				r.method(t, m.Id())
			}
		}
	}
}

func (r *reacher) method(t types.Type, id string) {
	ms := r.p.SSA.MethodSets.MethodSet(t)
	for sel := range ms.Methods() {
		if sel.Obj().Id() == id {
			r.mark(r.p.SSA.MethodValue(sel))
		}
	}
}

// runtimeType records that a type has a descriptor, and so do the types that reflection gets from
// it.
func (r *reacher) runtimeType(t types.Type) {
	if r.types.At(t) != nil {
		return
	}
	r.types.Set(t, true)
	if !types.IsInterface(t) {
		if ms := r.p.SSA.MethodSets.MethodSet(t); ms.Len() > 0 {
			r.values = append(r.values, t)
			for sel := range ms.Methods() {
				if r.invoked[sel.Obj().Id()] != nil || r.reflect && sel.Obj().Exported() {
					r.mark(r.p.SSA.MethodValue(sel))
				}
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		r.runtimeType(u.Elem())
	case *types.Slice:
		r.runtimeType(u.Elem())
	case *types.Array:
		r.runtimeType(u.Elem())
	case *types.Chan:
		r.runtimeType(u.Elem())
	case *types.Map:
		r.runtimeType(u.Key())
		r.runtimeType(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			r.runtimeType(f.Type())
		}
	case *types.Signature:
		for v := range u.Params().Variables() {
			r.runtimeType(v.Type())
		}
		for v := range u.Results().Variables() {
			r.runtimeType(v.Type())
		}
	}
	if named, ok := t.(*types.Named); ok {
		r.runtimeType(types.NewPointer(named))
	}
}

func (r *reacher) reflected() {
	if r.reflect || !r.rta {
		return
	}
	r.reflect = true
	for _, t := range r.values {
		for sel := range r.p.SSA.MethodSets.MethodSet(t).Methods() {
			if sel.Obj().Exported() {
				r.mark(r.p.SSA.MethodValue(sel))
			}
		}
	}
}

func names(set map[*ssa.Function]bool) []string {
	var out []string
	for fn := range set {
		out = append(out, fn.String())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestPruning checks that pruning removes nothing that a program can reach: the reachable functions
// are the same with and without it, and all have their bodies.
func TestPruning(t *testing.T) {
	programs := map[string]string{
		"hello":    `import "fmt"; func main() { fmt.Println("hello") }`,
		"json":     `import ("encoding/json"; "os"); type T struct{ A int; B map[string][]any }; func main() { json.NewEncoder(os.Stdout).Encode(T{}); json.Unmarshal(nil, &T{}) }`,
		"template": `import ("os"; "text/template"); func main() { template.Must(template.New("").Parse("{{.}}")).Execute(os.Stdout, 1) }`,
		"misc": `import ("bufio"; "container/heap"; "context"; "crypto/sha256"; "errors"; "io"; "maps"; "math/big"; "math/rand/v2"; "os"; "regexp"; "slices"; "sort"; "strconv"; "sync"; "sync/atomic"; "time"; "unique"; "iter")
			type h struct{ sort.IntSlice }
			func (*h) Push(any) {}
			func (*h) Pop() any { return 1 }
			func main() {
				heap.Init(&h{})
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				<-ctx.Done()
				sha256.New().Write(nil)
				_ = errors.Join(io.EOF, ctx.Err())
				m := map[string]int{"a": 1}
				k := slices.Sorted(maps.Keys(m))
				new(big.Int).Exp(big.NewInt(3), big.NewInt(rand.Int64()), nil).String()
				_ = regexp.MustCompile("a+").FindAllString(k[0], -1)
				var once sync.Once
				once.Do(func() {})
				var n atomic.Int64
				n.Add(int64(len(strconv.Quote(unique.Make("x").Value()))))
				next, stop := iter.Pull(slices.Values(k))
				next()
				stop()
				s := bufio.NewScanner(os.Stdin)
				for s.Scan() { io.Copy(os.Stdout, os.Stdin) }
			}`,
		"reflect": `import "reflect"; type T int; func (T) M() {}; func main() { println(reflect.ValueOf(T(1)).MethodByName("M").IsValid()) }`,
	}
	for name, src := range programs {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "hello" {
				t.Skip("two loads")
			}
			load := func(cfg Options) *Packages {
				cfg.cacheOverlay = true
				cfg.Patterns = []string{"main.go"}
				return mustLoad(t, "-- main.go --\npackage main\n"+src, cfg)
			}
			keep := []string{} // the program itself is the only root
			full := names(reachable(load(Options{NoPrune: true, KeepNames: keep})))
			pruned := load(Options{KeepNames: keep, keepVars: true})
			set := reachable(pruned)
			for fn := range set {
				if pruned.Pruned(fn) {
					t.Errorf("%s is reachable, but was pruned", fn)
				}
			}
			compare(t, full, names(set))
			if name == "template" {
				return // this program takes a fourth of the time of all
			}
			// When unmentioned variables are removed too, fewer functions are reachable, and each
			// of them has its body.
			pruned = load(Options{KeepNames: keep})
			for fn := range reachable(pruned) {
				if pruned.Pruned(fn) {
					t.Errorf("%s is reachable, but was pruned", fn)
				}
				if _, ok := slices.BinarySearch(full, fn.String()); !ok {
					t.Errorf("%s is reachable only with pruning", fn)
				}
			}
		})
	}
}

func compare(t *testing.T, full, pruned []string) {
	t.Helper()
	n := 0
	for _, s := range full {
		if _, ok := slices.BinarySearch(pruned, s); !ok && n < 10 {
			t.Errorf("lost: %s", s)
			n++
		}
	}
	for _, s := range pruned {
		if _, ok := slices.BinarySearch(full, s); !ok && n < 10 {
			t.Errorf("new: %s", s)
			n++
		}
	}
	t.Logf("%d functions", len(full))
}

// TestEngineOverlay loads with the engine's own packages.
func TestEngineOverlay(t *testing.T) {
	p, err := Load(t.Context(), Options{FS: files("-- main.go --\npackage main\nimport \"fmt\"\nfunc main() { fmt.Println() }\n")})
	if err != nil {
		t.Fatal(err)
	}
	for fn := range reachable(p) {
		if p.Pruned(fn) {
			t.Errorf("%s is reachable, but was pruned", fn)
		}
	}
}
