// Package installed finds the Go installations of a machine, for tests that need several releases.
package installed

import (
	"testing"

	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/release"
)

// All returns an installation of each release that this process can run, by the release's name. A
// toolchain that the go command has selected hides the go in PATH, so the usual place is searched
// too.
func All() map[string]string {
	list := gomod.Installations()
	if dir, version, err := gomod.FindGo("/usr/local/go"); err == nil {
		list[release.Of(version).Name()] = dir
	}
	return list
}

// Releases returns an installation of each release that this test can run, by the release's name.
// It skips the test if fewer than two exist.
func Releases(t testing.TB) map[string]string {
	t.Helper()
	list := All()
	if len(list) < 2 {
		t.Skipf("one release of Go, %v: this test is built with an older Go than the newest that gyr runs, or there is no other installation (GOTOOLCHAIN=go1.27.4 go version downloads one)", list)
	}
	return list
}
