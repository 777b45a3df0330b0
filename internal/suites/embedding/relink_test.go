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
	proxy, host, cache := filepath.Join(dir, "proxy"), filepath.Join(dir, "host"), filepath.Join(dir, "cache")
	publish := func(version string, change func(name string, data []byte) []byte) {
		t.Helper()
		if err := modproxy.Add(proxy, module.Version{Path: "github.com/gyrvm/gyr", Version: version}, root, change); err != nil {
			t.Fatal(err)
		}
	}
	publish("v0.1.0", nil)
	publish("v0.2.0", func(name string, data []byte) []byte {
		const file, old, now = "internal/opt/inline.go", "inlineCost       = 60 ", "inlineCost       = 61 "
		if name != file {
			return data
		}
		if bytes.Count(data, []byte(old)) != 1 {
			t.Fatalf("%s does not have %q once: change another line", file, old)
		}
		return bytes.Replace(data, []byte(old), []byte(now), 1)
	})
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		name = filepath.Join(host, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "GOFLAGS=-mod=mod -modcacherw", "GONOSUMDB=github.com/gyrvm/*", "GONOSUMCHECK=github.com/gyrvm/*",
		"GOMODCACHE="+filepath.Join(dir, "modules"), "GOWORK=off",
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download")+","+goEnv(t, "GOPROXY"))
	build := func(version, comment string) (binary, id string) {
		t.Helper()
		write("go.mod", fmt.Appendf(nil, "module example.com/host\n\ngo 1.26.0\n\nrequire github.com/gyrvm/gyr %s\n", version))
		write("go.sum", sums)
		write("main.go", []byte(strings.Replace(relinkHost, `"a host"`, fmt.Sprintf("%q", comment), 1)))
		binary = filepath.Join(dir, "bin-"+strings.ReplaceAll(comment, " ", "-"))
		c := exec.Command("go", "build", "-o", binary, ".")
		c.Dir, c.Env = host, env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		out, err := exec.Command("go", "tool", "buildid", binary).Output()
		if err != nil {
			t.Fatal(err)
		}
		return binary, string(out)
	}
	// run runs a host and checks that everything came from the cache, or nothing.
	run := func(binary, comment string, hit bool) (entries []string) {
		t.Helper()
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
	first, firstID := build("v0.1.0", "first host")
	made := run(first, "first host", false)
	second, secondID := build("v0.1.0", "second host")
	if firstID == secondID {
		t.Fatalf("both hosts have the build ID %s", firstID)
	}
	if found := run(second, "second host", true); !slices.Equal(found, made) {
		t.Errorf("the second host wrote entries: %q, there were %q", found, made)
	}
	changed, _ := build("v0.2.0", "changed gyr")
	if both := run(changed, "changed gyr", false); len(both) != 2*len(made) {
		t.Errorf("%d entries of two versions of gyr, %d of one", len(both), len(made))
	}
	run(first, "first host", true)
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	return strings.TrimSpace(string(out))
}
