package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/gyrvm/gyr/internal/modproxy"
)

// modulePath is the path of the module at the root of the repository.
const modulePath = "github.com/gyrvm/gyr"

// The modules of the repository, by their directories.
var (
	// published are the modules that others require or install. All have the root's version.
	published = []string{".", "chain", "otel", "prometheus", "store/pebble", "stream"}
	// private are the modules for use in a checkout only. They may replace modules.
	private = []string{"peers", "programs/real", "scale"}
)

// pathOf returns the path of the module in a directory of the repository.
func pathOf(dir string) string { return path.Join(modulePath, dir) }

// tagOf returns the tag with which the go command finds a version of the module in a directory.
func tagOf(dir, version string) string {
	if dir == "." {
		return version
	}
	return dir + "/" + version
}

// isPublished reports whether a module is one of the published ones.
func isPublished(path string) bool {
	return slices.ContainsFunc(published, func(dir string) bool { return pathOf(dir) == path })
}

// checkModules finds what prevents installing or requiring the modules of a tree: a module that is
// on no list, a path that does not match the directory, replacements, or a requirement of a module
// of the repository in another version.
func checkModules(root, version string) error {
	dirs, err := moduleDirs(root)
	if err != nil {
		return err
	}
	var wrong []error
	for _, dir := range dirs {
		if slices.Contains(private, dir) {
			continue
		}
		name := path.Join(dir, "go.mod")
		if !slices.Contains(published, dir) {
			wrong = append(wrong, fmt.Errorf("%s: is this module published or not? internal/cmd/release/modules.go does not say", name))
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		f, err := modfile.Parse(name, text, nil)
		if err != nil {
			return err
		}
		if f.Module == nil || f.Module.Mod.Path != pathOf(dir) {
			wrong = append(wrong, fmt.Errorf("%s: want module %s", name, pathOf(dir)))
		}
		for _, r := range f.Replace {
			wrong = append(wrong, fmt.Errorf("%s:%d: %s is replaced: go install refuses that, and whoever requires the module does not have it", name, r.Syntax.Start.Line, r.Old.Path))
		}
		for _, r := range f.Exclude {
			wrong = append(wrong, fmt.Errorf("%s:%d: %s is excluded: go install refuses that", name, r.Syntax.Start.Line, r.Mod))
		}
		for _, r := range f.Require {
			switch {
			case isPublished(r.Mod.Path) && r.Mod.Version != version:
				wrong = append(wrong, fmt.Errorf("%s:%d: requires %s, want %s", name, r.Syntax.Start.Line, r.Mod, version))
			case !isPublished(r.Mod.Path) && (r.Mod.Path == modulePath || strings.HasPrefix(r.Mod.Path, modulePath+"/")):
				wrong = append(wrong, fmt.Errorf("%s:%d: requires %s, which is not published", name, r.Syntax.Start.Line, r.Mod.Path))
			}
		}
	}
	for _, dir := range append(slices.Clone(published), private...) {
		if !slices.Contains(dirs, dir) {
			wrong = append(wrong, fmt.Errorf("%s: there is no such module", path.Join(dir, "go.mod")))
		}
	}
	return errors.Join(wrong...)
}

// moduleDirs returns the directories of a tree that hold a module, except for those of tests.
func moduleDirs(root string) (dirs []string, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || d.Name() != "go.mod":
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(name))
		dirs = append(dirs, filepath.ToSlash(rel))
		return err
	})
	return dirs, err
}

// A heading is the line of CHANGELOG.md that begins a version.
var heading = regexp.MustCompile(`(?m)^## \[([^\]]+)\] - (.*)$`)

