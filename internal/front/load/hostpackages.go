package load

import (
	"path"
	"slices"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// Packages of the host.
//
// The caller of a compilation may declare packages whose functions are functions of the host
// (package hostpkg). A program compiles one file of each, which hostpkg has written: the
// declaration, with bodies that call the runtime. Such a package differs from the program's own
// packages in two respects: its file may have linknames to the runtime, as all files that gyr
// writes, and its names that begin with gyr_ become names that cannot be written in Go.
//
// The host's packages take precedence over modules: a module's package with the same path does not
// count, as if the host had replaced it. So a guest can be developed with stubs in a module of
// their own.

// A HostPackage is a package whose functions are the host's.
type HostPackage struct {
	Path   string // import path
	Source string // the result of hostpkg.Package.Link
}

// hostFile is the name of the file of a package of the host.
const hostFile = "host.go"

// hostPlace returns where a package of the host is, or nil.
func (l *loader) hostPlace(p string) *place {
	i := slices.IndexFunc(l.cfg.Host, func(h HostPackage) bool { return h.Path == p })
	if i < 0 {
		return nil
	}
	files, err := txtar.FS(&txtar.Archive{Files: []txtar.File{{Name: path.Join(p, hostFile), Data: []byte(l.cfg.Host[i].Source)}}})
	if err != nil {
		return nil // hostpkg.Parse refuses the path
	}
	return &place{path: p, tree: filetree.Tree{FS: files}, dir: p, host: true}
}

// ofHost marks a file of a package of the host as written by gyr.
func (f *file) ofHost() {
	f.generated = true
	hideNames(f)
}

// A HostPathError says that a package of the host has a path of the standard library.
type HostPathError struct{ Path string }

func (e *HostPathError) Error() string {
	return "host package " + e.Path + ": its path is that of a package of the standard library"
}

// checkHost refuses packages of the host with such paths.
func (l *loader) checkHost() error {
	for _, h := range l.cfg.Host {
		if _, ok := l.stdPlace(h.Path); ok || l.library != nil && l.library.Has(h.Path) {
			return &HostPathError{h.Path}
		}
	}
	return nil
}

// hostPaths returns the paths of the host's packages among those of a program.
func hostPaths(order []*pkg) (paths []string) {
	for _, p := range order {
		if p.host {
			paths = append(paths, p.path)
		}
	}
	slices.Sort(paths)
	return paths
}
