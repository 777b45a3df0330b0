package embedding_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr/internal/modproxy"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var relink = flag.Bool("relink", false, "build hosts of published versions of gyr, which compiles gyr twice (TestRelink)")

// relinkHost is a host that compiles and runs a program with a cache, and prints what came from the
// cache.
const relinkHost = `package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

const comment = "a host"

func main() {
	ctx := context.Background()
	base, err := gyr.OpenBase(ctx, gyr.BaseConfig{Cache: os.Args[1]})
	check(err)
	p, err := gyr.Compile(ctx, gyr.Source{
		Patterns: []string{"main.go"},
		FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\nimport (\n\t\"encoding/hex\"\n\t\"fmt\"\n)\n\n" +
			"func main() { fmt.Println(hex.EncodeToString([]byte(\"x\"))) }\n")}},
	}, &gyr.CompileOptions{Base: base, Cache: os.Args[1]})
	check(err)
	in, err := p.NewInstance(ctx, gyr.Config{Stdout: io.Discard})
	check(err)
	check(in.Run(ctx))
	check(in.Close())
	check(base.Save())
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{"Comment": comment, "Program": p.Stats(), "Base": base.Stats()}))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`

// relinkOutput is the output of relinkHost.
type relinkOutput struct {
	Comment string
	Program struct {
		Cached   string
		Compiled int
	}
	Base struct {
		Cached    string
		CacheNote string
		Layers    []struct{ FromCache bool }
	}
}

