package probe

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// Functions that treat memory in every way.
var kept []byte

var scratch = make([]byte, 64)

type box struct {
	Label string
	Data  []byte
	inner []byte
}

func (b *box) keep(x []byte)     { b.inner = x }
func (b *box) copied(x []byte)   { b.inner = append([]byte(nil), x...) }
func (b box) size(n int) int     { return len(b.Data) + n }
func (b *box) bytes() []byte     { return b.Data }
func part(x []byte) []byte       { return x[:len(x)/2] }
func clone(x []byte) []byte      { return append([]byte(nil), x...) }
func zero(x []int)               { clear(x) }
func shared(s string) []byte     { return append(scratch[:0], s...) }
func cast(x []byte) string       { return unsafe.String(unsafe.SliceData(x), len(x)) }
func double(n int) int           { return 2 * n }
func first(x []int) int          { return x[0] }
func stream(chan int)            {}
func to(w io.Writer, s string)   { io.WriteString(w, s) }
func names(m map[string]int) int { return len(m) }
func join(x ...string) string    { return strings.Join(x, "") }
func same(b *box) *box           { return b }
func fails(n int) error          { return fmt.Errorf("no %d", n) }
func global(x []byte)            { kept = x }
func circle() *ring              { r := &ring{}; r.next = r; return r }
func behind(x []byte)            { _ = append(x, 1) }
func each(x []int, f func(int)) {
	for _, y := range x {
		f(y)
	}
}
func second(a, b []byte) []byte { b[0]++; return a[:0] }
func strict(n int) int {
	if n < 5 {
		panic("below 5")
	}
	return n
}
func from(r io.Reader) (string, error) { b, err := io.ReadAll(r); return string(b), err }

type ring struct{ next *ring }

func run(name string, f any) *Report {
	w := &worker{pkg: &Package{Functions: map[string]any{name: f}}}
	return w.function(name, f, Cases)
}

func TestRun(t *testing.T) {
	for _, x := range []struct {
		name string
		f    any
		want string // of Input, Later, Alias, Back, Own
	}{
		{"part", part, "A1B1"}, {"clone", clone, ""}, {"zero", zero, "I1"}, {"shared", shared, "L"}, {"cast", cast, "A1"},
		{"double", double, ""}, {"first", first, ""}, {"names", names, ""}, {"join", join, ""}, {"same", same, "A1B1"}, {"fails", fails, ""},
		{"global", global, ""}, {"circle", circle, ""}, {"to", to, ""}, {"behind", behind, "I1"}, {"each", each, ""}, {"second", second, "I2A1B1"},
		{"(*box).keep", (*box).keep, "A1"}, {"(*box).copied", (*box).copied, ""}, {"(box).size", box.size, ""}, {"(*box).bytes", (*box).bytes, "O"},
		{"stream", stream, "takes a chan int"}, {"from", from, ""},
	} {
		r := run(x.name, x.f)
		got := r.Unsupported
		f := r.Flags[x.name]
		for _, m := range []struct {
			letter string
			mask   uint64
		}{{"I", f.Input}, {"A", f.Alias}, {"B", f.Back}} {
			if m.mask > 0 {
				got += fmt.Sprint(m.letter, m.mask)
			}
		}
		for letter, is := range map[string]bool{"L": f.Later, "O": f.Own} {
			if is {
				got += letter
			}
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.name, got, x.want)
		}
		if again := run(x.name, x.f); fmt.Sprint(again.Cases) != fmt.Sprint(r.Cases) {
			t.Errorf("%s: another run has other cases", x.name)
		}
	}
}

