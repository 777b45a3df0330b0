package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
)

const valuesLibrary = `package lib

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"maps"
	"strings"
	"time"
)

type Point struct{ X, Y int }
type Node struct {
	Value int
	Next  *Node
}
type Tree struct {
	Name  string
	Left  *Tree
	Kids  []Tree
	Named map[string]Tree
}
type Mixed struct {
	M map[string]any
	E error
	T time.Time
	A any
	L []error
}

func Lengths(s string, b []byte) int { return len(s) + len(b) }
func Texts(s string, b []byte) (string, []byte) { return s, b }
func Counts(m map[string]int) map[string]int { return m }
func Points(m map[Point][]string) map[Point][]string { return m }
func Nested(m map[string]map[int]*Point) map[string]map[int]*Point { return m }
func Large(m map[string][200]byte) map[string][200]byte { return m }
func LargeKey(m map[[200]byte]int) map[[200]byte]int { return m }
func Floats(m map[float64]string) map[float64]string { return m }
func Anys(m map[any]any) map[any]any { return m }
func Sum(m map[string]int) (n int) { for _, x := range m { n += x }; return n }
func Squares(n int) map[int]int { m := map[int]int{}; for i := range n { m[i] = i * i }; for i := range n/2 { delete(m, 2*i) }; return m }
func Order(m map[string]int) string { var b strings.Builder; for k := range m { b.WriteString(k) }; return b.String() }
func NaNs(n int) map[float64]int { m := map[float64]int{}; var z float64; for i := range n { m[z/z] = i }; return m }
func IsNil(m map[string]int) bool { return m == nil }
func Keys(m map[int]bool) []int { return slices.Sorted(maps.Keys(m)) }

func Time(t time.Time) time.Time { return t }
func Zone(t time.Time) (string, int, string) { n, o := t.Zone(); return n, o, t.Format(time.RFC3339Nano) }
func Later(t time.Time, d time.Duration) time.Time { return t.Add(d) }
func Now() time.Time { return time.Now() }
func London() time.Time { l, err := time.LoadLocation("Europe/London"); if err != nil { return time.Time{} }; return time.Date(2031, 7, 1, 12, 0, 0, 0, l) }
func Took(d time.Duration) time.Duration { return 2*d }

func Any(x any) any { return x }
func Describe(x any) string { return fmt.Sprintf("%T %v", x, x) }
func AnyPoint() any { return &Point{1, 2} }
func AnyError() any { return errors.New("in any") }
func AnyChan() any { return make(chan int) }
func AnyMap() any { return map[string]any{"a": 1, "b": []any{"x", 2.5, nil}, "c": map[string]any{}} }
func AnyCycle() any { x := []any{nil}; x[0] = x; return x }
func MixedUp(m Mixed) Mixed { return m }

func ErrorText(err error) string { if err == nil { return "none" }; return err.Error() }
func Errors(n int) []error { var l []error; for i := range n { l = append(l, fmt.Errorf("error %d", i)) }; return append(l, nil, io.EOF) }
type bad struct{}
func (bad) Error() string { panic("no text") }
func BadError() []error { return []error{bad{}} }
func Wrapped(err error) (bool, string) { return errors.Unwrap(err) == nil, fmt.Sprintf("%T", err) }
func Two() (error, error, int) { return errors.New("first"), nil, 3 }

func List(n int) *Node { var l *Node; for i := range n { l = &Node{i, l} }; return l }
func Length(l *Node) (n int) { for ; l != nil; l = l.Next { n++ }; return n }
func Cycle() *Node { n := &Node{}; n.Next = n; return n }
func Trees(t Tree) Tree { return t }
type Pair struct{ L, R *Pair }
func Shared(n int) *Pair { p := &Pair{}; for range n { p = &Pair{p, p} }; return p }
type Deep []Deep
func SharedSlices(n int) Deep { var p Deep; for range n { p = Deep{p, p} }; return p }
func SharedAny(n int) any { var p any = 1; for range n { p = []any{p, p} }; return p }
type Conn struct { C chan int }
type Pool struct { Conns []Conn }
func Take(n int, p Pool) {}
func Func(f func()) {}
`

