package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// A prepared module has been fetched, copied and checked, so that its tests can run.
type prepared struct {
	result   *result
	earlier  *result
	dir      string // temporary directory
	roots    []string
	accepted []string // the packages
}

// prepare fetches a module and finds out which of its packages go vet accepts. If earlier is not
// nil, its packages are not checked again.
func prepare(ctx context.Context, m module.Version, earlier *result) *prepared {
	p := &prepared{result: &result{Module: m.String()}, earlier: earlier}
	if err := p.prepare(ctx, m); err != nil {
		p.result.Error = err.Error()
		p.accepted = nil
	}
	return p
}

func (p *prepared) prepare(ctx context.Context, m module.Version) error {
	d, err := download(ctx, m.String())
	if err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp("", "census-"); err != nil {
		return err
	}
	root := filepath.Join(p.dir, "go", filepath.Base(m.Path))
	if err := copyTree(root, d.Dir); err != nil {
		return err
	}
	if err := makeModule(ctx, root, m.Path); err != nil {
		return err
	}
	r := p.result
	if r.Packages, err = testPackages(ctx, root); err != nil {
		return err
	}
	var all []string
	for i := range r.Packages {
		q := &r.Packages[i]
		if known := p.earlier.of(q.Path); known != nil {
			*q = *known
		} else {
			all = append(all, q.Path)
		}
	}
	p.accepted = all
	if len(all) > 0 && vet(ctx, root, all...) != "" { // go vet says more about one package than about several
		p.accepted = nil
		for i := range r.Packages {
			q := &r.Packages[i]
			if !slices.Contains(all, q.Path) {
				continue
			}
			if q.Vet = vet(ctx, root, q.Path); q.Vet == "" {
				p.accepted = append(p.accepted, q.Path)
			}
		}
	}
	// gyr gets its own copy, without files that the tests write with go.
	p.roots = []string{root, filepath.Join(p.dir, "gyr", filepath.Base(m.Path))}
	return copyTree(p.roots[1], root)
}

func (p *prepared) remove() {
	if p.dir != "" {
		removeAll(p.dir)
	}
}

// measure runs the tests.
func (p *prepared) measure(ctx context.Context) {
	if len(p.accepted) == 0 {
		return
	}
	var options []string
	if *short {
		options = []string{"-short"}
	}
	root := p.roots[1]
	// A test binary of go ends itself at the limit; the rest of the time is for compiling.
	self, _ := os.Executable()
	native := runEach(ctx, p.roots[0], "go", slices.Concat([]string{"test", "-json", "-vet=off", "-timeout=" + (patience * *limit).String(),
		fmt.Sprintf("-exec='%s' -within=%s", self, *limit)}, options), p.accepted)
	options = slices.Concat([]string{"test", "-json"}, options, fields(*gyrFlags))
	sandboxed := runEach(ctx, root, *gyrBinary, options, p.accepted)
	// Packages that go test also refuses for findings of its vet run without vet in both.
	options = append(options, "-vet=off")
	if faulty := p.faulty(ctx, sandboxed); len(faulty) > 0 {
		maps.Copy(sandboxed, runEach(ctx, root, *gyrBinary, options, faulty))
	}
	var lossy []string
	for i := range p.result.Packages {
		q := &p.result.Packages[i]
		if !slices.Contains(p.accepted, q.Path) {
			continue
		}
		if q.compare(native[q.Path], sandboxed[q.Path]); len(q.Lost) > 0 {
			lossy = append(lossy, q.Path)
		}
	}
	if len(lossy) == 0 {
		return
	}
	gr := goroot(ctx)
	options = append(options, "-dir", root+":copy", "-dir", gr+":ro", "-env", "GOROOT="+gr)
	granted := runEach(ctx, root, *gyrBinary, options, lossy)
	for i := range p.result.Packages {
		if q := &p.result.Packages[i]; slices.Contains(lossy, q.Path) {
			q.compareGranted(granted[q.Path])
		}
	}
}

// faulty returns the packages that gyr test does not build and go test with its vet does not build
// either.
func (p *prepared) faulty(ctx context.Context, sandboxed map[string]*ran) []string {
	refused := slices.DeleteFunc(slices.Clone(p.accepted), func(path string) bool {
		r := sandboxed[path]
		return r == nil || r.build == ""
	})
	if len(refused) == 0 {
		return nil
	}
	native, _ := runTests(ctx, *limit, p.roots[0], "go", append([]string{"test", "-json", "-run=^$"}, refused...))
	return slices.DeleteFunc(refused, func(path string) bool {
		r := native[path]
		return r == nil || r.build == ""
	})
}

// compare records the results of go and gyr for a package; nil means no result.
func (p *packageResult) compare(native, sandboxed *ran) {
	switch {
	case native == nil:
		p.Late = "go"
		return
	case native.build != "":
		p.Vet = "go test does not build it: " + native.build
		return
	case sandboxed == nil:
		p.Late = "gyr"
		sandboxed = &ran{}
	case !sandboxed.ended && sandboxed.build == "":
		p.Late = "gyr"
	}
	for name, outcome := range native.tests {
		if p.declared != nil && !p.declared[name] {
			delete(native.tests, name)
			if outcome == "pass" {
				p.Absent++
			}
		}
	}
	p.Go, p.Gyr, p.Build = native.tests, sandboxed.tests, sandboxed.build
	if p.Build != "" {
		return
	}
	p.lose(p.Gyr, sandboxed)
}

// compareGranted records gyr's result for a package with directories granted.
func (p *packageResult) compareGranted(r *ran) {
	if r == nil || r.build != "" {
		return // the limit of time: the result without grants remains
	}
	p.Granted = r.tests
	best := p.outcomes()
	for name := range p.Lost {
		switch {
		case best[name] == "pass":
			delete(p.Lost, name)
		case r.output[name] != "":
			p.Lost[name] = r.output[name]
		}
	}
	p.End = r.end
}

func (p *packageResult) lose(of tests, r *ran) {
	for name, outcome := range p.Go {
		if outcome == "pass" && of[name] != "pass" {
			if p.Lost == nil {
				p.Lost = map[string]string{}
			}
			p.Lost[name] = r.output[name]
			p.End = r.end
		}
	}
}

// runEach runs tests of packages. If the time is too short for all, packages without a result run
// one by one, since a package's results are printed after those of the packages before it.
func runEach(ctx context.Context, root, command string, options, packages []string) map[string]*ran {
	all, _ := runTests(ctx, 2**limit, root, command, slices.Concat(options, packages))
	for left := 3 * *limit; len(packages) > 1 && left > 0; packages = packages[1:] {
		p := packages[0]
		if r := all[p]; r != nil && r.ended {
			continue
		}
		one, took := runTests(ctx, min(left, *limit), root, command, append(slices.Clone(options), p))
		if r := one[p]; r != nil {
			all[p] = r
		}
		left -= took
	}
	return all
}

// runTests runs a test command that prints events of go test -json, and returns how long it took.
func runTests(ctx context.Context, most time.Duration, root, command string, args []string) (map[string]*ran, time.Duration) {
	cmd := exec.Command(command, args...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=off", modFlags)
	cmd.WaitDelay = 10 * time.Second
	var out bytes.Buffer
	cmd.Stdout = &out
	took, _ := runWithin(ctx, cmd, most) // the events show failures
	return parseEvents(out.Bytes()), took
}

func goroot(ctx context.Context) string {
	out, _ := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out))
}
