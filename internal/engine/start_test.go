package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// probe looks at everything that an initialisation may have left: the contents and order of maps,
// the clock, random numbers, figures of memory, finalizers, goroutines, and the order of their
// actions.
const probe = `

func Probe(n int) string {
	var b strings.Builder
	m := map[int]string{}
	for i := range 20 { m[i*n] = fmt.Sprint("v", i) }
	for k, v := range m { fmt.Fprint(&b, k, v, " ") }
	fmt.Fprintln(&b, time.Now().UnixNano(), rand.Int63(), maphash.String(seed, "x"))
	var raw [8]byte
	crand.Read(raw[:])
	fmt.Fprintln(&b, raw, os.Args, os.Environ(), runtime.NumGoroutine())
	for i := range n {
		keep = append(keep, make([]byte, i*37))
		p := &node{next: head, id: i}
		if i%3 == 0 { head = p }
		runtime.AddCleanup(p, func(i int) { sum += i }, i)
	}
	t := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[*int]()}, {Name: "B", Type: reflect.ArrayOf(n, reflect.TypeFor[string]())}})
	things = append(things, reflect.New(t).Interface())
	runtime.GC()
	done := make(chan int)
	for i := range 3 { go func() { time.Sleep(time.Duration(3-i) * time.Millisecond); done <- i }() }
	for range 3 { fmt.Fprint(&b, <-done, " ") }
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	fmt.Fprintln(&b, ms.Mallocs, ms.Frees, ms.TotalAlloc, ms.HeapAlloc, ms.NumGC, ms.NextGC, sum, fmt.Sprintf("%p", head))
	fmt.Fprintln(&b, string(debug.Stack()))
	fmt.Fprintln(&b, state())
	println("probed", n)
	return b.String()
}

type node struct { next *node; id int; pad [5]*node }

var (
	seed = maphash.MakeSeed()
	head *node
	sum int
	keep [][]byte
	things []any
)
`

const startHead = `package lib

import (
	"fmt"
	"hash/maphash"
	"math/rand"
	crand "crypto/rand"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
`

