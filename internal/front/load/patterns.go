package load

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// cmdline is the import path of a package given as a list of files.
const cmdline = "command-line-arguments"

// mainPackage starts loading the package that the patterns name.
func (l *loader) mainPackage() (*pkg, error) {
	if l.cfg.Command != nil {
		return l.command(), nil
	}
	patterns := l.cfg.Patterns
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if l.namesFiles(patterns) {
		return l.namedFiles(patterns)
	}
	if len(patterns) > 1 {
		return nil, diag.Errorf("one package expected, not %d: %s", len(patterns), strings.Join(patterns, " "))
	}
	pattern := patterns[0]
	if strings.Contains(pattern, "...") {
		dir, err := l.oneMain(pattern)
		if err != nil {
			return nil, err
		}
		return l.directory(dir)
	}
	if l.isDirPattern(pattern) {
		return l.directory(l.User.At(l.Dir, filepath.FromSlash(pattern)))
	}
	var err error
	if l.mods, err = l.FindModules(l.Dir); err != nil {
		return nil, err
	}
	pl, err := l.resolve(pattern, nil)
	if err != nil {
		if l.User.IsDir(l.User.At(l.Dir, filepath.FromSlash(pattern))) {
			return nil, diag.Errorf("%v; the directory is written ./%s", err, pattern)
		}
		return nil, diag.Errorf("%v", err)
	}
	return l.root(pl), nil
}

// NamesFiles reports whether patterns are .go files. A package's directory or its import path in
// another module may also end with .go, like github.com/nats-io/nats.go.
func NamesFiles(patterns []string, stat func(name string) (fs.FileInfo, error)) bool {
	name := filepath.ToSlash(patterns[0])
	if !strings.HasSuffix(name, ".go") {
		return false
	}
	if st, err := stat(patterns[0]); err == nil {
		return !st.IsDir()
	}
	first, _, below := strings.Cut(name, "/")
	return !below || !strings.Contains(strings.Trim(first, "."), ".")
}

func (l *loader) namesFiles(patterns []string) bool {
	return NamesFiles(patterns, func(name string) (fs.FileInfo, error) {
		return l.User.Stat(l.User.At(l.Dir, filepath.FromSlash(name)))
	})
}

// isDirPattern reports whether a pattern is a directory rather than an import
// path.
func (l *loader) isDirPattern(p string) bool {
	p = filepath.ToSlash(p)
	return p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") || l.User.IsAbs(p) ||
		filepath.IsAbs(p)
}

// root registers the requested package. The program's main package has the path "main". A package
// under test keeps its import path.
func (l *loader) root(pl *place) *pkg {
	p := &pkg{place: *pl, importPath: pl.path, dirPath: pl.path, loaded: make(chan struct{}), test: l.cfg.Test}
	if !l.cfg.Test && !((l.cfg.Exports || l.cfg.Any) && l.packageName(p.dir) != "main") {
		p.path = "main"
	}
	if p.origin.std() && l.onBase(p.path) != nil {
		l.base = nil // it replaces a package of the base
	}
	if p.origin.std() {
		l.library = nil
	}
	l.mu.Lock()
	l.start(p)
	l.mu.Unlock()
	return p
}

// directory starts loading the package in a directory.
func (l *loader) directory(dir string) (*pkg, error) {
	t := l.User
	if !t.IsDir(dir) {
		if t.IsFile(dir) {
			return nil, diag.Errorf("%s is not a directory", l.Short(dir))
		}
		return nil, diag.Errorf("stat %s: directory not found", l.Short(dir))
	}
	var err error
	if path, ok := l.stdPath(dir); ok && !strings.HasPrefix(path, "cmd/") {
		if l.mods, err = l.FindModules(l.Dir); err != nil {
			return nil, err
		}
		pl, err := l.locate(path, true)
		if err != nil {
			return nil, diag.Errorf("%v", err)
		}
		return l.root(pl), nil
	}
	if l.mods, err = l.FindModules(dir); err != nil {
		return nil, err
	}
	return l.root(l.userPlace(dir)), nil
}

// stdPath returns the import path of a user's directory that is in GOROOT/src.
func (l *loader) stdPath(dir string) (path string, ok bool) {
	if l.User.FS != nil || l.cfg.Std != nil {
		return "", false
	}
	path, ok = l.User.Rel(filepath.Join(l.GOROOT, "src"), dir)
	return path, ok && path != "."
}

// userPlace returns the place of the package in a user's directory, which may be in a main module
// or in none.
func (l *loader) userPlace(dir string) *place {
	path, m := l.mods.PathOf(dir)
	if m == nil {
		path = cmdline
	}
	return &place{path: path, tree: l.userTree(dir), dir: dir, mod: m}
}

// userTree returns the tree that may be read for the package in a user's directory: its module, or
// the directory.
func (l *loader) userTree(dir string) filetree.Tree {
	if l.mods != nil {
		if _, m := l.mods.PathOf(dir); m != nil {
			return m.Tree
		}
	}
	return l.Roots.Within(l.User, dir)
}

func isTestFile(name string) bool { return strings.HasSuffix(name, "_test.go") }

