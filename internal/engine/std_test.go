package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/stdfile"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// stdOfTests is a std file of only the first layer, which takes a second to make.
var stdOfTests = sync.OnceValues(func() ([]byte, error) { return buildStd(context.Background(), BaseConfig{}, 1) })

// goOfTests is a base of the Go installation.
var goOfTests = sync.OnceValues(func() (*Base, error) { return OpenBase(context.Background(), BaseConfig{}) })

// partsOfTests are its parts.
var partsOfTests = func() []string {
	list := []string{goPart, layerPart(0, "id"), layerPart(0, "sum"), layerPart(0, "sources")}
	for _, name := range entryParts {
		list = append(list, layerPart(0, name))
	}
	return list
}()

func testStd(t *testing.T) []byte {
	t.Helper()
	if _, _, err := gomod.FindGo(""); err != nil {
		t.Skip(err)
	}
	data, err := stdOfTests()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// withoutGo takes the Go installation away for the rest of a test.
func withoutGo(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("GOROOT", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	if dir, _, err := gomod.FindGo(""); err == nil {
		t.Fatalf("there still is a Go installation, in %s", dir)
	}
}

// A std file is the same wherever the Go installation is, and does not contain its place.
func TestStdFileIsTheSame(t *testing.T) {
	daily.Turn(t, 3, false)
	data := testStd(t)
	goroot, release, err := gomod.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte(filepath.Join(goroot, "src"))) {
		t.Errorf("the file has names in %s", goroot)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "VERSION"), []byte(release+"\ntime X\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(goroot, "src"), filepath.Join(other, "src")); err != nil {
		t.Skip(err)
	}
	again, err := buildStd(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{GOROOT: other}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, again) {
		f, _ := stdfile.Open(data)
		g, _ := stdfile.Open(again)
		for _, part := range partsOfTests {
			x, _ := f.Part(part)
			y, _ := g.Part(part)
			t.Errorf("part %s: %d and %d bytes, equal: %t", part, len(x), len(y), bytes.Equal(x, y))
		}
	}
}

// travellers are programs that need much of what a Go installation has: sources of generic
// packages, tables of GODEBUG, names of files in tracebacks.
var travellers = map[string]string{
	"generics": `package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unique"
)

type pair[K cmp.Ordered, V any] struct {
	k K
	v V
}

func main() {
	m := map[string]int{"b": 2, "a": 1}
	keys := slices.Sorted(maps.Keys(m))
	var p atomic.Pointer[pair[string, int]]
	p.Store(&pair[string, int]{keys[0], m[keys[0]]})
	once := sync.OnceValue(func() int { return len(keys) })
	fmt.Fprintln(os.Stderr, keys, *p.Load(), once(), reflect.TypeFor[pair[string, int]](), unique.Make("x").Value())
	panic(slices.Insert(keys, 7, "out of range")[0])
}
`,
	"caller": `package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sort"
)

type where []int

func (w where) Len() int           { return 2 }
func (w where) Swap(i, j int)      {}
func (w where) Less(i, j int) bool {
	_, file, line, _ := runtime.Caller(1)
	fmt.Println(file, line)
	return false
}

func main() {
	sort.Sort(where{})
	fmt.Println(string(debug.Stack()))
	var m map[string]int
	m["x"] = 1
}
`,
}

// seen returns everything observable about a run, except times.
func seen(t *testing.T, src Source, tier api.Tier) string {
	t.Helper()
	p, err := Compile(t.Context(), src)
	if err != nil {
		return "compile: " + err.Error()
	}
	var out bytes.Buffer
	cfg := Config{Config: api.Config{Tier: tier}}
	cfg.Stdout, cfg.Stderr = &out, &out
	in, err := p.NewInstance(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = in.Run(t.Context())
	s := in.Stats()
	return fmt.Sprintf("%s%v\ngas %d, %d objects, %d bytes, peak %d, on base %t", out.String(), err, s.Gas, s.Mallocs,
		s.AllocBytes, s.HeapPeak, p.Stats().OnBase)
}

// A program on a std file, without Go, is the program that a machine with Go makes: output,
// tracebacks, gas and heap figures are the same, in both tiers.
func TestStdWithoutGo(t *testing.T) {
	daily.Turn(t, 3, false)
	data := testStd(t)
	source := func(text string, b *Base) Source {
		return Source{Base: b, Patterns: []string{"main.go"}, FS: fstest.MapFS{
			"main.go": {Data: []byte(text)}, "go.mod": {Data: []byte("module m\n\ngo 1.21\n")}}}
	}
	tiers := []api.Tier{api.TierInterp}
	if CheckNative() == nil {
		tiers = append(tiers, api.TierNative)
	}
	with, err := goOfTests()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for name, text := range travellers {
		for _, tier := range tiers {
			want[name+string(tier)] = seen(t, source(text, with), tier)
		}
	}
	withoutGo(t)
	without, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Std: data}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range travellers {
		for _, tier := range tiers {
			got := seen(t, source(text, without), tier)
			if got != want[name+string(tier)] {
				t.Errorf("%s (%s): without Go:\n%s\nwith Go:\n%s", name, tier, got, want[name+string(tier)])
			}
			if !strings.Contains(got, "$GOROOT/src/") {
				t.Errorf("%s: no file of the standard library is named:\n%s", name, got)
			}
		}
	}
}

// Programs that do not compile have the same errors as with Go, even where a machine with Go reads
// the sources of the standard library.
func TestErrorsWithoutGo(t *testing.T) {
	data := testStd(t)
	programs := []string{
		"package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1 + \"a\") }\n",
		"package main\n\nimport \"fmt\"\n\nfunc main() { fmt.newPrinter(); var x int = \"s\" }\n",
		"package main\n\nimport _ \"internal/abi\"\n\nfunc main() {}\n",
		"package main\n\nimport _ \"no/such\"\n\nfunc main() {}\n",
	}
	source := func(text string, b *Base) Source {
		return Source{Base: b, Patterns: []string{"main.go"}, FS: fstest.MapFS{"main.go": {Data: []byte(text)}}}
	}
	goroot, _, err := gomod.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	with, err := goOfTests()
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, text := range programs {
		_, err := Compile(t.Context(), source(text, with))
		want = append(want, strings.ReplaceAll(fmt.Sprint(err), goroot, "$GOROOT"))
	}
	withoutGo(t)
	without, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Std: data}})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range programs {
		_, err := Compile(t.Context(), source(text, without))
		if !errors.As(err, new(*api.CompileError)) || err.Error() != want[i] {
			t.Errorf("%s\nwithout Go: %v\nwith Go: %s", text, err, want[i])
		}
	}
}

