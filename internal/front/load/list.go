package load

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/printable"
)

// A Listed is a package that patterns name. Nothing of it is loaded yet.
type Listed struct {
	Path  string // import path; command-line-arguments for files
	Dir   string // absolute, or a path in Options.FS
	Std   bool
	Files []string // of packages given as lists of files: the patterns

	Dep bool // not of a main module nor of std: named by its path, since its directory would be in a main module

	Main      bool     // its files are of package main; unknown for files and for std
	HasGo     bool     // it has files that belong to the build and are not tests
	HasTests  bool     // it has _test.go files that belong to the build
	Filetests []string // names of *_filetest.go and *_filetest.txtar files, which are not part of the package
	Ignored   bool     // all its files are excluded by build constraints

	Err error // set if the package does not exist
}

// List finds the packages that cfg.Patterns name as the go command does, in the order of the
// patterns. A pattern is one of: .go files of one directory; a directory or an import path; one of
// these with a final /..., for everything below it except directories named testdata or vendor or
// with names that begin with a dot or an underscore; std. Without patterns List returns the package
// in Dir. Patterns that match nothing are returned in unmatched; a package that does not exist has
// an Err.
func List(ctx context.Context, cfg Options) (list []Listed, unmatched []string, err error) {
	l, err := newLoader(ctx, &cfg)
	if err != nil {
		return nil, nil, err
	}
	defer l.close()
	patterns := cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if l.namesFiles(patterns) {
		files, err := l.listFiles(patterns)
		return files, nil, err
	}
	if l.mods, err = l.FindModules(l.Dir); err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for _, p := range patterns {
		found, err := l.listPattern(p)
		if err != nil {
			return nil, nil, err
		}
		if len(found) == 0 {
			unmatched = append(unmatched, p)
		}
		for _, x := range found {
			if !seen[x.Path] {
				seen[x.Path] = true
				list = append(list, x)
			}
		}
	}
	return list, unmatched, nil
}

// listFiles is List for .go files.
func (l *loader) listFiles(names []string) ([]Listed, error) {
	dir, err := l.dirOfFiles(names)
	if err != nil {
		return nil, err
	}
	return []Listed{{Path: cmdline, Dir: dir, Files: names, HasGo: true,
		HasTests: slices.ContainsFunc(names, isTestFile)}}, nil
}

func (l *loader) listPattern(p string) ([]Listed, error) {
	if before, ok := strings.CutSuffix(filepath.ToSlash(p), "..."); ok {
		if before != "" && !strings.HasSuffix(before, "/") || strings.Contains(before, "...") {
			return nil, diag.Errorf("pattern %s: only a final /... is supported", p)
		}
		if l.isDirPattern(p) {
			return l.listDirs(p)
		}
		return l.listBelow(strings.TrimSuffix(before, "/"))
	}
	switch p {
	case "std":
		return l.listStd("")
	case "all", "cmd", "main", "tool", "work":
		return nil, diag.Errorf("pattern %s is not supported: name directories, import paths, ./... or std", p)
	}
	if l.isDirPattern(p) {
		dir := l.User.At(l.Dir, filepath.FromSlash(p))
		if !l.User.IsDir(dir) {
			return nil, diag.Errorf("stat %s: directory not found", l.Short(dir))
		}
		x, ok := l.listDir(dir)
		if !ok {
			x.Err = diag.Errorf("no Go files in %s", l.Short(dir))
		}
		return []Listed{x}, nil
	}
	pl, err := l.resolve(p, nil)
	if err != nil {
		if l.User.IsDir(l.User.At(l.Dir, filepath.FromSlash(p))) {
			err = diag.Errorf("%v; the directory is written ./%s", err, p)
		}
		return []Listed{{Path: p, Err: err}}, nil
	}
	if l.cfg.Std != nil && pl.origin.std() {
		return nil, &SourcesError{What: "testing package " + pl.path}
	}
	x := l.listed(pl)
	x.Dep = !x.Std && (pl.mod == nil || !pl.mod.Main)
	return []Listed{x}, nil
}

// listDirs lists the packages below a directory.
func (l *loader) listDirs(pattern string) ([]Listed, error) {
	dirs, err := l.expand(pattern)
	if err != nil {
		return nil, err
	}
	var list []Listed
	for _, dir := range dirs {
		if x, ok := l.listDir(dir); ok && !x.Ignored {
			list = append(list, x)
		}
	}
	return list, nil
}

