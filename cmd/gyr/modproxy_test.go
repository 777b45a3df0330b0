package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/modproxy"
)

// addToProxy puts directories named example.com/m@v1.0.0 into a module proxy made of files.
func addToProxy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: modproxy OUT DIR...")
	}
	for _, dir := range args[1:] {
		path, version, _ := strings.Cut(dir, "@")
		ts.Check(modproxy.Add(ts.MkAbs(args[0]), module.Version{Path: path, Version: version}, ts.MkAbs(dir), nil))
	}
}
