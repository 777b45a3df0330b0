//go:build unix

package native

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/suites/daily"
)

var allFeatures = flag.Bool("features", false, "leave out each feature of the processor, not only one each day")

// TestFeatures runs the tests of operations, routines and random modules on processors that lack
// features: all that code can do without, and each alone.
func TestFeatures(t *testing.T) {
	if os.Getenv("GYR_TEST_FEATURES") != "" {
		t.Skip("this is the test of a feature")
	}
	needsCode(t)
	features := []string{"avx2", "avx", "fma", "bmi1", "bmi2", "lzcnt", "pclmulqdq", "vpclmulqdq", "sha"}
	without := func(names ...string) {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^(TestOperations|TestRandom|TestCases|TestBulk|TestKernels|TestLongSums|TestDivideByConstant)$", "-seeds=100")
			cmd.Env = append(os.Environ(), "GYR_TEST_FEATURES=1", "GODEBUG=cpu."+strings.Join(names, "=off,cpu.")+"=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	without(features...)
	for _, f := range daily.Part(t, features, 1, *allFeatures) {
		without(f)
	}
}
