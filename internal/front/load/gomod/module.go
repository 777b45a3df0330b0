package gomod

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

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/hostfile"
	"github.com/gyrvm/gyr/internal/release"
)

// A Module is one module of the build.
type Module struct {
	Path      string
	Version   string // empty for main modules and replacements by a directory
	Asked     string // the required version, whatever replaces it
	Tree      filetree.Tree
	Dir       string // empty: not yet found in the module cache
	GoVersion string // language version: "go1.26"
	Main      bool

	Src     module.Version // looked up in the module cache; without version: a directory, or vendored
	refused error          // why it may not be read

	once     sync.Once // of locate
	err      error
	langOnce sync.Once // of language
	langErr  error

	assembly knownAssembly
}

// Modules knows which module supplies a package: the main modules, and the selected versions of
// their requirements.
type Modules struct {
	env  *Env
	root string // directory of go.mod or go.work; empty: no module
	File string // go.mod, as errors name it
	Main []*Module
	deps []*Module // by path

	WorkVersion string // language version of go.work
	GODEBUG     []modfile.Godebug

	vendor    string             // directory of vendored packages, if they are used
	vendorPkg map[string]*Module // by import path

	sumOnce sync.Once // of readSums
	sum     *sums
	sumErr  error
}

// NoModules returns the Modules of a build without modules.
func NoModules(e *Env) *Modules { return &Modules{env: e} }

// outside returns an error if a directory that go.mod or go.work names is not in the uploaded tree.
// what says where it is named.
func (e *Env) outside(dir, what string) error {
	if e.User.FS == nil || fs.ValidPath(dir) {
		return nil
	}
	return fmt.Errorf("%s, which is not in the uploaded files: upload it too, or vendor it (go mod vendor)", what)
}

// FindModules reads the go.mod (or go.work) that governs dir.
func (e *Env) FindModules(dir string) (*Modules, error) {
	m := &Modules{env: e}
	t := e.User
	file, work := e.governing(dir)
	if work {
		return m, m.readWork(file)
	}
	if file == "" {
		return m, nil
	}
	m.root, m.File = t.Dir(file), e.modFile(file)
	main, f, err := m.readMain(m.root)
	if err != nil {
		return nil, err
	}
	m.Main = []*Module{main}
	m.GODEBUG = godebugLines(f.Godebug)
	if own := m.env.Roots.Within(t, m.root); m.usesVendor(own, goLine(f.Go)) {
		return m, m.readVendor(own, []*modfile.File{f}, replaceLines(f.Replace, file, m.root))
	}
	return m, m.selectVersions([]*modfile.File{f}, f.Replace, m.root, version.Compare(main.GoVersion, "go1.17") >= 0)
}

// governing returns the go.work, or else the go.mod, that governs dir. It returns "" if neither
// exists.
func (e *Env) governing(dir string) (file string, work bool) {
	t := e.User
	find := func(name string) string {
		for d := dir; ; {
			if f := t.Join(d, name); t.IsFile(f) {
				return f
			}
			up := t.Dir(d)
			if up == d {
				return ""
			}
			d = up
		}
	}
	switch w := e.setting("GOWORK"); {
	case w == "off" || e.goflag("modfile") != "":
	case w != "" && t.FS == nil:
		return w, true
	default:
		if file = find("go.work"); file != "" {
			return file, true
		}
	}
	return find("go.mod"), false
}

// goLine returns the language version that a go directive names, or "".
func goLine(g *modfile.Go) string {
	if g == nil {
		return ""
	}
	return version.Lang("go" + g.Version)
}

// replaceLines returns the replace directives of a file.
func replaceLines(list []*modfile.Replace, file, dir string) (out []replaceLine) {
	for _, r := range list {
		out = append(out, replaceLine{r, file, dir})
	}
	return out
}

