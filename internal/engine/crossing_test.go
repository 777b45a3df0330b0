package engine

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr/internal/front/hostpkg"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Types of the host for the table below.
type (
	hostRing struct {
		Next *hostRing
		List []hostRing
	}
	hostPair   struct{ A, B int }
	hostHidden struct{ A, b int }
	hostAny    any
	hostError  error
	hostText   string
)

// crossings are types of a guest, with types of the host that values of them convert to or from.
var crossings = []struct {
	guest   string
	host    reflect.Type
	crosses bool // values of the guest's type cross, as some type of the host
	fits    bool // as this one
}{
	{"bool", reflect.TypeFor[bool](), true, true},
	{"int8", reflect.TypeFor[int8](), true, true},
	{"int8", reflect.TypeFor[uint8](), true, false},
	{"uintptr", reflect.TypeFor[uintptr](), true, true},
	{"float32", reflect.TypeFor[float64](), true, false},
	{"complex128", reflect.TypeFor[complex128](), true, true},
	{"string", reflect.TypeFor[hostText](), true, true},
	{"[]byte", reflect.TypeFor[string](), true, false},
	{"[]byte", reflect.TypeFor[[]byte](), true, true},
	{"[3]int", reflect.TypeFor[[3]int](), true, true},
	{"[3]int", reflect.TypeFor[[4]int](), true, false},
	{"*string", reflect.TypeFor[*string](), true, true},
	{"**int", reflect.TypeFor[*int](), true, false},
	{"struct{ A, B int }", reflect.TypeFor[hostPair](), true, true},
	{"struct{ A, C int }", reflect.TypeFor[hostPair](), true, false},
	{"struct{ A int }", reflect.TypeFor[hostPair](), true, false},
	{"struct{ A, b int }", reflect.TypeFor[hostHidden](), false, false},
	{"struct{}", reflect.TypeFor[struct{}](), true, true},
	{"Ring", reflect.TypeFor[hostRing](), true, true},
	{"[]Ring", reflect.TypeFor[[]hostPair](), true, false},
	{"map[string]int", reflect.TypeFor[map[string]int](), true, true},
	{"map[string]int", reflect.TypeFor[map[string]bool](), true, false},
	{"map[[2]bool]struct{ A, B int }", reflect.TypeFor[map[[2]bool]hostPair](), true, true},
	{"map[any]int", reflect.TypeFor[map[any]int](), true, true},
	{"map[time.Time]int", reflect.TypeFor[map[time.Time]int](), true, true},
	{"map[error]int", reflect.TypeFor[map[error]int](), false, false},
	{"map[*int]int", reflect.TypeFor[map[*int]int](), false, false},
	{"map[struct{ A [1]*int }]int", reflect.TypeFor[map[struct{ A [1]*int }]int](), false, false},
	{"map[Conn]int", reflect.TypeFor[map[rt.Handle[*int]]int](), false, false},
	{"map[string]map[error]int", reflect.TypeFor[map[string]map[error]int](), false, false},
	{"error", reflect.TypeFor[error](), true, true},
	{"error", reflect.TypeFor[hostError](), true, false},
	{"error", reflect.TypeFor[any](), true, false},
	{"Failure", reflect.TypeFor[error](), false, false},
	{"any", reflect.TypeFor[any](), true, true},
	{"any", reflect.TypeFor[error](), true, false},
	{"any", reflect.TypeFor[hostAny](), true, true},
	{"Any", reflect.TypeFor[any](), true, true},
	{"Namer", reflect.TypeFor[fmt.Stringer](), false, false},
	{"[]Namer", reflect.TypeFor[[]fmt.Stringer](), false, false},
	{"time.Time", reflect.TypeFor[time.Time](), true, true},
	{"time.Time", reflect.TypeFor[struct{}](), true, false},
	{"Moment", reflect.TypeFor[time.Time](), false, false},
	{"struct{ A, B int }", reflect.TypeFor[time.Time](), true, false},
	{"time.Duration", reflect.TypeFor[time.Duration](), true, true},
	{"time.Duration", reflect.TypeFor[int64](), true, true},
	{"time.Month", reflect.TypeFor[int](), true, true},
	{"Conn", reflect.TypeFor[rt.Handle[*int]](), true, true},
	{"Number", reflect.TypeFor[rt.Handle[*int]](), true, true},
	{"uint64", reflect.TypeFor[rt.Handle[*int]](), true, false},
	{"struct{ n uint64 }", reflect.TypeFor[rt.Handle[*int]](), false, false},
	{"struct{ A, B int }", reflect.TypeFor[rt.Handle[*int]](), true, false},
	{"[]Conn", reflect.TypeFor[[]rt.Handle[*int]](), true, true},
	{"chan int", reflect.TypeFor[chan int](), false, false},
	{"struct{ A func() }", reflect.TypeFor[struct{ A func() }](), false, false},
	{"[]map[string]*chan int", reflect.TypeFor[[]map[string]*chan int](), false, false},
}

// TestCrossings: three places decide whether values of a type cross, and agree over one table: the
// loader for a library's source, package rt for the descriptors of the running guest, and package
// hostpkg for declarations. The first knows no type of the host.
func TestCrossings(t *testing.T) {
	var funcs, declared strings.Builder
	const head = `

import "time"

type Ring struct { Next *Ring; List []Ring }
type Conn struct { n uint64 }
type Number uint64
type Any interface{}
type Failure interface{ Error() string }
type Namer interface{ Name() string }
type Moment time.Time

const Hour = time.Hour

`
	for i, c := range crossings {
		fmt.Fprintf(&funcs, "func F%d(x %s) {}\n", i, c.guest)
		fmt.Fprintf(&declared, "func F%d(x %s)\n", i, c.guest)
	}
	host, err := hostpkg.Parse("example.com/host", "package host"+head+declared.String())
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(context.Background(), Source{FS: fstest.MapFS{"lib.go": {Data: []byte("package lib" + head + funcs.String())}}, Exports: true})
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.NewInstance(context.Background(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	numbers := map[string]int{}
	for i, x := range p.mod.Exports {
		numbers[x.Name] = i
	}
	for i, c := range crossings {
		name := fmt.Sprintf("F%d", i)
		x := p.mod.Exports[numbers[name]]
		if x.Name != name || (x.Refusal == "") != c.crosses {
			t.Errorf("%s: the loader says %q, does it cross: %v", c.guest, x.Refusal, c.crosses)
		}
		params, _, err := in.vm.Signature(numbers[name], false)
		if err != nil {
			t.Fatal(err)
		}
		if err := params[0].Type.Check(c.host); (err == nil) != c.fits {
			t.Errorf("%s as %s: package rt says %v, does it fit: %v", c.guest, c.host, err, c.fits)
		}
		if m := host.Fits(host.Func(name).Params[0].Type, c.host); (m == nil) != c.fits {
			t.Errorf("%s as %s: package hostpkg says %v, does it fit: %v", c.guest, c.host, m, c.fits)
		}
	}
}
