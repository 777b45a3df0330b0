package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Pruning. Type-checking and building SSA for all bodies of the packages that
// a program imports would take four times as long as it needs. So before that,
// names alone decide which functions of the standard library may be reached,
// and the bodies of the others are dropped; types, constants and signatures
// stay.
//
// The decision must err on the side of keeping:
//
//   - A function is kept if live code mentions its name: as a plain identifier
//     in its own package (or under a dot import), or qualified by an identifier
//     that may be the name of an import of its package.
//   - A method is kept if its receiver's type is live and live code has a
//     selector with the method's name. A value of a type comes into being only
//     where live code, or the declaration of something live, mentions the type;
//     a method is called only where a selector names it. The exception is
//     reflection: as soon as live code selects Method or MethodByName on
//     something that is not a package, all exported methods of live types are
//     kept.
//   - A live function without body keeps the functions with its link symbol, and
//     the function that it pulls.
//   - Everything outside the standard library, all init functions, all tests
//     and all variables whose initialisation can have an effect are live from
//     the start, and so is what Config.KeepNames names.
//
// A package-level variable of the standard library that no live code mentions,
// and whose initialiser has no effect, is removed: most of package unicode.

// A node is a declaration that can be dead.
type node struct {
	p    *pkg
	f    *file
	live bool
	decl ast.Node // *ast.FuncDecl, or the *ast.GenDecl or ast.Spec of consts, types, vars

	name    string
	fn      *ast.FuncDecl
	recv    *node // of a method: the node of its type, nil if unknown
	methods []*node
	pure    bool // of variables: their initialisation has no effect
	drop    bool // and it must go with them if they are dead, since it mentions something
}

// A pruner finds the live declarations.
type pruner struct {
	l       *loader
	order   []*pkg
	scopes  map[*pkg]map[string][]*node // package-level names
	all     []*node
	methods map[string][]*node
	symbols map[string][]*node // functions and variables by linkname target
	pulls   map[*node][]string // targets of functions without body
	nodes   map[ast.Node]*node

	selected map[string]bool // selectors in live code
	reflect  bool            // Method or MethodByName is among them
	queue    []*node

	imports map[*file]map[string]*pkg
}

// prune decides for all packages. The result is asked by keep.
func prune(l *loader, order []*pkg, main *pkg) *pruner {
	pr := &pruner{
		l: l, order: order,
		scopes:   map[*pkg]map[string][]*node{},
		methods:  map[string][]*node{},
		symbols:  map[string][]*node{},
		pulls:    map[*node][]string{},
		nodes:    map[ast.Node]*node{},
		selected: map[string]bool{},
		imports:  map[*file]map[string]*pkg{},
	}
	if l.cfg.NoPrune {
		return pr
	}
	for _, p := range order {
		if p.prunable() {
			pr.collect(p)
		}
	}
	for _, p := range order {
		if p.prunable() {
			pr.linknames(p)
		}
	}
	// Roots.
	for _, p := range order {
		if !p.prunable() {
			for _, f := range p.files {
				for _, d := range f.ast.Decls {
					pr.scan(p, f, d)
				}
			}
			continue
		}
		for _, f := range p.files {
			isTest := p.test && strings.HasSuffix(f.name, "_test.go")
			for _, d := range f.ast.Decls {
				if isTest {
					pr.scan(p, f, d)
				}
			}
		}
	}
	for _, n := range pr.all {
		isVar := false
		if s, ok := n.decl.(*ast.ValueSpec); ok {
			_ = s
			isVar = true
		}
		switch {
		case n.fn != nil && n.fn.Recv == nil && (n.name == "init" || n.name == "_"),
			n.p.test && strings.HasSuffix(n.f.name, "_test.go"),
			isVar && !n.pure:
			pr.mark(n)
		}
	}
	for _, k := range l.cfg.KeepNames {
		pr.keepSymbol(k)
	}
	for len(pr.queue) > 0 {
		n := pr.queue[len(pr.queue)-1]
		pr.queue = pr.queue[:len(pr.queue)-1]
		pr.visit(n)
	}
	pr.needed()
	return pr
}

// prunable reports whether a package's declarations may be dropped.
func (p *pkg) prunable() bool { return p.std && !p.generated }

