// Package stdlayers makes the test binaries of one `go test` compile the precompiled standard
// library only once between them: a test imports it only for that. The layers are in gyr-tests of
// the user's cache directory. Layers that are not used for a month, or exceed 1 GiB, disappear
// (package cache).
//
// A binary may only take layers that its own engine would make, so its sources must be known. The
// binary does not say what they were. They are those on disk if
//
//   - the go command that is testing, the parent of this process, started after the last change of
//     each of them, and
//   - none of its flags puts other sources or another compiler in their place.
//
// In all other cases (a debugger, -exec, an edit during a run, a system without /proc), each binary
// compiles for itself. A process that a test starts from its own binary gets the result from the
// environment. A test that gives such a process another environment passes [Variable] on.
//
// Tests that show how layers are made, above all those of package engine, do not import this
// package.
package stdlayers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/engine"
)

// Variable is the environment variable for processes of the same binary. It has three lines: the
// identity of the binary, that of its engine, and the directory.
const Variable = "GYR_TEST_LAYERS"

func init() {
	if !testing.Testing() {
		return
	}
	binary, err := cache.EngineID() // of a test: its build ID
	if err != nil {
		return
	}
	var id, dir string
	if told := strings.Split(os.Getenv(Variable), "\n"); len(told) == 3 && told[0] == binary {
		id, dir = told[1], told[2]
	} else if sum := sources(); sum != "" {
		id = cache.EngineIDFrom(sum)
		dir, _ = os.UserCacheDir()
		dir = filepath.Join(dir, "gyr-tests")
	}
	if id == "" || !filepath.IsAbs(dir) {
		return
	}
	if err := engine.ShareLayers(dir, id); err != nil {
		return // each process makes its own
	}
	os.Setenv(Variable, strings.Join([]string{binary, id, dir}, "\n"))
}
