package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/bounds"
	"github.com/gyrvm/gyr/internal/front/budget"
	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/prune"
	"github.com/gyrvm/gyr/internal/front/load/rewrite"
	"github.com/gyrvm/gyr/internal/front/load/target"
	"github.com/gyrvm/gyr/internal/release"
)

// A checked is a package that is being type-checked.
type checked struct {
	*Package
	pruned map[*ast.FuncDecl]bool
	errs   diag.Errors
	failed bool // it, or a package it imports, has errors
	hidden bool // its errors may depend on something that a base does not have
	limit  error
	done   chan struct{}
}

// check type-checks all packages, dependencies first, several in parallel.
func (l *loader) check(order []*pkg, fset *token.FileSet, pr *prune.Pruner, pruned []*prune.Package) error {
	list := make([]*checked, len(order))
	for i, p := range order {
		c := &checked{done: make(chan struct{}), pruned: map[*ast.FuncDecl]bool{}}
		c.Package = &Package{
			Path: p.path, Import: p.importPath, Std: p.origin.std(), Overlay: p.origin == ofOverlay, Test: p.test,
			GoVersion: p.langVersion(l.Release), Account: p.account(),
		}
		c.files = p.files
		p.out = c.Package
		if b := p.base; b != nil {
			c.Base, c.init = true, b.init
			if q := p.part; q != nil {
				c.Types, c.Info, c.Files = q.types, q.info, q.syntax
			}
		}
		for _, q := range p.deps {
			c.Imports = append(c.Imports, q.out)
			c.Test = c.Test || q.out.Test
		}
		for _, f := range pruned[i].Files {
			syntax, bodies := pr.Apply(pruned[i], f)
			c.Files = append(c.Files, syntax)
			maps.Copy(c.pruned, bodies)
		}
		list[i] = c
	}
	l.checkedPkgs = list
	l.stats.DroppedVars = pr.DroppedVars
	count := l.counted(order)
	var wg sync.WaitGroup
	for i, p := range order {
		if p.base != nil {
			close(list[i].done)
			continue
		}
		wg.Go(func() {
			c := list[i]
			defer close(c.done)
			for _, q := range p.deps {
				<-list[q.index].done
				c.failed = c.failed || list[q.index].failed
			}
			if c.failed || l.Ctx.Err() != nil {
				c.failed = true
				return
			}
			l.workers <- struct{}{}
			defer func() { <-l.workers }()
			l.try("checking a package", p, func() {
				if c.limit = l.bounded(p, fset); c.limit == nil {
					l.checkPackage(p, c, fset)
				}
				count()
			})
			c.failed = c.limit != nil || c.errs != nil || l.Ctx.Err() != nil
		})
	}
	wg.Wait()
	if err := l.ended(); err != nil {
		return err
	}
	var errs diag.Errors
	for _, c := range list {
		if c.limit != nil {
			return c.limit
		}
	}
	hidden := false
	for _, c := range list {
		hidden = hidden || c.hidden
		errs = append(errs, c.errs...)
	}
	if hidden && l.base != nil {
		return errHidden(errs)
	}
	if errs != nil {
		return errs
	}
	return nil
}

// counted tells Options.Checked how many packages will be type-checked. It returns a function to
// call after each.
func (l *loader) counted(order []*pkg) func() {
	tell := l.cfg.Checked
	if tell == nil {
		return func() {}
	}
	done, total := 0, 0
	for _, p := range order {
		if p.base == nil {
			total++
		}
	}
	tell(done, total)
	var mu sync.Mutex
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		tell(done, total)
	}
}

// langVersion returns the language version of a package.
func (p *pkg) langVersion(r *release.Release) string {
	if p.mod != nil {
		return p.mod.GoVersion
	}
	return r.Name()
}

