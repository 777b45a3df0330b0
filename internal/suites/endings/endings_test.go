package endings

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var (
	chainCount = flag.Int("chains", 60, "random chains to compare")
	seed       = daily.Seed("seed", "seed of the first chain")
	only       = flag.String("case", "", "regular expression of the only cases to compare")
	show       = flag.Bool("show", false, "print what native Go reports")
)

// minor is the release of Go that builds this test. The go command and its installation have the
// same release.
var minor = release.Of(runtime.Version()).Minor

// A caseOf is one way in which a program ends.
type caseOf struct {
	name string
	env  []string
}

// listed returns the cases of a file of the program: functions whose names begin with case. A line
// //endings:env NAME=value in a case's comment adds to its environment.
func listed(file string) (list []caseOf, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "case") {
			continue
		}
		c := caseOf{name: fn.Name.Name}
		if fn.Doc != nil {
			for _, line := range fn.Doc.List {
				if e, ok := strings.CutPrefix(line.Text, "//endings:env "); ok {
					c.env = append(c.env, e)
				}
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// program writes the program into a directory and returns its cases.
func program(dir string) (list []caseOf, err error) {
	files, err := filepath.Glob("testdata/cases/*.go")
	if err != nil {
		return nil, err
	}
	write := func(name, text string) {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666)
		}
	}
	for _, file := range files {
		b, readErr := os.ReadFile(file)
		cases, listErr := listed(file)
		if err := errors.Join(readErr, listErr); err != nil {
			return nil, err
		}
		list = append(list, cases...)
		write(filepath.Base(file), string(b))
	}
	text, names := chains(*seed, *chainCount)
	write("chains.go", text)
	for _, name := range names {
		list = append(list, caseOf{name: name})
	}
	var table strings.Builder
	table.WriteString("package main\n\nvar cases map[string]func()\n\nfunc init() {\n\tcases = map[string]func(){\n")
	for _, c := range list {
		fmt.Fprintf(&table, "\t\t%q: %s,\n", c.name, c.name)
	}
	table.WriteString("\t}\n}\n")
	write("table.go", table.String())
	write("go.mod", fmt.Sprintf("module endings\n\ngo 1.%d\n", minor))
	return list, err
}

// native runs a case with the binary that the go command built.
func (c caseOf) native(binary string) (e ending, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, c.name)
	// One processor: goroutines run until they block, so that states are always the same.
	cmd.Env = append([]string{"GOMAXPROCS=1"}, c.env...)
	if !slices.ContainsFunc(c.env, func(e string) bool { return strings.HasPrefix(e, "GODEBUG=") }) {
		cmd.Env = append(cmd.Env, "GODEBUG=asyncpreemptoff=1")
	}
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || !exit.Exited()) {
		return e, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	return ending{seconds.ReplaceAllString(out.String(), "(s)"), report(stderr.String()), cmd.ProcessState.ExitCode()}, nil
}

// gyr runs a case in the sandbox.
func (c caseOf) gyr(p *gyr.Program, tier gyr.Tier) (e ending, err error) {
	var out, stderr bytes.Buffer
	in, err := p.NewInstance(context.Background(), gyr.Config{Args: []string{c.name}, Env: c.env, Stdout: &out, Stderr: &stderr, Gas: 2e9, Tier: tier})
	if err != nil {
		return e, err
	}
	defer in.Close()
	if in.Tier() != string(tier) {
		return e, fmt.Errorf("the tier is %s", in.Tier())
	}
	if err := in.Run(context.Background()); err != nil {
		var exit *gyr.ExitError
		if !errors.As(err, &exit) {
			return e, fmt.Errorf("%w\n%s", err, stderr.String())
		}
		e.exit = exit.Code
	}
	e.out, e.report = seconds.ReplaceAllString(out.String(), "(s)"), report(stderr.String())
	return e, nil
}

// different says how two endings differ; "" if they do not.
func different(got, want ending) string {
	if got == want {
		return ""
	}
	g, w := strings.Split(got.report, "\n"), strings.Split(want.report, "\n")
	at := 0
	for at < len(g) && at < len(w) && g[at] == w[at] {
		at++
	}
	from := max(0, at-3)
	cut := func(l []string) string { return "\t" + strings.Join(l[min(from, len(l)):min(at+12, len(l))], "\n\t") }
	return fmt.Sprintf("output %q, exit %d, line %d of the report:\n%s\nwant %q, exit %d:\n%s", got.out, got.exit, at+1, cut(g), want.out, want.exit, cut(w))
}

