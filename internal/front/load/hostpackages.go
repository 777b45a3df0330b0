package load

import (
	"path"
	"slices"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// Packages of the host.
//
// Whoever compiles a program may declare packages whose functions are functions of the host (package hostpkg). What the program
// compiles of them is one file each, which hostpkg has written: the declaration, in which functions have bodies that call the
// runtime. Such a package is the program's own in every respect but two: the file may have linknames to the runtime, as all files that
// gyr writes, and names that begin with gyr_ become names that cannot be written in Go.
//
// The host's packages go before modules: a module that has a package with the same path does not count, as if the host had
// replaced it. So a guest can be developed with stubs in a module of their own.

// A HostPackage is a package whose functions are the host's.
type HostPackage struct {
	Path   string // import path
	Source string // what hostpkg.Package.Link returned
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
		return nil // no path that hostpkg.Parse accepts
	}
	return &place{path: p, tree: filetree.Tree{FS: files}, dir: p, host: true}
}

// ofHost makes a file of a package of the host what files are that gyr has written.
func (f *file) ofHost() {
	f.generated = true
	hideNames(f)
}

// A HostPathError says that a package of the host has a path that is not the host's to have.
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
