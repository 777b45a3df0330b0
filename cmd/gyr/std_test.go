package main

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

var stdOnce struct {
	sync.Once
	dir, name string
	err       error
}

// stdOfTests returns the name of a std file for all tests of this process, since making it takes
// ten seconds. Its layers are put into a cache.
func stdOfTests(cache string) (string, error) {
	stdOnce.Do(func() {
		var data []byte
		if stdOnce.dir, stdOnce.err = os.MkdirTemp("", "gyr-std"); stdOnce.err != nil {
			return
		}
		stdOnce.name = filepath.Join(stdOnce.dir, "std"+stdSuffix)
		if data, stdOnce.err = engine.BuildStd(context.Background(), engine.BaseConfig{BaseConfig: api.BaseConfig{Cache: cache}}); stdOnce.err == nil {
			stdOnce.err = os.WriteFile(stdOnce.name, data, 0o600)
		}
	})
	return stdOnce.name, stdOnce.err
}

// figuresIn returns the figures of a run, without times and figures that the cache affects.
func figuresIn(t *testing.T, text string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	maps.DeleteFunc(all, func(name string, _ any) bool {
		return strings.HasSuffix(name, "_ns") || name == "cache" || name == "functions_compiled"
	})
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

var embedded = flag.Bool("embedded", false, "build the command with a std file in it, and run it without Go")

// TestWithoutGo builds the command with a std file in it, and runs it without a Go installation and
// with an empty home. Output and figures must be those with the library of a Go installation. The
// script std.txtar shows the same of a file that is not embedded.
func TestWithoutGo(t *testing.T) {
	if !*embedded {
		t.Skip("it takes half a minute: -embedded")
	}
	gocmd, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	std, err := stdOfTests(filepath.Join(dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	// The command embeds a file from its source directory; the overlay puts it there.
	overlay := filepath.Join(dir, "overlay.json")
	text := `{"Replace": {"` + filepath.Join(root, "cmd", "gyr", "std.gyrstd") + `": "` + std + `"}}`
	if err := os.WriteFile(overlay, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "gyr")
	if out, err := exec.Command(gocmd, "build", "-o", bin, "-tags", "gyrstd", "-overlay", overlay, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	module := filepath.Join(dir, "m")
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"m.go": `package m

import "maps"

func Keys(m map[string]int) (n int) {
	for range maps.Keys(m) {
		n++
	}
	return n
}
`,
		"m_test.go": `package m

import "testing"

func TestKeys(t *testing.T) {
	if Keys(map[string]int{"a": 1}) != 1 {
		t.Error(1)
	}
}
`,
	} {
		if err := os.MkdirAll(module, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(dir string, env []string, args ...string) (out, errs string, err error) {
		cmd := exec.Command(bin, args...)
		var o, e strings.Builder
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &o, &e
		err = cmd.Run()
		return o.String(), e.String(), err
	}
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	nothing := []string{"HOME=" + home, "PATH=", "GOROOT="}
	goes := append(os.Environ(), "GYRCACHE="+filepath.Join(dir, "cache"))
	for _, tier := range []string{"native", "interp"} {
		if tier == "native" && engine.CheckNative() != nil {
			continue
		}
		args := []string{"run", "-tier=" + tier, "-stats=brief", "./programs/json", "1"}
		wantOut, wantFigures, err := run(root, goes, append([]string{"run", "-std=off"}, args[1:]...)...)
		if err != nil {
			t.Fatalf("with Go: %v\n%s", err, wantFigures)
		}
		gotOut, gotFigures, err := run(root, nothing, args...)
		if err != nil {
			t.Fatalf("without Go: %v\n%s", err, gotFigures)
		}
		if gotOut != wantOut {
			t.Errorf("%v: without Go it prints\n%s\nwith Go\n%s", args, gotOut, wantOut)
		}
		if got, want := figuresIn(t, gotFigures), figuresIn(t, wantFigures); got != want {
			t.Errorf("%v: the figures without Go are\n%s\nwith Go\n%s", args, got, want)
		}
	}
	out, errs, err := run(module, nothing, "test", "-v", ".")
	if err != nil || !strings.Contains(out, "--- PASS: TestKeys") {
		t.Errorf("gyr test: %v\n%s%s", err, out, errs)
	}
	// The file that it embeds is trusted as a file, too.
	if out, errs, err = run(module, nothing, "test", "-std", std, "."); err != nil {
		t.Errorf("gyr test -std with the embedded file: %v\n%s%s", err, out, errs)
	}
}
