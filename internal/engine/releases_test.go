package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/internal/front/load"
)

// goroots returns a Go installation for each release that this test can run, or skips it if there are fewer than two.
func goroots(t *testing.T) map[string]string {
	t.Helper()
	list := load.Installations()
	if len(list) < 2 {
		t.Skipf("one release of Go, %v: this test is built with an older Go than the newest that gyr runs, or there is no other installation (GOTOOLCHAIN=go1.27.4 go version downloads one)", list)
	}
	return list
}

// twoReleases prints what depends on a release or on the layouts of one.
const twoReleases = `package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
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

// A releaseFigure is what a program of a release did in a tier.
type releaseFigure struct {
	Out  string
	Gas  int64
	Heap uint64
}

// releaseFigures runs twoReleases with a Go installation.
func releaseFigures(ctx context.Context, goroot string) (map[Tier]releaseFigure, error) {
	p, err := Compile(ctx, Source{FS: fstest.MapFS{"main.go": {Data: []byte(twoReleases)}}, Patterns: []string{"main.go"}, GOROOT: goroot})
	if err != nil {
		return nil, err
	}
	figures := map[Tier]releaseFigure{}
	for _, tier := range []Tier{TierInterp, DefaultTier} {
		var out bytes.Buffer
		cfg := Config{Tier: tier}
		cfg.Stdout, cfg.Stderr = &out, &out
		in, err := p.NewInstance(ctx, cfg)
		if err != nil {
			return nil, err
		}
		err = in.Run(ctx)
		st := in.Stats()
		in.Close()
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, out.Bytes())
		}
		figures[tier] = releaseFigure{out.String(), st.Gas, st.HeapPeak}
	}
	return figures, nil
}

// TestTwoReleases: a process that compiles and runs programs of two releases at once gets the figures of processes that have one each.
func TestTwoReleases(t *testing.T) {
	const child = "GYR_TEST_GOROOT"
	if goroot := os.Getenv(child); goroot != "" {
		f, err := releaseFigures(t.Context(), goroot)
		if err != nil {
			t.Fatal(err)
		}
		json.NewEncoder(os.Stdout).Encode(f)
		return
	}
	list := goroots(t)
	alone := map[string]map[Tier]releaseFigure{}
	for name, goroot := range list {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTwoReleases$")
		cmd.Env = append(os.Environ(), child+"="+goroot)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		var f map[Tier]releaseFigure
		if err := json.NewDecoder(bytes.NewReader(out)).Decode(&f); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if i, d := f[TierInterp], f[DefaultTier]; i != d {
			t.Errorf("%s: tiers differ: %+v, %+v", name, i, d)
		}
		alone[name] = f
	}
	var wg sync.WaitGroup
	for range 2 {
		for name, goroot := range list {
			wg.Go(func() {
				f, err := releaseFigures(t.Context(), goroot)
				if err != nil || !reflect.DeepEqual(f, alone[name]) {
					t.Errorf("%s: %v, %+v, alone %+v", name, err, f, alone[name])
				}
			})
		}
	}
	wg.Wait()
	t.Log(alone)
}

// TestLanguageOfRelease: the standard library at hand decides what of the language there is, not the Go that built gyr, which knows more.
func TestLanguageOfRelease(t *testing.T) {
	list := goroots(t)
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

// counter is a library with a state.
const counter = "package counter\n\nvar n int\n\nfunc Add(by int) int { n += by; return n }\n"

// TestOtherRelease: images and states of one release are refused where the standard library is that of another, with both named.
func TestOtherRelease(t *testing.T) {
	ctx, list := t.Context(), goroots(t)
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
			var refused *ChangeError
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
