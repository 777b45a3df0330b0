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

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/hostfile"
	"github.com/gyrvm/gyr/internal/release"
)

// A mod is one module of the build.
type mod struct {
	path      string
	version   string // empty for main modules and replacements by a directory
	asked     string // the required version, whatever replaces it
	tree      filetree.Tree
	dir       string // empty: not yet found in the module cache
	goVersion string // language version: "go1.26"
	main      bool

	src     module.Version // what is looked up in the module cache; without version: a directory, or vendored
	refused error          // why it may not be read

	once     sync.Once // of locate
	err      error
	langOnce sync.Once // of language
	langErr  error

	assembly knownAssembly
}

// modules knows which module supplies a package: the main modules, and the selected versions of their
// requirements.
type modules struct {
	env  *env
	root string // directory of go.mod or go.work; empty: no module
	file string // go.mod, as errors name it
	main []*mod
	deps []*mod // by path

	workVersion string // language version of go.work
	godebug     []modfile.Godebug

	vendor    string          // directory of vendored packages, if those are used
	vendorPkg map[string]*mod // by import path

	sumOnce sync.Once // of readSums
	sum     *sums
	sumErr  error
}

// noModules returns the modules of a build that has none.
func noModules(e *env) *modules { return &modules{env: e} }

// outside returns an error if a directory that go.mod or go.work names is not in the uploaded tree; what says who names it.
func (e *env) outside(dir, what string) error {
	if e.user.FS == nil || fs.ValidPath(dir) {
		return nil
	}
	return fmt.Errorf("%s, which is not in the uploaded files: upload it too, or vendor it (go mod vendor)", what)
}

// findModules reads the go.mod (or go.work) that governs dir.
func (e *env) findModules(dir string) (*modules, error) {
	m := &modules{env: e}
	t := e.user
	file, work := e.governing(dir)
	if work {
		return m, m.readWork(file)
	}
	if file == "" {
		return m, nil
	}
	m.root, m.file = t.Dir(file), e.modFile(file)
	main, f, err := m.readMain(m.root)
	if err != nil {
		return nil, err
	}
	m.main = []*mod{main}
	m.godebug = godebugLines(f.Godebug)
	if own := m.env.roots.Within(t, m.root); m.usesVendor(own, goLine(f.Go)) {
		return m, m.readVendor(own, []*modfile.File{f}, replaceLines(f.Replace, file, m.root))
	}
	return m, m.selectVersions([]*modfile.File{f}, f.Replace, m.root, version.Compare(main.goVersion, "go1.17") >= 0)
}

