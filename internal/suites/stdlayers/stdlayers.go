// Package stdlayers has the test binaries of one `go test` compile the precompiled standard library once between them:
// a test imports it for that alone. The layers stand in gyr-tests of the user's cache directory, and those that are not
// used for a month, or exceed 1 GiB, disappear (package cache).
//
// What a binary takes has to be what its own engine would make, so its sources have to be known. The binary does not say
// what they were. They are those on disk if
//
//   - the go command that is testing, the parent of this process, started after the last change of each of them, and
//   - none of its flags puts other sources or another compiler in their place.
//
// Whatever else is the case (a debugger, -exec, an edit during a run, a system without /proc), each binary compiles for
// itself. Processes that a test starts of its own binary learn from the environment what the test has found out; a
// test that gives them another environment passes [Variable] on.
//
// Tests that show how layers are made, those of package engine above all, do not import this package.
package stdlayers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/cache"
	"github.com/gyrvm/gyr/internal/engine"
)

// Variable is the environment variable that tells processes of the same binary: the identity of the binary, that of its
// engine, and the directory, a line each.
const Variable = "GYR_TEST_LAYERS"

func init() {
	if !testing.Testing() {
		return
	}
	binary, err := cache.EngineID() // that of a test is its build ID
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
