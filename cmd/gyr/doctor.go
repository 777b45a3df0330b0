package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
	"github.com/gyrvm/gyr/internal/lab/research"
	"github.com/gyrvm/gyr/internal/release"
)

var doctorCmd = &command{
	name:  "doctor",
	usage: "[-json]",
	short: "say what is there, what is missing, and the cure",
	long: `Doctor looks at the machine and at the current directory's module, and prints a line for each thing that commands need:
Go installations and their releases, machine code, the standard library, the cache, limits, and what bench and research use beside.
A line that begins with warn names what is slower or left out, one with error what keeps gyr from running programs. Each names the cure.

The exit status is 1 if there is an error. Bench doctor and research doctor look closer, for measurements and sessions.`,
	run: doctor,
}

// A finding is a line of the doctor.
type finding struct {
	Level   string `json:"level"` // ok, warn or error
	Subject string `json:"subject"`
	Text    string `json:"text"`
	Cure    string `json:"cure,omitempty"`
}

const (
	levelOK    = "ok"
	levelWarn  = "warn"
	levelError = "error"
)

func doctor(c *command, args []string) error {
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print a JSON array of objects")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return usageError{"doctor takes no arguments"}
	}
	var list []finding
	for _, look := range []func() finding{lookAtEngine, lookAtGo, lookAtReleases, lookAtNative, lookAtStd, lookAtCache, lookAtTemp,
		lookAtLimits, lookAtBubblewrap, lookAtCompiler, lookAtSampling} {
		list = append(list, look())
	}
	if *asJSON {
		if err := printJSON(list); err != nil {
			return err
		}
	}
	var status error
	for _, f := range list {
		if f.Level == levelError {
			status = statusError(statusCompile)
		}
		if *asJSON {
			continue
		}
		text := f.Text
		if f.Cure != "" {
			text += ": " + f.Cure
		}
		fmt.Fprintf(stdout, "%-6s %-17s %s\n", f.Level, f.Subject, text)
	}
	return status
}

func lookAtEngine() finding {
	return finding{levelOK, "gyr", fmt.Sprintf("%s, determinism version %d, gas table %d, %s/%s", gyr.Version, gyr.DeterminismVersion,
		gyr.GasTableVersion, runtime.GOOS, runtime.GOARCH), ""}
}

// lookAtGo finds the installation that commands use here.
func lookAtGo() finding {
	goroot, err := selectGo()
	var found gyr.Installation
	if err == nil {
		found, err = gyr.FindGo(goroot)
	}
	switch {
	case err == nil:
		return finding{levelOK, "go", fmt.Sprintf("%s in %s", found.Release, found.GOROOT), ""}
	case embeddedStd != nil:
		return finding{levelWarn, "go", strings.TrimPrefix(err.Error(), "gyr: "), "programs of modules that are not in the module cache need it"}
	}
	return finding{levelError, "go", strings.TrimPrefix(err.Error(), "gyr: "), "install Go from https://go.dev/dl, or set GOROOT"}
}

// lookAtReleases lists the installations by release.
func lookAtReleases() finding {
	found := gomod.Installations()
	var words []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		words = append(words, name+" in "+found[name])
	}
	text := "gyr runs " + release.Names() + "; there is " + cmp.Or(strings.Join(words, ", "), "none of them")
	if len(found) == 0 && embeddedStd == nil {
		return finding{levelError, "releases", text, "install one of them"}
	}
	return finding{levelOK, "releases", text, ""}
}

func lookAtNative() finding {
	dir, _ := cacheDir("")
	err := noNative(context.Background(), dir)
	if err == nil {
		return finding{levelOK, "machine code", "programs run as machine code", ""}
	}
	return finding{levelWarn, "machine code", strings.TrimPrefix(err.Error(), "gyr: "), "programs run in the interpreter, about six times slower"}
}

func lookAtStd() finding {
	if embeddedStd == nil {
		return finding{levelOK, "standard library", "compiled when a program first needs a package, and kept in the cache", ""}
	}
	return finding{levelOK, "standard library", "built in: " + stdStatus(), ""}
}

func lookAtCache() finding {
	dir, status := cacheStatus()
	switch {
	case dir == "off":
		return finding{levelWarn, "cache", cacheVar + "=off", "each command compiles the standard library again"}
	case strings.HasPrefix(status, "not used"):
		return finding{levelWarn, "cache", dir + " is " + status, "each command compiles the standard library again"}
	}
	n, bytes, err := gyr.CacheDir(dir).Usage()
	if err != nil {
		return finding{levelWarn, "cache", err.Error(), ""}
	}
	return finding{levelOK, "cache", fmt.Sprintf("%s has %d entries, %.0f MB; gyr clean empties it", dir, n, float64(bytes)/1e6), ""}
}

func lookAtTemp() finding {
	f, err := os.CreateTemp("", "gyr-doctor-")
	if err != nil {
		return finding{levelError, "temporary files", err.Error(), "set TMPDIR to a directory where you may write"}
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return finding{levelWarn, "temporary files", err.Error(), ""}
	}
	return finding{levelOK, "temporary files", "in " + os.TempDir(), ""}
}

func lookAtLimits() finding {
	return finding{levelOK, "limits", fmt.Sprintf("run: %d MiB of memory (-mem), %d MiB of stack (-stack), no gas limit (-gas), no deadline (-timeout)",
		gyr.DefaultMemory>>20, gyr.DefaultStack>>20), ""}
}

func lookAtBubblewrap() finding {
	const need = "research runs what it did not write in it, and does less without it"
	isolation, err := research.Isolation()
	switch {
	case err == nil:
		return finding{levelOK, "bubblewrap", isolation, ""}
	case errors.Is(err, exec.ErrNotFound):
		return finding{levelWarn, "bubblewrap", "there is none; " + need, "install the package bubblewrap"}
	}
	return finding{levelWarn, "bubblewrap", fmt.Sprintf("%v; %s", err, need), "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)"}
}

func lookAtCompiler() finding {
	for _, name := range append(strings.Fields(os.Getenv("CC")), "gcc", "clang") {
		if path, err := exec.LookPath(name); err == nil {
			return finding{levelOK, "C compiler", path + ": research uses the race detector", ""}
		}
	}
	return finding{levelWarn, "C compiler", "there is none: research does without the race detector", "install gcc"}
}

func lookAtSampling() finding {
	by, err := sample.Probe()
	if err != nil {
		return finding{levelWarn, "sampling", fmt.Sprintf("%v; profiles of bench are made of block counters", err), "sysctl kernel.perf_event_paranoid=2"}
	}
	return finding{levelOK, "sampling", "by " + fmt.Sprint(by), ""}
}
