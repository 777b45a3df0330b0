package conformance

import (
	"bufio"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	testsRun     = flag.String("testsrun", "", "of the tests of std and of modules, run those that match")
	testsLong    = flag.Bool("testslong", false, "run them without -test.short")
	testsTimeout = flag.Duration("teststimeout", 20*time.Minute, "how long one of them may last, wall clock")
	testsNoPass  = flag.String("testsnopass", "", "switch passes of the optimiser off, `a:b`")
)

// newTestRun takes the flags.
func newTestRun(t *testing.T) *testRun {
	r := &testRun{goroot: goroot(t), run: *testsRun, long: *testsLong, timeout: *testsTimeout, tier: *tierFlag}
	if *testsNoPass != "" {
		r.noPass = strings.Split(*testsNoPass, ":")
	}
	return r
}

// A suite is a family of packages with the lists that belong to it: tests that
// cannot pass, and tests that have passed.
type suite struct {
	run      *testRun
	excluded []exclusions
	passed   *passSet

	total, pass, skip, out int
}

func newSuite(t *testing.T, passed string, excluded ...string) *suite {
	s := &suite{run: newTestRun(t)}
	for _, file := range excluded {
		s.excluded = append(s.excluded, readExclusions(t, file))
	}
	var err error
	if s.passed, err = readPassSet(passed); err != nil {
		t.Fatal(err)
	}
	return s
}

// exclusions are tests that cannot pass, "package test", with the reason.
type exclusions map[string]string

// readExclusions reads lines of package, test, reason.
func readExclusions(t *testing.T, file string) exclusions {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := exclusions{}
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		w := strings.Fields(line)
		if len(w) < 3 {
			t.Errorf("%s: want package, test and reason: %q", file, line)
			continue
		}
		m[w[0]+" "+w[1]] = strings.Join(w[2:], " ")
	}
	return m
}

// why returns the reason why a test cannot pass.
func (s *suite) why(test string) (string, bool) {
	for _, list := range s.excluded {
		if why, ok := list[test]; ok {
			return why, true
		}
	}
	return "", false
}

// packages runs the tests of packages, each as a subtest.
func (s *suite) packages(t *testing.T, list []testPackage) {
	for _, pkg := range list {
		t.Run(pkg.path, func(t *testing.T) { s.check(t, s.run.test(pkg)) })
	}
	t.Logf("%d packages, %d tests: %d pass, %d skip, %d excluded", len(list), s.total, s.pass, s.skip, s.out)
}

// check holds the outcome of a package's tests against the lists.
func (s *suite) check(t *testing.T, o testOutcome) {
	partial := s.run.run != ""
	if o.err != nil {
		t.Errorf("%s: %v", o.pkg, o.err)
	}
	seen := map[string]bool{}
	for _, x := range o.results {
		s.total++
		name := o.pkg + " " + x.name
		seen[name] = true
		why, listed := s.why(name)
		switch {
		case x.status == "SKIP":
			s.skip++
		case x.status == "PASS" && listed:
			t.Errorf("%s passes although it is excluded: %s", name, why)
		case x.status == "PASS":
			s.pass++
		case listed:
			s.out++
			if partial {
				t.Logf("excluded: %s\n%s", name, clip(x.output))
			}
		default:
			t.Errorf("FAIL %s\n%s", name, clip(x.output))
		}
	}
	for _, list := range s.excluded {
		for _, name := range sortedKeys(list) {
			if p, _, _ := strings.Cut(name, " "); p == o.pkg && !seen[name] && !partial {
				t.Errorf("%s is excluded, but there is no such test", name)
			}
		}
	}
	lost, gained := s.passed.compare(o.pkg, o.results, partial)
	switch {
	case *updateFlag && !partial && o.err == nil:
		if len(lost) > 0 {
			t.Logf("%s: no longer in %s: %s", o.pkg, s.passed.file, strings.Join(lost, ", "))
		}
		if err := s.passed.record(o.pkg, o.results); err != nil {
			t.Error(err)
		}
	case len(lost) > 0:
		t.Errorf("%s: these tests have passed once: %s", o.pkg, strings.Join(lost, ", "))
	case len(gained) > 0:
		t.Errorf("%s: these tests pass and are not in %s, -update enters them: %s", o.pkg, s.passed.file, strings.Join(gained, ", "))
	}
	t.Logf("%-20s %4d pass, %d fail, %d skip; compiled in %.1fs, %.1fs in all", o.pkg, o.count("PASS"), o.count("FAIL"), o.count("SKIP"), o.compile.Seconds(), o.wall.Seconds())
}

