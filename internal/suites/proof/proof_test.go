package proof

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/gyrvm/gyr"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var full = flag.Bool("full", false, "the programs' own sizes, many subsets of the passes, and all cases each day")

// tempDir exists as long as the test binary runs.
var tempDir string

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	var err error
	if tempDir, err = os.MkdirTemp("", "gyr-proof"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(tempDir)
	return m.Run()
}

// compileImage compiles an image. An error fails the test.
func compileImage(t testing.TB, image []byte, opts *gyr.CompileOptions) *gyr.Program {
	t.Helper()
	p, err := gyr.CompileImage(context.Background(), image, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compile compiles a source. An error fails the test.
func compile(t testing.TB, src gyr.Source, opts *gyr.CompileOptions) *gyr.Program {
	t.Helper()
	p, err := gyr.Compile(context.Background(), src, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
