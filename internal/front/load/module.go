package load

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/gyrvm/gyr/internal/hostfile"
)

// A mod is one module of the build.
type mod struct {
	path      string
	version   string // empty for main modules and replacements by a directory
	asked     string // the required version, whatever replaces it
	tree      tree
	dir       string // empty: not yet found in the module cache
	goVersion string // language version: "go1.26"
	main      bool

	once sync.Once
	err  error
	src  module.Version // what is looked up in the module cache
}

// modules knows which module supplies a package: the main modules, and the selected versions of their
// requirements.
type modules struct {
	l    *loader
	root string // directory of go.mod or go.work; empty: no module
	file string // go.mod, as errors name it
	main []*mod
	deps []*mod // by path

	workVersion string // language version of go.work
	godebug     []modfile.Godebug

	vendor    string          // directory of vendored packages, if those are used
	vendorPkg map[string]*mod // by import path
}

// findModules reads the go.mod (or go.work) that governs dir.
func (l *loader) findModules(dir string) (*modules, error) {
	m := &modules{l: l}
	t := l.user
	find := func(name string) string {
		for d := dir; ; {
			if f := t.join(d, name); t.isFile(f) {
				return f
			}
			up := t.dir(d)
			if up == d {
				return ""
			}
			d = up
		}
	}
	work := ""
	switch w := l.cfg.Getenv("GOWORK"); {
	case w == "off" || l.goflag("modfile") != "":
	case w != "" && t.fs == nil:
		work = w
	default:
		work = find("go.work")
	}
	if work != "" {
		return m, m.readWork(work)
	}
	file := find("go.mod")
	if file == "" {
		return m, nil
	}
	m.root, m.file = t.dir(file), l.modFile(file)
	main, f, err := m.readMain(m.root)
	if err != nil {
		return nil, err
	}
	m.main = []*mod{main}
	m.godebug = godebugLines(f.Godebug)
	useVendor := t.isDir(t.join(m.root, "vendor")) && version.Compare(main.goVersion, "go1.14") >= 0
	switch l.goflag("mod") {
	case "mod", "readonly":
		useVendor = false
	case "vendor":
		return m, m.readVendor(t.join(m.root, "vendor"))
	}
	if useVendor && t.isFile(t.join(m.root, "vendor", "modules.txt")) {
		return m, m.readVendor(t.join(m.root, "vendor"))
	}
	return m, m.selectVersions([]*modfile.File{f}, f.Replace, m.root, version.Compare(main.goVersion, "go1.17") >= 0)
}

