package prune

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/bounds"
	"github.com/gyrvm/gyr/internal/front/load/directive"
)

// A Package is a package of a program before type-checking.
type Package struct {
	Path, Name string
	Std        bool                // of the standard library
	Prunable   bool                // its declarations may be dropped
	Imports    map[string]*Package // by path as written in the import
	Files      []*File
}

// A File is a source file of a package. It is not changed.
type File struct {
	AST        *ast.File
	Directives []directive.Directive
	Dot        bool // it has a dot import
	Test       bool // it belongs to the tests of a package under test
}

// Options say what must be kept.
type Options struct {
	Off      bool     // keep everything
	Keep     []string // link symbols that other stages call: "runtime.gopanic", or "path.*" for a whole package
	Base     bool     // packages that are not examined may call any method whose name they know
	KeepVars bool     // tests: drop bodies only
}

// A node is a declaration that may be dead.
type node struct {
	p    *Package
	f    *File
	live bool
	decl ast.Node // *ast.FuncDecl, or the *ast.GenDecl or ast.Spec of consts, types, vars

	name    string
	fn      *ast.FuncDecl
	recv    *node // of a method: the node of its type, nil if unknown
	methods []*node
	pure    bool // of variables: their initialisation has no effect
	drop    bool // if it is dead it must go too, since it mentions other names
}

// A Pruner finds the live declarations.
type Pruner struct {
	opts    Options
	order   []*Package
	byPath  map[string]*Package             // of the standard library
	scopes  map[*Package]map[string][]*node // package-level names
	all     []*node
	methods map[string][]*node
	symbols map[string][]*node // functions and variables by linkname target
	pulls   map[*node][]string // targets of functions without a body
	nodes   map[ast.Node]*node

	selected map[string]bool // selectors in live code
	reflect  bool            // Method or MethodByName is among them
	queue    []*node

	imports map[*File]map[string]*Package

	DroppedVars int // variables that Apply has removed
}

// Find decides for all packages, which come in the order of their dependencies. [Pruner.Apply] uses
// the result.
func Find(order []*Package, opts Options) *Pruner {
	pr := &Pruner{
		opts: opts, order: order, byPath: map[string]*Package{},
		scopes:   map[*Package]map[string][]*node{},
		methods:  map[string][]*node{},
		symbols:  map[string][]*node{},
		pulls:    map[*node][]string{},
		nodes:    map[ast.Node]*node{},
		selected: map[string]bool{},
		imports:  map[*File]map[string]*Package{},
	}
	if pr.opts.Off {
		return pr
	}
	for _, p := range order {
		if p.Prunable {
			pr.byPath[p.Path] = p
			pr.collect(p)
		}
	}
	for _, p := range order {
		if p.Prunable {
			pr.linknames(p)
		}
	}
	if pr.opts.Base {
		pr.reflection() // the base may call any method whose name it knows
	}
	pr.roots()
	pr.run()
	pr.needed()
	return pr
}

// roots marks the declarations that are live from the start.
func (pr *Pruner) roots() {
	for _, p := range pr.order {
		for _, f := range p.Files {
			if !p.Prunable || f.Test {
				for _, d := range f.AST.Decls {
					pr.scan(p, f, d)
				}
			}
			if !p.Std { // its directives may be answered by functions that nothing else mentions
				for _, ln := range directive.Linknames(f.Directives) {
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
			n.f.Test,
			isVar && !n.pure:
			pr.mark(n)
		}
	}
	for _, k := range pr.opts.Keep {
		pr.keepSymbol(k)
	}
}

// run visits all live nodes, including those that become live meanwhile.
func (pr *Pruner) run() {
	for len(pr.queue) > 0 {
		n := pr.queue[len(pr.queue)-1]
		pr.queue = pr.queue[:len(pr.queue)-1]
		pr.visit(n)
	}
}

// collect makes the nodes of a package.
func (pr *Pruner) collect(p *Package) {
	scope := map[string][]*node{}
	pr.scopes[p] = scope
	add := func(n *node, name string) {
		if name != "_" {
			scope[name] = append(scope[name], n)
		}
	}
	var methods []*node
	for _, f := range p.Files {
		embed := hasEmbed(f)
		for _, d := range f.AST.Decls {
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
						n := &node{p: p, f: f, decl: s, pure: !embed && !pr.opts.KeepVars && pureSpec(s)}
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
		for _, t := range scope[bounds.Receiver(n.fn)] {
			if _, ok := t.decl.(*ast.TypeSpec); ok {
				n.recv = t
				t.methods = append(t.methods, n)
			}
		}
	}
}

func hasEmbed(f *File) bool {
	for i := range f.Directives {
		if strings.HasPrefix(f.Directives[i].Text, "embed") {
			return true
		}
	}
	return false
}

// linknames records the declarations that the linkname directives of a package tie together.
// Variables with a directive are live, because two packages share them.
func (pr *Pruner) linknames(p *Package) {
	for _, f := range p.Files {
		for _, ln := range directive.Linknames(f.Directives) {
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
func (pr *Pruner) mark(n *node) {
	if !n.live {
		n.live = true
		pr.queue = append(pr.queue, n)
	}
}

// visit marks the declarations that a live node mentions.
func (pr *Pruner) visit(n *node) {
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
		pr.symbol(n.p.Path + "." + n.name)
		for _, target := range pr.pulls[n] {
			pr.symbol(target)
		}
	}
}

// symbol marks the functions and variables with a link symbol as live.
func (pr *Pruner) symbol(sym string) {
	for _, n := range pr.symbols[sym] {
		pr.mark(n)
	}
	path, recv, name := directive.SplitSymbol(sym)
	p := pr.byPath[path]
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

// keepSymbol marks the declarations that an entry of Options.Keep names as live.
func (pr *Pruner) keepSymbol(sym string) {
	path, ok := strings.CutSuffix(sym, ".*")
	if !ok {
		pr.symbol(sym)
		return
	}
	for _, n := range pr.all {
		if n.p.Path == path {
			pr.mark(n)
		}
	}
	for _, list := range pr.scopes[pr.byPath[path]] {
		for _, n := range list {
			pr.mark(n)
		}
	}
}

// Apply returns the file to type-check, and its functions whose bodies were removed. The file
// itself is not changed: the declarations that differ are copies.
func (pr *Pruner) Apply(p *Package, f *File) (*ast.File, map[*ast.FuncDecl]bool) {
	if pr.opts.Off || !p.Prunable {
		return f.AST, nil
	}
	out := *f.AST
	out.Decls = make([]ast.Decl, 0, len(f.AST.Decls))
	bodies := map[*ast.FuncDecl]bool{}
	for _, d := range f.AST.Decls {
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
	return &out, bodies
}

func (pr *Pruner) applyVars(d *ast.GenDecl) *ast.GenDecl {
	dead := 0
	for _, s := range d.Specs {
		if n := pr.nodes[s]; n.drop && !n.live {
			dead++
		}
	}
	if dead == 0 {
		return d
	}
	pr.DroppedVars += dead
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