// The host of TestRelink, which no other test compiles, compiles with the gyr of this tree.
func TestRelinkHost(t *testing.T) {
	goEnv(t, "GOROOT")
	name := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(name, []byte(relinkHost), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "vet", name).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// A relinker builds hosts and runs them with one cache.
type relinker struct {
	dir  string
	sums []byte // go.sum
	env  []string
}

func newRelinker(t *testing.T, env ...string) *relinker {
	sums, err := os.ReadFile("../../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	return &relinker{t.TempDir(), sums, append(append(os.Environ(), "GOWORK=off"), env...)}
}

// build builds a host with a comment in it, and returns it with its build ID.
func (r *relinker) build(t *testing.T, requirements, comment string, flags ...string) (binary, id string) {
	t.Helper()
	host := filepath.Join(r.dir, "host")
	if err := os.MkdirAll(host, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"go.mod":  fmt.Appendf(nil, "module example.com/host\n\ngo 1.26.0\n\n%s\n", requirements),
		"go.sum":  r.sums,
		"main.go": []byte(strings.Replace(relinkHost, `"a host"`, fmt.Sprintf("%q", comment), 1)),
	} {
		if err := os.WriteFile(filepath.Join(host, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	binary = filepath.Join(r.dir, "bin-"+strings.ReplaceAll(comment, " ", "-"))
	c := exec.Command("go", append(append([]string{"build", "-o", binary}, flags...), ".")...)
	c.Dir, c.Env = host, r.env
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.Command("go", "tool", "buildid", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	return binary, string(out)
}

// run runs a host, checks that everything came from the cache, or nothing, and returns all entries.
func (r *relinker) run(t *testing.T, binary, comment string, hit bool) (entries []string) {
	t.Helper()
	cache := filepath.Join(r.dir, "cache")
	c := exec.Command(binary, cache)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", comment, err, stderr.Bytes())
	}
	var got relinkOutput
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	want := "miss"
	if hit {
		want = "hit"
	}
	if got.Comment != comment || got.Program.Cached != want || got.Base.Cached != want || got.Base.CacheNote != "" ||
		(got.Program.Compiled == 0) != hit || len(got.Base.Layers) != 2 {
		t.Errorf("%s: want a %s in the cache: %s", comment, want, out)
	}
	for i, l := range got.Base.Layers {
		if l.FromCache != hit {
			t.Errorf("%s: layer %d comes from the cache: %t", comment, i, l.FromCache)
		}
	}
	entries, err = filepath.Glob(filepath.Join(cache, "*.entry"))
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// hosts builds and runs two hosts with the same gyr and one with another. The second one finds
// everything in the cache, the third one nothing.
func (r *relinker) hosts(t *testing.T, build func(comment string, changed bool) (binary, id string)) {
	first, firstID := build("first host", false)
	made := r.run(t, first, "first host", false)
	second, secondID := build("second host", false)
	if firstID == secondID {
		t.Fatalf("both hosts have the build ID %s", firstID)
	}
	if found := r.run(t, second, "second host", true); !slices.Equal(found, made) {
		t.Errorf("the second host wrote entries: %q, there were %q", found, made)
	}
	changed, _ := build("changed gyr", true)
	if both := r.run(t, changed, "changed gyr", false); len(both) != 2*len(made) {
		t.Errorf("%d entries of two versions of gyr, %d of one", len(both), len(made))
	}
	r.run(t, first, "first host", true)
}

// changedFile is a file of gyr in which changeLine changes a line of a pass.
const changedFile = "internal/opt/inline.go"

func changeLine(t *testing.T, data []byte) []byte {
	const old, now = "inlineCost       = 60 ", "inlineCost       = 61 "
	if bytes.Count(data, []byte(old)) != 1 {
		t.Fatalf("%s does not have %q once: change another line", changedFile, old)
	}
	return bytes.Replace(data, []byte(old), []byte(now), 1)
}

// A host that requires a published version of gyr finds everything in its cache after it is linked
// again, and nothing after a change to one line of a pass of gyr.
func TestRelink(t *testing.T) {
	if !*relink {
		t.Skip("compiles gyr twice, which takes minutes: go test -run TestRelink ./internal/suites/embedding -args -relink")
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	proxy := filepath.Join(dir, "proxy")
	publish := func(version string, change func(name string, data []byte) []byte) {
		t.Helper()
		if err := modproxy.Add(proxy, module.Version{Path: "github.com/gyrvm/gyr", Version: version}, root, change); err != nil {
			t.Fatal(err)
		}
	}
	publish("v0.1.0", nil)
	publish("v0.2.0", func(name string, data []byte) []byte {
		if name != changedFile {
			return data
		}
		return changeLine(t, data)
	})
	r := newRelinker(t, "GOFLAGS=-mod=mod -modcacherw", "GONOSUMDB=github.com/gyrvm/*", "GONOSUMCHECK=github.com/gyrvm/*",
		"GOMODCACHE="+filepath.Join(dir, "modules"),
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")+","+goEnv(t, "GOPROXY"))
	r.hosts(t, func(comment string, changed bool) (binary, id string) {
		version := "v0.1.0"
		if changed {
			version = "v0.2.0"
		}
		return r.build(t, "require github.com/gyrvm/gyr "+version, comment)
	})
}

// A host for which a directory replaces gyr finds everything in its cache after it is linked again,
// if it is built with the tag gyrsources, and nothing after a change to one line of a pass of gyr.
func TestRelinkReplaced(t *testing.T) {
	daily.Turn(t, 3, false)
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	goEnv(t, "GOROOT")
	r := newRelinker(t, "GOFLAGS=-mod=mod")
	// The go command takes the changed file instead of the one in the directory, for the compiler and
	// for the embedded sources.
	file := filepath.Join(root, filepath.FromSlash(changedFile))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	instead, overlay := filepath.Join(r.dir, "inline.go"), filepath.Join(r.dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: instead}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{instead: changeLine(t, data), overlay: list} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r.hosts(t, func(comment string, changed bool) (binary, id string) {
		flags := []string{"-tags=gyrsources"}
		if changed {
			flags = append(flags, "-overlay="+overlay)
		}
		return r.build(t, "require github.com/gyrvm/gyr v0.0.0\n\nreplace github.com/gyrvm/gyr => "+root, comment, flags...)
	})
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	return strings.TrimSpace(string(out))
}
