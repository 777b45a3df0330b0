package engine

import (
	"fmt"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/back/native"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/state"
)

// This test is about what decides the future of an instance. testdata/future has a line for each
// field of an instance and of its parts, and says what happens to the field when the instance is
// hashed, restored and rolled back.

// futureKinds are the possible kinds of a line.
var futureKinds = []string{
	"parts",   // its own fields have lines
	"root",    // in the root, in the section that is named, and so restored and rolled back
	"pages",   // the same, as pages of memory
	"program", // follows from the program, whose identity is in the root
	"config",  // follows from the configuration, which is in the root or given again by the host
	"absent",  // unset while the instance waits for a call, or refused by State and Begin
	"call",    // set by the call or the run that uses it, before it does
	"derived", // follows from others that are in the root
	"scratch", // a cache or working memory: its content changes only time
	"host",    // only the host's: no guest learns of it, and no limit counts it
}

// A futureLine is the description of a field.
type futureLine struct{ kind, why string }

func readFuture(t *testing.T) map[string]futureLine {
	text, err := os.ReadFile("testdata/future")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]futureLine{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] == "#" {
			continue
		}
		if len(f) < 2 || !slices.Contains(futureKinds, f[1]) || f[1] != "parts" && len(f) < 3 {
			t.Errorf("%s: not a field, one of the kinds %v, and why", strings.TrimSpace(line), futureKinds)
			continue
		}
		if _, ok := lines[f[0]]; ok {
			t.Errorf("two lines for %s", f[0])
		}
		lines[f[0]] = futureLine{f[1], strings.Join(f[2:], " ")}
	}
	return lines
}

// fieldName returns the name of a field in the list.
func fieldName(typ reflect.Type, f reflect.StructField) string {
	return path.Base(typ.PkgPath()) + "." + typ.Name() + "." + f.Name
}

// partOf returns the struct type that values of a type contain or refer to, or nil.
func partOf(t reflect.Type) reflect.Type {
	for {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			t = t.Elem()
		case reflect.Struct:
			return t
		default:
			return nil
		}
	}
}