// goflag returns the value of a flag in Options.Settings, else in $GOFLAGS.
func (l *loader) goflag(name string) string {
	if v := l.cfg.Settings.flag(name); v != "" {
		return v
	}
	for f := range strings.FieldsSeq(l.cfg.Getenv("GOFLAGS")) {
		f = strings.TrimLeft(f, "-")
		if k, v, ok := strings.Cut(f, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// readMain reads the go.mod of a main module.
func (m *modules) readMain(dir string) (*mod, *modfile.File, error) {
	t := m.l.within(m.l.user, dir)
	name := m.l.modFile(t.join(dir, "go.mod"))
	data, err := m.l.modFileTree(t).readFile(name, maxModuleFile)
	if err != nil {
		return nil, nil, errorf("reading %s: %v", m.l.short(name), reason(err))
	}
	f, err := modfile.Parse(m.l.short(name), data, nil)
	if err != nil {
		return nil, nil, modfileErrors(err)
	}
	if f.Module == nil {
		return nil, nil, errorf("%s: no module declaration", m.l.short(name))
	}
	if err := module.CheckImportPath(f.Module.Mod.Path); err != nil {
		var bad *module.InvalidPathError
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return nil, nil, errorf("%s: malformed module path %q: %v", m.l.short(name), f.Module.Mod.Path, err)
	}
	lang := langOf(f)
	if version.Compare(lang, SupportedRelease) > 0 {
		return nil, nil, errorf("%s: module requires %s, but gyr runs %s", m.l.short(name), "go"+f.Go.Version, m.l.goVersion)
	}
	return &mod{path: f.Module.Mod.Path, tree: t, dir: dir, goVersion: lang, main: true}, f, nil
}

// langOf returns the language version of a module. It is Go 1.16 for modules without a go directive,
// as for the go command.
func langOf(f *modfile.File) string {
	if f == nil || f.Go == nil {
		return "go1.16"
	}
	return version.Lang("go" + f.Go.Version)
}

func modfileErrors(err error) error {
	var list modfile.ErrorList
	if errors.As(err, &list) {
		var out Errors
		for _, e := range list {
			out = append(out, &Error{Msg: e.Error()})
		}
		return out
	}
	return errorf("%v", err)
}

// readWork reads a workspace.
func (m *modules) readWork(file string) error {
	m.root, m.file = m.l.user.dir(file), file
	t := m.l.within(m.l.user, m.root)
	data, err := t.readFile(file, maxModuleFile)
	if err != nil {
		return errorf("reading %s: %v", m.l.short(file), reason(err))
	}
	w, err := modfile.ParseWork(m.l.short(file), data, nil)
	if err != nil {
		return modfileErrors(err)
	}
	m.godebug = godebugLines(w.Godebug)
	if w.Go != nil {
		m.workVersion = version.Lang("go" + w.Go.Version)
	}
	var files []*modfile.File
	replace := w.Replace
	lazy := true
	for _, u := range w.Use {
		main, f, err := m.readMain(t.at(m.root, filepath.FromSlash(u.Path)))
		if err != nil {
			return err
		}
		m.main = append(m.main, main)
		files = append(files, f)
		lazy = lazy && version.Compare(main.goVersion, "go1.17") >= 0
		for _, r := range f.Replace {
			if strings.HasPrefix(r.New.Path, ".") {
				r.New.Path = t.join(main.dir, filepath.FromSlash(r.New.Path))
			}
			replace = append(replace, r)
		}
	}
	return m.selectVersions(files, replace, m.root, lazy)
}

// selectVersions chooses the versions of dependencies by minimal version selection. Since Go 1.17 the
// go.mod of a main module lists all modules that its packages need (lazy), so their own requirements
// need not be read.
func (m *modules) selectVersions(files []*modfile.File, replace []*modfile.Replace, root string, lazy bool) error {
	selected := map[string]string{}
	isMain := map[string]bool{}
	for _, mm := range m.main {
		isMain[mm.path] = true
	}
	var queue []module.Version
	require := func(list []*modfile.Require) {
		for _, r := range list {
			v := r.Mod
			if isMain[v.Path] {
				continue
			}
			if old, ok := selected[v.Path]; ok && semver.Compare(old, v.Version) >= 0 {
				continue
			}
			selected[v.Path] = v.Version
			queue = append(queue, v)
		}
	}
	for _, f := range files {
		require(f.Require)
	}
	for !lazy && len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		f, err := m.requirements(v, replace, root)
		if err != nil {
			return errorf("%s: the requirements of module %s@%s are not in the module cache: run go mod download",
				m.l.short(m.file), v.Path, v.Version)
		}
		require(f.Require)
	}
	for path, ver := range selected {
		m.deps = append(m.deps, m.newDep(module.Version{Path: path, Version: ver}, replace, root))
	}
	slices.SortFunc(m.deps, func(a, b *mod) int { return strings.Compare(a.path, b.path) })
	return nil
}

// newDep makes a dependency, replaced if a directive says so.
func (m *modules) newDep(v module.Version, replace []*modfile.Replace, root string) *mod {
	d := &mod{path: v.Path, version: v.Version, asked: v.Version, tree: m.l.machine, src: v}
	var found *modfile.Replace
	for _, r := range replace {
		if r.Old.Path == v.Path && (r.Old.Version == v.Version || r.Old.Version == "" && found == nil) {
			found = r
			if r.Old.Version != "" {
				break
			}
		}
	}
	if found != nil {
		if found.New.Version == "" {
			d.version = ""
			d.dir = m.l.user.at(root, filepath.FromSlash(found.New.Path))
			d.tree = m.l.within(m.l.user, d.dir)
		} else {
			d.src = found.New
		}
	}
	return d
}

// requirements reads the go.mod of a dependency.
func (m *modules) requirements(v module.Version, replace []*modfile.Replace, root string) (*modfile.File, error) {
	d := m.newDep(v, replace, root)
	var data []byte
	var err error
	if d.dir != "" {
		data, err = d.tree.readFile(d.tree.join(d.dir, "go.mod"), maxModuleFile)
	} else {
		var p, ver string
		if p, err = module.EscapePath(d.src.Path); err != nil {
			return nil, err
		}
		if ver, err = module.EscapeVersion(d.src.Version); err != nil {
			return nil, err
		}
		data, err = m.l.machine.readFile(filepath.Join(m.l.modcache(), "cache", "download", filepath.FromSlash(p), "@v",
			ver+".mod"), maxModuleFile)
	}
	if err != nil {
		return nil, err
	}
	return modfile.ParseLax("go.mod", data, nil)
}

// modcache returns the directory of the module cache.
func (l *loader) modcache() string {
	if d := l.cfg.Getenv("GOMODCACHE"); d != "" {
		return d
	}
	if l := filepath.SplitList(l.cfg.Getenv("GOPATH")); len(l) > 0 && l[0] != "" {
		return filepath.Join(l[0], "pkg", "mod")
	}
	return filepath.Join(l.cfg.Getenv("HOME"), "go", "pkg", "mod")
}

// locate finds a dependency's directory in the module cache. Nothing is ever fetched: the go.mod of
// an untrusted program must not make this process use the network.
func (d *mod) locate(l *loader) error {
	d.once.Do(func() {
		if d.dir == "" {
			if d.dir, d.err = l.cacheDir(d.src); d.err != nil {
				return
			}
			d.tree = l.within(l.machine, d.dir)
		}
		if d.goVersion != "" {
			return
		}
		d.goVersion = "go1.16"
		if data, err := d.tree.readFile(d.tree.join(d.dir, "go.mod"), maxModuleFile); err == nil {
			if f, err := modfile.ParseLax("go.mod", data, nil); err == nil {
				d.goVersion = langOf(f)
			}
		}
		if version.Compare(d.goVersion, SupportedRelease) > 0 {
			d.err = fmt.Errorf("module %s requires %s, but gyr runs %s", d, d.goVersion, l.goVersion)
		}
	})
	return d.err
}

// cacheDir returns the directory of a module in the module cache.
func (l *loader) cacheDir(v module.Version) (string, error) {
	p, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	ver, err := module.EscapeVersion(v.Version)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(l.modcache(), filepath.FromSlash(p)+"@"+ver)
	if !l.machine.isDir(dir) {
		return "", fmt.Errorf("module %s@%s is not in the module cache: run go mod download", v.Path, v.Version)
	}
	return dir, nil
}

func (d *mod) String() string {
	if d.version == "" {
		return d.path
	}
	return d.path + "@" + d.version
}

// readVendor reads vendor/modules.txt.
func (m *modules) readVendor(dir string) error {
	t := m.main[0].tree
	data, err := t.readFile(t.join(dir, "modules.txt"), maxModuleFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errorf("reading %s: %v", m.l.short(t.join(dir, "modules.txt")), reason(err))
	}
	m.vendor = dir
	m.vendorPkg = map[string]*mod{}
	var cur *mod
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# "):
			f := strings.Fields(line[2:])
			if len(f) == 0 {
				continue
			}
			cur = &mod{path: f[0], tree: t, dir: t.join(dir, filepath.FromSlash(f[0])), goVersion: "go1.16"}
			if len(f) > 1 && f[1] != "=>" {
				cur.version = f[1]
			}
		case strings.HasPrefix(line, "## ") && cur != nil:
			for item := range strings.SplitSeq(line[3:], ";") {
				if v, ok := strings.CutPrefix(strings.TrimSpace(item), "go "); ok {
					cur.goVersion = version.Lang("go" + v)
				}
			}
		case line != "" && !strings.HasPrefix(line, "#") && cur != nil:
			m.vendorPkg[line] = cur
		}
	}
	return nil
}

