package risk

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// globalState: a function writes to a package-level variable. The next call finds what one call
// leaves there, so the second iteration of a benchmark may do less than the first.
func globalState(f *function) (list []hit) {
	p := f.pkg
	if f.Recv == nil && f.Name.Name == "init" {
		return nil // it runs once, before all calls: start-work covers it
	}
	params := map[types.Object]bool{}
	for _, o := range f.operandObjects() {
		if o != nil {
			params[o] = true
		}
	}
	seen := map[string]bool{}
	report := func(at ast.Node, v *types.Var, key ast.Expr) {
		place := fmt.Sprint(at.Pos(), v.Name())
		if seen[place] {
			return
		}
		seen[place] = true
		if key != nil && f.derives(key, params) {
			list = append(list, p.hitAt(at, "%s is a cache that outlives the call, keyed by its input", v.Name()))
		} else {
			list = append(list, p.hitAt(at, "%s outlives the call, which writes to it", v.Name()))
		}
		list[len(list)-1].state = v.Name()
	}
	for _, w := range f.writes() {
		report(w.at, w.to, w.key)
	}
	return list
}

// indexOf is the key of an index expression.
func indexOf(e ast.Expr) ast.Expr {
	if ix, ok := ast.Unparen(e).(*ast.IndexExpr); ok {
		return ix.Index
	}
	return nil
}

// derives reports whether an expression is computed from one of the variables, perhaps through
// others.
func (f *function) derives(e ast.Expr, from map[types.Object]bool) bool {
	p := f.pkg
	known := map[types.Object]bool{}
	for o := range from {
		known[o] = true
	}
	uses := func(e ast.Node) bool {
		found := false
		ast.Inspect(e, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && known[p.object(id)] {
				found = true
			}
			return !found
		})
		return found
	}
	for n := -1; n != len(known); {
		n = len(known)
		ast.Inspect(f.Body, func(m ast.Node) bool {
			if a, ok := m.(*ast.AssignStmt); ok {
				for i, lhs := range a.Lhs {
					if len(a.Rhs) == 0 {
						break // it did not parse
					}
					rhs := a.Rhs[min(i, len(a.Rhs)-1)]
					if o := p.root(lhs); o != nil && uses(rhs) {
						known[o] = true
					}
				}
			}
			return true
		})
	}
	return uses(e)
}

// keptByClosure: a function literal that outlives the call, or that a variable of the package holds,
// writes to a variable around it.
func keptByClosure(p *pkg, files []string) (list []hit) {
	examine := func(e ast.Node, outer ast.Node) {
		ast.Inspect(e, func(n ast.Node) bool {
			lit, ok := n.(*ast.FuncLit)
			if !ok {
				return true
			}
			for _, w := range p.captured(lit, outer) {
				list = append(list, p.hitAt(w.at, "%s outlives the call of a function literal, which writes to it", w.to.Name()))
			}
			return true
		})
	}
	for _, full := range slices.Sorted(maps.Keys(p.files)) {
		if !slices.Contains(files, full) {
			continue
		}
		for _, d := range p.files[full].Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				examine(d, d)
			case *ast.FuncDecl:
				if d.Body == nil {
					continue
				}
				inspectOwn(d.Body, func(n ast.Node) {
					if ret, ok := n.(*ast.ReturnStmt); ok {
						for _, e := range ret.Results {
							examine(e, d.Body)
						}
					}
				})
			}
		}
	}
	return list
}

// memoField: a method keeps its result in the receiver and returns it the next time. That is right
// only as long as nothing that it depends on changes, and free only for a benchmark that asks
// twice.
func memoField(f *function) (list []hit) {
	p := f.pkg
	recv := f.operandObjects()[0]
	if recv == nil {
		return nil
	}
	returned := map[string]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		i, ok := n.(*ast.IfStmt)
		if !ok {
			return true
		}
		for _, stmt := range i.Body.List {
			if ret, ok := stmt.(*ast.ReturnStmt); ok {
				for _, e := range ret.Results {
					ast.Inspect(e, func(m ast.Node) bool {
						if sel, ok := m.(*ast.SelectorExpr); ok && p.root(sel) == recv {
							returned[p.expr(sel)] = true
						}
						return true
					})
				}
			}
		}
		return true
	})
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, lhs := range a.Lhs {
				if text := p.expr(lhs); returned[text] {
					list = append(list, p.hitAt(a, "%s keeps the result for the next call", text))
				}
			}
		}
		return true
	})
	return list
}

// tuning are functions that change how the process runs, and so its measurements, but not what it
// computes.
var tuning = []string{
	"runtime.GC", "runtime.GOMAXPROCS", "runtime.LockOSThread", "runtime.SetFinalizer", "runtime.MemProfileRate",
	"runtime.ReadMemStats",
	"runtime/debug.SetGCPercent", "runtime/debug.SetMemoryLimit", "runtime/debug.FreeOSMemory",
	"runtime/debug.SetMaxStack", "runtime/debug.SetMaxThreads",
	"os.Setenv", "syscall.Setrlimit", "syscall.Setpriority", "os.Exit",
}

// runtimeTuning: a call of one of them.
func runtimeTuning(f *function) (list []hit) {
	p := f.pkg
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			name := p.calledFunction(call)
			if name == "runtime.GOMAXPROCS" && len(call.Args) == 1 && p.expr(call.Args[0]) == "0" {
				return true // only a query
			}
			if slices.Contains(tuning, name) {
				list = append(list, p.hitAt(call, "%s changes how the process runs", p.expr(call.Fun)))
			}
		}
		return true
	})
	return list
}

// startWork: work at the program's start is not measured.
func startWork(p *pkg, files []string) (list []hit) {
	for _, full := range slices.Sorted(maps.Keys(p.files)) {
		if !slices.Contains(files, full) {
			continue
		}
		for _, d := range p.files[full].Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" && d.Body != nil {
					h := p.hitAt(d.Name, "an init function works before anything is measured")
					h.where = p.format(d.Body)
					list = append(list, h)
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, spec := range d.Specs {
					v := spec.(*ast.ValueSpec)
					for _, e := range v.Values {
						if work := p.worksAtStart(e); work != "" {
							list = append(list, p.hitAt(e, "%s is made by %s before anything is measured", v.Names[0].Name, work))
						}
					}
				}
			}
		}
	}
	return list
}

// worksAtStart is the function of the package, or the literal, that makes a variable's value, or
// empty.
func (p *pkg) worksAtStart(e ast.Expr) string {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return ""
	}
	if isFuncLit(ast.Unparen(call.Fun)) {
		return "a function"
	}
	if fn := p.local(call); fn != nil && !strings.HasPrefix(fn.Name(), "New") && !strings.HasPrefix(fn.Name(), "new") {
		return fn.Name()
	}
	return ""
}
