package conformance

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Well-known modules at pinned versions. The directory testdata/modules is a module of its own: its
// go.mod names the versions, its go.sum their hashes. packages.go imports the packages whose tests
// are run, so that go mod tidy keeps the dependencies of the tests. A comment after an import gives
// build tags:
//
//	_ "github.com/golang/snappy" // tags: noasm

// A modulePackage is one import of packages.go.
type modulePackage struct {
	path string
	tags []string
}

// readModulePackages reads packages.go.
func readModulePackages(dir string) ([]modulePackage, error) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "packages.go"), nil, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var list []modulePackage
	for _, imp := range f.Imports {
		p := modulePackage{}
		if p.path, err = strconv.Unquote(imp.Path.Value); err != nil {
			return nil, err
		}
		if tags, ok := strings.CutPrefix(strings.TrimSpace(imp.Comment.Text()), "tags: "); ok {
			p.tags = strings.Split(tags, ",")
		}
		list = append(list, p)
	}
	return list, nil
}

// An offlineError says that modules could not be fetched.
type offlineError struct{ output string }

func (e *offlineError) Error() string { return "modules cannot be fetched: " + e.output }

// resolveModules finds the packages in the module cache. The go command fetches missing ones and
// checks the hashes. The tests see their module and the time zones of goroot.
func resolveModules(goroot, dir string, list []modulePackage) ([]testPackage, error) {
	type place struct{ dir, root string }
	places := map[string]place{}
	byTags := map[string][]string{}
	for _, p := range list {
		tags := strings.Join(p.tags, ",")
		byTags[tags] = append(byTags[tags], p.path)
	}
	for _, tags := range sortedKeys(byTags) {
		args := []string{"list", "-mod=readonly", "-deps", "-test", "-tags=purego," + tags,
			"-f", "{{if and .Module (not .ForTest)}}{{.ImportPath}}\t{{.Dir}}\t{{.Module.Dir}}{{end}}"}
		cmd := exec.Command("go", append(args, byTags[tags]...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Run(); err != nil {
			msg := strings.TrimSpace(stderr.String())
			if strings.Contains(msg, "dial tcp") || strings.Contains(msg, "lookup ") || strings.Contains(msg, "GOPROXY=off") {
				return nil, &offlineError{msg}
			}
			return nil, fmt.Errorf("go list: %w\n%s", err, msg)
		}
		for line := range strings.Lines(out.String()) {
			if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); len(f) == 3 {
				places[f[0]] = place{f[1], f[2]}
			}
		}
	}
	var found []testPackage
	for _, p := range list {
		at, ok := places[p.path]
		if !ok {
			return nil, fmt.Errorf("go list does not know %s", p.path)
		}
		found = append(found, testPackage{path: p.path, src: dir, tags: p.tags, dir: at.dir, dirs: []string{at.root, filepath.Join(goroot, "lib", "time")}})
	}
	return found, nil
}

var modulesFlag = flag.String("modules", "", "run the tests of the modules' packages that match, `all` for all")

// moduleSample is the list that runs without a flag.
var moduleSample = []string{"github.com/Masterminds/semver/v3", "github.com/hashicorp/go-version", "github.com/google/go-cmp/cmp/internal/function"}

const modulesDir = "testdata/modules"

// TestModules runs the tests of well-known modules in the sandbox.
func TestModules(t *testing.T) {
	newSuite(t, "testdata/modules-passed.txt", "testdata/modules-excluded.txt", "testdata/modules-alloc.txt").packages(t, modulePackages(t, *modulesFlag))
}

// modulePackages returns the packages that the flag selects. It skips the test if they cannot be
// fetched.
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
