package conformance

import (
	"flag"
	"strings"
	"testing"
)

var stdFlag = flag.String("std", "", "run the tests of these packages of the standard library, `a,b,…`; engine, all, more: the lists of std.go")

// stdSample is what runs without a flag.
var stdSample = []string{"errors", "container/list", "container/heap", "sort"}

// TestStd runs the standard library's own tests in the sandbox.
func TestStd(t *testing.T) {
	s := newSuite(t, "testdata/std-passed.txt", "testdata/std-excluded.txt", "testdata/std-alloc.txt")
	var list []testPackage
	for _, name := range stdNames(*stdFlag, stdSample) {
		list = append(list, stdPackage(s.run.goroot, name))
	}
	s.packages(t, list)
}

// stdNames are the packages that a flag names, or the sample without it.
func stdNames(flag string, sample []string) []string {
	switch flag {
	case "":
		return sample
	case "engine":
		return stdEngine
	case "all":
		return stdAll
	case "more":
		return stdMore
	}
	return strings.Split(flag, ",")
}
