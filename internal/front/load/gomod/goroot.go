package gomod

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/release"
)

// FindGOROOT returns the Go installation to use and its version: the configured one, else $GOROOT,
// else that of the go command on the path, else the one that built this program. The loaded program
// does not influence the choice.
func FindGOROOT(ctx context.Context, goroot string, env func(string) string) (dir, version string, err error) {
	if dir = goroot; dir == "" {
		dir = env("GOROOT")
	}
	if dir != "" {
		if dir, err = filepath.Abs(dir); err != nil {
			return "", "", diag.Errorf("%v", err)
		}
		version, err = usable(dir)
		return dir, version, err
	}
	var found error // why an installation cannot be used
	for _, dir := range []string{pathGOROOT(ctx, env), builtGOROOT()} {
		if dir == "" {
			continue
		}
		if version, err = usable(dir); err == nil {
			return dir, version, nil
		}
		if found == nil {
			found = err
		}
	}
	if found != nil {
		return "", "", found
	}
	return "", "",
		diag.Errorf("cannot find GOROOT: there is no go command on the path and $GOROOT is not set; gyr needs the sources of the standard library of %s: %s",
			release.Names(), release.Cure(""))
}

// builtGOROOT is the last resort, as for the go command.
func builtGOROOT() string {
	//lint:ignore SA1019 see above
	return runtime.GOROOT()
}

// pathGOROOT returns the installation of the go command on the path, or "" if the path has none.
func pathGOROOT(ctx context.Context, env func(string) string) string {
	gocmd := lookPath(env("PATH"), "go")
	if gocmd == "" {
		return ""
	}
	if real, err := filepath.EvalSymlinks(gocmd); err == nil {
		dir := filepath.Dir(filepath.Dir(real))
		if _, err := releaseOf(dir); err == nil {
			return dir
		}
	}
	// It is a wrapper. The go.mod files around here must not influence it.
	cmd := exec.CommandContext(ctx, gocmd, "env", "GOROOT")
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), "GOTOOLCHAIN=local")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// FindGo returns the Go installation that a load would use, and its release. If goroot is empty,
// FindGo finds the installation as the go command does.
func FindGo(goroot string) (dir, release string, err error) {
	return FindGOROOT(context.Background(), goroot, os.Getenv)
}

// Installations returns a Go installation for each release that this program can run, by the
// release's name. The installation that FindGo finds takes precedence over those of the module
// cache, and the newest of these counts.
func Installations() map[string]string {
	e := &Env{Getenv: os.Getenv}
	var candidates []string
	for _, name := range e.toolchains() {
		candidates = append(candidates, e.toolchain(name))
	}
	list := map[string]string{}
	for _, dir := range append(candidates, pathGOROOT(context.Background(), os.Getenv), builtGOROOT(), os.Getenv("GOROOT")) {
		if version, err := usable(dir); dir != "" && err == nil {
			list[release.Of(version).Name()] = dir
		}
	}
	return list
}

// lookPath is exec.LookPath with a given list of directories.
func lookPath(path, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue
		}
		file := filepath.Join(dir, name)
		if st, err := os.Stat(file); err == nil && !st.IsDir() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0) {
			return file
		}
	}
	return ""
}

// releaseOf reads the version of a Go installation.
func releaseOf(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "VERSION"))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "src", "fmt")); err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line), nil
}

// usable returns the version of the Go installation in a directory. The error says why programs
// cannot be compiled with it. The version is also returned with an error, if it is known.
func usable(dir string) (version string, err error) {
	version, err = releaseOf(dir)
	if err == nil {
		if _, err := release.Check(version); err != nil {
			text := err.Error()
			if release.Of(version) == nil {
				text += ": " + release.Cure(version)
			}
			return version, diag.Errorf("the Go installation in %s is %s: %s", dir, version, text)
		}
		for _, name := range []string{"fmt/print.go", "internal/abi/type.go"} {
			if err == nil {
				_, err = os.Stat(filepath.Join(dir, "src", filepath.FromSlash(name)))
			}
		}
	}
	if err != nil {
		lacks := dir
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			lacks = p.Path
		}
		return "", diag.Errorf("cannot find GOROOT directory: %s holds no Go installation with sources, which gyr needs of %s: %s is not there: %s", dir,
			release.Names(), lacks, release.Cure(version))
	}
	return version, nil
}
