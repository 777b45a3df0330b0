package randgo

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/srcmut"
)

var (
	crossed = flag.Int("crossed", 10, "programs of the corpus to change and cross")
	changes = flag.Int("changes", 3, "changes to each of them, at most")
)

// A corpus is a set of programs of one file, which are read when they are drawn.
type corpus struct {
	check *srcmut.Checker
	files []string
	read  map[string]*srcmut.File // nil: not usable
}

// newCorpus finds the runnable programs of GOROOT/test, and those of tests/lang and of programs.
func newCorpus(t *testing.T) *corpus {
	c := &corpus{check: srcmut.NewChecker(), read: map[string]*srcmut.File{}}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	test := filepath.Join(strings.TrimSpace(string(out)), "test")
	for _, pattern := range []string{test + "/*.go", test + "/ken/*.go", test + "/chan/*.go", test + "/interface/*.go", test + "/fixedbugs/*.go", test + "/typeparam/*.go", test + "/abi/*.go", test + "/escape*.go",
		"../../../tests/lang/*/*_filetest.go", "../../../programs/*/main.go"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		c.files = append(c.files, list...)
	}
	return c
}

var (
	notRun    = regexp.MustCompile(`(?m)^// (errorcheck|compile|build|runoutput|rundir|errorcheckoutput|asmcheck|skip|buildrundir|runindir|errorcheckdir|CompileError:|compiledir)`)
	addresses = regexp.MustCompile(`0x[0-9a-f]{6,}|stack overflow|stack exceeds|out of memory|cannot allocate|%p`)
)

// draw draws a program of the corpus.
func (c *corpus) draw(r *rand.Rand) *srcmut.File {
	for {
		name := c.files[r.IntN(len(c.files))]
		f, known := c.read[name]
		if !known {
			src, err := os.ReadFile(name)
			if err == nil && len(src) < 20_000 && !notRun.Match(src) {
				if f, err = c.check.Parse(filepath.Base(name), string(src)); err != nil || !f.Steady() {
					f = nil
				}
			}
			c.read[name] = f
		}
		if f != nil {
			return f
		}
	}
}

// A mutant is a changed program of the corpus.
type mutant struct {
	name string // of its package
	from string
	what []string
	src  string
	drop string // why it is not compared
}

// newCrossing puts mutants into one module.
func newCrossing(dir string, list []*mutant) (*unit, error) {
	u := &unit{dir: dir, progs: map[string]*gyr.Program{}}
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	var imports, cases strings.Builder
	files := map[string]string{"go.mod": fmt.Sprintf("module crossed\n\ngo 1.%d\n", minor)}
	for _, m := range list {
		if m.drop == "" {
			files[m.name+"/p.go"] = m.src
			fmt.Fprintf(&imports, "\t%q\n", "crossed/"+m.name)
			fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", m.name, m.name)
			u.args = append(u.args, []string{m.name})
		}
	}
	files["main.go"] = "package main\n\nimport (\n\t\"os\"\n\n" + imports.String() + ")\n\nfunc main() {\n\tname := os.Args[1]\n\tos.Args = []string{\"p\", \"9\"}\n\tswitch name {\n" + cases.String() + "\t}\n}\n"
	return u, u.write(files)
}

var inPackage = regexp.MustCompile(`(?m)^(?:# crossed/)?(p[0-9]+)(?:/p\.go:\d+|$)`)

// sieve removes mutants that gc does not compile, that take long or much memory, that show
// addresses, or whose runs differ.
func sieve(dir string, list []*mutant) (*unit, error) {
	byName := map[string]*mutant{}
	for _, m := range list {
		byName[m.name] = m
	}
	for {
		u, err := newCrossing(dir, list)
		if err != nil {
			return nil, err
		}
		err = u.build()
		if err != nil {
			found := false
			for _, s := range inPackage.FindAllStringSubmatch(err.Error(), -1) {
				if m := byName[s[1]]; m != nil && m.drop == "" {
					m.drop, found = "gc refuses it", true
				}
			}
			if !found {
				return nil, err
			}
			continue
		}
		for _, args := range u.args {
			m := byName[args[0]]
			var first outcome
			for i := range 3 {
				o, why := steadily(u, args)
				switch {
				case why != "":
					m.drop = why
				case i > 0 && (o.out != first.out || o.err != first.err || o.exit != first.exit):
					m.drop = "not the same every time"
				}
				first = o
			}
			if m.drop == "" {
				u.want = append(u.want, first)
			}
		}
		left := u.args[:0]
		for _, args := range u.args {
			if byName[args[0]].drop == "" {
				left = append(left, args)
			}
		}
		u.args = left
		return u, nil
	}
}

