package main

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
)

var install = flag.Bool("install", false, "compile and run what is installed and required (TestInstall): some minutes, for the whole of gyr is compiled")

// host is a program outside the checkout that requires all modules. Its guest counts; the guest's
// state goes through a store on disk into another instance, which continues to count. Exporters
// observe it.
const host = `package main

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/chain/contract"
	gyrotel "github.com/gyrvm/gyr/otel"
	gyrprometheus "github.com/gyrvm/gyr/prometheus"
	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
	_ "github.com/gyrvm/gyr/stream"
)

func main() {
	ctx := context.Background()
	p := must(gyr.Compile(ctx, gyr.Source{Exports: true, FS: fstest.MapFS{
		"go.mod": {Data: []byte("module counter\n\ngo 1.26\n")},
		"c.go":   {Data: []byte("package counter\n\nvar n int\n\nfunc Next() int { n++; return n }\n")},
	}}, &gyr.CompileOptions{State: true}))
	hooks := gyr.JoinHooks(must(gyrotel.New(nil)), must(gyrprometheus.New(nil)).Hooks())
	in := must(p.NewInstance(ctx, gyr.Config{Hooks: hooks}))
	next(ctx, in)
	state := must(in.State(ctx))
	s := must(store.New(must(pebble.Open(os.Args[1], nil))))
	must(s.Commit(store.Change{Name: "counter", Seq: 1, Tree: state.Tree, Sections: state.Sections, Page: state.Page}))
	in = must(p.Restore(ctx, gyr.Config{}, state.Root, must(s.Open("counter", 1))))
	next(ctx, in)
	contract.Set(contract.Setting{Caller: "ada"})
	must(0, s.Close())
}

func next(ctx context.Context, in *gyr.Instance) { fmt.Println(must(in.Call(ctx, "Next"))...) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
`

// TestInstall puts the modules of this tree into a module proxy under their next version. Outside
// the checkout it then resolves the command and a host that requires all of them. With
// -install it also compiles and runs them: go install …/cmd/gyr@latest into an empty directory.
func TestInstall(t *testing.T) {
	const version = "v" + engine.Version
	root := checkoutOfTest(t)
	dir := t.TempDir()
	env, err := proxyOf(t.Context(), root, version, dir)
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	// The sums of gyr's own modules are compared with go.sum below; no checksum database is
	// involved.
	env = append(env, "GOBIN="+bin, "GOSUMDB=off", "GOTOOLCHAIN=local", "GYRCACHE="+filepath.Join(dir, "cache"))
	out := filepath.Join(dir, "host")
	var requires strings.Builder
	for _, m := range published {
		fmt.Fprintf(&requires, "\t%s %s\n", pathOf(m), version)
	}
	for name, text := range map[string]string{
		"main.go": host,
		"go.mod":  "module example.com/host\n\ngo 1.26.0\n\nrequire (\n" + requires.String() + ")\n",
	} {
		if err := os.MkdirAll(out, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(dir, name string, args ...string) string {
		t.Helper()
		text, err := output(t.Context(), dir, env, name, args...)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	list, err := output(t.Context(), out, env, "go", "list", "-mod=mod", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", ".", modulePath+"/cmd/gyr")
	if err != nil {
		for _, m := range published {
			if _, offline := output(t.Context(), filepath.Join(root, m), []string{"GOPROXY=off"}, "go", "list", "-deps", "."); offline != nil {
				t.Skipf("the modules that %s needs cannot be had: %v", pathOf(m), err)
			}
		}
		t.Fatal(err)
	}
	for _, m := range published {
		if want := pathOf(m) + " " + version; !strings.Contains("\n"+list+"\n", "\n"+want+"\n") {
			t.Errorf("no package of %s among those that the host and the command need", want)
		}
	}
	if !*install {
		return
	}

	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	// The compiled code contains no path of this directory, so the build cache can serve the next
	// run.
	run(dir, "go", "install", "-trimpath", modulePath+"/cmd/gyr@latest")
	gyr := filepath.Join(bin, "gyr")
	hello := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(hello, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := run(dir, gyr, "run", hello); got != "hello" {
		t.Errorf("the installed command prints %q", got)
	}
	checkVersion(t, run(dir, gyr, "version", "-m"), gyr, root, version)
	run(out, "go", "build", "-trimpath", "-mod=mod", "-o", "host", ".")
	if got := run(out, filepath.Join(out, "host"), filepath.Join(dir, "db")); got != "1\n2" {
		t.Errorf("the host prints %q, want 1 and 2", got)
	}
}

// checkVersion checks the build information of an installed command: this version, and the modules
// in go.sum of the tree.
func checkVersion(t *testing.T, text, bin, root, version string) {
	t.Helper()
	info, err := buildinfo.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	line := func(kind string, m debug.Module) {
		if want := fmt.Sprintf("\n\t%s\t%s\t%s\t%s\n", kind, m.Path, m.Version, m.Sum); m.Sum == "" || !strings.Contains(text, want) {
			t.Errorf("gyr version -m has no line %q:\n%s", want, text)
		}
	}
	if line("mod", info.Main); info.Main.Version != version {
		t.Errorf("version %s was installed, want %s", info.Main.Version, version)
	}
	for _, m := range info.Deps {
		line("dep", *m)
		if want := m.Path + " " + m.Version + " " + m.Sum + "\n"; !strings.Contains(string(sums), want) {
			t.Errorf("go.sum has no line %q", want)
		}
	}
	if want := "gyr version " + strings.TrimPrefix(version, "v") + " "; !strings.HasPrefix(text, want) {
		t.Errorf("gyr version -m begins with %q, want %q", text[:min(len(text), 40)], want)
	}
}

// checkoutOfTest returns the root of the tree under test.
func checkoutOfTest(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	root, err := checkout(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return root
}
