package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/ratio"
)

// TestMain lets the test binary take the place of the binary that starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && children[os.Args[1]] != nil {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestEngines: every peer that is installed runs a program and prints what native Go
// prints.
func TestEngines(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env, p := ratio.Env{Root: root, Dir: t.TempDir()}, ratio.Program{Name: "quicksort"}
	run := exec.Command("go", "run", "./programs/"+p.Name, "500")
	run.Dir = root
	want, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines(self) {
		if e.Name == "node" {
			if _, err := exec.LookPath("node"); err != nil {
				t.Log(err)
				continue
			}
		}
		if e.Setup != nil {
			if err := e.Setup(env, []ratio.Program{p}); err != nil {
				t.Errorf("%s: %v", e.Name, err)
				continue
			}
		}
		argv := e.Command(env, p, "500")
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		if err != nil || string(out) != string(want) {
			t.Errorf("%s: %v\n%s\nwant %s", e.Name, err, out, want)
		}
	}
}