// relative returns the path below the module's directory where a package would be.
func (d *mod) relative(path string) (dir string, ok bool) {
	if path == d.path {
		return "", true
	}
	rest, ok := strings.CutPrefix(path, d.path+"/")
	return filepath.FromSlash(rest), ok
}

// find returns the directory of a package outside the standard library.
func (m *modules) find(path string) (string, *mod, error) {
	var candidates []*mod
	for _, list := range [][]*mod{m.main, m.deps} {
		for _, d := range list {
			if _, ok := d.relative(path); ok {
				candidates = append(candidates, d)
			}
		}
	}
	// The longest module path that has the directory wins.
	slices.SortStableFunc(candidates, func(a, b *mod) int { return len(b.path) - len(a.path) })
	for _, d := range candidates {
		if err := d.locate(m.l); err != nil {
			return "", nil, err
		}
		rest, _ := d.relative(path)
		dir := d.tree.join(d.dir, rest)
		if m.l.hasGoFiles(d.tree, dir) && !m.nested(d, dir) {
			return dir, d, nil
		}
		if _, err := d.tree.readSources(dir); errors.Is(err, hostfile.ErrEscapes) {
			return "", nil, fmt.Errorf("package %s: %s: %v", path, m.l.short(dir), hostfile.ErrEscapes)
		}
	}
	if m.vendor != "" {
		if d := m.vendorPkg[path]; d != nil {
			return d.tree.join(m.vendor, filepath.FromSlash(path)), d, nil
		}
		return "", nil, fmt.Errorf("cannot find module providing package %s: import lookup disabled by -mod=vendor", path)
	}
	first, _, _ := strings.Cut(path, "/")
	switch {
	case !strings.Contains(first, ".") && len(candidates) == 0:
		return "", nil, fmt.Errorf("package %s is not in std (%s)", path,
			filepath.Join(m.l.goroot, "src", filepath.FromSlash(path)))
	case m.root == "":
		return "", nil,
			fmt.Errorf("no required module provides package %s: go.mod file not found in current directory or any parent directory; see 'go help modules'", path)
	case len(candidates) > 0 && !candidates[0].main:
		return "", nil, fmt.Errorf("module %s provides no package %s", candidates[0], path)
	}
	return "", nil, fmt.Errorf("no required module provides package %s; to add it: go get %s", path, path)
}

// nested reports whether dir belongs to a module inside d: one with a go.mod of
// its own.
func (m *modules) nested(d *mod, dir string) bool {
	for dir != d.dir {
		if d.tree.isFile(d.tree.join(dir, "go.mod")) {
			return true
		}
		up := d.tree.dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return false
}

// hasGoFiles reports whether a directory holds a .go file.
func (l *loader) hasGoFiles(t tree, dir string) bool {
	list, err := t.readSources(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return !e.IsDir() && strings.HasSuffix(e.Name(), ".go")
	})
}

// pathOf returns the import path of a directory of a main module.
func (m *modules) pathOf(dir string) (string, *mod) {
	var best *mod
	var rest string
	for _, d := range m.main {
		if r, ok := d.tree.rel(d.dir, dir); ok && (best == nil || len(d.dir) > len(best.dir)) {
			best, rest = d, r
		}
	}
	if best == nil {
		return "", nil
	}
	if rest == "." {
		return best.path, best
	}
	return best.path + "/" + rest, best
}
