package load

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/bounds"
	"github.com/gyrvm/gyr/internal/front/load/directive"
)

// Pruning. Type-checking all bodies of the packages that a program imports, and building SSA for
// them, would take four times as long as for the bodies that it needs. So before that, names alone
// decide which functions of the standard library may be reached, and the bodies of the others are
// dropped; types, constants and signatures stay.
//
// The decision must err on the side of keeping:
//
//   - A function is kept if live code mentions its name: as a plain identifier in its own package (or
//     under a dot import), or qualified by an identifier that may be the name of an import of its
//     package.
//   - A method is kept if its receiver's type is live and live code has a selector with the method's
//     name. A value of a type comes into being only where live code, or the declaration of something
//     live, mentions the type; a method is called only where a selector names it. The exception is
//     reflection: as soon as live code selects Method or MethodByName on something that is not a
//     package, all exported methods of live types are kept.
//   - A live function without body keeps the functions with its link symbol, and the function that it
//     pulls.
//   - On a base, whose code is not examined, all exported methods of live types are kept from the
//     start.
//   - Everything outside the standard library, all init functions, all tests and all variables whose
//     initialisation can have an effect are live from the start, and so is everything that
//     Options.KeepNames names.
//
// A package-level variable of the standard library that no live code mentions, and whose initialiser
// has no effect, is removed: most of package unicode.

// A node is a declaration that may be dead.
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
	drop    bool // if they are dead it must go too, since it mentions something
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

// prune decides for all packages. apply uses the result.
func prune(l *loader, order []*pkg) *pruner {
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
	if l.base != nil {
		pr.reflection() // the base may call any method whose name it knows
	}
	pr.roots()
	pr.run()
	pr.needed()
	return pr
}

// roots marks what is live from the start.
func (pr *pruner) roots() {
	for _, p := range pr.order {
		for _, f := range p.files {
			if !p.prunable() || f.isTest(p) {
				for _, d := range f.ast.Decls {
					pr.scan(p, f, d)
				}
			}
			if !p.origin.std() { // its directives may be answered by what nothing else mentions
				for _, ln := range directive.Linknames(f.directives) {
					for _, a := range directive.AnswersTo(ln.Target) {
						pr.symbol(a.Link())
					}
				}
			}
		}
	}
	for _, n := range pr.all {
		_, isVar := n.decl.(*ast.ValueSpec)
		switch {
		case n.fn != nil && n.fn.Recv == nil && (n.name == "init" || n.name == "_"),
			n.f.isTest(n.p),
			isVar && !n.pure:
			pr.mark(n)
		}
	}
	for _, k := range pr.l.cfg.KeepNames {
		pr.keepSymbol(k)
	}
}

// run visits all live nodes, including those that become live by it.
func (pr *pruner) run() {
	for len(pr.queue) > 0 {
		n := pr.queue[len(pr.queue)-1]
		pr.queue = pr.queue[:len(pr.queue)-1]
		pr.visit(n)
	}
}

// isTest reports whether a file belongs to the tests of a package under test.
func (f *file) isTest(p *pkg) bool { return p.test && strings.HasSuffix(f.name, "_test.go") }

// prunable reports whether a package's declarations may be dropped. Packages of a base have no
// declarations here.
func (p *pkg) prunable() bool {
	return p.origin.std() && !p.generated && p.base == nil && p.path != "main" // main is of a command
}

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
		if strings.HasPrefix(f.directives[i].Text, "embed") {
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
	return bounds.Receiver(d)
}

// linknames records what the linkname directives of a package tie together. Variables with a
// directive are live, because two packages share them.
func (pr *pruner) linknames(p *pkg) {
	for _, f := range p.files {
		for _, ln := range directive.Linknames(f.directives) {
			for _, n := range pr.scopes[p][ln.Local] {
				switch {
				case n.fn == nil:
					if _, ok := n.decl.(*ast.ValueSpec); ok {
						n.pure = false
					}
				case ln.Target == "":
				case n.fn.Body == nil:
					pr.pulls[n] = append(pr.pulls[n], ln.Target)
				}
				if ln.Target != "" {
					pr.symbols[ln.Target] = append(pr.symbols[ln.Target], n)
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

// visit marks what a live node mentions.
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

// symbol marks the functions and variables with a link symbol as live.
func (pr *pruner) symbol(sym string) {
	for _, n := range pr.symbols[sym] {
		pr.mark(n)
	}
	path, recv, name := directive.SplitSymbol(sym)
	p := pr.l.stdPkg(path)
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

// keepSymbol marks what an entry of Options.KeepNames names as live.
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
	for _, list := range pr.scopes[pr.l.stdPkg(path)] {
		for _, n := range list {
			pr.mark(n)
		}
	}
}

// A prunedFile is a file without what pruning removed.
type prunedFile struct {
	ast    *ast.File
	bodies map[*ast.FuncDecl]bool // declarations in ast whose bodies were removed
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
				if !pr.nodes[d].live {
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