// collect makes the nodes of a package.
func (pr *pruner) collect(p *pkg) {
	scope := map[string][]*node{}
	pr.scopes[p] = scope
	add := func(n *node, name string) {
		if name != "_" {
			scope[name] = append(scope[name], n)
		}
	}
	var methods []*node
	for _, f := range p.files {
		embed := hasEmbed(f)
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				n := &node{p: p, f: f, decl: d, fn: d, name: d.Name.Name}
				pr.nodes[d] = n
				pr.all = append(pr.all, n)
				if d.Recv == nil {
					if d.Name.Name != "init" {
						add(n, d.Name.Name)
					}
				} else {
					methods = append(methods, n)
				}
			case *ast.GenDecl:
				switch d.Tok {
				case token.CONST:
					n := &node{p: p, f: f, decl: d}
					for _, s := range d.Specs {
						for _, id := range s.(*ast.ValueSpec).Names {
							add(n, id.Name)
						}
					}
				case token.TYPE:
					for _, s := range d.Specs {
						s := s.(*ast.TypeSpec)
						add(&node{p: p, f: f, decl: s, name: s.Name.Name}, s.Name.Name)
					}
				case token.VAR:
					for _, s := range d.Specs {
						s := s.(*ast.ValueSpec)
						n := &node{p: p, f: f, decl: s, pure: !embed && !pr.l.cfg.keepVars && pureSpec(s)}
						n.drop = n.pure && slices.ContainsFunc(s.Values, func(e ast.Expr) bool { _, ok := e.(*ast.BasicLit); return !ok })
						pr.nodes[s] = n
						pr.all = append(pr.all, n)
						for _, id := range s.Names {
							add(n, id.Name)
						}
					}
				}
			}
		}
	}
	for _, n := range methods {
		pr.methods[n.name] = append(pr.methods[n.name], n)
		for _, t := range scope[receiverName(n.fn)] {
			if _, ok := t.decl.(*ast.TypeSpec); ok {
				n.recv = t
				t.methods = append(t.methods, n)
			}
		}
	}
}

func hasEmbed(f *file) bool {
	for i := range f.directives {
		if strings.HasPrefix(f.directives[i].text, "embed") {
			return true
		}
	}
	return false
}

// receiverName returns the name of a method's receiver type.
func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// linknames records what the linkname directives of a package tie together.
// Variables with a directive are live: both sides share one.
func (pr *pruner) linknames(p *pkg) {
	for _, f := range p.files {
		for _, ln := range f.linknames() {
			for _, n := range pr.scopes[p][ln.local] {
				switch {
				case n.fn == nil:
					if _, ok := n.decl.(*ast.ValueSpec); ok {
						n.pure = false
					}
				case ln.target == "":
				case n.fn.Body == nil:
					pr.pulls[n] = append(pr.pulls[n], ln.target)
				}
				if ln.target != "" {
					pr.symbols[ln.target] = append(pr.symbols[ln.target], n)
				}
			}
		}
	}
}

// mark makes a node live.
func (pr *pruner) mark(n *node) {
	if !n.live {
		n.live = true
		pr.queue = append(pr.queue, n)
	}
}

// visit looks at what a live node mentions.
func (pr *pruner) visit(n *node) {
	pr.scan(n.p, n.f, n.decl)
	for _, m := range n.methods {
		if pr.selected[m.name] || pr.reflect && ast.IsExported(m.name) {
			pr.mark(m)
		}
	}
	if n.fn == nil {
		return
	}
	if n.fn.Body == nil && n.fn.Recv == nil {
		pr.symbol(n.p.path + "." + n.name)
		for _, target := range pr.pulls[n] {
			pr.symbol(target)
		}
	}
}

// symbol makes the functions and variables with a link symbol live.
func (pr *pruner) symbol(sym string) {
	for _, n := range pr.symbols[sym] {
		pr.mark(n)
	}
	path, recv, name := splitSymbol(sym)
	p := pr.l.pkgs[path]
	if p == nil {
		return
	}
	if recv == "" {
		for _, n := range pr.scopes[p][name] {
			pr.mark(n)
		}
		return
	}
	for _, t := range pr.scopes[p][recv] {
		for _, m := range t.methods {
			if m.name == name {
				pr.mark(t)
				pr.mark(m)
			}
		}
	}
}

