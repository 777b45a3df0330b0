package load

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/printable"
)

// Origins: the owner of a package.
//
// The standard library has privileges that other packages do not have: docs/security.md lists them.
// This file decides which packages belong to the standard library, by the place of their files:
// below GOROOT/src, in the overlay, or nowhere because the loader made them. Import paths do not
// count, since users choose the path of their module.
//
// The loader keeps packages by origin and path (key), so that it never mistakes one for another
// with the same path. Beyond the loader, link symbols, type names and go/types know packages by
// path alone, so no program may have two packages with one path. It is an error if a user's package
// has a path of the standard library (usurped), or if a module of the program provides a package
// that the standard library has (claims).

// An origin is where a package was loaded from.
type origin uint8

const (
	ofUser    origin = iota // a main module, a dependency, a vendor directory, named files, Options.FS
	ofGOROOT                // GOROOT/src
	ofOverlay               // Options.Overlay
	ofLoader                // the loader itself: the main package of a test
)

// std reports whether packages of this origin have the privileges of the standard library.
func (o origin) std() bool { return o != ofUser }

// A key identifies a package of a program. Packages of GOROOT and of the overlay count as one
// library. The main package that the loader makes has its own owner.
type key struct {
	owner origin // ofGOROOT for packages of the overlay too
	path  string
}

func (p *place) key() key {
	if p.origin == ofOverlay {
		return key{ofGOROOT, p.path}
	}
	return key{p.origin, p.path}
}

// stdPkg returns a loaded package of the standard library, or nil.
func (l *loader) stdPkg(path string) *pkg { return l.pkgs[key{ofGOROOT, path}] }

// stdPlace returns where the standard library has the package with a path. It returns false if it
// has none.
func (l *loader) stdPlace(path string) (*place, bool) {
	if slices.Contains(Overlay, path) {
		return &place{path: path, tree: l.overlay, dir: path, origin: ofOverlay}, true
	}
	return l.gorootPlace(path), l.isStd(path)
}

// usurped returns an error if the import path of a user's package belongs to the standard library
// or is not valid.
func (l *loader) usurped(pl *place, path string) error {
	switch first, _, _ := strings.Cut(path, "/"); {
	case printable.Line(path) != path:
		return fmt.Errorf("malformed import path %q: invalid characters", path)
	case pl.origin.std() || strings.Contains(first, "."):
		return nil // no path of the standard library has a dot in its first element
	case path == "C":
		return fmt.Errorf(`cannot load package C: import "C" stands for cgo, which is not supported`)
	}
	if _, ok := l.stdPlace(path); ok {
		return l.ambiguous(path, pl.mod, pl.dir)
	}
	return nil
}

// claims returns an error if a module also provides a package of the standard library.
func (l *loader) claims(path string) error {
	d, dir, ok := l.mods.Provider(path)
	if !ok {
		return nil
	}
	return l.ambiguous(path, d, dir)
}

// ambiguous returns the go command's error for a path that two places provide.
func (l *loader) ambiguous(path string, d *gomod.Module, dir string) error {
	where, dir := l.Shown(filepath.Join(l.GOROOT, "src", filepath.FromSlash(path))), l.Shown(dir)
	switch {
	case d == nil:
		return fmt.Errorf("ambiguous import: found package %s in multiple directories:\n\t%s\n\t%s", path, where, dir)
	case !d.Main:
		return fmt.Errorf("ambiguous import: found package %s in multiple modules:\n\t%s %s (%s)\n\t (%s)", path, d.Path,
			d.Asked, dir, where)
	}
	return fmt.Errorf("ambiguous import: found package %s in multiple modules:\n\t%s (%s)\n\t (%s)", path, d.Path, dir,
		where)
}

// claimed returns an error if a module claims the package q of the standard library. If p is not
// nil, the error's position is where p imports q.
func (l *loader) claimed(q, p *pkg) *diag.Error {
	if !q.origin.std() || q.generated {
		return nil
	}
	err := l.claims(q.path)
	if err == nil {
		return nil
	}
	e := &diag.Error{Msg: err.Error()}
	if p != nil {
		e.Pos = l.importOf(p, q)
	}
	return e
}

// importOf returns the first position at which p imports q, or none if p was not read from source.
func (l *loader) importOf(p, q *pkg) token.Position {
	for _, f := range p.files {
		for _, spec := range f.ast.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); p.imports[path] == q {
				return l.position(f, spec.Pos())
			}
		}
	}
	return token.Position{}
}

// cycle returns the error of packages each of which imports the next one, and the last of which
// imports the first. It names the place of each import.
func (l *loader) cycle(chain []*pkg) *diag.Error {
	e := &diag.Error{Msg: "import cycle not allowed: " + chain[0].importPath}
	for i, p := range chain {
		q := chain[(i+1)%len(chain)]
		e.Pos = l.importOf(p, q)
		e.Msg += " imports " + q.importPath
		if e.Pos.IsValid() {
			e.Msg += fmt.Sprintf(" (%s:%d)", e.Pos.Filename, e.Pos.Line)
		}
	}
	return e
}

// reserved returns an error if the package under test has a path that other packages of the test
// need.
func (l *loader) reserved(p *pkg) error {
	if p.path == "main" {
		return diag.Errorf(`%s.test: could not import main (cannot import "main")`, p.importPath)
	}
	tests := place{path: p.path + "_test", origin: p.origin}
	if q := l.pkgs[tests.key()]; q != nil && len(p.xfiles) > 0 {
		return diag.Errorf("package %s, in %s, has the path of the external tests of %s", q.path, l.Short(q.dir), p.importPath)
	}
	return nil
}

// badElement returns an element of an import path that would lead out of the directory, or "".
func badElement(path string) string {
	for elem := range strings.SplitSeq(path, "/") {
		if elem == "." || elem == ".." {
			return elem
		}
	}
	return ""
}

// unvendored returns the path by which a package in a vendor directory is imported, and other paths
// unchanged.
func unvendored(path string) string {
	i := strings.LastIndex("/"+path, "/vendor/")
	if i < 0 {
		return path
	}
	return path[i+len("vendor/"):]
}