// startCases are libraries with odd initialisers. Each has a function state.
var startCases = []struct {
	name, imports, body string
	afresh              bool // no instance can begin as a copy
}{
	{name: "plain", body: `func state() any { return nil }`},
	{name: "maps", body: `
var m = func() map[string]int { m := map[string]int{}; for i := range 1000 { m[fmt.Sprint(i)] = i }; return m }()
var first = func() (s []string) { for k := range m { s = append(s, k) }; return s }()
func state() any { n := 0; for k, v := range m { n = n*31 + v + len(k) }; return fmt.Sprint(n, first[:5]) }`},
	{name: "clock", body: `
var began = time.Now()
func init() { time.Sleep(3 * time.Second) }
func state() any { return fmt.Sprint(began, time.Since(began)) }`},
	{name: "args", body: `
var args = append([]string{}, os.Args...)
var home = os.Getenv("HOME")
func state() any { return fmt.Sprint(args, home) }`},
	{name: "goroutines", body: `
var ticks = make(chan int)
var mu sync.Mutex
func init() {
	mu.Lock()
	for i := range 5 {
		go func() { for j := 0; ; j++ { time.Sleep(time.Millisecond); ticks <- i*1000 + j } }()
		go func() { mu.Lock(); defer mu.Unlock(); runtime.Gosched(); big(i * 20) }()
	}
	fmt.Sprint(<-ticks, <-ticks)
	go func() { var a [2000]int; for { a[7]++; if a[7]%1000 == 0 { runtime.Gosched() } } }()
	runtime.Gosched()
	mu.Unlock()
	runtime.Gosched()
}
func big(n int) int { var a [100]int; if n == 0 { return a[3] }; p := &a; use(p); return big(n-1) + p[n%100] }
//go:noinline
func use(p *[100]int) { p[5]++ }
func state() any { s := []int{}; for range 8 { s = append(s, <-ticks) }; return s }`, imports: `"sync"`},
	{name: "finalizers", body: `
type res struct { id int; p *res }
var log []int
var weakest weak.Pointer[res]
var shared = unique.Make("shared" + fmt.Sprint(len(os.Args)))
func init() {
	for i := range 100 {
		r := &res{id: i}
		runtime.SetFinalizer(r, func(r *res) { log = append(log, r.id) })
		if i == 50 { weakest = weak.Make(r) }
	}
	runtime.GC()
	for range 7 { r := &res{}; runtime.SetFinalizer(r, func(r *res) { log = append(log, -1) }) }
}
func state() any { runtime.GC(); runtime.Gosched(); return fmt.Sprint(log, weakest.Value(), shared.Value(), shared == unique.Make("shared1")) }`, imports: `"unique"; "weak"`},
	{name: "panics", body: `
var got []any
func try(f func()) { defer func() { got = append(got, recover()) }(); f() }
func init() {
	try(func() { var p *int; *p = 1 })
	try(func() { panic(fmt.Errorf("e%d", 1)) })
	try(func() { _ = []int{}[len(os.Args)+5] })
}
func state() any { return fmt.Sprint(got...) }`},
	{name: "random", body: `
var a = rand.Int63()
var b [16]byte
func init() { crand.Read(b[:]); for range rand.Intn(10) { rand.Float64() } }
func state() any { return fmt.Sprint(a, b) }`},
	{name: "huge", body: `
var table = func() []uint64 { t := make([]uint64, 1<<20); for i := range t { t[i] = uint64(i) * 0x9e3779b97f4a7c15 }; return t }()
var sparse = make([]*int, 3<<20)
var lists = func() [][]int { var l [][]int; for i := range 20000 { l = append(l, make([]int, i%50)) }; return l }()
func state() any { x := uint64(0); for i := 0; i < len(table); i += 997 { x ^= table[i] }; return fmt.Sprint(x, len(lists), sparse[len(sparse)-1]) }`},
	{name: "regular expressions", body: `
var list = func() (l []*regexp.Regexp) { for i := range 30 { l = append(l, regexp.MustCompile(fmt.Sprintf("^(a|b%d)*[c-%c]{2,%d}$", i, 'd'+i%20, i+3))) }; return l }()
func state() any { n := 0; for i, r := range list { if r.MatchString(fmt.Sprintf("aab%dacc", i)) { n++ } }; return fmt.Sprint(n, html.UnescapeString("&lt;&amp;&eacute;")) }`, imports: `"html"; "regexp"`},
	{name: "layouts", body: `
var made = func() (l []any) {
	for i := range 20 { l = append(l, reflect.New(reflect.ArrayOf(i+1, reflect.TypeFor[struct{ A *int; B [3]int; C string }]())).Interface()) }
	t := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[map[string]int]()}})
	return append(l, reflect.MakeSlice(reflect.SliceOf(t), 500, 500).Interface())
}()
func state() any { runtime.GC(); return fmt.Sprintf("%T", made[len(made)-1]) }`},
	{name: "deep stack", body: `
var deep = down(3000)
func down(n int) int { var a [10]int; if n == 0 { runtime.GC(); return 0 }; p := &a; touch(p); return down(n-1) + p[n%10] }
//go:noinline
func touch(p *[10]int) { p[n()]++ }
func n() int { return 3 }
func state() any { return deep + down(10) }`},
	{name: "collections", body: `
var rest = func() (l []*[100]int) { for i := range 100000 { p := new([100]int); if i%500 == 0 { l = append(l, p) } }; return l }()
func state() any { return len(rest) }`},
	{name: "directories", body: `
var l, err = os.ReadDir("/")
func state() any { return fmt.Sprint(l, err) }`, afresh: true},
	{name: "files", body: `
var err = os.WriteFile("/tmp/x", []byte("text"), 0o600)
func state() any { b, e := os.ReadFile("/tmp/x"); return fmt.Sprint(string(b), e, err) }`, afresh: true},
	{name: "printing", body: `
func init() { fmt.Println("hello"); println("world") }
func state() any { return nil }`, afresh: true},
	{name: "reading", body: `
var b [10]byte
var n, err = os.Stdin.Read(b[:])
func state() any { return fmt.Sprint(b, n, err) }`, afresh: true},
}

// A sight is everything observable about an instance.
type sight struct {
	stats  Stats
	memory [32]byte
	heap   any
	text   string
}

