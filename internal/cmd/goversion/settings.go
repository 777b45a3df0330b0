package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
)

// This file compares what a release decides outside its packages: experiments, build tags, GODEBUG
// settings, versions of modules.

// toolTags returns the tags that this release's go command sets by default for wasip1/wasm.
func (in *install) toolTags() ([]string, error) {
	p := in.pkg("internal/buildcfg")
	if p == nil || p.decls["ParseGOEXPERIMENT"] == nil {
		return nil, fmt.Errorf("src/internal/buildcfg declares no ParseGOEXPERIMENT")
	}
	d := p.decls["ParseGOEXPERIMENT"]
	tags := []string{"wasm.satconv", "wasm.signext"} // the deciding function is in mirrors
	on, known := map[string]bool{}, false
	e := evaluator{vars: map[string]bool{}, words: map[string]string{"goos": "wasip1", "goarch": "wasm"}}
	for _, s := range d.fn.Body.List {
		if baseline := literalOf(s, "baseline"); baseline != nil {
			known = true
			for _, x := range baseline.Elts {
				kv, ok := x.(*ast.KeyValueExpr)
				if !ok {
					return nil, fmt.Errorf("%s: the baseline of the experiments has a line that this command cannot read", in.at(d.file, x.Pos()))
				}
				v, ok := e.expr(kv.Value)
				if !ok {
					return nil, fmt.Errorf("%s: this command cannot tell whether the experiment is on for wasm", in.at(d.file, x.Pos()))
				}
				on[strings.ToLower(kv.Key.(*ast.Ident).Name)] = v
			}
			break
		}
		e.stmt(s)
	}
	if !known {
		return nil, fmt.Errorf("%s: no baseline of the experiments", d.pos())
	}
	in.facts["experiments"] = on
	for name, v := range on {
		if v {
			tags = append(tags, "goexperiment."+name)
		}
	}
	slices.Sort(tags)
	in.pkgs, in.broken = map[string]*pkg{}, nil
	return tags, nil
}

// literalOf returns the composite literal that a statement assigns to a variable, or nil.
func literalOf(s ast.Stmt, name string) *ast.CompositeLit {
	a, ok := s.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return nil
	}
	if id, ok := a.Lhs[0].(*ast.Ident); !ok || id.Name != name {
		return nil
	}
	lit, _ := a.Rhs[0].(*ast.CompositeLit)
	return lit
}

// An evaluator knows the values of boolean variables that depend on the names of the system and the
// processor.
type evaluator struct {
	vars  map[string]bool
	words map[string]string
}

func (e *evaluator) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.DeclStmt:
		for _, x := range declsOf(s.Decl) {
			if x.tok == token.VAR {
				e.vars[x.name] = false
			}
		}
	case *ast.AssignStmt:
		for i, l := range s.Lhs {
			id, ok := l.(*ast.Ident)
			if !ok || i >= len(s.Rhs) {
				continue
			}
			delete(e.vars, id.Name)
			if v, ok := e.expr(s.Rhs[i]); ok {
				e.vars[id.Name] = v
			}
		}
	case *ast.SwitchStmt:
		word, ok := e.word(s.Tag)
		if !ok {
			return
		}
		for _, c := range s.Body.List {
			for _, x := range c.(*ast.CaseClause).List {
				if w, ok := e.word(x); ok && w == word {
					for _, s := range c.(*ast.CaseClause).Body {
						e.stmt(s)
					}
				}
			}
		}
	}
}

func (e *evaluator) word(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.Ident:
		w, ok := e.words[x.Name]
		return w, ok
	case *ast.BasicLit:
		w, err := strconv.Unquote(x.Value)
		return w, err == nil
	}
	return "", false
}

func (e *evaluator) expr(x ast.Expr) (v, ok bool) {
	switch x := x.(type) {
	case *ast.Ident:
		if x.Name == "true" || x.Name == "false" {
			return x.Name == "true", true
		}
		v, ok = e.vars[x.Name]
		return v, ok
	case *ast.ParenExpr:
		return e.expr(x.X)
	case *ast.UnaryExpr:
		v, ok = e.expr(x.X)
		return !v, ok && x.Op == token.NOT
	case *ast.BinaryExpr:
		if a, ok := e.word(x.X); ok {
			b, ok := e.word(x.Y)
			return (a == b) == (x.Op == token.EQL), ok && (x.Op == token.EQL || x.Op == token.NEQ)
		}
		a, aOK := e.expr(x.X)
		b, bOK := e.expr(x.Y)
		if x.Op == token.LAND {
			return a && b, aOK && bOK
		}
		return a || b, aOK && bOK && x.Op == token.LOR
	}
	return false, false
}

// experiments returns the flags of GOEXPERIMENT and whether they are on.
func (in *install) experiments() items {
	list := items{}
	d := in.decl("internal/goexperiment", "Flags")
	if d == nil {
		return list
	}
	st, ok := d.spec.(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return list
	}
	on := in.facts["experiments"].(map[string]bool)
	for _, f := range st.Fields.List {
		for _, id := range f.Names {
			name := strings.ToLower(id.Name)
			state := "off"
			if on[name] {
				state = "on"
			}
			list["goexperiment."+name] = item{state, in.at(d.file, id.Pos())}
		}
	}
	return list
}

