// Command census finds out how much of the Go world runs in gyr: it takes all modules that the go.mod files of large
// programs name, and runs their tests with go test and with gyr test.
//
//	go run ./internal/cmd/census [flags] -record FILE PROGRAM@VERSION ...
//	go run ./internal/cmd/census -report -record FILE
//
// For each module it takes the packages with tests that go vet accepts for GOOS=wasip1, runs `go test` and `gyr test` of
// these in a copy of the module, and writes a line of JSON to the record. A module that the record has is not measured
// again, so a census that was interrupted goes on. The report counts what compiled and what passed, and names the rest.
//
// The go command fetches modules, so a census needs the network.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

var (
	recordFile = flag.String("record", "census.jsonl", "the `file` to which results are appended")
	reportOnly = flag.Bool("report", false, "measure nothing, print what the record says")
	gyrBinary  = flag.String("gyr", "gyr", "the `binary` to measure")
	gyrFlags   = flag.String("flags", "", "`flags` of gyr test, separated by blanks")
	limit      = flag.Duration("limit", 5*time.Minute, "how long the tests of a module may take, with go test and with gyr test each")
	most       = flag.Int("n", 0, "measure at most so many modules, 0: all")
	direct     = flag.Bool("direct", false, "only the modules that go.mod does not call indirect")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: census [flags] PROGRAM@VERSION ...")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := errors.New("no programs: name some, or use -report")
	switch {
	case *reportOnly:
		err = report(os.Stdout, *recordFile)
	case flag.NArg() > 0:
		err = census(ctx, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "census:", err)
		os.Exit(1)
	}
}

// census measures the modules that programs name, but for those in the record.
func census(ctx context.Context, programs []string) error {
	list, err := modulesOf(ctx, programs)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	results, err := readRecord(*recordFile)
	if err != nil {
		return err
	}
	for _, r := range results {
		done[r.Module] = true
	}
	f, err := os.OpenFile(*recordFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	n := 0
	for i, m := range list {
		if done[m.String()] {
			continue
		}
		if n++; *most > 0 && n > *most {
			break
		}
		fmt.Fprintf(os.Stderr, "%d of %d: %s\n", i+1, len(list), m)
		r := measure(ctx, m)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err := f.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return report(os.Stdout, *recordFile)
}

// modulesOf returns the modules that the go.mod files of programs name, each once: in the newest of the versions that
// they name, sorted.
func modulesOf(ctx context.Context, programs []string) ([]module.Version, error) {
	newest := map[string]string{}
	for _, p := range programs {
		d, err := download(ctx, p)
		if err != nil {
			return nil, err
		}
		b, err := os.ReadFile(d.GoMod)
		if err != nil {
			return nil, err
		}
		mf, err := modfile.ParseLax(d.GoMod, b, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range mf.Require {
			if *direct && r.Indirect {
				continue
			}
			if v, ok := newest[r.Mod.Path]; !ok || later(r.Mod.Version, v) {
				newest[r.Mod.Path] = r.Mod.Version
			}
		}
	}
	list := make([]module.Version, 0, len(newest))
	for path, v := range newest {
		list = append(list, module.Version{Path: path, Version: v})
	}
	module.Sort(list)
	return list, nil
}

// A result is what was found out about a module.
type result struct {
	Module   string
	Error    string          `json:",omitempty"` // why nothing was measured
	Packages []packageResult `json:",omitempty"`
}

// A packageResult is what was found out about a package with tests.
type packageResult struct {
	Path  string
	Vet   string `json:",omitempty"` // why go vet refuses it for wasip1
	Build string `json:",omitempty"` // why it does not compile with gyr
	Go    tests  // outcomes with go test
	Gyr   tests
	Lost  map[string]string `json:",omitempty"` // tests that pass with go and not with gyr: what they print
}

// tests are outcomes of the test functions of a package, by name: pass, fail or skip.
type tests map[string]string

// readRecord reads the results of a record, none if the file does not exist. A line that was cut off is left out.
func readRecord(file string) ([]result, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []result
	for _, line := range splitLines(b) {
		var r result
		if json.Unmarshal(line, &r) == nil && r.Module != "" {
			list = append(list, r)
		}
	}
	return list, nil
}

// measure runs the tests of a module.
func measure(ctx context.Context, m module.Version) *result {
	r := &result{Module: m.String()}
	d, err := download(ctx, m.String())
	if err != nil {
		r.Error = err.Error()
		return r
	}
	dir, err := os.MkdirTemp("", "census-")
	if err != nil {
		r.Error = err.Error()
		return r
	}
	defer removeAll(dir)
	root := filepath.Join(dir, filepath.Base(m.Path))
	if err := copyTree(root, d.Dir); err != nil {
		r.Error = err.Error()
		return r
	}
	if r.Packages, err = testPackages(ctx, root); err != nil {
		r.Error = err.Error()
		return r
	}
	all := make([]string, len(r.Packages))
	for i, p := range r.Packages {
		all[i] = p.Path
	}
	accepted := all
	if len(all) > 0 && vet(ctx, root, all...) != "" { // go vet says more of one than of several
		accepted = nil
		for i := range r.Packages {
			p := &r.Packages[i]
			if p.Vet = vet(ctx, root, p.Path); p.Vet == "" {
				accepted = append(accepted, p.Path)
			}
		}
	}
	if len(accepted) == 0 {
		return r
	}
	native := runTests(ctx, root, "go", append([]string{"test", "-json", "-vet=off", "-short"}, accepted...))
	sandboxed := runTests(ctx, root, *gyrBinary, slices.Concat([]string{"test", "-json", "-short"}, fields(*gyrFlags), accepted))
	for i := range r.Packages {
		p := &r.Packages[i]
		if p.Vet != "" {
			continue
		}
		n, s := native[p.Path], sandboxed[p.Path]
		if n == nil || s == nil { // it ended before the package had its turn
			p.Build = "no result: the limit of time?"
			continue
		}
		p.Go, p.Gyr, p.Build = n.tests, s.tests, s.build
		for name, outcome := range n.tests {
			if outcome == "pass" && s.tests[name] != "pass" && s.tests[name] != "skip" {
				if p.Lost == nil {
					p.Lost = map[string]string{}
				}
				p.Lost[name] = s.output[name]
			}
		}
	}
	return r
}
