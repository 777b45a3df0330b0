package embedding_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// zones has a guest function that makes a location with n changes, all later than the times that
// the tests use.
const zones = `
func zone(n int) *time.Location {
	be := func(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }
	d := append([]byte("TZif\x00"), make([]byte, 15)...)
	for _, x := range []uint32{0, 0, 0, uint32(n), 2, 4} {
		d = append(d, be(x)...)
	}
	for i := range n {
		d = append(d, be(uint32(int32(-2000000000)+int32(i)))...)
	}
	for range n {
		d = append(d, 1)
	}
	for range 2 {
		d = append(d, be(0)...)
		d = append(d, 1, 0)
	}
	l, err := time.LoadLocationFromTZData("x", append(d, "LMT\x00"...))
	if err != nil {
		panic(err)
	}
	return l
}
`

// TestCrossingIsPaid: the host's work for crossing values costs gas in proportion, equally in both
// tiers, and stops when the gas runs out.
func TestCrossingIsPaid(t *testing.T) {
	p := compileHost(t, `package guest

import (
	"encoding/binary"
	"errors"
	"time"

	"example.com/host"
)
`+zones+`
type (
	T0 struct{}
	T1 struct{ A, B T0 }
	T2 struct{ A, B T1 }
	T3 struct{ A, B T2 }
	T4 struct{ A, B T3 }
	T5 struct{ A, B T4 }
	T6 struct{ A, B T5 }
	T7 struct{ A, B T6 }
	T8 struct{ A, B T7 }
)

// Times are as many as can be, of one location: finding its zone for each would look at all changes again.
func Times() any {
	t, list := time.Unix(-3000000000, 0).In(zone(65535)), make([]time.Time, 20000)
	for i := range list {
		list[i] = t
	}
	return list
}

// Places are times of many locations.
func Places() any {
	l, list := zone(65535), make([]time.Time, 300)
	for i := range list {
		other := *l
		list[i] = time.Unix(-3000000000, 0).In(&other)
	}
	return list
}

// Hollow are pointers to values of no size.
func Hollow() any {
	x, list := new(T8), make([]*T8, 20000)
	for i := range list {
		list[i] = x
	}
	return list
}

// Numbers are more bytes than parts.
func Numbers() any { return new([100000]int64) }

// Emptied is a map that was large.
func Emptied() any {
	m := map[int]int{}
	for i := range 50000 {
		m[i] = i
	}
	for i := range 49999 {
		delete(m, i)
	}
	return m
}

func Take() { host.Take(Times().([]time.Time)) }

func Back() string { return host.Back(func() (int, error) { return 0, errors.New(string(make([]byte, 100000))) }) }

func Nothing() any { return nil }
`, true, gyr.HostPackage{
		Path:   "example.com/host",
		Source: "package host\n\nimport \"time\"\n\nfunc Take(t []time.Time)\nfunc Back(f func() (int, error)) string\n",
		Funcs: map[string]any{
			"Take": gyr.HostFunc{Func: func([]time.Time) {}, Free: true},
			"Back": gyr.HostFunc{Func: func(f func() (int, error)) string { _, err := f(); return err.Error()[:1] }, Free: true},
		},
	})
	ctx := context.Background()
	gas := map[string]int64{}
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		for name, least := range map[string]int64{
			"Times": 20000 * 40, "Places": 300 * 65535 / 8, "Hollow": 20000 * 20, "Numbers": 100000, "Emptied": 50000 / 8 * 10, "Take": 20000 * 40, "Back": 100000 / 8,
		} {
			in, err := p.NewInstance(ctx, gyr.Config{Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			call(t, in, "Nothing")
			before := in.Stats().Gas
			if _, err := in.Call(ctx, name); err != nil {
				t.Fatal(name, err)
			}
			used := in.Stats().Gas - before
			in.Close()
			if used < least {
				t.Errorf("%s, %s: %d units, wanted %d at least", tier, name, used, least)
			}
			if was := gas[name]; was != 0 && was != used {
				t.Errorf("%s: %d units in one tier and %d in the other", name, was, used)
			}
			gas[name] = used

			in, err = p.NewInstance(ctx, gyr.Config{Tier: tier, Gas: used - 1})
			if err != nil {
				t.Fatal(err)
			}
			var out *gyr.OutOfGasError
			if _, err := in.Call(ctx, name); !errors.As(err, &out) || out.Used != used-1 {
				t.Errorf("%s, %s: with too little gas: %v", tier, name, err)
			}
			in.Close()
		}
	}
}

// TestFormsCostTheSame: the gas for arguments does not depend on the form of the host's call, and
// grows with their size.
func TestFormsCostTheSame(t *testing.T) {
	p := compileHost(t, `package guest

type Order struct {
	Item  string
	Count int
}

func Text(s string) int { return len(s) }
func Bytes(b []byte) int { return len(b) }
func Texts(list []string) int { return len(list) }
func Join(sep string, list []string) int { return len(sep) + len(list) }
func Priced(o Order, list []string) int { return o.Count + len(list) }
func Orders(list []Order) int { return len(list) }
func Wide(a [300]int, s string) int { return a[0] + len(s) }
func Any(x any, s string) int { return len(s) }
func Numbers(a, b int) int { return a + b }
func None(list []string) int { return len(list) }
`, true)
	ctx := context.Background()
	type order struct {
		Item  string
		Count int
	}
	long, list := strings.Repeat("x", 5000), make([]string, 200)
	for i := range list {
		list[i] = long[:i]
	}
	many := slices.Repeat(list, 20) // more than is examined without a tally
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		for _, c := range []struct {
			name  string
			least int64 // units for the contents only
			args  []any
		}{
			{"Text", 5000 / 8, []any{long}}, {"Bytes", 5000 / 8, []any{[]byte(long)}}, {"Texts", 200*10 + 199*100/8, []any{list}}, {"Texts", 4000 * 10, []any{many}},
			{"Join", 200 * 10, []any{"-", list}}, {"Join", 4000 * 10, []any{long, many}}, {"Priced", 200 * 10, []any{order{long, 1}, list}},
			{"Orders", 20, []any{[]order{{"a", 1}, {"b", 2}}}}, {"Wide", 300, []any{[300]int{1}, long}}, {"Any", 2000, []any{list, long}},
			{"Numbers", 0, []any{1, 2}}, {"None", 0, []any{[]string(nil)}},
		} {
			in, err := p.NewInstance(ctx, gyr.Config{Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			types := []reflect.Type{}
			values := []reflect.Value{}
			for _, a := range c.args {
				types, values = append(types, reflect.TypeOf(a)), append(values, reflect.ValueOf(a))
			}
			if c.name == "Any" {
				types[0] = reflect.TypeFor[any]()
			}
			bound := reflect.New(reflect.FuncOf(types, []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[gyr.CallStats](), reflect.TypeFor[error]()}, false))
			if err := in.Bind(ctx, c.name, bound.Interface()); err != nil {
				t.Fatal(c.name, err)
			}
			var last [2]int64
			for range 3 { // the last time all needed memory is already allocated
				_, stats, err := in.CallWith(ctx, gyr.CallOptions{}, c.name, c.args...)
				if err != nil {
					t.Fatal(c.name, err)
				}
				out := bound.Elem().Call(values)
				if err, _ := out[2].Interface().(error); err != nil {
					t.Fatal(c.name, err)
				}
				last = [2]int64{stats.Gas, out[1].Interface().(gyr.CallStats).Gas}
			}
			in.Close()
			if last[0] != last[1] || last[0] < c.least {
				t.Errorf("%s, %s: %d units by Call, %d by Bind, wanted %d at least", tier, c.name, last[0], last[1], c.least)
			}
		}
	}
}

// TestSharedArguments: an argument whose copies would exceed the memory limit is an error of the
// call, which does not begin.
func TestSharedArguments(t *testing.T) {
	p := compileHost(t, "package guest\n\nfunc F(x any) int { return 1 }\n", true)
	ctx := context.Background()
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		in, err := p.NewInstance(ctx, gyr.Config{Tier: tier, Memory: 16 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var x any = "leaf"
		for range 45 {
			x = []any{x, x}
		}
		loop := map[string]any{}
		loop["x"] = []any{loop}
		for name, arg := range map[string]any{"shared": x, "endless": loop} {
			var refused *gyr.CallError
			if _, err := in.Call(ctx, "F", arg); !errors.As(err, &refused) || len(err.Error()) > 500 {
				t.Errorf("%s, %s: %.600v", tier, name, err)
			}
		}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		defer cancel()
		large, err := p.NewInstance(ctx, gyr.Config{Tier: tier, Memory: 1 << 32})
		if err != nil {
			t.Fatal(err)
		}
		defer large.Close()
		call(t, large, "F", 1)
		var late *gyr.DeadlineError
		if _, err := large.Call(short, "F", x); !errors.As(err, &late) {
			t.Errorf("%s: a call whose time is over: %v", tier, err)
		}
		for _, i := range []*gyr.Instance{in, large} {
			if got := call(t, i, "F", 1)[0]; got != 1 {
				t.Errorf("%s: afterwards F returns %v", tier, got)
			}
		}
	}
}

// TestForgedDescriptors: types are those that the compiler wrote, whatever the guest does to its
// descriptors.
func TestForgedDescriptors(t *testing.T) {
	p, err := gyr.Compile(context.Background(), gyr.Source{Exports: true, Unsafe: gyr.UnsafeAll, FS: fstest.MapFS{
		"go.mod": {Data: []byte("module guest\n\ngo 1.26\n")}, "main.go": {Data: []byte(`package guest

import "unsafe"

type S struct{ A, B int }

type R [1]int

type field struct {
	name, typ unsafe.Pointer
	off       uintptr
}

type descriptor struct {
	size, ptr uintptr
	hash      uint32
	flags     [4]byte
	rest      [4]unsafe.Pointer
	fields    []field
}

func word(a any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }

// Wide says that S has a thousand fields of no size.
func Wide() any {
	x := any(S{1, 2})
	d := (*descriptor)(word(x))
	list, none := make([]field, 1000), word(struct{}{})
	for i := range list {
		list[i] = field{d.fields[0].name, none, 0}
	}
	(*struct {
		head [56]byte
		list []field
	})(unsafe.Pointer(d)).list = list
	return x
}

// Itself says that R is an array of itself, and a key.
func Itself() map[R]int {
	x := map[R]int{{1}: 2}
	d := word(R{})
	*(*unsafe.Pointer)(unsafe.Add(d, 48)) = d
	return x
}
`)},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
		for range 3 {
			in, err := p.NewInstance(ctx, gyr.Config{Tier: tier})
			if err != nil {
				t.Fatal(err)
			}
			x := call(t, in, "Wide")[0].(struct{ A, B int })
			if x.A != 1 || x.B != 2 {
				t.Error(x)
			}
			if m := call(t, in, "Itself")[0].(map[[1]int]int); len(m) != 1 || m[[1]int{1}] != 2 {
				t.Error(m)
			}
			in.Close()
		}
	}
}

// TestLargeTypes: the host does not make types whose text would double with each level. It reads
// values of them as its own types.
func TestLargeTypes(t *testing.T) {
	var src strings.Builder
	src.WriteString("package guest\n\ntype T0 struct{ X int8 }\n")
	for i, c := 1, "T0"; i <= 20; i++ {
		next := "T" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		src.WriteString("type " + next + " struct{ A, B *" + c + " }\n")
		c = next
	}
	src.WriteString("func Small() any { return T02{} }\nfunc Large() any { return T20{} }\n")
	p := compileHost(t, src.String(), true)
	in, err := p.NewInstance(context.Background(), gyr.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	call(t, in, "Small")
	if _, err := in.Call(context.Background(), "Large"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Error(err)
	}
}

// TestPanicTexts: the guest does not get the text of the value in a host's panic, which may have
// any size and may come from the guest.
func TestPanicTexts(t *testing.T) {
	p := compileHost(t, `package guest

import "example.com/host"

type T struct{ A, B []string }

func Blame(kind int) (text string) {
	defer func() { text = recover().(error).Error() }()
	host.Blame(kind, T{A: make([]string, 100000)})
	return ""
}
`, true, gyr.HostPackage{
		Path:   "example.com/host",
		Source: "package host\n\ntype T = struct{ A, B []string }\n\nfunc Blame(kind int, x T)\n",
		Funcs: map[string]any{"Blame": gyr.HostFunc{OnPanic: gyr.GuestPanic, Func: func(kind int, x struct{ A, B []string }) {
			panic([]any{x, "text", 7, errors.New("an error"), time.Second}[kind])
		}}},
	})
	for _, tier := range tiers() {
		in := instanceIn(t, p, tier)
		if in == nil {
			continue
		}
		for kind, want := range []string{"(struct { A []string; B []string })", "text", "7", "an error", "1s"} {
			if got := call(t, in, "Blame", kind)[0].(string); got != "host.Blame: host.Blame panicked: "+want {
				t.Errorf("%s: %.300s, want %s", tier, got, want)
			}
		}
	}
}
