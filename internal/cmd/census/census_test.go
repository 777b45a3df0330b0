package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// events is the output of go test -json for four packages: one with a test whose subtest fails and
// a test that never ends, one that does not compile, one that passes, and one that was cut off.
const events = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestOne"}
{"Action":"output","Package":"m/a","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"run","Package":"m/a","Test":"TestOne/part"}
{"Action":"output","Package":"m/a","Test":"TestOne/part","Output":"=== RUN   TestOne/part\n"}
{"Action":"output","Package":"m/a","Test":"TestOne/part","Output":"    a_test.go:7: got 1, want 2\n"}
{"Action":"output","Package":"m/a","Test":"TestOne/part","Output":"    --- FAIL: TestOne/part (0.00s)\n"}
{"Action":"fail","Package":"m/a","Test":"TestOne/part"}
{"Action":"fail","Package":"m/a","Test":"TestOne"}
{"Action":"pass","Package":"m/a","Test":"TestTwo"}
{"Action":"skip","Package":"m/a","Test":"TestThree"}
{"Action":"run","Package":"m/a","Test":"TestFour"}
{"Action":"output","Package":"m/a","Output":"exit status 3\n"}
{"Action":"fail","Package":"m/a"}
{"ImportPath":"m/b [m/b.test]","Action":"build-output","Output":"# m/b [m/b.test]\n"}
{"ImportPath":"m/b [m/b.test]","Action":"build-output","Output":"b_test.go:3:8: undefined: x\n"}
{"ImportPath":"m/b [m/b.test]","Action":"build-fail"}
{"Action":"fail","Package":"m/b","FailedBuild":"m/b [m/b.test]"}
this line is no event
{"Action":"pass","Package":"m/c","Test":"TestC"}
{"Action":"pass","Package":"m/c"}
{"Action":"pass","Package":"m/d","Test":"TestD"}
{"Action":"run","Package":"m/d","Te`

func TestEvents(t *testing.T) {
	all := parseEvents([]byte(events))
	if len(all) != 4 {
		t.Fatalf("%d packages, want 4", len(all))
	}
	a := all["m/a"]
	if a.tests["TestOne"] != "fail" || a.tests["TestTwo"] != "pass" || a.tests["TestThree"] != "skip" || len(a.tests) != 3 {
		t.Errorf("outcomes: %v", a.tests)
	}
	if got, want := a.output["TestOne"], "    a_test.go:7: got 1, want 2\n    --- FAIL: TestOne/part (0.00s)\n"; got != want {
		t.Errorf("output: %q, want %q", got, want)
	}
	if a.end != "exit status 3\n" || !a.ended || a.build != "" {
		t.Errorf("end %q, ended %v, build %q", a.end, a.ended, a.build)
	}
	if b := all["m/b"]; b.build != "b_test.go:3:8: undefined: x" {
		t.Errorf("build: %q", b.build)
	}
	if c := all["m/c"]; !c.ended || c.tests["TestC"] != "pass" {
		t.Errorf("m/c: %+v", c)
	}
	if d := all["m/d"]; d.ended || d.tests["TestD"] != "pass" {
		t.Errorf("m/d: %+v", d)
	}
}

func TestCompare(t *testing.T) {
	native := &ran{ended: true, tests: tests{"TestA": "pass", "TestB": "pass", "TestC": "fail", "TestD": "pass", "TestUnix": "pass"}}
	sandboxed := &ran{ended: true, tests: tests{"TestA": "pass", "TestB": "fail", "TestC": "fail"}, output: map[string]string{"TestB": "no"}, end: "FAIL\n"}
	p := &packageResult{Path: "m/a", declared: map[string]bool{"TestA": true, "TestB": true, "TestC": true, "TestD": true}}
	p.compare(native, sandboxed)
	if p.Absent != 1 || len(p.Go) != 4 {
		t.Errorf("absent: %d, with go: %v", p.Absent, p.Go)
	}
	if len(p.Lost) != 2 || p.Lost["TestB"] != "no" || p.End != "FAIL\n" {
		t.Errorf("lost: %q, end %q", p.Lost, p.End)
	}
	p.compareGranted(&ran{ended: true, tests: tests{"TestA": "pass", "TestB": "pass"}, output: map[string]string{"TestD": "panic: x"}})
	if len(p.Lost) != 1 || p.Lost["TestD"] != "panic: x" {
		t.Errorf("lost with grants: %q", p.Lost)
	}

	p = &packageResult{Path: "m/a"}
	p.compare(&ran{ended: true, tests: tests{"TestA": "pass", "TestB": "pass"}},
		&ran{ended: true, tests: tests{"TestA": "skip", "TestB": "skip"}, output: map[string]string{"TestA": "no file", "TestB": "no terminal"}})
	if len(p.Lost) != 2 {
		t.Errorf("skipped: %q", p.Lost)
	}
	p.compareGranted(&ran{ended: true, tests: tests{"TestA": "pass", "TestB": "fail"}, output: map[string]string{"TestB": "no"}})
	if len(p.Lost) != 1 || p.outcomes()["TestA"] != "pass" || p.outcomes()["TestB"] != "skip" {
		t.Errorf("skipped, with grants: %q, %v", p.Lost, p.outcomes())
	}

	for _, c := range []struct {
		what              string
		native, sandboxed *ran
		late              string
		lost              int
		compiles          bool
	}{
		{"go does not build it", &ran{ended: true, build: "undefined: x"}, sandboxed, "", 0, true},
		{"go has no result", nil, sandboxed, "go", 0, true},
		{"gyr has no result", native, nil, "gyr", 3, false},
		{"gyr was cut off", native, &ran{tests: tests{"TestA": "pass"}}, "gyr", 2, true},
		{"no compilation", native, &ran{ended: true, build: "undefined: x"}, "", 0, false},
	} {
		p := &packageResult{Path: "m/a"}
		p.compare(&ran{}, &ran{ended: true}) // no results and no panic
		p = &packageResult{Path: "m/a", declared: map[string]bool{"TestA": true, "TestB": true, "TestC": true, "TestD": true}}
		p.compare(c.native, c.sandboxed)
		if p.Late != c.late || len(p.Lost) != c.lost || c.late != "go" && p.compiles() != c.compiles {
			t.Errorf("%s: late %q, lost %q, compiles %v", c.what, p.Late, p.Lost, p.compiles())
		}
	}
}

func TestOrder(t *testing.T) {
	v := func(path string) module.Version { return module.Version{Path: path, Version: "v1.0.0"} }
	got := inTurns([][]module.Version{{v("a"), v("b"), v("c")}, {}, {v("b"), v("d")}})
	if want := []module.Version{v("a"), v("b"), v("d"), v("c")}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestDeclared(t *testing.T) {
	dir := t.TempDir()
	src := "package p\nfunc TestA() {}\nfunc (T) TestB() {}\ntype T int\n"
	if err := os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := declaredIn(dir, []string{"a_test.go"}); len(got) != 1 || !got["TestA"] {
		t.Errorf("got %v", got)
	}
	if got := declaredIn(dir, []string{"missing_test.go"}); got != nil {
		t.Errorf("a file that is not there: %v", got)
	}
}

func TestReasonsAreWritten(t *testing.T) {
	if _, err := parseReasons(reasonsText); err != nil {
		t.Errorf("reasons.txt: %v", err)
	}
	for _, c := range []struct{ text, want string }{
		{"processes", "line 1: not a name"},
		{"  test a B", "line 1: there is no reason"},
		{"a: B.\n  tast a B", `line 2: unknown kind "tast"`},
		{"a: B.\n  prints (", "line 2: error parsing regexp"},
		{"a: B.\n  build", "line 2: build what?"},
	} {
		if _, err := parseReasons(c.text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// testRecord has a module in which everything is missing that can be, one that was not measured,
// and a program with a third.
func testRecord() []any {
	return []any{
		programLine{Program: "big@v1.0.0", Modules: []string{"m@v1.0.0", "n@v1.0.0"}},
		programLine{Program: "small@v1.0.0", Modules: []string{"n@v1.0.0", "later@v1.0.0"}, Indirect: []string{"n@v1.0.0", "later@v1.0.0"}},
		result{Module: "other@v1.0.0", Error: "of no program"},
		result{Module: "n@v1.0.0", Error: "an older line"},
		result{Module: "n@v1.0.0", Error: "no such module"},
		result{Module: "m@v1.0.0", Packages: []packageResult{
			{Path: "m/refused", Vet: "undefined: syscall.Flock"},
			{Path: "m/build", Build: "undefined: x", Go: tests{"TestX": "pass"}},
			{Path: "m/slow", Late: "go"},
			{Path: "m/late", Late: "gyr", Go: tests{"TestLate": "pass"}, Lost: map[string]string{"TestLate": ""}},
			{Path: "m/good", Absent: 2, Go: tests{"TestA": "pass", "TestB": "pass", "TestC": "fail", "TestD": "pass"},
				Gyr:     tests{"TestA": "pass", "TestB": "skip", "TestC": "fail", "TestD": "fail"},
				Granted: tests{"TestA": "pass", "TestB": "skip", "TestC": "fail", "TestD": "pass"},
				Lost:    map[string]string{"TestB": "needs a terminal"}},
			{Path: "m/lost", Go: tests{"TestExec": "pass", "TestPanic": "pass", "TestUnended": "pass", "TestOdd": "pass", "TestNamed": "pass"},
				Gyr:  tests{"TestExec": "fail", "TestPanic": "fail", "TestOdd": "fail", "TestNamed": "fail"},
				Lost: map[string]string{"TestExec": "exec: no processes", "TestPanic": "panic: no processes", "TestOdd": "got 1, want 2", "TestNamed": "x"}},
		}},
	}
}

func writeRecord(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "record.jsonl")
	var b []byte
	for _, line := range testRecord() {
		j, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		b = append(append(b, j...), '\n')
	}
	b = append(b, `{"Module":"cut@v1.0.0","Pack`...)
	if err := os.WriteFile(file, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReport(t *testing.T) {
	rec, err := readRecord(writeRecord(t))
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := parseReasons(`
processes: A guest starts none.
    prints no processes
named: It is so.
    test m/... TestNam.*
    build m/build
    late m/elsewhere
quiet: It says so itself.
    skips a terminal
    skips got 1
`)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := reportRecord(&out, rec, reasons); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.FieldsFunc(out.String(), func(r rune) bool { return r == ' ' || r == '\t' }), " ")
	for _, want := range []string{
		"2 1 4 2 50.00 % 10 1 10.00 % 2 20.00 % big@v1.0.0\n",
		"1 1 0 0 0.00 % 0 0 0.00 % 0 0.00 % small@v1.0.0\n",
		"2 1 4 2 50.00 % 10 1 10.00 % 2 20.00 % all, each module once\n",
		"; 1 are refused\n", "; 2 others are in files for other systems\n", "; 1 tests that pass with go skip themselves in the end",
		"2 1 4 2 50.00 % 10 1 10.00 % 2 20.00 % those that a go.mod does not call indirect\n",
		"0 0 0 0 0.00 % 0 0 0.00 % 0 0.00 % those that are only called indirect\n",
		"modules that are not in the record yet: 1\n later@v1.0.0\n",
		"quiet: It says so itself. tests: 1\n m/good: TestB\n", "reasons.txt:10: it explains nothing here\n",
		"the module's directory or GOROOT: 1 tests\n",
		"processes: A guest starts none. tests: 3\n m/lost: TestExec TestPanic TestUnended\n",
		"named: It is so. tests: 1, packages: 1\n m/build: does not compile undefined: x\n m/lost: TestNamed\n",
		"WITHOUT A REASON: tests: 2, packages: 1, modules: 1\n",
		"no result with go m/slow", "lost m/late TestLate did not end",
		"lost m/lost TestOdd got 1, want 2\n", "not measured n@v1.0.0 no such module\n",
		"reasons.txt:7: it explains nothing here\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if t.Failed() {
		t.Logf("the report:\n%s", out.String())
	}
}