// TestFuture: every field of an instance has a line, and every line a field.
func TestFuture(t *testing.T) {
	lines := readFuture(t)
	used := map[string]bool{}
	seen := map[reflect.Type]bool{}
	counts := map[string]int{}
	var look func(typ reflect.Type)
	look = func(typ reflect.Type) {
		if seen[typ] {
			return
		}
		seen[typ] = true
		for f := range typ.Fields() {
			name := fieldName(typ, f)
			line, ok := lines[name]
			if !ok {
				t.Errorf("%s (%v) has no line in testdata/future: say what becomes of it in a root, in a state that is restored, and when a transaction is rolled back", name, f.Type)
				continue
			}
			used[name] = true
			counts[line.kind]++
			if line.kind != "parts" {
				continue
			}
			if part := partOf(f.Type); part != nil {
				look(part)
			} else if f.Type.Kind() != reflect.Interface {
				t.Errorf("%s: a %v has no parts", name, f.Type)
			}
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[Instance](), reflect.TypeFor[interp.Machine](), reflect.TypeFor[native.Machine]()} {
		look(typ)
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if !used[name] {
			t.Errorf("%s is no field of an instance", name)
		}
	}
	t.Logf("%d fields: %v", len(used), counts)
}

// futureGuest changes as much as possible of an instance.
const futureGuest = `package lib

import (
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"sync"
	"syscall"
	"time"
	"unique"
	"weak"
)

type thing struct {
	name string
	next *thing
}

var (
	kept   []*thing
	weaks  = map[string]weak.Pointer[thing]{}
	names  []unique.Handle[string]
	pool   = sync.Pool{New: func() any { return new(thing) }}
	log    []string
	values []any
)

func deep(n int) int {
	var a [4]int
	if n > 0 {
		a[n&3] = deep(n-1) + 1
	}
	return a[n&3]
}

func Do(n int) error {
	t := &thing{name: fmt.Sprint("t", n)}
	weaks[t.name] = weak.Make(t)
	runtime.AddCleanup(t, func(s string) { log = append(log, s); delete(weaks, s) }, t.name)
	runtime.SetFinalizer(&thing{next: t}, func(t *thing) { log = append(log, "f"+t.next.name) })
	if n%3 == 0 {
		kept = append(kept, t)
	}
	names = append(names, unique.Make(fmt.Sprint("n", n%7)))
	pool.Put(t)
	time.AfterFunc(time.Duration(n+1)*time.Hour, func() { log = append(log, "late") })
	if err := os.WriteFile(fmt.Sprint("/tmp/f", n%5), make([]byte, 5000*(n%3)), 0o640); err != nil {
		return err
	}
	os.Symlink("/tmp/f0", fmt.Sprint("/home/l", n%4))
	syscall.ReadDir(3, make([]byte, 64), 0)
	fmt.Println("did", n, rand.Int(), deep(300*n))
	done := make(chan bool)
	go func() { time.Sleep(time.Millisecond); done <- true }()
	<-done
	values = append(values, reflect.New(reflect.StructOf([]reflect.StructField{{Name: fmt.Sprint("A", n), Type: reflect.TypeFor[*int]()}, {Name: "B", Type: reflect.ArrayOf(n+2, reflect.TypeFor[*thing]())}})).Interface())
	if n%4 == 3 {
		runtime.GC()
	}
	for range n {
		_ = make([]byte, 200_000)
	}
	return nil
}
`

// rootFields adds the fields of a value, and of its parts, that are in the root to a list under
// their names. It calls f for each field.
func rootFields(v reflect.Value, lines map[string]futureLine, name string, list map[string]string, f func(name string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			rootFields(v.Elem(), lines, name, list, f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			rootFields(v.Index(i), lines, fmt.Sprintf("%s[%d]", name, i), list, f)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			rootFields(it.Value(), lines, fmt.Sprintf("%s[%v]", name, it.Key()), list, f)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[exec.Stack]() && v.FieldByName("state").IsZero() {
			return // of no goroutine
		}
		for field := range v.Type().Fields() {
			line, x := lines[fieldName(v.Type(), field)], v.FieldByIndex(field.Index)
			switch line.kind {
			case "parts":
				rootFields(x, lines, name+"."+field.Name, list, f)
			case "root":
				if f != nil {
					f(name+"."+field.Name, x)
				}
				if !strings.Contains(line.why, "figure") {
					list[name+"."+field.Name] = shown(x, lines, map[unsafe.Pointer]bool{})
				}
			}
		}
	}
}

// shown writes a value and its parts: for types that have lines, only what is in the root.
func shown(v reflect.Value, lines map[string]futureLine, seen map[unsafe.Pointer]bool) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.UnsafePointer()] {
			return fmt.Sprint(!v.IsNil())
		}
		seen[v.UnsafePointer()] = true
		return "&" + shown(v.Elem(), lines, seen)
	case reflect.Map:
		var list []string
		for it := v.MapRange(); it.Next(); {
			list = append(list, fmt.Sprint(it.Key(), ":", shown(it.Value(), lines, seen)))
		}
		slices.Sort(list)
		return fmt.Sprint(list)
	case reflect.Slice, reflect.Array:
		var b strings.Builder
		for i := range v.Len() {
			fmt.Fprint(&b, shown(v.Index(i), lines, seen), " ")
		}
		return "[" + b.String() + "]"
	case reflect.Struct:
		var b strings.Builder
		for f := range v.Type().Fields() {
			if line, ok := lines[fieldName(v.Type(), f)]; !ok || line.kind == "root" || line.kind == "parts" {
				fmt.Fprint(&b, f.Name, ":", shown(v.FieldByIndex(f.Index), lines, seen), " ")
			}
		}
		return "{" + b.String() + "}"
	case reflect.Func:
		return fmt.Sprint(!v.IsNil())
	}
	return fmt.Sprint(v)
}