// repeatable returns the figures that do not depend on how the instance began.
func repeatable(in *Instance) Stats {
	s := in.figures()
	s.Stats = s.Repeatable()
	return s
}

func lookAt(in *Instance, out fmt.Stringer) sight {
	o := sight{stats: repeatable(in), text: out.String()}
	h := in.vm.Heap
	o.heap = h.Stats()
	end := uint64(h.Start()) + h.Stats().HeapSys
	b, ok := in.vm.Space.Bytes(ir.DataBase, end-ir.DataBase)
	if !ok {
		panic("memory is not there")
	}
	o.memory = sha256.Sum256(b)
	return o
}

// TestStarts compares instances that begin as copies with ones that initialise their packages
// themselves: memory, figures, output, after initialisation and after calls that look at
// everything.
func TestStarts(t *testing.T) {
	for _, c := range startCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := startHead + strings.ReplaceAll(c.imports, ";", "\n") + "\n)\n" + c.body + probe
			p, err := Compile(t.Context(), Source{FS: fstest.MapFS{"lib.go": {Data: []byte(src)}}, Exports: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, tier := range tiersOf(p) {
				p.starts.list, p.starts.begun, p.starts.wasted = nil, 0, 0
				run := func(begins bool) (all []sight) {
					var out bytes.Buffer
					cfg := Config{Config: api.Config{Tier: tier}}
					cfg.Stdin, cfg.Stdout, cfg.Stderr = strings.NewReader("input"), &out, &out
					cfg.Args, cfg.Env, cfg.Seed = []string{"one"}, []string{"HOME=/home"}, 7
					in, err := p.NewInstance(t.Context(), cfg)
					if err != nil {
						t.Fatal(err)
					}
					defer in.Close()
					if got := in.begins != nil; got != begins {
						t.Fatalf("%s: begins as another: %v", tier, got)
					}
					all = append(all, sight{stats: repeatable(in)})
					if err := in.Run(t.Context()); err != nil {
						t.Fatal(err)
					}
					all = append(all, lookAt(in, &out))
					for i := range 3 {
						text, err := in.Call(t.Context(), "Probe", 10+i*50)
						if err != nil {
							t.Fatal(err)
						}
						fmt.Fprintln(&out, text...)
						all = append(all, lookAt(in, &out))
					}
					return all
				}
				want := run(false)
				compare := func(what string, got []sight) {
					t.Helper()
					for i := range want {
						if !reflect.DeepEqual(got[i], want[i]) {
							t.Errorf("%s: %s, step %d:\n%+v\nwant\n%+v", tier, what, i, got[i], want[i])
							return
						}
					}
				}
				compare("watched", run(false))
				for range 2 {
					compare("begun as another", run(!c.afresh))
				}
				if len(p.starts.list) != 1 && !c.afresh {
					t.Errorf("%d starts", len(p.starts.list))
				}
			}
		})
	}
}

func tiersOf(p *Program) []api.Tier {
	if p.NativeError() != nil {
		return []api.Tier{api.TierInterp}
	}
	return []api.Tier{api.TierInterp, api.TierNative}
}