// TestResults: the notes on a call.
func TestResults(t *testing.T) {
	panics, ends := 0, 0
	for _, c := range run("first", first).Cases {
		if Undefined(c.Out) {
			panics++
		} else {
			ends++
		}
	}
	if panics == 0 || ends == 0 {
		t.Errorf("%d panics of %d", panics, panics+ends)
	}
	for _, c := range run("to", to).Cases {
		if _, s, _ := strings.Cut(c.Args, ", "); len(s) < 100 && !strings.HasSuffix(c.Out, "wrote "+s) {
			t.Errorf("%s: %s", c.Args, c.Out)
		}
	}
	if c := run("fails", fails).Cases[0]; c.Out != fmt.Sprintf("*errors.errorString(error %q)", "no "+c.Args) {
		t.Errorf("%+v", c)
	}
	own := false
	for _, c := range run("strict", strict).Cases {
		own = own || c.Out == "panic" && !Undefined(c.Out)
	}
	if !own {
		t.Error("a function's own panic is taken for one of the runtime")
	}
	logged := false
	for _, c := range run("each", each).Cases {
		logged = logged || strings.Contains(c.Out, "called1(")
	}
	if !logged {
		t.Error("a callback's arguments are no result")
	}
}

// A counter counts, with a cached value that is stale after a change of Step.
type counter struct {
	Step int
	n    int
	last []int
}

func newCounter(step int) *counter   { return &counter{Step: step} }
func (c *counter) Add(times int) int { c.n += times * c.Step; c.last = append(c.last, c.n); return c.n }
func (c *counter) History() []int    { return c.last }
func (c *counter) Total() int        { return c.n }

func TestSequences(t *testing.T) {
	process.home = reflect.TypeOf(counter{}).PkgPath()
	defer func() { process.home = "" }()
	w := &worker{pkg: &Package{
		Functions: map[string]any{"newCounter": newCounter, "(*counter).Add": (*counter).Add, "(*counter).History": (*counter).History, "(*counter).Total": (*counter).Total},
		Types:     []any{(*counter)(nil)},
	}}
	r := w.sequences("type counter", mostSequences)
	if len(r.Cases) < 20 || !r.Flags["(*counter).History"].Own || r.Flags["(*counter).Add"] != (Flags{}) {
		t.Errorf("%d cases, %+v", len(r.Cases), r.Flags)
	}
	text := fmt.Sprint(r.Cases)
	for _, want := range []string{"newCounter(", ".(*counter).Add(", ".Step = ", "at the end", ".Total="} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in any sequence", want)
		}
	}
	if again := w.sequences("type counter", mostSequences); fmt.Sprint(again.Cases) != text {
		t.Error("another run has other cases")
	}
}

var (
	calls  int
	memo   = map[int]int{}
	offset = 3
)

func counted(n int) int { calls++; return n }
func cached(n int) int {
	if x, ok := memo[n]; ok {
		return x
	}
	memo[n] = n * n
	return memo[n]
}
func shifted(n int) int { return n + offset }

// TestState tells a counter, a cache and a setting apart.
func TestState(t *testing.T) {
	w := &worker{order: Order{State: []string{"calls", "memo", "offset"}}, pkg: &Package{
		Functions: map[string]any{"counted": counted, "cached": cached, "shifted": shifted},
		State:     map[string]any{"calls": &calls, "memo": &memo, "offset": &offset},
	}}
	w.remember()
	for _, x := range []struct {
		name, state     string
		writes, depends bool
	}{{"counted", "calls", true, false}, {"cached", "memo", true, true}, {"shifted", "offset", false, true}, {"counted", "memo", false, false}} {
		for _, s := range w.function(x.name, w.pkg.Functions[x.name], Cases).State {
			if s.Name == x.state && (s.Writes != x.writes || s.Depends != x.depends || s.Unstable || s.Warm) {
				t.Errorf("%s: %+v", x.name, s)
			}
		}
	}
}

// A list is a ring that contains its first node.
type list struct {
	root node
	n    int
}

type node struct{ next *node }

// TestCopies: pointers into an object become pointers into its copy, and the copy shares nothing.
func TestCopies(t *testing.T) {
	l := &list{n: 2}
	l.root.next = &node{next: &node{next: &l.root}}
	c := cloneAll([]reflect.Value{reflect.ValueOf(l)})[0].Interface().(*list)
	n := 0
	for e := c.root.next; e != &c.root && n < 10; e = e.next {
		n++
	}
	if n != 2 || c.n != 2 || c.root.next == l.root.next {
		t.Errorf("%d nodes", n)
	}
}