// governing returns the go.work, or else the go.mod, that governs dir; empty: there is neither.
func (e *env) governing(dir string) (file string, work bool) {
	t := e.user
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

// goLine returns the language version that a go directive names, or nothing.
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

// goflag returns the value of -mod or -modfile, as it was given or else as it is in $GOFLAGS.
func (e *env) goflag(name string) string {
	switch {
	case name == "mod" && e.mod != "":
		return e.mod
	case name == "modfile" && e.modFileName != "":
		return e.modFileName
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
func (m *modules) readMain(dir string) (*mod, *modfile.File, error) {
	t := m.env.roots.Within(m.env.user, dir)
	name := m.env.modFile(t.Join(dir, "go.mod"))
	data, err := m.env.modFileTree(t).ReadFile(name, filetree.MaxModuleFile)
	if err != nil {
		return nil, nil, diag.Errorf("reading %s: %v", m.env.short(name), filetree.Reason(err))
	}
	f, err := modfile.Parse(m.env.short(name), data, nil)
	if err != nil {
		return nil, nil, modfileErrors(err)
	}
	if f.Module == nil {
		return nil, nil, diag.Errorf("%s: no module declaration", m.env.short(name))
	}
	if err := module.CheckImportPath(f.Module.Mod.Path); err != nil {
		var bad *module.InvalidPathError
		if errors.As(err, &bad) {
			err = bad.Err
		}
		return nil, nil, diag.Errorf("%s: malformed module path %q: %v", m.env.short(name), f.Module.Mod.Path, err)
	}
	lang := langOf(f)
	if version.Compare(lang, m.env.release.Name()) > 0 {
		return nil, nil, m.tooOld(name, "module", f.Go)
	}
	return &mod{path: f.Module.Mod.Path, tree: t, dir: dir, goVersion: lang, main: true}, f, nil
}

// tooOld is the error for a main module or a workspace with a go line that is newer than the standard library at hand.
func (m *modules) tooOld(file, what string, line *modfile.Go) error {
	found := m.env.goVersion
	if !m.env.noGo && m.env.user.FS == nil {
		found += " of " + m.env.goroot
	}
	return diag.Errorf("%s: %s requires go%s, but gyr runs %s: lower its go line, or: %s", m.env.short(file), what, line.Version, found,
		release.Cure("go"+line.Version))
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
		var out diag.Errors
		for _, e := range list {
			out = append(out, &diag.Error{Msg: e.Error()})
		}
		return out
	}
	return diag.Errorf("%v", err)
}

// readWork reads a workspace.
func (m *modules) readWork(file string) error {
	m.root, m.file = m.env.user.Dir(file), file
	t := m.env.roots.Within(m.env.user, m.root)
	data, err := t.ReadFile(file, filetree.MaxModuleFile)
	if err != nil {
		return diag.Errorf("reading %s: %v", m.env.short(file), filetree.Reason(err))
	}
	w, err := modfile.ParseWork(m.env.short(file), data, nil)
	if err != nil {
		return modfileErrors(err)
	}
	m.godebug, m.workVersion = godebugLines(w.Godebug), goLine(w.Go)
	if version.Compare(m.workVersion, m.env.release.Name()) > 0 {
		return m.tooOld(file, "workspace", w.Go)
	}
	var files []*modfile.File
	replaced := replaceLines(w.Replace, file, m.root)
	lazy := true
	for _, u := range w.Use {
		dir := t.At(m.root, filepath.FromSlash(u.Path))
		if err := m.env.outside(dir, m.env.short(file)+": use "+u.Path); err != nil {
			return diag.Errorf("%v", err)
		}
		main, f, err := m.readMain(dir)
		if err != nil {
			return err
		}
		m.main = append(m.main, main)
		files = append(files, f)
		lazy = lazy && version.Compare(main.goVersion, "go1.17") >= 0
		replaced = append(replaced, replaceLines(f.Replace, t.Join(dir, "go.mod"), dir)...)
	}
	if len(m.main) > 0 && m.usesVendor(t, m.workVersion) {
		return m.readVendor(t, files, replaced)
	}
	return m.selectVersions(files, absolute(t, replaced), m.root, lazy)
}

// absolute returns replace directives in which directories do not depend on the file that has the directive.
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

// selectVersions chooses the versions of dependencies by minimal version selection: of each module the newest that any version
// requires which can be reached, whether that version is selected itself or not. Since Go 1.17 the go.mod of a main module
// lists all modules that its packages need (lazy), so their own requirements need not be read.
func (m *modules) selectVersions(files []*modfile.File, replace []*modfile.Replace, root string, lazy bool) error {
	selected := map[string]string{}
	isMain := map[string]bool{}
	for _, mm := range m.main {
		isMain[mm.path] = true
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
		case fatal(err):
			return diag.Errorf("%v", err)
		case err != nil:
			return diag.Errorf("%s: the requirements of module %s cannot be read: %v", m.env.short(m.file), v, err)
		}
		require(f.Require)
	}
	for path, ver := range selected {
		m.deps = append(m.deps, m.newDep(module.Version{Path: path, Version: ver}, replace, root))
	}
	slices.SortFunc(m.deps, func(a, b *mod) int { return strings.Compare(a.path, b.path) })
	return nil
}

// excludedBy returns the versions that main modules do not want.
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
func (m *modules) newDep(v module.Version, replace []*modfile.Replace, root string) *mod {
	d := &mod{path: v.Path, version: v.Version, asked: v.Version, tree: m.env.machine, src: v}
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
		d.src = found.New
		if found.New.Version == "" {
			d.version = ""
			d.dir = m.env.user.At(root, filepath.FromSlash(found.New.Path))
			d.refused = m.env.outside(d.dir, "module "+v.Path+" is replaced by "+found.New.Path)
			d.tree = m.env.roots.Within(m.env.user, d.dir)
		}
	}
	return d
}

// requirements reads the go.mod of a dependency.
func (m *modules) requirements(v module.Version, replace []*modfile.Replace, root string) (*modfile.File, error) {
	data, err := m.goMod(m.newDep(v, replace, root))
	if err != nil {
		return nil, err
	}
	return modfile.ParseLax("go.mod", data, nil)
}

func (d *mod) String() string {
	if d.version == "" {
		return d.path
	}
	return d.path + "@" + d.version
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
			m.env.shown(filepath.Join(m.env.goroot, "src", filepath.FromSlash(path))))
	case m.root == "":
		return "", nil,
			fmt.Errorf("no required module provides package %s: go.mod file not found in current directory or any parent directory; see 'go help modules'", path)
	case len(candidates) > 0 && !candidates[0].main:
		return "", nil, fmt.Errorf("module %s provides no package %s", candidates[0], path)
	}
	return "", nil, fmt.Errorf("no required module provides package %s; to add it: go get %s", path, path)
}

