package main

import (
	"errors"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/hostpkg"
)

var stubsCmd = &command{
	name:  "stubs",
	usage: "[-o dir] [-module path] importpath=file.go ...",
	short: "write packages of a host for go build and editors",
	long: `Stubs writes packages of a host as a Go module, so that go build, go vet and editors know
what guests may import. Each file is the declaration of a host package, as gyr.HostPackage.Source
has it: a Go file with functions without bodies. In the module they have bodies that panic.

The module is written to the directory of -o, which is made; files of the same names are replaced.
Its path is that of -module, by default the longest path that all packages are in. In the guest's
module one line makes use of it:

	go mod edit -require=PATH@v0.0.0 -replace=PATH=DIR

A host's packages go before those of modules, so the guest need not change when it runs in its host.`,
	run: stubs,
}

// A stub is a package to write.
type stub struct {
	pkg  *hostpkg.Package
	text []byte
}

func stubs(c *command, args []string) error {
	fs := c.flags()
	out := fs.String("o", "stubs", "the `directory` of the module")
	mod := fs.String("module", "", "the `path` of the module")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return usageError{"stubs: no packages: name some as importpath=file.go"}
	}
	var list []stub
	for _, arg := range fs.Args() {
		s, err := readStub(arg)
		if err != nil {
			return err
		}
		for _, other := range list {
			if other.pkg.Path == s.pkg.Path {
				return usageError{fmt.Sprintf("stubs: %s is named twice", s.pkg.Path)}
			}
		}
		list = append(list, s)
	}
	if *mod == "" {
		*mod = list[0].pkg.Path
		for _, s := range list[1:] {
			for *mod != "." && !inModule(s.pkg.Path, *mod) {
				*mod = path.Dir(*mod)
			}
		}
		if *mod == "." {
			return usageError{"stubs: the packages have no path in common: say -module, once for each"}
		}
	}
	if err := module.CheckPath(*mod); err != nil {
		return usageError{fmt.Sprintf("stubs: -module: %v", err)}
	}
	for _, s := range list {
		if !inModule(s.pkg.Path, *mod) {
			return usageError{fmt.Sprintf("stubs: package %s is not in module %s", s.pkg.Path, *mod)}
		}
	}
	for _, s := range list {
		dir := filepath.Join(*out, filepath.FromSlash(strings.TrimPrefix(strings.TrimPrefix(s.pkg.Path, *mod), "/")))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, s.pkg.Name+".go"), s.text, 0o666); err != nil {
			return err
		}
	}
	text := fmt.Sprintf("// Stubs of packages of a host, written by gyr stubs.\nmodule %s\n\ngo 1.26\n", *mod)
	return os.WriteFile(filepath.Join(*out, "go.mod"), []byte(text), 0o666)
}

func inModule(pkg, mod string) bool { return pkg == mod || strings.HasPrefix(pkg, mod+"/") }

// readStub reads the declaration that an argument names.
func readStub(arg string) (s stub, err error) {
	name, file, ok := strings.Cut(arg, "=")
	if !ok {
		return s, usageError{fmt.Sprintf("stubs: %s: want importpath=file.go", arg)}
	}
	source, err := os.ReadFile(file)
	if err != nil {
		return s, &fileError{file, err}
	}
	s.pkg, err = hostpkg.Parse(name, string(source))
	if e := (*hostpkg.Error)(nil); errors.As(err, &e) {
		return s, &api.CompileError{Err: fmt.Errorf("%s:%s", file, e.Msg)}
	}
	if err == nil {
		s.text, err = format.Source([]byte(s.pkg.Stubs()))
	}
	return s, err
}
