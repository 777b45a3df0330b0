package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr/api"
)

// resetLibrary has functions that end in all ways and leave as much as possible.
const resetLibrary = `package lib

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sync"
	"time"
)

type node struct { next *node; pad [30]*node }

var (
	list  *node
	table = map[string]int{"a": 1}
	mu    sync.Mutex
	pool  = sync.Pool{New: func() any { return new([1000]byte) }}
	began = time.Now()
)

func mess(n int) {
	for i := range n { list = &node{next: list}; table[fmt.Sprint(i)] = i }
	for i := range n { go func() { mu.Lock(); defer mu.Unlock(); time.Sleep(time.Duration(i)); deep(i) }() }
	runtime.Gosched()
	p := new(node)
	runtime.SetFinalizer(p, func(*node) { table["final"]++ })
	reflect.New(reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.ArrayOf(n, reflect.TypeFor[*int]())}}))
	os.WriteFile("/tmp/file", make([]byte, n*100), 0o600)
	os.Open("/tmp/file")
	pool.Put(pool.Get())
	fmt.Println("mess", n)
}

func deep(n int) int { var a [50]int; if n == 0 { return 0 }; p := &a; p[n%50]++; return deep(n-1) + p[3] }

func Use(n int) string {
	mess(n)
	runtime.GC()
	b, _ := json.Marshal(table)
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	f, err := os.Stat("/tmp/file")
	return fmt.Sprint(len(b), ms.Mallocs, ms.HeapAlloc, ms.NumGC, time.Since(began), runtime.NumGoroutine(), f != nil, err, fmt.Sprintf("%p", list))
}

func Panic()  { mess(50); panic("over") }
func Spin()   { mess(50); for { list = &node{} } }
func Grow()   { mess(50); for { list = &node{next: list} } }
func Large()  { mess(5); var keep [][]byte; for range 100 { keep = append(keep, make([]byte, 1<<20)); keep[len(keep)-1][5]++ }; runtime.GC() }
func Deepen() { mess(50); deep(1 << 30) }
func Exit()   { mess(50); os.Exit(3) }
func Block()  { mess(50); mu.Lock(); mu.Lock() }
func Print()  { mess(50); for { fmt.Println(list) } }
`