func compareExperiments(c *comparison) {
	c.diff("experiment", c.old.experiments(), c.new.experiments(), func(name string, now item) string {
		if now.text == "on" && !c.ours.mentions("internal/release", strconv.Quote(name)) {
			return "not among the tags of internal/release"
		}
		return ""
	})
}

// godebugs returns the lines of the GODEBUG table, including removed settings.
func (in *install) godebugs() items {
	list := items{}
	for _, table := range []string{"All", "Removed"} {
		d := in.decl("internal/godebugs", table)
		if d == nil {
			continue
		}
		ast.Inspect(d.spec, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || lit.Type != nil {
				return true
			}
			name, rest := "", []string{strings.ToLower(table)}
			for _, x := range lit.Elts {
				kv, ok := x.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				if v, ok := kv.Value.(*ast.BasicLit); ok && kv.Key.(*ast.Ident).Name == "Name" {
					name, _ = strconv.Unquote(v.Value)
				} else {
					rest = append(rest, in.tokens(d.file, kv))
				}
			}
			list[name] = item{strings.TrimPrefix(strings.Join(rest, ", "), "all, "), in.at(d.file, lit.Pos())}
			return false
		})
	}
	return list
}

// modules returns the lines of std's go.mod.
func (in *install) modules() items {
	list := items{}
	const name = "src/go.mod"
	data, err := fs.ReadFile(in.fsys, name)
	if err != nil {
		return list
	}
	f, err := modfile.Parse(name, data, nil)
	if err != nil {
		return list
	}
	at := func(l *modfile.Line) string { return fmt.Sprintf("%s:%d", name, l.Start.Line) }
	if f.Go != nil {
		list["go"] = item{f.Go.Version, at(f.Go.Syntax)}
	}
	for _, r := range f.Require {
		list[r.Mod.Path] = item{r.Mod.Version, at(r.Syntax)}
	}
	return list
}

// A use is the first use of a thing, in file order.
func (in *install) uses() (tags, directives items) {
	if u, ok := in.facts["uses"].([2]items); ok {
		return u[0], u[1]
	}
	tags, directives = items{}, items{}
	fs.WalkDir(in.fsys, "src", func(name string, d fs.DirEntry, err error) error {
		base := path.Base(name)
		if err != nil || d.IsDir() && (name == "src/cmd" || base == "testdata" || base[0] == '_') {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		src, err := fs.ReadFile(in.fsys, name)
		if err != nil {
			return err
		}
		f := &file{name: name, src: src}
		for _, x := range findDirectives(src) {
			if _, ok := directives[x.name]; !ok {
				directives[x.name] = item{"in use", f.atOffset(x.off)}
			}
			if x.name != "build" {
				continue
			}
			line, _, _ := bytes.Cut(src[x.off:], []byte("\n"))
			expr, err := constraint.Parse(string(line))
			if err != nil {
				continue
			}
			for _, tag := range tagsOf(expr) {
				if _, ok := tags[tag]; !ok && !releaseTag.MatchString(tag) {
					tags[tag] = item{"in use", f.atOffset(x.off)}
				}
			}
		}
		return nil
	})
	in.facts["uses"] = [2]items{tags, directives}
	return tags, directives
}

var releaseTag = regexp.MustCompile(`^go1\.\d+$`)

func tagsOf(x constraint.Expr) []string {
	switch x := x.(type) {
	case *constraint.TagExpr:
		return []string{x.Tag}
	case *constraint.NotExpr:
		return tagsOf(x.X)
	case *constraint.AndExpr:
		return append(tagsOf(x.X), tagsOf(x.Y)...)
	case *constraint.OrExpr:
		return append(tagsOf(x.X), tagsOf(x.Y)...)
	}
	return nil
}

func compareTags(c *comparison) {
	was, _ := c.old.uses()
	is, _ := c.new.uses()
	c.diff("tag", was, is, nil)
}

func compareDirectives(c *comparison) {
	_, was := c.old.uses()
	_, is := c.new.uses()
	c.diff("directive", was, is, func(name string, now item) string {
		if !c.ours.mentions("internal/front/load", strconv.Quote(name)) && !c.ours.mentions("internal/front/load", strconv.Quote(name+" ")) {
			return "internal/front/load does not know it"
		}
		return ""
	})
}

// packages returns the packages of go list std for wasip1/wasm.
func (in *install) packages() items {
	list := items{}
	for _, p := range in.std {
		f := in.pkg(p).files[0]
		list[p] = item{"in std", in.at(f, f.ast.Package)}
	}
	return list
}

func comparePackages(c *comparison) {
	c.diff("package", c.old.packages(), c.new.packages(), func(name string, now item) string {
		words := strings.Split(name, "/")
		if slices.Contains(words, "internal") || words[0] == "vendor" || c.ours.layered(name) {
			return ""
		}
		return "in no layer of internal/engine/layers.go"
	})
}
