package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// profiled is a program whose profiles are known.
const profiled = `package main

import (
	"fmt"
	"runtime"
)

type node struct {
	next *node
	data [6]int
}

var keep []*node

func square(x int) int { return x * x } // inlined

//go:noinline
func work(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += square(i) % 7
	}
	return s
}

//go:noinline
func list(n int) *node {
	if n == 0 {
		return nil
	}
	return &node{next: list(n - 1)}
}

//go:noinline
func keepSome(n int) {
	for i := range n {
		x := new(node)
		if i%4 == 0 {
			keep = append(keep, x)
		}
	}
}

func main() {
	done := make(chan int)
	go func() { done <- work(1000) }()
	a := work(2000) + <-done
	list(50)
	keepSome(100)
	runtime.GC()
	fmt.Println(a, len(keep))
}
`

// programOf compiles the program profiled once, for tests that do not mind whether its functions
// have been called before.
var programOf = sync.OnceValues(func() (*gyr.Program, error) {
	dir, err := os.MkdirTemp("", "gyr-profile")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "x.go")
	if err := os.WriteFile(file, []byte(profiled), 0o666); err != nil {
		return nil, err
	}
	return gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, nil)
})

// runProfiled runs a program with profiles and returns its ended instance.
func runProfiled(t *testing.T, src string, cfg gyr.Config) (*gyr.Instance, error) {
	t.Helper()
	compile := programOf
	if src != profiled {
		compile = func() (*gyr.Program, error) {
			file := filepath.Join(t.TempDir(), "x.go")
			if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
				return nil, err
			}
			// Other tests may already have compiled much of the precompiled standard library to
			// machine code.
			whole := cfg.Profiles&gyr.CPUProfile != 0
			return gyr.Compile(context.Background(), gyr.Source{Patterns: []string{file}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoBase: whole}})
		}
	}
	p, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in, in.Run(context.Background())
}

