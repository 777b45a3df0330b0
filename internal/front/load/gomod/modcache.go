package gomod

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

// This file reads the module cache. Nothing is ever fetched: the go.mod of an untrusted program
// must not make this process use the network. An uploaded tree (Options.FS) reads a module cache
// only if Options.Modules names one.

// modcache returns the directory of the module cache.
func (e *Env) modcache() string {
	if e.ModulesDir != "" {
		return e.ModulesDir
	}
	if e.User.FS != nil {
		return ""
	}
	return e.userModules()
}

// userModules returns the directory of the user's module cache.
func (e *Env) userModules() string {
	if d := e.setting("GOMODCACHE"); d != "" {
		return d
	}
	if l := filepath.SplitList(e.setting("GOPATH")); len(l) > 0 && l[0] != "" {
		return filepath.Join(l[0], "pkg", "mod")
	}
	return filepath.Join(e.Getenv("HOME"), "go", "pkg", "mod")
}

// granted returns an error if the program may not read the module cache, which it needs for a
// module.
func (e *Env) granted(v module.Version) error {
	if e.modcache() != "" {
		return nil
	}
	return fmt.Errorf("module %s is needed, but the host does not grant its modules: vendor it (go mod vendor), or have the host set Source.Modules", v)
}

// downloaded returns the name of a file of the module cache about a module.
func (e *Env) downloaded(v module.Version, suffix string) (string, error) {
	path, err := module.EscapePath(v.Path)
	if err != nil {
		return "", err
	}
	ver, err := module.EscapeVersion(v.Version)
	return filepath.Join(e.modcache(), "cache", "download", filepath.FromSlash(path), "@v", ver+"."+suffix), err
}

// cacheDir returns the directory of a module in the module cache.
func (e *Env) cacheDir(v module.Version) (string, error) {
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
	if !e.Machine.IsDir(dir) {
		return "", absent(v, "is not in the module cache")
	}
	partial, err := e.downloaded(v, "partial")
	if err == nil && e.Machine.IsFile(partial) {
		return "", absent(v, "was not completely extracted into the module cache")
	}
	return dir, err
}

// absent returns the error for a module that the module cache lacks.
func absent(v module.Version, how string) error {
	return fmt.Errorf("module %s %s: run go mod download %s, or vendor it (go mod vendor)", v, how, v)
}

// locate finds the directory of a dependency. A directory of the module cache is verified.
func (d *Module) locate(m *Modules) error {
	d.once.Do(func() {
		if d.Dir != "" || d.refused != nil {
			if d.err = d.refused; d.err == nil && !d.Main && !d.Tree.IsDir(d.Dir) {
				d.err = fmt.Errorf("%s@%s: replacement directory %s does not exist", d.Path, d.Asked, d.Src.Path)
			}
			return
		}
		if d.Dir, d.err = m.env.cacheDir(d.Src); d.err != nil {
			return
		}
		d.Tree = m.env.Roots.Within(m.env.Machine, d.Dir)
		var sum string
		if sum, d.err = m.cachedSum(d); d.err == nil {
			d.err = m.verify(d.Src, sum)
		}
		if d.err == nil {
			m.env.watch(d, sum)
		}
	})
	return d.err
}

// cachedSum returns the sum of a module in the module cache: the one that the go command has
// recorded there, or that of the files.
func (m *Modules) cachedSum(d *Module) (string, error) {
	name, err := m.env.downloaded(d.Src, "ziphash")
	if err != nil {
		return "", err
	}
	if data, err := m.env.Machine.ReadFile(name, filetree.MaxModuleFile); err == nil {
		if sum := string(bytes.TrimSpace(data)); len(sum) == len(EmptyGoMod) && !strings.Contains(sum, "\x00") {
			if !known(sum) {
				return "", fmt.Errorf("verifying %s: unexpected ziphash: %q", d.Src, sum)
			}
			return sum, nil
		}
	}
	sum, err := d.treeSum(m.env.Ctx, m.env.TreeSums)
	if err != nil {
		return "", fmt.Errorf("verifying %s: %v", d.Src, filetree.Reason(err))
	}
	return sum, nil
}

