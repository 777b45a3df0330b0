package load

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
)

// A place is the location of a package's sources.
type place struct {
	path   string // import path
	tree   filetree.Tree
	dir    string
	origin origin
	mod    *gomod.Module // nil for std and for files outside any module
	host   bool          // of Options.Host
}

// resolve finds the package that an import in the package from names.
func (l *loader) resolve(path string, from *pkg) (*place, error) {
	switch {
	case path == "":
		return nil, fmt.Errorf("invalid import path: empty string")
	case strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || path == "." || path == "..":
		return nil, fmt.Errorf("%q is relative, but relative import paths are not supported", path)
	case strings.HasPrefix(path, "/"):
		return nil, fmt.Errorf("cannot import absolute path")
	case strings.ContainsAny(path, "\\ \t\x00!\"#$%&'()*,:;<=>?[]^`{|}") || strings.Contains(path, "//") || strings.HasSuffix(path, "/"):
		return nil, fmt.Errorf("malformed import path %q", path)
	case strings.Contains(path, "@"):
		pkg, _, _ := strings.Cut(path, "@")
		return nil, fmt.Errorf("package %s: go.mod chooses versions, and nothing is downloaded: run go get %s, and name %s", path, path, pkg)
	case badElement(path) != "":
		return nil, fmt.Errorf("malformed import path %q: invalid path element %q", path, badElement(path))
	case from != nil && !from.origin.std() && unvendored(path) != path:
		return nil, fmt.Errorf("%s must be imported as %s", path, unvendored(path))
	case from != nil && path == "main":
		return nil, fmt.Errorf(`could not import main (cannot import "main")`)
	case path == "plugin" && (from == nil || !from.origin.std()):
		return nil, fmt.Errorf("package plugin is not supported")
	}
	p, err := l.locateFor(path, from)
	if err != nil {
		return nil, err
	}
	if from != nil {
		if err := checkInternal(p, from); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// locateFor finds the package with an import path, as seen from the package from.
func (l *loader) locateFor(path string, from *pkg) (*place, error) {
	if from != nil && from.ofCommand() {
		return l.locateInCommand(path)
	}
	return l.locate(path, from != nil && from.origin.std())
}

// locate finds the package with an import path. Inside the standard library golang.org/x is the
// vendored copy.
func (l *loader) locate(path string, fromStd bool) (*place, error) {
	if slices.Contains(Overlay, path) {
		pl, _ := l.stdPlace(path)
		return pl, nil
	}
	first, _, _ := strings.Cut(path, "/")
	if b := l.onBase(path); b != nil && (fromStd || first != "vendor") {
		p := l.placeOf(b)
		return &p, nil
	}
	if l.library != nil && !fromStd && l.library.Has(path) {
		return l.gorootPlace(path), nil
	}
	if fromStd && strings.Contains(first, ".") {
		return l.gorootPlace("vendor/" + path), nil
	}
	if !strings.Contains(first, ".") && first != "cmd" && (fromStd || first != "vendor") {
		if pl, ok := l.stdPlace(path); ok || fromStd {
			return pl, nil
		}
	}
	if pl := l.hostPlace(path); pl != nil && !fromStd {
		return pl, nil
	}
	dir, m, err := l.mods.Find(path)
	if err != nil {
		return nil, err
	}
	return &place{path: path, tree: m.Tree, dir: dir, mod: m}, nil
}

// isStd reports whether GOROOT/src has a package with a path.
func (l *loader) isStd(path string) bool {
	if l.cfg.Std != nil {
		return l.cfg.Std.has(path)
	}
	dir := filepath.Join(l.GOROOT, "src", filepath.FromSlash(path))
	return l.Machine.IsDir(dir) && l.HasGoFiles(l.Machine, dir)
}

// checkInternal enforces the rule of internal packages: they can be imported
// from the tree rooted at the parent of their internal directory.
func checkInternal(p *place, from *pkg) error {
	path := p.path
	i := strings.LastIndex("/"+path+"/", "/internal/")
	if i < 0 {
		return nil
	}
	if p.origin.std() {
		if from.origin.std() || from.internals {
			return nil // the standard library is trusted to follow the rule
		}
		return fmt.Errorf("use of internal package %s not allowed", path)
	}
	parent := strings.TrimPrefix(("/" + path)[:i], "/")
	if parent == "" || from.dirPath == parent || strings.HasPrefix(from.dirPath, parent+"/") {
		return nil
	}
	return fmt.Errorf("use of internal package %s not allowed", path)
}