// changed changes a number or truth value, and returns a function that changes it back; nil: it is
// something else.
func changed(v reflect.Value) func() {
	if !v.CanAddr() {
		return nil
	}
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.CanUint() && v.Uint() > 0:
		v.SetUint(v.Uint() - 1)
	case v.CanUint():
		v.SetUint(1)
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.Kind() == reflect.Array:
		return changed(v.Index(v.Len() - 1))
	default:
		return nil
	}
	return func() { v.Set(was) }
}

// asSaved is a state in the form that Restore takes.
type asSaved struct{ *State }

func (s asSaved) Tree() state.Tree                   { return s.State.Tree }
func (s asSaved) Sections() ([]state.Section, error) { return s.State.Sections, nil }
func (s asSaved) ReadPage(n uint32, into []byte) error {
	b, err := s.State.Page(n)
	clear(into)
	copy(into, b)
	return err
}

// TestFutureHolds: a field that the list puts in the root has the same value in an instance that
// has done everything, a restored one, and a rolled-back one, in each tier; and another value of it
// gives another root.
func TestFutureHolds(t *testing.T) {
	ctx := t.Context()
	lines := readFuture(t)
	p, err := Compile(ctx, Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module lib\n\ngo 1.26\n")}, "lib.go": {Data: []byte(futureGuest)}}, Exports: true, State: true})
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	const calls = 12
	do := func(in *Instance, from, to int) {
		for n := from; n < to; n++ {
			_, err := in.Call(ctx, "Do", n)
			check(err)
		}
	}
	tiers := []api.Tier{api.TierInterp, api.TierNative}
	if p.NativeError() != nil {
		tiers = tiers[:1]
	}
	var first map[string]string
	var root state.Hash
	compare := func(name string, in *Instance) {
		s, err := in.State(ctx)
		check(err)
		list := map[string]string{}
		rootFields(reflect.ValueOf(in).Elem(), lines, "", list, nil)
		if first == nil {
			first, root = list, s.Root
			t.Logf("%d values are compared", len(list))
		}
		if s.Root != root {
			t.Errorf("%s has another root", name)
		}
		for _, f := range slices.Sorted(maps.Keys(first)) {
			if a, b := list[f], first[f]; a != b {
				at := 0
				for at < len(a) && at < len(b) && a[at] == b[at] {
					at++
				}
				t.Errorf("%s: %s at %d is\n%.200s\nwant\n%.200s", name, f, at, a[max(0, at-40):], b[max(0, at-40):])
			}
		}
	}
	for _, tier := range tiers {
		cfg := Config{Config: api.Config{Tier: tier}}
		cfg.Memory, cfg.Seed = 64<<20, 3
		in, err := p.NewInstance(ctx, cfg)
		check(err)
		defer in.Close()
		do(in, 0, calls)
		compare(string(tier), in)

		undone, err := p.NewInstance(ctx, cfg)
		check(err)
		defer undone.Close()
		do(undone, 0, calls)
		check(undone.Begin(ctx))
		do(undone, 2*calls, 3*calls)
		check(undone.Rollback())
		compare(string(tier)+", rolled back", undone)

		half, err := p.NewInstance(ctx, cfg)
		check(err)
		defer half.Close()
		do(half, 0, calls/2)
		s, err := half.State(ctx)
		check(err)
		for _, other := range tiers {
			cfg.Tier = other
			restored, err := p.Restore(ctx, cfg, s.Root, asSaved{s})
			check(err)
			defer restored.Close()
			do(restored, calls/2, calls)
			compare(fmt.Sprintf("%s, restored from %s", other, tier), restored)
		}

		tested := 0
		rootFields(reflect.ValueOf(in).Elem(), lines, "", map[string]string{}, func(name string, v reflect.Value) {
			back := changed(v)
			if back == nil {
				return
			}
			s, err := in.State(ctx)
			back()
			if tested++; err == nil && s.Root == root {
				t.Errorf("%s, %s: another value has the same root", tier, name)
			}
			s, err = in.State(ctx)
			check(err)
			if s.Root != root {
				t.Fatalf("%s, %s: changed back, there is another root", tier, name)
			}
		})
		t.Logf("%s: %d values were changed", tier, tested)
	}
}