// keepSymbol makes live what an entry of Config.KeepNames stands for.
func (pr *pruner) keepSymbol(sym string) {
	path, ok := strings.CutSuffix(sym, ".*")
	if !ok {
		pr.symbol(sym)
		return
	}
	for _, n := range pr.all {
		if n.p.path == path {
			pr.mark(n)
		}
	}
	for _, list := range pr.scopes[pr.l.pkgs[path]] {
		for _, n := range list {
			pr.mark(n)
		}
	}
}

// splitSymbol splits "path.name", "path.T.name" and "path.(*T).name".
func splitSymbol(sym string) (path, recv, name string) {
	i := strings.LastIndexByte(sym, '/') + 1
	dot := strings.IndexByte(sym[i:], '.')
	if dot < 0 {
		return "", "", sym
	}
	path, rest := sym[:i+dot], sym[i+dot+1:]
	if r, n, ok := strings.Cut(rest, "."); ok {
		return path, strings.Trim(r, "(*)"), n
	}
	return path, "", rest
}

// importNames returns the packages that the import names of a file stand for.
func (pr *pruner) importNames(p *pkg, f *file) map[string]*pkg {
	m := pr.imports[f]
	if m != nil {
		return m
	}
	m = map[string]*pkg{}
	for _, s := range f.ast.Imports {
		q := p.imports[s.Path.Value[1:len(s.Path.Value)-1]]
		if q == nil {
			continue
		}
		if s.Name != nil {
			m[s.Name.Name] = q
		} else {
			m[q.name] = q
		}
	}
	pr.imports[f] = m
	return m
}

// scan marks all that a declaration mentions.
func (pr *pruner) scan(p *pkg, f *file, decl ast.Node) {
	imports := pr.importNames(p, f)
	scope := pr.scopes[p]
	var locals map[string]bool // names declared in the declaration that are import names too
	switch decl.(type) {
	case *ast.FuncDecl, *ast.ValueSpec, *ast.GenDecl:
		locals = shadows(decl, imports)
	}
	fieldsOnly := descriptorCode[p.path]
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
			if f.dot {
				for _, s := range f.ast.Imports {
					if s.Name != nil && s.Name.Name == "." {
						if q := p.imports[s.Path.Value[1:len(s.Path.Value)-1]]; q != nil {
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
			// The names of methods that an interface declares are no calls.
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

// descriptorCode lists packages in which Method is a field (of type descriptors
// and of reflect.ValueError) where it is not called, and Methods a field or
// method of descriptors. To take those for uses of reflection would keep half of
// every program.
var descriptorCode = map[string]bool{
	"internal/abi":          true,
	"internal/reflectlite":  true,
	"internal/runtime/maps": true,
	"reflect":               true,
	"runtime":               true,
}

// qualified marks what a qualified identifier may name.
func (pr *pruner) qualified(p *pkg, name string) {
	for _, n := range pr.scopes[p][name] {
		pr.mark(n)
	}
}

// selector marks the methods that a selector may call.
func (pr *pruner) selector(name string) {
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
}

// shadows returns the import names that a declaration declares something else
// under: there a selector on the name need not be a qualified identifier.
func shadows(decl ast.Node, imports map[string]*pkg) map[string]bool {
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

// pureSpec reports whether a variable's initialisation has no effect beside the
// variable's value, so that nobody can tell whether it happened.
func pureSpec(s *ast.ValueSpec) bool {
	if len(s.Values) == 0 {
		return true
	}
	if len(s.Values) != len(s.Names) {
		return false
	}
	for i, v := range s.Values {
		// The usual assertion that a type implements an interface.
		if call, ok := v.(*ast.CallExpr); ok && s.Names[i].Name == "_" && len(call.Args) == 1 {
			if par, ok := call.Fun.(*ast.ParenExpr); ok {
				if _, ok := par.X.(*ast.StarExpr); ok && pureExpr(call.Args[0]) {
					continue
				}
			}
		}
		if !pureExpr(v) {
			return false
		}
	}
	return true
}

// pureExpr reports whether evaluating e can neither fail nor be noticed.
func pureExpr(e ast.Expr) bool {
	switch e := e.(type) {
	case nil, *ast.BasicLit, *ast.Ident, *ast.FuncLit:
		return true
	case *ast.ParenExpr:
		return pureExpr(e.X)
	case *ast.KeyValueExpr:
		return pureExpr(e.Key) && pureExpr(e.Value)
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if !pureExpr(x) {
				return false
			}
		}
		return true
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			_, ok := e.X.(*ast.CompositeLit)
			_, id := e.X.(*ast.Ident)
			return (ok || id) && pureExpr(e.X)
		}
		return e.Op != token.ARROW && pureExpr(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.MUL, token.OR, token.AND, token.XOR, token.AND_NOT:
			return pureExpr(e.X) && pureExpr(e.Y)
		}
	case *ast.CallExpr:
		// errors.New allocates an error and nothing else.
		if sel, ok := e.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "New" && len(e.Args) == 1 {
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "errors" {
				return pureExpr(e.Args[0])
			}
		}
	}
	return false
}

// needed makes live the variables that what remains of dead declarations
// mentions: lengths of arrays in signatures and types, and constants.
func (pr *pruner) needed() {
	for _, p := range pr.order {
		if !p.prunable() {
			continue
		}
		scope := pr.scopes[p]
		dead := false
		for _, list := range scope {
			for _, n := range list {
				dead = dead || n.drop && !n.live
			}
		}
		if !dead {
			continue
		}
		keep := func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				return false
			case *ast.Ident:
				for _, m := range scope[n.Name] {
					if m.drop && !m.live {
						pr.mark(m)
					}
				}
			}
			return true
		}
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					ast.Inspect(d.Type, keep)
				case *ast.GenDecl:
					switch d.Tok {
					case token.CONST, token.TYPE:
						ast.Inspect(d, keep)
					case token.VAR:
						for _, s := range d.Specs {
							if n := pr.nodes[s]; n.live || !n.drop {
								ast.Inspect(s, keep)
							} else if t := s.(*ast.ValueSpec).Type; t != nil {
								continue
							}
						}
					}
				}
			}
		}
	}
	for len(pr.queue) > 0 {
		n := pr.queue[len(pr.queue)-1]
		pr.queue = pr.queue[:len(pr.queue)-1]
		pr.visit(n)
	}
}

