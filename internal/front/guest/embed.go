// Package guest holds the Go sources that replace five packages of the standard library in a guest:
// runtime, runtime/pprof, runtime/trace, runtime/metrics and testing/internal/testdeps. They are
// compiled like any other guest code and are no part of this module's build: the name of their
// folder, _src, hides them from the go command.
//
// answers.go lists the single declarations that are replaced in other packages.
package guest

import (
	"embed"
	"io/fs"
)

//go:embed all:_src
var src embed.FS

// Source is the tree of replaced packages, by import path.
var Source = func() fs.FS {
	f, err := fs.Sub(src, "_src")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return f
}()