// checkChangelog checks that the first section of a changelog is for a version. Its date must be
// "unreleased", or with dated set, for a release, a date.
func checkChangelog(text []byte, version string, dated bool) error {
	m := heading.FindSubmatch(text)
	if m == nil || "v"+string(m[1]) != version {
		return fmt.Errorf("CHANGELOG.md: its first section is not [%s]", strings.TrimPrefix(version, "v"))
	}
	date := string(m[2])
	if !regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`).MatchString(date) && (dated || date != "unreleased") {
		return fmt.Errorf("CHANGELOG.md: section [%s] has the date %q, want the day of the release", m[1], date)
	}
	return nil
}

// tags prints the commands that make a release of a checkout, if the checkout is fit to be one.
func tags(ctx context.Context, root, constant, version string) error {
	if semver.Canonical(version) != version || version == "" {
		return fmt.Errorf("%q is no version: want one such as v%s", version, constant)
	}
	if version != "v"+constant {
		return fmt.Errorf("the tree is version %s: engine.Version and the changelog want to be changed first", constant)
	}
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	wrong := []error{checkModules(root, version), checkChangelog(changelog, version, true)}
	if out, err := output(ctx, root, nil, "git", "status", "--porcelain"); err != nil || out != "" {
		wrong = append(wrong, errors.Join(err, errors.New("the tree has changes that are not committed")))
	}
	var names []string
	for _, dir := range published {
		tag := tagOf(dir, version)
		if out, err := output(ctx, root, nil, "git", "tag", "--list", tag); err != nil || out != "" {
			wrong = append(wrong, errors.Join(err, fmt.Errorf("the tag %s exists: a version that was published once never changes", tag)))
		}
		names = append(names, tag)
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	if err := tidy(ctx, root, version, false); err != nil {
		return err
	}
	for _, tag := range names {
		fmt.Printf("git tag -a %s -m 'gyr %s'\n", tag, tag)
	}
	fmt.Printf("git push origin %s\n", strings.Join(names, " "))
	return nil
}

// tidy checks that go.mod and go.sum of each published module list what it needs, or makes the go
// command change them. It uses a module proxy that already has the version.
func tidy(ctx context.Context, root, version string, change bool) error {
	dir, err := os.MkdirTemp("", "gyr-modules")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	env, err := proxyOf(ctx, root, version, dir)
	if err != nil {
		return err
	}
	for _, m := range published {
		dir := filepath.Join(root, m)
		if change {
			_, err := output(ctx, dir, env, "go", "mod", "tidy")
			if err := errors.Join(err, withoutOwnSums(filepath.Join(dir, "go.sum"))); err != nil {
				return err
			}
			continue
		}
		out, err := output(ctx, dir, env, "go", "mod", "tidy", "-diff")
		if (err != nil || out != "") && differs(out) {
			return errors.Join(fmt.Errorf("go mod tidy changes module %s: release -tidy does it\n%s", m, out), err)
		}
	}
	return nil
}

// ownSum reports whether a line of go.sum is about a module of the repository. Such lines are left
// out: the sum would depend on the tree that contains it.
func ownSum(line string) bool {
	path, _, _ := strings.Cut(line, " ")
	return isPublished(path)
}

// withoutOwnSums removes the sums of the repository's modules from a go.sum.
func withoutOwnSums(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(slices.Collect(strings.Lines(string(text))), ownSum)
	return os.WriteFile(name, []byte(strings.Join(lines, "")), 0o666)
}

// differs reports whether a diff has other lines than added sums of the repository's own modules.
func differs(diff string) bool {
	if !strings.HasPrefix(diff, "diff ") {
		return true
	}
	for line := range strings.Lines(diff) {
		header := strings.HasPrefix(line, "+++ ") || strings.HasPrefix(line, "--- ")
		if !header && (line[0] == '-' || line[0] == '+' && !ownSum(line[1:])) {
			return true
		}
	}
	return false
}

// proxyOf makes a module proxy of a tree in a directory, which takes precedence over the module
// cache and the proxies of this machine. It returns the environment in which the go command uses
// it, with its own module cache.
func proxyOf(ctx context.Context, root, version, dir string) (env []string, err error) {
	proxy := filepath.Join(dir, "proxy")
	for _, m := range published {
		if err := modproxy.Add(proxy, module.Version{Path: pathOf(m), Version: version}, filepath.Join(root, m), nil); err != nil {
			return nil, err
		}
	}
	out, err := output(ctx, root, nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	cache, proxies, _ := strings.Cut(out, "\n")
	return []string{
		"GOPROXY=" + strings.Join([]string{fileURL(proxy), fileURL(filepath.Join(cache, "cache", "download")), proxies}, ","),
		"GOMODCACHE=" + filepath.Join(dir, "modules"), "GOFLAGS=-modcacherw", "GONOSUMDB=" + modulePath + "," + modulePath + "/*", "GOWORK=off",
	}, nil
}

// fileURL returns the URL of a directory.
func fileURL(dir string) string { return "file:///" + strings.TrimPrefix(filepath.ToSlash(dir), "/") }

// output runs a command in a directory, with additions to the environment, and returns its output.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.Bytes())
	}
	return strings.TrimSpace(string(out)), err
}