// valuesIn makes an instance of the library in each tier and calls f with it.
func valuesIn(t *testing.T, p *gyr.Program, f func(t *testing.T, in *gyr.Instance)) {
	for _, tier := range tiers() {
		t.Run(string(tier), func(t *testing.T) {
			in := instanceIn(t, p, tier)
			if in == nil {
				t.Skip("there is no such tier here")
			}
			f(t, in)
		})
	}
}

// stressed makes an instance that collects at each allocation and calls f with it.
func stressed(t *testing.T, p *gyr.Program, f func(t *testing.T, in *gyr.Instance)) {
	t.Run("stressed", func(t *testing.T) {
		in, err := p.NewInstance(context.Background(), gyr.Config{Debug: map[string]string{"gcstress": "1", "poison": ""}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		f(t, in)
	})
}

type hostTree struct {
	Name  string
	Left  *hostTree
	Kids  []hostTree
	Named map[string]hostTree
}

func call(t *testing.T, in *gyr.Instance, name string, args ...any) []any {
	t.Helper()
	got, err := in.Call(context.Background(), name, args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return got
}

type point struct{ X, Y int }

func TestValues(t *testing.T) {
	cet := time.FixedZone("CET", 3600)
	big := map[string]int{}
	for i := range 300 {
		big[fmt.Sprint("key", i)] = i
	}
	large := map[string][200]byte{"a": {1}, "b": {2}}
	largeKey := map[[200]byte]int{{1}: 1, {2}: 2}
	check := func(t *testing.T, in *gyr.Instance) {
		for _, c := range []struct {
			name string
			arg  any
		}{
			{"Counts", map[string]int{"a": 1, "b": 2}},
			{"Counts", map[string]int{}},
			{"Counts", map[string]int(nil)},
			{"Counts", big},
			{"Points", map[struct{ X, Y int }][]string{{1, 2}: {"x"}, {}: nil, {3, 4}: {}}},
			{"Nested", map[string]map[int]*struct{ X, Y int }{"a": {1: {1, 2}, 2: nil}, "b": {}, "c": nil}},
			{"Large", large},
			{"LargeKey", largeKey},
			{"Floats", map[float64]string{math.Inf(-1): "-inf", 0: "zero", 1.5: "x"}},
			{"Anys", map[any]any{1: "one", "a": []any{1, 2}, 2.5: nil, true: map[string]any{"x": 1}}},
			{"Time", time.Date(2024, 2, 29, 12, 30, 1, 5, time.UTC)},
			{"Time", time.Time{}},
			{"Took", 21 * time.Second},
			{"Any", nil}, {"Any", 1}, {"Any", "text"}, {"Any", int8(-3)}, {"Any", uint64(1 << 63)}, {"Any", 1.5}, {"Any", 1 + 2i},
			{"Any", true}, {"Any", []byte("bytes")}, {"Any", []any{1, "a", nil, []any{}}}, {"Any", []string{"a", ""}},
			{"Any", map[string]any{"a": 1, "b": map[string]any{"c": []any{1.5}}}},
			{"Any", time.Date(2024, 2, 29, 12, 30, 1, 5, time.UTC)}, {"Any", 5 * time.Second},
		} {
			want := c.arg
			if c.name == "Took" {
				want = 42 * time.Second
			}
			if got := call(t, in, c.name, c.arg)[0]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s(%v): %#v, want %#v", c.name, c.arg, got, want)
			}
		}
		if n := call(t, in, "Sum", big)[0]; n != 300*299/2 {
			t.Errorf("Sum: %v", n)
		}
		squares := call(t, in, "Squares", 2000)[0].(map[int]int)
		for i := range 2000 {
			if n, ok := squares[i]; ok != (i%2 == 1) || ok && n != i*i {
				t.Fatalf("Squares: %d is %d, %v", i, n, ok)
			}
		}
		if n := len(call(t, in, "NaNs", 30)[0].(map[float64]int)); n != 30 {
			t.Errorf("%d NaNs", n)
		}
		if call(t, in, "IsNil", map[string]int(nil))[0] != true || call(t, in, "IsNil", map[string]int{})[0] != false {
			t.Error("IsNil")
		}
		if got := call(t, in, "Keys", map[int]bool{3: true, 1: false}); !reflect.DeepEqual(got[0], []int{1, 3}) {
			t.Errorf("Keys: %v", got)
		}

		at := time.Date(2024, 7, 1, 0, 0, 0, 1, cet)
		if got := call(t, in, "Zone", at); got[0] != "CET" || got[1] != 3600 || got[2] != "2024-07-01T00:00:00.000000001+01:00" {
			t.Errorf("Zone: %v", got)
		}
		got := call(t, in, "Later", at, time.Hour)[0].(time.Time)
		if name, off := got.Zone(); !got.Equal(at.Add(time.Hour)) || name != "CET" || off != 3600 {
			t.Errorf("Later: %v", got)
		}
		if got := call(t, in, "Now")[0].(time.Time); got.Year() < 2000 || got != got.Round(0) {
			t.Errorf("Now: %v", got)
		}
		for x, want := range map[any]string{
			1: "int 1", "a": "string a", 1.5: "float64 1.5", time.Second: "time.Duration 1s", nil: "<nil> <nil>",
			struct{ X, Y int }{1, 2}: "", point{1, 2}: "",
		} {
			got, err := in.Call(context.Background(), "Describe", x)
			switch {
			case want == "" && (err == nil || !strings.Contains(err.Error(), "in an any: the guest has no such type")) && fmt.Sprint(got) != "[lib.Point {1 2}]":
				t.Errorf("Describe(%#v): %v, %v", x, got, err)
			case want != "" && (err != nil || got[0] != want):
				t.Errorf("Describe(%#v): %v, %v", x, got, err)
			}
		}
		if got := call(t, in, "Describe", errors.New("of the host"))[0]; got != "*runtime.hostError of the host" {
			t.Errorf("Describe: %v", got)
		}
		if got := call(t, in, "AnyPoint")[0]; !reflect.DeepEqual(got, &struct{ X, Y int }{1, 2}) {
			t.Errorf("AnyPoint: %#v", got)
		}
		if got, ok := call(t, in, "AnyError")[0].(error); !ok || got.Error() != "in any" {
			t.Errorf("AnyError: %#v", got)
		}
		if got := call(t, in, "AnyMap")[0]; !reflect.DeepEqual(got, map[string]any{"a": 1, "b": []any{"x", 2.5, nil}, "c": map[string]any{}}) {
			t.Errorf("AnyMap: %#v", got)
		}

		var mixed func(struct {
			M map[string]any
			E error
			T time.Time
			A any
			L []error
		}) (struct {
			M map[string]any
			E error
			T time.Time
			A any
			L []error
		}, error)
		if err := in.Bind(context.Background(), "MixedUp", &mixed); err != nil {
			t.Fatal(err)
		}
		m, err := mixed(struct {
			M map[string]any
			E error
			T time.Time
			A any
			L []error
		}{map[string]any{"e": errors.New("one")}, errors.New("two"), at, errors.New("three"), []error{nil, errors.New("four")}})
		if err != nil || fmt.Sprint(m.M, m.E, m.A, m.L) != "map[e:one] two three [<nil> four]" || !m.T.Equal(at) {
			t.Errorf("%v, %v", m, err)
		}
		if got := call(t, in, "ErrorText", errors.New("x"))[0]; got != "x" {
			t.Errorf("ErrorText: %v", got)
		}
		if got := call(t, in, "ErrorText", nil)[0]; got != "none" {
			t.Errorf("ErrorText: %v", got)
		}
		if got := call(t, in, "Errors", 3); fmt.Sprint(got) != "[[error 0 error 1 error 2 <nil> EOF]]" {
			t.Errorf("Errors: %v", got)
		}
		if got := call(t, in, "Two"); fmt.Sprint(got) != "[first <nil> 3]" {
			t.Errorf("Two: %v", got)
		}

		type node struct {
			Value int
			Next  *node
		}
		list, err := gyr.FuncOf[struct{ N int }, struct{ L *node }](context.Background(), in, "List")
		if err != nil {
			t.Fatal(err)
		}
		r, err := list.Call(context.Background(), struct{ N int }{500})
		n := 0
		for l := r.L; l != nil; l = l.Next {
			n++
		}
		if err != nil || n != 500 {
			t.Errorf("a list of %d, %v", n, err)
		}
		length, err := gyr.FuncOf[struct{ L *node }, struct{ N int }](context.Background(), in, "Length")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := length.Call(context.Background(), r); err != nil || got.N != 500 {
			t.Errorf("%v, %v", got, err)
		}
		loop := &node{}
		loop.Next = loop
		if _, err := length.Call(context.Background(), struct{ L *node }{loop}); err == nil || !strings.Contains(err.Error(), "contains itself") {
			t.Errorf("a cycle: %v", err)
		}
		var trees func(hostTree) (hostTree, error)
		if err := in.Bind(context.Background(), "Trees", &trees); err != nil {
			t.Fatal(err)
		}
		tree := hostTree{"a", &hostTree{Name: "l"}, []hostTree{{Name: "k"}, {}}, map[string]hostTree{"x": {Name: "y", Kids: []hostTree{}}}}
		if got, err := trees(tree); err != nil || !reflect.DeepEqual(got, tree) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	p := compileLibrary(t, valuesLibrary)
	valuesIn(t, p, check)
	stressed(t, p, check)
}

func TestValuesThatDoNotCross(t *testing.T) {
	valuesIn(t, compileLibrary(t, valuesLibrary), func(t *testing.T, in *gyr.Instance) {
		type node struct {
			Value int
			Next  *node
		}
		var cycle func() (*node, error)
		if err := in.Bind(context.Background(), "Cycle", &cycle); err != nil {
			t.Fatal(err)
		}
		if _, err := cycle(); err == nil || !strings.Contains(err.Error(), "contains itself") {
			t.Errorf("%v", err)
		}
		type pair struct{ L, R *pair }
		var shared func(int) (*pair, error)
		if err := in.Bind(context.Background(), "Shared", &shared); err != nil {
			t.Fatal(err)
		}
		if p, err := shared(5); err != nil || p.L.R.L.R.L == nil {
			t.Errorf("%v, %v", p, err)
		}
		if _, err := shared(60); err == nil || !strings.Contains(err.Error(), "shares its parts") {
			t.Errorf("%v", err)
		}
		type deep []deep
		var slices func(int) (deep, error)
		if err := in.Bind(context.Background(), "SharedSlices", &slices); err != nil {
			t.Fatal(err)
		}
		if _, err := slices(60); err == nil || !strings.Contains(err.Error(), "shares its parts") {
			t.Errorf("%v", err)
		}
		for _, c := range []struct {
			name string
			args []any
			err  string
		}{
			{"AnyCycle", nil, "gyr: results of AnyCycle: the value contains itself"},
			{"SharedAny", []any{60}, "gyr: results of SharedAny: the value shares its parts"},
			{"AnyChan", nil, "gyr: results of AnyChan: chan int does not cross"},
			{"Any", []any{make(chan int)}, "gyr: Any: argument 0: chan int in an any: the guest has no such type"},
			{"Any", []any{[]any{struct{ Z int }{}}}, "gyr: Any: argument 0: element: struct { Z int } in an any: the guest has no such type"},
			{"Floats", []any{map[float64]string{math.NaN(): "a", math.NaN(): "b"}}, "gyr: Floats: argument 0: a map with two keys that are NaN"},
			{"Counts", []any{map[int]int{}}, "gyr: argument 0 of Counts: key: int of the host for string of the guest"},
			{"Take", []any{1, 2}, "gyr: Take cannot be called: parameter 1 (p): field Conns: element: field C: chan int does not cross"},
			{"Func", []any{1}, "gyr: Func cannot be called: parameter 0 (f): func() does not cross"},
			{"Time", []any{1}, "gyr: argument 0 of Time: int of the host for time.Time of the guest"},
			{"ErrorText", []any{1}, "gyr: argument 0 of ErrorText: int of the host for error of the guest"},
		} {
			if _, err := in.Call(context.Background(), c.name, c.args...); err == nil || !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
		}
		if got := call(t, in, "Sum", map[string]int{"a": 1}); got[0] != 1 {
			t.Errorf("afterwards: %v", got)
		}
		var exit *gyr.ExitError
		if _, err := in.Call(context.Background(), "BadError"); !errors.As(err, &exit) {
			t.Errorf("an Error that panics: %v", err)
		}
	})
}

// A guest's map does not depend on the order of the host's.
func TestMapsAreDeterministic(t *testing.T) {
	p := compileLibrary(t, valuesLibrary)
	m := map[string]int{}
	for i := range 500 {
		m[fmt.Sprint(i)] = i
	}
	order, gas := "", int64(0)
	valuesIn(t, p, func(t *testing.T, in *gyr.Instance) {
		got := call(t, in, "Order", m)[0].(string)
		used := in.Stats().Gas
		if order != "" && (got != order || used != gas) {
			t.Errorf("another order, or gas of %d and not %d", used, gas)
		}
		order, gas = got, used
	})
}

// BenchmarkValues measures calls with values of several kinds, in processor time.
func BenchmarkValues(b *testing.B) {
	ctx := context.Background()
	in, err := compileLibrary(b, valuesLibrary).NewInstance(ctx, gyr.Config{})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	type texts struct {
		S string
		B []byte
	}
	lengths, err := gyr.FuncOf[texts, struct{ N int }](ctx, in, "Lengths")
	if err != nil {
		b.Fatal(err)
	}
	echo, err := gyr.FuncOf[texts, texts](ctx, in, "Texts")
	if err != nil {
		b.Fatal(err)
	}
	counts, err := gyr.FuncOf[struct{ M map[string]int }, struct{ M map[string]int }](ctx, in, "Counts")
	if err != nil {
		b.Fatal(err)
	}
	anys, err := gyr.FuncOf[struct{ X any }, struct{ X any }](ctx, in, "Any")
	if err != nil {
		b.Fatal(err)
	}
	var bound func(string, []byte) (int, error)
	if err := in.Bind(ctx, "Lengths", &bound); err != nil {
		b.Fatal(err)
	}
	x := texts{strings.Repeat("s", 100), make([]byte, 100)}
	ten := map[string]int{}
	for i := range 10 {
		ten[fmt.Sprint("key", i)] = i
	}
	var tree any = map[string]any{"name": "n", "list": []any{1, 2.5, "x"}, "on": true}
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"texts-in", func() error { _, err := lengths.Call(ctx, x); return err }},
		{"texts-both-ways", func() error { _, err := echo.Call(ctx, x); return err }},
		{"texts-bound", func() error { _, err := bound(x.S, x.B); return err }},
		{"map-10-both-ways", func() error { _, err := counts.Call(ctx, struct{ M map[string]int }{ten}); return err }},
		{"any-tree-both-ways", func() error { _, err := anys.Call(ctx, struct{ X any }{tree}); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			cpu := cpuTime()
			for b.Loop() {
				if err := c.f(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/op")
		})
	}
}
