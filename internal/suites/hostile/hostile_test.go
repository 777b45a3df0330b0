package hostile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/again"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var (
	observe = flag.Bool("observe", false, "print how the guests end")
	all     = flag.Bool("hostile.all", false, "all cases of each table, and each guest twice in each tier; otherwise a part each day, and of it one guest in two is run in both tiers, and the others twice in machine code")
)

// childVariable makes the test binary run the guests that the variable lists, as JSON.
const childVariable = "GYR_HOSTILE_CHILD"

func TestMain(m *testing.M) {
	flag.Parse()
	if text := os.Getenv(childVariable); text != "" {
		if err := child(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A job is the task of a child: turns of one family.
type job struct {
	Family string
	Turns  []turn
}

// A turn is a guest, by its index, in a tier, once or twice.
type turn struct {
	Guest int
	Tier  gyr.Tier
	Twice bool
}

// turns returns the turns of a family for today.
func (f *family) turns(t *testing.T) (list []turn) {
	guests := daily.Numbers(t, len(f.guests), min((len(f.guests)+1)/2, 40), *all)
	tiers := tiers()
	for _, tier := range tiers {
		first := true
		for k, i := range guests {
			both := *all || len(tiers) == 1 || k%2 == 0
			if tier == gyr.TierNative || both {
				// The first instance's allocations for all instances are no leak.
				list = append(list, turn{i, tier, *all || first || !both})
				first = false
			}
		}
	}
	return list
}

// tiers returns the tiers of this machine.
func tiers() []gyr.Tier {
	list := []gyr.Tier{gyr.TierInterp}
	if gyr.CheckNative() == nil {
		list = append(list, gyr.TierNative)
	}
	return list
}

// A report is a child's message about a guest: first that it starts, then its results.
type report struct {
	turn
	Start  bool
	End    string // the error, "" for none
	Output string // of the first run, without its middle if it is long
	Sum    uint64 // of the whole output
	Faults []string
	Stats  gyr.Stats
}

// patience is how long a child may be silent: far longer than any guest takes, since all end at a
// limit.
const patience = 2 * time.Minute

// TestGuests runs the table in each tier. How a guest ends, what it prints and what it uses does
// not depend on the tier.
func TestGuests(t *testing.T) {
	// Compiling a family takes as long as running it. So half of the families run, and of these one
	// guest in two, at most 40.
	for _, i := range daily.Numbers(t, len(table), (len(table)+1)/2, *all) {
		f := &table[i]
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			first := map[int]report{}
			for todo := f.turns(t); len(todo) > 0; {
				todo[0].Twice = true
				todo = f.runChild(t, todo, first)
			}
		})
	}
}

// sameIn compares a guest with its result in another tier.
func (g *guest) sameIn(t *testing.T, first, r *report) {
	if g.loose || g.end == deadline {
		return
	}
	a, b := first.Stats, r.Stats
	if a != b || first.End != r.End || first.Sum != r.Sum {
		t.Errorf("%q %x %+v, in the other tier %q %x %+v", r.End, r.Sum, b, first.End, first.Sum, a)
	}
}

// runChild runs guests in a process of their own and returns those that did not run because of a
// crash. first are the reports of the first tier, by guest.
func (f *family) runChild(t *testing.T, todo []turn, first map[int]report) (rest []turn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	text, _ := json.Marshal(job{f.name, todo})
	cmd := again.Command(ctx)
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	silence := time.AfterFunc(patience, cancel)
	defer silence.Stop()
	var running *turn
	name := func(x turn) string { return string(x.Tier) + "/" + f.guests[x.Guest].name }
	for lines := json.NewDecoder(bufio.NewReader(stdout)); ; {
		var r report
		if err := lines.Decode(&r); err != nil {
			break
		}
		silence.Reset(patience)
		if r.Start {
			running = &r.turn
			continue
		}
		running = nil
		todo = todo[1:]
		g := &f.guests[r.Guest]
		t.Run(name(r.turn), func(t *testing.T) {
			g.check(t, &r)
			if x, ok := first[r.Guest]; ok {
				g.sameIn(t, &x, &r)
			} else {
				first[r.Guest] = r
			}
		})
	}
	err = cmd.Wait()
	if running != nil {
		t.Run(name(*running), func(t *testing.T) {
			if ctx.Err() != nil {
				t.Fatalf("hangs: nothing was heard for %v", patience)
			}
			t.Fatalf("brings its host down: %v\n%s", err, brief(stderr.String()))
		})
		return todo[1:]
	}
	if err != nil || len(todo) > 0 {
		t.Fatalf("%v, %d guests left\n%s", err, len(todo), brief(stderr.String()))
	}
	return nil
}

// check compares a guest with its line in the table.
func (g *guest) check(t *testing.T, r *report) {
	if *observe {
		fmt.Printf("%s: %q %+v\n\t%q\n", t.Name(), r.End, r.Stats, r.Output)
	}
	for _, f := range r.Faults {
		t.Error(f)
	}
	if *observe {
		return
	}
	if !strings.HasPrefix(r.End, g.end) || g.end == ok && r.End != ok {
		t.Errorf("ends with %q, want %q\n%s", r.End, g.end, r.Output)
	}
	if strings.Contains(r.Output, "escaped") {
		t.Errorf("escaped:\n%s", r.Output)
	}
	if !strings.Contains(r.Output, g.says) {
		t.Errorf("does not say %q but\n%s", g.says, r.Output)
	}
}

// child runs guests and prints reports.
func child(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	f := familyOf(j.Family)
	dir, err := filepath.Abs(filepath.Join("testdata", f.name))
	if err != nil {
		return err
	}
	src := gyr.Source{Dir: dir}
	if f.unsafe {
		src.Unsafe = gyr.UnsafeAll
	}
	p, err := gyr.Compile(context.Background(), src, nil)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, x := range j.Turns {
		out.Encode(report{turn: x, Start: true})
		r := f.try(p, x.Tier, &f.guests[x.Guest], x.Twice)
		r.turn = x
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// try runs a guest, with again twice, and notes everything wrong besides its ending.
func (f *family) try(p *gyr.Program, tier gyr.Tier, g *guest, again bool) *report {
	dir, err := os.MkdirTemp("", "gyr-hostile")
	if err != nil {
		return &report{Faults: []string{err.Error()}}
	}
	defer os.RemoveAll(dir)

	before := measure()
	r, sum := f.run(p, tier, g, filepath.Join(dir, "1"))
	r2, sum2 := r, sum
	if again {
		before = measure() // includes the first instance's allocations for all
		r2, sum2 = f.run(p, tier, g, filepath.Join(dir, "2"))
	}
	after := measure()
	fault := func(format string, args ...any) { r.Faults = append(r.Faults, fmt.Sprintf(format, args...)) }

	if g.end != deadline && !g.loose {
		if r.End != r2.End || sum != sum2 || r.Stats != r2.Stats {
			fault("the second run differs: %q %x %+v, the first: %q %x %+v", r2.End, sum2, r2.Stats, r.End, sum, r.Stats)
		}
	}
	for _, l := range [...]struct {
		what          string
		before, after int
	}{
		{"goroutines", before.goroutines, after.goroutines},
		{"descriptors", before.files, after.files},
		{"reservations of 1 GiB and more", before.spaces, after.spaces},
	} {
		if l.after > l.before {
			fault("%d %s, %d before: the instance leaks", l.after, l.what, l.before)
		}
	}
	return r
}

// run runs a guest once. sum is a checksum of its output.
func (f *family) run(p *gyr.Program, tier gyr.Tier, g *guest, dir string) (r *report, sum uint64) {
	r = new(report)
	fault := func(format string, args ...any) { r.Faults = append(r.Faults, fmt.Sprintf(format, args...)) }
	var out output
	cfg := gyr.Config{
		Args: []string{g.name}, Stdin: zeros{}, Stdout: &out, Stderr: &out,
		Gas: pick(g.gas, f.gas, 5_000_000), Memory: pick(g.mem, f.mem, 32<<20), Stack: pick(g.stack, f.stack, 8<<20),
		Tier:  tier,
		Debug: map[string]string{"count": ""},
	}
	if f.files {
		if err := makeFiles(dir); err != nil {
			fault("%v", err)
			return r, 0
		}
		if g.during != nil {
			defer g.during(dir)()
		}
		cfg.Dirs = []gyr.Dir{{Host: filepath.Join(dir, "in"), Guest: "/"}, {Host: filepath.Join(dir, "ro"), Guest: "/ro", ReadOnly: true}}
	}
	if g.config != nil {
		g.config(&cfg)
	}
	ctx := context.Background()
	if g.end == deadline {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
	}
	var instructions uint64
	in, err := p.NewInstance(context.Background(), cfg)
	if err == nil {
		err = in.Run(ctx)
		r.Stats = in.Stats()
		instructions, _ = in.Instructions()
		if err := in.Close(); err != nil {
			fault("Close: %v", err)
		}
	}
	r.Stats = r.Stats.Repeatable()
	if err == nil {
		r.End = ok
	} else if exit := (*gyr.ExitError)(nil); errors.As(err, &exit) {
		r.End = exit.Error() // a panic's too: its report is in the output
	} else {
		r.End = err.Error()
	}
	r.Output, sum = out.text(), out.sum()
	r.Sum = sum

	// The text of an error agrees with its type and with the figures.
	var (
		gas   *gyr.OutOfGasError
		exit  *gyr.ExitError
		mem   *gyr.MemoryLimitError
		stack *gyr.StackLimitError
		dead  *gyr.DeadlineError
		host  *gyr.HostError
		addr  *gyr.MemoryFaultError
	)
	switch {
	case err == nil, errors.As(err, &exit), errors.As(err, &dead):
	case errors.As(err, &gas):
		if gas.Limit != cfg.Gas || gas.Used != cfg.Gas || r.Stats.Gas != cfg.Gas {
			fault("out of gas with %d and %d used, the limit is %d", gas.Used, r.Stats.Gas, cfg.Gas)
		}
	case errors.As(err, &mem):
		if mem.Limit != cfg.Memory {
			fault("memory limit of %d, configured %d", mem.Limit, cfg.Memory)
		}
	case errors.As(err, &stack):
		if stack.Limit != cfg.Stack {
			fault("stack limit of %d, configured %d", stack.Limit, cfg.Stack)
		}
	case errors.As(err, &host), errors.As(err, &addr):
		if !f.unsafe {
			fault("an error that only programs with unsafe have: %v", err)
		}
	default:
		fault("an error of type %T: %v", err, err)
	}
	if r.Stats.HeapPeak > cfg.Memory {
		fault("%d bytes of heap, the limit is %d", r.Stats.HeapPeak, cfg.Memory)
	}
	if most := freeWork + workPerGas*uint64(r.Stats.Gas); instructions > most {
		fault("%d instructions for %d units of gas: work that nobody charges", instructions, r.Stats.Gas)
	}
	if f.files {
		if err := checkFiles(dir); err != nil {
			fault("%v", err)
		}
	}
	return r, sum
}

// The most interpreter work that a unit of gas may cause, and the free work: initialisation of the
// standard library and the report of the end.
const (
	workPerGas = 8
	freeWork   = 5_000_000
)

func pick[T comparable](list ...T) (x T) {
	for _, y := range list {
		if y != x {
			return y
		}
	}
	return x
}

// resources are what an instance must release.
type resources struct{ goroutines, files, spaces int }

func measure() (r resources) {
	runtime.GC()
	// Lets goroutines that were told to end run.
	for range 1000 {
		if r.goroutines = runtime.NumGoroutine(); r.goroutines <= 2 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		r.files = len(list)
	}
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range strings.Lines(string(maps)) {
		var lo, hi uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &lo, &hi); n == 2 && hi-lo >= 1<<30 {
			r.spaces++
		}
	}
	return r
}

// An output keeps the start and the end of what a guest writes, and a checksum of everything.
type output struct {
	head, tail []byte
	n          int
	hash       interface {
		io.Writer
		Sum64() uint64
	}
}

const (
	keepHead = 2000
	keepTail = 1000
)

func (o *output) Write(p []byte) (int, error) {
	if o.hash == nil {
		o.hash = fnv.New64a()
	}
	o.n += len(p)
	if len(p) > 1<<16 {
		return len(p), nil // only its length counts
	}
	o.hash.Write(p)
	n := min(len(p), keepHead-len(o.head))
	o.head = append(o.head, p[:n]...)
	o.tail = append(o.tail, p[n:]...)
	o.tail = o.tail[max(0, len(o.tail)-keepTail):]
	return len(p), nil
}

func (o *output) text() string { return string(o.head) + string(o.tail) }

func (o *output) sum() uint64 {
	if o.hash == nil {
		return 0
	}
	return o.hash.Sum64() + uint64(o.n)
}

// zeros is an input without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func brief(s string) string {
	if len(s) > 4000 {
		s = s[:3000] + "\n…\n" + s[len(s)-1000:]
	}
	return s
}