// listBelow lists the packages of std and of main modules whose import path is prefix or below it.
func (l *loader) listBelow(prefix string) ([]Listed, error) {
	list, err := l.listStd(prefix)
	if err != nil {
		return nil, err
	}
	for _, m := range l.mods.Main {
		rest := ""
		if prefix != "" && prefix != m.Path {
			var ok bool
			if rest, ok = strings.CutPrefix(prefix, m.Path+"/"); !ok && !strings.HasPrefix(m.Path, prefix+"/") {
				continue
			}
		}
		root := m.Tree.Join(m.Dir, filepath.FromSlash(rest))
		if !m.Tree.IsDir(root) {
			continue
		}
		found, err := l.listDirs(filepath.ToSlash(root) + "/...")
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// listStd lists the packages of the standard library whose path is prefix or is below it. It leaves
// out packages that std vendors, commands, the documentation of builtins, and cgo.
func (l *loader) listStd(prefix string) ([]Listed, error) {
	src := filepath.Join(l.GOROOT, "src")
	var list []Listed
	var walk func(path string)
	walk = func(path string) {
		dir := filepath.Join(src, filepath.FromSlash(path))
		entries, err := l.Machine.ReadDir(dir)
		if err != nil {
			return
		}
		if path != "" && path != "builtin" && path != "runtime/cgo" && l.isStd(path) {
			if x := l.listed(&place{path: path, tree: l.Machine, dir: dir, origin: ofGOROOT}); !x.Ignored {
				list = append(list, x)
			}
		}
		for _, e := range entries {
			name := e.Name()
			if e.IsDir() && name != "testdata" && name != "vendor" && !strings.HasPrefix(name, ".") &&
				!strings.HasPrefix(name, "_") && !(path == "" && name == "cmd") {
				walk(strings.TrimPrefix(path+"/"+name, "/"))
			}
		}
	}
	first, _, _ := strings.Cut(prefix, "/")
	if strings.Contains(first, ".") || first == "cmd" {
		return nil, nil
	}
	if std := l.cfg.Std; std != nil {
		if prefix == "" || slices.ContainsFunc(std.packages, func(p string) bool { return below(p, prefix) }) {
			return nil, &SourcesError{What: "testing the standard library"}
		}
		return nil, nil
	}
	walk(prefix)
	slices.SortFunc(list, func(a, b Listed) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// below reports whether a path is prefix or below it.
func below(path, prefix string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }

// listDir lists the package in a directory. It returns false if the directory has no Go files.
func (l *loader) listDir(dir string) (Listed, bool) {
	if t := l.userTree(dir); !l.HasGoFiles(t, dir) && len(l.filetests(t, dir)) == 0 {
		return Listed{Dir: dir, Path: dir}, false
	}
	if path, ok := l.stdPath(dir); ok {
		return l.listed(&place{path: path, tree: l.Machine, dir: dir, origin: ofGOROOT}), true
	}
	return l.listed(l.userPlace(dir)), true
}

// filetests returns the names of the filetests in a directory, sorted. A Go file with such a name
// that is not a main program is an ordinary file of the package.
func (l *loader) filetests(t filetree.Tree, dir string) (names []string) {
	list, err := t.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range list {
		name := e.Name()
		switch {
		case e.IsDir() || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_"):
		case strings.HasSuffix(name, filetestGo):
			src, err := t.ReadFile(t.Join(dir, name), filetree.MaxSource)
			if err == nil && isFiletest(name, src) {
				names = append(names, name)
			}
		case strings.HasSuffix(name, "_filetest.txtar"):
			names = append(names, name)
		}
	}
	return names
}

const filetestGo = "_filetest.go"

// isFiletest reports whether a Go file in a package's directory is a program of its own: it is
// named like one and is a main package. A file whose package clause cannot be read counts too.
func isFiletest(name string, src []byte) bool {
	if !strings.HasSuffix(name, filetestGo) {
		return false
	}
	of := packageOf(src)
	return of == "" || of == "main"
}

// listed reads the names and headers of a package's files.
func (l *loader) listed(pl *place) Listed {
	x := Listed{Path: pl.path, Dir: pl.dir, Std: pl.origin.std()}
	files, err := pl.tree.ReadSources(pl.dir)
	if err != nil {
		x.Err = err
		return x
	}
	if err := l.usurped(pl, pl.path); err != nil {
		x.Path, x.Err = printable.Line(x.Path), err
		return x
	}
	if !pl.origin.std() {
		x.Filetests = l.filetests(pl.tree, pl.dir)
		x.Main = l.packageName(pl.dir) == "main"
	}
	for _, e := range files {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || !l.match.Name(name) || slices.Contains(x.Filetests, name) {
			continue
		}
		isTest := isTestFile(name)
		if isTest && x.HasTests || !isTest && x.HasGo {
			continue
		}
		src, err := pl.tree.ReadFile(pl.tree.Join(pl.dir, name), filetree.MaxSource)
		if err != nil {
			continue
		}
		if ok, _ := l.header(pl, src); ok {
			x.HasTests = x.HasTests || isTest
			x.HasGo = x.HasGo || !isTest
		}
	}
	x.Ignored = !x.HasGo && !x.HasTests && len(x.Filetests) == 0
	return x
}