// bounded refuses one of the program's own packages if type-checking it would not finish.
func (l *loader) bounded(p *pkg, fset *token.FileSet) error {
	if p.origin.std() {
		return nil
	}
	a := p.account()
	b := &bounds.Package{
		Limits: &l.limits[a], Account: a, Stop: l.ended, Position: func(pos token.Pos) token.Position {
			return l.compilePosition(fset,
				pos)
		},
		Import: func(path string) *types.Package { t, _ := importer{p}.Import(path); return t },
	}
	for _, f := range p.files {
		b.Files = append(b.Files, f.ast)
	}
	err := bounds.Check(b)
	l.mu.Lock()
	defer l.mu.Unlock()
	budget.Max(&l.measured[a], &b.Measured)
	return err
}

// boundedProgram refuses a program if go/ssa or lowering would not finish.
func (l *loader) boundedProgram(order []*pkg, fset *token.FileSet) error {
	b := &bounds.TypedProgram{
		Limits: l.limits, Stop: l.ended, Position: func(pos token.Pos) token.Position {
			return l.compilePosition(fset,
				pos)
		},
	}
	for i, p := range order {
		c := l.checkedPkgs[i]
		b.Packages = append(b.Packages, bounds.TypedPackage{Types: c.Types, Info: c.Info, Files: c.Files,
			Own: !p.origin.std(), Account: p.account()})
	}
	err := bounds.Program(b)
	for a := range b.Measured {
		budget.Max(&l.measured[a], &b.Measured[a])
	}
	return err
}

// taken returns what the program takes of the limits, as far as loading counts it.
func (l *loader) taken() api.Limits {
	for a := range budget.Accounts {
		l.measured[a].SourceBytes = l.bytes[a].Load()
	}
	t, m := l.measured[budget.Own], &l.measured[budget.Modules]
	t.Modules = api.ModuleLimits{SourceBytes: m.SourceBytes, EmbedBytes: m.EmbedBytes, Nesting: m.Nesting, CheckWork: m.CheckWork, Instances: m.Instances}
	m.SourceBytes, m.EmbedBytes, m.Nesting, m.CheckWork, m.Instances = 0, 0, 0, 0, 0
	budget.Max(&t, m)
	return t
}

// sizes refuses types that are too large. It visits all instances of types, so the program must
// have passed boundedProgram.
func (l *loader) sizes(order []*pkg, fset *token.FileSet) error {
	var errs diag.Errors
	for i, p := range order {
		c := l.checkedPkgs[i]
		if p.origin.std() || p.base != nil {
			continue
		}
		var list diag.Errors
		for _, te := range bounds.CheckSizes(l.Release, c.Files, c.Types, c.Info) {
			list = append(list, &diag.Error{Package: p.importPath, Pos: l.compilePosition(fset, te.Pos),
				Msg: te.Msg, FindEnd: func() token.Position { return l.endOf(p, fset, te) }})
		}
		errs = append(errs, diag.CompileErrors(list)...)
	}
	if errs != nil {
		return errs
	}
	return nil
}

