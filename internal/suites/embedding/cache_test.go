package embedding_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// cacheProgram prints everything that its Config decides.
const cacheProgram = `package main

import (
	"fmt"
	"math/rand"
	"os"
	"time"
	"unicode"
)

var started = time.Now()

func main() {
	m := map[int]bool{}
	for i := range 20 {
		m[i] = true
	}
	for k := range m {
		fmt.Print(k, " ")
	}
	n := 0
	for name := range unicode.Scripts { // a map of the snapshot
		if n++; n < 4 {
			fmt.Print(name, " ")
		}
	}
	fmt.Println(rand.Int(), started.UnixNano(), os.Args, os.Environ())
	list, err := os.ReadDir("/data")
	fmt.Println(list, err)
	if len(os.Args) > 1 {
		panic(os.Args[1])
	}
}
`

// cached compiles with a cache and checks whether the program came from it.
func cached(t *testing.T, given given, want string) *gyr.Program {
	t.Helper()
	p, err := given.compile(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s := p.Stats(); s.Cached != want {
		t.Errorf("cache %s %s, want %s", s.Cached, s.CacheNote, want)
	}
	return p
}

// figures returns everything visible of a run.
func figures(t *testing.T, p *gyr.Program, cfg gyr.Config) string {
	t.Helper()
	var out bytes.Buffer
	cfg.Stdout, cfg.Stderr = &out, &out
	cfg.Debug = map[string]string{"count": ""}
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = in.Run(context.Background())
	s := in.Stats()
	s = s.Repeatable()
	return fmt.Sprintf("%s%v\n%+v\n", out.String(), err, s)
}

// A given is the input of a compilation: sources or an image, with options.
type given struct {
	gyr.Source
	gyr.CompileOptions
	image []byte
}

func (g given) compile(ctx context.Context) (*gyr.Program, error) {
	if g.image != nil {
		return gyr.CompileImage(ctx, g.image, &g.CompileOptions)
	}
	return gyr.Compile(ctx, g.Source, &g.CompileOptions)
}

func cacheSource(t *testing.T, text string) given {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return given{
		Source:         gyr.Source{Dir: dir, Patterns: []string{"main.go"}},
		CompileOptions: gyr.CompileOptions{Cache: filepath.Join(dir, "cache")},
	}
}

// TestCachedRuns: each run of a program from the cache has its own directories, environment,
// arguments and seed, and equals a run of a compiled program.
func TestCachedRuns(t *testing.T) {
	src := cacheSource(t, cacheProgram)
	var configs []gyr.Config
	for i := range 3 {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d", i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		c := gyr.Config{Seed: uint64(i), Env: []string{fmt.Sprintf("NUMBER=%d", i)}, Name: fmt.Sprintf("program%d", i)}
		if i > 0 {
			c.Dirs = []gyr.Dir{{Host: dir, Guest: "/data"}}
			c.Args = []string{fmt.Sprintf("argument%d", i)}
			c.Env = append(c.Env, "GODEBUG=panicnil=1")
		}
		if i < 2 {
			c.Tier = gyr.TierInterp // its code is in the entry
		}
		configs = append(configs, c)
	}
	plain := src
	plain.Cache = ""
	var want []string
	programs := []*gyr.Program{cached(t, plain, gyr.CacheOff), cached(t, src, gyr.CacheMiss), cached(t, src, gyr.CacheHit), cached(t, src, gyr.CacheHit)}
	for i, p := range programs {
		for j, c := range configs {
			got := figures(t, p, c)
			if i == 0 {
				want = append(want, got)
				for k := range j {
					if want[k] == got {
						t.Errorf("configurations %d and %d cannot be told apart", k, j)
					}
				}
			} else if got != want[j] {
				t.Errorf("program %d, configuration %d:\n%s\nwant\n%s", i, j, got, want[j])
			}
		}
	}
	// The entry contains what the first run compiled.
	if p := cached(t, src, gyr.CacheHit); figures(t, p, configs[1]) != want[1] || p.Stats().Compiled != 0 {
		t.Errorf("%d functions compiled", p.Stats().Compiled)
	}
}

// TestCacheNotices: a program is compiled again if its files have changed.
func TestCacheNotices(t *testing.T) {
	daily.Turn(t, 3, false)
	src := cacheSource(t, "package main\n\nimport _ \"embed\"\n\n//go:embed text.txt\nvar text string\n\nfunc main() { print(text, x) }\n")
	src.Patterns = nil
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(src.Dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Hour) // old enough for time stamps to count
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module x\n\ngo 1.26\n")
	write("text.txt", "one")
	write("x.go", "package main\n\nvar x = 1\n")
	expect := func(cache, out string) {
		t.Helper()
		if got, _, _ := strings.Cut(figures(t, cached(t, src, cache), gyr.Config{}), "<nil>"); got != out {
			t.Errorf("output %q, want %q", got, out)
		}
	}
	expect(gyr.CacheMiss, "one1")
	expect(gyr.CacheHit, "one1")
	write("x.go", "package main\n\nvar x = 2\n") // same size, same time
	expect(gyr.CacheMiss, "one2")
	expect(gyr.CacheHit, "one2")
	write("text.txt", "two")
	expect(gyr.CacheMiss, "two2")
	write("y.go", "package main\n\nfunc init() { x = 3 }\n")
	expect(gyr.CacheMiss, "two3")
	write("README", "nothing to do with it")
	expect(gyr.CacheHit, "two3")
	write("go.mod", "module x\n\ngo 1.25\n")
	expect(gyr.CacheMiss, "two3")
	src.Tags = []string{"y"}
	expect(gyr.CacheMiss, "two3")
	src.Tags = nil
	expect(gyr.CacheHit, "two3")
	write("y.go", "package main\n\nfunc init() { x = 4 + }\n")
	if _, err := src.compile(context.Background()); err == nil {
		t.Error("a program that no longer compiles comes from the cache")
	}
	if err := os.Remove(filepath.Join(src.Dir, "y.go")); err != nil {
		t.Fatal(err)
	}
	expect(gyr.CacheMiss, "two2")
}

// TestCacheDamage: a damaged entry is not used, and is made again.
func TestCacheDamage(t *testing.T) {
	src := cacheSource(t, "package main\n\nfunc main() { print(\"ok\") }\n")
	src.Debug = gyr.CompileDebug{NoBase: true} // so that the entry is the only one
	want := figures(t, cached(t, src, gyr.CacheMiss), gyr.Config{})
	list, err := filepath.Glob(filepath.Join(src.Cache, "*.entry"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	entry := list[0]
	good, err := os.ReadFile(entry)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		damage func() error
	}{
		{"truncated", func() error { return os.Truncate(entry, int64(len(good)/2)) }},
		{"a bit flipped", func() error {
			b := bytes.Clone(good)
			b[len(b)/3] ^= 4
			return os.WriteFile(entry, b, 0o600)
		}},
		{"empty", func() error { return os.Truncate(entry, 0) }},
		{"a directory", func() error {
			os.Remove(entry)
			return os.Mkdir(entry, 0o700)
		}},
		{"other key", func() error {
			return os.WriteFile(filepath.Join(src.Cache, "gyr.key"), bytes.Repeat([]byte{1}, 32), 0o600)
		}},
		{"no key", func() error { return os.Remove(filepath.Join(src.Cache, "gyr.key")) }},
	} {
		if err := c.damage(); err != nil {
			t.Fatal(err)
		}
		state := gyr.CacheMiss
		if c.name == "a directory" {
			state = gyr.CacheOff // no entry can be written in its place
		}
		if got := figures(t, cached(t, src, state), gyr.Config{}); got != want {
			t.Errorf("%s: %s, want %s", c.name, got, want)
		}
		if c.name == "a directory" {
			os.Remove(entry)
			cached(t, src, gyr.CacheMiss)
		}
		if got := figures(t, cached(t, src, gyr.CacheHit), gyr.Config{}); got != want {
			t.Errorf("%s, the second time: %s, want %s", c.name, got, want)
		}
	}
}

// TestUnusableCache: the program runs, whatever is wrong with the directory.
func TestUnusableCache(t *testing.T) {
	daily.Turn(t, 3, false)
	src := cacheSource(t, "package main\n\nfunc main() { print(\"ok\") }\n")
	for name, dir := range map[string]string{
		"open to others": src.Dir, // the test's temporary directory
		"a file":         filepath.Join(src.Dir, "main.go"),
		"below a file":   filepath.Join(src.Dir, "main.go", "x"),
		"a device":       os.DevNull,
	} {
		src.Cache = dir
		p := cached(t, src, gyr.CacheOff)
		if p.Stats().CacheNote == "" {
			t.Errorf("%s: no reason", name)
		}
		if got := figures(t, p, gyr.Config{}); !strings.HasPrefix(got, "ok<nil>\n") {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestWithoutCache: a program compiled without a cache does not write to the current directory,
// even if that could be a cache.
func TestWithoutCache(t *testing.T) {
	src := cacheSource(t, "package main\n\nfunc main() { print(\"ok\") }\n")
	src.Cache = ""
	here := t.TempDir()
	if err := os.Chmod(here, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	if _, err := src.compile(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir("."); err != nil || len(list) > 0 {
		t.Errorf("%v is left behind, %v", list, err)
	}
}

// TestFullCache: a program runs even if no entry can be written.
func TestFullCache(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	src := cacheSource(t, "package main\n\nfunc main() { print(\"ok\") }\n")
	src.Debug = gyr.CompileDebug{NoBase: true} // so that the entry is the only one
	if dir := os.Getenv("GYR_FULL_CACHE"); dir != "" {
		src.Cache = dir
		p := cached(t, src, gyr.CacheOff)
		if p.Stats().CacheNote == "" {
			t.Error("no reason")
		}
		if got := figures(t, p, gyr.Config{}); !strings.HasPrefix(got, "ok<nil>\n") {
			t.Error(got)
		}
		return
	}
	// A limit on the size of files stands for a full disk: 64 blocks of 512 or 1024 bytes.
	cmd := exec.Command(sh, "-c", `ulimit -f 64 && exec "$0" -test.run '^TestFullCache$'`, os.Args[0])
	cmd.Env = append(os.Environ(), "GYR_FULL_CACHE="+src.Cache)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if list, _ := filepath.Glob(filepath.Join(src.Cache, "*")); len(list) != 1 {
		t.Errorf("left in the directory: %q", list)
	}
}

// TestCachedImage: a portable image is cached like its source, under a hash of its contents.
func TestCachedImage(t *testing.T) {
	src := cacheSource(t, cacheProgram)
	image, err := gyr.Build(context.Background(), src.Source, &src.CompileOptions)
	if err != nil {
		t.Fatal(err)
	}
	cfg := gyr.Config{Seed: 3, Args: []string{"x"}}
	want := figures(t, cached(t, src, gyr.CacheMiss), cfg)
	fromImage := given{image: image, CompileOptions: gyr.CompileOptions{Cache: src.Cache}}
	for _, state := range []string{gyr.CacheMiss, gyr.CacheHit} {
		if got := figures(t, cached(t, fromImage, state), cfg); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", state, got, want)
		}
	}
	// A damaged image is refused as without a cache.
	bad := bytes.Clone(image)
	bad[len(bad)/2] ^= 1
	fromImage.image = bad
	if _, err := fromImage.compile(context.Background()); err == nil {
		t.Error("a damaged image is accepted")
	}
}

// Machine code is cached too: a warm start compiles nothing, and a damaged entry is compiled again.
func TestCacheOfMachineCode(t *testing.T) {
	daily.Turn(t, 3, false)
	src := cacheSource(t, cacheProgram)
	src.Debug = gyr.CompileDebug{NoBase: true} // so that the entry is the only one
	native := gyr.Config{Tier: gyr.TierNative, Name: "program"}
	run := func(state string, c gyr.Config) (string, int) {
		p := cached(t, src, state)
		if err := p.NativeError(); err != nil {
			t.Skip(err)
		}
		f := figures(t, p, c)
		return f, p.Stats().Compiled
	}
	// The entry begins without machine code, as one that only the interpreter has used.
	want, _ := run(gyr.CacheMiss, gyr.Config{Tier: gyr.TierInterp, Name: "program"})
	cold, n := run(gyr.CacheHit, native)
	if cold != want || n == 0 {
		t.Errorf("%d functions compiled:\n%s\nwant\n%s", n, cold, want)
	}
	for range 2 {
		if warm, n := run(gyr.CacheHit, native); warm != want || n != 0 {
			t.Errorf("%d functions compiled:\n%s\nwant\n%s", n, warm, want)
		}
	}
	// A run on another path through the program adds its code to the entry.
	other := native
	other.Args = []string{"argument"}
	if _, n := run(gyr.CacheHit, other); n == 0 {
		t.Error("nothing more was compiled")
	}
	for _, c := range []gyr.Config{native, other} {
		if _, n := run(gyr.CacheHit, c); n != 0 {
			t.Errorf("%d functions compiled", n)
		}
	}
	list, err := filepath.Glob(filepath.Join(src.Cache, "*.entry"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	good, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	// Machine code is the last part of an entry.
	for _, at := range []int{len(good) - 1, len(good) - 1000, len(good) - 100_000} {
		b := bytes.Clone(good)
		b[at] ^= 0x10
		if err := os.WriteFile(list[0], b, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, n := run(gyr.CacheMiss, native); got != want || n == 0 {
			t.Errorf("a bit at %d: %d functions compiled:\n%s\nwant\n%s", at, n, got, want)
		}
	}
}
