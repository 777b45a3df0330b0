package gomod

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// A vendor directory replaces all modules but the main ones. Its files have no sums.
// vendor/modules.txt must agree with go.mod, or go.work, about requirements and replacements.

// A vendored is the information of modules.txt about a module, or about a replacement.
type vendored struct {
	explicit    bool
	replacement module.Version
}

// A vendorList is the contents of modules.txt.
type vendorList struct {
	modules  map[module.Version]*vendored
	order    []module.Version  // modules that have packages
	replaced []module.Version  // modules that are replaced
	versions map[string]string // of modules that have packages, by path
}

// A replaceLine is a replace directive with the file that has it.
type replaceLine struct {
	*modfile.Replace
	file string
	dir  string // the base of a relative directory
}

// usesVendor reports whether packages come from the vendor directory beside go.mod or go.work; lang
// is the language version there, or empty.
func (m *Modules) usesVendor(t filetree.Tree, lang string) bool {
	mode := m.env.goflag("mod")
	switch {
	case mode == "vendor":
		return true
	case mode != "" || lang == "" || version.Compare(lang, "go1.14") < 0 || !t.IsDir(t.Join(m.root, "vendor")):
		return false
	}
	data, err := t.ReadFile(t.Join(m.root, "vendor", "modules.txt"), filetree.MaxModuleFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return true // readVendor reports the error
	}
	return m.ofWorkspace(string(data)) == strings.HasSuffix(m.File, ".work")
}

// ofWorkspace reports whether a modules.txt was made for a workspace.
func (m *Modules) ofWorkspace(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	annotations, _ := strings.CutPrefix(line, "## ")
	for item := range strings.SplitSeq(annotations, ";") {
		if strings.TrimSpace(item) == "workspace" {
			return true
		}
	}
	return false
}

// readVendor reads vendor/modules.txt, and compares it with the main modules' files and their
// replacements.
func (m *Modules) readVendor(t filetree.Tree, files []*modfile.File, replaced []replaceLine) error {
	m.vendor = t.Join(m.root, "vendor")
	name := t.Join(m.vendor, "modules.txt")
	data, err := t.ReadFile(name, filetree.MaxModuleFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diag.Errorf("reading %s: %v", m.env.Short(name), filetree.Reason(err))
	}
	m.vendorPkg = map[string]*Module{}
	list := &vendorList{modules: map[module.Version]*vendored{}, versions: map[string]string{}}
	var cur *Module
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "# "):
			cur = m.vendoredModule(t, list, strings.Fields(line[2:]))
		case cur == nil:
		case strings.HasPrefix(line, "## "):
			if err := m.annotate(list, cur, line[3:]); err != nil {
				return diag.Errorf("%s: %v", m.env.Short(name), err)
			}
		case line != "" && !strings.HasPrefix(line, "#"):
			m.vendorPkg[line] = cur
			list.provides(cur.Src)
		}
	}
	return m.consistent(list, files, replaced)
}

// vendoredModule reads the line of a module: its path, its version unless all versions are
// replaced, and its replacement. It returns nil for unknown lines.
func (m *Modules) vendoredModule(t filetree.Tree, list *vendorList, f []string) *Module {
	if len(f) < 2 {
		return nil
	}
	d := &Module{Path: f[0], Tree: t, Dir: t.Join(m.vendor, filepath.FromSlash(f[0])), GoVersion: "go1.16"}
	f = f[1:]
	switch {
	case semver.IsValid(f[0]):
		d.Version = f[0]
		f = f[1:]
	case f[0] != "=>":
		return nil
	}
	d.Src = module.Version{Path: d.Path, Version: d.Version}
	if len(f) >= 2 && f[0] == "=>" && (len(f) == 2 || len(f) == 3 && semver.IsValid(f[2])) {
		by := module.Version{Path: f[1]}
		if len(f) == 3 {
			by.Version = f[2]
		}
		list.of(d.Src).replacement = by
		list.replaced = append(list.replaced, d.Src)
	}
	return d
}

// annotate reads the line after a module's line, which annotates the module.
func (m *Modules) annotate(list *vendorList, d *Module, text string) error {
	for item := range strings.SplitSeq(text, ";") {
		item = strings.TrimSpace(item)
		if item == "explicit" {
			list.of(d.Src).explicit = true
		}
		if v, ok := strings.CutPrefix(item, "go "); ok {
			d.GoVersion = version.Lang("go" + v)
			if version.Compare(d.GoVersion, m.env.Release.Name()) > 0 {
				return m.tooNew(d)
			}
		}
	}
	return nil
}

// of returns the information about a module, a new one if necessary.
func (list *vendorList) of(v module.Version) *vendored {
	if list.modules[v] == nil {
		list.modules[v] = &vendored{}
	}
	return list.modules[v]
}

// provides notes that a module has a package.
func (list *vendorList) provides(v module.Version) {
	if old, ok := list.versions[v.Path]; !ok || semver.Compare(old, v.Version) < 0 {
		list.order = append(list.order, v)
		list.versions[v.Path] = v.Version
	}
}

