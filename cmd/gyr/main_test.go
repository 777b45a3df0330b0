package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/perf/benchfmt"

	"github.com/gyrvm/gyr/internal/suites/daily"
	"github.com/gyrvm/gyr/internal/suites/installed"
	"github.com/gyrvm/gyr/internal/suites/stdlayers"
	"github.com/gyrvm/gyr/internal/tools/buildjson"
)

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, programs)
}

// cleaning removes what tests shared.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	defer func() { os.RemoveAll(stdOnce.dir) }()
	return c.M.Run()
}

var allScripts = flag.Bool("scripts", false, "run all scripts, not a part of the long ones each day")

// longScripts are the slowest scripts. A sixth of them runs each day.
var longScripts = []string{
	"bench", "benchlists", "build", "buildpackages", "debug", "goflags", "goflagsenv", "gosum", "linkname", "modules", "owndir",
	"research", "researchengine", "std", "testprofile", "unsafe", "vet", "world",
}

// scripts returns the scripts that run today.
func scripts(t *testing.T) (files []string) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join("testdata", name+".txtar") }
	today := daily.Part(t, longScripts, (len(longScripts)+5)/6, *allScripts)
	for _, name := range longScripts {
		k := slices.Index(files, file(name))
		if k < 0 {
			t.Fatalf("there is no script %s", name)
		}
		if !slices.Contains(today, name) {
			files = slices.Delete(files, k, k+1)
		}
	}
	return files
}

// programs are the programs that scripts may call.
var programs = map[string]func(){"gyr": main}

// TestScripts runs the scripts of testdata: the command as its users see it. The scripts have these
// additional commands:
//
//	status N args...    gyr args... ends with exit status N
//	nocode N args...    the same where the kernel denies memory for code (tier_test.go)
//	lines FILE N        FILE (or stdout, stderr) has N lines
//	repeat FILE OUT     copies FILE, lines that begin with N* N times, with # for the number
//	nogo                from here on no Go installation can be found
//	figures FILE OUT    writes to OUT what -stats=json printed into FILE, without times, and whether it is checked
//	patch FILE OUT N XX copies FILE to OUT with the hexadecimal bytes XX at offset N
//	truncate FILE OUT N copies N bytes
//	cutline FILE OUT RE copies FILE up to the middle of the first line that RE matches
//	begins FILE CUT     FILE begins with all whole lines of CUT
//	benchfmt FILE NAME UNIT N
//	                    the package with which benchstat reads files reads FILE without an error, and finds N values of
//	                    a unit in the benchmarks of a name
//	terminate FILE RE   sends SIGTERM to the command in the background when a line of FILE matches RE
//	exited N            that command, which wait has waited for, ended with exit status N
//	notimes FILE OUT    copies FILE with X for every number of seconds
//	outputs FILE OUT    writes to OUT the field Output of the events of -json in FILE
//	withoutfields FILE OUT
//	                    copies events of -json without the fields that go build -json does not have
//	stdfile OUT         copies a std file; the cache of the scripts has its layers
//	profile FILE TYPE FUNC FILE:LINE [SUM]
//	                    the profile FILE has values of a type. The values of a function
//	                    at a line (- -: any) are not 0. All add up to SUM, a number
//	                    or FIGURES:NAME, a figure of -stats in a file
//
// With the condition [releases] GOROOT_go1.26 and GOROOT_go1.27 are installations of these
// releases.
func TestScripts(t *testing.T) {
	out, err := exec.Command("go", "env", "GOROOT", "GOCACHE").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	goroot, gocache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	// Scripts about the cache have a cache of their own.
	shared := filepath.Join(t.TempDir(), "cache")
	installations := installed.All()
	testscript.Run(t, testscript.Params{
		Files: scripts(t),
		Setup: func(env *testscript.Env) error {
			env.Values[terminatedKey{}] = new(*exec.Cmd)
			env.Setenv("GYRCACHE", shared)
			env.Setenv(stdlayers.Variable, os.Getenv(stdlayers.Variable))
			env.Setenv("GOROOT", goroot)
			env.Setenv("GOCACHE", gocache)
			for name, dir := range installations {
				env.Setenv("GOROOT_"+name, dir)
			}
			env.Setenv("PROGRAMS", filepath.Join(must(os.Getwd()), "..", "..", "programs"))
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "releases" {
				return len(installations) > 1, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status,
			"nocode": withoutCode,
			"lines":  lines,
			"repeat": repeat,

			"nogo":          nogo,
			"figures":       figures,
			"modproxy":      addToProxy,
			"patch":         patch,
			"truncate":      truncate,
			"cutline":       cutLine,
			"begins":        begins,
			"benchfmt":      readBenchfmt,
			"terminate":     terminate,
			"exited":        exited,
			"notimes":       notimes,
			"outputs":       outputs,
			"withoutfields": withoutFields,
			"profile":       checkProfile,
			"stdfile": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) != 1 {
					ts.Fatalf("usage: stdfile OUT")
				}
				name, err := stdOfTests(shared)
				ts.Check(err)
				data, err := os.ReadFile(name)
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
			},
		},
	})
}