// TestStartsOfMain is TestStarts for programs with a main function.
func TestStartsOfMain(t *testing.T) {
	for _, c := range startCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := strings.Replace(startHead, "package lib", "package main", 1) + strings.ReplaceAll(c.imports, ";", "\n") + "\n)\n" + c.body + probe +
				"\nfunc main() { for i := range 3 { fmt.Println(Probe(10+i*50)) }; if len(os.Args) > 1 { os.Exit(3) } }\n"
			p, err := Compile(t.Context(), Source{FS: fstest.MapFS{"main.go": {Data: []byte(src)}}})
			if err != nil {
				t.Fatal(err)
			}
			for _, tier := range tiersOf(p) {
				p.starts.list, p.starts.begun, p.starts.wasted = nil, 0, 0
				run := func(begins bool, gas int64) sight {
					var out bytes.Buffer
					cfg := Config{Config: api.Config{Tier: tier}}
					cfg.Stdin, cfg.Stdout, cfg.Stderr = strings.NewReader("input"), &out, &out
					cfg.Args, cfg.Env, cfg.Seed, cfg.Gas = []string{"one"}, []string{"HOME=/home"}, 7, gas
					in, err := p.NewInstance(t.Context(), cfg)
					if err != nil {
						t.Fatal(err)
					}
					defer in.Close()
					if got := in.begins != nil; got != begins {
						t.Fatalf("%s: begins as another: %v", tier, got)
					}
					fmt.Fprintln(&out, in.Run(t.Context()))
					return lookAt(in, &out)
				}
				want := run(false, 0)
				if !strings.Contains(want.text, "exit status 3") {
					t.Fatal(want.text)
				}
				for i := range 4 {
					if got := run(i > 0 && !c.afresh, 0); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, %d:\n%+v\nwant\n%+v", tier, i, got, want)
					}
				}
				// Gas that ends within main, and within initialisation.
				list := p.starts.list
				for _, gas := range []int64{want.stats.Gas - 1, want.stats.Gas / 2, 1000} {
					p.starts.list, p.starts.begun = list, 0
					begins := !c.afresh && gas >= list[0].image.Units()
					got := run(begins, gas)
					p.starts.list, p.starts.begun = nil, 0
					if want := run(false, gas); !reflect.DeepEqual(got, want) {
						t.Errorf("%s, gas %d:\n%+v\nwant\n%+v", tier, gas, got, want)
					}
					p.starts.begun = 1
					if want := run(false, gas); !reflect.DeepEqual(got, want) { // watched
						t.Errorf("%s, gas %d, watched:\n%+v\nwant\n%+v", tier, gas, got, want)
					}
				}
			}
		})
	}
}

