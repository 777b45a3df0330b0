package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
)

var updateFlag = flag.Bool("update", false, "write the .out files of testdata/programs with what native Go prints")

// TestPrograms runs the programs of testdata/programs, each of which once showed a bug. The file
// NAME.out holds the output of native Go, standard output and error together.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	var list []program
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cases := parseCases(src)
		golden := strings.TrimSuffix(path, ".go") + ".out"
		if *updateFlag {
			out, err := nativeOutput(path, cases)
			if err != nil {
				t.Fatalf("%s: %v\n%s", path, err, out)
			}
			if err := os.WriteFile(golden, []byte(out), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Errorf("%v; -update writes it", err)
		}
		list = append(list, program{name: filepath.Base(path), path: path, action: "run", want: string(want), cases: cases})
	}
	runAll(list, gyr.Config{Tier: gyr.Tier(*tierFlag), Memory: gyr.DefaultMemory}, "", func(p program, o outcome) {
		if !o.ok {
			t.Errorf("FAIL %s: %s\n%s", p.name, o.reason, o.detail)
		}
	})
}