// TestResetIsFresh: a reset instance equals a new one, whatever happened before: memory, figures,
// output, answers.
func TestResetIsFresh(t *testing.T) {
	p, err := Compile(t.Context(), Source{FS: fstest.MapFS{"lib.go": {Data: []byte(resetLibrary)}}, Exports: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := func(tier api.Tier, out *bytes.Buffer) Config {
		c := Config{Config: api.Config{Tier: tier}}
		c.Stdout, c.Stderr, c.Gas, c.Memory = out, out, 20_000_000, 192<<20
		return c
	}
	// watch observes an instance that has begun anew, before and after calls.
	watch := func(in *Instance, out *bytes.Buffer) (all []sight, text string) {
		t.Helper()
		for n := range 3 {
			all = append(all, lookAt(in, out))
			r, err := in.Call(context.Background(), "Use", n*7+1)
			text += fmt.Sprintln(r, err)
		}
		return append(all, lookAt(in, out)), text
	}
	for _, tier := range tiersOf(p) {
		var before bytes.Buffer
		first, err := p.NewInstance(t.Context(), cfg(tier, &before)) // no other instance begins as a copy of this one
		if err != nil {
			t.Fatal(err)
		}
		first.Call(context.Background(), "Use", 1)
		first.Close()
		fresh := func() ([]sight, string) {
			var out bytes.Buffer
			in, err := p.NewInstance(t.Context(), cfg(tier, &out))
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			return watch(in, &out)
		}
		fresh()
		want, wantText := fresh()
		var out bytes.Buffer
		in, err := p.NewInstance(t.Context(), cfg(tier, &out))
		if err != nil {
			t.Fatal(err)
		}
		rewound := 0
		vm := in.vm
		for _, c := range []struct {
			call  string
			arg   []any
			spoil func(*Config)
			ends  any // nil: it does not
		}{
			{call: "Use", arg: []any{100}},
			{call: "Panic", ends: new(*api.ExitError)},
			{call: "Spin", ends: new(*api.OutOfGasError)},
			{call: "Grow", spoil: func(c *Config) { c.Gas = 0; c.Memory = 32 << 20 }, ends: new(*api.MemoryLimitError)},
			{call: "Large"},
			{call: "Deepen", spoil: func(c *Config) { c.Gas = 0; c.Stack = 1 << 20 }, ends: new(*api.StackLimitError)},
			{call: "Exit", ends: new(*api.ExitError)},
			{call: "Block", ends: new(*api.ExitError)},
			{call: "Spin", spoil: func(c *Config) { c.Gas = 0 }, ends: new(*api.DeadlineError)},
			{call: "Print", spoil: func(c *Config) { c.Gas = 0; c.Stdout = failing{} }},
			{call: "Use", arg: []any{3}},
		} {
			spoilt := cfg(tier, &out)
			if c.spoil != nil {
				c.spoil(&spoilt)
			}
			if err := in.Reset(spoilt); err != nil {
				t.Fatalf("%s, %s: %v", tier, c.call, err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			if spoilt.Gas != 0 {
				ctx = context.Background()
			}
			_, err := in.Call(ctx, c.call, c.arg...)
			cancel()
			if c.ends != nil && !errors.As(err, c.ends) {
				var limit *api.DeadlineError
				if !errors.As(err, &limit) { // a slow machine
					t.Errorf("%s, %s: %v", tier, c.call, err)
				}
			}
			if tier == api.TierNative || c.call != "Print" {
				out.Reset()
			}
			if err := in.Reset(cfg(tier, &out)); err != nil {
				t.Fatalf("%s, behind %s: %v", tier, c.call, err)
			}
			out.Reset()
			if in.vm == vm {
				rewound++
			}
			got, text := watch(in, &out)
			if text != wantText {
				t.Errorf("%s, behind %s: answers\n%swant\n%s", tier, c.call, text, wantText)
			}
			for i := range got {
				if g, w := got[i], want[i]; fmt.Sprint(g) != fmt.Sprint(w) {
					t.Errorf("%s, behind %s: sight %d is\n%+v\nwant\n%+v", tier, c.call, i, g, w)
				}
			}
		}
		if rewound < 9 {
			t.Errorf("%s: only %d instances were reset in their memory", tier, rewound)
		}
		in.Close()
	}
}

// failing is a Writer that cannot write.
type failing struct{}

func (failing) Write(p []byte) (int, error) { return 0, errors.New("full") }

// TestResetRefused: a Reset that fails leaves the instance as it was.
func TestResetRefused(t *testing.T) {
	p, err := Compile(t.Context(), Source{FS: fstest.MapFS{"lib.go": {Data: []byte("package lib\nvar n int\nfunc Next() int { n++; return n }\n")}}, Exports: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range tiersOf(p) {
		in, err := p.NewInstance(t.Context(), Config{Config: api.Config{Tier: tier}})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		next := func(want int) {
			t.Helper()
			if r, err := in.Call(context.Background(), "Next"); err != nil || r[0] != want {
				t.Errorf("%s: %v, %v, want %d", tier, r, err, want)
			}
		}
		next(1)
		var bad [4]Config
		for i := range bad {
			bad[i].Tier = tier
		}
		bad[0].Memory = 1
		bad[1].Gas = -1
		bad[2].Tier = "none"
		bad[3].Dirs = []api.Dir{{Host: "/does/not/exist", Guest: "/x"}}
		for i, c := range bad {
			if err := in.Reset(c); err == nil {
				t.Errorf("%s: configuration %d is accepted", tier, i)
			}
			next(i + 2)
		}
		if err := in.Reset(Config{Config: api.Config{Tier: tier}}); err != nil {
			t.Fatal(err)
		}
		next(1)
	}
}
