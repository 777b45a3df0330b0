package conformance

import (
	"bufio"
	"flag"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	stdFlag    = flag.String("std", "", "run the tests of these packages of the standard library, `a,b,…`; engine, all: the lists of std.go")
	stdTests   = flag.String("stdrun", "", "of them, run those that match")
	stdLong    = flag.Bool("stdlong", false, "run them without -test.short")
	stdTimeout = flag.Duration("stdtimeout", 5*time.Minute, "how long one of them may last, wall clock")
	stdNoPass  = flag.String("stdnopass", "", "switch passes of the optimiser off, `a:b`")
)

// stdSample is what runs without a flag.
var stdSample = []string{"errors", "container/list", "container/heap", "sort"}

// stdExcluded reads a list of tests that cannot pass: package, test, reason.
func stdExcluded(t *testing.T, file string) map[string]string {
	f, err := os.Open(file)
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
		w := strings.Fields(line)
		if len(w) < 3 {
			t.Errorf("%s: want package, test and reason: %q", file, line)
			continue
		}
		m[w[0]+" "+w[1]] = strings.Join(w[2:], " ")
	}
	return m
}

// TestStd runs the standard library's own tests in the sandbox.
func TestStd(t *testing.T) {
	r := stdRun{goroot: goroot(t), run: *stdTests, long: *stdLong, timeout: *stdTimeout}
	if *stdNoPass != "" {
		r.src.NoPass = strings.Split(*stdNoPass, ":")
	}
	list := stdSample
	switch *stdFlag {
	case "":
	case "engine":
		list = stdEngine
	case "all":
		list = stdAll
	default:
		list = strings.Split(*stdFlag, ",")
	}
	excluded := stdExcluded(t, "testdata/std-excluded.txt")
	allocs := stdExcluded(t, "testdata/std-alloc.txt")
	total, passed, skipped, out := 0, 0, 0, 0
	for _, pkg := range list {
		t.Run(pkg, func(t *testing.T) {
			o := runStd(pkg, r)
			if o.err != nil {
				t.Errorf("%s: %v", pkg, o.err)
			}
			seen := map[string]bool{}
			for _, x := range o.results {
				total++
				seen[pkg+" "+x.name] = true
				why, listed := excluded[pkg+" "+x.name]
				if !listed {
					why, listed = allocs[pkg+" "+x.name]
				}
				switch {
				case x.status == "SKIP":
					skipped++
				case x.status == "PASS" && listed:
					t.Errorf("%s %s passes although it is excluded: %s", pkg, x.name, why)
				case x.status == "PASS":
					passed++
				case listed:
					out++
				default:
					t.Errorf("FAIL %s %s\n%s", pkg, x.name, clip(x.output))
				}
			}
			for _, list := range []map[string]string{excluded, allocs} {
				for x := range list {
					if p, _, _ := strings.Cut(x, " "); p == pkg && !seen[x] && r.run == "" {
						t.Errorf("%s is excluded, but there is no such test", x)
					}
				}
			}
			t.Logf("%-20s %4d pass, %d fail, %d skip; compiled in %.1fs, %.1fs in all", pkg, o.count("PASS"), o.count("FAIL"), o.count("SKIP"), o.compile.Seconds(), o.wall.Seconds())
		})
	}
	t.Logf("std: %d tests, %d pass, %d skip, %d excluded", total, passed, skipped, out)
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
