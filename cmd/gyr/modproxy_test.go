package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// modproxy makes a module proxy of files, as GOPROXY=file://... names it, from directories named example.com/m@v1.0.0.
func modproxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: modproxy OUT DIR...")
	}
	for _, dir := range args[1:] {
		path, version, _ := strings.Cut(dir, "@")
		v := module.Version{Path: path, Version: version}
		out := filepath.Join(ts.MkAbs(args[0]), filepath.FromSlash(path), "@v")
		ts.Check(os.MkdirAll(out, 0o777))
		write := func(suffix string, data []byte) {
			ts.Check(os.WriteFile(filepath.Join(out, suffix), data, 0o666))
		}
		mod, err := os.ReadFile(filepath.Join(ts.MkAbs(dir), "go.mod"))
		ts.Check(err)
		write(version+".mod", mod)
		write(version+".info", fmt.Appendf(nil, "{%q:%q}", "Version", version))
		list, _ := os.ReadFile(filepath.Join(out, "list"))
		write("list", fmt.Appendln(list, version))
		zip, err := os.Create(filepath.Join(out, version+".zip"))
		ts.Check(err)
		ts.Check(modzip.CreateFromDir(zip, v, ts.MkAbs(dir)))
		ts.Check(zip.Close())
	}
}