func parseProfile(t *testing.T, in *gyr.Instance, kind gyr.Profile) *profile.Profile {
	t.Helper()
	var b bytes.Buffer
	if err := in.WriteProfile(kind, &b); err != nil {
		t.Fatal(err)
	}
	p, err := profile.ParseData(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// frames prints a stack, innermost first: function:line; with short only those of package main.
// Inlined frames have a +.
func frames(s *profile.Sample, short bool) string {
	var list []string
	for _, l := range s.Location {
		for i, x := range l.Line {
			if short && !strings.HasPrefix(x.Function.Name, "main.") {
				continue
			}
			text := fmt.Sprintf("%s:%d", x.Function.Name, x.Line)
			if i < len(l.Line)-1 {
				text += "+"
			}
			list = append(list, text)
		}
	}
	return strings.Join(list, " ")
}

// byStack sums value i of the stacks of package main.
func byStack(p *profile.Profile, i int) map[string]int64 {
	m := map[string]int64{}
	for _, s := range p.Sample {
		m[frames(s, true)] += s.Value[i]
	}
	return m
}

func TestGasProfile(t *testing.T) {
	in, err := runProfiled(t, profiled, gyr.Config{Profiles: gyr.GasProfile})
	if err != nil {
		t.Fatal(err)
	}
	p := parseProfile(t, in, gyr.GasProfile)
	gas := byStack(p, 0)
	sum := int64(0)
	for _, n := range gas {
		sum += n
	}
	if used := in.Stats().Gas; sum != used {
		t.Errorf("the profile has %d units, the run used %d", sum, used)
	}
	// Both calls of work do the same in each iteration of the loop.
	for _, line := range []string{"main.square:15+ main.work:21", "main.work:20"} {
		one, two := gas[line+" main.main.func1:46"], gas[line+" main.main:47"]
		if one == 0 || two < 2*one-10 || two > 2*one+10 {
			t.Errorf("%s: %d units for 1000 turns, %d for 2000", line, one, two)
		}
	}
	// Recursion does not make the stack longer.
	if gas["main.list:31 main.list:31 main.main:48"] == 0 {
		t.Errorf("nothing below list: %v", gas)
	}
	for _, f := range p.Function {
		if f.Name == "main.work" && (filepath.Base(f.Filename) != "x.go" || f.StartLine != 18) {
			t.Errorf("main.work is at %s:%d", f.Filename, f.StartLine)
		}
	}
	if p.SampleType[0].Type != "gas" {
		t.Errorf("value is %v", p.SampleType[0])
	}
}

func TestMemProfile(t *testing.T) {
	in, err := runProfiled(t, profiled, gyr.Config{Profiles: gyr.MemProfile | gyr.GasProfile})
	if err != nil {
		t.Fatal(err)
	}
	p := parseProfile(t, in, gyr.MemProfile)
	for i, want := range []map[string]int64{
		{"main.list:31 main.main:48": 1, "main.list:31 main.list:31 main.main:48": 49, "main.keepSome:37 main.main:49": 100},
		{"main.list:31 main.main:48": 56, "main.list:31 main.list:31 main.main:48": 49 * 56, "main.keepSome:37 main.main:49": 5600},
		// runtime.GC runs when the list is dead and a quarter of the others is kept.
		{"main.list:31 main.main:48": 0, "main.list:31 main.list:31 main.main:48": 0, "main.keepSome:37 main.main:49": 25},
		{"main.list:31 main.main:48": 0, "main.list:31 main.list:31 main.main:48": 0, "main.keepSome:37 main.main:49": 25 * 56},
	} {
		got := byStack(p, i)
		for stack, n := range want {
			if got[stack] != n {
				t.Errorf("%s: %s: %d, want %d", p.SampleType[i].Type, stack, got[stack], n)
			}
		}
		sum := int64(0)
		for _, n := range got {
			sum += n
		}
		s := in.Stats()
		if total := [...]int64{int64(s.Mallocs), int64(s.AllocBytes)}; i < 2 && sum != total[i] {
			t.Errorf("%s: %d, the run has %d", p.SampleType[i].Type, sum, total[i])
		}
	}
	// append: the frames of the runtime are hidden.
	if got := byStack(p, 0)["main.keepSome:39 main.main:49"]; got == 0 {
		t.Error("no allocation by append")
	}
	for _, s := range p.Sample {
		f := frames(s, false)
		if strings.HasPrefix(f, "runtime.") && strings.Contains(f, "main.main:") {
			t.Errorf("a stack begins in the runtime: %s", f)
		}
	}
}

// Memory in use adds up to what the guest itself reads about its heap, whatever was collected
// before.
func TestMemProfileInUse(t *testing.T) {
	var out bytes.Buffer
	in, err := runProfiled(t, `package main

import (
	"fmt"
	"runtime"
)

type tree struct{ left, right *tree }

func build(n int) *tree {
	if n == 0 {
		return &tree{}
	}
	return &tree{build(n - 1), build(n - 1)}
}

var (
	keep  *tree
	texts []string
	empty []*struct{}
)

func main() {
	for i := range 60 {
		t := build(12)
		if i%7 == 0 {
			keep = t
		}
		texts = append(texts, fmt.Sprint("text ", i))
		empty = append(empty, new(struct{}))
		_ = make([]byte, i<<12)
	}
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	println(ms.NumGC > 0, ms.HeapObjects, ms.HeapAlloc)
}
`, gyr.Config{Profiles: gyr.MemProfile, Stderr: &out})
	if err != nil {
		t.Fatal(err)
	}
	var objects, space int64
	for _, s := range parseProfile(t, in, gyr.MemProfile).Sample {
		objects += s.Value[2]
		space += s.Value[3]
	}
	if got, want := fmt.Sprintln(true, objects, space), out.String(); got != want {
		t.Errorf("in use by the profile: %sby the guest: %s", got, want)
	}
}

// The profile of time shows the guest's lines, and other work of the thread.
func TestCPUProfile(t *testing.T) {
	// Enough work of each kind for a tick every millisecond to hit it.
	src := strings.NewReplacer("work(2000)", "work(30_000_000)", "keepSome(100)", "keepSome(200_000)",
		"runtime.GC()", "for range 20 { runtime.GC() }").Replace(profiled)
	in, err := runProfiled(t, src, gyr.Config{Profiles: gyr.CPUProfile})
	if err != nil {
		t.Fatal(err)
	}
	p := parseProfile(t, in, gyr.CPUProfile)
	shares, sum := map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		if len(s.Label["share"]) != 1 || s.Value[1] <= 0 {
			t.Fatalf("sample %v %v", s.Label, s.Value)
		}
		shares[s.Label["share"][0]] += s.Value[1]
		sum += s.Value[1]
	}
	for _, share := range []string{"guest", "runtime", "collector", "compiler", "kernel"} {
		sum -= shares[share]
	}
	if sum != 0 {
		t.Errorf("shares of others: %v", shares)
	}
	if shares["guest"] == 0 || shares["collector"] == 0 || shares["compiler"] == 0 {
		t.Errorf("shares: %v", shares)
	}
	// Nearly all of the run is the loop in work, called by main.main. A tick hits one of its two
	// lines, or what was inlined there.
	times := byStack(p, 1)
	loop := times["main.square:15+ main.work:21 main.main:47"] + times["main.work:21 main.main:47"] + times["main.work:20 main.main:47"]
	if loop < shares["guest"]/2 {
		t.Errorf("%d of %d ns in the loop: %v", loop, shares["guest"], times)
	}
	found := false
	for _, s := range p.Sample {
		f := frames(s, false)
		found = found || s.Label["share"][0] == "collector" && strings.HasPrefix(f, "[collector]:0 ") && strings.Contains(f, " main.main:50 ")
	}
	if !found {
		t.Error("the collection is not where the program asked for it")
	}
}

// The profile of a run that a limit ended covers the run up to the limit.
func TestProfileOfALimitedRun(t *testing.T) {
	in, err := runProfiled(t, profiled, gyr.Config{Profiles: gyr.GasProfile | gyr.MemProfile | gyr.CPUProfile, Gas: 12345})
	var out *gyr.OutOfGasError
	if !errors.As(err, &out) {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, s := range parseProfile(t, in, gyr.GasProfile).Sample {
		sum += s.Value[0]
	}
	if sum != 12345 {
		t.Errorf("the profile has %d units", sum)
	}
	parseProfile(t, in, gyr.MemProfile)
	parseProfile(t, in, gyr.CPUProfile)
}

func TestWriteProfileErrors(t *testing.T) {
	in, err := runProfiled(t, "package main\nfunc main() {}\n", gyr.Config{Profiles: gyr.GasProfile})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind gyr.Profile
		want string
	}{
		{gyr.MemProfile, "MemProfile was not recorded: Config.Profiles does not name it"},
		{0, "no kind of profile"},
		{gyr.GasProfile | gyr.MemProfile, "no kind of profile"},
	} {
		if err := in.WriteProfile(c.kind, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("kind %d: %v, want %s", c.kind, err, c.want)
		}
	}
	failed := errors.New("disk full")
	if err := in.WriteProfile(gyr.GasProfile, failingWriter{failed}); !errors.Is(err, failed) {
		t.Errorf("a writer that fails: %v", err)
	}
	in.Close()
	if err := in.WriteProfile(gyr.GasProfile, io.Discard); err != gyr.ErrClosed {
		t.Errorf("closed: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestToolReadsProfiles: go tool pprof reads the profiles.
func TestToolReadsProfiles(t *testing.T) {
	daily.Turn(t, 3, false)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command, so no go tool pprof")
	}
	in, err := runProfiled(t, profiled+"// a program of its own\n", gyr.Config{Profiles: gyr.GasProfile | gyr.MemProfile | gyr.CPUProfile})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind gyr.Profile
		args []string
		want string
	}{
		{gyr.GasProfile, []string{"-top"}, `(?m)^ *\d+ +\d+\.\d+% +\d+\.\d+% +\d+ +\d+\.\d+%  main\.square \(inline\)$`},
		{gyr.GasProfile, []string{"-top", "-lines"}, `(?m)^ *\d+ +\d+\.\d+% .*  main\.work .*x\.go:20$`},
		{gyr.GasProfile, []string{"-list=main.work"}, `(?m)^ +\d+ +\d+ +21:.*square\(i\)`},
		{gyr.CPUProfile, []string{"-top"}, `(?m)^ .*  main\.main$`},
		{gyr.CPUProfile, []string{"-tags"}, `(?m)\): compiler$`},
		{gyr.MemProfile, []string{"-top"}, `(?m)^ *6104B .*  main\.keepSome$`},
		{gyr.MemProfile, []string{"-top", "-sample_index=inuse_objects"}, `(?m)^ *26 .*  main\.keepSome$`},
	} {
		name := filepath.Join(t.TempDir(), "x.pb.gz")
		var b bytes.Buffer
		if err := in.WriteProfile(c.kind, &b); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", append(append([]string{"tool", "pprof", "-nodefraction=0"}, c.args...), name)...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "GOCACHE="+goCache(t))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", c.args, err, out)
		}
		if !regexp.MustCompile(c.want).Match(out) {
			t.Errorf("%v: no %s in\n%s", c.args, c.want, out)
		}
	}
}

