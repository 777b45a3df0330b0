package load

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// Units are packages for analyzers of sources: the named packages, with their tests, and their
// imports. They differ from the packages of a program:
//
//   - only the imports of a file are parsed: the analyzer reports what is wrong with the rest;
//   - nothing is refused that the go command accepts: unsafe, linknames, assembly;
//   - an error belongs to its unit and leaves other units as they are;
//   - a package may occur several times: alone, with its internal tests, and as a variant that
//     imports another package with that package's internal tests, for its external tests.
type Units struct {
	Roots   []*Unit // of the named packages, in their order: first with internal tests, then the external ones
	All     []*Unit // imported units come first; without those of Options.Library, unless one was named
	Release string  // of Go; the units import its standard library

	l     *loader
	byPkg map[*pkg]*Unit
}

// A Unit is one package for analysis.
type Unit struct {
	Path      string            // import path; that of external tests ends with _test
	ForTest   string            // of a variant: the path of the package for whose tests it was compiled again
	Std       bool              // of the standard library
	Module    string            // path and version of its module, if it has one
	Version   string            // of the module
	GoVersion string            // language version
	Imports   []*Unit           // other units, sorted by path
	Library   []string          // packages of Options.Library that it imports, sorted
	ImportMap map[string]string // import paths in the sources, and the paths that they stand for
	Sources   []Source
	Other     []string // names of files in languages other than Go that belong to the build
	Ignored   []string // names of files outside the build

	Err    error // the package cannot be loaded
	Failed bool  // an import has an error

	p *pkg
}

// A Source is a Go file of a unit.
type Source struct {
	Name string
	Sum  [sha256.Size]byte // of the contents
}

