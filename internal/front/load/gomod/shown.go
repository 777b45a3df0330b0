package gomod

import (
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/front/load/diag"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/printable"
)

// A user who uploads a tree (Options.FS) sees no path of the host. A file of the standard library
// is $GOROOT/src/fmt/print.go, a file of the module cache is example.com/a@v1.0.0/a.go, and a file
// of the tree has its path there.

// StdRoot stands for the directory of the Go installation in the names of the standard library's
// files, as in the object files of the go command. Guests see these names, so they are the same on
// all machines.
const StdRoot = "$GOROOT"

// StdName returns the name that a file of the standard library has for guests.
func StdName(pkg, base string) string { return StdRoot + "/src/" + pkg + "/" + base }

// IsStdFile reports whether a name is the guests' name of a file of the standard library.
func IsStdFile(name string) bool { return strings.HasPrefix(name, StdRoot+"/") }

// OnMachine returns the name that a file of the standard library has in a Go installation. It
// returns other names unchanged.
func OnMachine(name, goroot string) string {
	if !IsStdFile(name) {
		return name
	}
	return filepath.Join(goroot, filepath.FromSlash(name[len(StdRoot)+1:]))
}

// Short returns a file's name as errors print it.
func (e *Env) Short(name string) string {
	name = OnMachine(name, e.GOROOT)
	if by, _ := e.User.Replaced.File(name); by != "" {
		name = by // as in errors of the compiler, which gets that file
	}
	if e.User.FS != nil {
		return printable.Line(strings.TrimPrefix(e.GuestName(name), e.Dir+"/"))
	}
	return printable.Line(diag.ShortName(e.Dir, OnMachine(name, e.GOROOT)))
}

// modFile returns the file that is read as a main module's go.mod: file, or that of -modfile.
func (e *Env) modFile(file string) string {
	if name := e.goflag("modfile"); name != "" {
		return e.User.At(e.Dir, name)
	}
	return file
}

// modFileTree returns the tree that has the file of modFile: that of the module, or all files of
// the user.
func (e *Env) modFileTree(t filetree.Tree) filetree.Tree {
	if e.goflag("modfile") != "" {
		return e.User
	}
	return t
}

// Shown returns the full name of a file or directory as errors print it.
func (e *Env) Shown(name string) string {
	if e.User.FS != nil {
		name = e.GuestName(name)
	}
	return printable.Line(name)
}

// GuestName returns the name of a file or directory for users who may not know where it is.
func (e *Env) GuestName(name string) string {
	if rest, ok := inDir(name, e.GOROOT); ok {
		return StdRoot + "/" + rest
	}
	if rest, ok := inDir(name, e.modcache()); ok {
		return unescaped(rest)
	}
	return name
}

// inDir returns the path of a file relative to a directory that it is in.
func inDir(name, dir string) (rest string, ok bool) {
	if dir == "" || !filepath.IsAbs(name) {
		return "", false
	}
	rest, err := filepath.Rel(dir, name)
	return filepath.ToSlash(rest), err == nil && filepath.IsLocal(rest)
}

// unescaped returns a path in the module cache with the capital letters of the module's path and
// version.
func unescaped(path string) string {
	escaped, rest, ok := strings.Cut(path, "@")
	if !ok {
		return path
	}
	version, file, _ := strings.Cut(rest, "/")
	p, err := module.UnescapePath(escaped)
	if err != nil {
		return path
	}
	if v, err := module.UnescapeVersion(version); err == nil {
		version = v
	}
	if file != "" {
		file = "/" + file
	}
	return p + "@" + version + file
}
