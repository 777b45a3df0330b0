package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	goversion "go/version"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/suites/installed"
)

var builders = flag.String("builders", "", "comma-separated toolchains, as $GOTOOLCHAIN takes them: compare what gyr does when these have built it (TestBuilders); two minutes for each of which go has built nothing yet")

// twoReleases prints facts that depend on a release or on its layouts.
const twoReleases = `package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
)

type key struct {
	a string
	b [3]int64
}

func keep[K comparable, V any](keys []K, v V) int {
	m := map[K]V{}
	for _, k := range keys {
		m[k] = v
	}
	r := reflect.ValueOf(m)
	found := 0
	for _, k := range keys {
		if r.MapIndex(reflect.ValueOf(k)).IsValid() {
			found++
		}
	}
	made := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[K](), reflect.TypeFor[V]()))
	for _, k := range keys {
		made.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(v))
	}
	for k := range made.Interface().(map[K]V) {
		if _, ok := m[k]; ok {
			found++
		}
	}
	return found + len(maps.Clone(m))
}

func main() {
	fmt.Println(runtime.Version())
	var i32 []int32
	var u64 []uint64
	var texts []string
	var structs []key
	var anys []any
	var floats []float64
	var large [][20]int64
	for i := range 300 {
		i32, u64 = append(i32, int32(i*77)), append(u64, uint64(i)<<40)
		texts, structs = append(texts, strings.Repeat("k", i%50)+fmt.Sprint(i)), append(structs, key{fmt.Sprint(i), [3]int64{int64(i)}})
		anys, floats = append(anys, i, fmt.Sprint(i)), append(floats, float64(i)/3)
		large = append(large, [20]int64{int64(i)})
	}
	fmt.Println(keep(i32, "x"), keep(u64, 1), keep(texts, true), keep(structs, 1.5), keep(anys, [30]int{}), keep(floats, struct{}{}), keep(large, new(int)))
	b, err := json.Marshal(map[string]any{"a": []int{1}, "b": map[int]string{3: "x", 1: "y"}})
	fmt.Println(string(b), err)
	fmt.Println(slices.Sorted(maps.Keys(map[string]int{"x": 1, "y": 2})), time.Duration(1500))
	runtime.GC()
	if runtime.Version() == "" {
		panic("no version")
	}
}
`

// counter is a program whose state has a root.
const counter = `package counter

import (
	"encoding/json"
	"sort"
)

var seen = map[string]int{}

func Add(name string) (string, error) {
	seen[name]++
	names := make([]string, 0, len(seen))
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	b, err := json.Marshal(map[string]any{"names": names, "seen": seen})
	return string(b), err
}
`

// tierFigures are the results of programs of a release in a tier.
type tierFigures struct {
	Out   string
	Gas   int64
	Heap  uint64
	Calls int64 // gas of the calls of counter
	Root  string
}

// releaseFigures are the compilation of programs of a release, and their results in each tier.
type releaseFigures struct {
	Layers []string
	Tiers  map[api.Tier]tierFigures
}

