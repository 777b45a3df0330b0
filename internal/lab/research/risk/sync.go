package risk

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// locking are the methods that take a lock.
var locking = []string{"Lock", "RLock", "TryLock", "TryRLock"}

// removedLock: a function takes fewer locks than before, or does fewer atomic operations.
func removedLock(old, f *function) (list []hit) {
	before, now := old.synced(), f.synced()
	for _, text := range slices.Sorted(maps.Keys(before)) {
		if now[text] < before[text] {
			list = append(list, f.pkg.hitAt(f.Name, "%s has lost %s", f.key, text))
		}
	}
	return list
}

// synced counts a function's calls of locks and atomic operations, by their text.
func (f *function) synced() map[string]int {
	p := f.pkg
	m := map[string]int{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		path, name := p.called(call)
		switch {
		case slices.Contains(locking, name) && (path == "sync" || path == "" || strings.HasSuffix(path, "sync")):
			m[p.expr(call.Fun)]++
		case path == "sync/atomic":
			text := p.expr(call.Fun)
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && p.info.Selections[sel] == nil && len(call.Args) > 0 {
				text += " of " + p.expr(call.Args[0])
			}
			m[text]++
		}
		return true
	})
	return m
}

// removedLockField: a struct or the package has lost a variable of package sync.
func removedLockField(c *change) (list []hit) {
	now := c.new.syncVars()
	for _, name := range slices.Sorted(maps.Keys(c.old.syncVars())) {
		if now[name] != "" {
			continue
		}
		what := c.old.syncVars()[name]
		if what == "sync.Pool" {
			continue
		}
		owner, _, _ := strings.Cut(name, ".")
		if at := c.new.declaration(owner); at != nil {
			list = append(list, hit{pos: at.Pos(), where: name, text: name + ", a " + what + ", is gone"})
		}
	}
	return list
}

// syncVars are the fields and global variables whose type is of sync or sync/atomic, by name.
func (p *pkg) syncVars() map[string]string {
	m := map[string]string{}
	note := func(name string, t ast.Expr) {
		if t == nil {
			return
		}
		text := strings.TrimPrefix(p.expr(t), "*")
		if strings.HasPrefix(text, "sync.") || strings.HasPrefix(text, "atomic.") {
			m[name] = text
		}
	}
	for _, file := range p.files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						note(id.Name, spec.Type)
					}
				case *ast.TypeSpec:
					st, ok := spec.Type.(*ast.StructType)
					if !ok {
						continue
					}
					for _, field := range st.Fields.List {
						for _, id := range field.Names {
							note(spec.Name.Name+"."+id.Name, field.Type)
						}
						if len(field.Names) == 0 {
							note(spec.Name.Name+"."+p.expr(field.Type), field.Type)
						}
					}
				}
			}
		}
	}
	return m
}

// declaration is the place where a type is declared. For a variable that is gone it is the
// package's first file. Nil if the type is gone too.
func (p *pkg) declaration(name string) ast.Node {
	for _, full := range slices.Sorted(maps.Keys(p.files)) {
		for _, d := range p.files[full].Decls {
			if g, ok := d.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
						return t
					}
				}
			}
		}
	}
	if p.types != nil && p.types.Scope().Lookup(name) != nil {
		return nil
	}
	for _, full := range slices.Sorted(maps.Keys(p.files)) {
		return p.files[full].Name
	}
	return nil
}

// newGoroutine: another goroutine does work, and may outlive the measurement.
func newGoroutine(f *function) (list []hit) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok {
			list = append(list, f.pkg.hitAt(g, "a goroutine is started, whose work may fall outside of what is measured"))
		}
		return true
	})
	return list
}

// pkgVar is the package-level variable at which an expression starts, or nil.
func (p *pkg) pkgVar(e ast.Expr) *types.Var {
	v, ok := p.root(e).(*types.Var)
	if !ok || !p.global(v) {
		return nil
	}
	return v
}
