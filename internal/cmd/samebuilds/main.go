// Command samebuilds compares the results of two builds of gyr for the same programs: output, exit
// status, gas, allocations and every other promised figure, in both tiers.
//
//	go run ./internal/cmd/samebuilds [flags] OLD NEW
//
// OLD and NEW are binaries of the command, built before and after a change that should change
// nothing. The programs are those of programs/ with the sizes of a trial, the filetests below
// tests/lang, and the tests of some packages of std. It prints each program that differs with the
// lines that differ, and fails if there is one.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/ratio"
)

var (
	tiers = flag.String("tiers", "native,interp", "tiers to compare")
	only  = flag.String("only", "", "only what matches this regular expression")
	std   = flag.String("std",
		"bytes strings strconv sort errors io bufio unicode/utf8 container/heap container/list math math/bits fmt",
		"packages of std whose tests are run")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: samebuilds [flags] OLD NEW")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "samebuilds:", err)
		os.Exit(1)
	}
}

// A job is one comparison: a command line of gyr without the name of the command.
type job struct {
	name string
	dir  string
	args []string
}

func run(older, newer string) error {
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	var bins [2]string
	for i, bin := range []string{older, newer} {
		if bins[i], err = filepath.Abs(bin); err != nil {
			return err
		}
	}
	jobs, err := allJobs()
	if err != nil {
		return err
	}
	figures, differ, compared := 0, 0, 0
	for _, j := range jobs {
		if !match.MatchString(j.name) {
			continue
		}
		var got [2]map[string]string
		for i, bin := range bins {
			if got[i], err = j.run(bin); err != nil {
				return fmt.Errorf("%s by %s: %w", j.name, bin, err)
			}
		}
		compared++
		figures += len(got[0])
		if lines := difference(got[0], got[1]); len(lines) > 0 {
			differ++
			fmt.Printf("%s differs\n", j.name)
			for _, line := range lines {
				fmt.Println("\t" + line)
			}
		}
	}
	fmt.Printf("%d programs and suites, %d figures and outputs, %d differ\n", compared, figures, differ)
	switch {
	case compared == 0:
		return fmt.Errorf("nothing matches %q", *only)
	case differ > 0:
		return fmt.Errorf("%d differ", differ)
	}
	return nil
}

// allJobs lists all comparisons.
func allJobs() ([]job, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	root := strings.TrimSpace(string(out))
	var jobs []job
	for tier := range strings.SplitSeq(*tiers, ",") {
		for _, p := range ratio.Programs {
			jobs = append(jobs, job{name: tier + " programs/" + p.Name, dir: root,
				args: []string{"run", "-cache=off", "-tier", tier, "-stats=json", "./programs/" + p.Name, p.Small}})
		}
		test := func(name, dir string, args ...string) {
			jobs = append(jobs, job{name: tier + " " + name, dir: dir,
				args: append([]string{"test", "-cache=off", "-short", "-count=1", "-v", "-gasreport=json", "-tier", tier},
					args...)})
		}
		groups, err := filepath.Glob(filepath.Join(root, "tests/lang/*"))
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			if i, err := os.Stat(g); err == nil && i.IsDir() {
				test("tests/lang/"+filepath.Base(g), root, "./tests/lang/"+filepath.Base(g))
			}
		}
		goroot := build.Default.GOROOT
		for _, path := range strings.Fields(*std) {
			test("std "+path, filepath.Join(goroot, "src"), "-dir", goroot+":"+goroot+":ro", path)
		}
	}
	return jobs, nil
}

// run runs a job and returns the results that must be the same, by name.
func (j *job) run(bin string) (map[string]string, error) {
	cmd := exec.Command(bin, j.args...)
	cmd.Dir = j.dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		return nil, err
	}
	all := map[string]string{"exit status": fmt.Sprint(cmd.ProcessState.ExitCode())}
	told := &stdout // the output that has the object with figures
	if j.args[0] == "run" {
		told = &stderr
	}
	for name, b := range map[string]*bytes.Buffer{"stdout": &stdout, "stderr": &stderr} {
		text := b.Bytes()
		if b == told {
			if at := bytes.IndexByte(text, '{'); at >= 0 {
				var v any
				if err := json.Unmarshal(text[at:], &v); err != nil {
					return nil, fmt.Errorf("its figures: %w", err)
				}
				flatten(all, "", v)
				text = text[:at]
			}
		}
		for i, line := range strings.Split(string(times.ReplaceAll(text, []byte("TIME"))), "\n") {
			all[fmt.Sprintf("%s line %d", name, i+1)] = line
		}
	}
	if noTests := []byte("[no test files]"); len(all) < 8 && !bytes.Contains(stdout.Bytes(), noTests) && !bytes.Contains(stderr.Bytes(), noTests) { // filetests may be for a later Go
		return nil, fmt.Errorf("it said no more than %q", stdout.String()+stderr.String())
	}
	return all, nil
}

// times matches text that differs between runs of one build.
var times = regexp.MustCompile(`\b\d+\.\d+s\b`)

// free are figures that may differ: times, cache hits, and instructions, since an operation of the
// IR may take more or fewer of them.
var free = regexp.MustCompile(`(_ns|_s|cache|functions_compiled|instructions|elapsed|time)$`)

// flatten names each number and text of an object.
func flatten(all map[string]string, name string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			flatten(all, strings.TrimPrefix(name+"."+k, "."), x)
		}
	case []any:
		for i, x := range v {
			flatten(all, fmt.Sprintf("%s[%d]", name, i), x)
		}
	default:
		if !free.MatchString(name) {
			all[name] = fmt.Sprint(v)
		}
	}
}

// difference lists the lines that only one of two results has, at most 20.
func difference(a, b map[string]string) []string {
	names := maps.Clone(a)
	maps.Copy(names, b)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if x, y := a[name], b[name]; x != y {
			if list = append(list, fmt.Sprintf("%s: %q, %q", name, x, y)); len(list) == 20 {
				return append(list, "and more")
			}
		}
	}
	return list
}