// known reads the list of cases that end differently in gyr, with the reasons.
func known(t *testing.T) map[string]string {
	f, err := os.Open("testdata/differ.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, why, _ := strings.Cut(line, " ")
		if base, of, ok := strings.Cut(name, "@"); ok {
			if of != fmt.Sprint(minor) {
				continue
			}
			name = base
		}
		if list[name] = strings.TrimSpace(why); list[name] == "" {
			t.Errorf("%s is listed without a reason", name)
		}
	}
	return list
}

// TestEndings compares the endings of programs in both tiers with those of native Go.
func TestEndings(t *testing.T) {
	daily.Drawn(t, "seed")
	dir := t.TempDir()
	list, err := program(dir)
	if err != nil {
		t.Fatal(err)
	}
	if *only != "" {
		re := regexp.MustCompile(*only)
		list = slices.DeleteFunc(list, func(c caseOf) bool { return !re.MatchString(c.name) })
	}
	// Without inlining, functions have the names that docs/determinism.md promises.
	var binaries [2]string
	for i, flags := range []string{"-N -l", "-l"} {
		binaries[i] = filepath.Join(dir, fmt.Sprintf("native%d.bin", i))
		cmd := exec.Command("go", "build", "-gcflags="+flags+" -dwarf=false", "-ldflags=-w", "-o", binaries[i], ".")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOAMD64=v1", "GODEBUG=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	p, err := gyr.Compile(t.Context(), gyr.Source{Dir: dir, Unsafe: gyr.UnsafeAll}, nil)
	if err != nil {
		t.Fatal(err)
	}
	tiers := []gyr.Tier{gyr.TierInterp}
	if p.NativeError() == nil {
		tiers = append(tiers, gyr.TierNative)
	}
	differ := known(t)
	var mu sync.Mutex
	var group sync.WaitGroup
	queue := make(chan caseOf)
	for range max(2, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for c := range queue {
				text := c.compare(binaries, p, tiers)
				mu.Lock()
				why, listed := differ[c.name]
				switch {
				case text != "" && !listed:
					t.Errorf("%s: %s", c.name, text)
				case text == "" && listed:
					t.Errorf("%s ends as in native Go, and testdata/differ.txt lists it: %s", c.name, why)
				}
				delete(differ, c.name)
				mu.Unlock()
			}
		})
	}
	for _, c := range list {
		queue <- c
	}
	close(queue)
	group.Wait()
	if *only == "" {
		for name := range differ {
			t.Errorf("testdata/differ.txt lists %s, which is no case", name)
		}
		if len(list) < 400 {
			t.Errorf("%d cases", len(list))
		}
	}
	t.Logf("%d cases in %d tiers", len(list), len(tiers))
}

// compare runs a case everywhere and describes the differences. binaries are the program compiled
// by gc without and with optimisation. Where these two differ in a line of the report, either is
// right.
func (c caseOf) compare(binaries [2]string, p *gyr.Program, tiers []gyr.Tier) string {
	want, err := c.native(binaries[0])
	if err != nil {
		return fmt.Sprintf("native: %v", err)
	}
	if *show {
		fmt.Printf("%s: exit %d %q\n%s\n", c.name, want.exit, want.out, want.report)
	}
	for _, tier := range tiers {
		got, err := c.gyr(p, tier)
		if err != nil {
			return fmt.Sprintf("%s: %v\nwant %q, exit %d\n%s", tier, err, want.out, want.exit, want.report)
		}
		text := different(got, want)
		for i := 0; text != "" && i < 4; i++ {
			again, err := c.native(binaries[(i+1)%2])
			if err != nil {
				return fmt.Sprintf("native: %v", err)
			}
			if between(got, want, again) {
				text = ""
			}
		}
		if text != "" {
			return fmt.Sprintf("%s: %s", tier, text)
		}
	}
	return ""
}

// between reports whether each line of an ending equals that line of one of two others.
func between(got, a, b ending) bool {
	if got == b {
		return true
	}
	g, x, y := strings.Split(got.report, "\n"), strings.Split(a.report, "\n"), strings.Split(b.report, "\n")
	if len(g) != len(x) || len(g) != len(y) || got.out != a.out || got.out != b.out || got.exit != a.exit || got.exit != b.exit {
		return false
	}
	for i := range g {
		if g[i] != x[i] && g[i] != y[i] {
			return false
		}
	}
	return true
}
