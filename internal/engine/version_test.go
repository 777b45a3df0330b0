package engine

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/front/lower"
)

// versionLibrary has everything that a plan records: variables, strings, other bytes, function
// values, types with methods, and closures, one of which needs a layout that only optimisation
// makes.
const versionLibrary = `package lib

import "fmt"

type Shape interface{ Area() int }

type square struct{ Side int }

func (s square) Area() int { return s.Side * s.Side }

var (
	shapes = map[string]Shape{"one": square{1}}
	kinds  = []string{"a", "bcd", "efg"}
	held   func() int
	plain  = func() string { return "plain" }
)

func Keep(name string, n int) {
	var s Shape = square{n}
	shapes[name] = s
	a, b, c := name+"a", name+"b", name+"c"
	held = func() int { return s.Area() + n + len(a+b+c) }
}

func Report() string { return fmt.Sprint(shapes, kinds, plain()) }
`

func versionSource(t *testing.T) Source {
	t.Helper()
	base, err := goOfTests()
	if err != nil {
		t.Skip(err)
	}
	return Source{
		FS:      fstest.MapFS{"go.mod": {Data: []byte("module example.com/lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(versionLibrary)}},
		Exports: true, State: true, Base: base, Cache: filepath.Join(t.TempDir(), "cache"),
	}
}

// compiled compiles with a cache and checks whether the program came from it.
func compiled(t *testing.T, src Source, cached string) *Program {
	t.Helper()
	p, err := Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Cached != cached {
		t.Fatalf("cache %s %s, want %s", s.Cached, s.CacheNote, cached)
	}
	return p
}

// A program from the cache is the same earlier version as the one that was compiled.
func TestVersionFromCache(t *testing.T) {
	for _, noBase := range []bool{false, true} {
		src := versionSource(t)
		src.NoBase = noBase
		cold, warm := compiled(t, src, api.CacheMiss), compiled(t, src, api.CacheHit)
		want, err := cold.asVersion()
		if err != nil {
			t.Fatal(err)
		}
		// What was compiled and called before changes nothing.
		in, err := warm.NewInstance(t.Context(), Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Call(t.Context(), "Keep", "two", 2); err != nil {
			t.Fatal(err)
		}
		in.Close()
		got, err := warm.asVersion()
		if err != nil {
			t.Fatal(err)
		}
		if len(want.bodies) == 0 || len(want.calls) == 0 || len(want.closures) == 0 {
			t.Error("a version without functions, calls or closures")
		}
		for i, x := range want.plan.Layout.Things {
			if y := got.plan.Layout.Things; i >= len(y) || x != y[i] {
				t.Fatalf("no base %t: thing %d of %d and %d: %v, want %v", noBase, i, len(y), len(want.plan.Layout.Things), y[i], x)
			}
		}
		for i := range want.inits {
			a, b := want.inits[i], got.inits[i]
			if a.Path != b.Path || a.Std != b.Std || a.Func.Index != b.Func.Index {
				t.Errorf("no base %t: initialiser %v, want %v", noBase, b, a)
			}
		}
		got.inits, want.inits, got.base = nil, nil, want.base
		if !reflect.DeepEqual(got, want) {
			t.Errorf("no base %t: another version than that of the compiled program", noBase)
		}
	}
}

// The record of a plan is refused when it is damaged, or harmless.
func TestPlanRecord(t *testing.T) {
	p := compiled(t, versionSource(t), api.CacheMiss)
	record := p.plan.AppendRecord(nil)
	plan, err := lower.ReadPlan(record, p.mod)
	if err != nil {
		t.Fatal(err)
	}
	if again := plan.AppendRecord(nil); !bytes.Equal(again, record) {
		t.Error("a plan that was read has another record")
	}
	for n := range record {
		if _, err := lower.ReadPlan(record[:n], p.mod); err == nil {
			t.Fatalf("%d of %d bytes are a record", n, len(record))
		}
	}
	if _, err := lower.ReadPlan(append(bytes.Clone(record), 0), p.mod); err == nil {
		t.Error("a record with a byte too many")
	}
	for i := range record {
		for bit := range 8 {
			b := bytes.Clone(record)
			b[i] ^= 1 << bit
			if plan, err := lower.ReadPlan(b, p.mod); err == nil {
				plan.With(p.mod)
			}
		}
	}
}

// An entry under the right key that does not hold what it should counts as no entry.
func TestEntryOfVersion(t *testing.T) {
	src := versionSource(t)
	p := compiled(t, src, api.CacheMiss)
	good := p.disk.entry.Encode()
	for what, change := range map[string]func(*cache.ProgramEntry){
		"nothing changed":     nil,
		"a plan cut off":      func(e *cache.ProgramEntry) { e.Plan = e.Plan[:len(e.Plan)-1] },
		"a plan and more":     func(e *cache.ProgramEntry) { e.Plan = append(bytes.Clone(e.Plan), 0) },
		"no plan to speak of": func(e *cache.ProgramEntry) { e.Plan = []byte{0} },
		"no identity":         func(e *cache.ProgramEntry) { e.Identity = nil },
	} {
		e, err := cache.Decode(good)
		if err != nil {
			t.Fatal(err)
		}
		want := api.CacheHit
		if change != nil {
			change(e)
			want = api.CacheMiss
		}
		if err := p.disk.dir.Put(p.disk.name, e.Encode()); err != nil {
			t.Fatal(err)
		}
		if q := compiled(t, src, want); !bytes.Equal(q.identity, p.identity) {
			t.Errorf("%s: another program", what)
		}
		compiled(t, src, api.CacheHit)
	}
}