// An operation that needs sources of the standard library says so, and what to do.
func TestNeedsGo(t *testing.T) {
	data := testStd(t)
	withoutGo(t)
	for _, find := range []bool{false, true} {
		b, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Std: data}, FindGo: find})
		if err != nil {
			t.Fatal(err)
		}
		hello := fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() {}\n")}}
		for what, src := range map[string]Source{
			"compiling a program whole":  {FS: hello, Patterns: []string{"main.go"}, NoBase: true},
			"leaving out passes":         {FS: hello, Patterns: []string{"main.go"}, NoPass: []string{"phasea"}},
			"the build tags x":           {FS: hello, Patterns: []string{"main.go"}, Tags: []string{"x"}},
			"package fmt":                {Patterns: []string{"fmt"}, Test: true, Dir: t.TempDir()},
			"coverage of the standard":   {FS: hello, Patterns: []string{"main.go"}, Cover: []string{"fmt"}},
			"image that carries the std": {FS: hello, Patterns: []string{"main.go"}, Standalone: true},
		} {
			src.Base = b
			var need *api.NeedsGoError
			if src.Standalone {
				what = "an image that carries the standard library"
				_, err = Build(t.Context(), src)
			} else {
				_, err = Compile(t.Context(), src)
			}
			switch {
			case !errors.As(err, &need) || !strings.Contains(need.What, what):
				t.Errorf("%s: %v", what, err)
			case find && !strings.Contains(err.Error(), "install "+release.Names()+" ("), !find && need.Err != nil,
				strings.Contains(err.Error(), "\n"):
				t.Errorf("%s: the error names no cure: %v", what, err)
			}
		}
	}
}

