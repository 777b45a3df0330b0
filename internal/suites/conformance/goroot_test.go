package conformance

import (
	"bufio"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

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
