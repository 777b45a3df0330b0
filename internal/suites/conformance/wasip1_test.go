package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

// TestWASIPrograms runs the programs of testdata/wasip1, which ask for things that the sandbox
// lacks: processes, signals, a network. NAME.out has the errors; each names the missing thing.
func TestWASIPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/wasip1/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	var list []program
	for _, path := range files {
		want, err := os.ReadFile(strings.TrimSuffix(path, ".go") + ".out")
		if err != nil {
			t.Error(err)
		}
		list = append(list, program{name: filepath.Base(path), path: path, action: "run", want: string(want)})
	}
	runAll(list, gyr.Config{Tier: gyr.Tier(*tierFlag), Memory: gyr.DefaultMemory}, "", func(p program, o outcome) {
		if !o.ok {
			t.Errorf("FAIL %s: %s\n%s", p.name, o.reason, o.detail)
		}
	})
}