// goMod returns the go.mod of a dependency. A go.mod of the module cache is verified.
func (m *Modules) goMod(d *Module) ([]byte, error) {
	switch {
	case d.refused != nil:
		return nil, d.refused
	case d.Src.Version == "":
		return d.Tree.ReadFile(d.Tree.Join(d.Dir, "go.mod"), filetree.MaxModuleFile)
	}
	if err := m.env.granted(d.Src); err != nil {
		return nil, err
	}
	key := module.Version{Path: d.Src.Path, Version: d.Src.Version + "/go.mod"}
	switch missing, err := m.missing(key); {
	case err != nil:
		return nil, err
	case missing:
		return nil, fmt.Errorf("%s: missing go.sum entry for go.mod file; to add it:\n\tgo mod download %s", d.Src, d.Path)
	}
	data, err := m.cachedGoMod(d)
	if err != nil {
		return nil, err
	}
	sum, err := GoModSum(data)
	if err != nil {
		return nil, err
	}
	return data, m.verify(key, sum)
}

// cachedGoMod reads the go.mod that the go command has recorded for a module, or the one among the
// module's files. For a module without one it returns a go.mod with the module's path.
func (m *Modules) cachedGoMod(d *Module) ([]byte, error) {
	name, err := m.env.downloaded(d.Src, "mod")
	if err != nil {
		return nil, err
	}
	data, err := m.env.Machine.ReadFile(name, filetree.MaxModuleFile)
	if err == nil {
		return data, nil
	}
	dir, err := m.env.cacheDir(d.Src)
	if err != nil {
		return nil, err
	}
	if data, err = m.env.Roots.Within(m.env.Machine, dir).ReadFile(filepath.Join(dir, "go.mod"), filetree.MaxModuleFile); err == nil {
		return data, nil
	}
	return []byte("module " + modfile.AutoQuote(d.Src.Path) + "\n"), nil
}

// language finds the language version of a dependency.
func (d *Module) language(m *Modules) error {
	d.langOnce.Do(func() {
		if d.GoVersion != "" {
			return
		}
		d.GoVersion = "go1.16"
		data, err := m.goMod(d)
		switch {
		case err != nil && d.Src.Version == "" && d.refused == nil:
			return // directories need no go.mod
		case err != nil:
			d.langErr = err
			return
		}
		f, err := modfile.ParseLax("go.mod", data, nil)
		switch {
		case err == nil:
			d.langErr = d.checkGoMod(m, f)
		case d.Src.Version != "":
			d.langErr = fmt.Errorf("%s: parsing go.mod: %v", d.Src, err)
		}
	})
	return d.langErr
}

// checkGoMod takes the language version from the go.mod of a dependency. It refuses a go.mod that
// the go command refuses.
func (d *Module) checkGoMod(m *Modules, f *modfile.File) error {
	d.GoVersion = langOf(f)
	if version.Compare(d.GoVersion, m.env.Release.Name()) > 0 {
		return m.tooNew(d)
	}
	if d.Src.Version == "" {
		return nil
	}
	if f.Module == nil {
		return fmt.Errorf("%s: parsing go.mod: missing module line", d.Src)
	}
	if path := f.Module.Mod.Path; path != d.Path && path != d.Src.Path {
		return fmt.Errorf("%s: parsing go.mod:\n\tmodule declares its path as: %s\n\t        but was required as: %s", d.Src, path, d.Path)
	}
	return nil
}

// tooNew returns the error for a dependency that needs another Go.
func (m *Modules) tooNew(d *Module) error {
	return fmt.Errorf("module %s requires %s, but gyr runs %s: require an older version of it (go get %s@VERSION)", d, d.GoVersion,
		m.env.GoVersion, d.Path)
}

// IsFatal reports whether an error is about the build as a whole, not about an import.
func IsFatal(err error) bool { return errors.As(err, new(*sumError)) }
