package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
)

// downloaded is what go mod download says of a module.
type downloaded struct {
	Dir, GoMod, Error string
}

// download fetches a module.
func download(ctx context.Context, query string) (*downloaded, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", query)
	cmd.Dir = os.TempDir() // no module
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.Output()
	var d downloaded
	if json.Unmarshal(out, &d) == nil && d.Error != "" {
		return nil, errors.New(d.Error)
	}
	if err != nil {
		return nil, fmt.Errorf("go mod download %s: %w", query, withOutput(err))
	}
	return &d, nil
}

func withOutput(err error) error {
	if e := (*exec.ExitError)(nil); errors.As(err, &e) && len(e.Stderr) > 0 {
		return errors.New(firstLines(e.Stderr, 5))
	}
	return err
}

// later reports whether version v is newer than w.
func later(v, w string) bool { return semver.Compare(v, w) > 0 }

// copyTree copies a directory, so that tests may write to it.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		dst := filepath.Join(to, rel)
		if e.IsDir() {
			return os.MkdirAll(dst, 0o777)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(dst, b, 0o666)
	})
}

// removeAll removes a directory, whatever tests have made of its modes.
func removeAll(dir string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// modFlags let the go command complete the go.sum of a module that is not the main one anywhere else.
const modFlags = "GOFLAGS=-mod=mod"

// testPackages lists the packages of a module that have tests for wasip1.
func testPackages(ctx context.Context, root string) ([]packageResult, error) {
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return nil, errors.New("no go.mod: the tests' own requirements are not known")
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-f",
		`{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}`, "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", modFlags)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", withOutput(err))
	}
	var list []packageResult
	for _, path := range strings.Fields(string(out)) {
		list = append(list, packageResult{Path: path})
	}
	// Whoever measures fetches what is missing now, so that gyr finds it in the module cache.
	cmd = exec.CommandContext(ctx, "go", "list", "-e", "-test", "-deps", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", modFlags)
	_ = cmd.Run()
	return list, nil
}

// vet returns why go vet does not accept packages for wasip1, whatever it has to say about their style.
func vet(ctx context.Context, root string, paths ...string) string {
	cmd := exec.CommandContext(ctx, "go", append([]string{"vet", "-directive"}, paths...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", modFlags)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return firstLines(out, 3)
}

// A ran is what a test command says of a package.
type ran struct {
	tests  tests
	output map[string]string // of tests that failed, the last lines
	build  string            // why it does not compile
}

// runTests runs a test command that prints what go test -json prints.
func runTests(ctx context.Context, root, command string, args []string) map[string]*ran {
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off", modFlags)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	_ = cmd.Run() // the events say what went wrong
	return parseEvents(out.Bytes())
}

// parseEvents reads the events of go test -json.
func parseEvents(b []byte) map[string]*ran {
	all := map[string]*ran{}
	of := func(path string) *ran {
		path, _, _ = strings.Cut(path, " ") // of a build: "path [path.test]"
		r := all[path]
		if r == nil {
			r = &ran{tests: tests{}, output: map[string]string{}}
			all[path] = r
		}
		return r
	}
	builds := map[string]string{} // what they print
	for _, line := range splitLines(b) {
		var e struct {
			Action, Package, ImportPath, Test, Output, FailedBuild string
		}
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		switch {
		case e.Action == "build-output":
			builds[e.ImportPath] += e.Output
		case e.Package == "":
		case e.Test == "":
			if e.Action == "fail" && e.FailedBuild != "" {
				of(e.Package).build = firstLines([]byte(builds[e.FailedBuild]), 4)
			}
		case strings.Contains(e.Test, "/"): // counts with its parent
			if e.Action == "output" {
				parent, _, _ := strings.Cut(e.Test, "/")
				keep(of(e.Package).output, parent, e.Output)
			}
		case e.Action == "output":
			keep(of(e.Package).output, e.Test, e.Output)
		case e.Action == "pass", e.Action == "fail", e.Action == "skip":
			of(e.Package).tests[e.Test] = e.Action
		}
	}
	return all
}

// keep appends to the output of a test, of which the first lines matter.
func keep(m map[string]string, test, output string) {
	if len(m[test]) < 1000 {
		m[test] += output
	}
}

func splitLines(b []byte) [][]byte { return bytes.Split(b, []byte("\n")) }

func fields(s string) []string { return strings.Fields(s) }

// firstLines returns at most n lines that say something.
func firstLines(b []byte, n int) string {
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && len(lines) < n {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