// terminatedKey is the key of the command that terminate has ended, in the values of a script.
type terminatedKey struct{}

func terminate(ts *testscript.TestScript, neg bool, args []string) {
	cmds := ts.BackgroundCmds()
	if neg || len(args) != 2 || len(cmds) != 1 {
		ts.Fatalf("usage: terminate FILE RE, with one command in the background")
	}
	re, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	for { // the test's own time limit ends it
		if text, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && re.Match(text) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Check(cmds[0].Process.Signal(syscall.SIGTERM))
	*ts.Value(terminatedKey{}).(**exec.Cmd) = cmds[0]
}

func exited(ts *testscript.TestScript, neg bool, args []string) {
	cmd := *ts.Value(terminatedKey{}).(**exec.Cmd)
	if neg || len(args) != 1 || cmd == nil {
		ts.Fatalf("usage: exited N, after terminate and wait")
	}
	if got := fmt.Sprint(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("it ended with exit status %s", got)
	}
}

// buildEvents reads the output of -json from a file.
func buildEvents(ts *testscript.TestScript, name string) (events []buildjson.Event) {
	for line := range strings.Lines(ts.ReadFile(name)) {
		var e buildjson.Event
		ts.Check(json.Unmarshal([]byte(line), &e))
		events = append(events, e)
	}
	return events
}

func outputs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: outputs FILE OUT")
	}
	var b strings.Builder
	for _, e := range buildEvents(ts, args[0]) {
		b.WriteString(e.Output)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o666))
}

func withoutFields(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: withoutfields FILE OUT")
	}
	var events []buildjson.Event
	for _, e := range buildEvents(ts, args[0]) {
		events = append(events, buildjson.Event{ImportPath: e.ImportPath, Action: e.Action, Output: e.Output})
	}
	var b bytes.Buffer
	ts.Check(buildjson.Write(&b, events))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b.Bytes(), 0o666))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N args...")
	}
	ends(ts, "gyr", args)
}

func withoutCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: nocode N args...")
	}
	ends(ts, "gyr-nocode", args)
}

// ends runs a program that must end with the status that precedes its arguments.
func ends(ts *testscript.TestScript, program string, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(program, args[1:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func nogo(ts *testscript.TestScript, neg bool, args []string) {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "gyr")); err == nil {
			ts.Setenv("PATH", dir)
			ts.Setenv("GOROOT", ts.MkAbs(".")) // otherwise the build's GOROOT would be found
			ts.Setenv("HOME", "")
			return
		}
	}
	ts.Fatalf("no gyr in the path")
}

func figures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: figures FILE OUT")
	}
	var all map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &all))
	maps.DeleteFunc(all, func(name string, _ any) bool {
		return strings.HasSuffix(name, "_ns") || strings.HasPrefix(name, "compile") || name == "checked"
	})
	out, err := json.Marshal(all)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), out, 0o666))
}

func patch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: patch FILE OUT N XX")
	}
	data := []byte(ts.ReadFile(args[0]))
	at, err := strconv.Atoi(args[2])
	ts.Check(err)
	b, err := hex.DecodeString(args[3])
	ts.Check(err)
	copy(data[at:], b)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
}

func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: repeat FILE OUT")
	}
	var b strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		count, text, found := strings.Cut(line, "*")
		n, err := strconv.Atoi(count)
		if !found || err != nil {
			n, text = 1, line
		}
		for i := range n {
			b.WriteString(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o666))
}

func truncate(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: truncate FILE OUT N")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[0]))[:n], 0o666))
}

func cutLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: cutline FILE OUT RE")
	}
	re, err := regexp.Compile(args[2])
	ts.Check(err)
	at := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if re.MatchString(line) {
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(ts.ReadFile(args[0])[:at+len(line)/2]), 0o666))
			return
		}
		at += len(line)
	}
	ts.Fatalf("no line of %s matches %s", args[0], args[2])
}

func begins(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: begins FILE CUT")
	}
	cut := ts.ReadFile(args[1])
	cut = cut[:strings.LastIndexByte(cut, '\n')+1]
	if cut == "" || !strings.HasPrefix(ts.ReadFile(args[0]), cut) {
		ts.Fatalf("%s does not begin with what %s has", args[0], args[1])
	}
}

