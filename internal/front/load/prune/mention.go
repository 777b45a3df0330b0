package prune

import (
	"go/ast"
	"go/token"
)

// importNames returns the packages that the import names of a file refer to.
func (pr *Pruner) importNames(p *Package, f *File) map[string]*Package {
	m := pr.imports[f]
	if m != nil {
		return m
	}
	m = map[string]*Package{}
	for _, s := range f.AST.Imports {
		q := p.Imports[s.Path.Value[1:len(s.Path.Value)-1]]
		if q == nil {
			continue
		}
		if s.Name != nil {
			m[s.Name.Name] = q
		} else {
			m[q.Name] = q
		}
	}
	pr.imports[f] = m
	return m
}

// scan marks everything that a declaration mentions.
func (pr *Pruner) scan(p *Package, f *File, decl ast.Node) {
	imports := pr.importNames(p, f)
	scope := pr.scopes[p]
	var locals map[string]bool // import names that the declaration also declares as something else
	switch decl.(type) {
	case *ast.FuncDecl, *ast.ValueSpec, *ast.GenDecl:
		locals = shadows(decl, imports)
	}
	fieldsOnly := p.Std && descriptorCode[p.Path]
	var called *ast.SelectorExpr
	var inspect func(n ast.Node) bool
	inspect = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called, _ = n.Fun.(*ast.SelectorExpr)
		case *ast.Ident:
			for _, m := range scope[n.Name] {
				pr.mark(m)
			}
			if f.Dot {
				for _, s := range f.AST.Imports {
					if s.Name != nil && s.Name.Name == "." {
						if q := p.Imports[s.Path.Value[1:len(s.Path.Value)-1]]; q != nil {
							pr.qualified(q, n.Name)
						}
					}
				}
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if q := imports[x.Name]; q != nil {
					pr.qualified(q, n.Sel.Name)
					if !locals[x.Name] {
						return false
					}
				}
			}
			switch name := n.Sel.Name; {
			case fieldsOnly && name == "Method" && n != called:
			case fieldsOnly && name == "Methods":
				pr.symbol("internal/abi.(*UncommonType).Methods")
			default:
				pr.selector(name)
			}
			ast.Inspect(n.X, inspect)
			return false
		case *ast.InterfaceType:
			// The names of methods that an interface declares are not calls.
			for _, m := range n.Methods.List {
				ast.Inspect(m.Type, inspect)
			}
			return false
		case *ast.StructType:
			for _, m := range n.Fields.List {
				ast.Inspect(m.Type, inspect)
			}
			return false
		case *ast.FuncDecl:
			if n.Recv != nil {
				ast.Inspect(n.Recv, inspect)
			}
			ast.Inspect(n.Type, inspect)
			if n.Body != nil {
				ast.Inspect(n.Body, inspect)
			}
			return false
		case *ast.ImportSpec:
			return false
		}
		return true
	}
	ast.Inspect(decl, inspect)
}

// descriptorCode lists packages in which Method is a field (of type descriptors and of
// reflect.ValueError) and is not called, and Methods is a field or method of descriptors. Counting
// these as uses of reflection would keep half of every program.
var descriptorCode = map[string]bool{
	"internal/abi":          true,
	"internal/reflectlite":  true,
	"internal/runtime/maps": true,
	"reflect":               true,
	"runtime":               true,
}

// qualified marks the declarations that a qualified identifier may name.
func (pr *Pruner) qualified(p *Package, name string) {
	for _, n := range pr.scopes[p][name] {
		pr.mark(n)
	}
}

// selector marks the methods that a selector may call.
func (pr *Pruner) selector(name string) {
	if pr.selected[name] {
		return
	}
	pr.selected[name] = true
	for _, m := range pr.methods[name] {
		if m.recv == nil || m.recv.live {
			pr.mark(m)
		}
	}
	if (name == "Method" || name == "MethodByName") && !pr.reflect {
		pr.reflection()
	}
}

// reflection keeps all exported methods of live types.
func (pr *Pruner) reflection() {
	pr.reflect = true
	for name, list := range pr.methods {
		if !ast.IsExported(name) {
			continue
		}
		for _, m := range list {
			if m.recv == nil || m.recv.live {
				pr.mark(m)
			}
		}
	}
}

// shadows returns the import names that a declaration also declares as something else. In that
// declaration a selector on such a name need not be a qualified identifier.
func shadows(decl ast.Node, imports map[string]*Package) map[string]bool {
	if len(imports) == 0 {
		return nil
	}
	var m map[string]bool
	declare := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok && imports[id.Name] != nil {
			if m == nil {
				m = map[string]bool{}
			}
			m[id.Name] = true
		}
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				declare(id)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					declare(e)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				declare(n.Key)
				if n.Value != nil {
					declare(n.Value)
				}
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				declare(id)
			}
		case *ast.TypeSpec:
			declare(n.Name)
		}
		return true
	})
	return m
}
