package conformance

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"go/build/constraint"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// testDirs are the folders of GOROOT/test that hold programs.
var testDirs = []string{".", "ken", "chan", "interface", "internal/runtime/sys", "syntax", "dwarf", "fixedbugs", "codegen", "abi", "typeparam", "typeparam/mdempsky", "arenas"}

// A program is one file of GOROOT/test to run.
type program struct {
	name   string // path relative to GOROOT/test
	path   string
	action string // run, runoutput, rundir, runindir
	flags  []string
	args   []string // of the program
	want   string   // its output, standard output and error together
	cases  int      // above 0: run it so many times, with any ending, see cases_test.go
}

// programs lists the programs in dir that a wasip1/wasm build may run.
func programs(dir string) ([]program, error) {
	var list []program
	for _, sub := range testDirs {
		entries, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasPrefix(e.Name(), ".") || e.IsDir() {
				continue
			}
			path := filepath.Join(dir, sub, e.Name())
			src, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			p, ok := parseAction(src)
			if !ok || !buildable(src) || p.experiment() {
				continue
			}
			p.path = path
			p.name = filepath.ToSlash(filepath.Join(sub, e.Name()))
			out, err := os.ReadFile(strings.TrimSuffix(path, ".go") + ".out")
			if err == nil {
				p.want = string(out)
			}
			list = append(list, p)
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].name < list[j].name })
	return list, nil
}

// parseAction reads the action from the first comment that is not a build constraint.
func parseAction(src []byte) (p program, ok bool) {
	rest := string(src)
	for {
		line, tail, _ := strings.Cut(rest, "\n")
		t := strings.TrimSpace(line)
		if t == "" || strings.HasPrefix(t, "//go:build") || strings.HasPrefix(t, "// +build") {
			if tail == "" {
				return p, false
			}
			rest = tail
			continue
		}
		if !strings.HasPrefix(t, "//") {
			return p, false
		}
		f := strings.Fields(strings.TrimPrefix(t, "//"))
		if len(f) == 0 {
			return p, false
		}
		switch f[0] {
		case "run", "runoutput", "rundir", "runindir":
		default:
			return p, false
		}
		p.action = f[0]
		f = f[1:]
		for len(f) > 0 && strings.HasPrefix(f[0], "-") {
			p.flags = append(p.flags, f[0])
			f = f[1:]
		}
		for _, a := range f {
			p.args = append(p.args, strings.Trim(a, `"`))
		}
		return p, true
	}
}

// experiment reports programs that need an experiment of the compiler. The supported release is
// built without experiments.
func (p *program) experiment() bool {
	for i, f := range p.flags {
		if strings.HasPrefix(f, "-goexperiment") || i > 0 && p.flags[i-1] == "-goexperiment" {
			return true
		}
	}
	return false
}

// buildable evaluates the file's build constraints for wasip1/wasm.
func buildable(src []byte) bool {
	for _, line := range strings.Split(string(src), "\n") {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "package ") {
			break
		}
		if !constraint.IsGoBuild(t) {
			continue
		}
		x, err := constraint.Parse(t)
		if err != nil {
			return false
		}
		return x.Eval(func(tag string) bool {
			switch tag {
			case "wasip1", "wasm", "gc":
				return true
			}
			var minor int
			if n, _ := fmt.Sscanf(tag, "go1.%d", &minor); n == 1 {
				return minor <= 26
			}
			return false
		})
	}
	return true
}

var relImport = regexp.MustCompile(`"\./([^"]*)"`)

var packageClause = regexp.MustCompile(`(?m)^package\s+(\w+)`)

// layOut writes the packages of a rundir test as a module and returns the folder of its main
// package. Files with one package name form a package; with -s each file is a package. The import
// "./x" names the package made of x.go.
func layOut(p program, tmp string) (string, error) {
	dir := strings.TrimSuffix(p.path, ".go") + ".dir"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	single := false
	for _, f := range p.flags {
		single = single || f == "-s"
	}
	if err := os.WriteFile(filepath.Join(tmp, "go.mod"), []byte("module test\n\ngo 1.26\n"), 0o666); err != nil {
		return "", err
	}
	type group struct {
		pkg   string
		files []string
	}
	var groups []*group
	byName := map[string]*group{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		src, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", err
		}
		m := packageClause.FindSubmatch(src)
		if m == nil {
			return "", fmt.Errorf("%s: no package clause", e.Name())
		}
		name := string(m[1])
		key := name
		if single {
			key = e.Name()
		}
		g := byName[key]
		if g == nil {
			g = &group{pkg: name}
			byName[key] = g
			groups = append(groups, g)
		}
		g.files = append(g.files, e.Name())
	}
	mainDir := ""
	for _, g := range groups {
		// The import path is that of the group's first file.
		sub := filepath.Join(tmp, strings.TrimSuffix(g.files[0], ".go"))
		if g.pkg == "main" {
			mainDir = sub
		}
		if err := os.MkdirAll(sub, 0o777); err != nil {
			return "", err
		}
		for _, f := range g.files {
			src, err := os.ReadFile(filepath.Join(dir, f))
			if err != nil {
				return "", err
			}
			src = relImport.ReplaceAll(src, []byte(`"test/$1"`))
			src = bytes.TrimPrefix(src, []byte("\ufeff"))
			// A file of a program may be named like a test.
			out := strings.Replace(f, "_test.go", "_test_.go", 1)
			if err := os.WriteFile(filepath.Join(sub, out), src, 0o666); err != nil {
				return "", err
			}
		}
	}
	if mainDir == "" {
		return "", fmt.Errorf("no package main")
	}
	return mainDir, nil
}

var (
	allGoroot = flag.Bool("goroot", false, "run all programs of GOROOT/test, not a sample")
	tierFlag  = flag.String("tier", "", "the tier of all suites: native or interp; default: both for programs, native for tests where it can be had")
	only      = flag.String("only", "", "run the programs whose names match")
)

func goroot(t *testing.T) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// excluded reads the list of programs that cannot pass.
func excluded(t *testing.T) map[string]string {
	f, err := os.Open("testdata/goroot-excluded.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, reason, _ := strings.Cut(line, " ")
		if strings.TrimSpace(reason) == "" {
			t.Errorf("goroot-excluded.txt: %s has no reason", name)
		}
		m[name] = strings.TrimSpace(reason)
	}
	return m
}

func TestGoroot(t *testing.T) {
	dir := filepath.Join(goroot(t), "test")
	list, err := programs(dir)
	if err != nil || len(list) == 0 {
		t.Skipf("no GOROOT/test on this machine: %v", err)
	}
	switch {
	case *only != "":
		re := regexp.MustCompile(*only)
		var some []program
		for _, p := range list {
			if re.MatchString(p.name) {
				some = append(some, p)
			}
		}
		list = some
	case !*allGoroot:
		var some []program
		for i, p := range list {
			if i%30 == 0 {
				some = append(some, p)
			}
		}
		list = some
	}
	out := excluded(t)
	passed, excused := 0, 0
	runAll(list, gyr.Config{Tier: gyr.Tier(*tierFlag)}, "", func(p program, o outcome) {
		why, listed := out[p.name]
		switch {
		case o.ok && listed:
			t.Errorf("%s passes although it is excluded: %s", p.name, why)
		case o.ok:
			passed++
		case listed:
			excused++
		default:
			t.Errorf("FAIL %s: %s", p.name, o.reason)
			if *only != "" {
				t.Log(o.detail)
			}
		}
	})
	t.Logf("GOROOT/test: %d programs apply, %d pass (%.1f %%), %d excluded", len(list), passed, 100*float64(passed)/float64(len(list)), excused)
}
