package conformance

import (
	"errors"
	"flag"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var modulesFlag = flag.String("modules", "", "run the tests of the modules' packages that match, `all` for all")

// moduleSample is what runs without a flag.
var moduleSample = []string{"github.com/Masterminds/semver/v3", "github.com/hashicorp/go-version", "github.com/google/go-cmp/cmp/internal/function"}

const modulesDir = "testdata/modules"

// TestModules runs the tests of well-known modules in the sandbox.
func TestModules(t *testing.T) {
	newSuite(t, "testdata/modules-passed.txt", "testdata/modules-excluded.txt", "testdata/modules-alloc.txt").packages(t, modulePackages(t, *modulesFlag))
}

// modulePackages returns the packages that the flag selects. The test is skipped where they cannot be fetched.
func modulePackages(t *testing.T, which string) []testPackage {
	dir, err := filepath.Abs(modulesDir)
	if err != nil {
		t.Fatal(err)
	}
	all, err := readModulePackages(dir)
	if err != nil {
		t.Fatal(err)
	}
	re, err := regexp.Compile(which)
	if err != nil {
		t.Fatal(err)
	}
	var some []modulePackage
	for _, p := range all {
		if which == "" && slices.Contains(moduleSample, p.path) || which == "all" || which != "" && re.MatchString(p.path) {
			some = append(some, p)
		}
	}
	list, err := resolveModules(goroot(t), dir, some)
	var offline *offlineError
	if errors.As(err, &offline) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}
