package research

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// reaching are the packages, including all below them, by which a program reaches beyond itself.
var reaching = []string{"os", "net", "syscall", "plugin", "io/ioutil", "log/syslog", "golang.org/x/sys"}

// A module is the module of a package.
type module struct {
	path, dir string
	pkg       string // import path of the package
	reaches   string // the import by which the package reaches beyond the process; empty: none
}

// moduleOf finds the module of a package, or the reason not to call its functions.
func (s *Session) moduleOf(ctx context.Context, d *side, dir string) (m module, reason string, err error) {
	const format = `{{if not .Standard}}{{.ImportPath}}|{{with .Module}}{{.Path}}|{{.Dir}}{{else}}|{{end}}|{{range .Imports}}{{.}} {{end}}{{end}}`
	o, err := s.runner.compile(ctx, d, filepath.Join(d.wt.Dir, dir), nil, s.config.Limits.Build.or(checkTimeout), "go", "list", "-deps", "-f", format, ".")
	if err != nil {
		return m, "", err
	}
	if o.Err() != nil {
		return m, "go list: " + tail(o), nil
	}
	for line := range strings.Lines(string(o.Stdout)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if len(f) != 4 {
			continue
		}
		m.pkg, m.path, m.dir = f[0], f[1], f[2] // the last line is the package itself
		for _, name := range strings.Fields(f[3]) {
			if slices.ContainsFunc(reaching, func(r string) bool { return name == r || strings.HasPrefix(name, r+"/") }) {
				m.reaches = f[0] + " imports " + name
			}
		}
	}
	if m.path == "" {
		return m, "it belongs to no module", nil
	}
	return m, "", nil
}

//go:embed probe/*.go
var probeSources embed.FS

// Names of files that the overlay adds to the candidate's module.
const (
	probeDir       = "zz_research_probe"
	probeTable     = "zz_research_probe.go"
	probeFile      = "zz_research_probe_test.go"
	probeOuterFile = "zz_research_probe_outer_test.go"
	probeTest      = "TestGyrResearchProbe"
)

// probeFiles are the sources of package probe, by name.
func probeFiles() (map[string]string, error) {
	files := map[string]string{}
	entries, err := probeSources.ReadDir("probe")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := probeSources.ReadFile("probe/" + e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = string(text)
	}
	return files, nil
}

// A calls is a program that calls a package's functions: a test binary with the probe's sources.
type calls struct {
	file    string // a binary, or an image of gyr
	dir     string // where it runs
	overlay string // the flag with which gyr compiles it; empty: not an image
}

// command is the command that runs the program with files in a directory. Behaviour that depends on
// chance or time should differ in the second kind of run, again. For a binary that is the order of
// goroutines, which then run on one processor. In gyr's sandbox everything else repeats, so the
// seed and the clock differ.
func (b *calls) command(self, desk string, set settings, files map[string]string, again bool) (env map[string]string, name string, args []string) {
	if b.overlay == "" {
		env = maps.Clone(files)
		if again {
			env["GOMAXPROCS"] = "1"
		}
		env["GORACE"] = "halt_on_error=1"
		return env, b.file, []string{"-test.run=^" + probeTest + "$", "-test.short", "-test.timeout=0"}
	}
	args = []string{"test", b.overlay, "-vet=off", "-run=^" + probeTest + "$", "-short", "-timeout=0", "-dir=" + desk}
	for _, list := range []map[string]string{files, set.environ()} {
		for _, name := range sortedKeys(list) {
			if name != goFlags {
				args = append(args, "-env="+name+"="+list[name])
			}
		}
	}
	if again {
		args = append(args, "-realtime", "-seed=2")
	}
	return nil, self, append(args, ".")
}

// probeBinary builds a program that calls a package's functions, with the tests and benchmarks of
// user, which is the package itself or one that uses it. reason says why that is impossible. The
// parent's program is kept for the next candidate.
func (s *Session) probeBinary(ctx context.Context, d *side, p, user *sourcePackage, functions []string,
	m module, inEngine, race bool) (bin *calls, reason string, err error) {
	sources, err := probeFiles()
	if err != nil {
		return nil, "", err
	}
	probePath := m.path + "/" + probeDir
	common := map[string]string{}
	for name, text := range sources {
		common[filepath.Join(m.dir, probeDir, name)] = text
	}
	common[filepath.Join(p.dir, probeTable)] = p.table(probePath, functions)
	common[filepath.Join(user.dir, probeFile)] = user.suite(probePath)
	if len(user.outer)+len(user.benches[1]) > 0 {
		common[filepath.Join(user.dir, probeOuterFile)] = user.outerTable(probePath)
	}
	watched := maps.Clone(common)
	for name, text := range p.instrument(probePath) {
		watched[filepath.Join(p.dir, name)] = text
	}
	ways := []map[string]string{watched}
	if user == p {
		// A package whose functions cannot be watched is called all the same.
		bare := maps.Clone(common)
		delete(bare, filepath.Join(user.dir, probeOuterFile))
		ways = append(ways, bare)
	}
	if err := os.MkdirAll(d.bin, 0o777); err != nil {
		return nil, "", err
	}
	if race {
		ways = ways[:1] // inputs come from watched functions
	}
	for _, files := range ways {
		h := sha256.New()
		fmt.Fprintln(h, d.tree, user.dir, d.settings, race)
		for _, name := range sortedKeys(files) {
			fmt.Fprintln(h, name, files[name])
		}
		flag, err := s.overlay("probe-"+filepath.Base(d.wt.Dir), files)
		if err != nil {
			return nil, "", err
		}
		bin := &calls{file: filepath.Join(d.bin, fmt.Sprintf("probe-%x.test", h.Sum(nil)[:8])), dir: user.dir}
		build := []string{"go", "test", "-c", "-vet=off", flag, "-o", bin.file, "."}
		if race {
			build = slices.Insert(build, 3, "-race")
		}
		if inEngine {
			bin.file, bin.overlay = bin.file+".gyr", flag
			build[0], build[6] = s.runner.self, bin.file
		}
		if _, err := os.Lstat(bin.file); err == nil {
			return bin, "", nil
		}
		o, err := s.runner.compile(ctx, d, user.dir, nil, s.config.Limits.Build.or(checkTimeout), build[0], build[1:]...)
		if err != nil {
			return nil, "", err
		}
		if o.Err() == nil {
			return bin, "", nil
		}
		if reason == "" {
			reason = fmt.Sprintf("%s test -c with the calls: %v: %s", filepath.Base(build[0]), o.Err(), tail(o))
		}
	}
	return nil, reason, nil
}

// overlay writes files that replace others for the go command, and returns the flag for it.
func (s *Session) overlay(name string, files map[string]string) (flag string, err error) {
	root := filepath.Join(s.work, name)
	if err := errors.Join(os.RemoveAll(root), os.MkdirAll(root, 0o777)); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for i, file := range sortedKeys(files) {
		replace[file] = filepath.Join(root, fmt.Sprintf("%d-%s", i, filepath.Base(file)))
		if err := os.WriteFile(replace[file], []byte(files[file]), 0o666); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(root, "overlay.json")
	return "-overlay=" + file, os.WriteFile(file, text, 0o666)
}
