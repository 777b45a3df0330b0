package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// A downloaded is the output of go mod download for a module.
type downloaded struct {
	Dir, GoMod, Error string
}

// download fetches a module.
func download(ctx context.Context, query string) (*downloaded, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", query)
	cmd.Dir = os.TempDir() // outside any module
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

// removeAll removes a directory, whatever file modes tests have set.
func removeAll(dir string) {
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			os.Chmod(path, 0o777)
		}
		return nil
	})
	os.RemoveAll(dir)
}

// modFlags let the go command complete the go.sum of a module that is nowhere the main module.
const modFlags = "GOFLAGS=-mod=mod"

// makeModule writes a go.mod for a module that has none, with the newest versions of what its
// packages and tests import.
func makeModule(ctx context.Context, root, path string) error {
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
		return nil
	}
	for _, args := range [][]string{{"mod", "init", path}, {"mod", "tidy", "-e"}} {
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("no go.mod, and go mod %s says: %s", args[1], firstLines(out, 3))
		}
	}
	return nil
}

// testPackages lists the packages of a module that have tests for wasip1.
func testPackages(ctx context.Context, root string) ([]packageResult, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-tags", guestTags(root), "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", modFlags)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", withOutput(err))
	}
	var list []packageResult
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if files := slices.Concat(p.TestGoFiles, p.XTestGoFiles); len(files) > 0 {
			list = append(list, packageResult{Path: p.ImportPath, declared: declaredIn(p.Dir, files)})
		}
	}
	// This fetches missing modules, so that gyr finds them in the module cache.
	for _, system := range [][]string{nil, {"GOOS=wasip1", "GOARCH=wasm"}} {
		cmd = exec.CommandContext(ctx, "go", "list", "-e", "-test", "-deps", "./...")
		cmd.Dir, cmd.Env = root, append(os.Environ(), append(system, "GOWORK=off", modFlags)...)
		_ = cmd.Run()
	}
	return list, nil
}

// guestTags returns the build tags of a module as a guest, without the system's and the
// processor's: gyr sets purego for modules with assembly.
func guestTags(root string) string {
	tags := "math_big_pure_go"
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.EqualFold(filepath.Ext(path), ".s") {
			tags += ",purego"
			return fs.SkipAll
		}
		return nil
	})
	return tags
}

// declaredIn returns the functions that files declare, or nil if that is unknown.
func declaredIn(dir string, files []string) map[string]bool {
	names := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

// vet returns why go vet does not accept packages for wasip1. It ignores complaints about style.
func vet(ctx context.Context, root string, paths ...string) string {
	cmd := exec.CommandContext(ctx, "go", append([]string{"vet", "-directive"}, paths...)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", modFlags)
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	return firstLines(out, 3)
}

func splitLines(b []byte) [][]byte { return bytes.Split(b, []byte("\n")) }

func fields(s string) []string { return strings.Fields(s) }

// firstLines returns at most n meaningful lines.
func firstLines(b []byte, n int) string {
	var lines []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && len(lines) < n {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