// TestStartsFit checks which configurations can share a start, and which cannot.
func TestStartsFit(t *testing.T) {
	src := `package lib
import ("fmt"; "time"; "math/rand"; "os")
var began, number, args, env, dir = time.Now(), rand.Int63(), os.Args, os.Getenv("A"), 0
func State() string { return fmt.Sprint(began, number, args, env) }
`
	p, err := Compile(t.Context(), Source{FS: fstest.MapFS{"lib.go": {Data: []byte(src)}}, Exports: true})
	if err != nil {
		t.Fatal(err)
	}
	state := func(cfg Config) (begins bool, text string, gas int64) {
		in, err := p.NewInstance(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		begins = in.begins != nil
		out, err := in.Call(t.Context(), "State")
		if err != nil {
			return begins, err.Error(), in.Stats().Gas
		}
		return begins, out[0].(string), in.Stats().Gas
	}
	base := func() Config {
		c := Config{}
		c.Args, c.Env, c.Memory = []string{"a"}, []string{"A=1"}, 64<<20
		return c
	}
	in, err := p.NewInstance(t.Context(), base())
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	need := in.Stats().Gas
	in.Close()
	state(base())
	if begins, _, _ := state(base()); !begins {
		t.Fatal("the third instance does not begin as the second")
	}
	for _, c := range []struct {
		name   string
		change func(c *Config)
		same   bool
	}{
		{"gas that is enough", func(c *Config) { c.Gas = need }, true},
		{"plenty of gas", func(c *Config) { c.Gas = 1 << 40 }, true},
		{"less gas", func(c *Config) { c.Gas = need - 1 }, false},
		{"output", func(c *Config) { c.Stdout = &bytes.Buffer{} }, true},
		{"arguments", func(c *Config) { c.Args = []string{"b"} }, false},
		{"the name", func(c *Config) { c.Name = "other" }, false},
		{"environment", func(c *Config) { c.Env = []string{"A=2"} }, false},
		{"seed", func(c *Config) { c.Seed = 1 }, false},
		{"memory", func(c *Config) { c.Memory = 65 << 20 }, false},
		{"stack", func(c *Config) { c.Stack = 1 << 20 }, false},
		{"directories", func(c *Config) { c.Dirs = []api.Dir{{Host: t.TempDir(), Guest: "/d"}} }, false},
		{"mounts", func(c *Config) { c.Mounts = []api.Mount{{Guest: "/m"}} }, false},
		{"the machine's clock", func(c *Config) { c.Realtime = true }, false},
		{"the machine's randomness", func(c *Config) { c.RealRandom = true }, false},
		{"a profile", func(c *Config) { c.Profiles = api.GasProfile }, false},
		{"counted instructions", func(c *Config) { c.Debug.Count = true }, false},
		{"stress", func(c *Config) { c.Debug.GCStress = 100 }, false},
		{"an observer", func(c *Config) { c.Observer = &rt.Observer{} }, false},
		{"the interpreter", func(c *Config) { c.Tier = api.TierInterp }, p.NativeError() != nil},
	} {
		p.starts.begun = 0 // nothing more is kept
		cfg := base()
		c.change(&cfg)
		begins, text, gas := state(cfg)
		if begins != c.same {
			t.Errorf("%s: begins as another: %v", c.name, begins)
		}
		list := p.starts.list
		p.starts.list, p.starts.begun = nil, 0
		if _, want, units := state(cfg); !cfg.Realtime && !cfg.RealRandom && (text != want || gas != units) {
			t.Errorf("%s: %s, gas %d, want %s, %d", c.name, text, gas, want, units)
		}
		p.starts.list = list
	}
}

// TestConfigOfStarts: rt.Start.Misfit knows every field of a configuration. It compares the field, or
// the field decides nothing that an initialisation with a start can see.
func TestConfigOfStarts(t *testing.T) {
	known := map[string]string{
		"Name": "compared", "Args": "compared", "Env": "compared", "Dirs": "compared", "Mounts": "compared, but for what is in them",
		"Stdin": "reading is not kept", "Stdout": "writing is not kept", "Stderr": "writing is not kept", "Output": "writing is not kept", "MaxFiles": "compared",
		"Seen": "must be nil", "Seed": "compared", "RealRandom": "compared", "Realtime": "compared", "Gas": "must be enough",
		"Memory": "compared", "Stack": "compared", "Context": "ends runs", "Stop": "ends runs", "Accounts": "must be nil",
		"Fuzz": "must be nil", "Observer": "must be nil", "Watch": "what copies need", "HostFuncs": "of the program", "Unsafe": "of the program", "Types": "of the program", "Debug": "must be zero",
		"Profiles": "must be zero", "Tier": "compared", "Roots": "compared, but for what is in them", "Log": "compared: whether there is one; its use is not kept",
		"Programs": "their use is not kept", "Starter": "its use is not kept", "World": "of children, which begin by themselves",
		"Child": "of children, which begin by themselves",
		"Dial":  "its use is not kept", "Listen": "its use is not kept", "Hooks": "decide nothing", "Labels": "decide nothing",
	}
	var look func(t reflect.Type)
	look = func(typ reflect.Type) {
		for f := range typ.Fields() {
			if f.Anonymous {
				look(f.Type)
			} else if known[f.Name] == "" {
				t.Errorf("%s.%s is not known: decide in rt.Start.Misfit what it means for instances that begin as others", typ, f.Name)
			}
		}
	}
	look(reflect.TypeFor[Config]())
}

// BenchmarkStart measures the time from a new instance to the return of an empty function, in a
// library with slow initialisers.
func BenchmarkStart(b *testing.B) {
	for _, name := range []string{"plain", "regular expressions", "huge"} {
		for _, c := range startCases {
			if c.name != name {
				continue
			}
			src := startHead + strings.ReplaceAll(c.imports, ";", "\n") + "\n)\n" + c.body + probe + "\nfunc Empty() {}\n"
			p, err := Compile(context.Background(), Source{FS: fstest.MapFS{"lib.go": {Data: []byte(src)}}, Exports: true})
			if err != nil {
				b.Fatal(err)
			}
			for _, tier := range tiersOf(p) {
				once := func(b *testing.B) {
					in, err := p.NewInstance(context.Background(), Config{Config: api.Config{Tier: tier}})
					if err == nil {
						_, err = in.Call(context.Background(), "Empty")
					}
					if err != nil {
						b.Fatal(err)
					}
					in.Close()
				}
				b.Run(name+"/"+string(tier)+"/afresh", func(b *testing.B) {
					for b.Loop() {
						p.starts.list, p.starts.begun = nil, 0
						once(b)
					}
				})
				b.Run(name+"/"+string(tier)+"/begun", func(b *testing.B) {
					for range 3 {
						once(b)
					}
					for b.Loop() {
						once(b)
					}
				})
			}
		}
	}
}
