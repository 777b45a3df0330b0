package lower

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/layout"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/ir"
)

// A Plan has the numbers of a program's functions and the layout of its memory, so that a later
// version of the program can be lowered for the same memory ([Successor]). It is immutable.
type Plan struct {
	Layout *layout.Plan
	Funcs  []PlannedFunc

	// These are the module's: only a plan that With returned has them.
	first int // number of the first function
	sites []ir.Site
	files []string
}

// With returns the plan with the tables of its module, as optimisation left it. They have been
// loaded.
func (p *Plan) With(m *ir.Module) *Plan {
	return &Plan{Layout: p.Layout.With(m), Funcs: p.Funcs, first: m.FirstOwn(), sites: clip(m.Sites), files: clip(m.Files)}
}

// A PlannedFunc is a function of a plan.
type PlannedFunc struct {
	Key   string // distinguishes functions, as far as their declarations do
	Index int32
	// Declared says that the source names the function: another version's function with this name
	// replaces it. Others, such as function literals, are numbered.
	Declared bool
}

// planner is the lowerer's state about the plan that it follows and the plan that it makes.
type planner struct {
	noting bool
	plan   *Plan
	free   map[string][]int32 // numbers of unclaimed functions
	made   map[int32]*ir.Func // the plan's functions that are not claimed yet
	funcs  []PlannedFunc
}

// Successor is Program for a program whose instances may continue from states of an earlier
// version. Before is that version's plan with its tables, or nil. Successor returns the program's own
// plan.
func Successor(p *load.Packages, base *Base, before *Plan) (*ir.Module, *Plan, error) {
	l := newLowerer(p)
	l.planner.noting = true
	l.lay.Note()
	if base != nil {
		if err := l.continues(base); err != nil {
			return nil, nil, err
		}
		l.lay.Note()
		if before != nil && before.first == l.m.FirstOwn() {
			l.follow(before)
		}
	}
	m, err := l.module(nil)
	if err != nil {
		return nil, nil, err
	}
	return m, &Plan{Layout: l.lay.Plan(), Funcs: l.planner.funcs}, nil
}

// follow makes the lowerer follow a plan. The lowerer continues the plan's base and has done
// nothing else yet.
func (l *lowerer) follow(before *Plan) {
	l.lay.Follow(before.Layout)
	pl := &l.planner
	pl.plan, pl.free, pl.made = before, map[string][]int32{}, map[int32]*ir.Func{}
	for _, f := range before.Funcs {
		pl.free[f.Key] = append(pl.free[f.Key], f.Index)
		made := &ir.Func{}
		l.m.AddFunc(made) // in the order of their numbers
		pl.made[f.Index] = made
	}
	// Program counters in memory must still name the same places.
	l.m.Sites, l.m.Files = clip(before.sites), clip(before.files)
	for i, name := range l.m.Files {
		if _, ok := l.files[name]; !ok {
			l.files[name] = int32(i)
		}
	}
}

// planFunc returns a function with a key and the attributes that newFunc takes. It has the plan's
// number for the key, or a new number.
func (l *lowerer) planFunc(key, name string, sig ir.Sig, flags ir.FuncFlags, declared bool) *ir.Func {
	pl := &l.planner
	var f *ir.Func
	if list := pl.free[key]; len(list) > 0 {
		pl.free[key] = list[1:]
		f = pl.made[list[0]]
		delete(pl.made, list[0])
		f.Name, f.Sig, f.Flags = name, sig, flags
	} else {
		f = &ir.Func{Name: name, Sig: sig, Flags: flags}
		l.m.AddFunc(f)
	}
	if pl.noting {
		pl.funcs = append(pl.funcs, PlannedFunc{key, f.Index, declared})
	}
	return f
}

// callOfRemoved begins the message of a program that calls a function which only its last version
// had.
const callOfRemoved = "call of a function that was removed: "

// finishPlan gives the unclaimed functions of the plan a body that ends the program.
func (l *lowerer) finishPlan() {
	pl := &l.planner
	if pl.plan == nil {
		return
	}
	for _, x := range pl.plan.Funcs {
		if f := pl.made[x.Index]; f != nil {
			f.Name, f.Flags = "runtime.removed", ir.NoInline|ir.AnySignature
			l.endingBody(f, callOfRemoved)
			pl.funcs = append(pl.funcs, PlannedFunc{"", x.Index, false}) // unclaimed from now on
		}
	}
	slices.SortFunc(pl.funcs, func(a, b PlannedFunc) int { return int(a.Index) - int(b.Index) })
}

// planKey returns a key that distinguishes the functions of go/ssa. It does not depend on names
// that the segment's builder makes.
func (l *lowerer) planKey(fn *ssa.Function) (key string, declared bool) {
	if !l.planner.noting {
		return "", false
	}
	outer := fn
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	var b strings.Builder
	b.WriteString(l.nameOf(fn))
	b.WriteString("|" + fn.Synthetic)
	if recv := outer.Signature.Recv(); recv != nil {
		b.WriteString("|" + types.TypeString(recv.Type(), nil))
	}
	for _, arg := range outer.TypeArgs() {
		b.WriteString("|" + types.TypeString(arg, nil))
	}
	b.WriteString("|" + types.TypeString(fn.Signature, nil))
	declared = fn.Parent() == nil && len(fn.FreeVars) == 0 && (fn.Synthetic == "" || len(fn.TypeArgs()) > 0)
	return b.String(), declared
}

// describe returns a description of a library's variables and types, to compare two of its
// versions. Its sorted lines are "var NAME TYPE" and "type NAME TYPE". Each field of a struct is on
// a line of its own that begins with a tab.
func (l *lowerer) describe() string {
	var lines []string
	own := func(p *types.Package) bool { return l.prog.StdPath(p) == "" }
	list := append(l.lay.Described(), l.captures...)
	for g := range l.globals {
		if g.Pkg == nil || !own(g.Pkg.Pkg) || strings.ContainsAny(g.Name(), "$·") {
			continue
		}
		t := g.Type().Underlying().(*types.Pointer).Elem()
		list = append(list, t)
		lines = append(lines, "var "+g.String()+" "+l.lay.LinkString(t))
	}
	for name, text := range l.lay.Describe(list, own) {
		lines = append(lines, "type "+name+" "+text)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
