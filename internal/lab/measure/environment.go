package measure

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// An Environment is what figures depend on besides the program. All of it except the load is the
// same for every measurement of a machine as it is set up. The load varies.
type Environment struct {
	Go       string            `json:"go"` // of the go command, or of this program if there is none
	OS       string            `json:"os"`
	Arch     string            `json:"arch"`
	CPU      string            `json:"cpu"`
	CPUs     int               `json:"cpus"`
	Kernel   string            `json:"kernel,omitempty"`
	Governor string            `json:"governor,omitempty"` // of the first processor's clock; empty: none
	Settings map[string]string `json:"settings,omitempty"` // Go's variables that are set
	Load     float64           `json:"load"`               // runnable processes, mean of a minute; -1: unknown
}

// goSettings are the variables that change what the go command builds and how it runs.
var goSettings = []string{"GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFLAGS", "GOGC", "GOMEMLIMIT", "GOMAXPROCS",
	"GODEBUG", "CGO_ENABLED", "GOTOOLCHAIN"}

// CurrentEnvironment asks the machine. dir is where the go command is asked for its
// version, which may depend on go.mod there.
func CurrentEnvironment(dir string) *Environment {
	e := &Environment{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: CPUModel(), CPUs: runtime.NumCPU(),
		Kernel:   line("/proc/sys/kernel/osrelease"),
		Governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
	}
	cmd := exec.Command("go", "env", "GOVERSION")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil {
		e.Go = strings.TrimSpace(string(out))
	}
	for _, name := range goSettings {
		if v, ok := os.LookupEnv(name); ok {
			if e.Settings == nil {
				e.Settings = map[string]string{}
			}
			e.Settings[name] = v
		}
	}
	e.Load = Load()
	return e
}

// Load is the mean number of runnable processes in the last minute; -1: unknown.
func Load() float64 {
	first, _, _ := strings.Cut(line("/proc/loadavg"), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return -1
	}
	return load
}

// line is the content of a small file, or empty on an error.
func line(name string) string {
	b, _ := os.ReadFile(name)
	return strings.TrimSpace(string(b))
}

// Fingerprint is a hash of everything but the load, in 16 hexadecimal digits. Figures with
// different fingerprints are not compared.
func (e *Environment) Fingerprint() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q %d %q %q", e.Go, e.OS, e.Arch, e.CPU, e.CPUs, e.Kernel, e.Governor)
	for _, name := range goSettings {
		if v, ok := e.Settings[name]; ok {
			fmt.Fprintf(h, " %s=%q", name, v)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
