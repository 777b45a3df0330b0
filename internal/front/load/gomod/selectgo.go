package gomod

import (
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/release"
)

// SelectGo returns the Go installation that the go command would use in a directory, by
// $GOTOOLCHAIN and the lines go and toolchain of go.work or go.mod. It returns "" if that is the
// installation that FindGo finds. SelectGo looks in the module cache, where the go command keeps
// its downloads, and downloads nothing. It starts no process, except that it asks a wrapper of go
// on the path for its installation. With $GOROOT set, it selects nothing.
//
// It is for commands, whose user owns the directory. No line of an uploaded module decides where
// its standard library comes from.
func SelectGo(dir string, getenv func(string) string) (goroot string, err error) {
	if getenv("GOROOT") != "" {
		return "", nil
	}
	dir = filepath.Clean(dir)
	e := &Env{Getenv: getenv, Dir: dir}
	here := pathGOROOT(context.Background(), getenv)
	local, err := releaseOf(here)
	if here == "" || err != nil {
		local = runtime.Version()
	}
	setting := e.setting("GOTOOLCHAIN")
	if setting == "" {
		setting = "auto"
	}
	base, mode, _ := strings.Cut(setting, "+")
	switch base {
	case "auto", "path":
		base, mode = "local", base
	}
	if base != "local" && base != local {
		if goroot = e.toolchain(base); goroot == "" {
			return "", e.noToolchain("GOTOOLCHAIN="+setting, base, local, here)
		}
		local = base
	}
	if mode != "auto" && mode != "path" {
		return goroot, nil
	}
	file, goLine, toolchain := e.goLines(dir)
	want, why := "go"+goLine, "go "+goLine
	if version.Compare(toolchain, want) > 0 {
		want, why = toolchain, "toolchain "+toolchain
	}
	if !version.IsValid(want) || version.Compare(want, local) <= 0 {
		return goroot, nil
	}
	best := ""
	for _, have := range e.toolchains() {
		if have == want {
			best = have
			break
		}
		if version.Lang(have) == version.Lang(want) && version.Compare(have, want) >= 0 && version.Compare(have, best) > 0 {
			best = have
		}
	}
	if best == "" {
		return "", e.noToolchain(e.Short(file)+": "+why, want, local, here)
	}
	return e.toolchain(best), nil
}

// noToolchain returns an error that says what was wanted, what is present, and how to get it.
func (e *Env) noToolchain(why, want, local, here string) error {
	if release.Of(want) == nil {
		return diag.Errorf("%s: this gyr runs %s: %s, GOTOOLCHAIN=local does without", why, release.Names(), release.Cure(want))
	}
	found := "the module cache has no other"
	if list := e.toolchains(); len(list) > 0 {
		found = "the module cache has " + strings.Join(list, ", ")
	}
	if here == "" {
		here = "none is on the path"
	} else {
		here = fmt.Sprintf("%s in %s is on the path", local, here)
	}
	fetch := want
	if version.Lang(want) == want {
		fetch += ".0" // a language version is not a release
	}
	return diag.Errorf("%s: there is no such Go here (%s, %s): GOTOOLCHAIN=%s go version downloads it, GOROOT=DIRECTORY names one, GOTOOLCHAIN=local does without", why, here, found, fetch)
}

// toolchain returns the directory in which the module cache has a release of Go, or "".
func (e *Env) toolchain(name string) string {
	dir := filepath.Join(e.userModules(), "golang.org", toolchainPrefix+name+toolchainSuffix())
	if have, err := releaseOf(dir); err != nil || have != name {
		return ""
	}
	return dir
}

const toolchainPrefix = "toolchain@v0.0.1-"

func toolchainSuffix() string { return "." + runtime.GOOS + "-" + runtime.GOARCH }

// toolchains lists the releases of Go that the module cache has, the oldest first.
func (e *Env) toolchains() (list []string) {
	entries, err := os.ReadDir(filepath.Join(e.userModules(), "golang.org"))
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		name, ok := strings.CutPrefix(entry.Name(), toolchainPrefix)
		if name, has := strings.CutSuffix(name, toolchainSuffix()); ok && has && version.IsValid(name) && e.toolchain(name) != "" {
			list = append(list, name)
		}
	}
	slices.SortFunc(list, version.Compare)
	return list
}

// goLines reads the lines go and toolchain of the go.work or go.mod that governs a directory. The
// load reports errors in the file.
func (e *Env) goLines(dir string) (file, goLine, toolchain string) {
	file, work := e.governing(dir)
	if file == "" {
		return "", "", ""
	}
	data, err := e.User.ReadFile(e.modFile(file), filetree.MaxModuleFile)
	if err != nil {
		return file, "", ""
	}
	if work {
		if w, err := modfile.ParseWork(file, data, nil); err == nil {
			return file, lineOf(w.Go), toolchainOf(w.Toolchain)
		}
	} else if f, err := modfile.Parse(file, data, nil); err == nil {
		return file, lineOf(f.Go), toolchainOf(f.Toolchain)
	}
	return file, "", ""
}

func lineOf(g *modfile.Go) string {
	if g == nil {
		return ""
	}
	return g.Version
}

func toolchainOf(t *modfile.Toolchain) string {
	if t == nil || !version.IsValid(t.Name) {
		return ""
	}
	return t.Name
}