// dirOfFiles returns the directory that contains all of some .go files.
func (l *loader) dirOfFiles(names []string) (dir string, err error) {
	t := l.User
	for i, name := range names {
		if !strings.HasSuffix(name, ".go") {
			return "", diag.Errorf("named files must be .go files: %s", name)
		}
		full := t.At(l.Dir, filepath.FromSlash(name))
		st, err := t.Stat(full)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", diag.Errorf("stat %s: no such file or directory", name)
		case err != nil:
			return "", diag.Errorf("stat %s: %v", name, filetree.Reason(err))
		case st.IsDir():
			return "", diag.Errorf("%s is a directory, should be a Go file", name)
		}
		d := t.Dir(full)
		if i > 0 && d != dir {
			return "", diag.Errorf("named files must all be in one directory; have %s and %s", l.Short(dir), l.Short(d))
		}
		dir = d
	}
	return dir, nil
}

// namedFiles starts loading the package that consists of some files.
func (l *loader) namedFiles(names []string) (*pkg, error) {
	if i := slices.IndexFunc(names, isTestFile); i >= 0 && !l.cfg.Test {
		return nil, diag.Errorf("cannot run *_test.go files (%s)", names[i])
	}
	dir, err := l.dirOfFiles(names)
	if err != nil {
		return nil, err
	}
	if l.mods, err = l.FindModules(dir); err != nil {
		return nil, err
	}
	path, m := l.mods.PathOf(dir)
	p := &pkg{
		place:      place{path: "main", tree: l.userTree(dir), dir: dir, mod: m},
		importPath: cmdline, dirPath: path,
		named: names, test: l.cfg.Test, internals: l.cfg.Internals, loaded: make(chan struct{}),
	}
	if l.cfg.Test || l.cfg.Any && l.ofLibrary(names[0]) {
		p.path = cmdline
	}
	l.mu.Lock()
	l.start(p)
	l.mu.Unlock()
	return p, nil
}

// oneMain returns the directory of the one main package that a pattern with "..." matches.
func (l *loader) oneMain(pattern string) (string, error) {
	if l.cfg.Test {
		return "", diag.Errorf("pattern %s: name one package to test", pattern)
	}
	dirs, err := l.expand(pattern)
	if err != nil {
		return "", err
	}
	var mains []string
	for _, d := range dirs {
		if l.packageName(d) == "main" {
			mains = append(mains, d)
		}
	}
	switch len(mains) {
	case 0:
		return "", diag.Errorf("pattern %s matches no main package", pattern)
	case 1:
		return mains[0], nil
	}
	for i := range mains {
		mains[i] = l.Short(mains[i])
	}
	return "", diag.Errorf("pattern %s matches %d main packages: %s", pattern, len(mains), strings.Join(mains, " "))
}

// expand returns the directories with Go files that match a pattern with "...". Only patterns of
// directories are supported.
func (l *loader) expand(pattern string) ([]string, error) {
	if !l.isDirPattern(pattern) {
		return nil, diag.Errorf("pattern %s: only patterns of directories, like ./..., are supported", pattern)
	}
	before, after, _ := strings.Cut(filepath.ToSlash(pattern), "...")
	if after != "" || before != "" && !strings.HasSuffix(before, "/") {
		return nil, diag.Errorf("pattern %s: only a final /... is supported", pattern)
	}
	t := l.User
	root := t.At(l.Dir, filepath.FromSlash(before))
	if !t.IsDir(root) {
		return nil, diag.Errorf("stat %s: directory not found", l.Short(root))
	}
	var dirs []string
	var walk func(dir string)
	walk = func(dir string) {
		list, err := t.ReadDir(dir)
		if err != nil {
			return
		}
		if own := l.userTree(dir); l.HasGoFiles(own, dir) || len(l.filetests(own, dir)) > 0 {
			dirs = append(dirs, dir)
		}
		for _, e := range list {
			name := e.Name()
			sub := t.Join(dir, name)
			if !e.IsDir() || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" ||
				name == "vendor" || t.IsFile(t.Join(sub, "go.mod")) {
				continue
			}
			walk(sub)
		}
	}
	walk(root)
	slices.Sort(dirs)
	return dirs, nil
}

// packageName returns the name of the package in a directory, or "".
func (l *loader) packageName(dir string) string {
	t := l.userTree(dir)
	list, err := t.ReadSources(dir)
	if err != nil {
		return ""
	}
	for _, e := range list {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !l.match.Name(name) {
			continue
		}
		src, err := t.ReadFile(t.Join(dir, name), filetree.MaxSource)
		if err != nil {
			continue
		}
		if ok, _ := l.match.Header(src); !ok || isFiletest(name, src) {
			continue
		}
		if of := packageOf(src); of != "" && of != "documentation" {
			return of
		}
	}
	return ""
}

// packageOf returns the name in a file's package clause, or "".
func packageOf(src []byte) string {
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return f.Name.Name
}

// ofLibrary reports whether a file's package is not main.
func (l *loader) ofLibrary(name string) bool {
	src, err := l.User.ReadFile(l.User.At(l.Dir, filepath.FromSlash(name)), filetree.MaxSource)
	return err == nil && packageOf(src) != "main"
}