func TestPassSet(t *testing.T) {
	file := filepath.Join(t.TempDir(), "passed.txt")
	p, err := readPassSet(file)
	if err != nil {
		t.Fatal(err)
	}
	results := []testResult{{name: "TestB", status: "PASS"}, {name: "TestA", status: "PASS"}, {name: "TestC", status: "SKIP"}, {name: "TestD", status: "FAIL"}}
	if err := errors.Join(p.record("b/c", results), p.record("a", nil)); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(file)
	if _, lines, _ := strings.Cut(string(data), "\n\n"); lines != "a\nb/c TestA TestB\n" {
		t.Errorf("written: %q", data)
	}
	if p, err = readPassSet(file); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		results      []testResult
		partial      bool
		lost, gained string
	}{
		{results, false, "", ""},
		{results[1:], false, "TestB (no result)", ""},
		{results[1:], true, "", ""},
		{append([]testResult{{name: "TestA", status: "SKIP"}, {name: "TestE", status: "PASS"}}, results[0]), false, "TestA (SKIP)", "TestE"},
		{[]testResult{{name: "TestB", status: "FAIL"}}, true, "TestB (FAIL)", ""},
	} {
		lost, gained := p.compare("b/c", c.results, c.partial)
		if got := strings.Join(lost, ","); got != c.lost {
			t.Errorf("%v: lost %q, want %q", c.results, got, c.lost)
		}
		if got := strings.Join(gained, ","); got != c.gained {
			t.Errorf("%v: gained %q, want %q", c.results, got, c.gained)
		}
	}
	if lost, _ := p.compare("unknown", results, false); lost != nil {
		t.Errorf("lost of a package without a line: %v", lost)
	}
}

// A test binary's output comes in pieces, tests may print anything, and what an
// example should have printed follows its result.
func TestTestLog(t *testing.T) {
	const out = "\x16=== RUN   TestA\nhello\x16--- PASS: TestA (0.00s)\n" +
		"\x16=== RUN   TestB\n\x16=== RUN   TestB/sub\n    b_test.go:1: bad\n    \x16--- FAIL: TestB/sub (0.00s)\n\x16--- FAIL: TestB (1.00s)\n" +
		"\x16=== RUN   ExampleC\n\x16--- FAIL: ExampleC (0.00s)\ngot:\nx\nwant:\ny\n" +
		"\x16=== RUN   TestD\n\x16--- SKIP: TestD (0.00s)\n\x16=== RUN   TestE\npanic: oh\n"
	for _, step := range []int{1, 7, len(out)} {
		w := &testLog{}
		for i := 0; i < len(out); i += step {
			w.Write([]byte(out[i:min(i+step, len(out))]))
		}
		var got []string
		for _, r := range w.results {
			got = append(got, r.name+" "+r.status)
		}
		if g := strings.Join(got, ","); g != "TestA PASS,TestB FAIL,ExampleC FAIL,TestD SKIP" || w.running != "TestE" || w.complete {
			t.Errorf("step %d: %s, then %q, complete: %v", step, g, w.running, w.complete)
		}
		if b, c, e := w.results[1].output, w.results[2].output, w.text.String(); !strings.Contains(b, "bad") || !strings.Contains(c, "want:\ny") || e != "panic: oh\n" {
			t.Errorf("step %d: output %q, %q, %q", step, b, c, e)
		}
	}
}
