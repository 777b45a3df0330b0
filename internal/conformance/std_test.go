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
	stdTimeout = flag.Duration("stdtimeout", 100*time.Second, "how long one of them may last, wall clock")
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
			for _, x := range o.results {
				total++
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
			t.Logf("%-20s %4d pass, %d fail, %d skip; compiled in %.1fs, %.1fs in all", pkg, o.count("PASS"), o.count("FAIL"), o.count("SKIP"), o.compile.Seconds(), o.wall.Seconds())
		})
	}
	t.Logf("std: %d tests, %d pass, %d skip, %d excluded", total, passed, skipped, out)
}