func readBenchfmt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: benchfmt FILE NAME UNIT N")
	}
	want, err := strconv.Atoi(args[3])
	ts.Check(err)
	r, n := benchfmt.NewReader(strings.NewReader(ts.ReadFile(args[0])), args[0]), 0
	for r.Scan() {
		switch x := r.Result().(type) {
		case *benchfmt.SyntaxError:
			ts.Fatalf("%v", x)
		case *benchfmt.Result:
			if _, ok := x.Value(args[2]); ok && string(x.Name) == args[1] {
				n++
			}
		}
	}
	ts.Check(r.Err())
	if n != want {
		ts.Fatalf("%d values of %s of %s, want %d", n, args[2], args[1], want)
	}
}

func notimes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: notimes FILE OUT")
	}
	text := regexp.MustCompile(`\d+\.\d+s`).ReplaceAllString(ts.ReadFile(args[0]), "Xs")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
}

func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != want {
		ts.Fatalf("%d lines in %s, want %d", got, args[0], want)
	}
}

func checkProfile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || len(args) > 5 {
		ts.Fatalf("usage: profile FILE TYPE FUNC FILE:LINE [SUM]")
	}
	p, err := profile.ParseData([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(p.CheckValid())
	index := slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == args[1] })
	if index < 0 {
		ts.Fatalf("%s has no values of type %s", args[0], args[1])
	}
	sum, found := int64(0), int64(0)
	for _, s := range p.Sample {
		sum += s.Value[index]
		for _, l := range s.Location {
			for _, x := range l.Line {
				if args[2] == "-" || x.Function.Name == args[2] && fmt.Sprintf("%s:%d", filepath.Base(x.Function.Filename), x.Line) == args[3] {
					found += s.Value[index]
				}
			}
		}
	}
	if found == 0 {
		ts.Fatalf("%s has nothing for %s at %s", args[0], args[2], args[3])
	}
	if len(args) == 5 {
		want := args[4]
		if file, name, ok := strings.Cut(want, ":"); ok {
			for _, line := range strings.Split(ts.ReadFile(file), "\n") {
				if n, v, _ := strings.Cut(line, " "); n == name {
					want = v
				}
			}
		}
		if got := strconv.FormatInt(sum, 10); got != want {
			ts.Fatalf("%s adds up to %s, want %s", args[0], got, want)
		}
	}
}

// The progress line appears after the delay, changes in place, and is wiped when the compilation
// ends.
func TestProgressLine(t *testing.T) {
	pr, pw := io.Pipe()
	p := newProgressLine(pw, time.Millisecond)
	go p.stage("loading") // the delay may be over by now, and no goroutine reads yet
	read := func(want string) {
		t.Helper()
		b := make([]byte, len(want))
		if _, err := io.ReadFull(pr, b); err != nil || string(b) != want {
			t.Fatalf("read %q, %v, want %q", b, err, want)
		}
	}
	read("\r\x1b[Kgyr: loading…")
	go p.stage("lowering")
	read("\r\x1b[Kgyr: lowering…")
	go p.stop()
	read("\r\x1b[K")
}

// On a narrow terminal the line keeps its beginning. It never wraps.
func TestProgressLineOfANarrowTerminal(t *testing.T) {
	var b bytes.Buffer
	p := newProgressLine(&b, time.Hour)
	p.columns = func() int { return 20 }
	p.shown = true
	p.stage("loading the standard library, 3 of 90 packages")
	if got, want := b.String(), "\r\x1b[Kgyr: loading the s…"; got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

// A compilation that ends before the delay shows nothing.
func TestProgressLineOfAShortCompilation(t *testing.T) {
	var b bytes.Buffer
	p := newProgressLine(&b, time.Hour)
	p.stage("loading")
	p.stop()
	p.stage("late")
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}

func TestIsTerminal(t *testing.T) {
	for _, name := range []string{os.DevNull, "main.go"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if isTerminal(f) {
			t.Errorf("%s is taken for a terminal", name)
		}
		f.Close()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if isTerminal(w) {
		t.Error("a pipe is taken for a terminal")
	}
	if f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err == nil {
		if !isTerminal(f) {
			t.Error("/dev/ptmx is not taken for a terminal")
		}
		f.Close()
	}
}

// TestNoTemplates: the command does not link the template packages. With text/template the linker
// keeps every method of every type (2.7 MB of gyr), and html/template makes tables whenever the
// command starts.
func TestNoTemplates(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if strings.HasSuffix(dep, "/template") {
			t.Errorf("gyr has %s", dep)
		}
	}
}