// goCache is the go command's cache: go tool builds pprof once.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestGasLines: gas counts for the program's own lines, including what the standard library used
// for them, and adds up to that of the run.
func TestGasLines(t *testing.T) {
	p, err := programOf()
	if err != nil {
		t.Fatal(err)
	}
	in := newInstance(t, p, gyr.Config{Profiles: gyr.GasProfile})
	if err := in.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := in.GasLines()
	if err != nil || len(list) == 0 {
		t.Fatalf("%v, %v", list, err)
	}
	source := strings.Split(profiled, "\n")
	sum, own := int64(0), map[string]int64{}
	for i, l := range list {
		sum += l.Gas
		if l.Gas <= 0 || i > 0 && l.Gas > list[i-1].Gas {
			t.Errorf("line %d of the list: %+v behind %+v", i, l, list[max(i-1, 0)])
		}
		if strings.HasSuffix(l.File, "x.go") {
			own[l.Func+": "+strings.TrimSpace(source[l.Line-1])] += l.Gas
		}
	}
	if gas := in.Stats().Gas; sum != gas {
		t.Errorf("the lines have %d units of gas, the run %d", sum, gas)
	}
	for line, least := range map[string]int64{
		"main.square: func square(x int) int { return x * x } // inlined": 3000,
		"main.work: s += square(i) % 7":                                   3000,
		"main.main: fmt.Println(a, len(keep))":                            200, // of functions of fmt
	} {
		if own[line] < least {
			t.Errorf("%s: %d units of gas", line, own[line])
		}
	}
	in = newInstance(t, p, gyr.Config{})
	if _, err := in.GasLines(); err == nil || !strings.Contains(err.Error(), "Config.Profiles does not name it") {
		t.Errorf("without a profile: %v", err)
	}
	in.Close()
	if _, err := in.GasLines(); !errors.Is(err, gyr.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// guestProfileProgram writes one of its own profiles, named by os.Args[1], to standard output, as a
// server with net/http/pprof does.
const guestProfileProgram = `
package main

import (
	"os"
	"runtime/pprof"
	"time"
)

func wait(c chan int) { <-c }

func enter(p *pprof.Profile, value int) { p.Add(value, 0) }

func main() {
	block := make(chan int)
	for range 3 {
		go wait(block)
	}
	time.Sleep(time.Millisecond)
	own := pprof.NewProfile("own")
	for i := range 200 {
		enter(own, i)
	}
	if err := pprof.Lookup(os.Args[1]).WriteTo(os.Stdout, 0); err != nil {
		panic(err)
	}
}
`

// TestProfilesOfGuests reads, with the pprof tool's package, the output of package runtime/pprof in
// a guest.
func TestProfilesOfGuests(t *testing.T) {
	for name, c := range map[string]struct {
		values         int
		top, in, where string
		n              int64
	}{
		"goroutine": {1, "runtime.", "main.wait", "goroutine/count", 3},
		"own":       {1, "main.enter", "main.main", "own/count", 200},
		"heap":      {4, "", "", "inuse_space/bytes", 0},
		"mutex":     {2, "", "", "delay/nanoseconds", 0},
	} {
		var out bytes.Buffer
		if _, err := runProfiled(t, guestProfileProgram, gyr.Config{Args: []string{name}, Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		p, err := profile.ParseData(out.Bytes())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := p.CheckValid(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(p.SampleType) != c.values || p.PeriodType == nil || p.PeriodType.Type+"/"+p.PeriodType.Unit != c.where {
			t.Errorf("%s: samples of %v, period of %v", name, p.SampleType, p.PeriodType)
		}
		if (len(p.Sample) > 0) != (c.n > 0) {
			t.Errorf("%s: %d samples", name, len(p.Sample))
		}
		if c.n == 0 {
			continue
		}
		most := p.Sample[0]
		if stack := frames(most, false); most.Value[0] != c.n || !strings.HasPrefix(stack, c.top) || !strings.Contains(stack, c.in) {
			t.Errorf("%s: %d of %s", name, most.Value[0], stack)
		}
	}
}