// figuresOf compiles and runs programs with a Go installation. It names all layers of the standard
// library, or only those that the programs need.
func figuresOf(ctx context.Context, goroot string, all bool) (*releaseFigures, error) {
	src := Source{FS: fstest.MapFS{"main.go": {Data: []byte(twoReleases)}}, Patterns: []string{"main.go"}, GOROOT: goroot}
	p, err := Compile(ctx, src)
	if err != nil {
		return nil, err
	}
	c, err := Compile(ctx, Source{FS: fstest.MapFS{"go.mod": {Data: []byte("module counter\n\ngo 1.26\n")}, "c.go": {Data: []byte(counter)}}, GOROOT: goroot, Exports: true, State: true})
	if err != nil {
		return nil, err
	}
	f := &releaseFigures{Tiers: map[api.Tier]tierFigures{}}
	last := p.base
	if all {
		b, err := src.base()
		if err != nil {
			return nil, err
		}
		if last, err = b.layer(ctx, len(layers)-1, nil); err != nil {
			return nil, err
		}
	}
	for l := last; l != nil; l = l.below {
		f.Layers = append(f.Layers, fmt.Sprintf("%x", l.id))
	}
	for _, tier := range []api.Tier{api.TierInterp, DefaultTier} {
		if f.Tiers[tier], err = tierOf(ctx, tier, p, c); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// tierOf runs p and calls c in a tier.
func tierOf(ctx context.Context, tier api.Tier, p, c *Program) (f tierFigures, err error) {
	var out bytes.Buffer
	cfg := Config{Config: api.Config{Tier: tier}}
	cfg.Stdout, cfg.Stderr = &out, &out
	in, err := p.NewInstance(ctx, cfg)
	if err != nil {
		return f, err
	}
	defer in.Close()
	if err := in.Run(ctx); err != nil {
		return f, fmt.Errorf("%w\n%s", err, out.Bytes())
	}
	st := in.Stats()
	counter, err := c.NewInstance(ctx, Config{Config: api.Config{Tier: tier}})
	if err != nil {
		return f, err
	}
	defer counter.Close()
	for _, name := range []string{"a", "b", "a"} {
		results, err := counter.Call(ctx, "Add", name)
		if err != nil {
			return f, err
		}
		fmt.Fprintln(&out, results...)
	}
	s, err := counter.State(ctx)
	if err != nil {
		return f, err
	}
	return tierFigures{out.String(), st.Gas, st.HeapPeak, counter.Stats().Gas, fmt.Sprintf("%x", s.Root)}, nil
}

// testGoroot tells a process of this test which installation's figures to print.
const testGoroot = "GYR_TEST_GOROOT"

// figuresBy is figuresOf by a process of a binary of this package's tests.
func figuresBy(t *testing.T, bin, goroot string) *releaseFigures {
	t.Helper()
	cmd := exec.Command(bin, "-test.run=^TestTwoReleases$", "-builders="+*builders)
	cmd.Env = append(os.Environ(), testGoroot+"="+goroot)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s of %s: %v\n%s", bin, goroot, err, out)
	}
	f := new(releaseFigures)
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(f); err != nil {
		t.Fatalf("%s of %s: %v\n%s", bin, goroot, err, out)
	}
	if i, d := f.Tiers[api.TierInterp], f.Tiers[DefaultTier]; i != d {
		t.Errorf("%s of %s: tiers differ: %+v, %+v", bin, goroot, i, d)
	}
	return f
}

// TestTwoReleases: a process that compiles and runs programs of two releases at once gets the
// figures of processes that have one each.
func TestTwoReleases(t *testing.T) {
	if goroot := os.Getenv(testGoroot); goroot != "" {
		f, err := figuresOf(t.Context(), goroot, *builders != "")
		if err != nil {
			t.Fatal(err)
		}
		json.NewEncoder(os.Stdout).Encode(f)
		return
	}
	list := installed.Releases(t)
	alone := map[string]*releaseFigures{}
	for name, goroot := range list {
		alone[name] = figuresBy(t, os.Args[0], goroot)
		if out := alone[name].Tiers[api.TierInterp].Out; !strings.HasPrefix(out, name+"\n") {
			t.Errorf("%s: runtime.Version is %.10s", name, out)
		}
	}
	var wg sync.WaitGroup
	for range 2 {
		for name, goroot := range list {
			wg.Go(func() {
				f, err := figuresOf(t.Context(), goroot, *builders != "")
				if err != nil || !reflect.DeepEqual(f, alone[name]) {
					t.Errorf("%s: %v, %+v, alone %+v", name, err, f, alone[name])
				}
			})
		}
	}
	wg.Wait()
	t.Log(alone)
}

// TestBuilders: gas, heap, roots of states and the names of all layers of a standard library are
// the same whichever Go has built gyr.
func TestBuilders(t *testing.T) {
	if *builders == "" {
		t.Skip("needs the flag -builders")
	}
	list := installed.Releases(t)
	own := map[string]*releaseFigures{}
	for name, goroot := range list {
		own[name] = figuresBy(t, os.Args[0], goroot)
	}
	dir := t.TempDir()
	for _, toolchain := range strings.Split(*builders, ",") {
		env := append(os.Environ(), "GOROOT=", "GOTOOLCHAIN="+toolchain)
		version := exec.Command("go", "env", "GOVERSION")
		version.Env = env
		text, err := version.Output()
		by := strings.TrimSpace(string(text))
		if err != nil || by != toolchain {
			t.Errorf("GOTOOLCHAIN=%s go env GOVERSION: %q, %v", toolchain, text, err)
			continue
		}
		bin := filepath.Join(dir, by+".test")
		build := exec.Command("go", "test", "-c", "-o", bin, ".")
		build.Env = env
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", by, err, out)
		}
		for name, goroot := range list {
			if goversion.Compare(name, goversion.Lang(by)) > 0 {
				continue // it does not support this one
			}
			if got := figuresBy(t, bin, goroot); !reflect.DeepEqual(got, own[name]) {
				t.Errorf("built by %s, std of %s:\n%+v\nbuilt by %s:\n%+v", by, name, got, runtime.Version(), own[name])
			}
		}
	}
}

