// Package installed finds the Go installations of a machine, for tests that need those of several releases.
package installed

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/release"
)

// Releases returns an installation of each release that this test can run, by the release's name, or skips the test if there are fewer than two.
func Releases(t testing.TB) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, dir := range directories() {
		if _, version, err := load.FindGo(dir); err == nil {
			list[release.Of(version).Name()] = dir
		}
	}
	if len(list) < 2 {
		t.Skipf("one release of Go, %v: this test is built with an older Go than the newest that gyr runs, or there is no other installation (GOTOOLCHAIN=go1.27.4 go version downloads one)", list)
	}
	return list
}

// directories are where an installation may be, those that are preferred at the end: in the module cache, on the path, where this test was built.
func directories() []string {
	list, _ := filepath.Glob(filepath.Join(load.ModuleCache(), "golang.org", "toolchain@*."+runtime.GOOS+"-"+runtime.GOARCH))
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		list = append(list, strings.TrimSpace(string(out)))
	}
	//lint:ignore SA1019 it is an installation like others
	return append(list, runtime.GOROOT(), "/usr/local/go")
}