func (l *loader) checkPackage(p *pkg, c *checked, fset *token.FileSet) {
	info := &types.Info{
		Types:        map[ast.Expr]types.TypeAndValue{},
		Instances:    map[*ast.Ident]types.Instance{},
		Defs:         map[*ast.Ident]types.Object{},
		Uses:         map[*ast.Ident]types.Object{},
		Implicits:    map[ast.Node]types.Object{},
		Selections:   map[*ast.SelectorExpr]*types.Selection{},
		Scopes:       map[ast.Node]*types.Scope{},
		FileVersions: map[*ast.File]string{},
	}
	l.mu.Lock()
	l.stats.Checked++
	if p.origin.std() {
		l.stats.CheckedStd++
	}
	l.mu.Unlock()
	var errs diag.Errors
	conf := types.Config{
		Importer:  importer{p},
		Sizes:     target.Sizes,
		GoVersion: c.GoVersion,
		// Without their bodies, the functions of a pruned package use fewer imports.
		DisableUnusedImportCheck: p.prunable(),
		Error: func(err error) {
			var te types.Error
			if !errors.As(err, &te) {
				errs = append(errs, &diag.Error{Package: p.importPath, Msg: err.Error()})
				return
			}
			if p.prunable() && te.Soft && strings.Contains(te.Msg, "missing function body") {
				return
			}
			te.Msg = p.unexported(te.Msg)
			c.hidden = c.hidden || strings.Contains(te.Msg, "not exported by package") ||
				slices.ContainsFunc(p.files, func(f *file) bool { return f.dot })
			pos := l.compilePosition(fset, te.Pos)
			if sub, ok := strings.CutPrefix(te.Msg, "\t"); ok && len(errs) > 0 {
				last := errs[len(errs)-1]
				last.Msg += fmt.Sprintf("\n\t%s: %s", pos, sub)
				return
			}
			errs = append(errs, &diag.Error{Package: p.importPath, Pos: pos, FindEnd: func() token.Position { return l.endOf(p, fset, te) },
				Msg: l.message(p, c, info, te)})
		},
	}
	tpkg, _ := bounds.TypeCheck(&conf, p.path, fset, c.Files, info)
	c.Types, c.Info = tpkg, info
	if errs == nil && !p.origin.std() {
		errs = slices.Concat(l.bodies(p, fset), l.setVars(p, c, fset), l.measuredLoops(p, c, fset))
	}
	c.errs = diag.CompileErrors(errs)
	if !p.origin.std() {
		l.explainTarget(p, c.errs)
	}
	if c.errs == nil && c.imports("testing") {
		c.kept = loopsOverB(c.Files, info)
	}
	if c.errs != nil {
		return
	}
	if !p.origin.std() {
		rewrite.MethodExpressions(c.Files, tpkg, info)
		for _, f := range p.files {
			rewrite.RemoveDefers(f.rangeDefer, info)
			rewrite.EvaluationOrder(f.ast, tpkg, info)
		}
		rewrite.InitialisationOrder(c.Files, tpkg, info)
	}
	c.init = needsInit(c.Package)
}

// compilePosition returns a position in the form that the compiler prints.
func (l *loader) compilePosition(fset *token.FileSet, pos token.Pos) token.Position {
	p := fset.Position(pos)
	p.Filename = diag.DotSlash(l.Short(p.Filename))
	return p
}

var versionError = expr(`requires go[0-9]+\.[0-9]+ or later`)

// compilerWords are errors that the compiler's parser finds, in the compiler's words.
var compilerWords = map[string]string{
	"continue not in for statement":                 "continue is not in a loop",
	"break not in for, switch, or select statement": "break is not in a loop, switch, or select",
}

var unusedLabel = expr(`^label (\S+) declared and not used$`)

// message returns the text of a type error as the compiler prints it: with short file names, and
// for errors about the language version with a hint at where it was set.
func (l *loader) message(p *pkg, c *checked, info *types.Info, te types.Error) string {
	if strings.Contains(te.Msg, ".go:") {
		for _, f := range p.files {
			te.Msg = strings.ReplaceAll(te.Msg, " "+f.name+":", " "+diag.DotSlash(l.Short(f.name))+":")
		}
	}
	if m, ok := compilerWords[te.Msg]; ok {
		return m
	}
	if m := unusedLabel().FindStringSubmatch(te.Msg); m != nil {
		return "label " + m[1] + " defined and not used"
	}
	if !versionError().MatchString(te.Msg) {
		return te.Msg
	}
	i := slices.IndexFunc(c.Files, func(f *ast.File) bool { return f.FileStart <= te.Pos && te.Pos <= f.FileEnd })
	if i >= 0 && c.Files[i].GoVersion != "" && c.Files[i].GoVersion == info.FileVersions[c.Files[i]] {
		return fmt.Sprintf("%s (file declares //go:build %s)", te.Msg, c.Files[i].GoVersion)
	}
	return fmt.Sprintf("%s (-lang was set to %s; check go.mod)", te.Msg, c.GoVersion)
}

// elsewhere reports whether a function of a package may have its body elsewhere: a directive gives
// it a symbol, or the package has assembly files. Files with code are refused; an empty one says
// that other packages push bodies to this one.
func (p *pkg) elsewhere(name string) bool {
	if p.assembly && name != "init" {
		return true
	}
	return slices.ContainsFunc(p.files, func(f *file) bool {
		return slices.ContainsFunc(directive.Linknames(f.directives), func(ln directive.Linkname) bool { return ln.Local == name && ln.Target != "" })
	})
}

