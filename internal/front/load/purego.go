package load

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// The build tag purego leaves out assembly, by custom. It is set for the standard library, and for modules that have
// assembly. In other modules it means something else: that memory is reached through package reflect, which is slower and
// cannot do all that unsafe can. There it is set only where unsafe is refused, or where the user sets it.

const pureTag = "purego"

// maxAssemblyLook is how many directories of a module are looked at for assembly; a module with more counts as one that
// has some.
const maxAssemblyLook = 10000

// header is matcher.header for a file of a package.
func (l *loader) header(pl *place, src []byte) (ok, cgo bool) {
	ok, cgo = l.match.header(src)
	if l.impure == nil || pl.origin.std() || !bytes.Contains(src[:headerEnd(src)], []byte(pureTag)) {
		return ok, cgo
	}
	if other, _ := l.impure.header(src); other != ok && !l.pure(pl) {
		return other, cgo
	}
	return ok, cgo
}

// pure reports whether the tag is set for a package outside the standard library.
func (l *loader) pure(pl *place) bool {
	switch {
	case !l.forUnits && pl.forbidsUnsafe(l.cfg.Unsafe) != "":
		return true
	case pl.mod == nil:
		look := &assemblyLook{tree: pl.tree}
		return look.in(pl.dir)
	}
	d := pl.mod
	d.assembly.once.Do(func() { d.assembly.found = l.hasAssembly(d) })
	return d.assembly.found
}

// A knownAssembly says whether a module has assembly, once that was asked.
type knownAssembly struct {
	once  sync.Once
	found bool
}

// hasAssembly reports whether a module has assembly with code, for whatever processor. Of a vendored one only the packages
// are there that the program needs.
func (l *loader) hasAssembly(d *mod) bool {
	look := &assemblyLook{tree: d.tree}
	if l.mods == nil || l.mods.vendor == "" || d.main {
		return look.below(d.dir)
	}
	for path, by := range l.mods.vendorPkg {
		if by == d && look.in(d.tree.Join(l.mods.vendor, filepath.FromSlash(path))) {
			return true
		}
	}
	return false
}

// An assemblyLook looks for assembly in directories of a module.
type assemblyLook struct {
	tree filetree.Tree
	n    int // directories so far
}

// in reports whether a directory has a file of assembly with code. One that cannot be read may have some.
func (a *assemblyLook) in(dir string) bool {
	list, err := a.tree.ReadSources(dir)
	if err != nil {
		return true
	}
	for _, e := range list {
		if ext := filepath.Ext(e.Name()); e.IsDir() || ext != ".s" && ext != ".S" {
			continue
		}
		src, err := a.tree.ReadFile(a.tree.Join(dir, e.Name()), filetree.MaxSource)
		if err != nil || hasCode(src) {
			return true
		}
	}
	return false
}

// below looks at a directory and those in it that have packages of the same module.
func (a *assemblyLook) below(dir string) bool {
	if a.n++; a.n > maxAssemblyLook || a.in(dir) {
		return true
	}
	list, err := a.tree.ReadDir(dir)
	if err != nil {
		return true
	}
	for _, e := range list {
		name := e.Name()
		if !e.IsDir() || name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			continue
		}
		if sub := a.tree.Join(dir, name); !a.tree.IsFile(a.tree.Join(sub, "go.mod")) && a.below(sub) {
			return true
		}
	}
	return false
}
