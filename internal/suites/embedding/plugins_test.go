package embedding_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var (
	pluginsAll    = flag.Bool("plugins", false, "compile all programs of testdata/plugins, instead of today's")
	pluginsUpdate = flag.Bool("update", false, "compile all programs of testdata/plugins, and write the table of docs/embedding.md")
)

const (
	pluginsDir = "testdata/plugins"
	pluginsDoc = "../../../docs/embedding.md"
)

// A plugin is a program of testdata/plugins. Each imports one of the modules that plug-ins commonly
// import; "several" imports three.
type plugin struct{ name, module string }

// pluginList reads the list of programs, with the version of the module that each imports.
func pluginList(t *testing.T) (list []plugin) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pluginsDir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	mains, err := filepath.Glob(filepath.Join(pluginsDir, "*", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range mains {
		main, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var modules []module.Version
		for _, r := range mod.Require {
			if !r.Indirect && (bytes.Contains(main, []byte(`"`+r.Mod.Path+`"`)) || bytes.Contains(main, []byte(`"`+r.Mod.Path+`/`))) {
				modules = append(modules, r.Mod)
			}
		}
		p := plugin{name: filepath.Base(filepath.Dir(name))}
		if len(modules) == 1 {
			p.module = "`" + modules[0].String() + "`"
		} else {
			for _, m := range modules {
				prefix, _, _ := module.SplitPathVersion(m.Path)
				p.module += ", " + path.Base(prefix)
			}
			p.module = strings.TrimPrefix(p.module, ", ")
		}
		list = append(list, p)
	}
	return list
}

// fetchPlugins has the go command fetch what the programs need, or skips the test.
func fetchPlugins(t *testing.T, list []plugin) {
	t.Helper()
	args := []string{"list", "-mod=readonly", "-deps", "-f", "{{.ImportPath}}"}
	for _, p := range list {
		args = append(args, "./"+p.name)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = pluginsDir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		for _, offline := range []string{"dial tcp", "lookup ", "GOPROXY=off"} {
			if strings.Contains(stderr.String(), offline) {
				t.Skipf("modules cannot be fetched: %s", stderr.String())
			}
		}
		t.Fatalf("%v: %s", err, stderr.String())
	}
}

// TestPlugins compiles an upload for each of the modules, under the limits for untrusted sources,
// and runs it.
func TestPlugins(t *testing.T) {
	all := pluginList(t)
	if len(all) < 21 {
		t.Errorf("%d programs", len(all))
	}
	list := daily.Part(t, all, 2, *pluginsAll || *pluginsUpdate)
	fetchPlugins(t, list)
	installed, err := gyr.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	limits := gyr.UntrustedLimits()
	row := func(name string, m gyr.ModuleLimits) string {
		return fmt.Sprintf("| %s | %d | %d | %.1f | %d | %d | %d |\n", name, m.SourceBytes>>10, m.Nesting, float64(m.CheckWork)/1e6,
			m.Instances, m.Functions, m.Operations)
	}
	table := "| program with | SourceBytes, KiB | Nesting | CheckWork, millions | Instances | Functions | Operations |\n|---|---|---|---|---|---|---|\n"
	for _, p := range list {
		src := gyr.Source{FS: os.DirFS(pluginsDir), Patterns: []string{"./" + p.name}, Modules: installed.ModuleCache(),
			Limits: limits, Unsafe: gyr.UnsafeDependencies}
		prog, err := gyr.Compile(t.Context(), src, nil)
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		t.Logf("%s: %+v", p.name, prog.Stats().Measured)
		table += row(p.module, prog.Stats().Measured.Modules)
		var out bytes.Buffer
		in, err := prog.NewInstance(t.Context(), gyr.Config{Stdout: &out, Stderr: &out})
		if err != nil {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		err = in.Run(t.Context())
		in.Close()
		want, _ := os.ReadFile(filepath.Join(pluginsDir, p.name, "output"))
		if err != nil || out.String() != string(want) || out.Len() == 0 {
			t.Errorf("%s: %v: it prints\n%s, native Go\n%s", p.name, err, out.String(), want)
		}
	}
	table += row("`UntrustedLimits().Modules`", limits.Modules)
	doc, err := os.ReadFile(pluginsDoc)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- plug-ins: written by go test ./internal/suites/embedding -run TestPlugins -update -->\n\n", "\n<!-- end of plug-ins -->"
	before, rest, ok := strings.Cut(string(doc), begin)
	old, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no table", pluginsDoc)
	}
	for _, p := range all {
		if !*pluginsUpdate && !strings.Contains(old, "| "+p.module+" |") {
			t.Errorf("%s says nothing of %s: run this test with -update", pluginsDoc, p.module)
		}
	}
	if *pluginsUpdate && !t.Failed() {
		if err := os.WriteFile(pluginsDoc, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
