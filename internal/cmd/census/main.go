// Command census measures how much of the Go world runs in gyr. It takes all modules that the
// go.mod files of large programs name, and runs their tests with go test and with gyr test.
//
//	go run ./internal/cmd/census [flags] -record FILE PROGRAM@VERSION ...
//	go run ./internal/cmd/census -report -record FILE
//
// # Measuring
//
// For each module it takes the packages with tests that go vet accepts for GOOS=wasip1, and runs
// `go test` and `gyr test` of these in copies of the module. gyr test runs without any grant. The
// packages in which a test was lost then run once more, with the module's directory and GOROOT
// granted. If go test refuses a package for the findings of its vet, both run it without vet.
//
// The record gets a line of JSON for each module and for each program. A module in the record is
// not measured again unless -again asks for it, so an interrupted census can be continued. If a
// module has several lines, the last one counts. Time limits count what a command would take on an
// idle machine, so a census can run beside other work, with the lowest priority.
//
// measure.go measures one module, run.go runs the go command, clock.go keeps time limits, and
// record.go and events.go read and write the data.
//
// # Reporting
//
// The report counts what compiled and what passed, for each program and for all of them. It groups
// failures by the reasons in reasons.txt, and names those that no reason explains. With -markdown a
// short form also goes to a file, such as docs/census.md. report.go and document.go write the two,
// and reasons.go reads the reasons.
//
// The go command fetches modules, so a census needs the network.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

var (
	recordFile = flag.String("record", "census.jsonl", "the `file` to which results are appended")
	reportOnly = flag.Bool("report", false, "measure nothing, print what the record says")
	gyrBinary  = flag.String("gyr", "gyr", "the `binary` to measure")
	gyrFlags   = flag.String("flags", "", "further `flags` of gyr test, separated by blanks")
	short      = flag.Bool("short", false, "give -short to both")
	again      = flag.String("again", "", "measure modules that match the regular expression `RE` although the record has them")
	late       = flag.Bool("late", false, "measure packages again that had no result within the limit of time")
	anew       = flag.String("package", "", "measure packages again that match the regular expression `RE`")
	skip       = flag.String("skip", "", "measure no modules that match the regular expression `RE`")
	only       = flag.String("only", "", "measure no other modules than those that match the regular expression `RE`")
	limit      = flag.Duration("limit", 5*time.Minute, "how long the tests of a module may take, with go test and with gyr test each, on a machine that has nothing else to do")
	within     = flag.Duration("within", 0, "run the arguments as a command, for so long at most: what go test does with test binaries")
	most       = flag.Int("n", 0, "measure at most so many modules, 0: all")
	markdown   = flag.String("markdown", "", "with -report: write a `file` that sums up, too")
	known      = flag.String("known", "", "a `file` written by -markdown: the modules in it are not measured again, and -markdown takes over what it says of them")
	build      = flag.String("build", "the sources that this file came with", "with -markdown: which `build` of gyr was measured")
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
	case *within > 0 && flag.NArg() > 0:
		os.Exit(execWithin(*within, flag.Args()))
	case *reportOnly:
		err = report(os.Stdout, *recordFile)
		if err == nil && *markdown != "" {
			err = writeDocument(*markdown, *recordFile, *known, *build)
		}
	case flag.NArg() > 0:
		err = census(ctx, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "census:", err)
		os.Exit(1)
	}
}