// steadily runs a mutant natively within tight limits.
func steadily(u *unit, args []string) (outcome, string) {
	cmd := exec.Command("sh", "-c", "ulimit -t 1; exec \"$0\" \"$@\"", filepath.Join(u.dir, "native.bin"), args[0])
	var out, stderr limited
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &stderr, []string{"GOMAXPROCS=1"}
	start := time.Now()
	watch := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	err := cmd.Run()
	watch.Stop()
	var exit *exec.ExitError
	switch {
	case err != nil && (!errors.As(err, &exit) || !exit.Exited()):
		return outcome{}, fmt.Sprintf("it takes long: %v", err)
	case cmd.ProcessState.UserTime() > 100*time.Millisecond:
		return outcome{}, "it takes long: " + time.Since(start).String()
	case out.Len() > 1<<16 || stderr.Len() > 1<<16:
		return outcome{}, "much output"
	case addresses.Match(out.Bytes()) || addresses.Match([]byte(errorText(stderr.String()))):
		return outcome{}, "it shows addresses, or takes much memory"
	}
	return outcome{out: out.String(), err: errorText(stderr.String()), exit: cmd.ProcessState.ExitCode()}, ""
}

// limited keeps the beginning of what is written.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len() <= 1<<16 {
		l.Buffer.Write(p)
	}
	return len(p), nil
}

// TestCrossed compares programs of a corpus that were changed and crossed with each other, over
// native Go, both tiers, and all passes left out.
func TestCrossed(t *testing.T) {
	daily.Drawn(t, "seed")
	c := newCorpus(t)
	const batch = 40
	dropped := map[string]int{}
	compared := 0
	for first := 0; first < *crossed; first += batch {
		seed := *seed0 + uint64(first)
		r := rand.New(rand.NewPCG(seed, 2))
		var list []*mutant
		for i := range min(batch, *crossed-first) {
			f := c.draw(r)
			next, what := c.check.Mutant(r, f, c.draw(r), 1+r.IntN(*changes))
			if next == nil {
				continue
			}
			m := &mutant{name: fmt.Sprintf("p%d", i), from: f.Name, what: what}
			if m.src = next.As(m.name); m.src == "" || !next.Steady() {
				continue
			}
			list = append(list, m)
		}
		u, err := sieve(filepath.Join(t.TempDir(), "crossed"), list)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, m := range list {
			why, _, _ := strings.Cut(m.drop, ":")
			dropped[why]++
		}
		if err := u.compare(true, crossSettings(r)); err != nil {
			dir := filepath.Join(*failures, fmt.Sprintf("crossed%d", seed))
			os.RemoveAll(dir)
			os.MkdirAll(filepath.Dir(dir), 0o777)
			if e := os.CopyFS(dir, os.DirFS(u.dir)); e != nil {
				t.Error(e)
			}
			t.Errorf("%v\nthe programs are in %s, after\n\tgo test ./internal/suites/randgo -run TestCrossed -seed=%d -crossed=%d", err, dir, seed, min(batch, *crossed-first))
			for _, m := range list {
				if strings.Contains(err.Error(), m.name+" ") || strings.Contains(err.Error(), m.name+"]") {
					t.Errorf("%s is %s:\n\t%s", m.name, m.from, strings.Join(m.what, "\n\t"))
				}
			}
			continue
		}
		compared += len(u.args)
		t.Logf("seed %d: %d of %d programs compared: equal", seed, len(u.args), len(list))
	}
	delete(dropped, "")
	t.Logf("%d programs compared, left out: %v", compared, dropped)
	if compared < *crossed/4 {
		t.Errorf("of %d programs %d were compared", *crossed, compared)
	}
}

// crossSettings returns the two tiers in random order: both with all passes, the second also with
// none, and the first also without phase B.
func crossSettings(r *rand.Rand) []setting {
	a, b := tiers[0], tiers[len(tiers)-1]
	if r.IntN(2) == 0 {
		a, b = b, a
	}
	return []setting{{tier: a, heap: true}, {tier: b, heap: true}, {tier: b, nopass: []string{"all"}, image: true}, {tier: a, nopass: []string{"phaseb"}, image: true, heap: true}}
}
