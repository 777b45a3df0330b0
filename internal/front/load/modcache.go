package load

import (
	"bytes"
	"errors"
	"fmt"
	"go/version"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// This file reads the module cache. Nothing is ever fetched: the go.mod of an untrusted program must not make this
// process use the network. An uploaded tree (Options.FS) reads a module cache only if Options.Modules names one.

// modcache returns the directory of the module cache.
func (e *env) modcache() string {
	if e.modulesDir != "" {
		return e.modulesDir
	}
	if e.user.FS != nil {
		return ""
	}
	return e.userModules()
}

// userModules returns the directory of the user's module cache.
func (e *env) userModules() string {
	if d := e.setting("GOMODCACHE"); d != "" {
		return d
	}
	if l := filepath.SplitList(e.setting("GOPATH")); len(l) > 0 && l[0] != "" {
		return filepath.Join(l[0], "pkg", "mod")
	}
	return filepath.Join(e.getenv("HOME"), "go", "pkg", "mod")
}

// granted returns an error if the program may not read the module cache, which it needs for a module.
func (e *env) granted(v module.Version) error {
	if e.modcache() != "" {
		return nil
	}
	return fmt.Errorf("module %s is needed, but the host does not grant its modules: vendor it (go mod vendor), or have the host set Source.Modules", v)
}

// downloaded returns the name of one of the files that the module cache has about a module.
func (e *env) downloaded(v module.Version, suffix string) (string, error) {
	path, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	ver, err := module.EscapeVersion(v.Version)
	return filepath.Join(e.modcache(), "cache", "download", filepath.FromSlash(path), "@v", ver+"."+suffix), err
}

// cacheDir returns the directory of a module in the module cache.
func (e *env) cacheDir(v module.Version) (string, error) {
	if err := e.granted(v); err != nil {
		return "", err
	}
	path, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	ver, err := module.EscapeVersion(v.Version)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(e.modcache(), filepath.FromSlash(path)+"@"+ver)
	if !e.machine.IsDir(dir) {
		return "", absent(v, "is not in the module cache")
	}
	partial, err := e.downloaded(v, "partial")
	if err == nil && e.machine.IsFile(partial) {
		return "", absent(v, "was not completely extracted into the module cache")
	}
	return dir, err
}

// absent returns the error for something that the module cache lacks.
func absent(v module.Version, how string) error {
	return fmt.Errorf("module %s %s: run go mod download %s, or vendor it (go mod vendor)", v, how, v)
}

// locate finds the directory of a dependency. One of the module cache is verified.
func (d *mod) locate(m *modules) error {
	d.once.Do(func() {
		if d.dir != "" || d.refused != nil {
			if d.err = d.refused; d.err == nil && !d.main && !d.tree.IsDir(d.dir) {
				d.err = fmt.Errorf("%s@%s: replacement directory %s does not exist", d.path, d.asked, d.src.Path)
			}
			return
		}
		if d.dir, d.err = m.env.cacheDir(d.src); d.err != nil {
			return
		}
		d.tree = m.env.roots.Within(m.env.machine, d.dir)
		var sum string
		if sum, d.err = m.cachedSum(d); d.err == nil {
			d.err = m.verify(d.src, sum)
		}
		if d.err == nil {
			m.env.watch(d, sum)
		}
	})
	return d.err
}

// cachedSum returns the sum of a module in the module cache: the one that the go command has recorded there, or that of
// the files.
func (m *modules) cachedSum(d *mod) (string, error) {
	name, err := m.env.downloaded(d.src, "ziphash")
	if err != nil {
		return "", err
	}
	if data, err := m.env.machine.ReadFile(name, filetree.MaxModuleFile); err == nil {
		if sum := string(bytes.TrimSpace(data)); len(sum) == len(emptyGoMod) && !strings.Contains(sum, "\x00") {
			if !known(sum) {
				return "", fmt.Errorf("verifying %s: unexpected ziphash: %q", d.src, sum)
			}
			return sum, nil
		}
	}
	sum, err := d.treeSum(m.env.ctx, m.env.treeSums)
	if err != nil {
		return "", fmt.Errorf("verifying %s: %v", d.src, filetree.Reason(err))
	}
	return sum, nil
}

// goMod returns the go.mod of a dependency. One of the module cache is verified.
func (m *modules) goMod(d *mod) ([]byte, error) {
	switch {
	case d.refused != nil:
		return nil, d.refused
	case d.src.Version == "":
		return d.tree.ReadFile(d.tree.Join(d.dir, "go.mod"), filetree.MaxModuleFile)
	}
	if err := m.env.granted(d.src); err != nil {
		return nil, err
	}
	key := module.Version{Path: d.src.Path, Version: d.src.Version + "/go.mod"}
	switch missing, err := m.missing(key); {
	case err != nil:
		return nil, err
	case missing:
		return nil, fmt.Errorf("%s: missing go.sum entry for go.mod file; to add it:\n\tgo mod download %s", d.src, d.path)
	}
	data, err := m.cachedGoMod(d)
	if err != nil {
		return nil, err
	}
	sum, err := goModSum(data)
	if err != nil {
		return nil, err
	}
	return data, m.verify(key, sum)
}

// cachedGoMod reads the go.mod that the go command has recorded for a module, or that among the files of a module. One
// that has none has a go.mod with its path.
func (m *modules) cachedGoMod(d *mod) ([]byte, error) {
	name, err := m.env.downloaded(d.src, "mod")
	if err != nil {
		return nil, err
	}
	data, err := m.env.machine.ReadFile(name, filetree.MaxModuleFile)
	if err == nil {
		return data, nil
	}
	dir, err := m.env.cacheDir(d.src)
	if err != nil {
		return nil, err
	}
	if data, err = m.env.roots.Within(m.env.machine, dir).ReadFile(filepath.Join(dir, "go.mod"), filetree.MaxModuleFile); err == nil {
		return data, nil
	}
	return []byte("module " + modfile.AutoQuote(d.src.Path) + "\n"), nil
}

// language finds out which version of Go a dependency is written in.
func (d *mod) language(m *modules) error {
	d.langOnce.Do(func() {
		if d.goVersion != "" {
			return
		}
		d.goVersion = "go1.16"
		data, err := m.goMod(d)
		switch {
		case err != nil && d.src.Version == "" && d.refused == nil:
			return // directories need no go.mod
		case err != nil:
			d.langErr = err
			return
		}
		f, err := modfile.ParseLax("go.mod", data, nil)
		switch {
		case err == nil:
			d.langErr = d.checkGoMod(m, f)
		case d.src.Version != "":
			d.langErr = fmt.Errorf("%s: parsing go.mod: %v", d.src, err)
		}
	})
	return d.langErr
}

// checkGoMod takes the language version from the go.mod of a dependency, and refuses what the go command refuses.
func (d *mod) checkGoMod(m *modules, f *modfile.File) error {
	d.goVersion = langOf(f)
	if version.Compare(d.goVersion, m.env.release.Name()) > 0 {
		return m.tooNew(d)
	}
	if d.src.Version == "" {
		return nil
	}
	if f.Module == nil {
		return fmt.Errorf("%s: parsing go.mod: missing module line", d.src)
	}
	if path := f.Module.Mod.Path; path != d.path && path != d.src.Path {
		return fmt.Errorf("%s: parsing go.mod:\n\tmodule declares its path as: %s\n\t        but was required as: %s", d.src, path, d.path)
	}
	return nil
}

// tooNew returns the error for a dependency that needs another Go.
func (m *modules) tooNew(d *mod) error {
	return fmt.Errorf("module %s requires %s, but gyr runs %s: require an older version of it (go get %s@VERSION)", d, d.goVersion,
		m.env.goVersion, d.path)
}

// fatal reports whether an error is about the build as a whole, not about an import.
func fatal(err error) bool { return errors.As(err, new(*sumError)) }