// A prunedFile is a file without what pruning removed.
type prunedFile struct {
	ast    *ast.File
	bodies map[*ast.FuncDecl]bool // declarations in ast that lost their body
}

// apply returns the file to type-check. Shared files are not changed: the
// declarations that differ are copies.
func (pr *pruner) apply(p *pkg, f *file) prunedFile {
	if pr.l.cfg.NoPrune || !p.prunable() {
		return prunedFile{ast: f.ast}
	}
	out := *f.ast
	out.Decls = make([]ast.Decl, 0, len(f.ast.Decls))
	bodies := map[*ast.FuncDecl]bool{}
	for _, d := range f.ast.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				pr.l.count(&pr.l.stats.Bodies)
				if pr.nodes[d].live {
					pr.l.count(&pr.l.stats.KeptBodies)
				} else {
					c := *d
					c.Body = nil
					bodies[&c] = true
					out.Decls = append(out.Decls, &c)
					continue
				}
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				if g := pr.applyVars(d); g == nil {
					continue
				} else {
					out.Decls = append(out.Decls, g)
					continue
				}
			}
		}
		out.Decls = append(out.Decls, d)
	}
	return prunedFile{&out, bodies}
}

func (pr *pruner) applyVars(d *ast.GenDecl) *ast.GenDecl {
	dead := 0
	for _, s := range d.Specs {
		if n := pr.nodes[s]; n.drop && !n.live {
			dead++
		}
	}
	if dead == 0 {
		return d
	}
	pr.l.stats.DroppedVars += dead
	if dead == len(d.Specs) {
		return nil
	}
	g := *d
	g.Specs = nil
	for _, s := range d.Specs {
		if n := pr.nodes[s]; !n.drop || n.live {
			g.Specs = append(g.Specs, s)
		}
	}
	return &g
}

func (l *loader) count(n *int) { *n++ }