// candidates returns the modules whose path says that they could provide a package, the longest path first.
func (m *modules) candidates(path string) (list []*mod) {
	for _, mods := range [][]*mod{m.main, m.deps} {
		for _, d := range mods {
			if _, ok := d.relative(path); ok {
				list = append(list, d)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *mod) int { return len(b.path) - len(a.path) })
	return list
}

// A provided is a directory in which a module has a package.
type provided struct {
	mod *mod
	dir string
}

// provide returns where modules have a package, or nil. Only one of them may have it, so all that could are looked at.
func (m *modules) provide(path string, candidates []*mod) (*provided, error) {
	var found []provided
	var unknown []string
	for _, d := range candidates {
		if d.src.Version != "" && m.env.granted(d.src) == nil {
			missing, err := m.missing(d.src)
			if err != nil {
				return nil, err
			}
			if missing {
				unknown = append(unknown, d.path)
				continue
			}
		}
		if err := d.locate(m); err != nil {
			return nil, err
		}
		rest, _ := d.relative(path)
		dir := d.tree.Join(d.dir, rest)
		if m.env.hasGoFiles(d.tree, dir) && !m.nested(d, dir) {
			found = append(found, provided{d, dir})
		} else if _, err := d.tree.ReadSources(dir); errors.Is(err, hostfile.ErrEscapes) {
			return nil, fmt.Errorf("package %s: %s: %v", path, m.env.short(dir), hostfile.ErrEscapes)
		}
	}
	switch {
	case len(found) > 1:
		return nil, m.env.manyModules(path, found)
	case len(unknown) > 0:
		slices.Reverse(unknown)
		return nil, &missingSum{path: path, found: len(found) > 0, mods: unknown}
	case len(found) == 0:
		return nil, nil
	}
	return &found[0], nil
}

// nested reports whether dir belongs to a module inside d: one with a go.mod of
// its own.
func (m *modules) nested(d *mod, dir string) bool {
	for dir != d.dir {
		if d.tree.IsFile(d.tree.Join(dir, "go.mod")) {
			return true
		}
		up := d.tree.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
	return false
}

// hasGoFiles reports whether a directory holds a .go file.
func (e *env) hasGoFiles(t filetree.Tree, dir string) bool {
	list, err := t.ReadSources(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		return !e.IsDir() && strings.HasSuffix(e.Name(), ".go")
	})
}

// manyModules returns the go command's error for a path that several modules of the build provide, longest path first.
func (e *env) manyModules(path string, found []provided) error {
	var b strings.Builder
	fmt.Fprintf(&b, "ambiguous import: found package %s in multiple modules:", path)
	for _, p := range slices.Backward(found) {
		b.WriteString("\n\t" + p.mod.path)
		if p.mod.asked != "" {
			b.WriteString(" " + p.mod.asked)
		}
		fmt.Fprintf(&b, " (%s)", e.shown(p.dir))
	}
	return errors.New(b.String())
}

// provider returns where the build has a package with a path of the standard library, and in which module; d
// is nil if the package is vendored.
func (m *modules) provider(path string) (d *mod, dir string, ok bool) {
	for _, list := range [][]*mod{m.main, m.deps} {
		for _, d := range list {
			rest, ok := d.relative(path)
			if !ok || d.locate(m) != nil {
				continue
			}
			if dir := d.tree.Join(d.dir, rest); m.env.hasGoFiles(d.tree, dir) && !m.nested(d, dir) {
				return d, dir, true
			}
		}
	}
	if d := m.vendorPkg[path]; d != nil {
		if dir := d.tree.Join(m.vendor, filepath.FromSlash(path)); m.env.hasGoFiles(d.tree, dir) {
			return nil, dir, true
		}
	}
	return nil, "", false
}

// pathOf returns the import path of a directory of a main module.
func (m *modules) pathOf(dir string) (string, *mod) {
	var best *mod
	var rest string
	for _, d := range m.main {
		if r, ok := d.tree.Rel(d.dir, dir); ok && (best == nil || len(d.dir) > len(best.dir)) {
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

// godebugLines returns the godebug lines of a go.mod or go.work.
func godebugLines(list []*modfile.Godebug) (out []modfile.Godebug) {
	for _, g := range list {
		out = append(out, *g)
	}
	return out
}