// census measures the modules that programs name, except for those in the record.
func census(ctx context.Context, names []string) error {
	programs, list, err := modulesOf(ctx, names)
	if err != nil {
		return err
	}
	againRE, err := regexp.Compile(*again)
	if err != nil {
		return err
	}
	onlyRE, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	skipRE, err := regexp.Compile(*skip)
	if err != nil {
		return err
	}
	anewRE, err := regexp.Compile(*anew)
	if err != nil {
		return err
	}
	stale := func(p packageResult) bool {
		return *late && p.Late != "" || *anew != "" && anewRE.MatchString(p.Path)
	}
	done := map[string]bool{}
	rows, err := readRows(*known)
	if err != nil {
		return err
	}
	for m, r := range rows {
		done[m] = (*again == "" || !againRE.MatchString(m)) && !(*late && r.late())
	}
	earlier := map[string]*result{} // results to keep, for modules with stale packages: only these packages are measured
	rec, err := readRecord(*recordFile)
	if err != nil {
		return err
	}
	for m, r := range rec.modules {
		switch {
		case *again != "" && againRE.MatchString(m):
			done[m] = false
		case slices.ContainsFunc(r.Packages, stale):
			done[m] = false
			earlier[m] = &result{Module: m, Packages: slices.DeleteFunc(r.Packages, stale)}
		default:
			done[m] = true
		}
	}
	f, err := os.OpenFile(*recordFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	write := func(r any) error {
		b, err := json.Marshal(r)
		if err == nil {
			_, err = f.Write(append(b, '\n'))
		}
		return err
	}
	for _, p := range programs {
		if !p.equal(rec.programs[p.Program]) {
			if err := write(p); err != nil {
				return err
			}
		}
	}
	var todo []module.Version
	for _, m := range list {
		if !done[m.String()] && onlyRE.MatchString(m.String()) && (*skip == "" || !skipRE.MatchString(m.String())) && (*most == 0 || len(todo) < *most) {
			todo = append(todo, m)
		}
	}
	// The next module is fetched and checked while another is measured.
	prepared := make(chan *prepared)
	go func() {
		defer close(prepared)
		for _, m := range todo {
			p := prepare(ctx, m, earlier[m.String()])
			select {
			case prepared <- p:
			case <-ctx.Done():
				p.remove()
				return
			}
		}
	}()
	n := 0
	for p := range prepared {
		n++
		fmt.Fprintf(os.Stderr, "%s %d of %d: %s\n", time.Now().Format(time.TimeOnly), n, len(todo), p.result.Module)
		p.measure(ctx)
		p.remove()
		if ctx.Err() != nil {
			continue
		}
		if p.earlier != nil && p.result.Error != "" {
			fmt.Fprintln(os.Stderr, p.result.Error)
			continue // the record has a better result
		}
		if err := write(p.result); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return report(os.Stdout, *recordFile)
}

// modulesOf returns the programs with the modules that their go.mod files name, and a list of all
// modules, each once. The list has the newest version that is named without an indirect comment, or
// else the newest version. It takes modules from the programs in turns, so that a census that ends
// early says something about each program.
func modulesOf(ctx context.Context, names []string) ([]programLine, []module.Version, error) {
	var lists [][]module.Version
	var indirect []map[string]bool
	newest := map[bool]map[string]string{false: {}, true: {}} // whether it is called indirect
	for _, p := range names {
		d, err := download(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		b, err := os.ReadFile(d.GoMod)
		if err != nil {
			return nil, nil, err
		}
		mf, err := modfile.ParseLax(d.GoMod, b, nil)
		if err != nil {
			return nil, nil, err
		}
		var list []module.Version
		called := map[string]bool{}
		for _, r := range mf.Require {
			if *direct && r.Indirect {
				continue
			}
			list = append(list, r.Mod)
			called[r.Mod.Path] = r.Indirect
			if v, ok := newest[r.Indirect][r.Mod.Path]; !ok || later(r.Mod.Version, v) {
				newest[r.Indirect][r.Mod.Path] = r.Mod.Version
			}
		}
		module.Sort(list)
		lists, indirect = append(lists, list), append(indirect, called)
	}
	programs := make([]programLine, len(names))
	for i, list := range lists {
		p := &programs[i]
		p.Program = names[i]
		for j, m := range list {
			list[j].Version = cmp.Or(newest[false][m.Path], newest[true][m.Path])
			p.Modules = append(p.Modules, list[j].String())
			if indirect[i][m.Path] {
				p.Indirect = append(p.Indirect, list[j].String())
			}
		}
	}
	return programs, inTurns(lists), nil
}

// inTurns returns the first module of each list, the second of each, and so on, each module once.
func inTurns(lists [][]module.Version) []module.Version {
	var all []module.Version
	seen := map[module.Version]bool{}
	for i, more := 0, true; more; i++ {
		more = false
		for _, list := range lists {
			if i >= len(list) {
				continue
			}
			more = true
			if !seen[list[i]] {
				seen[list[i]] = true
				all = append(all, list[i])
			}
		}
	}
	return all
}
