package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestLayersBelow runs programs that continue each of the layers, and use packages of the layers
// below it that the layer's own packages do not import.
func TestLayersBelow(t *testing.T) {
	daily.Turn(t, 3, false)
	list := [...]string{"context", "encoding/json", "archive/zip", "net/mail", "net/http/cookiejar", "database/sql/driver",
		"image/color"}
	_, version, err := FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	last := len(layers)
	if testing.Short() {
		last = 3
	}
	for k := range last {
		var path string
		for _, p := range list {
			if layersOf(release.Of(version)).of[p] == k {
				path = p
			}
		}
		if path == "" {
			t.Fatalf("no package of layer %d", k)
		}
		text := fmt.Sprintf("package main\n\nimport (\n\t\"flag\"\n\t\"fmt\"\n\t_ %q\n)\n\n", path) +
			"func main() { fmt.Print(flag.CommandLine != nil, flag.Bool(\"x\", true, \"\") != nil) }\n"
		p, err := Compile(context.Background(), Source{
			FS: fstest.MapFS{"main.go": {Data: []byte(text)}}, Patterns: []string{"main.go"}})
		if err != nil {
			t.Fatal(err)
		}
		if p.base == nil || p.base.number != k {
			t.Errorf("a program with %s does not continue layer %d", path, k)
		}
		var out bytes.Buffer
		cfg := Config{}
		cfg.Stdout, cfg.Stderr = &out, &out
		in, err := p.NewInstance(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(context.Background()); err != nil || out.String() != "true true" {
			t.Errorf("on layer %d: %v, %q", k, err, out.String())
		}
		in.Close()
	}
}

var layerOrders = flag.Int("layers.orders", 1, "`number` of random orders in which TestOrders makes all layers")

// TestOrders makes the layers in random orders, one after the other and at once, and compares
// everything that is kept of them: a program does not depend on which layers exist, nor on when
// they were made.
func TestOrders(t *testing.T) {
	daily.Turn(t, 3, false)
	last := 3
	if *layerOrders > 1 {
		last = len(layers)
	}
	if testing.Short() {
		last = 2
	}
	ctx := context.Background()
	want := make([][cache.NumParts][32]byte, last)
	for n := range 1 + *layerOrders {
		r := rand.New(rand.NewPCG(uint64(n), 1))
		b, err := newBase(BaseConfig{})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for _, k := range r.Perm(last) {
			ask := func() {
				if _, err := b.layer(ctx, k, nil); err != nil {
					t.Error(err)
				}
			}
			if n%2 == 0 {
				ask()
			} else {
				wg.Go(ask)
			}
		}
		wg.Wait()
		for k := range last {
			l := b.layers[k].Load()
			if l == nil {
				t.Fatalf("layer %d was not made", k)
			}
			for part := range cache.NumParts {
				data, err := l.part(part)
				if err != nil {
					t.Fatal(err)
				}
				sum := sha256.Sum256(data)
				if n == 0 {
					want[k][part] = sum
				} else if want[k][part] != sum {
					t.Errorf("order %d: part %d of layer %d is another one", n, part, k)
				}
			}
		}
	}
}

// farm makes a Go installation of links to the present one, in which one package is a copy.
func farm(t *testing.T, copied string) (goroot string) {
	t.Helper()
	from, _, err := FindGo("")
	if err != nil {
		t.Skip(err)
	}
	goroot = t.TempDir()
	link := func(name string) {
		if err := os.Symlink(filepath.Join(from, name), filepath.Join(goroot, name)); err != nil {
			t.Skip(err)
		}
	}
	link("VERSION")
	if err := os.Mkdir(filepath.Join(goroot, "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(filepath.Join(from, "src"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if e.Name() != copied {
			link(filepath.Join("src", e.Name()))
		}
	}
	if err := os.CopyFS(filepath.Join(goroot, "src", copied), os.DirFS(filepath.Join(from, "src", copied))); err != nil {
		t.Fatal(err)
	}
	return goroot
}

// TestChangedGo changes a file of the Go installation. Bases that are opened afterwards are made
// anew. An open base stays as it is, even if it reads parts of its entry only then.
func TestChangedGo(t *testing.T) {
	daily.Turn(t, 3, false)
	cfg := BaseConfig{BaseConfig: api.BaseConfig{GOROOT: farm(t, "path"), Cache: filepath.Join(t.TempDir(), "cache")}}
	open := func(fromCache bool) *Base {
		t.Helper()
		b, err := OpenBase(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if s := b.Stats(); s.Layers[0].FromCache != fromCache {
			t.Errorf("the first layer is from the cache: %t, want %t: %s", !fromCache, fromCache, s.Layers[0].CacheNote)
		}
		return b
	}
	open(false)
	old := open(true)
	file := filepath.Join(cfg.GOROOT, "src", "path", "path.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(`return "."`), []byte(`return "!"`))
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	const program = "package main\n\nimport \"path\"\n\nfunc main() { println(path.Base(\"\")) }\n"
	for _, c := range []struct {
		base *Base
		want string
	}{{old, ".\n"}, {open(false), "!\n"}, {open(true), "!\n"}} {
		p, err := Compile(t.Context(), Source{Base: c.base, GOROOT: cfg.GOROOT, Patterns: []string{"main.go"},
			FS: fstest.MapFS{"main.go": {Data: []byte(program)}}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		run := Config{}
		run.Stderr = &out
		in, err := p.NewInstance(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(t.Context()); err != nil || out.String() != c.want {
			t.Errorf("%v, %q, want %q", err, out.String(), c.want)
		}
		in.Close()
	}
}

// TestMadeAtOnce opens several bases with one cache at once, like processes that all find nothing.
// Each is intact, and so is the cache afterwards.
func TestMadeAtOnce(t *testing.T) {
	daily.Turn(t, 3, false)
	cfg := BaseConfig{BaseConfig: api.BaseConfig{Cache: filepath.Join(t.TempDir(), "cache")}}
	var wg sync.WaitGroup
	bases := make([]*Base, 2)
	for i := range bases {
		wg.Go(func() {
			var err error
			if bases[i], err = OpenBase(t.Context(), cfg); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	last, err := OpenBase(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if s := last.Stats(); !s.Layers[0].FromCache || s.CacheNote != "" {
		t.Errorf("the last one: %+v", s)
	}
	for _, b := range append(bases, last) {
		if !bytes.Equal(b.layers[0].Load().sum, last.layers[0].Load().sum) {
			t.Error("they differ")
		}
		if _, _, err := b.layers[0].Load().frontEnd(); err != nil {
			t.Error(err)
		}
	}
}

// TestTagsOfImages: an image does not choose the tags for which the process compiles, and keeps, a
// standard library.
func TestTagsOfImages(t *testing.T) {
	daily.Turn(t, 3, false)
	src := Source{FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() {}\n")}}, Patterns: []string{"main.go"},
		Tags: []string{"chosenbyanimage"}}
	data, err := Build(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	basesMu.Lock()
	before := len(bases)
	basesMu.Unlock()
	const other = "cachetokeepthisbaseapart"
	_, err = Compile(t.Context(), Source{Image: data, Cache: filepath.Join(t.TempDir(), other)})
	if !errors.As(err, new(*api.ImageError)) || !strings.Contains(err.Error(), "built for the build tags chosenbyanimage") {
		t.Errorf("tags that nobody named: %v", err)
	}
	basesMu.Lock()
	if n := len(bases); n != before {
		t.Errorf("%d bases, %d before", n, before)
	}
	basesMu.Unlock()
	tags, _ := ImageInfo(data)
	if _, err := Compile(t.Context(), Source{Image: data, Tags: tags}); err != nil {
		t.Errorf("tags that the host named: %v", err)
	}
	base, err := OpenBase(t.Context(), BaseConfig{BaseConfig: api.BaseConfig{Tags: src.Tags}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compile(t.Context(), Source{Image: data, Base: base}); err != nil {
		t.Errorf("tags of the host's base: %v", err)
	}
}

// TestWaitForALayer: a caller that waits for a layer in the making can give up.
func TestWaitForALayer(t *testing.T) {
	b, err := newBase(BaseConfig{})
	if err != nil {
		t.Fatal(err)
	}
	b.busy[0].Lock(nil) // by the other
	defer b.busy[0].Unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = Compile(ctx, Source{Base: b, Patterns: []string{"main.go"},
		FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() {}\n")}}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestInputsOfLayers: the inputs of a program are those of all layers that it continues.
func TestInputsOfLayers(t *testing.T) {
	daily.Turn(t, 3, false)
	src := Source{Patterns: []string{"main.go"}, Dir: t.TempDir(), Cache: filepath.Join(t.TempDir(), "cache")}
	text := "package main\n\nimport _ \"encoding/json\"\n\nfunc main() {}\n"
	if err := os.WriteFile(filepath.Join(src.Dir, "main.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := Compile(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"main.go", "src/encoding/json/decode.go", "src/fmt/print.go"} {
		if !slices.ContainsFunc(p.Inputs(), func(in filetree.Input) bool { return strings.HasSuffix(in.Name, want) }) {
			t.Errorf("%s is not among what was read", want)
		}
	}
}