// An unusable std file is refused with the reason, in one line that ends with the cure.
func TestUnfitStd(t *testing.T) {
	data := testStd(t)
	f, err := stdfile.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	other := func(change func(h *stdfile.Header)) []byte {
		h := f.Header
		change(&h)
		data, err := stdfile.Write(h, nil)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	image, err := f.Part(layerPart(0, "image"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(data)
	damaged[bytes.Index(data, image)+len(image)/2] ^= 1
	for _, test := range []struct {
		data        []byte
		tags        []string
		wrong, cure string
	}{
		{[]byte("no such thing"), nil, "no precompiled standard library", "gyr std build makes one"},
		{data[:len(data)-1], nil, "damaged", "again"},
		{damaged, nil, "damaged", "again"},
		{other(func(h *stdfile.Header) { h.Determinism++ }), nil, "determinism version", "make it again"},
		{other(func(h *stdfile.Header) { h.Release = "go1.99.1" }), nil, `"go1.99.1"`, "make it again"},
		{other(func(h *stdfile.Header) { h.FrontEnd = "go1.0 x" }), nil, `"go1.0 x"`, "make it again"},
		{other(func(h *stdfile.Header) { h.Tags = []string{"x"} }), nil, "the build tags x", "-tags"},
		{data, []string{"y"}, "the build tags y", "-tags"},
		{other(func(*stdfile.Header) {}), nil, `no part "go"`, "again"},
	} {
		_, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Std: test.data, Tags: test.tags}})
		var e *api.StdError
		if !errors.As(err, &e) || !strings.Contains(e.Err.Error(), test.wrong) || !strings.Contains(e.Cure, test.cure) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", test.wrong, err)
		}
	}
}

// Damage in lazily read parts is found when a program needs them.
func TestDamagedBodies(t *testing.T) {
	data := bytes.Clone(testStd(t))
	f, err := stdfile.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	bodies, err := f.Part(layerPart(0, "bodies"))
	if err != nil {
		t.Fatal(err)
	}
	bodies[len(bodies)/2] ^= 1 // a part of data
	b, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Std: data}})
	if err == nil {
		err = runOn(t, b, travellers["generics"])
	}
	if !errors.As(err, new(*api.StdError)) || !strings.Contains(err.Error(), "damaged: fetch or make the file again") {
		t.Errorf("damaged bodies: %v", err)
	}
}

// Changed parts with valid hashes are refused or give another library, but never panic: code of
// layers is trusted, its encoding is not.
func TestChangedParts(t *testing.T) {
	daily.Turn(t, 3, false)
	data := testStd(t)
	f, err := stdfile.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	var parts []stdfile.Part
	for _, name := range partsOfTests {
		b, err := f.Part(name)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, stdfile.Part{Name: name, Data: b})
	}
	withoutGo(t)
	for i := range parts {
		for _, n := range []int{0, 1, 7, len(parts[i].Data) / 2, len(parts[i].Data) - 1} {
			changed := append([]stdfile.Part(nil), parts...)
			changed[i].Data = parts[i].Data[:n]
			bad, err := stdfile.Write(f.Header, changed)
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 || i == 2 { // hashes, which are only compared
				_, err = OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Std: bad}})
				if errors.As(err, new(*api.InternalError)) {
					t.Error(err)
				}
				continue
			}
			b, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Std: bad}})
			if err == nil { // other parts are read when a program needs them
				err = runOn(t, b, travellers["generics"])
			}
			missed := err == nil && !(parts[i].Name == layerPart(0, "bodies") && n > 7) // the program may need none of those
			if missed || errors.As(err, new(*api.InternalError)) {
				t.Errorf("%d bytes of part %s: %v", n, parts[i].Name, err)
			}
		}
	}
}

// runOn compiles and runs a program, and returns an error unless it is the program's own.
func runOn(t *testing.T, b *Base, text string) error {
	t.Helper()
	p, err := Compile(t.Context(), Source{Base: b, Patterns: []string{"main.go"},
		FS: fstest.MapFS{"main.go": {Data: []byte(text)}}})
	if err != nil {
		return err
	}
	in, err := p.NewInstance(t.Context(), Config{})
	if err != nil {
		return err
	}
	defer in.Close()
	if err = in.Run(t.Context()); errors.As(err, new(*api.ExitError)) {
		return nil
	}
	return err
}