// LoadUnits reads the packages in list, which [List] returned for the same options, and their
// imports. It ignores options about programs, and Options.Library if a package of the standard
// library is named. Only the paths of a library matter. The caller must close the result.
func LoadUnits(ctx context.Context, cfg Options, list []Listed) (_ *Units, err error) {
	cfg.Test, cfg.Exports, cfg.Cover, cfg.Base, cfg.Std = false, false, nil, nil, nil
	l, err := newLoader(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	l.forUnits = true
	if !slices.ContainsFunc(list, func(x Listed) bool { return x.Std }) {
		l.library = cfg.Library
	}
	dir := l.Dir
	if len(list) == 1 && list[0].Dir != "" && l.ownDir(list[0]) {
		dir = list[0].Dir
	}
	if l.mods, err = l.FindModules(dir); err != nil {
		return nil, err
	}
	targets, err := l.targets(list)
	if err != nil {
		return nil, err
	}
	l.wg.Wait()
	roots := l.withTests(targets)
	l.wg.Wait()
	if err := cmp.Or(l.ended(), l.overLimit()); err != nil {
		return nil, err
	}
	return l.units(roots), nil
}

// ownDir reports whether a package's directory belongs to the user, not to a dependency or a Go
// installation.
func (l *loader) ownDir(x Listed) bool {
	_, std := l.stdPath(x.Dir)
	return !std && !x.Dep && !strings.Contains(filepath.ToSlash(x.Dir), "@")
}

// Close releases the resources of the load and ends the goroutines that read files.
func (u *Units) Close() { u.l.close() }

// A unitTarget is a named package.
type unitTarget struct {
	alone *pkg // without tests
	tests *pkg // with internal tests
}

// targets starts loading the named packages.
func (l *loader) targets(list []Listed) ([]unitTarget, error) {
	var targets []unitTarget
	for _, x := range list {
		p := &pkg{importPath: x.Path, dirPath: x.Path, test: x.HasTests, loaded: make(chan struct{})}
		switch pl, err := l.targetPlace(x); {
		case x.Err != nil:
			p.place = place{path: x.Path, origin: ofUser}
			p.fail("%v", x.Err)
		case err != nil:
			return nil, err
		default:
			p.place, p.named = *pl, x.Files
		}
		alone := *p
		alone.test, alone.loaded = false, make(chan struct{})
		alone.errs = slices.Clone(p.errs)
		targets = append(targets, unitTarget{&alone, p})
		l.pkgs[alone.key()] = &alone
	}
	for _, t := range targets {
		if t.tests.errs == nil {
			l.wg.Go(func() { l.loadTarget(t) })
		} else {
			close(t.alone.loaded)
			close(t.tests.loaded)
		}
	}
	return targets, nil
}

// targetPlace returns where the sources of a named package are.
func (l *loader) targetPlace(x Listed) (*place, error) {
	switch {
	case x.Err != nil:
		return nil, nil
	case x.Files != nil:
		_, m := l.mods.PathOf(x.Dir)
		return &place{path: cmdline, tree: l.userTree(x.Dir), dir: x.Dir, mod: m}, nil
	case x.Std:
		return l.locate(x.Path, true)
	}
	if pl := l.userPlace(x.Dir); pl.path == x.Path || pl.mod == nil && x.Path == cmdline {
		return pl, nil
	}
	return l.resolve(x.Path, nil)
}

// loadTarget reads a package with its tests. The package without tests has a part of the files.
func (l *loader) loadTarget(t unitTarget) {
	p, alone := t.tests, t.alone
	l.try("loading a package", p, func() {
		if err := l.usurped(&p.place, p.importPath); err != nil {
			p.fail("%v", err)
			return
		}
		l.loadFiles(p)
	})
	alone.name, alone.limit, alone.errs = p.name, p.limit, slices.Clone(p.errs)
	alone.other, alone.ignored = p.other, p.ignored
	var inside []*file
	for _, f := range p.files {
		if isTestFile(f.name) {
			inside = append(inside, f)
			continue
		}
		alone.files = append(alone.files, f)
		alone.syntax = append(alone.syntax, f.syntax...)
	}
	p.files = slices.Concat(alone.files, inside) // the order of the go command
	close(alone.loaded)
	close(p.loaded)
	l.try("loading a package", p, func() {
		l.loadImports(p)
		l.loadImports(alone)
	})
}

// withTests completes the named packages: it adds the packages of external tests, and the variants
// of packages that these import. It returns the packages to analyse.
func (l *loader) withTests(targets []unitTarget) (roots []*pkg) {
	for _, t := range targets {
		p := t.tests
		inside := slices.ContainsFunc(p.files, func(f *file) bool { return isTestFile(f.name) })
		p.forTest = p.path
		switch {
		case p.errs != nil || inside:
			roots = append(roots, p)
		case len(p.files) > 0:
			p = t.alone
			roots = append(roots, p)
		}
		if len(t.tests.xfiles) == 0 || p.errs != nil {
			continue
		}
		x := &pkg{place: p.place, importPath: p.importPath + "_test", dirPath: p.dirPath, test: true,
			files: t.tests.xfiles, given: map[string]*pkg{p.path: p}, forTest: p.path, loaded: p.loaded}
		x.path += "_test"
		x.name = x.files[0].ast.Name.Name
		for _, f := range x.files {
			x.syntax = append(x.syntax, f.syntax...)
		}
		p.syntax = slices.DeleteFunc(slices.Clone(p.syntax), func(e *diag.Error) bool { return slices.Contains(x.syntax, e) })
		x.other, x.ignored = p.other, p.ignored
		x.imports = l.importsOf(x, x.files)
		roots = append(roots, x)
		if inside {
			l.wg.Wait()
			l.variants(x, t)
		}
	}
	return roots
}

// variants prepares the imports of a package's external tests x: a package that imports the tested
// package is replaced by its variant, which imports the tested package with its internal tests.
func (l *loader) variants(x *pkg, t unitTarget) {
	made := map[*pkg]*pkg{t.alone: t.tests}
	visiting := map[*pkg]bool{}
	var variant func(q *pkg) *pkg
	variant = func(q *pkg) *pkg {
		if q == nil || l.library != nil && q.origin.std() || visiting[q] {
			return q
		}
		if v := made[q]; v != nil {
			return v
		}
		visiting[q] = true
		defer delete(visiting, q)
		var imports map[string]*pkg
		for path, r := range q.imports {
			if v := variant(r); v != r {
				if imports == nil {
					imports = maps.Clone(q.imports)
				}
				imports[path] = v
			}
		}
		v := q
		if imports != nil {
			c := *q
			v, c.imports, c.forTest = &c, imports, t.tests.path
		}
		made[q] = v
		return v
	}
	for path, q := range x.imports {
		x.imports[path] = variant(q)
	}
}

// units makes the units of the packages below roots.
func (l *loader) units(roots []*pkg) *Units {
	u := &Units{l: l, Release: l.GoVersion, byPkg: map[*pkg]*Unit{}}
	var stack []*pkg
	var visit func(p *pkg) *Unit
	visit = func(p *pkg) *Unit {
		if p.state != 0 {
			if p.state == 1 {
				last := stack[len(stack)-1]
				last.errs = append(last.errs, l.cycle(stack[slices.Index(stack, p):]))
				return nil
			}
			return u.byPkg[p]
		}
		p.state = 1
		stack = append(stack, p)
		t := &Unit{Path: p.path, ForTest: p.forTest, Std: p.origin.std(), GoVersion: p.langVersion(l.Release), Other: p.other,
			Ignored: p.ignored, ImportMap: map[string]string{}, p: p}
		if p.mod != nil {
			t.Module, t.Version = p.mod.Path, p.mod.Version
		}
		u.byPkg[p] = t
		for _, f := range p.files {
			t.Sources = append(t.Sources, Source{f.name, f.hash})
		}
		for path, q := range p.imports {
			if q != nil {
				t.ImportMap[path] = q.path
			}
			if q != nil && !slices.Contains(p.deps, q) {
				p.deps = append(p.deps, q)
			}
		}
		slices.SortFunc(p.deps, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
		if e := l.claimed(p, nil); e != nil {
			p.errs = append(p.errs, e)
		}
		p.errs = append(p.errs, l.checkImported(p)...)
		for _, q := range p.deps {
			d := visit(q)
			if d == nil {
				continue // p closes a cycle
			}
			if l.library != nil && q.origin.std() {
				t.Library = append(t.Library, q.path)
				continue
			}
			t.Imports = append(t.Imports, d)
			t.Failed = t.Failed || d.Err != nil || d.Failed
		}
		slices.SortStableFunc(p.errs, diag.ComparePositions)
		slices.Sort(t.Other)
		slices.Sort(t.Ignored)
		if p.errs != nil {
			t.Err = p.errs
		}
		stack = stack[:len(stack)-1]
		p.state = 2
		if l.library == nil || !p.origin.std() {
			u.All = append(u.All, t)
		}
		return t
	}
	for _, p := range roots {
		u.Roots = append(u.Roots, visit(p))
	}
	return u
}

// ReadFile reads a file of a unit: a source, or one of Other and Ignored.
func (u *Units) ReadFile(t *Unit, name string) ([]byte, error) {
	for i, f := range t.p.files {
		if f.name != name {
			continue
		}
		data, err := u.l.treeOf(t.p, f).ReadFile(f.sourceName(t.p), filetree.MaxSource)
		if err == nil && sha256.Sum256(data) != t.Sources[i].Sum {
			err = fmt.Errorf("%s was changed meanwhile", name)
		}
		return data, err
	}
	if !slices.Contains(t.Other, name) && !slices.Contains(t.Ignored, name) {
		return nil, fmt.Errorf("%s is not a file of %s", name, t.Path)
	}
	return t.p.tree.ReadFile(name, filetree.MaxSource)
}
