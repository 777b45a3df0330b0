package load

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// SupportedRelease is the Go release whose standard library the engine runs.
// The layouts of descriptors and maps, and the symbols that std expects of its
// runtime, are those of this release.
const SupportedRelease = "go1.26"

const releaseMinor = 26

func itoa(i int) string { return strconv.Itoa(i) }

// findGOROOT returns the Go installation to use and its version: the configured one, else $GOROOT,
// else that of the go command on the path, else the one that built this program.
func findGOROOT(ctx context.Context, cfg *Options) (dir, version string, err error) {
	env := cfg.Getenv
	if dir = cfg.GOROOT; dir == "" {
		dir = env("GOROOT")
	}
	if dir != "" {
		if dir, err = filepath.Abs(dir); err != nil {
			return "", "", errorf("%v", err)
		}
		version, err = releaseOf(dir)
		if err != nil {
			return "", "", errorf("cannot find GOROOT directory: %s holds no Go installation", dir)
		}
		return dir, version, checkRelease(dir, version)
	}
	gocmd := lookPath(env("PATH"), "go")
	if gocmd != "" {
		real, err := filepath.EvalSymlinks(gocmd)
		if err == nil {
			dir = filepath.Dir(filepath.Dir(real))
			if version, err = releaseOf(dir); err == nil && Supported(version) {
				return dir, version, nil
			}
		}
		// The go command may be a wrapper, or choose another toolchain.
		cmd := exec.CommandContext(ctx, gocmd, "env", "GOROOT")
		if out, err := cmd.Output(); err == nil {
			dir = strings.TrimSpace(string(out))
			if version, err = releaseOf(dir); err == nil {
				return dir, version, checkRelease(dir, version)
			}
		}
	}
	//lint:ignore SA1019 the last resort, as the go command does it
	if dir = runtime.GOROOT(); dir != "" {
		if version, err = releaseOf(dir); err == nil {
			return dir, version, checkRelease(dir, version)
		}
	}
	return "", "",
		errorf("cannot find GOROOT: there is no go command on the path and $GOROOT is not set; gyr needs the sources of the standard library of %s", SupportedRelease)
}

// FindGo returns the Go installation that a load would use, and its release. If goroot is empty it is
// found as the go command finds it.
func FindGo(goroot string) (dir, release string, err error) {
	return findGOROOT(context.Background(), &Options{GOROOT: goroot, Getenv: os.Getenv})
}

// lookPath is exec.LookPath with a given list of directories.
func lookPath(path, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue
		}
		file := filepath.Join(dir, name)
		if st, err := os.Stat(file); err == nil && !st.IsDir() && (runtime.GOOS == "windows" || st.Mode()&0o111 != 0) {
			return file
		}
	}
	return ""
}

// releaseOf reads the version of a Go installation.
func releaseOf(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "VERSION"))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(dir, "src", "fmt")); err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line), nil
}

// Supported reports whether the engine can run the standard library of a Go release.
func Supported(version string) bool {
	rest, ok := strings.CutPrefix(version, SupportedRelease)
	return ok && (rest == "" || rest[0] < '0' || rest[0] > '9')
}

func checkRelease(dir, version string) error {
	if Supported(version) {
		return nil
	}
	return errorf("the Go installation in %s is %s, but gyr runs the standard library of %s only", dir, version,
		SupportedRelease)
}