// findVendored returns the directory of a vendored package, and its module.
func (m *Modules) findVendored(path string) (string, *Module, error) {
	if d := m.vendorPkg[path]; d != nil {
		return d.Tree.Join(m.vendor, filepath.FromSlash(path)), d, nil
	}
	return "", nil, fmt.Errorf("cannot find module providing package %s: import lookup disabled by -mod=vendor", path)
}

// consistent compares modules.txt with go.mod, or with go.work and the go.mod of each module, as
// the go command does.
func (m *Modules) consistent(list *vendorList, files []*modfile.File, replaced []replaceLine) error {
	c := &consistency{m: m, list: list, files: files, replaced: replaced,
		work: strings.HasSuffix(m.File, ".work"), old: version.Compare(m.Main[0].GoVersion, "go1.14") < 0}
	c.old = c.old && !c.work
	c.requirements()
	c.replacements()
	c.explicit()
	c.marks()
	if c.text.Len() == 0 {
		return nil
	}
	sync := "go mod vendor"
	if c.work {
		sync = "go work vendor"
	}
	return diag.Errorf("inconsistent vendoring in %s:%s\n\n\tTo ignore the vendor directory, use -mod=readonly or -mod=mod.\n\tTo sync the vendor directory, run:\n\t\t%s",
		m.env.Shown(m.root), c.text.String(), sync)
}

// A consistency collects the mistakes of modules.txt.
type consistency struct {
	m        *Modules
	list     *vendorList
	files    []*modfile.File
	replaced []replaceLine
	work     bool // a workspace
	old      bool // the main module's language version is before Go 1.14, when modules.txt had less information
	text     strings.Builder
}

func (c *consistency) add(v module.Version, format string, args ...any) {
	fmt.Fprintf(&c.text, "\n\t%s: %s", v, fmt.Sprintf(format, args...))
}

// requirements checks that requirements are marked as explicit.
func (c *consistency) requirements() {
	for _, f := range c.files {
		for _, r := range f.Require {
			have, ok := c.list.versions[r.Mod.Path]
			switch {
			case c.list.of(r.Mod).explicit:
			case !c.old:
				c.add(r.Mod, "is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt")
			case ok && have != r.Mod.Version:
				c.add(r.Mod, "is explicitly required in go.mod, but vendor/modules.txt indicates %s@%s", r.Mod.Path, have)
			}
		}
	}
}

// replacements checks that all replacements are marked.
func (c *consistency) replacements() {
	seen := map[module.Version]bool{}
	for _, r := range c.replaced {
		old := r.Old
		if seen[old] {
			continue
		}
		seen[old] = true
		by := c.replacement(old)
		switch marked := c.list.of(old).replacement; {
		case by == nil:
		case marked == module.Version{}:
			if !c.old || old.Version != "" && c.list.versions[old.Path] == old.Version {
				c.add(old, "is replaced in %s, but not marked as replaced in vendor/modules.txt", c.m.env.Short(by.file))
			}
		case marked != c.canonical(by):
			c.add(old, "is replaced by %s in %s, but marked as replaced by %s in vendor/modules.txt", by.New, c.m.env.Short(by.file), marked)
		}
	}
}

// explicit checks that explicit marks belong to requirements.
func (c *consistency) explicit() {
	for _, v := range c.list.order {
		if !c.list.of(v).explicit || c.required(v) {
			continue
		}
		article := ""
		if c.work {
			article = "a "
		}
		c.add(v, "is marked as explicit in vendor/modules.txt, but not explicitly required in %sgo.mod", article)
	}
}

// marks checks that marks of replacements belong to directives.
func (c *consistency) marks() {
	where := "go.mod"
	if c.work {
		where = "the workspace"
	}
	for _, v := range c.list.replaced {
		if c.replacement(v) == nil {
			c.add(v, "is marked as replaced in vendor/modules.txt, but not replaced in %s", where)
		}
	}
}

func (c *consistency) required(v module.Version) bool {
	for _, f := range c.files {
		for _, r := range f.Require {
			if r.Mod == v {
				return true
			}
		}
	}
	return false
}

// replacement returns the directive that replaces a module. Directives for one version take
// precedence.
func (c *consistency) replacement(v module.Version) *replaceLine {
	for _, d := range c.m.Main {
		if d.Path == v.Path {
			return nil
		}
	}
	for _, version := range []string{v.Version, ""} {
		for i, r := range c.replaced {
			if r.Old.Path == v.Path && r.Old.Version == version {
				return &c.replaced[i]
			}
		}
	}
	return nil
}

// canonical returns a replacement as modules.txt has it: in a workspace, directories are relative
// to that of the workspace.
func (c *consistency) canonical(r *replaceLine) module.Version {
	if !c.work || r.New.Version != "" || filepath.IsAbs(r.New.Path) {
		return r.New
	}
	rel, err := filepath.Rel(c.m.root, filepath.Join(r.dir, filepath.FromSlash(r.New.Path)))
	if err != nil {
		return r.New
	}
	if rel = filepath.ToSlash(rel); rel != ".." && !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return module.Version{Path: rel}
}