// goflag returns the value of -mod or -modfile, from the options or else from $GOFLAGS.
func (e *Env) goflag(name string) string {
	switch {
	case name == "mod" && e.ModFlag != "":
		return e.ModFlag
	case name == "modfile" && e.ModFile != "":
		return e.ModFile
	}
	for f := range strings.FieldsSeq(e.setting("GOFLAGS")) {
		f = strings.TrimLeft(f, "-")
		if k, v, ok := strings.Cut(f, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// readMain reads the go.mod of a main module.
func (m *Modules) readMain(dir string) (*Module, *modfile.File, error) {
	t := m.env.Roots.Within(m.env.User, dir)
	name := m.env.modFile(t.Join(dir, "go.mod"))
	data, err := m.env.modFileTree(t).ReadFile(name, filetree.MaxModuleFile)
	if err != nil {
		return nil, nil, diag.Errorf("reading %s: %v", m.env.Short(name), filetree.Reason(err))
	}
	f, err := modfile.Parse(m.env.Short(name), data, nil)
	if err != nil {
		return nil, nil, modfileErrors(err)
	}
	if f.Module == nil {
		return nil, nil, diag.Errorf("%s: no module declaration", m.env.Short(name))
	}
	if err := module.CheckImportPath(f.Module.Mod.Path); err != nil {
		var bad *module.InvalidPathError
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return nil, nil, diag.Errorf("%s: malformed module path %q: %v", m.env.Short(name), f.Module.Mod.Path, err)
	}
	lang := langOf(f)
	if version.Compare(lang, m.env.Release.Name()) > 0 {
		return nil, nil, m.tooOld(name, "module", f.Go)
	}
	return &Module{Path: f.Module.Mod.Path, Tree: t, Dir: dir, GoVersion: lang, Main: true}, f, nil
}

// tooOld returns the error for a main module or a workspace whose go line is newer than the
// standard library at hand.
func (m *Modules) tooOld(file, what string, line *modfile.Go) error {
	found := m.env.GoVersion
	if !m.env.NoGo && m.env.User.FS == nil {
		found += " of " + m.env.GOROOT
	}
	return diag.Errorf("%s: %s requires go%s, but gyr runs %s: lower its go line, or: %s", m.env.Short(file), what, line.Version, found,
		release.Cure("go"+line.Version))
}

// langOf returns the language version of a module. It is Go 1.16 for modules without a go
// directive, as for the go command.
func langOf(f *modfile.File) string {
	if f == nil || f.Go == nil {
		return "go1.16"
	}
	return version.Lang("go" + f.Go.Version)
}

func modfileErrors(err error) error {
	var list modfile.ErrorList
	if errors.As(err, &list) {
		var out diag.Errors
		for _, e := range list {
			out = append(out, &diag.Error{Msg: e.Error()})
		}
		return out
	}
	return diag.Errorf("%v", err)
}

// readWork reads a workspace.
func (m *Modules) readWork(file string) error {
	m.root, m.File = m.env.User.Dir(file), file
	t := m.env.Roots.Within(m.env.User, m.root)
	data, err := t.ReadFile(file, filetree.MaxModuleFile)
	if err != nil {
		return diag.Errorf("reading %s: %v", m.env.Short(file), filetree.Reason(err))
	}
	w, err := modfile.ParseWork(m.env.Short(file), data, nil)
	if err != nil {
		return modfileErrors(err)
	}
	m.GODEBUG, m.WorkVersion = godebugLines(w.Godebug), goLine(w.Go)
	if version.Compare(m.WorkVersion, m.env.Release.Name()) > 0 {
		return m.tooOld(file, "workspace", w.Go)
	}
	var files []*modfile.File
	replaced := replaceLines(w.Replace, file, m.root)
	lazy := true
	for _, u := range w.Use {
		dir := t.At(m.root, filepath.FromSlash(u.Path))
		if err := m.env.outside(dir, m.env.Short(file)+": use "+u.Path); err != nil {
			return diag.Errorf("%v", err)
		}
		main, f, err := m.readMain(dir)
		if err != nil {
			return err
		}
		m.Main = append(m.Main, main)
		files = append(files, f)
		lazy = lazy && version.Compare(main.GoVersion, "go1.17") >= 0
		replaced = append(replaced, replaceLines(f.Replace, t.Join(dir, "go.mod"), dir)...)
	}
	if len(m.Main) > 0 && m.usesVendor(t, m.WorkVersion) {
		return m.readVendor(t, files, replaced)
	}
	return m.selectVersions(files, absolute(t, replaced), m.root, lazy)
}

// absolute returns replace directives whose directories do not depend on the file with the
// directive.
func absolute(t filetree.Tree, list []replaceLine) (out []*modfile.Replace) {
	for _, r := range list {
		one := *r.Replace
		if strings.HasPrefix(one.New.Path, ".") {
			one.New.Path = t.Join(r.dir, filepath.FromSlash(one.New.Path))
		}
		out = append(out, &one)
	}
	return out
}

// selectVersions chooses the versions of dependencies by minimal version selection: for each
// module, the newest version that any reachable version of a module requires, whether that one is
// selected itself or not. Since Go 1.17 the go.mod of a main module lists all modules that its
// packages need (lazy), so their own requirements need not be read.
func (m *Modules) selectVersions(files []*modfile.File, replace []*modfile.Replace, root string, lazy bool) error {
	selected := map[string]string{}
	isMain := map[string]bool{}
	for _, mm := range m.Main {
		isMain[mm.Path] = true
	}
	excluded := excludedBy(files)
	reached := map[module.Version]bool{}
	var queue []module.Version
	require := func(list []*modfile.Require) {
		for _, r := range list {
			v := r.Mod
			if isMain[v.Path] || excluded[v] || reached[v] {
				continue
			}
			reached[v] = true
			queue = append(queue, v)
			if old, ok := selected[v.Path]; !ok || semver.Compare(old, v.Version) < 0 {
				selected[v.Path] = v.Version
			}
		}
	}
	for _, f := range files {
		require(f.Require)
	}
	for !lazy && len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		f, err := m.requirements(v, replace, root)
		switch {
		case IsFatal(err):
			return diag.Errorf("%v", err)
		case err != nil:
			return diag.Errorf("%s: the requirements of module %s cannot be read: %v", m.env.Short(m.File), v, err)
		}
		require(f.Require)
	}
	for path, ver := range selected {
		m.deps = append(m.deps, m.newDep(module.Version{Path: path, Version: ver}, replace, root))
	}
	slices.SortFunc(m.deps, func(a, b *Module) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// excludedBy returns the versions that main modules exclude.
func excludedBy(files []*modfile.File) map[module.Version]bool {
	excluded := map[module.Version]bool{}
	for _, f := range files {
		for _, e := range f.Exclude {
			excluded[e.Mod] = true
		}
	}
	return excluded
}

// newDep makes a dependency, replaced if a directive says so.
func (m *Modules) newDep(v module.Version, replace []*modfile.Replace, root string) *Module {
	d := &Module{Path: v.Path, Version: v.Version, Asked: v.Version, Tree: m.env.Machine, Src: v}
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
		d.Src = found.New
		if found.New.Version == "" {
			d.Version = ""
			d.Dir = m.env.User.At(root, filepath.FromSlash(found.New.Path))
			d.refused = m.env.outside(d.Dir, "module "+v.Path+" is replaced by "+found.New.Path)
			d.Tree = m.env.Roots.Within(m.env.User, d.Dir)
		}
	}
	return d
}

// requirements reads the go.mod of a dependency.
func (m *Modules) requirements(v module.Version, replace []*modfile.Replace, root string) (*modfile.File, error) {
	data, err := m.goMod(m.newDep(v, replace, root))
	if err != nil {
		return nil, err
	}
	return modfile.ParseLax("go.mod", data, nil)
}

func (d *Module) String() string {
	if d.Version == "" {
		return d.Path
	}
	return d.Path + "@" + d.Version
}

// relative returns the path below the module's directory at which a package would be.
func (d *Module) relative(path string) (dir string, ok bool) {
	if path == d.Path {
		return "", true
	}
	rest, ok := strings.CutPrefix(path, d.Path+"/")
	return filepath.FromSlash(rest), ok
}

// Find returns the directory of a package outside the standard library.
func (m *Modules) Find(path string) (string, *Module, error) {
	candidates := m.candidates(path)
	p, err := m.provide(path, candidates)
	switch {
	case err != nil:
		return "", nil, err
	case p != nil:
		return p.dir, p.mod, p.mod.language(m)
	case m.vendor != "":
		return m.findVendored(path)
	}
	first, _, _ := strings.Cut(path, "/")
	switch {
	case !strings.Contains(first, ".") && len(candidates) == 0:
		return "", nil, fmt.Errorf("package %s is not in std (%s)", path,
			m.env.Shown(filepath.Join(m.env.GOROOT, "src", filepath.FromSlash(path))))
	case m.root == "":
		return "", nil,
			fmt.Errorf("no required module provides package %s: go.mod file not found in current directory or any parent directory; see 'go help modules'", path)
	case len(candidates) > 0 && !candidates[0].Main:
		return "", nil, fmt.Errorf("module %s provides no package %s", candidates[0], path)
	}
	return "", nil, fmt.Errorf("no required module provides package %s; to add it: go get %s", path, path)
}

// candidates returns the modules that could provide a package, judged by their path, the longest
// path first.
func (m *Modules) candidates(path string) (list []*Module) {
	for _, mods := range [][]*Module{m.Main, m.deps} {
		for _, d := range mods {
			if _, ok := d.relative(path); ok {
				list = append(list, d)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Module) int { return len(b.Path) - len(a.Path) })
	return list
}

// A provided is a directory in which a module has a package.
type provided struct {
	mod *Module
	dir string
}

// provide returns the module and directory that have a package, or nil. Only one module may have
// it, so provide checks all candidates.
func (m *Modules) provide(path string, candidates []*Module) (*provided, error) {
	var found []provided
	var unknown []string
	for _, d := range candidates {
		if d.Src.Version != "" && m.env.granted(d.Src) == nil {
			missing, err := m.missing(d.Src)
			if err != nil {
				return nil, err
			}
			if missing {
				unknown = append(unknown, d.Path)
				continue
			}
		}
		if err := d.locate(m); err != nil {
			return nil, err
		}
		rest, _ := d.relative(path)
		dir := d.Tree.Join(d.Dir, rest)
		if m.env.HasGoFiles(d.Tree, dir) && !m.nested(d, dir) {
			found = append(found, provided{d, dir})
		} else if _, err := d.Tree.ReadSources(dir); errors.Is(err, hostfile.ErrEscapes) {
			return nil, fmt.Errorf("package %s: %s: %v", path, m.env.Short(dir), hostfile.ErrEscapes)
		}
	}
	switch {
	case len(found) > 1:
		return nil, m.env.manyModules(path, found)
	case len(unknown) > 0:
		slices.Reverse(unknown)
		return nil, &MissingSumError{path: path, found: len(found) > 0, mods: unknown}
	case len(found) == 0:
		return nil, nil
	}
	return &found[0], nil
}

// nested reports whether dir belongs to a module inside d, which has its own go.mod.
func (m *Modules) nested(d *Module, dir string) bool {
	for dir != d.Dir {
		if d.Tree.IsFile(d.Tree.Join(dir, "go.mod")) {
			return true
		}
		up := d.Tree.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return false
}

// HasGoFiles reports whether a directory holds a .go file.
func (e *Env) HasGoFiles(t filetree.Tree, dir string) bool {
	list, err := t.ReadSources(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return !e.IsDir() && strings.HasSuffix(e.Name(), ".go")
	})
}

// manyModules returns the go command's error for a path that several modules of the build provide,
// longest path first.
func (e *Env) manyModules(path string, found []provided) error {
	var b strings.Builder
	fmt.Fprintf(&b, "ambiguous import: found package %s in multiple modules:", path)
	for _, p := range slices.Backward(found) {
		b.WriteString("\n\t" + p.mod.Path)
		if p.mod.Asked != "" {
			b.WriteString(" " + p.mod.Asked)
		}
		fmt.Fprintf(&b, " (%s)", e.Shown(p.dir))
	}
	return errors.New(b.String())
}

// Provider returns the module and directory in which the build has a package with a path of the
// standard library. d is nil if the package is vendored.
func (m *Modules) Provider(path string) (d *Module, dir string, ok bool) {
	for _, list := range [][]*Module{m.Main, m.deps} {
		for _, d := range list {
			rest, ok := d.relative(path)
			if !ok || d.locate(m) != nil {
				continue
			}
			if dir := d.Tree.Join(d.Dir, rest); m.env.HasGoFiles(d.Tree, dir) && !m.nested(d, dir) {
				return d, dir, true
			}
		}
	}
	if d := m.vendorPkg[path]; d != nil {
		if dir := d.Tree.Join(m.vendor, filepath.FromSlash(path)); m.env.HasGoFiles(d.Tree, dir) {
			return nil, dir, true
		}
	}
	return nil, "", false
}

// PathOf returns the import path of a directory of a main module.
func (m *Modules) PathOf(dir string) (string, *Module) {
	var best *Module
	var rest string
	for _, d := range m.Main {
		if r, ok := d.Tree.Rel(d.Dir, dir); ok && (best == nil || len(d.Dir) > len(best.Dir)) {
			best, rest = d, r
		}
	}
	if best == nil {
		return "", nil
	}
	if rest == "." {
		return best.Path, best
	}
	return best.Path + "/" + rest, best
}

// godebugLines returns the godebug lines of a go.mod or go.work.
func godebugLines(list []*modfile.Godebug) (out []modfile.Godebug) {
	for _, g := range list {
		out = append(out, *g)
	}
	return out
}
