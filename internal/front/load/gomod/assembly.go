package gomod

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/target"
)

// maxAssemblyLook is the number of a module's directories that are searched for assembly. A module
// with more counts as having some.
const maxAssemblyLook = 10000

// A knownAssembly says whether a module has assembly, after the first search.
type knownAssembly struct {
	once  sync.Once
	found bool
}

// HasAssembly reports whether a module has assembly with code, for any processor. Of a vendored
// module only the packages that the program needs are present.
func (m *Modules) HasAssembly(d *Module) bool {
	d.assembly.once.Do(func() { d.assembly.found = m.findAssembly(d) })
	return d.assembly.found
}

func (m *Modules) findAssembly(d *Module) bool {
	look := &assemblyLook{tree: d.Tree}
	if m == nil || m.vendor == "" || d.Main {
		return look.below(d.Dir)
	}
	for path, by := range m.vendorPkg {
		if by == d && look.in(d.Tree.Join(m.vendor, filepath.FromSlash(path))) {
			return true
		}
	}
	return false
}

// AssemblyIn reports whether a directory has an assembly file with code.
func AssemblyIn(t filetree.Tree, dir string) bool {
	look := &assemblyLook{tree: t}
	return look.in(dir)
}

// An assemblyLook looks for assembly in directories of a module.
type assemblyLook struct {
	tree filetree.Tree
	n    int // directories so far
}

// in reports whether a directory has an assembly file with code. A directory that cannot be read
// counts as having one.
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
		if err != nil || target.HasCode(src) {
			return true
		}
	}
	return false
}

// below searches a directory and its subdirectories that belong to the same module.
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