// bodies reports the functions that have no body and cannot get one elsewhere.
func (l *loader) bodies(p *pkg, fset *token.FileSet) (errs diag.Errors) {
	hasMain := false
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			hasMain = hasMain || fn.Recv == nil && fn.Name.Name == "main"
			if fn.Body != nil || f.generated || f.loops[fn.Name.Pos()] != "" || fn.Recv == nil && p.elsewhere(fn.Name.Name) {
				continue
			}
			msg := "missing function body"
			if fn.Recv == nil && fn.Name.Name == "init" {
				msg = "func init must have a body"
			}
			errs = append(errs, &diag.Error{Package: p.importPath, Pos: l.compilePosition(fset, fn.Name.Pos()),
				End: fset.Position(fn.Name.End()), Msg: msg})
		}
	}
	if errs == nil && p.path == "main" && !hasMain && !l.cfg.Exports {
		// In the linker's words.
		errs = append(errs, &diag.Error{Package: p.importPath,
			Msg: "runtime.main_main·f: function main is undeclared in the main package"})
	}
	return errs
}

// imports reports whether a package imports another directly.
func (p *Package) imports(path string) bool {
	return slices.ContainsFunc(p.Imports, func(q *Package) bool { return q.Path == path })
}

// generic reports whether a package has generic functions or methods, whose instances are built
// from its syntax when they are needed.
func (p *Package) generic() bool {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if fn.Type.TypeParams != nil {
				return true
			}
			if obj, ok := p.Info.Defs[fn.Name].(*types.Func); ok && obj.Signature().RecvTypeParams() != nil {
				return true
			}
		}
	}
	return false
}

// DropSyntax forgets the syntax of packages whose SSA is built, except generic ones: lowering does
// not need it. No base can be made from the program afterwards.
func (p *Packages) DropSyntax() {
	for _, q := range p.Packages {
		if q.files = nil; !q.Base && !q.generic() {
			q.Files, q.Info = nil, nil
		}
	}
}

// An importer gives the type checker the packages that the loader found.
type importer struct{ p *pkg }

func (im importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	q := im.p.imports[path]
	if q == nil || q.out.Types == nil {
		return nil, fmt.Errorf("package %s was not loaded", path)
	}
	return q.out.Types, nil
}

// build builds SSA for all packages and completes the program.
func (l *loader) build(p *Packages, order []*pkg, main *pkg) error {
	p.SSA = ssa.NewProgram(p.Fset, ssa.InstantiateGenerics|ssa.BareInits)
	p.SSA.CreatePackage(types.Unsafe, nil, nil, true)
	if l.base != nil {
		l.createBase(p.SSA, order)
	}
	list := make([]*Package, len(order))
	for i, q := range order {
		list[i] = q.out
		if q.base == nil {
			q.out.SSA = p.SSA.CreatePackage(q.out.Types, q.out.Files, q.out.Info, true)
		}
	}
	p.keep(order)
	var wg sync.WaitGroup
	for _, q := range order {
		if q.base != nil {
			continue // instances are built as other packages mention them
		}
		wg.Go(func() {
			l.workers <- struct{}{}
			defer func() { <-l.workers }()
			if l.Ctx.Err() == nil {
				l.try("building a package", q, q.out.SSA.Build)
			}
			if q.origin.std() && !q.out.generic() {
				q.out.Info.Types, q.out.Info.Selections = nil, nil // the larger part of the type information
				q.out.Info.Implicits, q.out.Info.Scopes = nil, nil
			}
		})
	}
	wg.Wait()
	if err := l.ended(); err != nil {
		return err
	}
	p.Main = main.out.SSA
	p.Packages = initOrder(list)
	l.stats.Packages = len(list)
	p.link(l, order)
	if err := p.linkOwn(l, order); err != nil {
		return err
	}
	return l.embeds(order)
}