// TestLanguageOfRelease: the standard library decides which language a program may use, not the Go
// that built gyr, which knows more.
func TestLanguageOfRelease(t *testing.T) {
	list := installed.Releases(t)
	const generic = "package main\n\ntype T struct{}\n\nfunc (T) M[P any](p P) P { return p }\n\nfunc main() { println(T{}.M(27)) }\n"
	for _, tt := range []struct {
		release, mod string
		files        map[string]string
		tags         []string
		want         string // output, or part of an error
	}{
		{"go1.27", "go 1.27", map[string]string{"main.go": generic}, nil, "27\n"},
		{"go1.27", "go 1.26", map[string]string{"main.go": generic}, nil, "main.go:5:12: generic method requires go1.27 or later (-lang was set to go1.26; check go.mod)"},
		{"go1.26", "go 1.26", map[string]string{"main.go": generic}, nil, "main.go:5:12: generic method requires go1.27 or later"},
		{"go1.26", "go 1.27", map[string]string{"main.go": generic}, nil, "go1.27"},
		{"go1.27", "go 1.26", map[string]string{"main.go": "//go:build go1.27\n\n" + generic}, nil, "27\n"},
		{"go1.26", "go 1.26", map[string]string{"main.go": "//go:build go1.27\n\n" + generic}, nil, "build constraints exclude all Go files"},
		{"go1.26", "go 1.26", map[string]string{"main.go": "//go:build go1.27\n\n" + generic}, []string{"go1.27"},
			"build tag go1.27: the standard library is that of go1.26; GOROOT names an installation of another release"},
		{"go1.26", "go 1.26", map[string]string{"main.go": "package main\n\nfunc main() { println(n) }\n", "a.go": "//go:build go1.27\n\npackage main\n\nconst n = 27\n",
			"b.go": "//go:build !go1.27\n\npackage main\n\nconst n = 26\n"}, []string{"go1.26"}, "26\n"},
	} {
		fs := fstest.MapFS{"go.mod": {Data: []byte("module m\n" + tt.mod + "\n")}}
		for name, text := range tt.files {
			fs[name] = &fstest.MapFile{Data: []byte(text)}
		}
		p, err := Compile(t.Context(), Source{FS: fs, GOROOT: list[tt.release], Tags: tt.tags})
		got := ""
		if err == nil {
			var out bytes.Buffer
			cfg := Config{}
			cfg.Stderr = &out
			in, e := p.NewInstance(t.Context(), cfg)
			if e != nil {
				t.Fatal(e)
			}
			err = in.Run(t.Context())
			in.Close()
			got = out.String()
		}
		if err != nil && (strings.HasSuffix(tt.want, "\n") || !strings.Contains(err.Error(), tt.want)) || err == nil && got != tt.want {
			t.Errorf("%s, %s, %v, %v: %s%v\nwant %s", tt.release, tt.mod, tt.files, tt.tags, got, err, tt.want)
		}
	}
}

// TestOtherRelease: images and states of one release are refused on the standard library of
// another, with both named.
func TestOtherRelease(t *testing.T) {
	ctx, list := t.Context(), installed.Releases(t)
	cache := t.TempDir()
	source := func(release string) Source {
		return Source{FS: fstest.MapFS{"main.go": {Data: []byte(counter)}}, Patterns: []string{"main.go"}, Exports: true, GOROOT: list[release], State: true, Cache: cache}
	}
	compile := func(src Source) *Program {
		t.Helper()
		p, err := Compile(ctx, src)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, was := range slices.Sorted(maps.Keys(list)) {
		of := compile(source(was))
		in, err := of.NewInstance(ctx, Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		st, err := in.State(ctx)
		if err != nil {
			t.Fatal(err)
		}
		data, err := Build(ctx, source(was))
		if err != nil {
			t.Fatal(err)
		}
		for is, goroot := range list {
			if is == was {
				continue
			}
			_, err := Compile(ctx, Source{Image: data, GOROOT: goroot, Cache: cache})
			_, version, _ := FindGo(list[was])
			want := "image: built on the standard library of " + version + ", here is that of " + is + ": GOROOT= GOTOOLCHAIN=" + version + " go env GOROOT "
			if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("image of %s on %s: %v\nwant %s", was, is, err, want)
			}
			now := source(is)
			var refused *api.ChangeError
			if _, err = compile(now).Restore(ctx, Config{}, st.Root, asSaved{st}); !errors.As(err, &refused) ||
				!strings.Contains(err.Error(), "the standard library: was that of "+was+", is that of "+is) {
				t.Errorf("state of %s, restored with %s: %v", was, is, err)
			}
			now.Upgrades = of
			if _, err = compile(now).Upgrade(ctx, Config{}, st.Root, asSaved{st}); !errors.As(err, &refused) ||
				!strings.Contains(err.Error(), "the standard library: was that of "+was+", is that of "+is) {
				t.Errorf("state of %s, upgraded to %s: %v", was, is, err)
			}
		}
	}
}
