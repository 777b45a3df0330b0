package load

import (
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/printable"
)

// Who uploads a tree (Options.FS) is shown no path of the host: a file of the standard library is $GOROOT/src/fmt/print.go,
// one of the module cache is example.com/a@v1.0.0/a.go, one of the tree has its path there.

// shown returns the whole name of a file or directory as errors print it.
func (l *loader) shown(name string) string {
	if l.user.FS != nil {
		name = l.guestName(name)
	}
	return printable.Line(name)
}

// guestName returns the name that a file or directory has for those who may not know where it is.
func (l *loader) guestName(name string) string {
	if rest, ok := inDir(name, l.goroot); ok {
		return stdRoot + "/" + rest
	}
	if rest, ok := inDir(name, l.modcache()); ok {
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

// unescaped returns a path in the module cache with the capital letters that modules have in their paths and versions.
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
